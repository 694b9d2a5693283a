"""The keys of the `webhook` table in the user's own configuration."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from toolkit.documents.keys import DURATION, FLAG, Key, Schema, Spot, read_table, schema_of, text
from toolkit.errors import ConfigurationError

if TYPE_CHECKING:
    from toolkit.webhooks.webhook_reviewer import WebhookReviewer


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """The webhook that answers approval questions when no terminal is available.

    Attributes:
        url: URL that questions are posted to.
        secret: Name of the environment variable with the shared secret.
        poll: Polling interval for a later answer, in seconds.
        private: Whether the URL is allowed to be in a private network.
        listen: Address to receive answers at, as `host:port`.
        callback: Public URL of that address.
    """

    url: str
    secret: str
    poll: float = 2.0
    private: bool = False
    listen: str | None = None
    callback: str | None = None

    def reviewer(self, variables: Mapping[str, str] = os.environ) -> "WebhookReviewer":
        """Return a reviewer with these settings.

        Raises:
            ConfigurationError: If the environment variable with the secret is not set, or a setting is not valid.
        """
        from toolkit.webhooks.webhook_reviewer import WebhookReviewer

        secret = variables.get(self.secret, "")
        if not secret:
            raise ConfigurationError(f"the environment variable '{self.secret}' (the webhook's secret) is not set")
        return WebhookReviewer(
            self.url,
            secret,
            poll=self.poll,
            private_hosts=[urlsplit(self.url).netloc] if self.private else [],
            listen=self.listen,
            callback=self.callback,
        )


def read_webhook(written: Mapping[str, Any], spot: Spot) -> WebhookSettings | None:
    """Return the settings in the table, or report problems and return `None`; a project's file cannot set a webhook."""
    if spot.origin.owner != "user":
        spot.report("a project's file cannot decide who answers questions", "move it to your own config.toml")
        return None
    found = read_table(written, KEYS, spot)
    if len(found) < len(written) or not {"url", "secret"} <= found.keys():
        return None
    if ("listen" in found) != ("callback" in found):
        spot.report(f"'{spot.name}' needs both 'listen' and 'callback', or neither")
        return None
    return WebhookSettings(**found)


def webhook_schema() -> Schema:
    """Return the JSON Schema of the table."""
    return schema_of(KEYS)


_URL: Final = text(
    "a URL with https:// or http://",
    {"type": "string", "pattern": "^https?://"},
    test=lambda written: written.startswith(("https://", "http://")) and " " not in written,
    example="'https://approvals.example.com/'",
    name="URL",
)
_NAME: Final = text("the name of an environment variable", example="'APPROVALS_SECRET'", name="name")
_PLACE: Final = text("a host and a port", example="'127.0.0.1:8765'")


KEYS: Final = (
    Key("url", _URL, "the URL that questions are posted to", required=True),
    Key("secret", _NAME, "the name of the environment variable with the shared secret", required=True),
    Key("poll", DURATION, "the polling interval for a later answer", "2s"),
    Key("private", FLAG, "whether the URL is allowed to be in a private network, such as on this machine", False),
    Key("listen", _PLACE, "the address to receive answers at; without it, answers are polled"),
    Key("callback", _URL, "the public URL of that address, as the webhook sees it"),
)
