"""TK322: an annotation names something that is not there."""

from toolkit.lint.rule import Rule


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
