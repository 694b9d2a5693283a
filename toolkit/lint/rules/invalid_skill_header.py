"""TK641: the header of a skill that clients refuse or read differently."""

import re
from collections.abc import Iterator

from toolkit.codes import INVALID_SKILL_HEADER
from toolkit.documents.nodes import Mapping, Scalar, Sequence
from toolkit.lint.rule import Rule
from toolkit.problems import Location, Problem, nearest
from toolkit.skills.skill_files import Skill

_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1024
_LONGEST_COMPATIBILITY = 500
_NAME = re.compile(r"[^\W_A-Z]+(?:-[^\W_A-Z]+)*")
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>")
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
    out a skill without a description, and may refuse one whose name is not that of its folder. The specification
    allows 64 characters for the name (lowercase letters, digits and single hyphens), 1024 for the description and 500
    for `compatibility`. Anthropic's API refuses XML tags in the name and the description, because both become a part of
    the model's instructions.

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
        yield from self._name(skill)
        yield from self._description(skill)
        compatibility = skill.text("compatibility")
        if compatibility is not None and not 0 < len(compatibility.text) <= _LONGEST_COMPATIBILITY:
            yield self._wrong_length("compatibility", compatibility, _LONGEST_COMPATIBILITY)
        for key, kinds, what in (
            ("license", (), "a text"),
            ("compatibility", (), "a text"),
            ("metadata", (Mapping,), "a mapping"),
            ("allowed-tools", (Sequence,), "a text with the names of tools"),
        ):
            value = header.get(key)
            is_text = isinstance(value, Scalar) and isinstance(value.value, str)
            if value is not None and not (isinstance(value, kinds) or (is_text and key != "metadata")):
                yield self.problem(f"{key!r} is not {what}", value.location)
        for name, entry in header.entries.items():
            near = nearest(name, _KEYS, most=1, cutoff=0.8)
            if name not in (*_KEYS, *_OF_CLIENTS) and near and near[0] not in header.entries:
                hint = f"did you mean {near[0]!r}?"
                yield self.problem(f"no client reads the key {name!r}", entry.key.location, hint=hint)

    def _name(self, skill: Skill) -> Iterator[Problem]:
        name, folder = skill.name, skill.folder.name
        if name is None or not name.text.strip():
            yield self._missing(skill, "name", f"name: {folder}")
        elif len(name.text) > _LONGEST_NAME:
            yield self._wrong_length("name", name, _LONGEST_NAME)
        elif not _NAME.fullmatch(name.text):
            hint = "use lowercase letters, digits, and single hyphens between them"
            yield self.problem(f"the name {name.text!r} is not valid for a skill", name.location, hint=hint)
        elif name.text != folder and not (skill.folder / ".git").exists():  # anybody names a checkout
            message = f"the skill is named {name.text!r}, but its folder {folder!r}"
            yield self.problem(message, name.location, hint="give both the same name", severity="warning")

    def _description(self, skill: Skill) -> Iterator[Problem]:
        description = skill.description
        if description is None or not description.text.strip():
            yield self._missing(skill, "description", "description: what it does, and when to use it")
            return
        if len(description.text) > _LONGEST_DESCRIPTION:
            yield self._wrong_length("description", description, _LONGEST_DESCRIPTION)
        if tag := _TAG.search(description.text):
            place = description.locate(tag.start(), len(tag[0]))
            message, hint = (
                f"the description contains the XML tag {tag[0]!r}",
                "Anthropic's API refuses it: describe it in words",
            )
            yield self.problem(message, place, hint=hint, severity="warning")

    def _missing(self, skill: Skill, key: str, line: str) -> Problem:
        value = skill.header.get(key) if skill.header else None
        place = Location(skill.file, 1, 1) if value is None else value.location
        if isinstance(value, Scalar) and value.value is not None and not isinstance(value.value, str):
            return self.problem(f"the {key} of the skill is not a text", place, hint="put quotes around it")
        return self.problem(f"the skill has no {key}", place, hint=f"write '{line}'")

    def _wrong_length(self, key: str, value: Scalar, most: int) -> Problem:
        length = len(value.text)
        place = value.locate(most, max(length - most, 1)) if length else value.location
        return self.problem(f"the {key} has {length:,} characters; 1 to {most:,} are possible", place)
