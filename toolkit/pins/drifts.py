"""Describes how a tool's definition has changed, and what the change breaks.

A change is breaking if a valid call now fails, if the result has another form, or if a hint changes, since a question
then disappears, or a new one stops an unattended run. Other changes that programs see are compatible. Changes that
only a model reads are text.

For tools of MCP servers, every difference counts, even one that no program notices, such as the name of a shared
definition: a server could put instructions for a model there.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from toolkit.approvals.policies import endpoint_of
from toolkit.codes import DEFINITION_DRIFT
from toolkit.pins.sameness import TEXTS, Sameness, bare_keyword, resolved
from toolkit.pins.word_diffs import by_its_ends, word_diff
from toolkit.problems import Location, Problem, Severity
from toolkit.schemas.keywords import DEFINITIONS, LOWER_BOUNDS, UPPER_BOUNDS, is_number
from toolkit.schemas.places import name_at, reference_in, types_of
from toolkit.schemas.schema import DEEPEST, Schema
from toolkit.visibility import visible_json

Kind = Literal["breaking", "compatible", "text"]
Entry = Mapping[str, Any]

_COMPARED = {"type", "properties", "required", "enum", "const", "additionalProperties", "default", "$ref", "anyOf",
             *DEFINITIONS, *TEXTS, *LOWER_BOUNDS, *UPPER_BOUNDS}  # fmt: skip
"""The keywords that are compared by a dedicated method."""
_UNORDERED = {"required", "enum", "type"}
_UNIONS = {"oneOf", "allOf"}
_SHOWN = 3
_MOST_WHOLE = 200
"""The longest message that quotes a text before and after its change; of longer texts, only changed words are shown."""
FROM = "from"
"""The key of an entry with the server's name for a tool, `server.tool`; tools of this process have none."""
SECRETS = "secrets"
"""The key of an entry with the digest of the secrets that a server's definition contains."""
_RANKS: dict[Kind, int] = {"breaking": 0, "compatible": 1, "text": 2}
_SEVERITIES: dict[Kind, Severity] = {"breaking": "error", "compatible": "info", "text": "warning"}
HEADINGS: dict[Kind, str] = {"breaking": "breaking", "compatible": "compatible", "text": "text only"}
"""How messages name each kind of change."""


class Change(NamedTuple):
    """One change: its kind, and a description."""

    kind: Kind
    what: str


class Drift(NamedTuple):
    """The changes of one tool."""

    name: str
    changes: tuple[Change, ...]

    @property
    def kind(self) -> Kind:
        """The most severe kind among the changes."""
        return min((change.kind for change in self.changes), key=_RANKS.__getitem__)


def drifts_between(before: Mapping[str, Entry], now: Mapping[str, Entry]) -> list[Drift]:
    """Return the differences between two sets of definitions, each by tool name."""
    found = []
    for name in sorted({*before, *now}):
        if name not in now:
            changes = [Change("breaking", "the tool was removed")]
        elif name not in before:
            described = now[name].get("description")
            changes = [Change("compatible", _new("the tool is new", described) if described else "the tool is new")]
        else:
            changes = changes_between(before[name], now[name])
        if changes:
            found.append(Drift(name, tuple(changes)))
    return found


def changes_between(before: Entry, now: Entry) -> list[Change]:
    """Return the differences between two definitions of one tool, the most severe first."""
    changes = [*_moved(before, now), *_describe(before, now), *_hinted(before, now)]
    changes += [*_accepted(before, now), *_returned(before, now)]
    if not changes and (FROM in before or FROM in now):
        changes += _rewritten(before, now)
    return sorted(dict.fromkeys(changes), key=lambda change: _RANKS[change.kind])


def problems_of(drift: Drift, place: Location | None, hint: str) -> Iterator[Problem]:
    """Yield every change of a tool as a problem; a breaking change is an error."""
    for change in drift.changes:
        message = f"tool {drift.name!r}: {change.what} ({HEADINGS[change.kind]})"
        yield Problem(DEFINITION_DRIFT, message, place, _SEVERITIES[change.kind], hint)


def in_short(changes: Sequence[Change]) -> str:
    """Return a one-line summary: the first few changes, and the number of the others."""
    text = "; ".join(change.what for change in changes[:_SHOWN])
    return f"{text}; and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else text


def _describe(before: Entry, now: Entry) -> Iterator[Change]:
    if before.get("description") != now.get("description"):
        yield Change("text", _changed("the description", before.get("description"), now.get("description")))
    if before.get("examples") != now.get("examples"):
        yield Change("text", _changed("the examples", before.get("examples"), now.get("examples"), are_several=True))
    if before.get("title") != now.get("title"):
        yield Change("text", _changed("the title", before.get("title"), now.get("title")))
    if before.get("icons") != now.get("icons"):
        yield Change("text", _changed("the icons", before.get("icons"), now.get("icons"), are_several=True))
    if before.get(SECRETS) != now.get(SECRETS):
        yield Change("text", "the secrets in the definition have changed")


def _origin(name: str | None) -> str:
    if name is None:
        return "a tool without a server"
    return f"the operation '{name}'" if endpoint_of([name]) else f"the server's tool '{name}'"


def _moved(before: Entry, now: Entry) -> Iterator[Change]:
    """Yield that a name now stands for another tool."""
    old, new = before.get(FROM), now.get(FROM)
    if old != new:
        yield Change("breaking", f"it was {_origin(old)}, and is {_origin(new)}")


def _rewritten(before: Entry, now: Entry) -> Iterator[Change]:
    """Yield which parts of a definition are written in another way, although programs understand the same."""
    for key in sorted({*before, *now}):
        if _in_order(before.get(key)) != _in_order(now.get(key)):
            how = word_diff(_shown(before.get(key)), _shown(now.get(key)))
            yield Change("text", f"'{key}' is written in another way: {how}")


def _in_order(node: Any, key: str = "") -> str:
    """Return data as JSON text, without the order of what has none."""
    if isinstance(node, Mapping):
        return json.dumps({name: _in_order(inner, name) for name, inner in node.items()}, sort_keys=True)
    if isinstance(node, list | tuple):
        inner = [_in_order(one) for one in node]
        return json.dumps(sorted(inner) if key in _UNORDERED else inner)
    return json.dumps(node)


_DEFAULT_HINTS: dict[str, bool | None] = {
    "read_only": False,
    "destructive": None,
    "idempotent": False,
    "open_world": None,
    "requires_approval": False,
    "flow": None,
}
"""The value of each hint that is not set."""


def _hinted(before: Entry, now: Entry) -> Iterator[Change]:
    """Yield every hint that has changed: one direction removes a question, the other adds one."""
    old, new = before.get("hints", {}), now.get("hints", {})
    for hint, default in _DEFAULT_HINTS.items():
        was, becomes = old.get(hint, default), new.get(hint, default)
        if was != becomes:
            yield Change("breaking", f"'{hint}' was {_value(was)}, and is {_value(becomes)}")


def _accepted(before: Entry, now: Entry) -> Iterator[Change]:
    yield from _Comparison(before.get("parameters", {}), now.get("parameters", {}), is_output=False).changes()


def _returned(before: Entry, now: Entry) -> Iterator[Change]:
    old, new = before.get("output_schema"), now.get("output_schema")
    if old is None and new is not None:
        yield Change("compatible", _new("a result schema was added", new))
    elif old is not None and new is None:
        yield Change("breaking", "the result schema was removed")
    elif old is not None and new is not None:
        yield from _Comparison(old, new, is_output=True).changes()


class _Comparison:
    """Compares two schemas. An input must not accept less than before, and an output must not return more."""

    def __init__(self, before: Entry, now: Entry, *, is_output: bool) -> None:
        self._before = Schema.of(before)
        self._now = Schema.of(now)
        self._wider: Kind = "breaking" if is_output else "compatible"
        self._narrower: Kind = "compatible" if is_output else "breaking"
        self._is_output = is_output
        self._compared: set[tuple[str, str]] = set()

    def changes(self) -> Iterator[Change]:
        yield from self._compare(self._before, self._now, "", 0)

    def _compare(self, before: Schema, now: Schema, path: str, depth: int) -> Iterator[Change]:
        references = reference_in(before.node) or "", reference_in(now.node) or ""
        if references in self._compared:
            return  # compare recursive schemas once
        if all(references):
            self._compared.add(references)
        before, now = resolved(before), resolved(now)
        if (before.node == now.node and not any(references) and not _refers(before)) or depth > DEEPEST:
            return
        if False in (before.node, now.node):
            yield Change("breaking", _changed(f"the schema of {self._label(path)}", before.node, now.node))
            return
        yield from self._texts(before.keywords, now.keywords, path)
        if "anyOf" in before.keywords or "anyOf" in now.keywords:
            yield from self._branches(before, now, path, depth)
            if "anyOf" not in before.keywords or "anyOf" not in now.keywords:
                return  # keywords beside `anyOf` were compared as its branch
        yield from self._types(before.keywords, now.keywords, path)
        yield from self._values(before, now, path)
        yield from self._bounds(before.keywords, now.keywords, path)
        yield from self._members(before, now, path, depth)
        yield from self._others(before, now, path, depth)
        yield from self._rest(before, now, path, depth)
        yield from self._definitions(before, now, path, depth)

    def _definitions(self, before: Schema, now: Schema, path: str, depth: int) -> Iterator[Change]:
        """Yield the changes of definitions that nothing refers to: a model still reads them."""
        referred = {reference for pair in self._compared for reference in pair}
        for room in DEFINITIONS:
            old, new = _named_parts(before, room), _named_parts(now, room)
            for name in sorted(name for name in {*old, *new} if path or f"#/{room}/{name}" not in referred):
                inner = f"{path}.{room}.{name}" if path else f"{room}.{name}"
                if name in old and name in new:
                    yield from self._compare(old[name], new[name], inner, depth + 1)
                else:
                    called = self._label(inner)
                    gone = f"{called} is no longer there"
                    yield Change("text", _new(f"{called} is new", new[name].node) if name in new else gone)

    def _texts(self, before: Entry, now: Entry, path: str) -> Iterator[Change]:
        for key in TEXTS:
            if before.get(key) != now.get(key):
                what = f"the {key.lstrip('$')} of {self._label(path)}"
                yield Change("text", _changed(what, before.get(key), now.get(key)))
        old, new = (_shown(one["default"]) if "default" in one else "not set" for one in (before, now))
        if old != new:
            what = f"the default of {self._label(path)}"
            both = f"{what} was {old}, and is {new}"
            yield Change(
                "compatible", both if len(both) <= _MOST_WHOLE else f"{what} has changed: {word_diff(old, new)}"
            )

    def _branches(self, before: Schema, now: Schema, path: str, depth: int) -> Iterator[Change]:
        """Yield the changes of a union; any other schema counts as a union with one branch."""
        same = Sameness()
        old, new = ([(same.name_of(one), one) for one in _branches_of(union)] for union in (before, now))
        old, new = (sorted(named, key=itemgetter(0)) for named in (old, new))  # their order means nothing
        was, becomes = ([name for name, _ in named] for named in (old, new))
        if was != becomes:
            is_wider, is_narrower = all(one in becomes for one in was), all(one in was for one in becomes)
            kind: Kind = "text" if is_wider and is_narrower else self._wider if is_wider else "breaking"
            if is_narrower and not is_wider:
                kind = self._narrower
            what = f"the types of {self._label(path)}"
            yield Change(kind, _changed(what, before.node, now.node, are_several=True))
        elif "anyOf" in before.keywords and "anyOf" in now.keywords:
            for (_, one), (_, other) in zip(old, new, strict=True):  # they differ only in texts for the model
                yield from self._compare(one, other, path, depth + 1)

    def _types(self, before: Entry, now: Entry, path: str) -> Iterator[Change]:
        old, new = (set(types_of(schema)) or None for schema in (before, now))
        if old == new:
            return
        is_wider = new is None or (old is not None and old < new) or (old == {"integer"} and new == {"number"})
        is_narrower = old is None or (new is not None and new < old) or (old == {"number"} and new == {"integer"})
        kind = self._wider if is_wider else self._narrower if is_narrower else "breaking"
        yield Change(kind, f"the type of {self._label(path)} was {_named(old)}, and is {_named(new)}")

    def _values(self, before: Schema, now: Schema, path: str) -> Iterator[Change]:
        old, new = _values_of(before), _values_of(now)
        if old is None and new is not None:
            yield Change(self._narrower, f"{self._label(path)} may only be {', '.join(new)}")
        elif old is not None and new is None:
            yield Change(self._wider, f"{self._label(path)} may be any value")
        else:
            gone, added = set(old or ()) - set(new or ()), set(new or ()) - set(old or ())
            for value in sorted(gone):
                yield Change(self._narrower, f"{self._label(path)} can no longer be {value}")
            for value in sorted(added):
                yield Change(self._wider, f"{self._label(path)} can be {value}")

    def _bounds(self, before: Entry, now: Entry, path: str) -> Iterator[Change]:
        for key in (*LOWER_BOUNDS, *UPPER_BOUNDS):
            old, new = before.get(key), now.get(key)
            if old != new:
                is_looser = new is None or (is_number(old) and is_number(new) and (new < old) == (key in LOWER_BOUNDS))
                what = f"'{key}' of {self._label(path)} was {_value(old)}, and is {_value(new)}"
                yield Change(self._wider if is_looser else self._narrower, what)

    def _members(self, before: Schema, now: Schema, path: str, depth: int) -> Iterator[Change]:
        old, new = _named_parts(before, "properties"), _named_parts(now, "properties")
        needed, needs = (_names(part.keywords.get("required")) for part in (before, now))
        for name in sorted({*old, *new}):
            inner = f"{path}.{name}" if path else name
            called = self._label(inner)
            if name not in new:
                yield Change("breaking", f"{called} was removed")
            elif name not in old:
                is_breaking = name in needs and not self._is_output
                what = f"{called} is new{self._presence(name in needs)}"
                yield Change("breaking" if is_breaking else "compatible", _new(what, new[name].node))
            else:
                if (name in needed) != (name in needs):
                    kind = self._narrower if name in needs else self._wider
                    yield Change(kind, f"{called} {'is now required' if name in needs else 'is now optional'}")
                yield from self._compare(old[name], new[name], inner, depth + 1)

    def _others(self, before: Schema, now: Schema, path: str, depth: int) -> Iterator[Change]:
        """Yield the changes of `additionalProperties`."""
        key = "additionalProperties"
        was, becomes = before.keywords.get(key, True), now.keywords.get(key, True)
        if isinstance(was, Mapping) and isinstance(becomes, Mapping):
            yield from self._compare(before.at(key), now.at(key), f"{path}.*" if path else "*", depth + 1)
        elif was != becomes:
            kind = self._wider if becomes is True else self._narrower
            what = f"the other members of {self._label(path)}"
            yield Change(kind, f"{what} were {_value(was)}, and are {_value(becomes)}")

    def _rest(self, before: Schema, now: Schema, path: str, depth: int) -> Iterator[Change]:
        """Yield the changes of keywords that no other method compares; they count as breaking."""
        old, new = before.keywords, now.keywords
        for key in sorted({*old, *new} - _COMPARED):
            if key == "items" and not any(isinstance(one.get(key), list | tuple) for one in (old, new)):
                yield from self._compare(before.at(key), now.at(key), f"{path}[]", depth + 1)
            elif _sorted(bare_keyword(old, key), key) != _sorted(bare_keyword(new, key), key):
                yield Change("breaking", _changed(f"'{key}' of {self._label(path)}", old.get(key), new.get(key)))
            elif _sorted(old.get(key), key) != _sorted(new.get(key), key):
                what = f"the text of '{key}' of {self._label(path)}"
                yield Change("text", _changed(what, old.get(key), new.get(key)))

    def _presence(self, required: bool) -> str:  # noqa: FBT001 - it selects a word
        if self._is_output:
            return ""
        return ", and required" if required else ", optional"

    def _label(self, path: str) -> str:
        if not path:
            return "the result" if self._is_output else "the parameters"
        return f"{path!r} in the result" if self._is_output else f"parameter {path!r}"


def _values_of(part: Schema) -> list[str] | None:
    is_listed = "const" in part.keywords or isinstance(part.keywords.get("enum"), list | tuple)
    return [_value(one) for one in part.choices()] if is_listed else None


def _sorted(value: Any, key: str) -> Any:
    """Return the branches under `oneOf` or `allOf` in an order of their own, and any other value as it is."""
    is_branches = key in _UNIONS and isinstance(value, list)
    return sorted(value, key=partial(json.dumps, sort_keys=True)) if is_branches else value


def _branches_of(part: Schema) -> list[Schema]:
    return part.inner(("anyOf",)) if "anyOf" in part.keywords else [part]


def _refers(part: Schema) -> bool:
    """Return whether a schema contains references, so that its meaning may change although its text does not."""
    return any(reference_in(inner.node) is not None for inner in part.parts())


def _named_parts(part: Schema, keyword: str) -> dict[str, Schema]:
    """Return the schemas under a keyword, by name."""
    return {name: one for one in part.inner((keyword,)) if (name := name_at(one.pointer)) is not None}


def _names(value: Any) -> set[str]:
    return {str(one) for one in value} if isinstance(value, list) else set()


def _value(value: Any) -> str:
    return "not set" if value is None else _shown(value)


def _shown(value: Any) -> str:
    return visible_json(value, sort_keys=True)


def _named(types: set[str] | None) -> str:
    return "anything" if types is None else " or ".join(sorted(types))


def _changed(what: str, before: Any, now: Any, *, are_several: bool = False) -> str:
    """Return how a part has changed: both values or, of long ones, the changed words."""
    old, new = (_value(None if value == "" else value) for value in (before, now))
    was, becomes, has = ("were", "are", "have") if are_several else ("was", "is", "has")
    if old == new:
        return f"{what} {has} changed"  # what it refers to has changed, which is reported there
    both = f"{what} {was} {old}, and {becomes} {new}"
    if len(both) <= _MOST_WHOLE:
        return both
    are_texts = isinstance(before, str) and isinstance(now, str)
    return f"{what} {has} changed: {word_diff(before, now) if are_texts else word_diff(old, new)}"


def _new(what: str, value: Any) -> str:
    """Return that a part is new, with its value: what it says can change what a model does."""
    return f"{what}: {by_its_ends(_shown(value))}"
