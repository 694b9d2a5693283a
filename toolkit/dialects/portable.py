"""`portable`: what every provider accepts."""

from toolkit.dialects.declarations import CHECKED, Provider
from toolkit.dialects.provider_limits import Limit, Limits, Source

_ALL = Source("what all providers here accept", CHECKED)

PROVIDER = Provider(
    "portable",
    Limits(
        title="Portable",
        name=Limit(
            r"[a-zA-Z_][a-zA-Z0-9_-]*",
            "a name starts with a letter or underscore, then letters, digits, underscores and hyphens",
            _ALL,
        ),
        name_length=Limit(64, "a name has at most 64 characters", _ALL),
        parameter_name=Limit(
            r"[A-Za-z_][A-Za-z0-9_]{0,63}",
            "a parameter's name starts with a letter or underscore, then letters, digits and underscores, at most 64",
            _ALL,
        ),
        tools=Limit(128, "a request has at most 128 tools", _ALL),
        tools_advised=Limit(20, "fewer than 20 tools are recommended", _ALL),
    ),
    dialect="openai",
)
