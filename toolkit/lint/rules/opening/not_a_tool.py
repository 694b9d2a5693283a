"""TK003: what is meant as a tool is none."""

from toolkit.lint.rule import Rule


class NotATool(Rule):
    """What is meant as a tool is none.

    ## Why

    A thing is a tool if it is marked with `@tool`, has a name, a description and `execute(text)`, or is a Tool; an
    entry of a JSON file, if it has a name and the form that a provider takes. Anything else is never offered to a
    model.

    ## Example

    ```json
    [{"title": "forecast", "description": "Forecast tomorrow's weather in a city."}]
    ```

    ## Instead

    ```json
    [{"name": "forecast", "description": "Forecast tomorrow's weather in the capital.", "parameters": {"type": "object", "properties": {}}}]
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    """

    code = "TK003"
    name = "not-a-tool"
    severity = "error"
