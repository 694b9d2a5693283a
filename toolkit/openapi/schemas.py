"""Turns the schemas of a document into JSON Schema 2020-12, with what they refer to beside them.

OpenAPI 3.0 has its own dialect (3.0.4, 4.7.24): `nullable`, booleans for exclusive limits, and an `example`. What only
the server sets is left out of requests, and what only a client sends out of answers. Keywords that describe nothing to
a caller, such as `xml` and `discriminator`, are left out, and so are extensions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, Literal, TypeVar

from toolkit.codes import INVALID_SCHEMA
from toolkit.openapi.documents import Part
from toolkit.openapi.operations import DEFINITIONS
from toolkit.schemas.keywords import DRAFTS, Form
from toolkit.schemas.places import changed_inside, places_within
from toolkit.tools.definition.names import legal_name

Schema = dict[str, Any]
_Key = TypeVar("_Key")

_KEYWORDS: Final = DRAFTS["2020-12"]
_DEEPEST: Final = 60
_DEEPEST_INLINE: Final = 20
_LEFT_OUT: Final = {"$id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment", "$defs",
                    "definitions", "readOnly", "writeOnly"}  # fmt: skip
_EXCLUSIVE: Final = ("exclusiveMinimum", "exclusiveMaximum")
_COMPONENTS: Final = ("components", "schemas")


class SchemaBook:
    """The schemas of a document for one direction; what is referred to is converted once."""

    def __init__(self, direction: Literal["request", "answer"]) -> None:
        """Create it, without any schemas.

        Args:
            direction: Whether the schemas describe what is sent, or what comes back.
        """
        self._other = "readOnly" if direction == "request" else "writeOnly"
        self._targets: dict[str, Part] = {}
        self._converted: dict[str, Schema] = {}
        self._references: dict[str, list[str]] = {}

    def schema(self, part: Part, depth: int = 0) -> Any:
        """Return a schema as JSON Schema, which refers to others as `#/$defs/NAME`."""
        if isinstance(part.value, bool):
            return part.value
        if not isinstance(part.value, dict):
            part.report("a schema must be an object, true or false")
            return {}
        if depth > _DEEPEST:
            part.report(f"schemas are nested deeper than {_DEEPEST} levels")
            return {}
        if part.reference is None:
            return _modern(self._keywords(part, depth), part)
        target = part.followed(object)
        if target.value is None:
            return {}
        beside = self._beside(part, depth)
        return {"$ref": f"{DEFINITIONS}{self._name_of(target)}", **beside}

    def definition(self, name: str) -> Any:
        """Return the schema that others refer to by a name."""
        if name not in self._converted:
            self._converted[name] = self.schema(self._targets[name])
        return self._converted[name]

    def bundled(self, schemas: Mapping[_Key, Any]) -> tuple[dict[_Key, Any], dict[str, Any]]:
        """Return schemas by their keys, and the definitions that they share or that contain themselves.

        A definition that is used once takes the place of the reference to it.
        """
        uses, kept = self._uses(schemas.values())
        shared = {name for name, count in uses.items() if count > 1} | kept
        bundle = _Bundle(self, shared)
        found = {name: bundle.inlined(schema, 0) for name, schema in schemas.items()}
        return found, bundle.definitions

    def is_large(self, schema: Any, most: int) -> bool:
        """Return whether a schema refers to more than `most` definitions, directly or not."""
        return len(self._uses([schema], most)[0]) > most

    def _uses(self, schemas: Any, most: int | None = None) -> tuple[Counter[str], set[str]]:
        """Return how often each definition is referred to, and which ones lead back to themselves.

        Args:
            schemas: The schemas that refer to them.
            most: How many definitions are enough.
        """
        uses: Counter[str] = Counter()
        circular: set[str] = set()
        open_names: dict[str, None] = {}
        waiting: list[tuple[str, Iterator[str]]] = [("", (one for each in schemas for one in _names_in(each)))]
        while waiting and (most is None or len(uses) <= most):
            name = next(waiting[-1][1], None)
            if name is None:
                open_names.pop(waiting.pop()[0], None)
                continue
            uses[name] += 1
            if name in open_names:
                circular.add(name)
            elif uses[name] == 1:
                open_names[name] = None
                waiting.append((name, iter(self._names_in_definition(name))))
        return uses, circular

    def _names_in_definition(self, name: str) -> list[str]:
        if name not in self._references:
            self._references[name] = [*_names_in(self.definition(name))]
        return self._references[name]

    def _keywords(self, part: Part, depth: int) -> Schema:
        found: Schema = {}
        for key, inner in part.children():
            keyword = _KEYWORDS.get(key)
            if keyword is None or key in _LEFT_OUT or (key in _EXCLUSIVE and isinstance(inner.value, bool)):
                continue
            if _fits(keyword.form, inner.value):
                found[key] = self._inner(inner, keyword.form.holds, depth)
            else:
                message = f"'{key}' must be {keyword.form.words}; it is ignored"
                inner.report(message, None, "warning", INVALID_SCHEMA)
        if "required" in found and "properties" in found:
            hidden = part.value["properties"].keys() - found["properties"].keys()
            found["required"] = [name for name in found["required"] if name not in hidden]
        return found

    def _inner(self, part: Part, holds: str, depth: int) -> Any:
        """Return the value of a keyword, whose schemas are converted."""
        if holds == "nothing":
            return part.value
        if holds == "one":
            return self.schema(part, depth + 1)
        if isinstance(part.value, list):
            return [self.schema(one, depth + 1) for _, one in part.children()]
        members = part.children()
        if part.path[-1] == "properties":
            members = ((name, one) for name, one in members if not self._is_hidden(one))
        return {name: self.schema(one, depth + 1) for name, one in members}

    def _is_hidden(self, part: Part) -> bool:
        """Return whether a member belongs only to the other direction."""
        value = part.value if part.reference is None else part.followed(object).value
        marks = (part.value, value)
        return any(isinstance(one, dict) and one.get(self._other) is True for one in marks)

    def _beside(self, part: Part, depth: int) -> Schema:
        """Return the keywords that stand beside a reference; in 3.0 they mean nothing, except as words."""
        if part.document.minor == 0:
            text = part.value.get("description")
            return {"description": text} if isinstance(text, str) else {}
        rest = part._replace(value={key: value for key, value in part.value.items() if key != "$ref"})
        return _modern(self._keywords(rest, depth), rest)

    def _name_of(self, target: Part) -> str:
        """Return the name of a definition, which depends on nothing but its place in the document."""
        is_component = not target.file and target.path[:2] == _COMPONENTS and len(target.path) == 3  # noqa: PLR2004
        words = target.path[2:] if is_component else [target.file.rpartition("/")[2].partition(".")[0], *target.path]
        name = legal_name("_".join(filter(None, words)))
        holder = self._targets.setdefault(name, target)
        if (holder.file, holder.path) != (target.file, target.path):
            name = f"{name}_{sha256(target.pointer.encode()).hexdigest()[:6]}"
            self._targets.setdefault(name, target)
        return name


class _Bundle:
    """Puts definitions in the place of references to them, except those that are shared."""

    def __init__(self, book: SchemaBook, shared: set[str]) -> None:
        self._book = book
        self._shared = shared
        self.definitions: dict[str, Any] = {}

    def inlined(self, schema: Any, depth: int) -> Any:
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        if reference is None:
            return changed_inside(schema, lambda inner: self.inlined(inner, depth + 1))
        name = reference.removeprefix(DEFINITIONS)
        if name in self._shared or depth > _DEEPEST_INLINE:
            if name not in self.definitions:
                self.definitions[name] = {}  # it may refer to itself
                self.definitions[name] = self.inlined(self._book.definition(name), 0)
            return schema
        found = self.inlined(self._book.definition(name), depth)
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if not isinstance(found, dict) or found.keys() & (beside.keys() - {"description", "title"}):
            return {**beside, "allOf": [found, *beside.get("allOf", ())]}
        return {**found, **beside}


def _names_in(schema: Any) -> Iterator[str]:
    for _, one in places_within(schema):
        if isinstance(one, dict) and "$ref" in one:
            yield one["$ref"].removeprefix(DEFINITIONS)


def _fits(form: Form, value: Any) -> bool:
    """Return whether a value has the form of a keyword; the schemas in it are judged one by one."""
    match form.holds:
        case "map":
            return isinstance(value, dict)
        case "list":
            return isinstance(value, list) and bool(value)
    return form.fits(value)


def _modern(schema: Schema, part: Part) -> Schema:
    """Return a schema in which the keywords of OpenAPI 3.0 are those of JSON Schema."""
    value = part.value
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if value.get(exclusive) is True and limit in schema:
            schema[exclusive] = schema.pop(limit)
    if "example" in value and "examples" not in schema:
        schema["examples"] = [value["example"]]
    return _nullable(schema) if value.get("nullable") is True else schema


def _nullable(schema: Schema) -> Schema:
    """Return a schema that also allows null."""
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    types = schema.get("type")
    if types is not None:
        named = types if isinstance(types, list) else [types]
        schema["type"] = named if "null" in named else [*named, "null"]
        return schema
    unions = [key for key in ("anyOf", "oneOf") if key in schema]
    if len(unions) == 1 and "allOf" not in schema:
        schema[unions[0]] = [*schema[unions[0]], {"type": "null"}]
        return schema
    words: Schema = {key: schema.pop(key) for key in ("title", "description", "default", "examples") if key in schema}
    return {"anyOf": [schema, {"type": "null"}], **words} if schema else words
