"""Fills in what settings refer to instead of containing it: environment variables, and entries of the system's keyring.

`${NAME}` is an environment variable. `${keyring:NAME}` is a secret that `keyring set toolkit-secrets NAME` has stored,
for which the extra `keyring` is needed.
"""

import os
import re
from importlib.util import find_spec
from typing import Any, Final

from toolkit.errors import ConfigurationError, not_installed
from toolkit.redactors.redactor import RECEIVED, Redactor

KEYRING_SERVICE: Final = "toolkit-secrets"
"""The service whose entries `${keyring:NAME}` refers to."""

_ENTRY: Final = "keyring:"
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*|keyring:[A-Za-z_][\w.-]*)\}", re.ASCII)


def variables_in(text: str) -> list[str]:
    """Return what a text refers to: the names of variables, and entries of the keyring as `keyring:NAME`."""
    return _VARIABLE.findall(text)


def in_words(*names: str) -> str:
    """Return what names from `variables_in` are, such as `environment variables 'HOST' and 'TOKEN'`."""
    entries = [name.removeprefix(_ENTRY) for name in names if name.startswith(_ENTRY)]
    variables = [name for name in names if not name.startswith(_ENTRY)]
    kinds = [
        ("environment variable", "environment variables", variables),
        ("keyring entry", "keyring entries", entries),
    ]
    return " and ".join(
        f"{one if len(named) == 1 else several} {' and '.join(map(repr, named))}"
        for one, several, named in kinds
        if named
    )


def variable(name: str, user: str, redactor: Redactor) -> str:
    """Return the value of an environment variable, or of an entry of the keyring, which all redactors learn.

    Args:
        name: The name, as `variables_in` returns it.
        user: What needs the value, for the error message.
        redactor: Learns the value.

    Raises:
        ConfigurationError: If it is not set, or empty.
    """
    is_entry = name.startswith(_ENTRY)
    value = _entry(name.removeprefix(_ENTRY), user) if is_entry else os.environ.get(name, "").strip()
    if not value:
        advice = f"; store it with `keyring set {KEYRING_SERVICE} {name.removeprefix(_ENTRY)}`" if is_entry else ""
        raise ConfigurationError(f"{user} needs the {in_words(name)}, which is not set{advice}")
    redactor.learn(value)
    return value


def fill(text: str, user: str, redactor: Redactor) -> str:
    """Replace each reference in a text by its value; for arguments and errors see `variable`."""
    return _VARIABLE.sub(lambda match: variable(match[1], user, redactor), text)


def keyring_library() -> Any:
    """Return the library of the system's keyring with its errors, or `None` if it is not installed."""
    if find_spec("keyring") is None:
        return None
    import keyring.errors  # an extra, and slow to import

    return keyring


def _entry(name: str, user: str) -> str:
    library = keyring_library()
    if library is None:
        raise not_installed(f"{user} needs", "toolkit-cli[keyring]")
    try:
        value = (library.get_password(KEYRING_SERVICE, name) or "").strip()
    except library.errors.KeyringError as error:
        reason = " ".join(str(error).split())
        raise ConfigurationError(f"{user} needs the keyring entry '{name}', which cannot be read: {reason}") from None
    RECEIVED.learn(value)
    return value
