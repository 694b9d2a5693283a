"""TK512: a secret in a definition that is sent to models."""

import ast
import re
from collections.abc import Iterator

from toolkit.codes import SECRET_IN_DEFINITION
from toolkit.lint.clues.secrets_in_text import is_placeholder, secrets_in
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, Severity
from toolkit.redactors.secret_names import names_secret


class SecretInDefinition(Rule):
    '''A definition contains a key, a token or a password.

    ## Why

    A definition is sent to the provider with every request, is shown to everybody who lists the tools, and appears in
    logs. A key in a default or an example is a published key. Revoke it, and let the tool read it from the environment.
    The rule reports known formats of keys, and the default of any parameter whose name says that it is a secret, such as
    `password`; in your own source, the default of such a parameter is not essential. A key in a text or an example of an
    OpenAPI document is a note, since it is nearly always made up.

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

    code = SECRET_IN_DEFINITION
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        known = set[str | None]()
        for text in tool.texts:
            for found in secrets_in(text.value):
                known.add(text.parameter)
                message = f"{text.subject} of {tool.name!r} contains {found.what}"
                severity: Severity | None = "info" if tool.origin == "openapi" else None  # an example, nearly always
                place = text.written.locate(found.start, found.length)
                yield self.problem(message, place, hint=_HINT, severity=severity)
        for parameter in tool.parameters:
            if parameter.name not in known and _is_secret(parameter.name, _default_of(tool, parameter)):
                message = f"the default of parameter {parameter.name!r} of {tool.name!r} is a secret"
                is_minor = not tool.is_foreign  # in one's own source, a name alone does not show that it is real
                yield self.problem(message, tool.place_of_default(parameter), hint=_HINT, is_minor=is_minor)


_HINT = "revoke it, and let the tool read it from the environment"
_EMPTY = re.compile(r"(?:none|null|nil|unset|default|anonymous|auto|disabled|optional|basic|bearer)?", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def _is_secret(name: str, default: object) -> bool:
    """Whether a default is a secret, by the name of its parameter, and not a placeholder such as `YOUR_API_KEY`."""
    if not isinstance(default, str) or not names_secret(name):
        return False
    return not (_EMPTY.fullmatch(default) or _VARIABLE.fullmatch(default) or is_placeholder(default))


def _default_of(tool: ToolDefinition, parameter: ParameterDefinition) -> object:
    if parameter.schema is not None:
        return parameter.schema.get("default")
    if parameter.python is None or tool.function is None:
        return None
    default = tool.function.file.resolved(parameter.python.default)
    return default.value if isinstance(default, ast.Constant) else None
