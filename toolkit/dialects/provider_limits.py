"""The limits that a provider can set, and what an export changed because of them or could not fix."""

from typing import Any, Generic, NamedTuple, TypeVar

from toolkit.codes import UNSUPPORTED_KEYWORD
from toolkit.problems import Severity

T_co = TypeVar("T_co", covariant=True)


class Source(NamedTuple):
    """The source of a limit: a URL or a file of the provider's own library, and the day it was checked."""

    place: str
    checked: str


class Limit(NamedTuple, Generic[T_co]):
    """One limit: its value, a description that completes "OpenAI: …", and its source."""

    value: T_co
    says: str
    source: Source


class Limits(NamedTuple):
    """The limits of one provider; None means that it sets no such limit, or that none is known.

    Attributes:
        title: The usual name of the provider.
        base: The name of the limits to which these are compared in lists; empty if there are none.
        name: A regular expression that must match the whole name of a tool.
        name_length: Maximum number of characters in a name.
        name_length_sure: Maximum number of characters that every version accepts, or that are kept unchanged.
        prefix: The prefix that a client adds to a name, which counts. `{server}` is the name of the server.
        prefix_length: Maximum number of characters in the prefix; the rest is cut.
        parameter_name: A regular expression that must match the whole name of a parameter.
        root_parameter_name: The same, but only for the tool's own parameters, not for members of nested objects.
        tools: Maximum number of tools in a request.
        tools_advised: Recommended maximum number of tools in a request.
        output: The type that an output schema must have.
        root: Keywords that are not allowed at the root of the parameters.
        root_object: Whether the root must declare the type `object`.
        boolean_properties: Whether the schema of a property may be just true or false.
        keywords: The keywords of JSON Schema that an export uses; everything else goes into descriptions.
        formats: The values of `format` that it supports.
        items_wanted: Whether an array must describe its items.
        types_wanted: Whether every schema must declare its type.
        one_type: Whether `type` must be a single name instead of a list.
        enum_types: The JSON types that enum values may have.
        min_items: The values that `minItems` may have.
        look_around: Whether patterns may use lookahead or lookbehind.
        nested_pattern: Whether `pattern` is allowed inside the items of an array.
        closed: Whether every object must have `additionalProperties: false`.
        closed_if_empty: Whether a tool without parameters should have it.
        all_required: Whether every property must be required.
        references: Where references are allowed: `alone` means without other keywords next to them, `none` means
            nowhere.
        recursion: Whether a schema may refer to itself: `never`, or only where it is `optional`.
        depth: Maximum depth of nested objects.
        properties: Maximum number of properties in one tool.
        enum_values: Maximum number of values in all enums of one tool.
        long_enum: Maximum number of characters in all values of an enum with more than 250 values.
        characters: Maximum number of characters in all names, enum values and constants of one tool.
        strict_tools: Maximum number of strict tools in a request.
        optional_parameters: Maximum number of optional parameters in all strict tools of a request.
        union_parameters: Maximum number of parameters with several types in all strict tools of a request.
    """

    title: str
    base: str = ""
    name: Limit[str] | None = None
    name_length: Limit[int] | None = None
    name_length_sure: Limit[int] | None = None
    prefix: Limit[str] | None = None
    prefix_length: Limit[int] | None = None
    parameter_name: Limit[str] | None = None
    root_parameter_name: Limit[str] | None = None
    tools: Limit[int] | None = None
    tools_advised: Limit[int] | None = None
    output: Limit[str] | None = None
    root: Limit[frozenset[str]] | None = None
    root_object: Limit[bool] | None = None
    boolean_properties: Limit[bool] | None = None
    keywords: Limit[frozenset[str]] | None = None
    formats: Limit[frozenset[str]] | None = None
    items_wanted: Limit[bool] | None = None
    types_wanted: Limit[bool] | None = None
    one_type: Limit[bool] | None = None
    enum_types: Limit[frozenset[str]] | None = None
    min_items: Limit[tuple[int, ...]] | None = None
    look_around: Limit[bool] | None = None
    nested_pattern: Limit[bool] | None = None
    closed: Limit[bool] | None = None
    closed_if_empty: Limit[bool] | None = None
    all_required: Limit[bool] | None = None
    references: Limit[str] | None = None
    recursion: Limit[str] | None = None
    depth: Limit[int] | None = None
    properties: Limit[int] | None = None
    enum_values: Limit[int] | None = None
    long_enum: Limit[int] | None = None
    characters: Limit[int] | None = None
    strict_tools: Limit[int] | None = None
    optional_parameters: Limit[int] | None = None
    union_parameters: Limit[int] | None = None

    def stated(self) -> dict[str, Limit[Any]]:
        """Return the limits that are set, by the names of their attributes."""
        return {name: limit for name, limit in self._asdict().items() if isinstance(limit, Limit)}


class Change(NamedTuple):
    """One difference between an export and the specification.

    Attributes:
        pointer: The location, as a JSON pointer into the specification as JSON: `/parameters/properties/city`.
        what: What was changed, such as `made required; null means left out`.
        limit: The reason: the provider's limit, with its source and the day it was checked.
        code: The rule that reports it if the definition is sent unchanged; empty if that is possible.
    """

    pointer: str
    what: str
    limit: Limit[Any]
    code: str = UNSUPPORTED_KEYWORD


class Objection(NamedTuple):
    """Something that a provider refuses or misreads, and that no export can fix.

    Attributes:
        code: The rule that reports it, such as `TK102`.
        pointer: The location, as a JSON pointer into the specification or the definition that was checked.
        message: What is wrong, with the offending name in single quotes, and no full stop.
        severity: An `error` if the provider refuses the request, a `warning` if a part of the tool is lost.
        limit: The provider's limit, with its source and the day it was checked.
        hint: How to fix it.
    """

    code: str
    pointer: str
    message: str
    severity: Severity
    limit: Limit[Any]
    hint: str | None = None


def refusal(code: str, pointer: str, message: str, limit: Limit[Any], hint: str | None = None) -> Objection:
    """Return the objection, an error, to something that a provider refuses."""
    return Objection(code, pointer, message=message, severity="error", limit=limit, hint=hint)


class Notes:
    """The changes and objections of an export, each of them once."""

    def __init__(self) -> None:
        self._changes: dict[Change, None] = {}
        self._objections: dict[tuple[str, str, str], Objection] = {}

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes, in the order in which they were made."""
        return tuple(self._changes)

    @property
    def objections(self) -> tuple[Objection, ...]:
        """The objections to what could not be fixed."""
        return tuple(self._objections.values())

    def changed(self, pointer: str, what: str, limit: Limit[Any], code: str = UNSUPPORTED_KEYWORD) -> None:
        self._changes.setdefault(Change(pointer, what, limit, code))

    def object_to(self, objection: Objection) -> None:
        """Record what cannot be fixed."""
        self._objections.setdefault((objection.code, objection.pointer, objection.message), objection)
