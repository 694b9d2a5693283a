"""Judges data by a JSON Schema: the one validator, for arguments, results, defaults, examples, answers and policies.

It covers every keyword that asserts something in the drafts from 4 to 2020-12. `format` and the keywords about contents
only describe. References never lead outside the schema, and patterns are matched in linear time.

Each part of a schema becomes a function when it first judges a value. For values of one Python type, it calls only the
checks of the keywords that can say something about them. A path is put together only if something is wrong.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from operator import ge, gt, le, lt
from typing import Any, Final, NamedTuple

from toolkit.regex_checks import MalformedExpressionError, TooMuchWorkError, compile_line_expression, rust_validator
from toolkit.schemas.faults import malformed, pattern_fault
from toolkit.schemas.keywords import DRAFTS, draft_of, is_number
from toolkit.schemas.places import MAPPINGS, REFERENCES, Pointer, is_of_type, types_of
from toolkit.schemas.references import References, Scope
from toolkit.schemas.schema import Schema

_LISTS: Final = (list, tuple)


class Misfit(NamedTuple):
    """One reason why data does not conform to a schema.

    Attributes:
        path: The keys and indexes that lead to the value; with `required`, to the missing member.
        keyword: The keyword that the value violates.
        limit: What the keyword demands.
        value: The value.
        branches: For a keyword such as `anyOf`, what is wrong according to each of its schemas.
    """

    path: Pointer
    keyword: str
    limit: Any
    value: Any
    branches: "tuple[tuple[Misfit, ...], ...]" = ()


class Validator:
    """Validates data against one schema."""

    def __init__(self, root: Any, *, draft: str | None = None, foreign: bool = False) -> None:
        """Create a validator.

        Args:
            root: The schema.
            draft: The draft of a schema that declares none; without it, the keywords of all drafts apply.
            foreign: Whether the schema is not trusted. Patterns that cannot be matched in linear time are then not
                checked, and neither are schemas whose patterns take long to compile.

        Raises:
            ValueError: If the schema is malformed, or refers to something that it does not define.
        """
        if foreign and (fault := pattern_fault(root)):
            raise ValueError(fault)
        draft = draft_of(root) or draft
        self.root = Schema.of(root)
        self.references = References(root, draft)
        self.patterns: dict[str, Callable[[str], bool]] = {}
        self._foreign = foreign
        self._keywords = {word: CHECKS[word] for word in CHECKS if draft is None or word in DRAFTS[draft]}
        self._judges: dict[Pointer, _Judge] = {}
        self._checks: dict[Pointer, dict[type, _Judge]] = {}
        used: set[str] = set()
        for part in _parts(self.root, self.references):
            if (fault := malformed(part, draft)) is not None:
                raise ValueError(fault)
            used.update(part.keywords)
            self._compile(part)
        self.tracks = not used.isdisjoint(("unevaluatedItems", "unevaluatedProperties"))

    def _compile(self, part: Schema) -> None:
        named, pattern = part.keywords.get("patternProperties"), part.keywords.get("pattern")
        for one in (*(named if isinstance(named, MAPPINGS) else ()), *([pattern] if isinstance(pattern, str) else ())):
            self.patterns[one] = _matcher(one, foreign=self._foreign)

    def misfits(self, data: Any) -> list[Misfit]:
        """Return everything that is wrong with data; an empty list if it is valid.

        Raises:
            TooMuchWorkError: If that cannot be determined: the schema refers to itself without end, the data is nested
                too deeply, or a text is too long for a pattern.
        """
        try:
            return list(self.judge_of(self.root)(data, _State({}, (), tracks=self.tracks)))
        except RecursionError:
            raise TooMuchWorkError from None

    def accepts(self, data: Any) -> bool:
        """Return whether data is valid; `misfits` says what it raises."""
        return not self.misfits(data)

    def judge_of(self, part: Schema) -> "_Judge":
        """Return the function that judges values by a part of the schema."""
        found = self._judges.get(part.pointer)
        if found is None:
            found = self._judges[part.pointer] = self._made(part)
        return found

    def _made(self, part: Schema) -> "_Judge":
        if part.node is False:
            word = str(part.pointer[-1]) if part.pointer and part.pointer[-1] in _CLOSING else "false"
            return lambda data, _: _misfit(word, False, data)
        if not isinstance(part.node, MAPPINGS):
            return _nothing
        by_type = self._checks.setdefault(part.pointer, {})

        def judge(data: Any, state: _State) -> Sequence[Misfit]:
            check = by_type.get(type(data))
            if check is None:
                check = by_type[type(data)] = self._check_for(part, data)
            return check(data, state)

        if not self.references.is_dynamic:
            return judge
        return lambda data, state: judge(data, state.within(self.references.scope_of(part, state.scope)))

    def accepts_types_of(self, part: Schema, values: Sequence[Any]) -> bool:
        """Return whether values are valid because of their types alone, by a part that has nothing to note of them."""
        if self.tracks or self.references.is_dynamic or not isinstance(part.node, MAPPINGS):
            return False
        by_type = self._checks.setdefault(part.pointer, {})
        for kind, value in dict(zip(map(type, values), values, strict=True)).items():
            if kind not in by_type:
                by_type[kind] = self._check_for(part, value)
            if by_type[kind] is not _nothing:
                return False
        return True

    def _check_for(self, part: Schema, data: Any) -> "_Judge":
        """Return the check of values of the type of a value; if that is wrong, other keywords would only distract."""
        hides = self.references.hides_siblings(part)
        words = ["$ref"] if hides else [word for word in part.node if word in self._keywords]
        if "type" in words and not isinstance(data, float) and not _is_of_a_type(data, part.node):
            return lambda data, _: _misfit("type", part.node["type"], data)
        kind = next((name for name, classes in _KINDS.items() if isinstance(data, classes)), "")
        others = [word for word in words if word != "type" and self._keywords[word].kind in (kind, "any")]
        others.sort(key=lambda word: word.startswith("unevaluated"))  # they need what the others have judged
        check = _joined([self._keywords[word].make(self, part, word, part.node[word]) for word in others])
        return _of_float(part.node, check) if "type" in words and isinstance(data, float) else check


def _parts(root: Schema, references: References) -> Iterator[Schema]:
    """Yield every part of a schema, including those that only references lead to."""
    seen: set[Pointer] = set()
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if part.pointer in seen:
            continue
        seen.add(part.pointer)
        yield part
        waiting += part.inner()
        for word in REFERENCES:
            if isinstance(reference := part.keywords.get(word), str):
                target = references.target(part, word, ())
                if target is None:
                    raise ValueError(f"it does not define {reference!r}")
                waiting.append(target)


def _matcher(pattern: str, *, foreign: bool) -> Callable[[str], bool]:
    """Return a function that searches a text for a pattern, in linear time where possible."""
    try:
        return compile_line_expression(pattern).matches
    except MalformedExpressionError:
        pass
    try:
        return rust_validator(pattern).isinstance_python  # type: ignore[no-any-return]
    except MalformedExpressionError:
        pass
    if foreign:
        return lambda _: True
    try:
        expression = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from None
    return lambda text: expression.search(text) is not None


class _State:
    """What is known while one value is judged.

    Attributes:
        known: What references say about a value, with the value, so that this is determined once.
        scope: The addresses of the resources that were entered, for dynamic references.
        tracks: Whether it matters which members and items have been judged.
        names: The members of the value that some keyword has judged.
        items: Its items that some keyword has judged.
    """

    __slots__ = ("items", "known", "names", "scope", "tracks")

    def __init__(self, known: dict[Any, Any], scope: Scope, *, tracks: bool) -> None:
        self.known, self.scope, self.tracks = known, scope, tracks
        if tracks:
            self.names: set[str] = set()
            self.items: set[int] = set()

    def fresh(self) -> "_State":
        """Return the state for another schema or value."""
        return _State(self.known, self.scope, tracks=True) if self.tracks else self

    def within(self, scope: Scope) -> "_State":
        """Return the state for the same value inside a resource."""
        inner = _State(self.known, scope, tracks=self.tracks)
        if self.tracks:
            inner.names, inner.items = self.names, self.items
        return inner

    def note(self, other: "_State") -> None:
        """Take over which members and items another schema has judged, for which the value is valid."""
        if self.tracks:
            self.names |= other.names
            self.items |= other.items


_Judge = Callable[[Any, _State], Sequence[Misfit]]
"""Returns what is wrong with a value, with paths that start from it."""

_Make = Callable[[Validator, Schema, str, Any], _Judge]
"""Returns the check of a keyword, given the part of the schema that has it, the keyword and its value."""

_NOTHING: Final[tuple[Misfit, ...]] = ()
_CLOSING: Final = ("additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems")
_KINDS: Final[Mapping[str, Any]] = {
    "boolean": bool,
    "string": str,
    "number": (int, float),
    "object": MAPPINGS,
    "array": _LISTS,
}


def _misfit(keyword: str, limit: Any, data: Any, branches: Sequence[Sequence[Misfit]] = ()) -> list[Misfit]:
    return [Misfit((), keyword, limit, data, tuple(map(tuple, branches)))]


def _under(step: str | int, found: Sequence[Misfit]) -> list[Misfit]:
    """Return what is wrong with a member or an item, with paths that start from the value that contains it."""
    return [
        one._replace(path=(step, *one.path), branches=tuple(tuple(_under(step, each)) for each in one.branches))
        for one in found
    ]


def _same(judge: _Judge, data: Any, state: _State) -> Sequence[Misfit]:
    """Apply another schema to the same value."""
    inner = state.fresh()
    bad = judge(data, inner)
    if not bad:
        state.note(inner)
    return bad


def _members(judges: Iterable[tuple[str, _Judge]], data: Any, state: _State) -> Sequence[Misfit]:
    found: Sequence[Misfit] = _NOTHING
    for name, judge in judges:
        if name not in data:
            continue
        if state.tracks:
            state.names.add(name)
        if bad := judge(data[name], state.fresh() if state.tracks else state):
            found = [*found, *_under(name, bad)]
    return found


def _items_of(judges: Iterable[tuple[int, _Judge]], data: Any, state: _State) -> Sequence[Misfit]:
    found: list[Misfit] = []
    for index, judge in judges:
        if state.tracks:
            state.items.add(index)
        if bad := judge(data[index], state.fresh() if state.tracks else state):
            found += _under(index, bad)
    return found


def _is_of_a_type(data: Any, node: Mapping[str, Any]) -> bool:
    return any(is_of_type(data, name) for name in types_of(node))


def _nothing(_: Any, __: _State) -> Sequence[Misfit]:
    return _NOTHING


def _joined(checks: Sequence[_Judge]) -> _Judge:
    def check_all(data: Any, state: _State) -> Sequence[Misfit]:
        found: Sequence[Misfit] = _NOTHING
        for check in checks:
            if bad := check(data, state):
                found = [*found, *bad]
        return found

    return check_all if len(checks) > 1 else checks[0] if checks else _nothing


def _of_float(node: Mapping[str, Any], check: _Judge) -> _Judge:
    """Return the check of floats, of which only some are whole numbers, or numbers at all."""
    is_number_enough, is_whole_enough = "number" in types_of(node), "integer" in types_of(node)

    def check_float(data: Any, state: _State) -> Sequence[Misfit]:
        if isfinite(data) and (is_number_enough or (is_whole_enough and data.is_integer())):
            return check(data, state)
        return _misfit("type", node["type"], data)

    return check_float


def _reference(validator: Validator, part: Schema, keyword: str, _: Any) -> _Judge:
    references = validator.references
    fixed = None if references.is_dynamic else references.target(part, keyword, ())

    def check(data: Any, state: _State) -> Sequence[Misfit]:
        target = fixed or references.target(part, keyword, state.scope)
        if target is None:
            raise TooMuchWorkError
        key = (target.pointer, id(data), state.scope)
        if key not in state.known:
            state.known[key] = None
            inner = state.fresh()
            state.known[key] = validator.judge_of(target)(data, inner), inner, data
        if state.known[key] is None:  # it refers to itself without end
            raise TooMuchWorkError
        bad, inner, _ = state.known[key]
        if not bad:
            state.note(inner)
        return bad  # type: ignore[no-any-return]

    return check


def _choices(_: Validator, __: Schema, keyword: str, limit: Any) -> _Judge:
    wanted = frozenset(map(key_of, limit if keyword == "enum" else (limit,)))

    def check(data: Any, _: _State) -> Sequence[Misfit]:
        fits = (data if type(data) is str else key_of(data)) in wanted
        return _NOTHING if fits else _misfit(keyword, limit, data)

    return check


def key_of(value: Any) -> Any:
    """Return a hashable key that two values share if they are equal as JSON values: 1 is 1.0, but not true."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, MAPPINGS):
        return ("object", frozenset((name, key_of(one)) for name, one in value.items()))
    if isinstance(value, _LISTS):
        return ("array", tuple(map(key_of, value)))
    return value if isinstance(value, int | float | str) or value is None else (type(value), repr(value))


def same_data(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON values."""
    return bool(key_of(one) == key_of(other))


def _has_at_least(_: Validator, __: Schema, keyword: str, limit: Any) -> _Judge:
    return lambda data, _: _NOTHING if len(data) >= limit else _misfit(keyword, limit, data)


def _has_at_most(_: Validator, __: Schema, keyword: str, limit: Any) -> _Judge:
    return lambda data, _: _NOTHING if len(data) <= limit else _misfit(keyword, limit, data)


def _bound(_: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    """Make the check of a lower or upper bound; in draft 4, `exclusiveMinimum: true` belongs to `minimum`."""
    if isinstance(limit, bool):
        return _nothing
    is_exclusive = keyword.startswith("exclusive") or part.node.get(f"exclusive{keyword.capitalize()}") is True
    is_lower = keyword.lower().endswith("minimum")
    holds: Callable[[Any, Any], bool] = (gt if is_exclusive else ge) if is_lower else (lt if is_exclusive else le)
    return lambda data, _: _NOTHING if holds(data, limit) or not is_number(data) else _misfit(keyword, limit, data)


def _multiple(_: Validator, __: Schema, keyword: str, limit: Any) -> _Judge:
    def check(data: Any, _: _State) -> Sequence[Misfit]:
        holds = not is_number(data) or Fraction(str(data)) % Fraction(str(limit)) == 0
        return _NOTHING if holds else _misfit(keyword, limit, data)

    return check


def _unique(_: Validator, __: Schema, keyword: str, limit: Any) -> _Judge:
    def check(data: Any, _: _State) -> Sequence[Misfit]:
        return _NOTHING if not limit or len(set(map(key_of, data))) == len(data) else _misfit(keyword, limit, data)

    return check


def _pattern(validator: Validator, _: Schema, keyword: str, limit: str) -> _Judge:
    matches = validator.patterns[limit]
    return lambda data, _: _NOTHING if matches(data) else _misfit(keyword, limit, data)


def _required(_: Validator, __: Schema, keyword: str, limit: Any) -> _Judge:
    return lambda data, _: [Misfit((name,), keyword, name, None) for name in limit if name not in data]


def _properties(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    judges = [(name, validator.judge_of(part.at(keyword, name))) for name in limit]
    return lambda data, state: _members(judges, data, state)


def _pattern_properties(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    judges = [(validator.patterns[pattern], validator.judge_of(part.at(keyword, pattern))) for pattern in limit]
    return lambda data, state: _members(
        ((name, judge) for name in data for matches, judge in judges if matches(name)), data, state
    )


def _other_properties(validator: Validator, part: Schema, keyword: str, _: Any) -> _Judge:
    judge = validator.judge_of(part.at(keyword))
    known = frozenset(part.node.get("properties", ()))
    patterns = [validator.patterns[pattern] for pattern in part.node.get("patternProperties", ())]

    def is_other(name: str) -> bool:
        return name not in known and not any(matches(name) for matches in patterns)

    return lambda data, state: _members([(name, judge) for name in data if is_other(name)], data, state)


def _unevaluated_properties(validator: Validator, part: Schema, keyword: str, _: Any) -> _Judge:
    judge = validator.judge_of(part.at(keyword))
    return lambda data, state: _members([(name, judge) for name in data if name not in state.names], data, state)


def _names(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    judge = validator.judge_of(part.at(keyword))

    def check(data: Any, state: _State) -> Sequence[Misfit]:
        judged = ((name, judge(name, state.fresh())) for name in data)
        return [Misfit((name,), keyword, limit, name, (tuple(_under(name, bad)),)) for name, bad in judged if bad]

    return check


def _items(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    """Make the check of `items` in both its meanings: for each position, or for all items after `prefixItems`."""
    if isinstance(limit, _LISTS):
        judges = [(index, validator.judge_of(part.at(keyword, index))) for index in range(len(limit))]
        return lambda data, state: _items_of(judges[: len(data)], data, state)
    every = part.at(keyword)
    judge, start = validator.judge_of(every), len(part.node.get("prefixItems", ()))

    def check(data: Any, state: _State) -> Sequence[Misfit]:
        if validator.accepts_types_of(every, data[start:] if start else data):
            return _NOTHING
        return _items_of(((index, judge) for index in range(start, len(data))), data, state)

    return check


def _additional_items(validator: Validator, part: Schema, keyword: str, _: Any) -> _Judge:
    positioned = part.node.get("items")
    if not isinstance(positioned, _LISTS):
        return _nothing
    judge, start = validator.judge_of(part.at(keyword)), len(positioned)
    return lambda data, state: _items_of(((index, judge) for index in range(start, len(data))), data, state)


def _unevaluated_items(validator: Validator, part: Schema, keyword: str, _: Any) -> _Judge:
    judge = validator.judge_of(part.at(keyword))
    return lambda data, state: _items_of(
        [(index, judge) for index in range(len(data)) if index not in state.items], data, state
    )


def _contains(validator: Validator, part: Schema, keyword: str, _: Any) -> _Judge:
    judge = validator.judge_of(part.at(keyword))
    least, most = part.node.get("minContains", 1), part.node.get("maxContains", float("inf"))

    def check(data: Any, state: _State) -> Sequence[Misfit]:
        judged = [_under(index, judge(item, state.fresh())) for index, item in enumerate(data)]
        fitting = [index for index, bad in enumerate(judged) if not bad]
        if state.tracks:
            state.items.update(fitting)
        found: list[Misfit] = []
        if len(fitting) < least:
            found += _misfit(keyword if least == 1 else "minContains", least, data, judged)
        return found + (_misfit("maxContains", most, data) if len(fitting) > most else [])

    return check


def _branches(validator: Validator, part: Schema, keyword: str, limit: Any) -> list[_Judge]:
    return [validator.judge_of(part.at(keyword, index)) for index in range(len(limit))]


def _all_of(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    branches = _branches(validator, part, keyword, limit)
    return lambda data, state: [misfit for judge in branches for misfit in _same(judge, data, state)]


def _any_of(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    branches = _branches(validator, part, keyword, limit)

    def check(data: Any, state: _State) -> Sequence[Misfit]:
        judged = []
        for judge in branches:
            judged.append(_same(judge, data, state))
            if not judged[-1] and not state.tracks:
                return _NOTHING
        return _misfit(keyword, limit, data, judged) if all(judged) else _NOTHING

    return check


def _one_of(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    branches = _branches(validator, part, keyword, limit)

    def check(data: Any, state: _State) -> Sequence[Misfit]:
        judged = [_same(judge, data, state) for judge in branches]
        fitting = sum(not bad for bad in judged)
        return _NOTHING if fitting == 1 else _misfit(keyword, limit, data, () if fitting else judged)

    return check


def _not(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    judge = validator.judge_of(part.at(keyword))
    return lambda data, state: _NOTHING if judge(data, state.fresh()) else _misfit(keyword, limit, data)


def _if(validator: Validator, part: Schema, keyword: str, _: Any) -> _Judge:
    condition, then, otherwise = (
        validator.judge_of(part.at(word)) if word in part.node else _nothing for word in (keyword, "then", "else")
    )

    def check(data: Any, state: _State) -> Sequence[Misfit]:
        return _same(otherwise if _same(condition, data, state) else then, data, state)

    return check


def _dependencies(validator: Validator, part: Schema, keyword: str, limit: Any) -> _Judge:
    """Make the check of `dependentRequired`, `dependentSchemas`, and `dependencies`, which is both."""
    names = {name: tuple(wanted) for name, wanted in limit.items() if isinstance(wanted, _LISTS)}
    schemas = {name: validator.judge_of(part.at(keyword, name)) for name in limit if name not in names}

    def check(data: Any, state: _State) -> Sequence[Misfit]:
        found: list[Misfit] = []
        for name in limit:
            if name in data and name in names:
                found += [Misfit((one,), "required", one, None) for one in names[name] if one not in data]
            elif name in data:
                found += _same(schemas[name], data, state)
        return found

    return check


class _Keyword(NamedTuple):
    """A keyword that says which values are valid: the kind of values that it is about, and how its check is made."""

    kind: str
    make: _Make


def _each(kind: str, make: _Make, *words: str) -> dict[str, _Keyword]:
    return dict.fromkeys(words, _Keyword(kind, make))


CHECKS: Final[Mapping[str, _Keyword]] = {
    **_each("any", _reference, *REFERENCES),
    **_each("any", _choices, "type", "const", "enum"),
    **_each("number", _bound, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    **_each("number", _multiple, "multipleOf"),
    **_each("string", _has_at_least, "minLength"),
    **_each("string", _has_at_most, "maxLength"),
    **_each("string", _pattern, "pattern"),
    **_each("array", _has_at_least, "minItems"),
    **_each("array", _has_at_most, "maxItems"),
    **_each("array", _unique, "uniqueItems"),
    **_each("array", _items, "prefixItems", "items"),
    **_each("array", _additional_items, "additionalItems"),
    **_each("array", _contains, "contains"),
    **_each("object", _has_at_least, "minProperties"),
    **_each("object", _has_at_most, "maxProperties"),
    **_each("object", _required, "required"),
    **_each("object", _properties, "properties"),
    **_each("object", _pattern_properties, "patternProperties"),
    **_each("object", _other_properties, "additionalProperties"),
    **_each("object", _names, "propertyNames"),
    **_each("object", _dependencies, "dependencies", "dependentRequired", "dependentSchemas"),
    **_each("any", _all_of, "allOf"),
    **_each("any", _any_of, "anyOf"),
    **_each("any", _one_of, "oneOf"),
    **_each("any", _not, "not"),
    **_each("any", _if, "if"),
    **_each("array", _unevaluated_items, "unevaluatedItems"),
    **_each("object", _unevaluated_properties, "unevaluatedProperties"),
}
"""The keywords that say which values are valid. `type` decides which checks apply (`Validator`)."""
