"""TK512: a secret in what a model is sent."""

import re
from collections.abc import Iterator

from toolkit.lint.definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

_KINDS = {
    "a key of OpenAI or Anthropic": r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}",
    "a key of AWS": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a token of GitHub": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    "a token of Slack": r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "a key of Google": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "a private key": r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----",
    "a signed token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "a password in an address": r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/:@]{6,}@[\w.-]+",
}
_SECRETS = {what: re.compile(pattern) for what, pattern in _KINDS.items()}
_PLACEHOLDER = re.compile(
    r"example|placeholder|your|dummy|sample|password|secret|(.)\1{5}|\.\.\.|[<>{}$*]", re.IGNORECASE
)
_FEWEST_CHARACTERS = 8


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
            for what, pattern in _SECRETS.items():
                found = pattern.search(text.value)
                if found is not None and _is_real(found[0]):
                    message = f"{text.subject} of {tool.name!r} holds {what}"
                    hint = "revoke it, and let the tool read it from the environment"
                    yield self.problem(message, text.written.locate(found.start(), len(found[0])), hint=hint)


def _is_real(secret: str) -> bool:
    """Whether it is none of the placeholders that documentation is full of."""
    return secret.startswith("-----") or (
        not _PLACEHOLDER.search(secret) and len(set(secret)) >= _FEWEST_CHARACTERS and any(map(str.isdigit, secret))
    )
