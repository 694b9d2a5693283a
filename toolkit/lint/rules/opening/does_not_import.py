"""TK002: a Python file cannot be opened: it has a syntax error, raises, exits, crashes or never ends."""

from toolkit.lint.rule import Rule


class DoesNotImport(Rule):
    '''A Python file cannot be opened: it has a syntax error, raises, exits, crashes or never ends.

    ## Why

    None of its tools can be used. Files are opened in a process of their own, so that such a file hides no other. What
    may fail belongs into a tool, and what a script does under `if __name__ == '__main__':`.

    ## Example

    ```python
    from toolkit import tool

    RATES = {"EUR": 1.0}["USD"]


    @tool
    def rate(currency: str) -> float:
        """Return the exchange rate of a currency.

        Args:
            currency: Its code of three letters, such as `EUR`.
        """
        return RATES
    ```

    ## Instead

    ```python
    from toolkit import tool

    RATES = {"EUR": 1.0, "USD": 1.1}


    @tool
    def rate(currency: str) -> float:
        """Return the exchange rate of a currency.

        Args:
            currency: Its code of three letters, such as `EUR`.
        """
        return RATES[currency]
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    '''

    code = "TK002"
    name = "does-not-import"
    severity = "error"
