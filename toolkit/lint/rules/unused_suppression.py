"""TK010: a comment silences nothing."""

from collections.abc import Iterable, Iterator

from toolkit.codes import UNUSED_SUPPRESSION
from toolkit.lint.rule import Rule
from toolkit.lint.selection import fits
from toolkit.lint.suppressions import Suppression
from toolkit.problems import Edit, Problem


class UnusedSuppression(Rule):
    '''A comment `# toolkit: ignore[…]` silences nothing.

    ## Why

    A comment that outlives what it silenced hides the next problem in its line, and readers go looking for a fault that
    is not there. One that names no code, or a code that does not exist, silences nothing at all, though it looks as if.

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

    def unused(self, suppressions: Iterable[Suppression], codes: frozenset[str]) -> Iterator[Problem]:
        """Yield a finding for each suppression that silenced nothing.

        Args:
            suppressions: Those that silenced nothing.
            codes: What was looked for; a comment about anything else may well be needed.
        """
        from toolkit.lint.rules import codes as all_codes  # noqa: PLC0415 - the table knows this rule too

        for one in suppressions:
            fix = self.fixed_by("Remove what silences nothing", Edit(one.removal, "")) if one.removal else None
            if not one.code:
                hint = "write `# toolkit: ignore[TK201]`, with the codes that are meant"
                yield self.problem("this comment names no code and silences nothing", one.location, hint=hint)
            elif not any(fits(one.code, code) for code in all_codes()):
                message = f"'{one.code}' is no rule, and silences nothing"
                yield self.problem(message, one.location, hint="`toolkit lint --explain ALL` shows all", fix=fix)
            elif any(fits(one.code, code) for code in codes):
                hint = "remove it"
                yield self.problem(f"'{one.code}' silences nothing here", one.location, hint=hint, fix=fix)
