"""TK323: an option of a tool is unknown, has a wrong value, or contradicts another one."""

from toolkit.lint.rule import Rule


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
