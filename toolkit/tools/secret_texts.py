"""Secret texts: settings that name a variable of the environment instead of holding its secret.

A setting contains `Bearer ${TICKET_TOKEN}`; the variable's value is looked up when it is used and kept nowhere. The
code that uses it gives a redactor that learns the value, and redacts what comes back.
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
    """Return what a variable of the environment holds.

    Args:
        name: The variable.
        user: What needs it, for the error.
        redactor: Learns the value.

    Raises:
        ConfigurationError: If it is not set, or empty.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        raise ConfigurationError(f"{user} needs the environment variable '{name}', which is not set")
    redactor.learn(value)
    return value


def fill(text: str, user: str, redactor: "Redactor") -> str:
    """Return a text with the value of each `${NAME}` in it; for arguments and errors see `variable`."""
    return _VARIABLE.sub(lambda match: variable(match[1], user, redactor), text)
