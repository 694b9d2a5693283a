"""TK004: a file or a folder that was named has no tools."""

from toolkit.lint.rule import Rule


class NoTools(Rule):
    '''A file or a folder that was named has no tools.

    ## Why

    Nothing in it was checked. Often the mark is missing, or the path is not the one that was meant. Files without tools
    in a folder are no news.

    ## Example

    ```python
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
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

    - this project's own (checked 2026-11-21)
    '''

    code = "TK004"
    name = "no-tools"
    severity = "warning"
