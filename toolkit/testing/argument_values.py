"""Makes arguments from the JSON Schema of a tool: valid ones for every keyword, and ones that break a single keyword.

Everything that is made is judged by the validator of `toolkit.schemas`, so a proposal here may be wrong; it is then
left out. The same schema and seed always give the same arguments, the simplest first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from random import Random
from typing import Any, Final, NamedTuple

from toolkit.json_texts import json_text
from toolkit.regex_checks import TooMuchWorkError
from toolkit.schemas.places import kind_of_data
from toolkit.schemas.schema import Schema
from toolkit.schemas.validation import Validator
from toolkit.testing.pattern_samples import samples_of

_MOST_FORMS: Final = 12
_DEEPEST: Final = 3
_LONGEST_LIST: Final = 40
_LARGEST: Final = 1_000
_LONGEST_TEXT: Final = 10_000
_FEW: Final = 4
_TINY: Final = 1e-9
_OF_SINGLES: Final = 0.8
"""The share of the arguments in which one value differs; in the others, several do."""
_NOTHING: Final = object()


class Input(NamedTuple):
    """Arguments for one call.

    Attributes:
        arguments: The arguments.
        breaks: The keyword that they violate, with its place, such as `minLength of city`; empty if they are valid.
        origin: Why they were made.
    """

    arguments: dict[str, Any]
    breaks: str = ""
    origin: str = "generated"


class ArgumentMaker:
    """Makes arguments for one schema."""

    def __init__(self, parameters: Mapping[str, Any], seed: str) -> None:
        """Prepare a maker.

        Args:
            parameters: The schema of the arguments.
            seed: Determines which combinations are tried after those of single values.

        Raises:
            ValueError: If the schema is malformed.
        """
        self._root = Schema.of(parameters)
        self._validator = Validator(parameters, foreign=True)
        self._random = Random(seed)  # noqa: S311 - this is no secret

    def accepts(self, arguments: Any) -> bool:
        """Return whether arguments are valid."""
        return self._misfits(arguments) == []

    def valid(self, most: int) -> list[dict[str, Any]]:
        """Return different valid arguments, the simplest first."""
        found: dict[str, dict[str, Any]] = {}
        singles = self._single_changes()
        for proposals, share in ((singles, _OF_SINGLES), (self._combinations(most), 1), (singles, 1)):
            for proposal in proposals:
                if isinstance(proposal, dict) and (key := json_text(proposal)) not in found and self.accepts(proposal):
                    found[key] = proposal
                if len(found) >= most * share:
                    break
        return list(found.values())[:most]

    def broken(self, bases: Sequence[Mapping[str, Any]]) -> list[Input]:
        """Return arguments that violate one keyword in one place, for each keyword and place that the bases reach."""
        found: dict[tuple[Any, ...], Input] = {}
        for base in bases:
            for place, value in _places(base):
                for other in self._near(place, value):
                    arguments = _replaced(base, place, other)
                    misfits = self._misfits(arguments)
                    if misfits is None or len(misfits) != 1:
                        continue
                    where, word = misfits[0].path, misfits[0].keyword
                    if word not in {"additionalProperties", "unevaluatedProperties"}:  # extra members do no harm
                        name = ".".join(map(str, where))
                        known = (*where, word)
                        found.setdefault(known, Input(arguments, f"{word} of {name}" if name else word))
        return list(found.values())

    def _misfits(self, arguments: Any) -> list[Any] | None:
        try:
            return self._validator.misfits(arguments)
        except TooMuchWorkError:
            return None

    def _single_changes(self) -> Iterator[Any]:
        """Yield the required members, all members, and these with one other value for a member."""
        for form in _forms(self._root, 0):
            yield from _objects(form, 0, every=True)

    def _combinations(self, most: int) -> Iterator[Any]:
        for form in _forms(self._root, 0):
            members = {name: _values(part, 1) for name, part in _members(form).items()}
            for _ in range(most * 4):
                required = form.keywords.get("required", ())
                names = [one for one in members if one in required or self._random.random() < 0.7]  # noqa: PLR2004
                yield {name: self._random.choice(members[name]) for name in names if members[name]}

    def _near(self, place: tuple[Any, ...], value: Any) -> Iterator[Any]:
        """Yield values that are just outside of what is allowed in a place, and values of other types."""
        if place and isinstance(place[-1], str):
            yield _NOTHING
        for form in _forms_at(self._root, place):
            yield from _just_outside(form.keywords, value)
        yield from ({}, [], "text", 0.5, -1, True, None, "%", {"a": {}}, [[]])


def _objects(form: Schema, depth: int, *, every: bool = False) -> Iterator[dict[str, Any]]:
    members = {name: values for name, part in _members(form).items() if (values := _values(part, depth + 1))}
    required = form.keywords.get("required", ())
    least = {name: members[name][0] for name in members if name in required}
    whole = {name: values[0] for name, values in members.items()}
    yield from (least, whole, *_with_others(form, least, depth), *_with_others(form, whole, depth))
    for name in members:
        yield {**least, name: members[name][0]}
    others = [[(name, value) for value in values[1:]] for name, values in members.items()]
    for count, (name, value) in enumerate(one for row in zip_longest(*others) for one in row if one is not None):
        if not every and count >= _FEW:
            return
        yield {**(whole if name in least else least), name: value}


def _with_others(form: Schema, members: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    """Yield members together with some that have no schema of their own."""
    keywords = form.keywords
    for pattern, node in (keywords.get("patternProperties") or {}).items():
        values = _values(form.part(("patternProperties", pattern), node), depth + 1)
        yield from ({**members, name: values[0]} for name in samples_of(pattern)[:2] if values)
    others = keywords.get("additionalProperties")
    if isinstance(others, Mapping) or (others is True and not keywords.get("properties")):
        values = _values(form.part(("additionalProperties",), others), depth + 1) or [1]
        least = max(2, keywords.get("minProperties", 0) - len(members))
        names = ("key", "other key", "ключ", *(f"key{number}" for number in range(4, least + 1)))
        yield {**members, "key": values[0]}
        yield {**members, **{name: values[at % len(values)] for at, name in enumerate(names[: max(3, least)])}}


def _members(form: Schema) -> dict[str, Schema]:
    properties = form.keywords.get("properties")
    named = properties if isinstance(properties, Mapping) else {}
    return {name: form.part(("properties", name), node) for name, node in named.items()}


def _values(part: Schema, depth: int) -> list[Any]:
    """Return different values that a part proposes, typical ones first; each form of a union has its turn."""
    rows = [list(_of_form(form, depth)) for form in _forms(part, depth)]
    found: dict[str, Any] = {}
    for value in chain.from_iterable(zip_longest(*rows, fillvalue=_NOTHING)):
        if value is not _NOTHING:
            found.setdefault(f"{kind_of_data(value)}{json_text(value)}", value)
    return list(found.values())[: _FEW * 2 if depth > 1 else None]


def _of_form(form: Schema, depth: int) -> Iterator[Any]:
    keywords = form.keywords
    if "const" in keywords:
        yield keywords["const"]
        return
    if isinstance(keywords.get("enum"), list | tuple):
        yield from keywords["enum"]
        return
    given = [*_listed(keywords.get("examples")), *([keywords["default"]] if "default" in keywords else [])]
    yield from (one for one in given if one is not None)
    rows = [[*_of_kind(kind, form, depth)] for kind in _kinds(keywords)]
    yield from (one for row in zip_longest(*rows, fillvalue=_NOTHING) for one in row if one is not _NOTHING)


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else ()


def _kinds(keywords: Mapping[str, Any]) -> list[str]:
    types = keywords.get("type")
    if types is not None:
        return [types] if isinstance(types, str) else list(types)
    for kind, words in _WORDS.items():
        if not words.isdisjoint(keywords):
            return [kind]
    return ["string", "integer", "object", "array", "boolean", "null", "number"]


_WORDS: Final = {
    "object": {"properties", "required", "additionalProperties", "patternProperties", "minProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"},
    "string": {"minLength", "maxLength", "pattern", "format"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}


def _of_kind(kind: str, form: Schema, depth: int) -> Iterator[Any]:
    match kind:
        case "string":
            return _texts(form.keywords)
        case "integer" | "number":
            return _numbers(form.keywords, whole=kind == "integer")
        case "boolean":
            return iter((True, False))
        case "null":
            return iter((None,))
        case "array":
            return (one for one in _lists(form, depth) if not form.keywords.get("uniqueItems") or _is_unique(one))
        case _:
            least, most = form.keywords.get("minProperties", 0), form.keywords.get("maxProperties", _LARGEST)
            return (one for one in _objects(form, depth) if least <= len(one) <= most)


def _is_unique(values: list[Any]) -> bool:
    return len({json_text(one) for one in values}) == len(values)


_TEXTS: Final = (
    "text", "", "a", " ", "two words", "0", "-1", "3.5", "a,b", "a:b", "a=b", "/", "a/b.txt", "{}", "[1]",
    "line\nbreak", "Žluťoučký kůň 🐎", "\u0661", "e\u0301\u200b", "'\"\\%s{0}<&>", "null", "a\tb", "x" * 300,
)  # fmt: skip
_FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "date": ("2026-02-28", "2024-02-29", "1970-01-01", "0001-01-01", "9999-12-31"),
    "date-time": ("2026-02-28T12:30:00Z", "2024-02-29T23:59:59.999+14:00", "1970-01-01T00:00:00Z"),
    "time": ("12:30:00Z", "00:00:00Z", "23:59:59.5+01:00"),
    "duration": ("PT5M", "P1D", "PT0S"),
    "email": ("a@example.com", "a.b+c@example.co.uk"),
    "hostname": ("example.com", "localhost"),
    "ipv4": ("192.0.2.1", "0.0.0.0"),  # noqa: S104 - no address to listen on
    "ipv6": ("2001:db8::1", "::"),
    "uri": ("https://example.com/", "https://example.com/a%20b?c=d#e"),
    "url": ("https://example.com/", "https://example.com/a%20b?c=d#e"),
    "uuid": ("123e4567-e89b-42d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"),
    "regex": ("a+", ""),
    "json-pointer": ("/a", ""),
    "decimal": ("0", "-1.50"),
}


def _texts(keywords: Mapping[str, Any]) -> Iterator[str]:
    least, most = keywords.get("minLength", 0), min(keywords.get("maxLength", _LONGEST_TEXT), _LONGEST_TEXT)
    if isinstance(keywords.get("format"), str) and keywords["format"] in _FORMATS:
        yield from _FORMATS[keywords["format"]]
        return
    if isinstance(keywords.get("pattern"), str):
        yield from samples_of(keywords["pattern"])
    if least > 1:
        yield _text_of(least)
    fitting = [text for text in _TEXTS if least <= len(text) <= most]
    yield from fitting[:1]
    if "maxLength" in keywords:
        yield _text_of(most)
    yield from fitting[1:]


def _text_of(length: int) -> str:
    return ("abcdefghij" * (length // 10 + 1))[:length]


def _numbers(keywords: Mapping[str, Any], *, whole: bool) -> Iterator[float]:
    step = keywords.get("multipleOf", 1 if whole else 0.5) or 1
    low = max((keywords[one] for one in ("minimum", "exclusiveMinimum") if _is_number(keywords.get(one))), default=None)
    high = min(
        (keywords[one] for one in ("maximum", "exclusiveMaximum") if _is_number(keywords.get(one))), default=None
    )
    proposals: list[float] = [1, 0, 2, 7, -1, 10, step, -step, 100, 1_000_000, -1_000_000]
    if not whole:
        proposals += [1.5, 0.1, -0.5, 1e-9, 123456.789]
    if low is not None:
        proposals = [low, low + step, low + 2 * step, low - low % step + step, *proposals]
    if high is not None:
        proposals = [*proposals[:4], high, high - step, high - high % step, *proposals[4:]]
    if low is not None and high is not None:
        proposals.insert(1, (low + high) // 2 if whole else (low + high) / 2)
    proposals += [one * step for one in (1, 2, 3)]
    for one in proposals:
        is_within = (low is None or one >= low) and (high is None or one <= high)
        is_end = one in {keywords.get("exclusiveMinimum"), keywords.get("exclusiveMaximum")}
        if is_within and not is_end and ("multipleOf" not in keywords or abs(one / step - round(one / step)) < _TINY):
            yield int(one) if whole or float(one).is_integer() else one


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lists(form: Schema, depth: int) -> Iterator[list[Any]]:
    keywords = form.keywords
    prefix = [
        _values(form.part(("prefixItems", at), node), depth + 1)
        for at, node in enumerate(_listed(keywords.get("prefixItems")))
    ]
    first = [values[0] for values in prefix if values]
    node = keywords.get("items", True)
    items = [] if node is False else _values(form.part(("items",), node), depth + 1)
    least = max(keywords.get("minItems", 0) - len(first), 0)
    if first:
        yield first
        yield from ([*first[:at], value, *first[at + 1 :]] for at, values in enumerate(prefix) for value in values[1:3])
    if not items:
        yield []
        return
    yield first + [items[at % len(items)] for at in range(max(least, 1))]
    yield first + items[:least] if len(items) >= least else first + items
    yield first + items[: max(least, 3)]
    yield first + [items[0]] * max(least, 2)
    yield from ([*first, value, *items[: max(least - 1, 0)]] for value in items[1 : 4 * _FEW])
    longest = min(keywords.get("maxItems", _LONGEST_LIST), _LONGEST_LIST)
    yield first + [items[at % len(items)] for at in range(longest - len(first))]


# -------------------------------------------------------------------------------------------------- forms of a schema


def _forms(part: Schema, depth: int) -> list[Schema]:
    """Return the schemas of which a value has to match one, without references and unions."""
    if part.node is False or depth > 2 * _DEEPEST:
        return []
    target = part.resolved()
    if target is None:
        return []
    beside = {word: value for word, value in part.keywords.items() if target is not part and not word.startswith("$")}
    whole = _merged(dict(target.keywords), beside)
    forms = [{word: value for word, value in whole.items() if word not in _APPLICATORS}]
    every = [target.part(("allOf", at), node) for at, node in enumerate(_listed(whole.get("allOf")))]
    for one in every:
        forms = [_merged(form, other.keywords) for form in forms for other in _forms(one, depth + 1)]
    for word in ("anyOf", "oneOf"):
        branches = [target.part((word, at), node) for at, node in enumerate(_listed(whole.get(word)))]
        if branches:
            found = [other for one in branches for other in _forms(one, depth + 1)]
            forms = [_merged(form, other.keywords) for other in found for form in forms]
    for word in ("then", "else"):
        if isinstance(whole.get(word), Mapping):
            condition: Mapping[str, Any] = (whole.get("if") if word == "then" else None) or {}
            forms += [_merged(_merged(form, whole[word]), condition) for form in forms[:_FEW]]
    return [Schema(target.root, form, target.pointer) for form in forms[:_MOST_FORMS]]


_APPLICATORS: Final = {"allOf", "anyOf", "oneOf", "if", "then", "else", "$ref", "$defs", "definitions", "not"}


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of two schemas together; where both have one, mostly that of the second."""
    both = {**one, **other}
    if isinstance(one.get("properties"), Mapping) and isinstance(other.get("properties"), Mapping):
        both["properties"] = {**one["properties"], **other["properties"]}
    if isinstance(one.get("required"), list | tuple) and isinstance(other.get("required"), list | tuple):
        both["required"] = [*dict.fromkeys([*one["required"], *other["required"]])]
    if isinstance(one.get("enum"), list | tuple) and isinstance(other.get("enum"), list | tuple):
        both["enum"] = [value for value in one["enum"] if value in other["enum"]]
    return both


def _forms_at(root: Schema, place: Sequence[Any]) -> list[Schema]:
    """Return the forms of the schemas for a place in a value."""
    forms = _forms(root, 0)
    for step in place:
        inner = [one for form in forms if (one := _inside(form, step)) is not None]
        forms = [found for one in inner for found in _forms(one, 0)][:_MOST_FORMS]
    return forms


def _inside(form: Schema, step: Any) -> Schema | None:
    if isinstance(step, str):
        return _members(form).get(step)
    prefix = _listed(form.keywords.get("prefixItems"))
    if step < len([*prefix]):
        return form.part(("prefixItems", step), [*prefix][step])
    return form.part(("items",), form.keywords["items"]) if isinstance(form.keywords.get("items"), Mapping) else None


# ------------------------------------------------------------------------------------------------------ broken values


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if place:
        yield place, value
    if len(place) >= _DEEPEST:
        return
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _places(one, (*place, name))
    elif isinstance(value, list) and value:
        yield from _places(value[0], (*place, 0))


def _replaced(value: Any, place: Sequence[Any], other: Any) -> Any:
    """Return a copy of a value with another one in a place, or without it."""
    step, *rest = place
    if isinstance(value, Mapping):
        copy = dict(value)
        if not rest and other is _NOTHING:
            del copy[step]
        else:
            copy[step] = _replaced(value[step], rest, other) if rest else other
        return copy
    inner = _replaced(value[step], rest, other) if rest else other
    return [*value[:step], *([] if inner is _NOTHING else [inner]), *value[step + 1 :]]


def _just_outside(keywords: Mapping[str, Any], value: Any) -> Iterator[Any]:
    for word, limit in keywords.items():
        match word, value:
            case "minimum" | "exclusiveMinimum", _ if _is_number(limit):
                yield from (limit, limit - 1)
            case "maximum" | "exclusiveMaximum", _ if _is_number(limit):
                yield from (limit, limit + 1)
            case "multipleOf", int() | float() if _is_number(limit):
                yield from (value + 1, value + limit / 2)
            case "minLength", str() if limit > 0:
                yield value[: limit - 1]
            case "maxLength", str() if limit < _LONGEST_TEXT:
                yield _text_of(limit + 1)
            case "minItems", list() if limit > 0:
                yield value[: limit - 1]
            case "maxItems", list() if value and limit < _LONGEST_LIST:
                yield [value[at % len(value)] for at in range(limit + 1)]
            case "uniqueItems", list() if value:
                yield [*value, value[0]]
            case _:
                pass
