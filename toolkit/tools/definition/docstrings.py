"""Parses docstrings in Google, NumPy or Sphinx style into descriptions of a tool and its parameters."""

import re
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
    lines = _without_margin(cleandoc(text).splitlines())
    description: list[str] = []
    parameters: dict[str, str] = {}
    position = 0
    while position < len(lines) and not _begins_section(lines, position):
        description.append(lines[position])
        position += 1
    while position < len(lines):
        position = _read_section(lines, position, parameters)
    return Docstring("\n".join(description).strip(), parameters)


def text_after_sections(text: str) -> list[str]:
    """Return the first line of each paragraph that follows a section, and so is not part of the description."""
    lines = _without_margin(cleandoc(text).splitlines())
    headings = [at for at, line in enumerate(lines) if _begins_section(lines, at) and _is_google_heading(line)]
    found = []
    for at in headings:
        inside = lines[at + 1 : _end_of_section(lines, at + 1)]
        behind = inside[_end_of_entries(inside) :]
        found += [
            line for before, line in zip(["", *behind], behind, strict=False) if line.strip() and not before.strip()
        ]
    return [line.strip() for line in found]


def _is_google_heading(line: str) -> bool:
    return line.strip().lower() in _GOOGLE_HEADINGS


def _without_margin(lines: list[str]) -> list[str]:
    """Remove indentation that `cleandoc` has left because another line is not indented."""
    margins = {len(line) - len(line.lstrip()) for line in lines if line.strip().lower() in _GOOGLE_PARAMETERS}
    if len(margins) != 1 or (margin := margins.pop()) == 0 or any(_begins_section(lines, i) for i in range(len(lines))):
        return lines
    return [line[margin:] if not line[:margin].strip() else line for line in lines]


def _begins_section(lines: list[str], position: int) -> bool:
    line = lines[position]
    first = line[:1]  # for speed, since most lines can be ruled out by their first character
    return (
        (first != " " and line.rstrip().endswith(":") and line.strip().lower() in _GOOGLE_HEADINGS)
        or _is_numpy_heading(lines, position)
        or _is_sphinx_field(line)
    )


def _is_sphinx_field(line: str) -> bool:
    return line.startswith(":") and re.match(_SPHINX_FIELD, line) is not None


def _is_numpy_heading(lines: list[str], position: int) -> bool:
    under = lines[position + 1] if position + 1 < len(lines) else ""
    return "-" in under and len(under) > 2 and not under.strip().strip("-") and bool(lines[position].strip())  # noqa: PLR2004


def _read_section(lines: list[str], position: int, parameters: dict[str, str]) -> int:
    """Parse the section at `position`, add its entries to `parameters`, and return the position of the next section."""
    heading = lines[position].strip().lower()
    if _is_sphinx_field(lines[position]):
        entry = re.match(_SPHINX_ENTRY, lines[position])
        end = _end_of_section(lines, position + 1)
        if entry:
            parameters[entry[1]] = _join([entry[2], *lines[position + 1 : end]])
        return end
    numpy = _is_numpy_heading(lines, position)
    first = position + (2 if numpy else 1)
    end = _end_of_section(lines, first)
    if numpy and heading in _NUMPY_PARAMETERS:
        _read_numpy_entries(lines[first:end], parameters)
    elif heading in _GOOGLE_PARAMETERS:
        _read_google_entries(lines[first:end], parameters)
    return end


def _end_of_section(lines: list[str], position: int) -> int:
    while position < len(lines) and not _begins_section(lines, position):
        position += 1
    return position


def _read_google_entries(lines: list[str], parameters: dict[str, str]) -> None:
    """Parse the entries; after them, there is only prose."""
    parameters.update(_entries(lines[: _end_of_entries(lines)], _indent_of(lines), _GOOGLE_ENTRY))


def _end_of_entries(lines: list[str]) -> int:
    """Return the position of the first line with a smaller indentation; for a list, of one after it that is no item."""
    indent = _indent_of(lines)
    is_list = False
    for at, line in enumerate(lines):
        if not line.strip() or _indent_of([line]) > indent:
            continue
        is_item = line.lstrip().startswith(_ITEMS)
        if _indent_of([line]) < indent or (is_list and not is_item and not lines[at - 1].strip()):
            return at
        is_list = is_item
    return len(lines)


def _indent_of(lines: list[str]) -> int:
    """Return the indentation of the first line that is not empty."""
    return next((len(line) - len(line.lstrip()) for line in lines if line.strip()), 0)


def _read_numpy_entries(lines: list[str], parameters: dict[str, str]) -> None:
    for names, text in _entries(lines, 0, _NUMPY_ENTRY):
        for name in names.split(","):
            parameters[name.strip().lstrip("*")] = text


def _entries(lines: list[str], indent: int, pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return the entries at an indentation, each with its more deeply indented lines."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        deeper = len(line) - len(line.lstrip()) > indent
        match = None if deeper or not line.strip() else pattern.fullmatch(line.strip())
        if match:
            found.append((match[1], [match[2] if pattern.groups > 1 else ""]))
        elif found and line.strip():
            found[-1][1].append(line)
    return [(name, _join(text)) for name, text in found]


def _join(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())
