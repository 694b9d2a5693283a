"""Every dialect and provider, from their modules, and their limits by name."""

from importlib import import_module
from typing import Final

from toolkit.dialects.clients import CLIENTS
from toolkit.dialects.declarations import Dialect, Provider
from toolkit.dialects.provider_limits import Limits
from toolkit.dialects.registry import DIALECT_MODULES, DIALECTS, PROVIDER_MODULES
from toolkit.problems import did_you_mean

_MODULES = tuple(import_module(f"toolkit.dialects.{name}") for name in DIALECT_MODULES)

DECLARED: Final[dict[str, Dialect]] = {one.name: one for module in _MODULES for one in module.DIALECTS}
"""The dialects by their names."""

OTHERS: Final[dict[str, Provider]] = {
    name: import_module(f"toolkit.dialects.{module}").PROVIDER for module, name in PROVIDER_MODULES.items()
}
"""The providers that receive tools in the dialect of another, by their names."""


def dialect(name: str) -> Dialect:
    """Return a dialect.

    Raises:
        ValueError: If there is no such dialect; the message suggests the closest one.
    """
    if name not in DECLARED:
        hint = did_you_mean(name, DIALECTS, otherwise=f"the dialects are {', '.join(DIALECTS)}")
        raise ValueError(f"unknown dialect {name!r}: {hint}")
    return DECLARED[name]


def dialect_for(provider: str) -> str:
    """Return the name of the dialect in which a provider or a client receives tools."""
    if provider in CLIENTS:
        return "mcp"
    return OTHERS[provider].dialect if provider in OTHERS else provider


def _limits_of(one: Dialect) -> dict[str, Limits]:
    strict = {} if one.strict_limits is None else {f"{one.name}-strict": one.strict_limits}
    return {} if one.is_strict else {one.name: one.limits, **strict, **(one.more_limits or {})}


LIMITS: Final[dict[str, Limits]] = {
    **{name: limits for one in DECLARED.values() for name, limits in _limits_of(one).items()},
    **{name: one.limits for name, one in OTHERS.items()},
    **CLIENTS,
}
"""The limits of each provider.

Besides the dialects, these are `gemini-json-schema`, the other form in which Gemini accepts parameters;
`bedrock-strict` and `mistral-strict`, for tools that require it; `portable`, which every provider accepts; `llama-cpp`,
which accepts the dialect of OpenAI; and the clients of MCP servers.
"""
