"""The keys of a step: how the value of each is read, and what it means, for the docs and for editors."""

import re
from dataclasses import replace
from typing import Any, Final

from toolkit.documents.keys import FLAG, REPORTED, Key, names_of, number, one_of, one_or_more, schema_of, whole_number
from toolkit.documents.node_keys import (
    DURATION,
    DURATION_OR_ZERO,
    MAPPING,
    NAME,
    TEXT,
    WORD,
    NodeSpot,
    mapping_of,
    node,
    read_mapping,
    reference,
)
from toolkit.documents.nodes import Mapping, Word
from toolkit.pipelines import templated_data
from toolkit.pipelines.step_definitions import FAILURES, MAX_ATTEMPTS, MAX_PARALLEL, Approval, Fallback, Retry
from toolkit.pipelines.templated_data import OPENING, TemplateValue, Value

_ID = re.compile(NAME, re.ASCII)


def _value(_: Any, spot: NodeSpot) -> Value:
    return templated_data.read_value(spot.at, spot.origin.problems)


def _is_text(value: Value) -> bool:
    """Return whether a value is text with expressions in it, rather than a single expression."""
    return isinstance(value, TemplateValue) and not value.template.single


def _as_expression(written: Any, spot: NodeSpot) -> str | None:
    """Return a hint that shows the text as an expression; if it has braces but no dollar sign, they are not doubled."""
    if not isinstance(written, str):
        return None
    bare = spot.text.strip()
    inside = bare[2:-2].strip() if bare.startswith("{{") and bare.endswith("}}") else bare
    return f"write ${{{{ {inside} }}}}"


def _condition(written: Any, spot: NodeSpot) -> Any:
    if isinstance(written, bool):
        return _value(written, spot)
    if OPENING not in spot.text:
        return None
    value = _value(written, spot)
    if _is_text(value):
        spot.report(f"{spot.words} must be a single expression", "put all of it inside a single ${{ }}")
        return REPORTED
    return value


def _items(written: Any, spot: NodeSpot) -> Any:
    if not isinstance(written, list) and OPENING not in spot.text:
        return None
    value = _value(written, spot)
    return None if _is_text(value) else value


def _arguments(written: Any, spot: NodeSpot) -> Any:
    if isinstance(spot.node, Mapping):
        return templated_data.read_mapping(spot.node, spot.origin.problems)
    return REPORTED if written is None else None


def _id(written: Any, spot: NodeSpot) -> Word | None:
    word = WORD.read(written, spot)
    if word is not None and not _ID.fullmatch(word.text):
        hint = "use letters, digits and underscores, so that expressions can refer to it as steps.name"
        spot.report(f"{word.text!r} cannot be an id", hint)
    return word  # type: ignore[no-any-return]


def _target(word: Word, spot: NodeSpot) -> Word | None:
    if OPENING in word.text:
        hint = "tools are resolved before the run; use 'when' to choose between steps"
        spot.report("'use' takes a tool's name, not an expression", hint)
        return None
    return Word(word.text.strip(), word.location)


def _retry(values: dict[str, Any]) -> Retry:
    retry = Retry(**values)
    return retry if "longest" in values else retry._replace(longest=max(retry.longest, retry.backoff))


def _approval(written: Any, spot: NodeSpot) -> Approval | None:
    if written is True:
        return Approval(spot.place_of_key)
    if isinstance(spot.node, Mapping):
        return Approval(spot.place_of_key, **read_mapping(spot, APPROVE_KEYS) or {})
    return Approval(spot.place_of_key, _value(written, spot)) if isinstance(written, str) and written.strip() else None


def _how_to_approve(written: Any, _: NodeSpot) -> str | None:
    return "a tool's own approval requirement cannot be lifted; remove the key" if written is False else None


def _on_error(written: Any, spot: NodeSpot) -> Any:
    if isinstance(spot.node, Mapping):
        values = read_mapping(spot, (Key("value", VALUE),)) or {}
        return Fallback(values["value"]) if values else REPORTED if spot.node.entries else None
    return written if written in ("fail", "continue") else None


def _how_to_branch(_: Any, __: NodeSpot) -> str:
    return "write a name for each branch and its steps below it"


VALUE: Final = node("any value", _value, {})
CONDITION: Final = node(
    "an expression in ${{ }}, or true or false", _condition, reference("condition"), advice=_as_expression
)
ARGUMENTS: Final = node("a mapping", _arguments, {"type": ["object", "null"]}, "{name: value}")
PARALLEL: Final = whole_number(1, MAX_PARALLEL)
_FAILURE: Final = one_of(*FAILURES)
_FAILURES: Final = {
    "anyOf": [{"type": "array", "items": _FAILURE.schema, "minItems": 1}, _FAILURE.schema],
}
_ATTEMPTS: Final = {"type": "integer", "minimum": 1, "maximum": MAX_ATTEMPTS, "default": Retry().attempts}
_FACTOR: Final = {"type": "number", "minimum": 1, "maximum": 100, "default": Retry().factor}
RETRY_KEYS: Final = (
    Key("attempts", whole_number(1, MAX_ATTEMPTS, schema=_ATTEMPTS), "maximum number of attempts"),
    Key("backoff", DURATION_OR_ZERO, "wait after the first attempt"),
    Key("factor", replace(number(1, 100), schema=_FACTOR), "the factor by which the wait grows after each attempt"),
    Key("max", DURATION, "maximum wait between attempts", field="longest"),
    Key(
        "errors",
        replace(one_or_more(_FAILURE, "words"), schema=_FAILURES),
        "which failures are retried; all by default",
        also=("on",),
    ),
)
APPROVE_KEYS: Final = (
    Key(
        "message",
        replace(TEXT, read=lambda written, spot: TEXT.read(written, spot) and _value(written, spot)),
        "the question",
    ),
    Key("show", VALUE, "the data shown with the question"),
    Key("when", CONDITION, "a condition; approval is asked for only if it is true"),
    Key("edit", FLAG, "whether the reviewer may change the arguments; true by default", field="editable"),
)
RETRY: Final = mapping_of(RETRY_KEYS, _retry, example="{attempts: 3, backoff: 1s}", schema=reference("retry"))

KINDS: Final = ("use", "set", "parallel")
"""The keys that make a step one of their kind; a step with only `approve` is of that kind."""

_CALLS: Final = frozenset({"use"})
_COMPUTES: Final = frozenset({"use", "set"})
_ACTS: Final = frozenset({"use", "set", "parallel"})
_EVERY: Final = frozenset({*KINDS, "approve"})

# fmt: off
STEP: Final = (
    Key("id", node("text", _id, {"type": "string", "pattern": NAME}, advice=TEXT.advice),
        "the name by which later steps refer to it; without an id, only `prev` can read its output", beside=_EVERY),
    Key("use", WORD, "the tool to call: a name, `file.py:name`, `server.tool`, or the path of a pipeline or an agent",
        take=_target, beside=_CALLS),
    Key("with", ARGUMENTS, "the arguments of the tool", beside=_CALLS),
    Key("pipe", WORD, "the parameter that receives the previous output", beside=_CALLS),
    Key("adapt", VALUE, "reshapes the `result` for the next step: an expression, text, or a mapping",
        field="adapter", beside=_ACTS),
    Key("set", VALUE, "computes a value without a tool", beside=frozenset({"set"})),
    Key("when", CONDITION, "a condition; if it is false, the step is skipped", beside=_EVERY),
    Key("for_each", node("a list, or a single expression that returns a list", _items,
                         {"anyOf": [{"type": "array"}, reference("expression")]}, advice=_as_expression),
        "a list; the step runs once for each `item`, with its `index`", field="items", beside=_COMPUTES),
    Key("max_parallel", PARALLEL, "maximum number of items that run in parallel; 1 by default", beside=_COMPUTES),
    Key("on_item_error", one_of("fail", "skip"), "`fail` (the default) or `skip`: what happens if an item fails",
        beside=_COMPUTES),
    Key("parallel", replace(MAPPING, advice=_how_to_branch, schema={
            "type": "object", "minProperties": 1,
            "additionalProperties": {"anyOf": [reference("steps"), reference("step")]},
        }), "named branches that run in parallel; the output is a mapping of their outputs",
        beside=frozenset({"parallel"})),
    Key("retry", RETRY, "how a failed call is retried: `{attempts, backoff, factor, max, errors}`", beside=_CALLS),
    Key("timeout", DURATION,
        "time limit such as `500ms`, `30s` or `5m`, not counting time spent waiting for a person",
        beside=frozenset({"use", "parallel"})),
    Key("approve", node("true, a message, or {message, show, when, edit}", _approval, reference("approval"),
                        advice=_how_to_approve),
        "`true`, a message, or `{message, show, when, edit}`: asks first; alone, it is a step of its own",
        field="approval", beside=frozenset({"use", "approve"})),
    Key("on_error", node("'fail', 'continue' or {value: …}", _on_error, {
            "anyOf": [{"enum": ["fail", "continue"]}, schema_of((Key("value", VALUE, required=True),))],
        }), "`fail`, `continue`, or `{value: …}`, which replaces the result", beside=_EVERY),
)
# fmt: on
STEP_KEYS: Final = names_of(STEP)
EACH_KEYS: Final = ("max_parallel", "on_item_error")
BESIDE: Final[dict[str, frozenset[str]]] = {
    kind: frozenset(key.name for key in STEP if kind in key.beside) for kind in (*KINDS, "approve")
}
"""The keys that a step of each kind can have."""
