"""Reads definitions in any provider's format: finds them in a document, recognizes them, and locates their parts.

The formats are those that the dialects declare, and `{"name", "description", "parameters"}`. They may be mixed.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from toolkit.dialects.declarations import Form
from toolkit.dialects.providers import DECLARED, OTHERS
from toolkit.dialects.schema_parts import child
from toolkit.tools.definition.spec import MCP_HINTS, ToolSpec

_OWN_KINDS: Final = ("function", "custom", "tool")
EXAMPLES: Final = ("input_examples", "examples")
"""The keys under which definitions have examples of arguments."""
_NO_PARAMETERS: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}
_OF_REQUESTS: Final = frozenset({"messages", "input", "contents", "nextCursor"})
"""The keys of requests to providers and of answers of servers, which have definitions and not only names."""
_OF_SCHEMAS: Final = frozenset({"type", "properties", "$ref", "anyOf", "oneOf", "allOf", "$schema"})


class Recognized(NamedTuple):
    """A definition that was written for a provider.

    Attributes:
        form: Its format, such as `openai-responses`; `plain` does not show any provider.
        inner: The JSON pointer to the object that has the name, empty if it is the definition itself.
        schema: The JSON pointer to the JSON Schema of the parameters, even if there is none.
        name: Its name; empty if it has none.
        description: Its description; empty if it has none.
        parameters: The JSON Schema of its parameters; that of an object if there is none, and empty if it is not one.
        strict: Whether it asks for strict mode.
        options: The other fields of a specification: its hints, its examples and the schema of its result.
    """

    form: str
    inner: str
    schema: str
    name: str
    description: str
    parameters: Mapping[str, Any]
    strict: bool | None
    options: Mapping[str, Any]

    @property
    def spec(self) -> ToolSpec:
        """The specification of a tool defined in this way, even if something is wrong with the definition."""
        return ToolSpec(
            self.name if self.name.strip() else "unnamed",
            self.description,
            {**self.parameters, "type": "object"},
            strict=self.strict,
            **self.options,
        )


class Entry(NamedTuple):
    """An entry of a document that is a tool, or should be one.

    Attributes:
        pointer: The JSON pointer to it, or to the object in it that has the name.
        value: The whole entry.
        found: The definition, which may lack a name; None if it is in no provider's format.
    """

    pointer: str
    value: Any
    found: Recognized | None


def entries_in(document: Any) -> Iterator[Entry]:
    """Yield every entry of a JSON document that defines a tool, or that is in a list of tools and does not.

    The document may be one definition, a list of them, or an object with such lists, as in a request to a provider or
    in the answer of a server. Tools that a provider hosts are left out, since they have no definition. So are objects
    that are about something else, such as `package.json`, tools that an object with a name of its own, such as
    `manifest.json`, only mentions, and lists of names in an object with other keys, such as that of an agent.
    """
    yield from _entries(document, "", key="", is_root=True, is_of_name=False)


def definitions_in(document: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the definitions of tools in a JSON document, each with its JSON pointer.

    The document may be one definition, a list of them, or an object that has such a list under `tools`, `functions`,
    `functionDeclarations`, `toolConfig` or `result`.
    """
    for entry in entries_in(document):
        if entry.found is not None:
            yield entry.pointer.removesuffix(entry.found.inner), entry.value


def recognize(definition: Mapping[str, Any], key: str = "") -> Recognized | None:
    """Return the content of a definition in any provider's format, or None if the format is unknown.

    Args:
        definition: The definition, as JSON data.
        key: The key of the list that contains it, which some formats are recognized by.
    """
    for form in _forms():
        if _is_in_form(definition, form, key):
            return _recognized(definition, form)
    return None


@cache
def _forms() -> tuple[Form, ...]:
    """Return the formats of all dialects and, last, the plain one, whose schema is under any of their keys."""
    declared = list(dict.fromkeys(form for one in DECLARED.values() for form in one.forms))
    keys = dict.fromkeys(["/parameters", *(key for form in declared if not form.inner for key in form.schemas)])
    schemas = (*keys, "/args_schema")
    return (*declared, *(Form("plain", sign, "", schemas) for sign in ("/parameters", "/args_schema", "/name")))


@cache
def _lists() -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for one in DECLARED.values() for key in one.lists))


@cache
def _hosted() -> frozenset[str]:
    return frozenset().union(*(one.hosted for one in DECLARED.values()))


@cache
def forms_of(provider: str) -> frozenset[str]:
    """Return the names of the formats that a provider accepts unchanged."""
    known = DECLARED.get(provider) or OTHERS.get(provider)
    return frozenset(form.name for form in known.forms) if known else frozenset()


def _is_in_form(definition: Mapping[str, Any], form: Form, key: str) -> bool:
    is_listed = not form.lists or key in form.lists
    is_of_kind = not form.kind or definition.get("type") == form.kind
    has_sign = _find(definition, form.sign) is not None
    return is_listed and is_of_kind and has_sign and isinstance(_find(definition, form.inner), Mapping)


def _find(definition: Mapping[str, Any], pointer: str) -> Any:
    found: Any = definition
    for step in pointer.split("/")[1:]:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _recognized(definition: Mapping[str, Any], form: Form) -> Recognized:
    about = _find(definition, form.inner)
    schema = next((one for one in form.schemas if _has(definition, one)), form.schemas[0])
    parameters: Any = _find(definition, schema) if _has(definition, schema) else _NO_PARAMETERS
    strict = about.get("strict")
    return Recognized(
        form.name,
        form.inner,
        schema=schema,
        name=_name(about),
        description=_text(about.get("description")),
        parameters=form.read(dict(parameters)) if isinstance(parameters, Mapping) else {},
        strict=strict if isinstance(strict, bool) else None,
        options=_options(about),
    )


def _has(definition: Mapping[str, Any], pointer: str) -> bool:
    parent, _, key = pointer.rpartition("/")
    found = _find(definition, parent)
    return isinstance(found, Mapping) and key in found


def _name(about: Mapping[str, Any]) -> str:
    name = about.get("name")
    is_number = isinstance(name, int | float) and not isinstance(name, bool)
    return str(name) if is_number else _text(name)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _options(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hints, the examples and the schema of the result, as the fields of a specification."""
    annotations, output = about.get("annotations"), about.get("outputSchema")
    hints = annotations if isinstance(annotations, Mapping) else {}
    options: dict[str, Any] = {
        mark: hints[hint] for hint, mark in MCP_HINTS.items() if isinstance(hints.get(hint), bool)
    }
    if isinstance(output, Mapping):
        options["output_schema"] = output
    examples = next((found for key in EXAMPLES if isinstance(found := about.get(key), list)), [])
    return options | {"examples": tuple(one for one in examples if isinstance(one, Mapping))}


def _entries(value: Any, pointer: str, *, key: str, is_root: bool, is_of_name: bool) -> Iterator[Entry]:
    """Yield the entries of a part of a document.

    Args:
        value: The part.
        pointer: Its JSON pointer.
        key: The key of the innermost list or object around it.
        is_root: Whether it is the whole document.
        is_of_name: Whether an object around it has a name of its own.
    """
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _entries(inner, child(pointer, str(index)), key=key, is_root=False, is_of_name=is_of_name)
    elif isinstance(value, Mapping) and (keys := _keys_of_lists(value)):
        is_of_name = is_of_name or "name" in value
        for inner in keys:
            if _has_only_names(value[inner]) and value.keys() - {*keys} and not value.keys() & _OF_REQUESTS:
                continue
            yield from _entries(value[inner], child(pointer, inner), key=inner, is_root=False, is_of_name=is_of_name)
    elif not isinstance(value, Mapping):
        if not (isinstance(value, str) and is_of_name):
            yield Entry(pointer, value, None)
    elif not _is_hosted(value) and (_shows_a_tool(value, is_root=is_root) or not (is_root or is_of_name)):
        found = recognize(value, key)
        yield Entry(pointer if found is None else pointer + found.inner, value, found)


def _has_only_names(listed: Any) -> bool:
    """Whether a list mentions tools that are defined elsewhere, as a configuration of an agent does."""
    return isinstance(listed, list) and bool(listed) and all(isinstance(one, str) for one in listed)


def _keys_of_lists(value: Mapping[str, Any]) -> Sequence[str]:
    """Return the keys under which an object has tools; none for a definition."""
    if "name" in value and _shows_a_tool(value, is_root=True):
        return ()
    return [key for key in _lists() if isinstance(value.get(key), list) or _leads_to_tools(value.get(key))]


def _leads_to_tools(value: Any) -> bool:
    return isinstance(value, Mapping) and (_shows_a_tool(value, is_root=True) or bool(_keys_of_lists(value)))


def _is_hosted(value: Mapping[str, Any]) -> bool:
    """Return whether this is a tool of the provider itself, such as `{"type": "web_search"}`, without a definition."""
    if value and value.keys() <= _hosted():
        return True
    kind = value.get("type")
    return isinstance(kind, str) and kind not in _OWN_KINDS and not (_has_schema(value) or "description" in value)


def _shows_a_tool(value: Mapping[str, Any], *, is_root: bool) -> bool:
    """Return whether an object is a definition, judged by more than its name and description, which others have, too.

    In a whole document, the schema of the parameters has to look like one, since `parameters` may be about anything.
    """
    if any(form.inner and isinstance(_find(value, form.inner), Mapping) for form in _forms()):
        return True
    parameters = value.get("parameters")
    if is_root and isinstance(parameters, Mapping) and parameters and parameters.keys().isdisjoint(_OF_SCHEMAS):
        return False
    return value.get("type") in _OWN_KINDS or _has_schema(value)


def _has_schema(value: Mapping[str, Any]) -> bool:
    return any(_has(value, pointer) for pointer in _forms()[-1].schemas)
