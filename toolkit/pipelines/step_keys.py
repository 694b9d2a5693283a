"""The table of the keys of a step.

To add a key, add a row here, a field of `StepDefinition`, and a line for type checkers in `builder_keys`.
"""

from typing import Final

from toolkit.documents.nodes import Entry
from toolkit.documents.schemas import NAME, Schema, closed, reference
from toolkit.pipelines.keys import PARALLEL, KeyReader, read_parallel, read_timeout
from toolkit.pipelines.rows import Row, names_of

_TEXT: Schema = {"type": "string"}
_BRANCH: Schema = {"anyOf": [reference("steps"), reference("step")]}

_CALLS = frozenset({"use"})
_COMPUTES = frozenset({"use", "set"})
_ACTS = frozenset({"use", "set", "parallel"})
_EVERY = frozenset({"use", "set", "parallel", "approve"})


def _on_item_error(reader: KeyReader, entry: Entry) -> str | None:
    return reader.choice(entry.value, "'on_item_error'", ("fail", "skip"))


# fmt: off
STEP_ROWS: Final = (
    Row("id", "the name by which later steps refer to it; without an id, only `prev` can read its output",
        schema={"type": "string", "pattern": NAME}, field="id",
        read=lambda reader, entry: reader.step_id(entry.value), beside=_EVERY),
    Row("use", "the tool to call: a name, `file.py:name`, `server.tool`, or the path of a pipeline or an agent",
        _TEXT, beside=_CALLS),
    Row("with", "the arguments of the tool", {"type": ["object", "null"]}, beside=_CALLS),
    Row("pipe", "the parameter that receives the previous output", _TEXT, beside=_CALLS),
    Row("adapt", "reshapes the `result` for the next step: an expression, text, or a mapping",
        schema={}, field="adapter", read=lambda reader, entry: reader.value(entry.value), beside=_ACTS),
    Row("set", "computes a value without a tool", {}, beside=frozenset({"set"})),
    Row("when", "a condition; if it is false, the step is skipped",
        schema=reference("condition"), field="when",
        read=lambda reader, entry: reader.condition(entry.value, "'when'"), beside=_EVERY),
    Row("for_each", "a list; the step runs once for each `item`, with its `index`",
        schema={"anyOf": [{"type": "array"}, reference("expression")]},
        field="items", read=lambda reader, entry: reader.items(entry.value), beside=_COMPUTES),
    Row("max_parallel", "maximum number of items that run in parallel; 1 by default",
        schema=PARALLEL, field="max_parallel", read=read_parallel, beside=_COMPUTES),
    Row("on_item_error", "`fail` (the default) or `skip`: what happens if an item fails",
        schema={"enum": ["fail", "skip"]}, field="on_item_error", read=_on_item_error, beside=_COMPUTES),
    Row("parallel", "named branches that run in parallel; the output is a mapping of their outputs",
        {"type": "object", "minProperties": 1, "additionalProperties": _BRANCH}, beside=frozenset({"parallel"})),
    Row("retry", "how a failed call is retried: `{attempts, backoff, factor, max, errors}`",
        schema=reference("retry"), field="retry", read=lambda reader, entry: reader.retry(entry.value), beside=_CALLS),
    Row("timeout", "time limit such as `500ms`, `30s` or `5m`, not counting time spent waiting for a person",
        schema=reference("duration"), field="timeout", read=read_timeout, beside=frozenset({"use", "parallel"})),
    Row("approve", "`true`, a message, or `{message, show, when, edit}`: asks first; alone, it is a step of its own",
        schema=reference("approval"), field="approval", read=KeyReader.approval, beside=frozenset({"use", "approve"})),
    Row("on_error", "`fail`, `continue`, or `{value: …}`, which replaces the result",
        schema={"anyOf": [{"enum": ["fail", "continue"]}, closed({"value": {}}, required=["value"])]},
        field="on_error", read=lambda reader, entry: reader.on_error(entry.value), beside=_EVERY),
)
# fmt: on
STEP_KEYS: Final = names_of(STEP_ROWS)
KINDS: Final = ("use", "set", "parallel")
EACH_KEYS: Final = ("max_parallel", "on_item_error")
BESIDE: Final[dict[str, frozenset[str]]] = {
    kind: frozenset(row.name for row in STEP_ROWS if kind in row.beside) for kind in (*KINDS, "approve")
}
"""The keys that a step of each kind can have."""
