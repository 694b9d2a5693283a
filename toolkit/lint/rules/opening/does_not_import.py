"""TK002: a file cannot be opened: it has a syntax error, raises, exits, crashes or takes too long."""

from toolkit.lint.rule import Rule


class DoesNotImport(Rule):
    '''A file cannot be opened: it has a syntax error, raises, exits, crashes or takes too long.

    ## Why

    None of its tools can be used. Files are opened in a process of their own, so that such a file hides no other. What
    may fail belongs into a tool, and what a script does under `if __name__ == '__main__':`. A large file of any kind
    is also checked in a process of its own, and given up after 20 seconds. Then divide it into smaller files.

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
