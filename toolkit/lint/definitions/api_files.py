"""An OpenAPI document as rules see it: its operations, their tools, and where each part is written."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from toolkit.lint.definitions.tool_definitions import ParameterDefinition, Text, ToolDefinition
from toolkit.lint.definitions.written_places import FoundLater, Somewhere
from toolkit.openapi.api_settings import ApiSettings
from toolkit.openapi.api_tools import Api
from toolkit.openapi.documents import ApiDocument, Part
from toolkit.openapi.operation_reader import Outline
from toolkit.openapi.operation_tools import OperationTool
from toolkit.openapi.operations import Operation, SecurityScheme
from toolkit.openapi.tool_specs import parameters_of
from toolkit.problems import Location, Problem
from toolkit.schemas.places import Pointer
from toolkit.schemas.schema import Schema
from toolkit.tools.definition.spec import ToolSpec


@dataclass(frozen=True, slots=True, eq=False)
class ApiFile:
    """An OpenAPI document.

    Attributes:
        document: The document.
        api: Its operations as tools.
        tools: The tools that are checked.
        schemes: Its ways to sign in, by their names in the document.
        settings: What chooses and names the operations, and signs the requests.
    """

    document: ApiDocument
    api: Api
    tools: Sequence[OperationTool]
    schemes: Mapping[str, SecurityScheme]
    settings: ApiSettings

    @property
    def operations(self) -> list[Operation]:
        """The operations, in order."""
        return [tool.operation for tool in self.tools]

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the document and with what the settings choose of it.

        The settings can name another server, so that a document alone needs none.
        """
        mild = self.api.server_problems if self.settings.place is None else ()
        found = [replace(one, severity="warning") if one in mild else one for one in self.api.problems]
        return [*found, *self.api.notes]

    def place(self, *path: str) -> Location:
        """Return the location of the key at a path, or of the last part of it that exists."""
        return self.document.location(Part(self.document, None, "", path))

    def place_of(self, operation: Operation) -> Location:
        """Return the location of an operation: its `operationId`, or else its method."""
        return self.api.outline(operation).part.at("operationId").location


def read_api(
    file: Path, settings: ApiSettings | None, only: str | None = None, *, data: bytes | None = None
) -> ApiFile:
    """Read an OpenAPI document and the operations that the settings choose, however many they are.

    Args:
        file: The file.
        settings: The settings of its API; `None` if it was named as a file.
        only: The name of the only operation to read.
        data: The content, if it is not that of the file.
    """
    document = ApiDocument(file, data=data)
    own = ApiSettings(file.stem, str(file), prefix="") if settings is None else settings
    api = Api(document, own)
    tools = api.every_tool() if only is None else filter(None, [api.tool(only)])
    return ApiFile(document, api, tuple(tools), api.schemes, own)


def definitions_in(api: ApiFile) -> list[ToolDefinition]:
    """Return the tools of the operations."""
    return [_definition(one.operation, one.spec, api) for one in api.tools]


def _definition(operation: Operation, spec: ToolSpec, api: ApiFile) -> ToolDefinition:
    find_place, place = _Places(operation, api.api.outline(operation)).find, api.place_of(operation)
    found = ToolDefinition(
        name=spec.name,
        description=spec.description,
        parameters=tuple(
            ParameterDefinition(
                name,
                schema.get("description", "") if isinstance(schema, dict) else "",
                find_place(("properties", name)) or place,
                schema if isinstance(schema, dict) else None,
                name in spec.parameters.get("required", ()),
            )
            for name, schema in spec.properties.items()
        ),
        origin="openapi",
        location=place,
        schema=spec.parameters,
        spec=spec,
        source=spec.source,
        identity=frozenset([("place", spec.name, *place[:3])]),
        is_behind_facade=api.settings.facade,
        find_place=find_place,
    )
    return replace(found, texts=tuple(_texts(found, operation, api)))


def _texts(tool: ToolDefinition, operation: Operation, api: ApiFile) -> Iterator[Text]:
    """Yield the texts of an operation as they are written: what models receive has no invisible characters."""
    yield Text("name", tool.name, Somewhere(tool.location))
    for key, said in (("summary", operation.summary), ("description", operation.description)):
        if said:
            part = api.api.outline(operation).part.at(key)
            yield Text("description", said, _later(partial(getattr, part, "location")))
    for kind, value, parameter, path in Schema.of(parameters_of(operation)).texts():
        yield Text(kind, value, _later(partial(tool.place, *path)), parameter)


def _later(find: Callable[[], Location | None]) -> FoundLater:
    return FoundLater(lambda: Somewhere(find()))


class _Places:
    """Where the parts of the schema of an operation's arguments are written."""

    def __init__(self, operation: Operation, outline: Outline) -> None:
        self._operation = operation
        self._outline = outline

    def find(self, path: Pointer) -> Location | None:
        """Return where a part of the schema is written, or the nearest part around it."""
        match path:
            case ("properties", name, *rest):
                start = self._arguments.get(str(name))
            case ("$defs", name, *rest):
                start = self._outline.part.document.root.at("components").at("schemas").at(str(name))
            case _:
                return None
        return None if start is None or start.value is None else _nearest(start, map(str, rest)).location

    @cached_property
    def _arguments(self) -> dict[str, Part | None]:
        """For each argument the parameter, or the schema of the body or of a member of it, that it fills."""
        operation, part = self._operation, self._outline.part
        written: dict[tuple[str, str], Part] = {}
        for _, one in (member for holder in (self._outline.item, part) for member in holder.at("parameters").members()):
            found = one.followed()
            written[found.text("in"), found.text("name")] = one
        arguments = {one.argument: written.get((one.place, one.name)) for one in operation.parameters}
        if (body := operation.body) is not None:
            schema = part.at("requestBody").followed().at("content").at(body.media_type).at("schema")
            arguments |= {argument: _member(schema, name) for argument, name in body.members.items()}
            arguments |= {body.argument: schema} if body.argument is not None else {}
        return arguments


def _member(schema: Part, name: str) -> Part | None:
    """Return the property of a schema, or of one that it consists of."""
    found = schema.followed(object)
    own = found.at("properties").at(name)
    if own.value is not None:
        return own
    inner = (_member(one, name) for key in ("allOf", "anyOf", "oneOf") for _, one in found.at(key).members())
    return next(filter(None, inner), None)


def _nearest(part: Part, steps: Iterable[str]) -> Part:
    for step in steps:
        inner = part.followed(object)
        if isinstance(inner.value, dict) and "schema" in inner.value and step not in inner.value:
            inner = inner.at("schema").followed(object)  # of a parameter
        found = next((one for name, one in inner.members() if name == step), None)
        if found is None:
            return part
        part = found
    return part
