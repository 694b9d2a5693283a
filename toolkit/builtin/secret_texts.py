"""Settings that refer to an environment variable instead of containing its secret.

For example, a setting is `Bearer ${TICKET_TOKEN}`. The variable is looked up whenever the setting is used, and its
value is not stored. The caller passes a redactor, which learns the value and redacts it in responses.
"""

import os
import re
from typing import TYPE_CHECKING, Final

from toolkit.errors import ConfigurationError

if TYPE_CHECKING:
    from toolkit.redactors.redactor import Redactor


_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def variables_in(text: str) -> list[str]:
    """Return the names of the variables that a text refers to."""
    return _VARIABLE.findall(text)


def variable(name: str, user: str, redactor: "Redactor") -> str:
    """Return the value of an environment variable.

    Args:
        name: The name of the variable.
        user: What needs the variable, for the error message.
        redactor: Learns the value.

    Raises:
        ConfigurationError: If the variable is not set, or empty.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        raise ConfigurationError(f"{user} needs the environment variable '{name}', which is not set")
    redactor.learn(value)
    return value


def fill(text: str, user: str, redactor: "Redactor") -> str:
    """Replace each `${NAME}` in a text by its value; for arguments and errors see `variable`."""
    return _VARIABLE.sub(lambda match: variable(match[1], user, redactor), text)
