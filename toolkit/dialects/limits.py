"""Limits: what a provider can set a limit to. Exports obey them, objections cite them, the guide prints them."""

from typing import Any, Generic, NamedTuple, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Source(NamedTuple):
    """Where a limit is stated: an address or the file of a provider's own library, and the day it was looked at."""

    place: str
    checked: str


class Limit(NamedTuple, Generic[T_co]):
    """One limit: its value, its description in words that finish "OpenAI: …", and its source."""

    value: T_co
    says: str
    source: Source


class Limits(NamedTuple):
    """What one provider takes; None means that it sets no such limit, or that none is known.

    Attributes:
        title: The provider as people call it.
        name: A regular expression that the whole name of a tool must match.
        name_length: The most characters of a name.
        name_length_sure: The most characters that every version of the provider takes, or that it does not change.
        prefix: What a client puts before a name, with `{server}` for the name of the server; it counts.
        prefix_length: The most characters of that which it keeps.
        parameter_name: A regular expression that the whole name of a parameter must match.
        root_parameter_name: The same, of the parameters of the tool alone, and not of objects inside.
        tools: The most tools of a request.
        tools_advised: The most tools that it advises.
        output: The type that a described output must have.
        root: Keywords that must not stand at the root of the parameters.
        root_object: Whether the root must say that its type is `object`.
        boolean_properties: Whether the schema of a property may be only true or false.
        keywords: The keywords of JSON Schema that an export uses; everything else goes into descriptions.
        formats: The values of `format` that it knows.
        items_wanted: An array must say what its items are.
        types_wanted: Every schema must say its type.
        one_type: `type` is one name, never a list.
        enum_types: The JSON types that the values of an enumeration may have.
        min_items: The values that `minItems` may have.
        look_around: Whether patterns may look ahead or behind.
        nested_pattern: Whether there may be a `pattern` inside the items of an array.
        closed: Every object must have `additionalProperties: false`.
        closed_if_empty: A tool without parameters should have it.
        all_required: Every property must be required.
        references: Where definitions may be referred to: `alone` means without other keywords beside the reference,
            `none` means nowhere.
        recursion: Whether a schema may refer to itself: `never`, or only where it is `optional`.
        depth: The most objects inside one another.
        properties: The most properties of one tool.
        enum_values: The most values in all enumerations of one tool.
        long_enum: Above 250 values, the most characters that the values of one enumeration may have together.
        characters: The most characters of all names, values of enumerations and constants of one tool.
        strict_tools: The most strict tools of a request.
        optional_parameters: The most parameters that may be left out, in all strict tools of a request.
        union_parameters: The most parameters with several types, in all strict tools of a request.
    """

    title: str
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
        """Return the limits that it does set, by the names of their attributes."""
        return {name: limit for name, limit in self._asdict().items() if isinstance(limit, Limit)}
