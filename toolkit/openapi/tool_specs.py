"""The specification of the tool for an operation: one schema of all arguments, what comes back, and hints.

The method decides the hints (RFC 9110, 9.2): GET and HEAD only read, DELETE destroys, PUT can be repeated. Anything
that does not only read needs approval. The document's own marks, `x-toolkit-…`, can only add to that.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolkit.openapi.operations import DEFINITIONS, Answer, Operation
from toolkit.problems import Location
from toolkit.schemas.places import places_within
from toolkit.schemas.schema import joined_sentences
from toolkit.tools.definition.spec import ToolSpec
from toolkit.visibility import without_hidden

_READING: Final = ("GET", "HEAD")
_DEPRECATED: Final = "This operation is deprecated."
_MARK: Final = "x-toolkit-"


def spec_of(operation: Operation, *, source: str, group: str = "", location: Location | None = None) -> ToolSpec:
    """Return the specification of the tool for an operation.

    Args:
        operation: The operation.
        source: The document, as its tools name it.
        group: The name of the API in the configuration, if it is configured.
        location: Where the operation is written.

    Raises:
        InvalidTools: If the operation has no definition that a tool can have, such as a schema that is too large.
    """
    parameters, output_schema = without_hidden([parameters_of(operation), _output_schema(operation)])
    return ToolSpec(
        operation.name,
        _description(operation),
        parameters,
        output_schema=output_schema,
        open_world=True,
        source=source,
        location=location,
        names=_names(operation, group),
        **_hints(operation),
    )


def _names(operation: Operation, group: str) -> tuple[str, ...]:
    """Return the names by which rules know a tool: its own, its id, and its method and path.

    `endpoint_of` and `address_of` find the last two again; the id of a configured API comes last, after its name.
    """
    names = [operation.endpoint, f"{group}.{operation.id}"] if group else [operation.id, operation.endpoint]
    return tuple(dict.fromkeys([operation.name, *names]))


def parameters_of(operation: Operation) -> dict[str, Any]:
    """Return one schema of all arguments of an operation; each parameter and member of the body is one."""
    properties: dict[str, Any] = {one.argument: one.schema for one in operation.parameters}
    required = [one.argument for one in operation.parameters if one.is_required]
    if (body := operation.body) is not None:
        if body.argument is not None:
            properties[body.argument] = body.schema
            required += [body.argument] if body.is_required else []
        else:
            properties |= {argument: body.schema["properties"][name] for argument, name in body.members.items()}
            needed = body.schema.get("required", ())
            required += [argument for argument, name in body.members.items() if name in needed]
    definitions = _used(properties.values(), operation.definitions)
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        **({"$defs": definitions} if definitions else {}),
    }


def _used(schemas: Iterable[Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definitions that schemas refer to, directly or not, in the order of the definitions."""
    used: set[str] = set()
    waiting = [*schemas]
    while waiting and definitions:
        for _, inner in places_within(waiting.pop()):
            reference = inner.get("$ref") if isinstance(inner, Mapping) else None
            if reference is not None and (name := reference.removeprefix(DEFINITIONS)) not in used:
                used.add(name)
                waiting.append(definitions[name])
    return {name: schema for name, schema in definitions.items() if name in used}


def _description(operation: Operation) -> str:
    summary, text = (without_hidden(words).strip() for words in (operation.summary, operation.description))
    whole = text if text.startswith(summary) else joined_sentences(summary, text) if text else summary
    if not operation.is_deprecated:
        return whole
    return joined_sentences(whole, _DEPRECATED) if whole else _DEPRECATED


def _output_schema(operation: Operation) -> Mapping[str, Any] | None:
    """Return the schema of what comes back, if every success comes back as JSON of the same schema.

    A schema is a promise: clients of a server take a result without the promised data for a failure.
    """
    found = [*map(_json_schema, operation.successes)]
    return found[0] if found and all(one == found[0] for one in found) else None


def _json_schema(answer: Answer) -> Mapping[str, Any] | None:
    return next((schema for media, schema in answer.schemas.items() if "json" in media and schema), None)


def _hints(operation: Operation) -> dict[str, Any]:
    """Return the marks of a tool: those of the method, and those of the document that make it stricter."""
    marked = {key.removeprefix(_MARK): value for key, value in operation.extensions.items() if key.startswith(_MARK)}
    is_destructive = operation.method == "DELETE" or bool(marked.get("destructive"))
    is_reading = operation.method in _READING and not is_destructive and marked.get("read-only", True) is not False
    asks = not is_reading or bool(marked.get("requires-approval"))
    return {
        **({"requires_approval": True} if asks else {}),
        **({"read_only": True} if is_reading else {}),
        **({"destructive": True} if is_destructive else {}),
        **({"idempotent": True} if operation.method in ("PUT", "DELETE") else {}),
    }
