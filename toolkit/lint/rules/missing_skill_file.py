"""TK643: a skill that names a file which does not exist."""

from collections.abc import Iterator
from pathlib import Path

from toolkit.codes import MISSING_SKILL_FILE
from toolkit.lint.clues.skill_texts import commands_in, links_in, path_of
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, did_you_mean
from toolkit.skills.skill_files import Skill


class MissingSkillFile(Rule):
    """A skill names a file that does not exist.

    ## Why

    A model that cannot find a file searches for it, invents its content, or gives up. Paths start at the folder of the
    skill. This rule checks links, and the files in `scripts/`, `references/` and `assets/` that
    commands run, if the skill has that folder. For a command, a file with this path in a folder around the skill counts
    too. A link to another skill that is not there at all is an `info`, since it may be installed elsewhere.

    ## Example

    ```markdown title="forecast/SKILL.md"
    ---
    name: forecast
    description: Says how the weather will be. Use it for questions about rain, wind and temperature.
    ---

    The units are in [units](references/units.md).
    ```

    ## Instead

    ```markdown title="forecast/SKILL.md"
    ---
    name: forecast
    description: Says how the weather will be. Use it for questions about rain, wind and temperature.
    ---

    Temperatures are in degrees Celsius.
    ```

    ## Source

    - Agent Skills, [Specification](https://agentskills.io/specification): file references (checked 2026-11-26)
    """

    code = MISSING_SKILL_FILE

    def check_skill(self, skill: Skill) -> Iterator[Problem]:
        folder = skill.folder
        for link in links_in(skill.body):
            if not (folder / path_of(link)).exists():
                yield self._missing(skill, path_of(link), link.start, link.end)
        for command in commands_in(skill.body):
            has_folder = (folder / command.path.text.partition("/")[0]).is_dir()
            if has_folder and not _exists_around(folder, command.path.text):
                yield self._missing(skill, command.path.text, command.path.start, command.path.end)

    def _missing(self, skill: Skill, path: str, start: int, end: int) -> Problem:
        parent = (skill.folder / path).parent
        names = sorted(one.name for one in parent.iterdir()) if parent.is_dir() else []
        before = path.removesuffix(Path(path).name)
        hint = did_you_mean(Path(path).name, names, before=before, otherwise="write it, or remove what names it")
        return self.problem(
            f"there is no file {path!r} in the folder of the skill",
            skill.locate(start, end),
            hint=hint,
            severity="info" if _is_of_other_skill(skill.folder, path) else self.severity,
        )


def _is_of_other_skill(folder: Path, path: str) -> bool:
    """Return whether a path such as `../other` or `../other/units.md` leads to a folder beside the skill that is missing."""
    match Path(path).parts:
        case ("..", other, *inner) if other != ".." and (inner or not (Path(other).suffix or other.isupper())):
            return not (folder.parent / other).exists()
    return False


def _exists_around(folder: Path, path: str) -> bool:
    """Return whether a file is in a folder, or in one around it up to the root of the repository."""
    for one in (folder, *folder.parents):
        if (one / path).exists():
            return True
        if (one / ".git").exists():
            return False
    return False
