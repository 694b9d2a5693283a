"""Reads the operations of a document: first what chooses among them, then, of those that are used, everything."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple, get_args

from toolkit.fetching import read_media_type
from toolkit.openapi.bodies import FORM, PARTS, is_json_body
from toolkit.openapi.documents import ApiDocument, Part
from toolkit.openapi.operation_names import argument_names, tool_name
from toolkit.openapi.operations import (
    Answer,
    Body,
    Encoding,
    Operation,
    Parameter,
    Place,
    SecurityScheme,
    defined,
    successes_among,
)
from toolkit.openapi.schemas import SchemaBook

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
"""The methods that have a key of their own; of 3.2 there are others in `additionalOperations`."""
_METHOD_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,39}")
_VARIABLE: Final = re.compile(r"\{([^{}]+)\}")
_STYLES: Final = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
_EXPLODED: Final = ("form", "cookie")
_NOT_PARAMETERS: Final = ("accept", "content-type", "authorization")
_MOST_DEFINITIONS: Final = 100
"""How many schemas that of an answer can consist of: some documents connect all their schemas with each other."""
_PLAIN: Final = {"type", "properties", "required", "title", "description", "examples", "additionalProperties",
                 "deprecated", "default"}  # fmt: skip
_COMPOSED: Final = {"allOf", "type", "title", "description", "examples", "properties", "required", "default"}


class Outline(NamedTuple):
    """What chooses an operation.

    Attributes:
        id: Its `operationId`, or `METHOD /path`.
        name: The name of its tool.
        method: In upper case.
        path: The template of its path.
        tags: Its tags.
        part: Where it is written.
        item: The path item that it is in.
    """

    id: str
    name: str
    method: str
    path: str
    tags: tuple[str, ...]
    part: Part
    item: Part

    @property
    def endpoint(self) -> str:
        """The method and the path."""
        return f"{self.method} {self.path}"


def outlines_of(document: ApiDocument) -> list[Outline]:
    """Return all operations of a document, in its order."""
    found = []
    for path, entry in document.root.at("paths", dict).followed().members():
        if not path.startswith("/"):
            entry.report(f"the path '{path}' must begin with '/'")
            continue
        found += [_outline(method, path, part, item) for item in _items(entry) for method, part in _methods(item)]
    return found


def _items(entry: Part) -> list[Part]:
    """Return a path item, and the one that it refers to, which can stand beside operations of its own."""
    target = entry.followed()
    return [one for one in (entry, target)[entry.path == target.path :] if one.value is not None]


def _methods(item: Part) -> Iterator[tuple[str, Part]]:
    if not isinstance(item.value, dict):
        return
    for method in METHODS:
        # A reference in place of an operation is not allowed, but some documents have a file for each of them.
        if (part := item.at(method, dict).followed()).value is not None:
            yield method.upper(), part
    for method, part in item.at("additionalOperations", dict).members():
        if not _METHOD_NAME.fullmatch(method) or method.lower() in METHODS:
            part.report(f"'{method}' is not a method of its own", "its key is that of the path: 'get', 'post', …")
        elif isinstance(part.value, dict):
            yield method, part


def _outline(method: str, path: str, part: Part, item: Part) -> Outline:
    name = part.text("operationId") or f"{method} {path}"
    tags = tuple(tag for tag in part.at("tags", list).value or () if isinstance(tag, str))
    return Outline(name, tool_name(name), method, path, tags, part=part, item=item)


class OperationReader:
    """Reads whole operations of one document."""

    def __init__(self, document: ApiDocument) -> None:
        """Create it; nothing is read yet."""
        self._document = document
        self._sent, self._received = SchemaBook("request"), SchemaBook("answer")

    def schemes(self) -> dict[str, SecurityScheme]:
        """Return the ways to sign in, by name."""
        named = self._document.root.at("components", dict).at("securitySchemes", dict).members()
        return {name: _scheme(name, part.followed()) for name, part in named}

    def read(self, outline: Outline) -> Operation | None:
        """Return an operation; `None` after reporting that it cannot be sent as the document describes it."""
        part = outline.part
        given = self._given(outline)
        content = _content(part.at("requestBody").followed(), given)
        if given is None:
            return None
        raw: dict[tuple[str, str], Any] = {
            key: self._sent.schema(one.schema) for key, one in given.items() if one.schema.value is not None
        }
        if content is not None:
            raw[_WHOLE] = content.schema_in(self._sent)
        schemas, definitions = self._sent.bundled(raw)
        body = None if content is None else _read_body(content, schemas[_WHOLE], definitions)
        names = argument_names([*given, *(("body", name) for name in (body.members.values() if body else ()))])
        if not _are_distinct(names, part):
            return None
        return Operation(
            id=outline.id,
            name=outline.name,
            method=outline.method,
            path=outline.path,
            servers=_servers(part, outline.item, self._document.root),
            summary=part.text("summary") or outline.item.text("summary"),
            description=part.text("description") or outline.item.text("description"),
            tags=outline.tags,
            parameters=tuple(one.read(schemas.get(key, {}), names[key]) for key, one in given.items()),
            body=None if body is None else _renamed(body, names),
            answers=self._answers(part.at("responses", dict)),
            security=_security(part, self._document.root),
            is_deprecated=part.flag("deprecated"),
            extensions={key: value for key, value in part.value.items() if key.startswith("x-")},
            definitions=definitions,
        )

    def _given(self, outline: Outline) -> "dict[tuple[Place, str], _Given] | None":
        """Return the parameters by place and name; those of the operation replace those of the path item."""
        found: dict[tuple[Place, str], _Given] = {}
        for holder in (outline.item, outline.part):
            for _, entry in holder.at("parameters", list).members():
                part = entry.followed()
                place, name = part.text("in"), part.text("name")
                if place == "header" and name.lower() in _NOT_PARAMETERS:
                    continue  # OpenAPI 3.1.1, 4.8.12.2.1: the operation says these in other places
                if place in get_args(Place) and name:
                    found[place, name] = _Given(place, name, part)  # type: ignore[index, arg-type]
                elif part.value is not None and not _is_left_out(part, place):
                    return None
        for name in _VARIABLE.findall(outline.path):
            if ("path", name) not in found:
                message = f"'{{{name}}}' of the path is no parameter; it is taken for a text"
                outline.part.report(message, "describe it under 'parameters'", "warning")
                found["path", name] = _Given("path", name, outline.part._replace(value=_UNDESCRIBED))
        return found

    def _answers(self, responses: Part) -> dict[str, Answer]:
        """Return what an operation answers; the schemas only of success, since nobody waits for another."""
        named = {status: part.followed() for status, part in responses.members()}
        good = successes_among(named)
        return {
            status: Answer(part.text("description"), self._schemas(part) if status in good else {})
            for status, part in named.items()
        }

    def _schemas(self, answer: Part) -> dict[str, Mapping[str, Any]]:
        """Return the schemas of an answer by media type; of one that refers to too many others, nothing is said."""
        found: dict[str, Mapping[str, Any]] = {}
        for media_type, entry in answer.at("content", dict).members():
            media = entry.followed()
            if media.at("schema").value is None:
                continue
            schema = self._received.schema(media.at("schema"))
            if self._received.is_large(schema, _MOST_DEFINITIONS):
                schema = {}
            schemas, definitions = self._received.bundled({"": schema})
            whole = schemas[""] if isinstance(schemas[""], dict) else {}
            if "$ref" in whole:  # clients expect to find the type of what comes back at the root
                whole = {**defined(whole, definitions), **whole}
                del whole["$ref"]
            found[media_type] = {**whole, **({"$defs": definitions} if definitions else {})}
        return found


_WHOLE: Final = ("body", "")
_UNDESCRIBED: Final = {"required": True, "schema": {"type": "string"}}


class _Given(NamedTuple):
    """A parameter of a document: its place, its name on the wire, and where it is written."""

    place: Place
    name: str
    part: Part

    @property
    def schema(self) -> Part:
        """Its schema: its own, or that of the one media type in which it is written."""
        content = self._content
        return self.part.at("schema") if content is None else content[1].at("schema")

    @property
    def _content(self) -> tuple[str, Part] | None:
        found = ((name, media.followed()) for name, media in self.part.at("content", dict).members())
        return next(found, None)

    def read(self, schema: Any, argument: str) -> Parameter:
        """Return the parameter.

        Args:
            schema: Its schema, converted.
            argument: The name of its argument.
        """
        style = self.part.text("style") or _STYLES[self.place]
        content = self._content
        return Parameter(
            argument,
            self.name,
            place=self.place,
            schema=_described(_as_sent(schema, self.place), self.part),
            is_required=self.place == "path" or self.part.flag("required"),
            style=style,
            explode=style in _EXPLODED if self.part.at("explode", bool).value is None else self.part.flag("explode"),
            allows_reserved=self.part.flag("allowReserved"),
            media_type=None if content is None else content[0],
        )


def _as_sent(schema: Any, place: Place) -> dict[str, Any]:
    """Return the schema of a parameter; a text in the path cannot be empty, since it would be another path then."""
    found: dict[str, Any] = schema if isinstance(schema, dict) else {}
    is_open = place == "path" and found.get("type") == "string" and not found.keys() & {"minLength", "enum", "format"}
    return {**found, "minLength": 1} if is_open else found


def _described(schema: dict[str, Any], part: Part) -> dict[str, Any]:
    """Return the schema of a parameter with its own words, which say more than those of a shared schema."""
    words: dict[str, Any] = {"description": part.text("description")} if part.text("description") else {}
    named = (example.at("value").value for _, example in part.at("examples", dict).members())
    examples = [one for one in (part.at("example").value, *named) if one is not None]
    if examples and "examples" not in schema:
        words["examples"] = examples
    if part.flag("deprecated"):
        words["deprecated"] = True
    return {**schema, **words}


def _is_left_out(part: Part, place: str) -> bool:
    """Report a parameter that cannot be sent; return whether the operation can be used without it."""
    needed = part.flag("required")
    what = "is left out" if not needed else "is required, so the operation is left out"
    name = part.text("name") or "without a name"
    part.report(
        f"the parameter '{name}' in '{place}' cannot be sent, and {what}", None, "error" if needed else "warning"
    )
    return not needed


def _are_distinct(names: Mapping[tuple[str, str], str], part: Part) -> bool:
    """Report if two parameters of one place would have the same argument."""
    holders: dict[str, str] = {}
    for (_, name), argument in names.items():
        if argument in holders:
            first = holders[argument]
            part.report(
                f"the parameters '{first}' and '{name}' would both be the argument '{argument}'; it is left out"
            )
            return False
        holders[argument] = name
    return True


# --------------------------------------------------------------------------------------------------------------- bodies


class _Content(NamedTuple):
    """The content of a body that is sent: its media type, and where that is described."""

    media_type: str
    part: Part
    is_required: bool
    description: str

    def schema_in(self, book: SchemaBook) -> Any:
        schema = self.part.at("schema")
        if _is_structured(self.media_type):
            return {} if schema.value is None else book.schema(schema)
        return {"type": "string", "description": schema.text("description")}


def _content(body: Part, given: object) -> _Content | None:
    """Return the content of a body in the media type that suits a model best, or `None` if there is no body."""
    if body.value is None or given is None:
        return None
    found = {name: part.followed() for name, part in body.at("content", dict).members()}
    best = min(found, key=_rank, default=None)
    return None if best is None else _Content(best, found[best], body.flag("required"), body.text("description"))


def _rank(media_type: str) -> int:
    ranks = [_name_of(media_type) == "application/json", is_json_body(media_type), _is_structured(media_type), True]
    return ranks.index(True)


def _is_structured(media_type: str) -> bool:
    return is_json_body(media_type) or _name_of(media_type) in {FORM, PARTS}


def _name_of(media_type: str) -> str:
    return read_media_type(media_type).name


def _read_body(content: _Content, schema: Any, definitions: Mapping[str, Any]) -> Body | None:
    """Return a body whose members are named as on the wire; `None` if it need not be sent and has no members."""
    if not content.is_required and _has_no_members(schema):
        return None
    spread = _spread(schema, definitions) if _is_structured(content.media_type) else None
    whole = schema if isinstance(schema, dict) else {}
    if not whole.get("description"):
        words = content.description or f"The whole body, of the type {content.media_type}"
        whole = {**whole, "description": words}
    members = {name: name for name in spread["properties"]} if spread else {}
    encodings = {name: _encoding(one) for name, one in content.part.at("encoding", dict).members()}
    return Body(
        content.media_type,
        schema=spread or whole,
        is_required=content.is_required,
        argument=None if spread else "body",
        members=members or {"body": "body"},
        encodings=encodings,
    )


def _has_no_members(schema: Any) -> bool:
    is_plain = isinstance(schema, dict) and schema.keys() <= _PLAIN
    return is_plain and schema.get("properties") == {} and not schema.get("additionalProperties")


def _renamed(body: Body, names: Mapping[tuple[str, str], str]) -> Body:
    """Return a body with the names of its arguments."""
    if body.argument is not None:
        return replace(body, argument=names["body", "body"], members={})
    return replace(body, members={names["body", name]: name for name in body.members})


def _spread(schema: Any, definitions: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an object whose members can be arguments of their own, or `None` for any other schema."""
    if not isinstance(schema, dict):
        return None
    if "$ref" in schema:
        return _spread(defined(schema, definitions), definitions)
    if "allOf" in schema and schema.keys() <= _COMPOSED:
        own = {key: value for key, value in schema.items() if key != "allOf"}
        return _joined([*schema["allOf"], *([own] if "properties" in own else [])], definitions)
    is_object = schema.get("type", "object") == "object" and bool(schema.get("properties"))
    is_plain = schema.keys() <= _PLAIN and not isinstance(schema.get("additionalProperties"), dict)
    return schema if is_object and is_plain else None


def _joined(schemas: list[Any], definitions: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return one object with the members of several, unless two describe the same member."""
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    for each in schemas:
        spread = _spread(each, definitions)
        if spread is None or properties.keys() & spread["properties"].keys():
            return None
        properties |= spread["properties"]
        required |= dict.fromkeys(spread.get("required", ()))
    return {"type": "object", "properties": properties, "required": [*required]}


def _encoding(part: Part) -> Encoding:
    style = part.text("style") or "form"
    explode = style in _EXPLODED if part.at("explode", bool).value is None else part.flag("explode")
    return Encoding(part.text("contentType") or None, style, explode, part.flag("allowReserved"))


# ------------------------------------------------------------------------------------------------- servers and sign-in


def _servers(*holders: Part) -> tuple[str, ...]:
    """Return the addresses of the innermost holder that has any; without any, the address is that of the document."""
    for holder in holders:
        found = [_address(server) for _, server in holder.at("servers", list).members() if server.text("url")]
        if found:
            return tuple(found)
    return ("/",)


def _address(server: Part) -> str:
    variables = server.at("variables", dict)
    return _VARIABLE.sub(lambda found: variables.at(found[1], dict).text("default") or found[0], server.text("url"))


def _security(*holders: Part) -> tuple[Mapping[str, tuple[str, ...]], ...]:
    """Return the ways to sign in of the innermost holder that says any, even if it says that there are none."""
    for holder in holders:
        if (listed := holder.at("security", list)).value is not None:
            ways = [way for _, way in listed.members() if isinstance(way.value, dict)]
            return tuple({name: tuple(map(str, way.at(name, list).value or ())) for name in way.value} for way in ways)
    return ()


def _scheme(name: str, part: Part) -> SecurityScheme:
    flow = part.at("flows", dict).at("clientCredentials", dict)
    return SecurityScheme(
        name,
        part.text("type"),
        scheme=part.text("scheme").lower(),
        parameter=part.text("name"),
        place=part.text("in"),
        token_url=flow.text("tokenUrl") or None,
    )
