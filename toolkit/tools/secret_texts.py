"""Secret texts: settings that name a variable of the environment instead of holding its secret.

A setting says `Bearer ${TICKET_TOKEN}`; what the variable holds is looked up when it is used and kept nowhere. Whatever
comes back is searched for it before anybody sees it.
"""

import os
import re
from base64 import b64encode
from json import dumps
from typing import Any, Final
from urllib.parse import quote, quote_plus

from toolkit.errors import ConfigurationError
from toolkit.tools.hiding import MASK

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME: Final = re.compile(r"auth|cookie|key|token|secret|password|credential", re.IGNORECASE)
_SHORTEST: Final = 4
"""Shorter texts occur by chance, and are no secrets."""


def variables_in(text: str) -> list[str]:
    """Return the names of the variables that a text refers to."""
    return _VARIABLE.findall(text)


def sounds_secret(name: str) -> bool:
    """Return whether a header or parameter of this name usually holds a secret."""
    return _SECRET_NAME.search(name) is not None


class Secrets:
    """The secrets of one call: looked up where they are needed, and blotted out of everything that leaves it."""

    def __init__(self) -> None:
        """Know none yet."""
        self._forms: set[str] = set()

    def __repr__(self) -> str:
        """Return how many forms there are, and none of them."""
        return f"<Secrets: {len(self._forms)} forms>"

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._forms)

    def variable(self, name: str, user: str) -> str:
        """Return what a variable of the environment holds.

        Args:
            name: The variable.
            user: What needs it, for the error.

        Raises:
            ConfigurationError: If it is not set, or empty.
        """
        value = os.environ.get(name, "").strip()
        if not value:
            raise ConfigurationError(f"{user} needs the environment variable '{name}', which is not set")
        self.hide(value)
        return value

    def fill(self, text: str, user: str) -> str:
        """Return a text with the value of each `${NAME}` in it; for arguments and errors see `variable`."""
        return _VARIABLE.sub(lambda match: self.variable(match[1], user), text)

    def hide(self, *values: str) -> None:
        """Take values for secrets, in every form that a server or a library may give them back in."""
        for value in values:
            if len(value) >= _SHORTEST:
                encoded = value.encode("utf-8", "surrogateescape")
                in_json = dumps(value)[1:-1]
                escaped = (
                    in_json,
                    in_json.replace("/", "\\/"),
                    dumps(value, ensure_ascii=False)[1:-1],
                    repr(value)[1:-1],
                )
                self._forms |= {value, quote(value, safe=""), quote(value), quote_plus(value), *escaped}
                self._forms |= {b64encode(encoded).decode(), b64encode(encoded).decode().rstrip("=")}

    def blot(self, text: str, *, is_cut: bool = False) -> str:
        """Return a text with stars for every secret in it; one that was cut may end with the beginning of one."""
        forms = sorted(self._forms, key=len, reverse=True)
        for form in forms:
            text = text.replace(form, MASK)
        if is_cut:
            for form in forms:
                length = next((length for length in range(len(form) - 1, 0, -1) if text.endswith(form[:length])), 0)
                if length >= _SHORTEST:
                    return text[:-length] + MASK
        return text

    def blot_all(self, data: Any) -> Any:
        """Return plain data with stars for every secret in its texts and names.

        Raises:
            RecursionError: If it is too deep.
        """
        if isinstance(data, str):
            return self.blot(data)
        if isinstance(data, dict):
            return {self.blot(name): self.blot_all(value) for name, value in data.items()}
        return [self.blot_all(item) for item in data] if isinstance(data, list) else data
