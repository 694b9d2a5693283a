"""TK205: a docstring that describes other parameters than there are."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.lint.literals import Literal
from toolkit.lint.python_files import PythonFunction
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Location, Problem, nearest


class _Entry(NamedTuple):
    """What a docstring says of one parameter: its name, and the offset of that in the docstring."""

    name: str
    offset: int


class DocstringParameterMismatch(Rule):
    '''A docstring describes a parameter that the function does not have, or the parameters in another order.

    ## Why

    What is said of a parameter that is not there is lost: the model is never told, and the parameter that was meant
    has no description. It is what remains when a parameter is renamed. The fix renames the entry where a parameter of
    nearly that name has none; where just one entry and one parameter are left over, that is an unsafe fix. Entries in
    another order than the function's (a warning) are put into it.

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

    code = "TK205"
    name = "docstring-parameter-mismatch"
    severity = "error"
    fix = "safe"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        documented = function.docstring.parameters
        written = [one.name for one in function.all_parameters]
        if list(documented) == [name for name in written if name in documented]:
            return
        literal = function.docstring_literal
        if literal is None:
            return
        entries = [found for name in documented if (found := _entry(name, literal))]
        unknown = [entry for entry in entries if entry.name not in written]
        if any(one.kind == "**" for one in function.all_parameters):
            return  # the docstring may well name what goes in there
        bare = [one.name for one in function.parameters if one.name not in documented]
        for entry in unknown:
            yield self._unknown(function, literal, entry, bare, is_only=len(unknown) == 1)
        if not unknown and (moved := _first_moved(entries, written)):
            yield self._disordered(function, literal, moved, entries, written)

    def _unknown(
        self, function: PythonFunction, literal: Literal, entry: _Entry, bare: list[str], *, is_only: bool
    ) -> Problem:
        place = _place(function, literal, entry)
        near = nearest(entry.name, bare, most=1)
        meant = near or (bare if is_only and len(bare) == 1 else [])
        hint = f"rename it to '{meant[0]}'" if meant else "remove it, or add the parameter"
        edits = [function.file.edit(*literal.span(entry.offset, len(entry.name)), name) for name in meant]
        fix = self.fixed_by(f"Rename the entry to '{meant[0]}'", *edits, is_safe=bool(near)) if meant else None
        return self.problem(f"{function.tool_name!r} has no parameter {entry.name!r}", place, hint=hint, fix=fix)

    def _disordered(
        self, function: PythonFunction, literal: Literal, moved: _Entry, entries: list[_Entry], written: list[str]
    ) -> Problem:
        return self.problem(
            f"{moved.name!r} is described in another place than it has among the parameters of {function.tool_name!r}",
            _place(function, literal, moved),
            hint="describe the parameters in their order",
            severity="warning",
            fix=self._ordering(function, literal, entries, written),
        )

    def _ordering(
        self, function: PythonFunction, literal: Literal, entries: list[_Entry], written: list[str]
    ) -> Fix | None:
        """Return the fix that puts the entries, each with all of its lines, into the order of the parameters."""
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
            return None  # something stands between the entries
        begin, end = literal.span(starts[0]).start, literal.span(ends[-1] - 1).end
        if function.file.text[begin:end].replace("\r\n", "\n") != text[starts[0] : ends[-1]]:
            return None  # it is written with escapes
        line_end = "\r\n" if "\r\n" in function.file.text[begin:end] else "\n"
        ordered = sorted(blocks, key=written.index)
        lines = line_end.join(blocks[name].replace("\n", line_end) for name in ordered)
        return self.fixed_by("Put the entries in order", function.file.edit(begin, end, lines))


def _entry(name: str, literal: Literal) -> _Entry | None:
    pattern = rf"^[ \t]*(?::\w+[ \t]+(?:[^:\n]*[ \t])?)?\*{{0,2}}({re.escape(name)})\b(?=[^\n]*:|[ \t]*$|[ \t]*,)"
    found = re.search(pattern, literal.value, re.MULTILINE)
    return _Entry(name, found.start(1)) if found else None


def _place(function: PythonFunction, literal: Literal, entry: _Entry) -> Location:
    return function.file.between(*literal.span(entry.offset, len(entry.name)))


def _first_moved(entries: list[_Entry], written: list[str]) -> _Entry | None:
    """Return the first entry that comes after one whose parameter comes later."""
    found = sorted(entries, key=lambda entry: entry.offset)
    latest = -1
    for entry in found:
        position = written.index(entry.name)
        if position < latest:
            return entry
        latest = position
    return None
