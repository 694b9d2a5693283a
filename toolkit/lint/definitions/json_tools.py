"""Reads lists of tools in JSON, in the formats of all providers, with the place of each part."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.dialects.recognizing import EXAMPLES, Recognized, entries_in
from toolkit.dialects.schema_parts import path_of
from toolkit.documents.nodes import Mapping as MappingNode, Node, Scalar, Sequence, plain
from toolkit.errors import InvalidTools
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, Text, ToolDefinition, nearest_node
from toolkit.lint.definitions.written_places import WrittenInDocument
from toolkit.problems import Problem
from toolkit.schemas.places import Pointer
from toolkit.schemas.schema import Schema
from toolkit.tools.definition.spec import ToolSpec


def definitions_in(root: Node, file: str) -> tuple[list[ToolDefinition], list[Problem]]:
    """Return the tools that a document defines, and problems of entries that are not tools.

    Args:
        root: The document.
        file: The file of the document.
    """
    tools: list[ToolDefinition] = []
    problems: list[Problem] = []
    for entry in entries_in(plain(root)):
        node = nearest_node(root, path_of(entry.pointer))
        name = node.get("name") if isinstance(node, MappingNode) else None
        if entry.found is not None and entry.found.name and isinstance(node, MappingNode) and isinstance(name, Scalar):
            tools.append(_definition(entry.found, node, name, file))
        else:
            hint = 'write {"name": …, "description": …, "parameters": {…}}, or the format of your provider'
            problems.append(Problem(NOT_A_TOOL, "this is not a tool definition", node.location, hint=hint))
    return tools, problems


_KEYS = frozenset(
    ("name", "title", "description", "parameters", "args_schema", "type", "strict", "annotations", *EXAMPLES)
)
"""The keys of definitions that are in no provider's format, but can be sent as they are."""


def is_in_own_format(root: Node) -> bool:
    """Return whether a document has a definition with other keys, such as `category`, which no provider accepts."""
    return any(
        one.found is not None and one.found.form == "plain" and not one.value.keys() <= _KEYS
        for one in entries_in(plain(root))
    )


class _Schema(NamedTuple):
    node: Node | None
    data: Mapping[str, Any]


def _definition(found: Recognized, node: MappingNode, name: Scalar, file: str) -> ToolDefinition:
    """Return a definition.

    Args:
        found: What it says.
        node: The object that has the name.
        name: The name.
        file: The file of the document.
    """
    *around, key = path_of(found.schema.removeprefix(found.inner))
    parent = nearest_node(node, around)
    schema = _Schema(parent.get(str(key)) if isinstance(parent, MappingNode) else None, found.parameters)
    return ToolDefinition(
        name=found.name,
        description=found.description,
        parameters=tuple(_parameters(schema)),
        origin="json",
        location=name.location,
        schema=schema.data,
        spec=_spec(found, node, file),
        source=file,
        texts=tuple(_texts(node, name, node.get("description"), schema)),
        document=schema.node,
        result=node.get("outputSchema"),
        examples=tuple(one.location for one in _examples(node)),
        identity=frozenset([("place", *name.location[:3])]),
    )


def _examples(node: MappingNode) -> list[MappingNode]:
    """Return the examples of arguments, under the keys of Anthropic and others."""
    found = next((found for key in EXAMPLES if isinstance(found := node.get(key), Sequence)), None)
    return [one for one in found.items if isinstance(one, MappingNode)] if found is not None else []


def _spec(found: Recognized, node: MappingNode, file: str) -> ToolSpec | None:
    """Return the definition as a specification, or None if it is invalid."""
    try:
        return ToolSpec(
            found.name,
            found.description,
            found.parameters,
            strict=found.strict,
            source=file,
            location=node.location,
            **found.options,
        )
    except InvalidTools:
        return None


def _parameters(schema: _Schema) -> Iterator[ParameterDefinition]:
    properties = schema.node.get("properties") if isinstance(schema.node, MappingNode) else None
    if not isinstance(properties, MappingNode):
        return
    required = schema.data.get("required")
    needed = {one for one in required if isinstance(one, str)} if isinstance(required, list) else set()
    for name, entry in properties.entries.items():
        inner = plain(entry.value)
        known = inner if isinstance(inner, dict) else None
        text = (known or {}).get("description", "" if known is not None else None)
        yield ParameterDefinition(
            name, text if isinstance(text, str) else None, entry.key.location, known, name in needed
        )


def _texts(node: MappingNode, name: Scalar, description: Node | None, schema: _Schema) -> Iterator[Text]:
    yield Text("name", str(name.value), WrittenInDocument(name))
    for about in (node, node.get("annotations")):
        title = about.get("title") if isinstance(about, MappingNode) else None
        if isinstance(title, Scalar) and isinstance(title.value, str):
            yield Text("title", title.value, WrittenInDocument(title))
    if isinstance(description, Scalar) and isinstance(description.value, str):
        yield Text("description", description.value, WrittenInDocument(description))
    for kind, value, parameter, path in Schema.of(schema.data).texts():
        scalar = _scalar_at(schema.node, path, is_key=kind == "parameter name")
        if scalar is not None:
            yield Text(kind, value, WrittenInDocument(scalar), parameter)


def _scalar_at(node: Node | None, path: Pointer, *, is_key: bool) -> Scalar | None:
    if node is None:
        return None
    if is_key:
        parent = nearest_node(node, path[:-1])
        return parent.entries[str(path[-1])].key if isinstance(parent, MappingNode) else None
    found = nearest_node(node, path)
    return found if isinstance(found, Scalar) else None
