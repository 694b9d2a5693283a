"""Parse the URLs of stores, and hide the passwords in them."""

import re
from pathlib import Path
from typing import Final, NamedTuple, Self
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from toolkit.errors import ConfigurationError
from toolkit.problems import Problem

_SQLITE: Final = "sqlite:///"
_POSTGRES: Final = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://")
_EXAMPLES: Final = "sqlite:///runs.db, or postgresql://user@host/database"


class StoreUrl(NamedTuple):
    """The URL of a store.

    Attributes:
        text: The full URL, which may contain a password and is never shown.
        shown: The URL without its password, for messages.
        secrets: The password, and other parts of the URL that are never shown.
        file: The SQLite file, or `None` for a server.
    """

    text: str
    shown: str
    secrets: tuple[str, ...] = ()
    file: Path | None = None

    def __repr__(self) -> str:
        """Return the URL without its password."""
        return f"StoreUrl({self.shown!r})"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the URL of a store.

        Args:
            text: `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`. The password can also be set in
                the environment variable `PGPASSWORD` or in `~/.pgpass`.

        Raises:
            ConfigurationError: If the text is neither.
        """
        if text.startswith(_SQLITE) and text.removeprefix(_SQLITE).partition("?")[0] not in ("", ":memory:"):
            file = Path(text.removeprefix(_SQLITE)).absolute()
            return cls(f"{_SQLITE}{file}", f"{_SQLITE}{file}", file=file)
        if _POSTGRES.match(text):
            return cls._server(_POSTGRES.sub("postgresql://", text, count=1))
        scheme = text.partition(":")[0]
        message = f"a store cannot be a '{scheme}'" if "://" in text else "the store is not a URL"
        if text.startswith("sqlite:"):
            message = "the URL of a store in a file begins with 'sqlite:///', and then names the file"
        raise ConfigurationError(problems=[Problem("", message, hint=f"write {_EXAMPLES}")])

    @classmethod
    def _server(cls, text: str) -> Self:
        try:
            parts = urlsplit(text)
            password, database = parts.password, parts.path.strip("/")
            _ = parts.port  # raises ValueError if it is not a number
        except ValueError as error:
            raise ConfigurationError(problems=[Problem("", "the URL of the store cannot be read")]) from error
        if not database:
            raise ConfigurationError(problems=[Problem("", "the URL names no database", hint=f"write {_EXAMPLES}")])
        options = parse_qsl(parts.query)
        hidden = [value for name, value in options if "password" in name.lower()]
        secrets = tuple(filter(None, [password, password and unquote(password), *hidden]))
        user, _, host = parts.netloc.rpartition("@")
        netloc = f"{user.partition(':')[0]}@{host}" if user else host
        return cls(text, urlunsplit((parts.scheme, netloc, parts.path, "", "")), tuple(dict.fromkeys(secrets)))
