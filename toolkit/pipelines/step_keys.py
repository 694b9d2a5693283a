"""Step keys: a row for each key of a step.

A new key is a row here, a field of `StepDefinition`, and a line for type checkers in `builder_keys`.
"""

from typing import Final

from toolkit.documents.nodes import Entry
from toolkit.documents.schemas import NAME, Schema, reference
from toolkit.pipelines.definitions import MAX_PARALLEL
from toolkit.pipelines.keys import KeyReader
from toolkit.pipelines.rows import Row, names_of
from toolkit.pipelines.values import Value, read_value

_TEXT: Schema = {"type": "string"}
_EXPRESSION = reference("expression")

_CALLS = frozenset({"use"})
_COMPUTES = frozenset({"use", "set"})
_ACTS = frozenset({"use", "set", "parallel"})
_EVERY = frozenset({"use", "set", "parallel", "approve"})


def _adapter(reader: KeyReader, entry: Entry) -> Value:
    return read_value(entry.value, reader.problems)


def _when(reader: KeyReader, entry: Entry) -> Value | None:
    return reader.condition(entry.value, "'when'")


def _timeout(reader: KeyReader, entry: Entry) -> float | None:
    return reader.duration(entry.value, "'timeout'")


def _max_parallel(reader: KeyReader, entry: Entry) -> int | None:
    return reader.integer(entry.value, "'max_parallel'", most=MAX_PARALLEL)


def _on_item_error(reader: KeyReader, entry: Entry) -> str | None:
    return reader.choice(entry.value, "'on_item_error'", ("fail", "skip"))


STEP_ROWS: Final = (
    Row(
        "id",
        "the name by which later steps refer to it; without one only `prev` reaches its output",
        {"type": "string", "pattern": NAME},
        "id",
        lambda reader, entry: reader.step_id(entry.value),
        _EVERY,
    ),
    Row(
        "use",
        "the tool: a name, `file.py:name`, `server.tool`, or the path of another pipeline or of an agent",
        _TEXT,
        beside=_CALLS,
    ),
    Row("with", "the arguments of the tool", {"type": ["object", "null"]}, beside=_CALLS),
    Row("pipe", "the parameter that receives the previous output", _TEXT, beside=_CALLS),
    Row(
        "adapt",
        "reshapes the `result` before the next step: an expression, a text, or a mapping",
        {},
        "adapter",
        _adapter,
        _ACTS,
    ),
    Row("set", "computes a value without a tool", {}, beside=frozenset({"set"})),
    Row(
        "when",
        "a condition; where it is false, the step is skipped",
        reference("condition"),
        "when",
        _when,
        _EVERY,
    ),
    Row(
        "for_each",
        "a list; the step runs once for each `item`, with its `index`",
        {"anyOf": [{"type": "array"}, _EXPRESSION]},
        "items",
        lambda reader, entry: reader.items(entry.value),
        _COMPUTES,
    ),
    Row(
        "max_parallel",
        "how many items run side by side; 1 by default",
        {"type": "integer", "minimum": 1, "maximum": MAX_PARALLEL},
        "max_parallel",
        _max_parallel,
        _COMPUTES,
    ),
    Row(
        "on_item_error",
        "`fail` (by default) or `skip`: what an item that fails does",
        {"enum": ["fail", "skip"]},
        "on_item_error",
        _on_item_error,
        _COMPUTES,
    ),
    Row(
        "parallel",
        "named branches that run side by side; the output is their mapping",
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [reference("steps"), reference("step")]},
        },
        beside=frozenset({"parallel"}),
    ),
    Row(
        "retry",
        "how a failed call is tried again: `{attempts, backoff, factor, max, errors}`",
        reference("retry"),
        "retry",
        lambda reader, entry: reader.retry(entry.value),
        _CALLS,
    ),
    Row(
        "timeout",
        "how long it may take, such as `500ms`, `30s` or `5m`, the waiting for a person left out",
        reference("duration"),
        "timeout",
        _timeout,
        frozenset({"use", "parallel"}),
    ),
    Row(
        "approve",
        "`true`, a message, or `{message, show, when, edit}`: asks somebody first; alone, it is a step that only asks",
        reference("approval"),
        "approval",
        lambda reader, entry: reader.approval(entry),
        frozenset({"use", "approve"}),
    ),
    Row(
        "on_error",
        "`fail`, `continue`, or `{value: …}`, which stands in for the result",
        {
            "anyOf": [
                {"enum": ["fail", "continue"]},
                {"type": "object", "properties": {"value": {}}, "required": ["value"], "additionalProperties": False},
            ]
        },
        "on_error",
        lambda reader, entry: reader.on_error(entry.value),
        _EVERY,
    ),
)
STEP_KEYS: Final = names_of(STEP_ROWS)
KINDS: Final = ("use", "set", "parallel")
EACH_KEYS: Final = ("max_parallel", "on_item_error")
BESIDE: Final[dict[str, frozenset[str]]] = {
    kind: frozenset(row.name for row in STEP_ROWS if kind in row.beside) for kind in (*KINDS, "approve")
}
"""The keys that may stand in a step of each kind."""
