"""Reads lists of tools in JSON, in the formats of OpenAI, Anthropic, Gemini, Bedrock and MCP.

The formats are recognized by their keys, alone or mixed: `{"type": "function", "function": {…}}`,
`{"name", "input_schema"}`, `{"name", "inputSchema"}`, `{"functionDeclarations": […]}`, `{"toolSpec": {…}}`, and the
plain `{"name", "description", "parameters"}`. They may be in a list, or under `tools`, `functions` or `result`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.documents.nodes import Mapping as MappingNode, Node, Scalar, Sequence, plain
from toolkit.errors import InvalidTools
from toolkit.lint.definitions import ParameterDefinition, Text, ToolDefinition, nearest_node
from toolkit.lint.places import WrittenInDocument
from toolkit.problems import Problem
from toolkit.schemas.keywords import TYPES
from toolkit.schemas.places import Pointer
from toolkit.schemas.schema import Schema
from toolkit.tools.spec import ToolSpec

_DECLARATIONS = ("functionDeclarations", "function_declarations")
_LISTS = ("tools", "functions", *_DECLARATIONS, "result", "toolConfig")
_WRAPPERS = ("function", "toolSpec")
_SCHEMAS = (
    "parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema", "args_schema",
)  # fmt: skip
_OWN_KINDS = ("function", "custom", "tool")
_EXAMPLES = ("input_examples", "examples")
_HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def definitions_in(root: Node, file: str) -> tuple[list[ToolDefinition], list[Problem]]:
    """Return the tools that a document defines, and problems of entries that are not tools.

    Args:
        root: The document.
        file: The file of the document.
    """
    tools: list[ToolDefinition] = []
    problems: list[Problem] = []
    for key, node in _entries(root):
        if isinstance(node, MappingNode) and _is_hosted(node):
            continue
        if isinstance(node, MappingNode) and isinstance(node.get("name"), Scalar):
            tools.append(_definition(node, file, is_of_gemini=key in _DECLARATIONS))
        else:
            hint = 'write {"name": …, "description": …, "parameters": {…}}, or the format of your provider'
            problems.append(Problem(NOT_A_TOOL, "this is not a tool definition", node.location, hint=hint))
    return tools, problems


def _entries(node: Node, around: str = "") -> Iterator[tuple[str, Node]]:
    """Yield each entry of the lists in a document, with the key of the innermost list or wrapper around it."""
    if isinstance(node, Sequence):
        for item in node.items:
            yield from _entries(item, around)
        return
    if isinstance(node, MappingNode) and "name" not in node.entries:
        for key in (*_LISTS, *_WRAPPERS):
            if isinstance(inner := node.get(key), MappingNode | Sequence):
                yield from _entries(inner, key)
                return
    yield around, node


def _is_hosted(node: MappingNode) -> bool:
    """Return whether this is a tool of the provider itself, such as `{"type": "web_search"}`, without a definition."""
    kind = node.get("type")
    is_known = isinstance(kind, Scalar) and isinstance(kind.value, str) and kind.value not in _OWN_KINDS
    return is_known and not any(key in node.entries for key in (*_SCHEMAS, "description"))


class _Schema(NamedTuple):
    node: Node | None
    data: Mapping[str, Any]


def _schema(node: MappingNode, *, is_of_gemini: bool) -> _Schema:
    for key in _SCHEMAS:
        found = node.get(key)
        if isinstance(found, MappingNode) and isinstance(inner := found.get("json"), MappingNode):
            found = inner  # the format of Bedrock
        if found is not None:
            data = plain(found)
            if not isinstance(data, dict):
                return _Schema(found, {})
            return _Schema(found, _with_lower_types(data) if is_of_gemini else data)
    return _Schema(None, {"type": "object", "properties": {}})


def _with_lower_types(schema: dict[str, Any]) -> dict[str, Any]:
    """Change the types of a schema to lower case; Gemini also accepts them in upper case, such as `OBJECT`."""
    for part in Schema.of(schema).parts():
        kind = part.keywords.get("type")
        if isinstance(kind, str) and isinstance(part.node, dict) and kind.lower() in TYPES:
            part.node["type"] = kind.lower()
    return schema


def _definition(node: MappingNode, file: str, *, is_of_gemini: bool) -> ToolDefinition:
    name, description = node.get("name"), node.get("description")
    assert isinstance(name, Scalar)  # noqa: S101 - checked by the caller
    schema, examples = _schema(node, is_of_gemini=is_of_gemini), _examples(node)
    text = description.value if isinstance(description, Scalar) and isinstance(description.value, str) else ""
    return ToolDefinition(
        name=str(name.value),
        description=text,
        parameters=tuple(_parameters(schema)),
        origin="json",
        location=name.location,
        schema=schema.data,
        spec=_spec(node, str(name.value), description=text, schema=schema, examples=examples, file=file),
        source=file,
        texts=tuple(_texts(node, name, description, schema)),
        document=schema.node,
        result=node.get("outputSchema"),
        examples=tuple(one.location for one in examples),
        identity=frozenset([("place", *name.location[:3])]),
    )


def _examples(node: MappingNode) -> list[MappingNode]:
    """Return the examples of arguments, under the keys of Anthropic and others."""
    found = next((found for key in _EXAMPLES if isinstance(found := node.get(key), Sequence)), None)
    return [one for one in found.items if isinstance(one, MappingNode)] if found is not None else []


def _spec(
    node: MappingNode, name: str, description: str, schema: _Schema, examples: list[MappingNode], file: str
) -> ToolSpec | None:
    """Return the definition as a specification, or None if it is invalid."""
    annotations, strict, output = node.get("annotations"), node.get("strict"), node.get("outputSchema")
    hints = plain(annotations) if isinstance(annotations, MappingNode) else {}
    flags = {ours: hints[theirs] for theirs, ours in _HINTS.items() if isinstance(hints.get(theirs), bool)}
    if isinstance(strict, Scalar) and isinstance(strict.value, bool):
        flags["strict"] = strict.value
    try:
        return ToolSpec(
            name,
            description,
            schema.data,
            output_schema=plain(output) if isinstance(output, MappingNode) else None,
            source=file,
            location=node.location,
            examples=tuple(map(plain, examples)),
            **flags,
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
