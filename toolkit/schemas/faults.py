"""Finds what is wrong with a schema: what is not valid JSON Schema, and what no value can match."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.json_texts import json_text
from toolkit.problems import did_you_mean
from toolkit.regex_checks import compiles
from toolkit.schemas.keywords import DEFINITIONS, TYPE, TYPES, draft_of, forms_of, is_number, is_schema
from toolkit.schemas.places import REFERENCES, Pointer, is_of_type, reference_in, types_of
from toolkit.schemas.references import References
from toolkit.schemas.schema import DEEPEST, Schema

_PAIRS = (
    ("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties"),
    ("minContains", "maxContains"), ("exclusiveMinimum", "maximum"), ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
)  # fmt: skip
_OF_ECMASCRIPT = re.compile(r"\\[pPcuk]|\\/|\(\?<[A-Za-z_$]|\[\^?\]|\\\d|\(\?[a-z]*-?[a-z]*:|\[[^\]]*(?:&&|--|\[)")
"""Syntax that regular expressions of JSON Schema may have, but those of Python do not."""
_BRANCHES = frozenset({"anyOf", "oneOf", "allOf", "if", "then", "else", "not", "dependentSchemas"})
"""Where `not: {}` is a common way to say that a member must not be there if another one is."""


class Fault(NamedTuple):
    """One thing that is wrong with a schema: its location, a message, and how to fix it."""

    pointer: Pointer
    message: str
    hint: str | None


def faults_in(root: Any) -> Iterator[Fault]:
    """Yield everything that is wrong with a schema, in the draft that it declares, or else in all drafts."""
    draft = draft_of(root)
    references = References(root, draft)
    passed: set[Pointer] = set()
    for part in Schema.of(root).parts():
        yield from _malformed(part, draft)
        yield from _unresolved(part, references)
        yield from _circular(part, passed)
        yield from _impossible(part)
        if len(part.pointer) > 2 * DEEPEST:
            yield Fault(part.pointer, f"is nested more than {DEEPEST} schemas deep", "reduce the nesting")
            return


def malformed(part: Schema, draft: str | None) -> str | None:
    """Return why a part of a schema cannot be applied; `None` if it can be."""
    if not is_schema(part.node):
        return f"a schema is an object, true or false, not {part.node!r}"
    return next((f"it {fault.message}" for fault in _misformed(part, draft)), None)


def _malformed(part: Schema, draft: str | None) -> Iterator[Fault]:
    yield from _misformed(part, draft)
    if not _compiles(part.keywords.get("pattern")):
        hint = "write a backslash before a literal character"
        message = f"has the pattern {part.keywords['pattern']!r}, which is not a regular expression"
        yield Fault((*part.pointer, "pattern"), message, hint)


def _misformed(part: Schema, draft: str | None) -> Iterator[Fault]:
    """Yield the keywords whose values do not have the form that the draft requires."""
    for keyword, value in part.keywords.items():
        forms = forms_of(keyword, draft)
        if forms and not any(form.fits(value) for form in forms):
            hint = _nearest_type(value) if TYPE in forms else "correct it, or remove it"
            words = " or ".join(dict.fromkeys(form.words for form in forms))
            message = f"has {_show(value)} as its '{keyword}', which must be {words}"
            yield Fault((*part.pointer, keyword), message, hint)


def _nearest_type(value: Any) -> str | None:
    unknown = [name for name in types_of({"type": value}) if name not in TYPES]
    return did_you_mean(unknown[0] if unknown else "", TYPES, otherwise=f"the types are {', '.join(TYPES)}")


def _compiles(pattern: Any) -> bool:
    return not isinstance(pattern, str) or bool(_OF_ECMASCRIPT.search(pattern)) or compiles(pattern)


def _unresolved(part: Schema, references: References) -> Iterator[Fault]:
    reference, keyword = reference_in(part.node), _referring(part)
    if reference is None or references.target(part, keyword, ()) is not None:
        return
    names = [f"#/{room}/{name}" for room in DEFINITIONS for name in Schema.of(part.root).at(room).keywords]
    hint = did_you_mean(reference, names, otherwise="define it in '$defs', and refer to it as '#/$defs/name'")
    yield Fault((*part.pointer, keyword), f"refers to {reference!r}, which is not in the schema", hint)


def _referring(part: Schema) -> str:
    """Return the keyword with the reference of a part."""
    return next((key for key in REFERENCES if isinstance(part.keywords.get(key), str)), "")


def _circular(start: Schema, passed: set[Pointer]) -> Iterator[Fault]:
    """Yield each reference that leads back to a schema of the same value, so that no value can be checked.

    Args:
        start: Where the search begins.
        passed: The parts that were searched before; those that are searched now are added.
    """
    around: set[Pointer] = set()
    waiting: list[tuple[Schema, Schema | None]] = [(start, start)]  # a part, and how it was reached; None to leave it
    while waiting:
        part, source = waiting.pop()
        if source is None:
            around.discard(part.pointer)
        elif part.pointer in around:
            message = f"refers to {reference_in(source.node)!r}, and so to itself: checking a value never ends"
            yield Fault((*source.pointer, _referring(source)), message, "refer to another schema, or write it here")
        elif part.pointer not in passed:
            passed.add(part.pointer)
            around.add(part.pointer)
            waiting.append((part, None))
            waiting += [(one, part) for one in part.applied_directly()]


def _impossible(part: Schema) -> Iterator[Fault]:
    yield from _crossed(part.keywords, part.pointer)
    yield from _of_no_type(part.keywords, part.pointer)
    yield from _excluded(part.keywords, part.pointer)


def _crossed(keywords: Mapping[str, Any], pointer: Pointer) -> Iterator[Fault]:
    """Yield the bounds between which nothing is."""
    for least, most in _PAIRS:
        low, high = keywords.get(least), keywords.get(most)
        if low is None or high is None or not is_number(low) or not is_number(high):
            continue
        if low > high or (low == high and "exclusive" in least + most):
            message = f"fits no value: its '{least}' is {low}, and its '{most}' is {high}"
            yield Fault((*pointer, least), message, "make the lower bound the smaller one")


def _of_no_type(keywords: Mapping[str, Any], pointer: Pointer) -> Iterator[Fault]:
    """Yield the listed values none of which has the type."""
    types = [name for name in types_of(keywords) if name in TYPES]
    for keyword, values in (
        ("const", [keywords["const"]] if "const" in keywords else []),
        ("enum", keywords.get("enum")),
    ):
        listed = values if types and isinstance(values, list | tuple) else []
        wrong = [value for value in listed if not any(is_of_type(value, name) for name in types)]
        if wrong and len(wrong) == len(listed):
            message = f"fits no value: {_show(wrong[0])} in its '{keyword}' is not of type {' or '.join(types)}"
            yield Fault((*pointer, keyword), message, "list values of the type, or change the type")


def _excluded(keywords: Mapping[str, Any], pointer: Pointer) -> Iterator[Fault]:
    """Yield a constant that is not in the list of values, and a `not` that excludes all that the rest allows."""
    listed = keywords.get("enum")
    if "const" in keywords and isinstance(listed, list | tuple) and not _is_among(keywords["const"], listed):
        message = f"fits no value: its 'const' is {_show(keywords['const'])}, which is not in its 'enum'"
        yield Fault((*pointer, "const"), message, "remove one of them")
    if _BRANCHES.isdisjoint(pointer) and _allows_all_of(keywords.get("not"), keywords):
        message = f"fits no value: its 'not' is {_show(keywords['not'])}, which excludes everything"
        yield Fault((*pointer, "not"), message, "remove it, or say what a value must not be")


def _is_among(value: Any, listed: Iterable[Any]) -> bool:
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in listed)


def _allows_all_of(node: Any, keywords: Mapping[str, Any]) -> bool:
    """Return whether a schema allows every value that matches certain keywords, because it demands nothing else."""
    if not isinstance(node, Mapping):
        return node is True
    return all(key in keywords and keywords[key] == value for key, value in node.items())


def _show(value: Any) -> str:
    text = json_text(value, default=str)
    return text if len(text) <= 40 else f"{text[:39]}…"  # noqa: PLR2004 - what fits into a message


MOST_WORK = 100_000
"""Maximum number of steps in all patterns of an untrusted schema, which takes about two seconds at most."""

_PIECE = re.compile(r"\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\{(\d{1,9})(,?)(\d{0,9})\}|.", re.DOTALL)
_OF_A_CLASS = 20  # the cost of a character class such as \w, which is expanded for every length in UTF-8


def pattern_fault(schema: Any) -> str | None:
    """Return why the patterns of a schema should not be compiled; None if they can be."""
    patterns = [part.keywords.get("pattern") for part in Schema.of(schema).parts()]
    work = {pattern: work_of(pattern) for pattern in patterns if isinstance(pattern, str)}
    if sum(work.values()) <= MOST_WORK:
        return None
    worst = max(work, key=work.__getitem__)
    return f"its patterns are too large to be checked, such as {worst[:40]!r}"


def work_of(pattern: str) -> int:
    """Return how many steps a regular expression has when its counted repetitions are expanded."""
    groups, last = [0], 0
    for piece in _PIECE.finditer(pattern):
        text = piece[0]
        if text == "(":
            groups.append(0)
        elif text == ")" and len(groups) > 1:
            last = groups.pop() + 1
            groups[-1] += last
        elif piece[1]:
            times = max(1, int(piece[3] or piece[1]))
            groups[-1] += last * (times - 1)
            last *= times
        else:
            last = _OF_A_CLASS if len(text) > 1 or text == "." else 1
            groups[-1] += last
    return sum(groups)
