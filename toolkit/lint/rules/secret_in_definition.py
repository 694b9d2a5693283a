"""TK512: a secret in what a model is sent."""

from collections.abc import Iterator

from toolkit.lint.definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.lint.secrets_in_text import secrets_in
from toolkit.problems import Problem


class SecretInDefinition(Rule):
    '''A definition holds a key, a token or a password.

    ## Why

    A definition is sent to the provider with every request, is shown to whoever lists the tools, and stands in logs. A key
    in a default or an example is a key that is published. Change it, and let the tool take it from the environment.

    ## Example

    ```python
    from toolkit import tool


    @tool(read_only=True)
    def forecast(city: str, key: str = "AKIAQ3EGVZ7RJ4TKPLWS") -> str:
        """Forecast tomorrow's weather in a city."""
        return f"{city} {key}"
    ```

    ## Instead

    ```python
    import os

    from toolkit import tool


    @tool(read_only=True)
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"{city} {os.environ['WEATHER_KEY']}"
    ```

    ## Source

    - CWE-798, [Use of hard-coded credentials](https://cwe.mitre.org/data/definitions/798.html) (checked 2026-11-22)
    '''

    code = "TK512"
    name = "secret-in-definition"
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for text in tool.texts:
            for found in secrets_in(text.value):
                message = f"{text.subject} of {tool.name!r} holds {found.what}"
                hint = "revoke it, and let the tool read it from the environment"
                yield self.problem(message, text.written.locate(found.start, found.length), hint=hint)
