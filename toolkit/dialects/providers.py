"""Every dialect and provider by name, with their limits, and the export of a tool for one provider's request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from toolkit.dialects.clients import CLIENTS
from toolkit.dialects.declarations import Dialect, Draft, Provider
from toolkit.dialects.provider_limits import Change, Limit, Limits, Notes, Objection, Source
from toolkit.dialects.registry import DIALECT_MODULES, DIALECTS, PROVIDER_MODULES
from toolkit.dialects.schema_parts import child
from toolkit.problems import did_you_mean
from toolkit.tools.definition.spec import ToolSpec

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


_OURS = Source("toolkit, docs/dialects.md", "2026-11-22")
_OWN_STRICTNESS = Limit(True, "the tool sets strict mode itself", _OURS)
_OWN_WORD = Limit(True, "metadata adds to a definition and replaces nothing in it", _OURS)


@dataclass(frozen=True, slots=True)
class Export:
    """A tool as one provider accepts it.

    Attributes:
        definition: The definition in the request, as plain JSON data.
        changes: The differences from the specification, and their reasons.
        losses: What the provider refuses or misreads in its parameters, and no export can fix.
    """

    definition: dict[str, Any]
    changes: tuple[Change, ...] = ()
    losses: tuple[Objection, ...] = ()


def export(spec: ToolSpec, name: str) -> Export:
    """Return a tool in a provider's dialect.

    A tool with `strict=True` or `strict=False` is exported that way, whatever the dialect's name implies; the settings
    under a provider's name in its `metadata` appear only in that provider's export.

    Args:
        spec: The tool to export.
        name: One of `DIALECTS`, such as `openai-strict`.

    Raises:
        ValueError: If there is no such dialect; the message suggests the closest one.
    """
    declared, notes = dialect(name), Notes()
    strict = declared.strict_for(spec)
    if strict != declared.is_strict:
        what = f"sent with{'' if strict else 'out'} strict mode, as the tool says"
        notes.changed("/strict", what, _OWN_STRICTNESS, "")
    definition = declared.write(Draft(spec, declared.limits_for(spec), strict, notes))
    _add_metadata(definition, spec, declared.provider, notes)
    return Export(definition, notes.changes, notes.objections)


def request_tools(exports: Sequence[Export], name: str) -> list[dict[str, Any]]:
    """Return the value of `tools` in a provider's request: the definitions, which are in one object for Gemini."""
    return dialect(name).gather([one.definition for one in exports])


def _add_metadata(definition: dict[str, Any], spec: ToolSpec, provider: str, notes: Notes) -> None:
    settings = spec.metadata.get(provider)
    if isinstance(settings, Mapping):
        _add(definition, settings, child("/metadata", provider), notes)
    elif settings is not None:
        notes.changed(child("/metadata", provider), "left out: it is not an object", _OWN_WORD, "")


def _add(definition: dict[str, Any], settings: Mapping[str, Any], pointer: str, notes: Notes) -> None:
    """Add settings to a definition, merging nested objects."""
    for key, value in settings.items():
        there = definition.get(key)
        if key not in definition:
            definition[key] = value
        elif isinstance(there, dict) and isinstance(value, Mapping):
            _add(there, value, child(pointer, key), notes)
        elif there != value:
            notes.changed(child(pointer, key), f"left out: {key!r} is already given", _OWN_WORD, "")
