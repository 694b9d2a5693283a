"""Finds what a client of MCP servers refuses, drops or changes in a tool, which it receives unchanged."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from toolkit.codes import (
    BOOLEAN_SUBSCHEMA,
    INVALID_PARAMETER_NAME,
    LONG_TOOL_NAME,
    ROOT_NOT_OBJECT,
    UNSUPPORTED_KEYWORD,
)
from toolkit.dialects.changes import Objection, refusal
from toolkit.dialects.limits import Limits
from toolkit.dialects.parts import child
from toolkit.schemas.schema import Schema

_SERVER = "{server}"


def length_objections(name: str, source: str, limits: Limits, prefix: str) -> Iterator[Objection]:
    """Yield objections to the length of a name, including its prefix.

    A name that only fits after a shorter server name is a warning, since users choose the names of servers.
    """
    limit = limits.name_length or limits.name_length_sure
    if limit is None:
        return
    server = PurePath(source).stem.replace(" ", "_")
    least, whole = prefix.replace(_SERVER, "s"), prefix.replace(_SERVER, server)
    if limits.prefix_length:
        least, whole = least[: limits.prefix_length.value], whole[: limits.prefix_length.value]
    hint = "shorten it, or the name of the server"
    if limits.name_length and len(least) + len(name) > limit.value:
        room = limit.value - len(least)
        message = f"the name {name!r} has {len(name)} characters, and {limits.title} leaves room for {room}"
        yield refusal(LONG_TOOL_NAME, "/name", f"{message} after its prefix", limit, hint=hint)
    elif server and len(whole) + len(name) > limit.value:
        size = len(whole) + len(name)
        message = f"the name {name!r} has {size} characters with {whole!r} before it: in {limits.title}, {limit.says}"
        yield Objection(LONG_TOOL_NAME, "/name", message=message, severity="warning", limit=limit, hint=hint)


def client_objections(schema: Mapping[str, Any], limits: Limits) -> Iterator[Objection]:
    """Yield objections to the schema of the parameters, which is sent unchanged."""
    yield from _at_the_root(schema, limits)
    for part in Schema.of(schema).parts():
        yield from _of_part(part.keywords, child("/parameters", *map(str, part.pointer)), limits)


def _at_the_root(schema: Mapping[str, Any], limits: Limits) -> Iterator[Objection]:
    if limits.root_object and schema.get("type") != "object":
        message = f"the root is not of type 'object': in {limits.title}, {limits.root_object.says}"
        yield refusal(ROOT_NOT_OBJECT, "/parameters", message, limits.root_object, hint='write "type": "object"')
    if limits.root:
        for keyword in sorted(limits.root.value & schema.keys()):
            message = f"'{keyword}' is at the root: in {limits.title}, {limits.root.says}"
            hint = "use one object with optional members, or several tools"
            yield refusal(UNSUPPORTED_KEYWORD, f"/parameters/{keyword}", message, limits.root, hint=hint)
    pattern = limits.root_parameter_name
    for name in _members(schema):
        if pattern and not re.fullmatch(pattern.value, name):
            place = child("/parameters/properties", name)
            message = f"the parameter {name!r} does not fit: in {limits.title}, {pattern.says}"
            yield refusal(INVALID_PARAMETER_NAME, place, message, pattern, hint="rename it")


def _of_part(part: Mapping[str, Any], place: str, limits: Limits) -> Iterator[Objection]:
    if limits.boolean_properties:
        for name, inner in _members(part).items():
            if isinstance(inner, bool):
                says = limits.boolean_properties.says
                message = f"the schema of {name!r} is only {str(inner).lower()}: in {limits.title}, {says}"
                yield refusal(BOOLEAN_SUBSCHEMA, f"{place}/properties/{name}", message, limits.boolean_properties)
    if limits.items_wanted and part.get("type") == "array" and not part.get("items"):
        message = f"an array has no 'items': in {limits.title}, {limits.items_wanted.says}"
        hint = "describe its items, such as list[str]"
        yield refusal(UNSUPPORTED_KEYWORD, place, message, limits.items_wanted, hint=hint)
    if limits.one_type and isinstance(part.get("type"), list):
        message = f"'type' is a list: in {limits.title}, {limits.one_type.says}"
        yield refusal(UNSUPPORTED_KEYWORD, f"{place}/type", message, limits.one_type, hint="write an anyOf")


def _members(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}
