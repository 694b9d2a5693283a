"""TK641: the header of a skill that clients refuse or read differently."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from toolkit.codes import INVALID_SKILL_HEADER
from toolkit.documents.nodes import Mapping, Scalar, Sequence
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, Severity, nearest
from toolkit.skills.skill_files import Skill
from toolkit.skills.skill_headers import HeaderFault, faults_of, wrong_length

_LONGEST_COMPATIBILITY = 500
_NO_NAME = "the skill has no name"
_PACKAGE = "__init__.py"
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>")
_OF_PLUGINS = (".claude-plugin", "plugin.json")
_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_OF_CLIENTS = (
    "agent", "argument-hint", "arguments", "context", "disable-model-invocation", "disallowed-tools", "effort", "hooks",
    "model", "paths", "shell", "user-invocable", "when_to_use",
)  # fmt: skip
"""The keys that Claude Code reads in addition."""


class InvalidSkillHeader(Rule):
    """The header of a skill does not meet the specification.

    ## Why

    A client reads the header of each skill when it starts, and shows the model the name and the description. It leaves
    out a skill without a description, and may refuse one whose name is not that of its folder. A skill for Claude Code
    needs no name, since Claude Code takes that of its folder, and no description there is a warning, since it then takes
    the first paragraph. A skill is for Claude Code if it is in `.claude/skills` or in one of its plugins, or if it uses
    what only Claude Code reads, such as the key `context` or `$ARGUMENTS`. In a hidden folder of another client, such as
    `.agents/skills`, it is not. A name with underscores is a warning: many clients take any name. The name is an `info` if its
    folder is a Python package, or beside one, and so is one that differs from that of a folder outside of a folder for
    skills: nothing shows that a client reads it there. So is a name such as `shop:find` or `shop-find` in the folder
    `find` of a plugin, since Claude Code offers the skill by the names of the plugin and the folder, and everything in a
    template whose name is still to be filled in.

    The specification allows 64 characters for the name (lowercase letters, digits and single hyphens), 1024 for the
    description and 500 for `compatibility`. Anthropic's API refuses XML tags in the name and the description, because
    both become a part of the model's instructions; in a skill for Claude Code, which accepts them, they are an `info`.
    A key without a value counts as absent.

    ## Example

    ```markdown title="forecast/SKILL.md"
    ---
    name: Forecast
    description: Says how the weather will be. Use it for questions about rain, wind and temperature.
    ---

    Ask for the city first.
    ```

    ## Instead

    ```markdown title="forecast/SKILL.md"
    ---
    name: forecast
    description: Says how the weather will be. Use it for questions about rain, wind and temperature.
    ---

    Ask for the city first.
    ```

    ## Source

    - Agent Skills, [Specification](https://agentskills.io/specification) (checked 2026-11-26, at commit 69ef37e of
      agentskills/agentskills)
    - Anthropic, [Skill authoring best practices](https://platform.claude.com/docs/en/agents-and-tools/agent-skills/best-practices):
      XML tags (checked 2026-11-26)
    - Anthropic, [Skills in Claude Code](https://code.claude.com/docs/en/skills): further keys (checked 2026-11-26)
    """

    code = INVALID_SKILL_HEADER
    severity = "error"

    def check_skill(self, skill: Skill) -> Iterator[Problem]:
        header = skill.header
        if header is None:
            return
        for fault in faults_of(skill):
            if fault.message == _NO_NAME and skill.is_for_claude_code:
                continue
            found = self._of_fault(fault, is_minor=_is_own_name(skill, fault))
            yield replace(found, severity="warning") if _says_nothing(skill) and skill.is_for_claude_code else found
        description = skill.description
        if description is not None and (tag := _TAG.search(description.text)):
            place = description.locate(tag.start(), len(tag[0]))
            message, hint = f"the description contains the XML tag {tag[0]!r}", "Anthropic's API refuses it: use words"
            yield self.problem(message, place, hint=hint, severity="info" if skill.is_for_claude_code else "warning")
        compatibility = skill.text("compatibility")
        if compatibility is not None and not 0 < len(compatibility.text) <= _LONGEST_COMPATIBILITY:
            yield self._of_fault(wrong_length("compatibility", compatibility, _LONGEST_COMPATIBILITY))
        yield from self._values_of_other_kinds(header)
        for name, entry in header.entries.items():
            near = nearest(name, _KEYS, most=1, cutoff=0.8)
            if name not in (*_KEYS, *_OF_CLIENTS) and near and near[0] not in header.entries:
                hint = f"did you mean {near[0]!r}?"
                yield self.problem(f"no client reads the key {name!r}", entry.key.location, hint=hint)

    def _values_of_other_kinds(self, header: Mapping) -> Iterator[Problem]:
        for key, kinds, what in (
            ("license", (), "a text"),
            ("compatibility", (), "a text"),
            ("metadata", (Mapping,), "a mapping"),
            ("allowed-tools", (Sequence,), "a text with the names of tools"),
        ):
            value = header.get(key)
            if value is None or (isinstance(value, Scalar) and value.value is None):
                continue
            is_text = isinstance(value, Scalar) and isinstance(value.value, str)
            if not (isinstance(value, kinds) or (is_text and key != "metadata")):
                yield self.problem(f"{key!r} is not {what}", value.location)

    def _of_fault(self, fault: HeaderFault, *, is_minor: bool = False) -> Problem:
        severity: Severity = "info" if is_minor else "warning" if fault.is_usable else self.severity
        return self.problem(fault.message, fault.location, hint=fault.hint, severity=severity)


def _says_nothing(skill: Skill) -> bool:
    return skill.description is None or not skill.description.text.strip()


def _is_own_name(skill: Skill, fault: HeaderFault) -> bool:
    """Return whether a name is at fault that the project may well choose, since no client seems to read it there."""
    if skill.name is None or fault.location != skill.name.location:
        return False
    parent = skill.folder.parent
    is_in_plugin = any((parent.parent / one).exists() for one in _OF_PLUGINS)
    if is_in_plugin and re.search(rf"[:-]{re.escape(skill.folder.name)}$", skill.name.text):
        return True  # Claude Code offers the skill of a plugin as `PLUGIN:FOLDER`
    if fault.is_usable and not parent.name.endswith("skills"):
        return True
    is_package = skill.folder.name.isidentifier() and any(one.is_file() for one in _packages_around(skill.folder))
    return is_package and not parent.parent.name.startswith(".")


def _packages_around(folder: Path) -> Iterator[Path]:
    """Yield the files that make a folder, the one around it, or one beside it a Python package."""
    yield from (folder / _PACKAGE, folder.parent / _PACKAGE)
    yield from folder.parent.glob(f"*/{_PACKAGE}")
