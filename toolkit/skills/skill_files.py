"""Reads a `SKILL.md`: a header in YAML, and instructions in Markdown, with the location of each part."""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from toolkit.codes import BROKEN_DOCUMENT
from toolkit.documents.document_reader import parse_document, read_text
from toolkit.documents.nodes import Mapping, Scalar, Sequence, Source, Word
from toolkit.problems import Location, Problem

SKILL_FILE: Final = "SKILL.md"

_HEADER = re.compile(r"---[ \t]*(?:\r\n|\r|\n)(?:.*?(?:\r\n|\r|\n))??(?=(---)[ \t]*(?:\r\n|\r|\n|\Z))", re.DOTALL)
_BEGUN = re.compile(r"---[ \t]*(?:\r\n|\r|\n)")
_END_WITH_TEXT = re.compile(r"^(---)[ \t]+[^\s-][^\r\n]*", re.MULTILINE)
_BLANK_NAME = re.compile(
    r"""^name:[ \t]*["']?[\w-]*"""
    r"""(?:\{\{[^}\n]*\}\}|\{%[^}\n]*%\}|\$?\{\w+\}|<[\w -]+>|\[[\w -]+\]|(?:REPLACE|YOUR)[-_ ]\w)""",
    re.MULTILINE,
)
"""A name that is still to be filled in, such as `{{ name }}`, `<name>` or `REPLACE-with-a-name`."""
_LATER = re.compile(r"^(---)[ \t]*(?:\r\n|\r|\n)(?:name|description)[ \t]*:", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_OTHER_LINE = re.compile(r"([-=*_+]{2,})[ \t]*(?:\r\n|\r|\n)(?:name|description)[ \t]*:")
_ENTRY = re.compile(r"[^\s,(]+(?:\([^)]*\))?")
_PLUGIN = ".claude-plugin"
_DEEPEST = 8
"""The most folders around a skill that may be its plugin."""
_OF_CLAUDE_CODE = frozenset(
    ("agent", "arguments", "context", "disallowed-tools", "effort", "hooks", "shell", "when_to_use")
)
"""The keys of a header that only Claude Code documents."""
_OWN_FOLDERS = (".claude", _PLUGIN)
_CODE_BLOCK = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_ARGUMENTS = re.compile(r"\$ARGUMENTS\b")
_DEEPEST_HIDDEN = 4
"""How many folders there may be from a hidden one to a skill, with both."""
_NEAR = 2
"""The most folders between a project and its skills that clients install."""
_PROJECT_FILES = ("pyproject.toml", "setup.py", "package.json", "Cargo.toml", "go.mod")
_DESCRIBING = tuple(f"{name}.{end}" for name in ("index", "skill", "skill-spec") for end in ("yaml", "yml", "json"))


_LINK = re.compile(r"(?:\.{1,2}/|[\w.-]+/)[\w./-]*")
"""What Git writes for a symbolic link where it cannot make one."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill: what its `SKILL.md` says, and where.

    Attributes:
        file: The path of the `SKILL.md`.
        source: The whole text, which locates every part of it.
        header: The header; None if there is none that can be read.
        body: The instructions in Markdown, as they are written.
        start: The index of the first character of the body in the text.
        problems: Why the file, or its header, cannot be read.
    """

    file: str
    source: Source
    header: Mapping | None
    body: str
    start: int
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> Scalar | None:
        """The name, if it is a text."""
        return self.text("name")

    @property
    def description(self) -> Scalar | None:
        """The description, if it is a text."""
        return self.text("description")

    @property
    def folder(self) -> Path:
        """The folder of the skill."""
        return Path(self.file).absolute().parent

    @property
    def described_in(self) -> str | None:
        """The name of a file beside the skill, such as `index.yaml`, that describes it to a program of the project."""
        for name in _DESCRIBING:
            text = read_text(self.folder / name, name) if (self.folder / name).is_file() else ""
            if isinstance(text, str) and re.search(r"""(?:^|[{,])\s*["']?description["']?\s*:""", text, re.MULTILINE):
                return name
        return None

    @property
    def is_template(self) -> bool:
        """Whether it is a file from which skills are made: its name is still to be filled in, or its folder says so."""
        if self.folder.name.startswith("_") and "template" in self.folder.name.lower():
            return True
        end = _HEADER.match(self.source.text)
        return end is not None and _BLANK_NAME.search(self.source.text, 0, end.end()) is not None

    @property
    def is_for_claude_code(self) -> bool:
        """Whether it is for Claude Code: in `.claude/skills`, in a plugin, or with something that only that reads.

        One in a hidden folder for other clients, such as `.agents/skills`, is not.
        """
        near = self.folder.parts[-_DEEPEST_HIDDEN:]
        if any(one.startswith(".") and one not in _OWN_FOLDERS for one in near):
            return False
        return (
            any(pair == (".claude", "skills") for pair in pairwise(self.folder.parts))
            or _is_in_plugin(self.folder)
            or not _OF_CLAUDE_CODE.isdisjoint(self.header.entries if self.header else ())
            or _ARGUMENTS.search(_CODE_BLOCK.sub("", self.body)) is not None
        )

    @property
    def allowed_tools(self) -> list[Word]:
        """The entries of `allowed-tools`, such as `Bash(git:*)`, in a text with spaces or commas, or in a list."""
        value = self.header.get("allowed-tools") if self.header else None
        found = value.items if isinstance(value, Sequence) else (value,)
        return [
            Word(entry[0], scalar.locate(entry.start(), len(entry[0])))
            for scalar in found
            if isinstance(scalar, Scalar) and isinstance(scalar.value, str)
            for entry in _ENTRY.finditer(scalar.text)
        ]

    def text(self, key: str) -> Scalar | None:
        """Return the value of a key of the header, if it is a text."""
        value = self.header.get(key) if self.header else None
        return value if isinstance(value, Scalar) and isinstance(value.value, str) else None

    def locate(self, start: int, end: int) -> Location:
        """Return the location of the characters of the body from `start` up to `end`."""
        return self.source.location(self.start + start, self.start + end)


def is_for_clients(folder: Path, directory: Path) -> bool:
    """Return whether clients read the skill in a folder where it is, rather than only the project's own program.

    They do so in hidden folders such as `.claude/skills`, in a plugin, and in `NAME` or `skills/NAME` of the project
    in `directory`, from where skills are installed. A file in a folder `skills` itself, hidden or not, only lists them,
    and one in `directory` is a document of a project that has something else to install.
    """
    if not folder.absolute().is_relative_to(directory.absolute()):
        return True
    parts = folders_around(folder, directory)
    is_list = parts[-1:] == ("skills",) or (not parts and any((directory / one).is_file() for one in _PROJECT_FILES))
    return not is_list and (
        len(parts) <= _NEAR or any(one.startswith(".") for one in parts) or _is_in_plugin(folder.absolute())
    )


def may_be_document(folder: Path, directory: Path) -> bool:
    """Return whether a file called like a skill may be a document about code.

    Such a document is beside Python files, or anywhere in a project that can be installed, but not in a folder for
    skills, in a hidden folder or in a plugin.
    """
    parts = folders_around(folder, directory)
    is_kept = any(one.startswith(".") or one.endswith("skills") for one in parts[:-1])
    if not parts or is_kept or _is_in_plugin(folder.absolute()):
        return False
    return any(folder.glob("*.py")) or any((directory / one).is_file() for one in _PROJECT_FILES)


def folders_around(folder: Path, directory: Path) -> tuple[str, ...]:
    """Return the names of the folders from a project down to the folder of a skill; none outside of the project."""
    inner, outer = folder.absolute(), directory.absolute()
    return inner.relative_to(outer).parts if inner.is_relative_to(outer) else ()


def _is_in_plugin(folder: Path) -> bool:
    """Whether a folder, or one around it in the same repository, is a plugin, or a list of plugins, for Claude Code."""
    for one in (folder, *folder.parents)[:_DEEPEST]:
        if (one / _PLUGIN).is_dir():
            return True
        if (one / ".git").exists():
            return False
    return False


def read_skill(path: Path) -> Skill:
    """Read the `SKILL.md` at a path; what cannot be read is among its problems."""
    text = read_text(path, str(path))
    if isinstance(text, Problem):
        return Skill(str(path), Source("", str(path)), None, "", 0, problems=(text,))
    return parse_skill(text, str(path))


def parse_skill(text: str, file: str) -> Skill:
    """Return the skill that a `SKILL.md` with this text describes.

    Args:
        text: The content of the file.
        file: The path of the file, for the locations of its parts.
    """
    source = Source(text.removeprefix("\ufeff"), file)
    found = _HEADER.match(source.text)
    if found is None:
        return Skill(file, source, None, source.text, 0, problems=(_without_header(source, file),))
    after = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?").match(source.text, found.end(1))
    start = after.end() if after else found.end(1)
    # The line `---` begins a document in YAML too, so that all locations are those in the file.
    root, problems = parse_document(source.text[: found.end()], file)
    header = root if isinstance(root, Mapping) else None
    if header is None and not problems:
        hint = "write 'name: …' and 'description: …' between the two lines '---'"
        problems = [Problem(BROKEN_DOCUMENT, "the header of the skill has no keys", Location(file, 1, 1), hint=hint)]
    return Skill(file, source, header, source.text[start:], start, problems=tuple(problems))


def _is_shown(text: str, found: "re.Match[str]") -> bool:
    """Whether a header is in a block of code, as that of another file; a block around the whole text does not count."""
    return len(_FENCE.findall(text, text.find("\n") + 1, found.start())) % 2 == 1


def _without_header(source: Source, file: str) -> Problem:
    """Return why clients find no header in the text of a skill, and where it may have been meant."""
    start, message = 0, "the skill has no header"
    hint = "begin it with '---', the lines 'name: …' and 'description: …', and '---'"
    if _LINK.fullmatch(source.text.strip()):
        message, hint = "the skill has nothing but the path of another file", "make it a link again, or copy that file"
        return Problem(BROKEN_DOCUMENT, message, Location(file, 1, 1), hint=hint)
    if _BEGUN.match(source.text):
        message, hint = "the header of the skill does not end", "end it with a line '---' that is not indented"
        end = _END_WITH_TEXT.search(source.text)
        if end is not None and "\n#" not in source.text[: end.start()]:
            start = end.start(1)
            message = "the line that ends the header of the skill has more text"
            hint = "move the text after '---' to the next line"
    elif later := [one for one in _LATER.finditer(source.text) if not _is_shown(source.text, one)]:
        start = later[0].start(1)
        message = "the header of the skill is not at its start, so that clients do not read it"
        hint = "move it to the first line"
    elif (other := _OTHER_LINE.match(source.text)) is not None:
        message, hint = f"the header of the skill begins with {other[1]!r}", "write '---' instead"
    return Problem(BROKEN_DOCUMENT, message, Location(file, *source.place(start)), hint=hint)
