"""Generates the tables of `docs/configuration.md` from the tables of keys that the code uses."""

from collections.abc import Iterable

from docs.generators.regions import with_region
from docs.generators.settings_tables import key_table
from toolkit.documents.keys import Key  # private
from toolkit.lint.configuration.settings import all_lint_keys  # private
from toolkit.mcp.settings.auth_keys import AUTH_KEYS  # private
from toolkit.mcp.settings.server_keys import HTTP_KEYS, STDIO_KEYS  # private
from toolkit.mcp.settings.serving_keys import AUTH  # private
from toolkit.openapi.api_settings import KEYS as API_KEYS  # private
from toolkit.settings.setting_keys import DEFAULTS, GROUP, KEYS, PRICES  # private


def pages() -> dict[str, str]:
    """Return the page with the current keys, by its path in the docs."""
    return {"configuration.md": with_region("configuration.md", "the keys", tables())}


def tables() -> str:
    """Return one Markdown table per table of settings."""
    own = {key.name for key in STDIO_KEYS} - {key.name for key in HTTP_KEYS}
    servers = [*(key for key in STDIO_KEYS if key.name in own), *HTTP_KEYS]
    sections = {
        "At the top level": KEYS,
        "In `[defaults]`": DEFAULTS,
        "In `[groups.NAME]`": GROUP,
        "In `[mcp.NAME]`, which has either `command` or `url`": servers,
        "In `[mcp.NAME.auth]`, for a server with a `url`": AUTH_KEYS,
        "In `[openapi.NAME]`": API_KEYS,
        "In `[serve.auth]`": AUTH,
        "In `[prices.NAME]`": PRICES,
        "In `[lint]`": all_lint_keys(),
    }
    return "\n".join(_section(title, keys) for title, keys in sections.items())


def _section(title: str, keys: Iterable[Key]) -> str:
    return f"{title}:\n\n{key_table(keys)}"
