"""TK321: a parameter has a type that has no form in JSON: a callable, a stream, a future, `*args` or `**kwargs`."""

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
