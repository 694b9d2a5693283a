"""Parts of the instructions of a skill, as far as they can be found without parsing Markdown: links, code, commands."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from toolkit.problems import Location
from toolkit.skills.skill_files import Skill

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})([^\n`]*)$", re.MULTILINE)
_NESTING = {"markdown", "md", "mdx"}
"""The languages whose blocks often have inner blocks with as many backticks, although Markdown has no such blocks."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")
_LINK = re.compile(r"\[(?:[^\[\]\n]|\[[^\]\n]*\])*\]\(\s*<?([^()\s<>]+)>?(?:\s+[\"'(][^)\n]*)?\s*\)")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]+<?([^\s<>]+)", re.MULTILINE)
_NOT_A_PATH = re.compile(r"[a-zA-Z][\w+.-]*:|[/#?~]|.*[{}$*|…]|.*\.\.\.|(?:\./)?path/to/|[^./#]+(?:#|\Z)")
_OF_SKILL = re.compile(
    r"(?<![\w./~$@{}\\-])(?:(?:\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}|\.)/)?"
    r"(?P<path>(?:scripts|references|assets)/[\w./-]*\w\.\w{1,5})(?![\w*/{<\[-])"
)


_REMOTE = re.compile(r"\bmcp__(?P<server>\w+?)__(?P<name>[A-Za-z]\w*)\b(?![*{])")
_CALLED = re.compile(r"([A-Za-z][\w-]*)(?:\(.*\))?")
_TOOL_BEFORE = re.compile(r"\btools?(?:[ \t]+(?:named|called))?:?[ \t]+[*_]*\Z", re.IGNORECASE)
_TOOL_AFTER = re.compile(r"[*_]*[ \t]+(?:MCP[ \t]+)?tools?\b(?!-)", re.IGNORECASE)


_ANY_TOOL_BEFORE = re.compile(r"\ban?\s+tool(?:\s+(?:named|called))?:?\s+[*_]*\Z", re.IGNORECASE)
"""Before the name in an example: "a tool named …"."""


class Mention(NamedTuple):
    """A name in a skill that may be that of a tool.

    Attributes:
        name: The name.
        server: The MCP server, in `mcp__server__name`.
        location: Where it is.
        is_tool: Whether the skill says that it is a tool.
    """

    name: str
    server: str | None
    location: Location
    is_tool: bool


class Part(NamedTuple):
    """A part of the body of a skill: its text, and the index of its first character."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The index after its last character."""
        return self.start + len(self.text)


class _Block(NamedTuple):
    """A block of code: its language, and where its text, and the block as a whole, begin and end."""

    language: str
    inner: tuple[int, int]
    outer: tuple[int, int]


def _blocks_in(body: str, start: int = 0, nesting: Collection[str] = _NESTING) -> Iterator[_Block]:
    """Yield the blocks of code that are not in another one; the last one may lack its end.

    A block of Markdown has inner blocks only if it ends after them; otherwise the first end is its own.
    """
    opening: re.Match[str] | None = None
    language, depth = "", 0
    for fence in _FENCE.finditer(body, start):
        info = fence[2].strip().lower()
        if opening is None:
            opening, language, depth = fence, info, 0
        elif not fence[1].startswith(opening[1]) or (info and language not in nesting):
            continue
        elif info or depth:
            depth += 1 if info else -1
        else:
            yield _Block(language, (opening.end() + 1, fence.start()), (opening.start(), fence.end()))
            opening = None
    if opening is not None and language in nesting:
        yield from _blocks_in(body, opening.start(), ())
    elif opening is not None:
        end = len(body)
        yield _Block(language, (min(opening.end() + 1, end), end), (opening.start(), end))


def prose_in(body: str) -> str:
    """Return a body of the same length in which blocks of code, and comments, are blank."""
    parts, end = [], 0
    for block in _blocks_in(body):
        start, after = block.outer
        parts += [body[end:start], _blank(body[start:after])]
        end = after
    return _COMMENT.sub(lambda found: _blank(found[0]), "".join([*parts, body[end:]]))


def code_in(body: str) -> Iterator[Part]:
    """Yield the text of each piece of inline code."""
    for found in _CODE.finditer(prose_in(body)):
        yield Part(found[2], found.start(2))


def links_in(body: str) -> Iterator[Part]:
    """Yield the target of each link that leads to a file, without its fragment."""
    prose = _CODE.sub(lambda found: _blank(found[0]), prose_in(body))
    for found in sorted([*_LINK.finditer(prose), *_DEFINITION.finditer(prose)], key=lambda one: one.start()):
        if not _NOT_A_PATH.match(found[1]):
            yield Part(found[1].partition("#")[0].partition("?")[0], found.start(1))


def path_of(link: Part) -> str:
    """Return the path in a link, without the encoding of URLs."""
    return unquote(link.text)


class Command(NamedTuple):
    """A command in a block of code for a shell that runs or reads a file of the skill.

    Attributes:
        path: The path of the file, such as `scripts/convert.py`.
        is_direct: Whether the file itself is the program.
    """

    path: Part
    is_direct: bool


def commands_in(body: str) -> Iterator[Command]:
    """Yield the commands that use a file of the skill, unless the skill says to write that file first."""
    for block in _blocks_in(body):
        for found in _OF_SKILL.finditer(body, *block.inner):
            path = Part(found["path"], found.start("path"))
            before = body[body.rfind("\n", 0, found.start()) + 1 : found.start()].strip().removeprefix("$").strip()
            is_run = not before or _RUNNER.search(before)
            if block.language in _SHELLS and is_run and not _is_written(body, path.text):
                yield Command(path, is_direct=not before)


def _is_written(body: str, path: str) -> bool:
    return (
        re.search(
            rf"\b(?:add|create|save|write)\b[^\n]{{0,40}}{re.escape(path)}|[>|] *{re.escape(path)}", body, re.IGNORECASE
        )
        is not None
    )


def mentions_in(skill: Skill) -> Iterator[Mention]:
    """Yield each name of a skill that may be that of a tool: in `allowed-tools`, and in inline code of the body."""
    for entry in skill.allowed_tools:
        name = entry.text.partition("(")[0]
        remote = _REMOTE.fullmatch(name)
        if remote or _CALLED.fullmatch(name):
            shown, server = (remote["name"], remote["server"]) if remote else (name, None)
            yield Mention(shown, server, entry.location, is_tool=True)
    body = skill.body
    for found in _REMOTE.finditer(body):
        yield Mention(found["name"], found["server"], skill.locate(*found.span()), is_tool=True)
    for part in code_in(body):
        if (called := _CALLED.fullmatch(part.text)) and not _REMOTE.match(part.text):
            marks = len(body[: part.start]) - len(body[: part.start].rstrip("`"))
            before, after = body[: part.start - marks], body[part.end + marks :]
            line = before[before.rfind("\n") + 1 :]
            is_tool = bool(_TOOL_BEFORE.search(line) or _TOOL_AFTER.match(after)) and not _ANY_TOOL_BEFORE.search(
                before
            )
            yield Mention(called[1], None, skill.locate(part.start, part.start + len(called[1])), is_tool)


_SHELLS = {"bash", "sh", "shell", "zsh", "console"}
_RUNNER = re.compile(
    r"(?:^|[\s/])(?:bash|bun|deno run|node|npx tsx|python3?(?:\.\d+)?|ruby|sh|tsx|uv run|zsh)(?: -\S+)*$"
)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
