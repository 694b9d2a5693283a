"""Finds what a provider refuses or misreads in a tool, and no export can fix."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from toolkit.codes import (
    DEEP_NESTING,
    HUGE_ENUM,
    INVALID_PARAMETER_NAME,
    INVALID_TOOL_NAME,
    LONG_TOOL_NAME,
    NESTED_PATTERN,
    ROOT_NOT_OBJECT,
    STRICT_BUDGET,
    TOO_MANY_PARAMETERS,
    TOO_MANY_TOOLS,
)
from toolkit.dialects import providers
from toolkit.dialects.clients import CLIENTS, client_objections, length_objections
from toolkit.dialects.provider_limits import Limit, Limits, Notes, Objection, refusal
from toolkit.dialects.providers import LIMITS, dialect
from toolkit.dialects.recognizing import Recognized, forms_of, recognize
from toolkit.dialects.registry import DIALECTS, PROVIDER_MODULES
from toolkit.dialects.schema_parts import Part, child, read_schema, walk
from toolkit.problems import Severity
from toolkit.schemas.places import MAPPINGS, types_of
from toolkit.schemas.schema import Schema
from toolkit.tools.definition.spec import ToolSpec

PROVIDERS = (*DIALECTS, *PROVIDER_MODULES.values(), *CLIENTS)
"""What a tool can be checked for: every dialect, llama.cpp, `portable`, which all of them accept, and every client."""


def objections(
    subject: ToolSpec | Mapping[str, Any], provider: str, made: providers.Export | None = None
) -> list[Objection]:
    """Return what a provider refuses or misreads in one tool.

    A specification is exported first, so that only what an export cannot fix is returned. A definition in this
    provider's format is checked as it is; one in another format is exported first, too.

    Args:
        subject: The specification of a tool, or a definition in any provider's format, as JSON data.
        provider: One of `PROVIDERS`.
        made: The export of the specification to this provider, if it exists already.

    Returns:
        The objections, those to names first. Their JSON pointers point into the subject.

    Raises:
        ValueError: If the provider or the format of the definition is unknown.
    """
    if isinstance(subject, ToolSpec):
        return _objections_to_spec(subject, provider, made)
    found = recognize(subject)
    if found is None:
        raise ValueError("it is not a tool definition in any provider's format")
    is_own = found.form in forms_of(provider)
    about = [*_root_objections(found, provider), *_objections_to_spec(found.spec, provider)]
    if is_own and provider in DIALECTS:
        about += _changes_needed(found, provider)
    return [one._replace(pointer=_place(one.pointer, found)) for one in about]


def request_objections(
    specs: Sequence[ToolSpec],
    provider: str,
    export: Callable[[ToolSpec, str], providers.Export] = providers.export,
) -> list[Objection]:
    """Return what a provider refuses in a request with all of these tools, even if it accepts each of them.

    The JSON pointers point into the list of tools.

    Args:
        specs: The specifications of the tools.
        provider: One of `PROVIDERS`.
        export: The function that exports a tool to a dialect, for callers that cache exports.
    """
    limits = LIMITS[provider]
    found = [
        _too_many(TOO_MANY_TOOLS, limits.tools, len(specs), "tools", limits.title),
        _too_many(
            TOO_MANY_TOOLS, limits.tools_advised, count=len(specs), what="tools", title=limits.title, severity="warning"
        ),
    ]
    if provider in DIALECTS:
        strict = [spec for spec in specs if dialect(provider).limits_for(spec).strict_tools]
        found += _budget_objections(strict, provider, export)
    return [one for one in found if one]


def _budget_objections(
    strict: Sequence[ToolSpec], provider: str, export: Callable[[ToolSpec, str], providers.Export]
) -> list[Objection | None]:
    if not strict:
        return []
    limits = dialect(provider).limits_for(strict[0])
    optional, unions = _counted_parameters([schema_of(export(one, provider).definition) for one in strict])
    return [
        _too_many(STRICT_BUDGET, limits.strict_tools, len(strict), "strict tools", limits.title),
        _too_many(STRICT_BUDGET, limits.optional_parameters, optional, "optional parameters", limits.title),
        _too_many(STRICT_BUDGET, limits.union_parameters, unions, "parameters with several types", limits.title),
    ]


def _too_many(
    code: str, limit: Limit[int] | None, count: int, what: str, title: str, severity: Severity = "error"
) -> Objection | None:
    if limit is None or count <= limit.value:
        return None
    verb = "accepts" if severity == "error" else "recommends"
    return Objection(code, "", f"there are {count} {what}, and {title} {verb} at most {limit.value}", severity, limit)


def schema_of(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON Schema of the parameters in an exported definition."""
    found = recognize(definition)
    return found.parameters if found else definition


def _objections_to_spec(spec: ToolSpec, provider: str, made: providers.Export | None = None) -> list[Objection]:
    if provider not in LIMITS:
        raise ValueError(f"unknown provider {provider!r}: the providers are {', '.join(PROVIDERS)}")
    limits, schema = LIMITS[provider], spec.parameters
    losses: Sequence[Objection] = ()
    if provider in DIALECTS:
        made = made or providers.export(spec, provider)
        limits, losses, schema = dialect(provider).limits_for(spec), made.losses, schema_of(made.definition)
    return [
        *name_objections(spec.name, limits, spec.source or ""),
        *_parameter_name_objections(spec, limits),
        *(client_objections(schema, limits) if provider in CLIENTS else ()),
        *losses,
        *_size_objections(schema, limits),
        *_nested_patterns(spec, limits),
    ]


def name_objections(name: str, limits: Limits, source: str = "") -> Iterator[Objection]:
    """Yield what a provider with these limits refuses or misreads in the name of a tool, as it is sent.

    Args:
        name: The name.
        limits: The limits of the provider.
        source: The source of the tool, whose name some clients use as a prefix.
    """
    title = limits.title
    if limits.name and not re.fullmatch(limits.name.value, name):
        hint = "use letters, digits and underscores"
        yield refusal(INVALID_TOOL_NAME, "/name", f"{title} refuses the name {name!r}", limits.name, hint=hint)
    if limits.prefix:
        yield from length_objections(name, source, limits, limits.prefix.value)
    elif limits.name_length and len(name) > limits.name_length.value:
        over = len(name) - limits.name_length.value
        message = f"the name {name!r} has {len(name)} characters, {over} more than {title} accepts"
        yield refusal(LONG_TOOL_NAME, "/name", message, limits.name_length, hint="shorten it, or its prefix")
    elif limits.name_length_sure and len(name) > limits.name_length_sure.value:
        is_client = any(limits is one for one in CLIENTS.values())
        what = f"{title} keeps unchanged" if is_client else f"older versions of {title} accept"
        message = f"the name {name!r} has {len(name)} characters, more than {what}"
        yield Objection(
            LONG_TOOL_NAME,
            "/name",
            message=message,
            severity="warning",
            limit=limits.name_length_sure,
            hint="shorten it, or its prefix",
        )


def _parameter_name_objections(spec: ToolSpec, limits: Limits) -> Iterator[Objection]:
    if limits.parameter_name is None:
        return
    for part in Schema.of(spec.parameters).parts():
        for parameter in _properties_of(part):
            if not re.fullmatch(limits.parameter_name.value, parameter):
                place = child("/parameters", *map(str, part.pointer), "properties", parameter)
                message = f"{limits.title} refuses the parameter name {parameter!r}"
                yield refusal(INVALID_PARAMETER_NAME, place, message, limits.parameter_name, hint="rename it")


def _properties_of(part: Schema) -> Mapping[str, Any]:
    properties = part.keywords.get("properties")
    return properties if isinstance(properties, MAPPINGS) else {}


def _size_objections(schema: Mapping[str, Any], limits: Limits) -> Iterator[Objection]:
    if not any((limits.depth, limits.properties, limits.enum_values, limits.long_enum, limits.characters)):
        return
    root = read_schema(schema, "/parameters", Notes())
    parts = list(walk(root))
    bodies = (root, *root.get("$defs", {}).values())
    depth = max(Schema.of(body).depth(across_references=False) for body in bodies)
    names = [name for part in parts for name in part.get("properties", ())]
    values = [value for part in parts for value in part.get("enum", [part["const"]] if "const" in part else [])]
    characters = sum(map(len, names)) + sum(len(str(value)) for value in values)
    for code, limit, size, what in (
        (DEEP_NESTING, limits.depth, depth, "levels of nested objects"),
        (TOO_MANY_PARAMETERS, limits.properties, len(names), "properties"),
        (HUGE_ENUM, limits.enum_values, len(values), "values in its enums"),
        (HUGE_ENUM, limits.characters, characters, "characters in names and values"),
    ):
        if limit is not None and size > limit.value:
            message = f"it has {size} {what}, and {limits.title} accepts at most {limit.value}"
            yield refusal(code, "/parameters", message, limit)
    yield from _long_enums(parts, limits)


_MANY_VALUES = 250


def _long_enums(parts: Sequence[Part], limits: Limits) -> Iterator[Objection]:
    for part in parts:
        values = [value for value in part.get("enum", ()) if isinstance(value, str)]
        size = sum(map(len, values))
        if limits.long_enum and len(values) > _MANY_VALUES and size > limits.long_enum.value:
            message = (
                f"its {len(values)} values have {size} characters, and {limits.title} accepts {limits.long_enum.value}"
            )
            yield refusal(HUGE_ENUM, part.pointer, message, limits.long_enum)


def _counted_parameters(schemas: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return how many parameters are optional, and how many have several types, without following references."""
    optional = unions = 0
    for schema in schemas:
        root = read_schema(schema, "", Notes())
        for part in walk(root.without("$defs")):
            for name, inner in part.get("properties", {}).items():
                optional += name not in part.get("required", ())
                unions += "anyOf" in inner or len(types_of(inner)) > 1
    return optional, unions


def _nested_patterns(spec: ToolSpec, limits: Limits) -> Iterator[Objection]:
    if limits.nested_pattern is None:
        return
    root = read_schema(spec.parameters, "/parameters", Notes())
    for array in walk(root):
        items = array.get("items")
        for part in walk(items) if isinstance(items, Part) else ():
            if "pattern" in part:
                message = f"{limits.title} fails on the pattern {part['pattern']!r} inside the items of an array"
                place = child(part.pointer, "pattern")
                yield refusal(NESTED_PATTERN, place, message, limits.nested_pattern, hint="describe it in words")


def _root_objections(found: Recognized, provider: str) -> Iterator[Objection]:
    limit = LIMITS["openai"].stated()["root"]
    if not found.name.strip():
        yield refusal(INVALID_TOOL_NAME, "/name", "it has no name", limit, hint="give it one")
    if found.parameters.get("type") != "object" and provider != "json-schema":
        message = "the root of its parameters is not of type 'object'"
        yield refusal(ROOT_NOT_OBJECT, "/parameters", message, limit, hint='write "type": "object"')


def _changes_needed(found: Recognized, provider: str) -> Iterator[Objection]:
    for change in providers.export(found.spec, provider).changes:
        if change.pointer == "/parameters" and found.schema.endswith("JsonSchema"):
            continue  # it is already sent in this form
        if change.code and change.pointer.startswith("/parameters"):
            step = change.pointer.rpartition("/")[2]
            message = f"{LIMITS[provider].title} does not accept '{step}' as it is: {change.limit.says}"
            hint = f"as exported: {change.what}"
            yield refusal(change.code, change.pointer, message, change.limit, hint=hint)


def _place(pointer: str, found: Recognized) -> str:
    for ours, theirs in (("/parameters", found.schema), ("/name", f"{found.inner}/name")):
        if pointer == ours or pointer.startswith(f"{ours}/"):
            return theirs + pointer.removeprefix(ours)
    return pointer
