"""The table of the keys of a step, and how the value of each is read."""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, cast

from toolkit import documents
from toolkit.documents import Node, Scalar
from toolkit.documents.nodes import Entry, Mapping
from toolkit.documents.shapes import NAME, Schema, ShapeReader, Word, closed, reference
from toolkit.pipelines.step_definitions import FAILURES, MAX_ATTEMPTS, MAX_PARALLEL, Approval, Fallback, OnError, Retry
from toolkit.pipelines.templated_data import OPENING, TemplateValue, Value, read_value
from toolkit.problems import Location, Problem


class Row(NamedTuple):
    """One key of a mapping.

    Attributes:
        name: The key.
        meaning: The meaning of the key, for the docs and for editors.
        schema: The JSON Schema of its value.
        field: The field that receives the value in the definition; empty if there is none.
        read: Reads the value and reports problems through the reader that it is given.
        beside: For keys of steps, the kinds of steps that can have the key.
    """

    name: str
    meaning: str
    schema: Schema
    field: str = ""
    read: Callable[[Any, Entry], Any] | None = None
    beside: frozenset[str] = frozenset()

    @property
    def described(self) -> Schema:
        """The schema with the meaning as its description.

        Draft-07 ignores everything next to a `$ref`, so a reference is put inside `allOf`.
        """
        schema = {"allOf": [self.schema]} if "$ref" in self.schema else self.schema
        return {**schema, "description": f"{self.meaning[:1].upper()}{self.meaning[1:]}."}


def names_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the keys of the rows."""
    return tuple(row.name for row in rows)


def read_rows(reader: Any, node: Mapping, rows: Iterable[Row]) -> dict[str, Any]:
    """Read the keys that a mapping has, and return their values by field; an invalid value becomes `None`."""
    given = ((row, node.entries[row.name]) for row in rows if row.name in node.entries)
    return {row.field: row.read(reader, entry) for row, entry in given if row.read is not None}


_ID = re.compile(NAME, re.ASCII)
_FAILURES: Schema = {"enum": list(FAILURES)}

PARALLEL: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_PARALLEL}


def read_parallel(reader: ShapeReader, entry: documents.Entry) -> int | None:
    """Read the maximum number of items that run in parallel."""
    return reader.integer(entry.value, "'max_parallel'", most=MAX_PARALLEL)


def read_timeout(reader: ShapeReader, entry: documents.Entry) -> float | None:
    """Read a timeout."""
    return reader.duration(entry.value, "'timeout'")


# fmt: off
RETRY_ROWS = (
    Row("attempts", "maximum number of attempts",
        {"type": "integer", "minimum": 1, "maximum": MAX_ATTEMPTS, "default": Retry().attempts}, "attempts",
        lambda reader, entry: reader.integer(entry.value, "'attempts'", most=MAX_ATTEMPTS)),
    Row("backoff", "wait after the first attempt", reference("duration"), "backoff",
        lambda reader, entry: reader.duration(entry.value, "'backoff'", may_be_zero=True)),
    Row("factor", "the factor by which the wait grows after each attempt",
        {"type": "number", "minimum": 1, "maximum": 100, "default": Retry().factor}, "factor",
        lambda reader, entry: reader.number(entry.value, "'factor'", least=1, most=100)),
    Row("max", "maximum wait between attempts", reference("duration"), "longest",
        lambda reader, entry: reader.duration(entry.value, "'max'")),
    Row("errors", "which failures are retried; all by default",
        {"anyOf": [{"type": "array", "items": _FAILURES, "minItems": 1}, _FAILURES]}, "errors",
        lambda reader, entry: reader.words(entry.value, "'errors'", FAILURES)),
)
APPROVE_ROWS = (
    Row("message", "the question", {"type": "string"}, "message", lambda reader, entry: reader.message(entry.value)),
    Row("show", "the data shown with the question", {}, "show", lambda reader, entry: reader.value(entry.value)),
    Row("when", "a condition; approval is asked for only if it is true", reference("condition"), "when",
        lambda reader, entry: reader.condition(entry.value, "'when'")),
    Row("edit", "whether the reviewer may change the arguments; true by default", {"type": "boolean"}, "editable",
        lambda reader, entry: reader.boolean(entry.value, "'edit'")),
)
# fmt: on
RETRY_KEYS = names_of(RETRY_ROWS)
APPROVE_KEYS = names_of(APPROVE_ROWS)


class KeyReader(ShapeReader):
    """Reads the values of a step's keys and collects every id."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.ids: list[Word] = []

    def condition(self, node: Node, what: str) -> Value | None:
        """Read a condition: a single expression, true or false."""
        if isinstance(node, Scalar):
            if isinstance(node.value, bool):
                return read_value(node, self.problems)
            if OPENING in node.text:
                value = read_value(node, self.problems)
                if not _is_text(value):
                    return value
                self.report(
                    node.location, f"{what} must be a single expression", hint="put all of it inside a single ${{ }}"
                )
                return None
        self._expected(node, what, "an expression in ${{ }}, or true or false", _as_expression(node))
        return None

    def items(self, node: Node) -> Value | None:
        """Read the list of `for_each`: a literal list or a single expression."""
        if isinstance(node, documents.Sequence):
            return read_value(node, self.problems)
        if isinstance(node, Scalar) and OPENING in node.text:
            value = read_value(node, self.problems)
            if not _is_text(value):
                return value
        self._expected(node, "'for_each'", "a list, or a single expression that returns a list", _as_expression(node))
        return None

    def approval(self, entry: documents.Entry) -> Approval | None:
        """Read an approval: true, a message or a mapping."""
        place, node = entry.key.location, entry.value
        match node:
            case Scalar(value=True):
                return Approval(place)
            case Scalar(value=str()) if node.text.strip():
                return Approval(place, read_value(node, self.problems))
            case documents.Mapping():
                return self._approval_of_keys(place, node)
            case Scalar(value=False):
                hint = "a tool's own approval requirement cannot be lifted; remove the key"
                self._expected(node, "'approve'", "true, a message, or {message, show, when, edit}", hint)
                return None
            case _:
                self._expected(node, "'approve'", "true, a message, or {message, show, when, edit}")
                return None

    def _approval_of_keys(self, place: Location, node: documents.Mapping) -> Approval:
        self.check_keys(node, "'approve'", APPROVE_KEYS)
        values = read_rows(self, node, APPROVE_ROWS)
        return Approval(place, **values | {"editable": values.get("editable") is not False})

    def message(self, node: Node) -> Value | None:
        """Read the message of an approval, which may contain expressions."""
        return None if self.text(node, "'message'") is None else self.value(node)

    def value(self, node: Node) -> Value:
        """Read a value of any shape."""
        return read_value(node, self.problems)

    def retry(self, node: Node) -> Retry | None:
        """Read how a failed call is retried."""
        mapping = self.mapping(node, "'retry'", "{attempts: 3, backoff: 1s}")
        if mapping is None:
            return None
        self._check_retry_keys(mapping)
        values = read_rows(self, mapping, RETRY_ROWS)
        retry = Retry()._replace(**{field: value for field, value in values.items() if value is not None})
        return retry if values.get("longest") else retry._replace(longest=max(retry.longest, retry.backoff))

    def _check_retry_keys(self, mapping: documents.Mapping) -> None:
        if "on" in mapping.entries:
            place = mapping.entries["on"].key.location
            self.report(place, "unknown key 'on' in 'retry'", hint="did you mean 'errors'?")
        self.check_keys(mapping, "'retry'", (*RETRY_KEYS, "on") if "on" in mapping.entries else RETRY_KEYS)

    def step_id(self, node: Node) -> Word | None:
        """Read the id of a step."""
        if (text := self.text(node, "'id'")) is None:
            return None
        if not _ID.fullmatch(text):
            hint = "use letters, digits and underscores, so that expressions can refer to it as steps.name"
            self.report(node.location, f"{text!r} cannot be an id", hint=hint)
        word = Word(text, node.location)
        self.ids.append(word)
        return word

    def on_error(self, node: Node) -> OnError | None:
        """Read what follows a failure: a keyword, or a value that replaces the output."""
        expected = "'fail', 'continue' or {value: …}"
        if isinstance(node, documents.Mapping):
            self.check_keys(node, "'on_error'", ("value",))
            value = node.get("value")
            if value is not None:
                return Fallback(read_value(value, self.problems))
            if not node.entries:
                self._expected(node, "'on_error'", expected)
            return None
        if isinstance(node, Scalar) and node.value in ("fail", "continue"):
            return cast("OnError", node.value)
        self._expected(node, "'on_error'", expected)
        return None


def _as_expression(node: Node) -> str | None:
    """Return a hint that shows the text as an expression; if it has braces but no dollar sign, they are not doubled."""
    if not (isinstance(node, Scalar) and isinstance(node.value, str)):
        return None
    bare = node.text.strip()
    inside = bare[2:-2].strip() if bare.startswith("{{") and bare.endswith("}}") else bare
    return f"write ${{{{ {inside} }}}}"


def _is_text(value: Value) -> bool:
    """Return whether a value is text with expressions in it, rather than a single expression."""
    return isinstance(value, TemplateValue) and not value.template.single


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
