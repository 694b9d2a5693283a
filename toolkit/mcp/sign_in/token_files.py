"""Keeps what an authorization server has granted for a server: in the system's keyring, or in a private file.

The extra `keyring` is needed for the keyring. If the system has none that can be used, a file is, which only its owner
can read. Processes take turns at a lock next to the file, so that a token that can be used once is used once.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata, OAuthToken, ProtectedResourceMetadata

from toolkit.approvals.audit_log import exclusive
from toolkit.mcp.settings.server_settings import HttpServer
from toolkit.redactors.redactor import RECEIVED
from toolkit.regular_files import bounded_bytes, state_folder
from toolkit.replacing import write_file
from toolkit.variables import keyring_library

_SERVICE: Final = "toolkit"
_PRIVATE_FOLDER: Final = 0o700
_PRIVATE: Final = 0o600
_ELSEWHERE: Final = b'{"kept in": "keyring"}'
"""The content of a file whose grant is in the keyring, so that a server without one needs no keyring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What an issuer has granted for a resource, and what is needed to renew it.

    Attributes:
        client: The client's registration, or `None` if there is none.
        tokens: The tokens, or `None` if there are none (any more).
        expires: When the access token expires, in seconds since 1970, if that is known.
        issuer: The authorization server, as the resource names it; `None` if it names none.
        metadata: What the authorization server says about itself.
        resource: What the resource says about itself.
    """

    client: OAuthClientInformationFull | None = None
    tokens: OAuthToken | None = None
    expires: float | None = None
    issuer: str | None = None
    metadata: OAuthMetadata | None = None
    resource: ProtectedResourceMetadata | None = None

    @property
    def token(self) -> str | None:
        """The access token."""
        return None if self.tokens is None else self.tokens.access_token

    @property
    def has_expired(self) -> bool:
        """Whether the access token has expired, as far as that is known."""
        return self.expires is not None and self.expires <= time.time()

    @property
    def scopes(self) -> frozenset[str]:
        """The granted permissions."""
        return frozenset(((self.tokens and self.tokens.scope) or "").split())

    @classmethod
    def parse(cls, text: str | bytes) -> "Grant":
        """Return a grant as it was kept.

        Raises:
            ValueError: If it is damaged.
        """
        kept = json.loads(text)
        if not isinstance(kept, dict) or not kept.keys() <= {one.name for one in fields(cls)}:
            raise ValueError("it is not a grant")
        return cls(**kept | {name: kind.model_validate(kept[name]) for name, kind in _MODELS.items() if name in kept})

    def text(self) -> str:
        """Return the grant as it is kept."""
        held = {one.name: getattr(self, one.name) for one in fields(self)}
        plain = {
            name: value.model_dump(mode="json", exclude_none=True) if name in _MODELS else value
            for name, value in held.items()
            if value is not None
        }
        return json.dumps(plain, sort_keys=True)


_MODELS: Final[dict[str, Any]] = {
    "client": OAuthClientInformationFull,
    "tokens": OAuthToken,
    "metadata": OAuthMetadata,
    "resource": ProtectedResourceMetadata,
}


class TokenStore:
    """The grant of one server: its URL, and the client and issuer in its settings if there are any."""

    def __init__(self, server: HttpServer, url: str) -> None:
        """Create the store without reading anything.

        Args:
            server: The server.
            url: Its URL, without references to variables.
        """
        auth = server.auth
        identity = json.dumps([url, auth.issuer, auth.client_id, auth.grant])
        self._key = sha256(identity.encode()).hexdigest()[:32]
        self.file: Path = state_folder() / "tokens" / f"{self._key}.json"

    def read(self) -> Grant | None:
        """Return the grant, or `None` if there is none that can be read. All redactors know its tokens from now on."""
        try:
            kept = bounded_bytes(self.file)
            grant = Grant.parse((self._from_keyring() or b"") if kept == _ELSEWHERE else kept)
        except (OSError, ValueError, RecursionError):
            return None
        _hide(grant)
        return grant

    def write(self, grant: Grant) -> None:
        """Keep a grant instead of the last one.

        Raises:
            OSError: If it cannot be kept.
        """
        _hide(grant)
        text = _ELSEWHERE if self._to_keyring(grant.text()) else grant.text().encode()
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
        with suppress(FileNotFoundError):
            self.file.chmod(_PRIVATE)  # others could read an existing file
        write_file(self.file, text, is_private=True)

    def remove(self) -> bool:
        """Remove the grant, and return whether there was one.

        Raises:
            OSError: If it cannot be removed.
        """
        if not self.file.exists():
            return False
        if (keyring := keyring_library()) is not None:
            with suppress(keyring.errors.KeyringError):
                keyring.delete_password(_SERVICE, self._key)
        self.file.unlink(missing_ok=True)
        return True

    @property
    def lacks_keyring(self) -> bool:
        """Whether a grant is in the file although the extra `keyring` is installed."""
        try:
            return find_spec("keyring") is not None and bounded_bytes(self.file) != _ELSEWHERE
        except OSError:
            return False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for this process's turn to renew the grant; only one at a time has it.

        Raises:
            OSError: If the lock cannot be created.
        """
        with exclusive(self.file):
            yield

    def _from_keyring(self) -> str | None:
        keyring = keyring_library()
        if keyring is None:
            return None
        try:
            found: str | None = keyring.get_password(_SERVICE, self._key)
        except keyring.errors.KeyringError:
            return None
        return found

    def _to_keyring(self, text: str) -> bool:
        keyring = keyring_library()
        if keyring is None:
            return False
        try:
            keyring.set_password(_SERVICE, self._key, text)
        except keyring.errors.KeyringError:
            return False
        return True


def _hide(grant: Grant) -> None:
    """Teach all redactors what must not be shown."""
    tokens, client = grant.tokens, grant.client
    held = [tokens.access_token, tokens.refresh_token] if tokens is not None else []
    RECEIVED.learn(*filter(None, [*held, client.client_secret if client is not None else None]))
