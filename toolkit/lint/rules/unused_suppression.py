"""TK010: a comment that suppresses nothing."""

import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from toolkit.codes import UNUSED_SUPPRESSION
from toolkit.lint.rule import NAMES, Rule
from toolkit.problems import Edit, Location, Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_sources import PythonSource

_CODE = re.compile(r"[A-Za-z]+[0-9]+")
_NOQA = re.compile(rf"#\s*noqa\s*:\s*({_CODE.pattern}(?:[,\s]+{_CODE.pattern})*)", re.IGNORECASE)


class Comment(Protocol):
    """A comment that suppresses findings."""

    @property
    def code(self) -> str:
        """The code, beginning of a code, or name to suppress; empty if there is none."""

    @property
    def location(self) -> Location:
        """The location of the code."""

    @property
    def removal(self) -> Location | None:
        """What to delete to remove the suppression."""


class UnusedSuppression(Rule):
    '''A comment `# toolkit: ignore[…]` suppresses nothing.

    ## Why

    If the comment stays after its problem is fixed, it hides the next problem in that line, and confuses readers. A
    comment without a code, or with a code that does not exist, suppresses nothing. Neither does `# noqa: TK201`,
    which is a comment for other linters.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:  # toolkit: ignore[TK201]
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
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

    - Ruff, [unused-noqa](https://docs.astral.sh/ruff/rules/unused-noqa/), whose habits these comments follow (checked
      2026-11-21)
    '''

    code = UNUSED_SUPPRESSION
    severity = "warning"
    needs_import = True
    fix = "safe"

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        """Report each comment for other linters that has our codes, with the intended comment as a fix."""
        for found, place in _noqa_comments(module):
            codes = _CODE.findall(found[1])
            ours = [code.upper() for code in codes if code.upper() in NAMES]
            if ours:
                others = [code for code in codes if code.upper() not in NAMES]
                wanted = f"# toolkit: ignore[{', '.join(ours)}]"
                kept = f"# noqa: {', '.join(others)}  " if others else ""
                yield self.problem(
                    f"'{found[0]}' suppresses nothing here: it is a comment for other linters",
                    place,
                    hint=f"write `{wanted}`",
                    fix=self.fixed_by(f"Write {wanted}", Edit(place, f"{kept}{wanted}")),
                )

    def unused(
        self, comments: Iterable[Comment], codes: frozenset[str], meant_by: Callable[[str], frozenset[str]]
    ) -> Iterator[Problem]:
        """Yield a finding for each comment that suppressed nothing.

        Args:
            comments: The comments that suppressed nothing.
            codes: The codes that were checked; comments for other codes are not reported, since they may be needed.
            meant_by: Returns the codes that a code, the beginning of codes, or a name stands for.
        """
        for one in comments:
            fix = self.fixed_by("Remove the unused suppression", Edit(one.removal, "")) if one.removal else None
            if not one.code:
                hint = "write `# toolkit: ignore[TK201]`, with the codes to suppress"
                yield self.problem("this comment names no rule, so it suppresses nothing", one.location, hint=hint)
            elif not (meant := meant_by(one.code)):
                message = f"'{one.code}' is not a rule, so it suppresses nothing"
                yield self.problem(message, one.location, hint="`toolkit lint --explain ALL` shows all", fix=fix)
            elif meant & codes:
                hint = "remove it"
                yield self.problem(f"'{one.code}' suppresses nothing here", one.location, hint=hint, fix=fix)


def _noqa_comments(module: PythonSource) -> Iterator[tuple[re.Match[str], Location]]:
    """Yield the comments of a file that have codes after `noqa`, with the location of this part."""
    if _NOQA.search(module.text) is None:
        return
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.COMMENT and (found := _NOQA.search(token.string)):
            line, start = token.start[0], token.start[1] + 1
            yield found, Location(module.file, line, start + found.start(), line, start + found.end())
