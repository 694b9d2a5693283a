"""Parses docstrings in Google, NumPy or Sphinx style into descriptions of a tool and its parameters."""

import re
from collections.abc import Sequence
from functools import lru_cache
from inspect import cleandoc
from typing import NamedTuple

_GOOGLE_PARAMETERS = {"args:", "arguments:", "parameters:", "params:", "keyword args:", "keyword arguments:"}
_GOOGLE_OTHERS = {
    "returns:", "return:", "yields:", "yield:", "raises:", "raise:", "except:", "exceptions:", "attributes:",
    "example:", "examples:", "note:", "notes:", "warning:", "warnings:", "see also:", "todo:", "references:",
}  # fmt: skip
_GOOGLE_HEADINGS = _GOOGLE_PARAMETERS | _GOOGLE_OTHERS
_NUMPY_PARAMETERS = {"parameters", "other parameters"}
_GOOGLE_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:\s*(.*)")
_NUMPY_ENTRY = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?")
_SPHINX_ENTRY = r":(?:param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)"
_ITEMS = ("- ", "* ", "• ")
_SPHINX_FIELD = r":\w[^:]*:"


class Docstring(NamedTuple):
    """A parsed docstring: the description of the tool, and that of each documented parameter by name."""

    description: str
    parameters: dict[str, str]


def read_docstring(text: str | None) -> Docstring:
    """Parse a docstring in any of the three styles; the description ends at the first section."""
    if not text:
        return Docstring("", {})
    lines, starts = _lines_and_sections(text)
    parameters: dict[str, str] = {}
    position = starts[0] if starts else len(lines)
    description = "\n".join(lines[:position]).strip()
    while position < len(lines):
        position = _read_section(lines, position, starts, parameters)
    return Docstring(description, parameters)


def text_after_sections(text: str) -> list[str]:
    """Return the first line of each paragraph that follows a section, and so is not part of the description."""
    lines, starts = _lines_and_sections(text)
    found = []
    for at in starts:
        if not _is_google_heading(lines[at]):
            continue
        inside = lines[at + 1 : _end_of_section(lines, at + 1, starts)]
        behind = inside[_end_of_entries(inside) :]
        found += [
            line for before, line in zip(["", *behind], behind, strict=False) if line.strip() and not before.strip()
        ]
    return [line.strip() for line in found]


@lru_cache(maxsize=16)  # lint asks for the sections of a docstring twice
def _lines_and_sections(text: str) -> tuple[Sequence[str], Sequence[int]]:
    """Return the lines of a docstring without their indentation, and the positions at which sections begin."""
    lines = _cleaned(text).splitlines()
    starts = _sections_in(lines)
    if not starts and (margin := _margin_of(lines)):
        lines = [line[margin:] if not line[:margin].strip() else line for line in lines]
        starts = _sections_in(lines)
    return lines, starts


def _cleaned(text: str) -> str:
    """Return what `cleandoc` returns; a text without indentation, such as one that it has cleaned, takes less time."""
    if "\t" in text or text[:1].isspace() or not re.search(r"\n\S", text):
        return cleandoc(text)
    return text.rstrip("\n")


def _margin_of(lines: list[str]) -> int:
    """Return the indentation that `cleandoc` has left because another line is not indented."""
    headings = (line for line in lines if ":" in line and line.strip().lower() in _GOOGLE_PARAMETERS)
    margins = {len(line) - len(line.lstrip()) for line in headings}
    return margins.pop() if len(margins) == 1 else 0


def _sections_in(lines: list[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if line and _begins_section(lines, at)]


def _is_google_heading(line: str) -> bool:
    return line.strip().lower() in _GOOGLE_HEADINGS


def _begins_section(lines: list[str], position: int) -> bool:
    line = lines[position]
    first = line[0]  # for speed, since most lines can be ruled out by their first character
    return (
        (first != " " and ":" in line and line.rstrip()[-1:] == ":" and line.strip().lower() in _GOOGLE_HEADINGS)
        or _is_numpy_heading(lines, position)
        or _is_sphinx_field(line)
    )


def _is_sphinx_field(line: str) -> bool:
    return line.startswith(":") and re.match(_SPHINX_FIELD, line) is not None


def _is_numpy_heading(lines: Sequence[str], position: int) -> bool:
    under = lines[position + 1] if position + 1 < len(lines) else ""
    return "-" in under and len(under) > 2 and not under.strip().strip("-") and bool(lines[position].strip())  # noqa: PLR2004


def _read_section(lines: Sequence[str], position: int, starts: Sequence[int], parameters: dict[str, str]) -> int:
    """Parse the section at `position`, add its entries to `parameters`, and return the position of the next section."""
    heading = lines[position].strip().lower()
    if _is_sphinx_field(lines[position]):
        entry = re.match(_SPHINX_ENTRY, lines[position])
        end = _end_of_section(lines, position + 1, starts)
        if entry:
            parameters[entry[1]] = _join([entry[2], *lines[position + 1 : end]])
        return end
    numpy = _is_numpy_heading(lines, position)
    first = position + (2 if numpy else 1)
    end = _end_of_section(lines, first, starts)
    if numpy and heading in _NUMPY_PARAMETERS:
        _read_numpy_entries(lines[first:end], parameters)
    elif heading in _GOOGLE_PARAMETERS:
        _read_google_entries(lines[first:end], parameters)
    return end


def _end_of_section(lines: Sequence[str], position: int, starts: Sequence[int]) -> int:
    return next((start for start in starts if start >= position), len(lines))


def _read_google_entries(lines: Sequence[str], parameters: dict[str, str]) -> None:
    """Parse the entries; after them, there is only prose."""
    parameters.update(_entries(lines[: _end_of_entries(lines)], _indent_of(lines), _GOOGLE_ENTRY))


def _end_of_entries(lines: Sequence[str]) -> int:
    """Return the position of the first line with a smaller indentation; for a list, of one after it that is no item."""
    indent = _indent_of(lines)
    is_list = False
    for at, line in enumerate(lines):
        text = line.lstrip()
        own = len(line) - len(text)
        if not text or own > indent:
            continue
        is_item = text.startswith(_ITEMS)
        if own < indent or (is_list and not is_item and not lines[at - 1].strip()):
            return at
        is_list = is_item
    return len(lines)


def _indent_of(lines: Sequence[str]) -> int:
    """Return the indentation of the first line that is not empty."""
    return next((len(line) - len(text) for line in lines if (text := line.lstrip())), 0)


def _read_numpy_entries(lines: Sequence[str], parameters: dict[str, str]) -> None:
    for names, text in _entries(lines, 0, _NUMPY_ENTRY):
        for name in names.split(","):
            parameters[name.strip().lstrip("*")] = text


def _entries(lines: Sequence[str], indent: int, pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return the entries at an indentation, each with its more deeply indented lines."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        text = line.strip()
        deeper = len(line) - len(line.lstrip()) > indent
        match = None if deeper or not text else pattern.fullmatch(text)
        if match:
            found.append((match[1], [match[2] if pattern.groups > 1 else ""]))
        elif found and text:
            found[-1][1].append(text)
    return [(name, _join(text)) for name, text in found]


def _join(lines: Sequence[str]) -> str:
    return " ".join(text for line in lines if (text := line.strip()))
