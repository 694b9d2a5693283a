"""TK644: a script of a skill that cannot be run as the skill says."""

import os
from collections.abc import Iterator
from pathlib import Path

from toolkit.codes import SCRIPT_NOT_EXECUTABLE
from toolkit.lint.clues.skill_texts import commands_in
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.regular_files import open_regular
from toolkit.skills.skill_files import Skill

_RUNNERS = {".py": "python", ".sh": "bash", ".js": "node", ".mjs": "node", ".rb": "ruby", ".ts": "npx tsx"}


class ScriptNotExecutable(Rule):
    """A skill runs a script by its name, but the script is not executable.

    ## Why

    `scripts/convert.py` as a command fails with "permission denied" if the file is not marked as executable, and with
    a syntax error of the shell if it does not begin with `#!`. The model then tries to repair what is not broken.

    ## Example

    ```text
    # The SKILL.md has the command scripts/convert.py, and the file has the mode 644.
    ```

    ## Instead

    ```text
    # The SKILL.md has the command python scripts/convert.py.
    ```

    ## Source

    - Agent Skills, [Specification](https://agentskills.io/specification): `scripts/` (checked 2026-11-26)
    """

    code = SCRIPT_NOT_EXECUTABLE

    def check_skill(self, skill: Skill) -> Iterator[Problem]:
        for part, is_direct in commands_in(skill.body) if os.name == "posix" else ():
            script = skill.folder / part.text
            if is_direct and script.is_file() and (fault := _fault(script)):
                runner = _RUNNERS.get(script.suffix)
                hint = f"write '{runner} {part.text}'" if runner else "make it executable, and begin it with '#!'"
                message = f"{part.text!r} is run by its name, but {fault}"
                yield self.problem(message, skill.locate(part.start, part.end), hint=hint)


def _fault(script: Path) -> str | None:
    if not os.access(script, os.X_OK):
        return "it is not executable"
    with open_regular(script) as stream:
        return None if stream.read(2) in {b"#!", b"\x7fE", b"MZ"} else "it does not begin with '#!'"
