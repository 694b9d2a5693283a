"""TK517: a password or a key that a model has to fill in."""

import ast
import re
from collections.abc import Iterator

from toolkit.codes import SECRET_PARAMETER
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.redactors.secret_names import names_secret
from toolkit.schemas.places import declared_kinds
from toolkit.source_code.source_files import last_name
from toolkit.tools.definition.names import words_of


class SecretParameter(Rule):
    '''A model has to fill in a password, a token or a key.

    ## Why

    A model only knows a secret if it is in the conversation: then the provider, the logs and every other tool of that
    conversation have it as well. A web page or a document that the model reads can ask it to pass the secret on. If
    nobody has told it the secret, the model asks the user for it, or makes one up. Let the tool read the secret from
    the environment or from its settings, or let the program that calls the tool provide it with a context.

    Each tool gets one finding. A tool whose purpose is the secret itself, such as `set_password` or `encrypt_file`, is not
    reported.

    ## Example

    ```python
    from toolkit import tool


    @tool(read_only=True)
    def count_mails(user: str, password: str) -> str:
        """Count the unread mails of a user."""
        return f"{user} {len(password)}"
    ```

    ## Instead

    ```python
    import os

    from toolkit import tool


    @tool(read_only=True)
    def count_mails(user: str) -> str:
        """Count the unread mails of a user."""
        return f"{user} {len(os.environ['MAIL_PASSWORD'])}"
    ```

    ## Source

    - OWASP, [LLM02:2025 Sensitive information disclosure](https://genai.owasp.org/llmrisk/llm022025-sensitive-information-disclosure/)
      (checked 2026-11-25)
    - CWE-522, [Insufficiently protected credentials](https://cwe.mitre.org/data/definitions/522.html) (checked 2026-11-25)
    '''

    code = SECRET_PARAMETER

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if tool.origin == "pipeline":
            return
        subject = set(words_of(tool.name))
        if not subject.isdisjoint(_PROTECTING):
            return
        found = [
            one
            for one in tool.parameters
            if _is_secret(one) and subject.isdisjoint(words_of(one.name)) and _accepts_text(one)
        ]
        if found:
            *first, last = (repr(one.name) for one in found)
            names = f"{', '.join(first)} and {last}" if first else last
            yield self.problem(
                f"{tool.name!r} takes {names} from the model, which should not know {'them' if first else 'it'}",
                found[0].location or tool.location,
                hint="let the tool read it from the environment, or the program that calls the tool provide it",
                related=[(one.location, "likewise") for one in found[1:] if one.location is not None],
            )


_PROTECTING = {"decrypt", "encrypt", "lock", "protect", "unlock", "unprotect"}
"""Verbs of tools that need the password of a file from whoever asks for it."""
_ABOUT = {"auth", "env", "jar", "oauth", "user", "username", "var", "variable"}
"""Last words of names that describe a secret, but do not hold it."""
_OF_ACCESS = re.compile(r"\b(?:access|api|auth\w*|bearer|credentials?|login|oauth|personal|secret)\b", re.IGNORECASE)


def _is_secret(parameter: ParameterDefinition) -> bool:
    """Whether the name of a parameter says that it is a secret; a plain `token` may be one of many other things."""
    words = words_of(parameter.name)
    if words == ["token"]:
        return _OF_ACCESS.search(parameter.description or "") is not None
    return bool(words) and words[-1] not in _ABOUT and names_secret(parameter.name)


def _accepts_text(parameter: ParameterDefinition) -> bool:
    """Whether a model can fill in a text, as far as the type is known."""
    if parameter.schema is not None:
        kinds = declared_kinds(parameter.schema)
        return not kinds or "string" in kinds
    python = parameter.python
    if python is None:
        return True
    is_filled_by_framework = isinstance(python.default, ast.Call) and last_name(python.default.func) != "Field"
    names = {one.id for one in ast.walk(python.node.annotation or ast.Constant(None)) if isinstance(one, ast.Name)}
    return not is_filled_by_framework and not (names & {"bool", "int", "float"} and "str" not in names)
