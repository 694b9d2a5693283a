"""Setting keys of webhooks: a row for everything that the table `webhook` of a user's own configuration may say."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.documents.kinds import DURATION_SCHEMA, DURATION_WORDS, as_written, duration, is_text
from toolkit.documents.tables import Key, Kind, Schema, Spot, read_table, schema_of
from toolkit.errors import ConfigurationError

if TYPE_CHECKING:
    from toolkit.webhooks.reviewer import WebhookReviewer


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """Where questions go that nobody at a terminal can be asked.

    Attributes:
        url: The address that receives them.
        secret: The name of the variable of the environment that holds the shared secret.
        poll: Seconds between two looks for an answer that comes later.
        private: Whether the address may lie inside.
        listen: Where answers are received, as `host:port`.
        callback: The address that leads there.
    """

    url: str
    secret: str
    poll: float = 2.0
    private: bool = False
    listen: str | None = None
    callback: str | None = None

    def reviewer(self, variables: Mapping[str, str] = os.environ) -> "WebhookReviewer":
        """Return the reviewer.

        Raises:
            ConfigurationError: If the variable of the secret is not set, or something does not fit.
        """
        from urllib.parse import urlsplit  # noqa: PLC0415 - only where a webhook is asked

        from toolkit.webhooks.reviewer import WebhookReviewer  # noqa: PLC0415

        secret = variables.get(self.secret, "")
        if not secret:
            raise ConfigurationError(f"the variable '{self.secret}', which holds the secret of the webhook, is not set")
        return WebhookReviewer(
            self.url,
            secret,
            poll=self.poll,
            private_hosts=[urlsplit(self.url).netloc] if self.private else [],
            listen=self.listen,
            callback=self.callback,
        )


def read_webhook(written: Mapping[str, Any], spot: Spot) -> WebhookSettings | None:
    """Return the webhook that the table sets; None, with a report, if it is invalid or in a project's file."""
    if spot.setting.owner != "user":
        spot.report("a project's file cannot say who answers questions", "write it in your own config.toml")
        return None
    found = read_table(written, KEYS, spot)
    if len(found) < len(written) or not {"url", "secret"} <= found.keys():
        return None
    if ("listen" in found) != ("callback" in found):
        spot.report(f"'{spot.name}' needs both 'listen' and 'callback', or neither")
        return None
    return WebhookSettings(**found | ({"private": found["private"][0]} if "private" in found else {}))


def webhook_schema() -> Schema:
    """Return the JSON Schema of the table."""
    return schema_of(KEYS)


def _url(written: Any, _: Path) -> str | None:
    is_url = isinstance(written, str) and written.startswith(("https://", "http://")) and " " not in written
    return written if is_url else None


_TEXT_SCHEMA: Final = {"type": "string"}
_URL_SCHEMA: Final = {"type": "string", "pattern": "^https?://"}
_URL: Final = Kind("URL", "an address with https:// or http://", _url, "'https://approvals.example.com/'", _URL_SCHEMA)
_VARIABLE: Final = "the name of a variable of the environment"
_NAME: Final = as_written("name", _VARIABLE, _TEXT_SCHEMA, is_text, "'APPROVALS_SECRET'")
_PLACE: Final = as_written("text", "a host and a port", {"type": "string"}, is_text, "'127.0.0.1:8765'")
_TIME: Final = Kind("duration", DURATION_WORDS, duration, "'2s'", DURATION_SCHEMA)


def _flag(written: Any, _: Path) -> tuple[bool] | None:
    return (written,) if isinstance(written, bool) else None


_FLAG: Final = Kind("true or false", "true or false", _flag, "true", {"type": "boolean"})

KEYS: Final = (
    Key("url", _URL, "the address that receives questions", required=True),
    Key("secret", _NAME, "the name of the variable of the environment that holds the shared secret", required=True),
    Key("poll", _TIME, "the time between two looks for an answer that comes later", "2s"),
    Key("private", _FLAG, "whether the address may lie inside, such as on this machine", False),
    Key("listen", _PLACE, "where answers are received; the answer is fetched without it"),
    Key("callback", _URL, "the address that leads there, as the webhook knows it"),
)
