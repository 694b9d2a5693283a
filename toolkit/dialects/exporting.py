"""Exports a tool's specification as the definition for one provider's request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolkit.dialects.declarations import Draft
from toolkit.dialects.provider_limits import Change, Limit, Notes, Objection, Source
from toolkit.dialects.providers import dialect
from toolkit.dialects.schema_parts import child
from toolkit.tools.spec import ToolSpec

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
