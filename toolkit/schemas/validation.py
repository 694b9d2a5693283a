"""Judges data by a JSON Schema: the one validator, for arguments, results, defaults, examples, answers and policies.

It covers every keyword that asserts something in the drafts from 4 to 2020-12. `format` and the keywords about contents
only describe. References never lead outside the schema, and patterns are matched in linear time.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
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
        self._foreign = foreign
        self._checks = {word: CHECKS[word] for word in CHECKS if draft is None or word in DRAFTS[draft]}
        self._patterns: dict[str, Callable[[str], bool]] = {}
        used: set[str] = set()
        for part in _parts(self.root, self.references):
            if (fault := malformed(part, draft)) is not None:
                raise ValueError(fault)
            used.update(part.keywords)
            self._compile(part)
        self.tracks = not used.isdisjoint(("unevaluatedItems", "unevaluatedProperties"))
        self._prepared: dict[Pointer, list[tuple[_Check, str, Any]]] = {}

    def _compile(self, part: Schema) -> None:
        named, pattern = part.keywords.get("patternProperties"), part.keywords.get("pattern")
        for one in (*(named if isinstance(named, MAPPINGS) else ()), *([pattern] if isinstance(pattern, str) else ())):
            self._patterns[one] = _matcher(one, foreign=self._foreign)

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a pattern matches anywhere in a text."""
        return self._patterns[pattern](text)

    def checks_of(self, part: Schema) -> "list[tuple[_Check, str, Any]]":
        """Return the checks that a part consists of: that of its type first, those of `unevaluated…` last."""
        found = self._prepared.get(part.pointer)
        if found is None:
            words = ("$ref",) if self.references.hides_siblings(part) else part.node
            found = [(self._checks[word], word, part.node[word]) for word in words if word in self._checks]
            found.sort(key=lambda one: (one[1] != "type", one[1].startswith("unevaluated")))
            self._prepared[part.pointer] = found
        return found

    def misfits(self, data: Any) -> list[Misfit]:
        """Return everything that is wrong with data; an empty list if it is valid.

        Raises:
            TooMuchWorkError: If that cannot be determined: the schema refers to itself without end, the data is nested
                too deeply, or a text is too long for a pattern.
        """
        try:
            return _Judgment(self).judge(self.root, data, (), ()).misfits
        except RecursionError:
            raise TooMuchWorkError from None

    def accepts(self, data: Any) -> bool:
        """Return whether data is valid; `misfits` says what it raises."""
        return not self.misfits(data)


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


class _At:
    """One part of a schema applied to one value."""

    __slots__ = ("data", "items", "judgment", "misfits", "names", "part", "path", "scope")

    def __init__(self, judgment: "_Judgment", part: Schema, data: Any, path: Pointer, scope: Scope) -> None:
        self.judgment, self.part, self.data, self.path, self.scope = judgment, part, data, path, scope
        self.misfits: list[Misfit] = []
        self.names: set[str] = set()  # those that some keyword has judged
        self.items: set[int] = set()

    def report(self, keyword: str, limit: Any, branches: "Iterable[_At]" = ()) -> None:
        self.misfits.append(Misfit(self.path, keyword, limit, self.data, tuple(tuple(one.misfits) for one in branches)))

    def same(self, *steps: str | int) -> "_At":
        """Apply a schema inside this one to the same value."""
        return self.judgment.judge(self.part.at(*steps), self.data, self.path, self.scope)

    def require(self, other: "_At") -> None:
        """Take over what another schema says about the same value."""
        self.misfits += other.misfits
        self.note(other)

    def note(self, other: "_At") -> None:
        """Take over which members and items another schema has judged, if the value is valid for it."""
        if not other.misfits:
            self.names |= other.names
            self.items |= other.items

    def member(self, name: str, *steps: str | int) -> None:
        """Apply a schema inside this one to a member."""
        self.names.add(name)
        self.misfits += self.judgment.judge(
            self.part.at(*steps), self.data[name], (*self.path, name), self.scope
        ).misfits

    def item(self, index: int, *steps: str | int) -> "_At":
        """Apply a schema inside this one to an item."""
        self.items.add(index)
        return self.judgment.judge(self.part.at(*steps), self.data[index], (*self.path, index), self.scope)


class _Judgment:
    """Judges one value. What a reference says about a value is determined once."""

    def __init__(self, validator: Validator) -> None:
        self.validator = validator
        self._known: dict[tuple[Pointer, Pointer, int, Scope], _At | None] = {}

    def judge(self, part: Schema, data: Any, path: Pointer, scope: Scope) -> _At:
        at = _At(self, part, data, path, self.validator.references.scope_of(part, scope))
        if part.node is False:
            at.report(str(part.pointer[-1]) if part.pointer and part.pointer[-1] in _CLOSING else "false", False)
        elif part.node is not True:
            for check, keyword, limit in self.validator.checks_of(part):
                check(at, keyword, limit)
                if keyword == "type" and at.misfits:
                    break  # what other keywords demand would only distract
        return at

    def judge_target(self, at: _At, keyword: str) -> _At:
        target = self.validator.references.target(at.part, keyword, at.scope)
        if target is None:
            raise TooMuchWorkError
        key = (target.pointer, at.path, id(at.data), at.scope)
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self.judge(target, at.data, at.path, at.scope)
        found = self._known[key]
        if found is None:  # it refers to itself without end
            raise TooMuchWorkError
        return found


_CLOSING: Final = ("additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems")

_Check = Callable[[_At, str, Any], None]
"""Applies a keyword with its value."""


def _reference(at: _At, keyword: str, _: Any) -> None:
    at.require(at.judgment.judge_target(at, keyword))


def _type(at: _At, keyword: str, limit: Any) -> None:
    if not any(is_of_type(at.data, name) for name in types_of(at.part.node)):
        at.report(keyword, limit)


def _choices(at: _At, keyword: str, limit: Any) -> None:
    key = key_of(at.data)
    if not any(key == key_of(one) for one in (limit if keyword == "enum" else (limit,))):
        at.report(keyword, limit)


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


def _is_multiple(value: float, limit: float) -> bool:
    return bool(Fraction(str(value)) % Fraction(str(limit)) == 0)


def _limits(applies: Callable[[Any], bool], holds: Callable[[Any, Any], bool]) -> _Check:
    def check(at: _At, keyword: str, limit: Any) -> None:
        if applies(at.data) and not holds(at.data, limit):
            at.report(keyword, limit)

    return check


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, _LISTS)


def _is_object(value: Any) -> bool:
    return isinstance(value, MAPPINGS)


def _bound(at: _At, keyword: str, limit: Any) -> None:
    """Apply a lower or upper bound; in draft 4, `exclusiveMinimum: true` belongs to `minimum`."""
    if not is_number(at.data) or isinstance(limit, bool):
        return
    is_exclusive = keyword.startswith("exclusive") or at.part.node.get(f"exclusive{keyword.capitalize()}") is True
    low, high = (limit, at.data) if keyword.lower().endswith("minimum") else (at.data, limit)
    if low > high or (is_exclusive and low == high):
        at.report(keyword, limit)


def _pattern(at: _At, keyword: str, limit: str) -> None:
    if isinstance(at.data, str) and not at.judgment.validator.matches(limit, at.data):
        at.report(keyword, limit)


def _required(at: _At, keyword: str, limit: Any) -> None:
    if isinstance(at.data, MAPPINGS):
        at.misfits += [Misfit((*at.path, name), keyword, name, None) for name in limit if name not in at.data]


def _properties(at: _At, keyword: str, limit: Any) -> None:
    if isinstance(at.data, MAPPINGS):
        for name in limit:
            if name in at.data:
                at.member(name, keyword, name)


def _pattern_properties(at: _At, keyword: str, limit: Any) -> None:
    for name in at.data if isinstance(at.data, MAPPINGS) else ():
        for pattern in limit:
            if at.judgment.validator.matches(pattern, name):
                at.member(name, keyword, pattern)


def _other_properties(at: _At, keyword: str, _: Any) -> None:
    if not isinstance(at.data, MAPPINGS):
        return
    patterns = at.part.node.get("patternProperties", ())
    known = at.part.node.get("properties", ())
    for name in at.data:
        if name not in known and not any(at.judgment.validator.matches(pattern, name) for pattern in patterns):
            at.member(name, keyword)


def _unevaluated_properties(at: _At, keyword: str, _: Any) -> None:
    for name in at.data if isinstance(at.data, MAPPINGS) else ():
        if name not in at.names:
            at.member(name, keyword)


def _names(at: _At, keyword: str, limit: Any) -> None:
    for name in at.data if isinstance(at.data, MAPPINGS) else ():
        judged = at.judgment.judge(at.part.at(keyword), name, (*at.path, name), at.scope)
        if judged.misfits:
            at.misfits.append(Misfit((*at.path, name), keyword, limit, name, (tuple(judged.misfits),)))


def _items(at: _At, keyword: str, limit: Any) -> None:
    """Apply `items` in both its meanings: a schema for each position, or for all items after those of `prefixItems`."""
    if not isinstance(at.data, _LISTS):
        return
    is_positioned = isinstance(limit, _LISTS)
    if not is_positioned and _are_of_the_type(at):
        at.items.update(range(len(at.data)) if at.judgment.validator.tracks else ())
        return
    start = 0 if is_positioned else len(at.part.node.get("prefixItems", ()))
    for index in range(start, min(len(limit), len(at.data)) if is_positioned else len(at.data)):
        at.misfits += at.item(index, keyword, *([index] if is_positioned else [])).misfits


_SCALARS: Final = {"string": str, "integer": int, "boolean": bool, "null": type(None)}


def _are_of_the_type(at: _At) -> bool:
    """Return whether `items` demands only a scalar type, and all items have it: long lists are judged at once."""
    part = at.part.at("items")
    if not isinstance(part.node, MAPPINGS):
        return False
    words = [word for _, word, _ in at.judgment.validator.checks_of(part)]
    if words != ["type"]:
        return False
    kinds = types_of(part.node)
    return all(kind in _SCALARS for kind in kinds) and {_SCALARS[kind] for kind in kinds}.issuperset(map(type, at.data))


def _additional_items(at: _At, keyword: str, _: Any) -> None:
    positioned = at.part.node.get("items")
    if isinstance(at.data, _LISTS) and isinstance(positioned, _LISTS):
        for index in range(len(positioned), len(at.data)):
            at.misfits += at.item(index, keyword).misfits


def _unevaluated_items(at: _At, keyword: str, _: Any) -> None:
    if isinstance(at.data, _LISTS):
        for index in range(len(at.data)):
            if index not in at.items:
                at.misfits += at.item(index, keyword).misfits


def _contains(at: _At, keyword: str, _: Any) -> None:
    if not isinstance(at.data, _LISTS):
        return
    judged = [
        at.judgment.judge(at.part.at(keyword), item, (*at.path, index), at.scope) for index, item in enumerate(at.data)
    ]
    fitting = [index for index, one in enumerate(judged) if not one.misfits]
    at.items.update(fitting)
    least, most = at.part.node.get("minContains", 1), at.part.node.get("maxContains", len(fitting))
    if len(fitting) < least:
        at.report(keyword if least == 1 else "minContains", least, judged)
    if len(fitting) > most:
        at.report("maxContains", most)


def _all_of(at: _At, keyword: str, limit: Any) -> None:
    for index in range(len(limit)):
        at.require(at.same(keyword, index))


def _any_of(at: _At, keyword: str, limit: Any) -> None:
    judged = []
    for index in range(len(limit)):
        judged.append(at.same(keyword, index))
        at.note(judged[-1])
        if not judged[-1].misfits and not at.judgment.validator.tracks:
            return
    if all(one.misfits for one in judged):
        at.report(keyword, limit, judged)


def _one_of(at: _At, keyword: str, limit: Any) -> None:
    judged = [at.same(keyword, index) for index in range(len(limit))]
    fitting = [one for one in judged if not one.misfits]
    for one in fitting:
        at.note(one)
    if len(fitting) != 1:
        at.report(keyword, limit, () if fitting else judged)


def _not(at: _At, keyword: str, limit: Any) -> None:
    if not at.same(keyword).misfits:
        at.report(keyword, limit)


def _if(at: _At, keyword: str, _: Any) -> None:
    condition = at.same(keyword)
    at.note(condition)
    then = "else" if condition.misfits else "then"
    if then in at.part.node:
        at.require(at.same(then))


def _dependencies(at: _At, keyword: str, limit: Any) -> None:
    """Apply `dependentRequired`, `dependentSchemas`, and `dependencies`, which is both."""
    for name in limit if isinstance(at.data, MAPPINGS) else ():
        if name not in at.data:
            continue
        if isinstance(limit[name], _LISTS):
            missing = [one for one in limit[name] if one not in at.data]
            at.misfits += [Misfit((*at.path, one), "required", one, None) for one in missing]
        else:
            at.require(at.same(keyword, name))


CHECKS: Final[Mapping[str, _Check]] = {
    **dict.fromkeys(REFERENCES, _reference),
    "type": _type,
    **dict.fromkeys(("const", "enum"), _choices),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _bound),
    "multipleOf": _limits(is_number, _is_multiple),
    "minLength": _limits(_is_text, lambda data, limit: len(data) >= limit),
    "maxLength": _limits(_is_text, lambda data, limit: len(data) <= limit),
    "pattern": _pattern,
    "minItems": _limits(_is_list, lambda data, limit: len(data) >= limit),
    "maxItems": _limits(_is_list, lambda data, limit: len(data) <= limit),
    "uniqueItems": _limits(_is_list, lambda data, limit: not limit or len(set(map(key_of, data))) == len(data)),
    "prefixItems": _items,
    "items": _items,
    "additionalItems": _additional_items,
    "contains": _contains,
    "minProperties": _limits(_is_object, lambda data, limit: len(data) >= limit),
    "maxProperties": _limits(_is_object, lambda data, limit: len(data) <= limit),
    "required": _required,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _other_properties,
    "propertyNames": _names,
    **dict.fromkeys(("dependencies", "dependentRequired", "dependentSchemas"), _dependencies),
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
}
"""The keywords that say which values are valid."""
