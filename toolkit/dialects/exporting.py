"""Exports a tool's specification as the definition for one provider's request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolkit.codes import OPEN_OBJECT, ROOT_NOT_OBJECT
from toolkit.dialects.fitting import fit
from toolkit.dialects.gemini import parameters_for_gemini
from toolkit.dialects.ollama import parameters_for_ollama
from toolkit.dialects.provider_limits import DIALECTS, Change, Limit, Notes, Objection, Source
from toolkit.dialects.providers import LIMITS
from toolkit.dialects.schema_parts import child
from toolkit.problems import did_you_mean
from toolkit.tools.spec import ToolSpec

_HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
_OURS = Source("toolkit, docs/dialects.md", "2026-11-22")
_OWN_STRICTNESS = Limit(True, "the tool sets strict mode itself", _OURS)
_OWN_WORD = Limit(True, "metadata adds to a definition and replaces nothing in it", _OURS)
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


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
    dialect = _dialect(name)
    notes = Notes()
    strict = spec.strict if spec.strict is not None and dialect.strictly else dialect.is_strict
    if strict != dialect.is_strict:
        what = f"sent with{'' if strict else 'out'} strict mode, as the tool says"
        notes.changed("/strict", what, _OWN_STRICTNESS, "")
    limits = dialect.strictly if strict and dialect.strictly else dialect.plainly
    definition = dialect.write(_Draft(spec, limits, strict, notes))
    _add_metadata(definition, spec, dialect.provider, notes)
    return Export(definition, notes.changes, notes.objections)


def request_tools(exports: Sequence[Export], name: str) -> list[dict[str, Any]]:
    """Return the value of `tools` in a provider's request: the definitions, which are in one object for Gemini."""
    definitions = [one.definition for one in exports]
    return [{"functionDeclarations": definitions}] if name == "gemini" and definitions else definitions


class _Draft(NamedTuple):
    spec: ToolSpec
    limits: str
    strict: bool
    notes: Notes

    @property
    def described(self) -> dict[str, Any]:
        """The name, and the description if there is one."""
        return {"name": self.spec.name} | ({"description": self.spec.description} if self.spec.description else {})

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as the provider accepts them."""
        return fit(self.spec.parameters, LIMITS[self.limits], "/parameters", self.notes)


class _Dialect(NamedTuple):
    """A format for definitions: its provider, how to write it, and its limits without and with strict mode."""

    provider: str
    write: Callable[[_Draft], dict[str, Any]]
    plainly: str
    strictly: str = ""
    is_strict: bool = False


def _openai(draft: _Draft) -> dict[str, Any]:
    strict = {"strict": True} if draft.strict else {"strict": False} if draft.spec.strict is False else {}
    return {"type": "function", "function": draft.described | {"parameters": draft.parameters} | strict}


def _anthropic(draft: _Draft) -> dict[str, Any]:
    examples = {"input_examples": [dict(example) for example in draft.spec.examples]} if draft.spec.examples else {}
    strict = {"strict": True} if draft.strict else {}
    return draft.described | {"input_schema": draft.parameters} | examples | strict


def _gemini(draft: _Draft) -> dict[str, Any]:
    return draft.described | parameters_for_gemini(draft.spec.parameters, "/parameters", draft.notes)


def _bedrock(draft: _Draft) -> dict[str, Any]:
    strict = {"strict": True} if draft.strict else {}
    return {"toolSpec": draft.described | {"inputSchema": {"json": draft.parameters}} | strict}


def _ollama(draft: _Draft) -> dict[str, Any]:
    parameters = parameters_for_ollama(draft.spec.parameters, "/parameters", draft.notes)
    return {"type": "function", "function": draft.described | {"parameters": parameters}}


def _mcp(draft: _Draft) -> dict[str, Any]:
    spec, limits = draft.spec, LIMITS[draft.limits].stated()
    definition = draft.described | {"inputSchema": draft.parameters}
    if not spec.properties and "additionalProperties" not in spec.parameters:
        definition["inputSchema"]["additionalProperties"] = False
        draft.notes.changed("/parameters", "closed: it has no parameters", limits["closed_if_empty"], OPEN_OBJECT)
    if spec.output_schema is not None and spec.output_schema.get("type") == "object":
        definition["outputSchema"] = fit(spec.output_schema, LIMITS["json-schema"], "/output_schema", draft.notes)
    elif spec.output_schema is not None:
        draft.notes.changed(
            "/output_schema", "left out: the result is not an object", limits["output"], ROOT_NOT_OBJECT
        )
    hints = {hint: getattr(spec, mark) for hint, mark in _HINTS.items() if getattr(spec, mark) is not None}
    return definition | ({"annotations": hints} if hints else {})


def _json_schema(draft: _Draft) -> dict[str, Any]:
    described = {"title": draft.spec.name} | ({"description": draft.spec.description} if draft.spec.description else {})
    return {"$schema": _DRAFT} | described | draft.parameters


_DIALECTS = {
    "openai": _Dialect("openai", _openai, "openai", "openai-strict"),
    "openai-strict": _Dialect("openai", _openai, "openai", "openai-strict", is_strict=True),
    "anthropic": _Dialect("anthropic", _anthropic, "anthropic", "anthropic-strict"),
    "anthropic-strict": _Dialect("anthropic", _anthropic, "anthropic", "anthropic-strict", is_strict=True),
    "gemini": _Dialect("gemini", _gemini, "gemini"),
    "bedrock": _Dialect("bedrock", _bedrock, "bedrock", "bedrock-strict"),
    "mistral": _Dialect("mistral", _openai, "mistral", "mistral-strict"),
    "ollama": _Dialect("ollama", _ollama, "ollama"),
    "mcp": _Dialect("mcp", _mcp, "mcp"),
    "json-schema": _Dialect("json-schema", _json_schema, "json-schema"),
}


def limits_of(spec: ToolSpec, name: str) -> str:
    """Return the key of the limits that apply to a tool in a dialect, which depend on strict mode."""
    dialect = _dialect(name)
    strict = dialect.is_strict if spec.strict is None else spec.strict
    return dialect.strictly if strict and dialect.strictly else dialect.plainly


def _dialect(name: str) -> _Dialect:
    if name not in _DIALECTS:
        hint = did_you_mean(name, DIALECTS, otherwise=f"the dialects are {', '.join(DIALECTS)}")
        raise ValueError(f"unknown dialect {name!r}: {hint}")
    return _DIALECTS[name]


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
