"""What building finds: signatures, annotations and options of tools. Documented here, found where tools are built."""

from toolkit.lint.rule import Rule


class UnfitParameter(Rule):
    '''A parameter has a type that has no form in JSON: a callable, a stream, a future, `*args` or `**kwargs`.

    ## Why

    A model sends JSON, so it can fill only what JSON can say: text, numbers, lists, objects. Take plain data, a
    dataclass, a TypedDict or a pydantic model instead.

    ## Example

    ```python
    from collections.abc import Callable

    from toolkit import tool


    @tool
    def apply(function: Callable[[int], int], number: int) -> int:
        """Apply a function to a number.

        Args:
            function: What to apply.
            number: What to apply it to.
        """
        return function(number)
    ```

    ## Instead

    ```python
    from typing import Literal

    from toolkit import tool


    @tool
    def apply(function: Literal["double", "square"], number: int) -> int:
        """Apply a function to a number.

        Args:
            function: What to apply.
            number: What to apply it to.
        """
        return number * 2 if function == "double" else number * number
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    '''

    code = "TK321"
    name = "unfit-parameter"
    severity = "error"


class UnreadableAnnotation(Rule):
    '''An annotation names something that is not there.

    ## Why

    The schema of the parameter is made from its annotation. One that cannot be read, such as a name that is imported
    for type checkers only, leaves the tool without a schema.

    ## Example

    ```python
    from __future__ import annotations

    from toolkit import tool


    @tool
    def pay(amount: Decimal) -> str:
        """Pay an amount of money to the shop.

        Args:
            amount: How much, in euros.
        """
        return f"paid {amount}"
    ```

    ## Instead

    ```python
    from __future__ import annotations

    from decimal import Decimal

    from toolkit import tool


    @tool
    def pay(amount: Decimal) -> str:
        """Pay an amount of money to the shop.

        Args:
            amount: How much, in euros.
        """
        return f"paid {amount}"
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    '''

    code = "TK322"
    name = "unreadable-annotation"
    severity = "error"


class BadOption(Rule):
    '''An option of a tool is unknown, has a wrong value, or contradicts another one.

    ## Why

    A misspelled `read_olny=True` would silently leave the tool as it is. So options are checked, all at once, where
    tools are collected.

    ## Example

    ```python
    from toolkit import tool


    @tool(read_olny=True)
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool(read_only=True)
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    '''

    code = "TK323"
    name = "bad-option"
    severity = "error"
