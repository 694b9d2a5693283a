"""TK205: a docstring that does not match the parameters."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.codes import DOCSTRING_PARAMETER_MISMATCH
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Location, Problem, nearest
from toolkit.source_code.literals import Literal
from toolkit.source_code.python_functions import PythonFunction

_SECTIONS = {
    "example", "examples", "hint", "important", "note", "notes", "raises", "remarks", "return", "returns", "tip", "todo",
    "usage", "warning", "warnings", "yields",
}  # fmt: skip


class _Entry(NamedTuple):
    """The entry of one parameter in a docstring: its name, and the offset of the name in the docstring."""

    name: str
    offset: int


class DocstringParameterMismatch(Rule):
    '''A docstring describes a parameter that the function does not have, or lists the parameters in a different order.

    ## Why

    The description of a parameter that does not exist is lost: no model sees it, and the intended parameter has no
    description. This happens when a parameter is renamed. Each docstring gets one finding, whatever is wrong with it.
    The fix renames an entry if a parameter with a similar name has no entry. If exactly one entry and one parameter are
    left over, renaming is an unsafe fix. If the entries are in another order than the parameters (an `info` for tools of
    other frameworks, and otherwise a warning), the fix reorders them. In tools of other frameworks, an unknown name is a
    warning. A line such as `CRITICAL: …` or `Returns: …` between the entries is ignored. So is the order of parameters that models do not see, such as `context: ToolContext`.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            cty: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Source

    - Google, [Python Style Guide, 3.8.3](https://google.github.io/styleguide/pyguide.html#383-functions-and-methods):
      "List each parameter by name" (checked 2026-11-21)
    '''

    code = DOCSTRING_PARAMETER_MISMATCH
    severity = "error"
    fix = "safe"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        entries = _suspicious_entries(function)
        if not entries or (literal := function.docstring_literal) is None:
            return
        written = [one.name for one in function.all_parameters]
        seen = [one.name for one in function.parameters]
        if unknown := [entry for entry in entries if entry.name not in written]:
            yield self._unknown(function, literal, unknown)
        elif moved := _first_moved([entry for entry in entries if entry.name in seen], seen):
            yield self._disordered(function, literal, moved, entries, written)

    def _unknown(self, function: PythonFunction, literal: Literal, unknown: list[_Entry]) -> Problem:
        meant, is_safe = _meant_by(unknown, function)
        edits = [
            function.file.edit(*literal.span(entry.offset, len(entry.name)), name) for entry, name in meant.items()
        ]
        renamings = " and ".join(f"{entry.name!r} to {name!r}" for entry, name in meant.items())
        others = [entry.name for entry in unknown if entry not in meant]
        hints = [f"rename {renamings}"] if meant else []
        hints += (
            [f"remove {_listed(others)}, or add {'the parameter' if len(others) == 1 else 'the parameters'}"]
            if others
            else []
        )
        return self.problem(
            f"{function.tool_name!r} has no parameter {_listed([entry.name for entry in unknown], 'or')}",
            _place(function, literal, unknown[0]),
            hint="; ".join(hints),
            severity=self.severity if function.written is None else "warning",
            related=[(_place(function, literal, entry), "no such parameter") for entry in unknown[1:]],
            fix=self.fixed_by(f"Rename {renamings}", *edits, is_safe=is_safe) if meant else None,
        )

    def _disordered(
        self, function: PythonFunction, literal: Literal, moved: _Entry, entries: list[_Entry], written: list[str]
    ) -> Problem:
        return self.problem(
            f"the docstring describes {moved.name!r} in a different position than in {function.tool_name!r}",
            _place(function, literal, moved),
            hint="describe the parameters in the order of the function",
            severity="warning" if function.written is None else "info",
            fix=self._ordering(function, literal, entries, written),
        )

    def _ordering(
        self, function: PythonFunction, literal: Literal, entries: list[_Entry], written: list[str]
    ) -> Fix | None:
        """Return the fix that sorts the entries, with all their lines, in the order of the parameters."""
        text = literal.value
        found = sorted(entries, key=lambda entry: entry.offset)
        starts = [text.rfind("\n", 0, entry.offset) + 1 for entry in found]
        last = literal.find(function.docstring.parameters[found[-1].name], found[-1].offset)
        if last is None or not all(starts):
            return None
        ends = [*starts[1:], last[-1] + 1]
        blocks = {
            entry.name: text[start:end].rstrip("\n") for entry, start, end in zip(found, starts, ends, strict=True)
        }
        if any("\n\n" in block or "\\" in block for block in blocks.values()):
            return None  # there is other text between the entries
        begin, end = literal.span(starts[0]).start, literal.span(ends[-1] - 1).end
        if function.file.text[begin:end].replace("\r\n", "\n") != text[starts[0] : ends[-1]]:
            return None  # the docstring contains escapes
        line_end = "\r\n" if "\r\n" in function.file.text[begin:end] else "\n"
        ordered = sorted(blocks, key=written.index)
        lines = line_end.join(blocks[name].replace("\n", line_end) for name in ordered)
        return self.fixed_by("Put the entries in order", function.file.edit(begin, end, lines))


def renamed_parameters(function: PythonFunction) -> frozenset[str]:
    """Return the parameters that the docstring describes under a name that they do not have."""
    written = [one.name for one in function.all_parameters]
    unknown = [entry for entry in _suspicious_entries(function) if entry.name not in written]
    return frozenset(_meant_by(unknown, function)[0].values())


def _suspicious_entries(function: PythonFunction) -> list[_Entry]:
    """Return the entries of a docstring, unless they match the parameters or may well describe something else."""
    documented = function.docstring.parameters
    written = [one.name for one in function.all_parameters]
    if list(documented) == [name for name in written if name in documented]:
        return []
    literal = function.docstring_literal
    if literal is None or any(one.kind == "**" for one in function.all_parameters):
        return []  # the docstring may describe keyword arguments
    entries = [found for name in documented if not _is_prose(name, written) and (found := _entry(name, literal))]
    if function.written is not None and not any(entry.name in written for entry in entries) and _takes_model(function):
        return []  # the docstring describes the fields of the model
    return entries


def _is_prose(name: str, written: list[str]) -> bool:
    """Return whether a word with a colon begins a sentence or a section, such as `CRITICAL: …` and `Returns: str`."""
    return name not in written and (name.isupper() or name.lower() in _SECTIONS)


def _meant_by(unknown: list[_Entry], function: PythonFunction) -> tuple[dict[_Entry, str], bool]:
    """Return the parameters that unknown entries probably describe, and whether their names leave no doubt."""
    bare = [one.name for one in function.parameters if one.name not in function.docstring.parameters]
    if meant := _probable_names(unknown, bare):
        return meant, True
    return {unknown[0]: bare[0]} if len(unknown) == len(bare) == 1 else {}, False


def _takes_model(function: PythonFunction) -> bool:
    """Whether the type of a parameter is a class, such as a pydantic model with its own fields."""
    types = [one.node.annotation for one in function.parameters]
    return any(isinstance(one, ast.Name) and one.id[:1].isupper() and one.id != "Any" for one in types)


def _entry(name: str, literal: Literal) -> _Entry | None:
    pattern = rf"^[ \t]*(?::\w+[ \t]+(?:[^:\n]*[ \t])?)?\*{{0,2}}({re.escape(name)})\b(?=[^\n]*:|[ \t]*$|[ \t]*,)"
    found = re.search(pattern, literal.value, re.MULTILINE)
    return _Entry(name, found.start(1)) if found else None


def _probable_names(unknown: list[_Entry], bare: list[str]) -> dict[_Entry, str]:
    """Return the parameters without an entry that unknown entries probably describe, judging by their names."""
    found: dict[_Entry, str] = {}
    for entry in unknown:
        left = [name for name in bare if name not in found.values()]
        if near := nearest(entry.name, left, most=1):
            found[entry] = near[0]
    return found


def _listed(names: list[str], word: str = "and") -> str:
    """Return names in quotes, such as `'a', 'b' and 'c'`."""
    *first, last = map(repr, names)
    return f"{', '.join(first)} {word} {last}" if first else last


def _place(function: PythonFunction, literal: Literal, entry: _Entry) -> Location:
    return function.file.between(*literal.span(entry.offset, len(entry.name)))


def _first_moved(entries: list[_Entry], written: list[str]) -> _Entry | None:
    """Return the first entry that follows the entry of a later parameter."""
    found = sorted(entries, key=lambda entry: entry.offset)
    latest = -1
    for entry in found:
        position = written.index(entry.name)
        if position < latest:
            return entry
        latest = position
    return None
