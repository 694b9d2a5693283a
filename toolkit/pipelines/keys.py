"""Keys: what single keys of a step say: a condition, a list, a question, how often, what after a failure."""

import re
from typing import cast

from toolkit import documents
from toolkit.documents import Node, Scalar
from toolkit.documents.schemas import NAME, Schema, reference
from toolkit.documents.shapes import ShapeReader, Word
from toolkit.pipelines.definitions import FAILURES, MAX_ATTEMPTS, MAX_PARALLEL, Approval, Fallback, OnError, Retry
from toolkit.pipelines.rows import Row, names_of, read_rows
from toolkit.pipelines.templated_data import OPENING, TemplateValue, Value, read_value
from toolkit.problems import Location, Problem

_ID = re.compile(NAME, re.ASCII)
_FAILURES: Schema = {"enum": list(FAILURES)}

PARALLEL: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_PARALLEL}


def read_parallel(reader: ShapeReader, entry: documents.Entry) -> int | None:
    """Read how many items run side by side."""
    return reader.integer(entry.value, "'max_parallel'", most=MAX_PARALLEL)


def read_timeout(reader: ShapeReader, entry: documents.Entry) -> float | None:
    """Read how long something may take."""
    return reader.duration(entry.value, "'timeout'")


# fmt: off
RETRY_ROWS = (
    Row("attempts", "how often it is tried at most",
        {"type": "integer", "minimum": 1, "maximum": MAX_ATTEMPTS, "default": Retry().attempts}, "attempts",
        lambda reader, entry: reader.integer(entry.value, "'attempts'", most=MAX_ATTEMPTS)),
    Row("backoff", "how long to wait after the first attempt", reference("duration"), "backoff",
        lambda reader, entry: reader.duration(entry.value, "'backoff'", may_be_zero=True)),
    Row("factor", "by what the wait grows with each attempt",
        {"type": "number", "minimum": 1, "maximum": 100, "default": Retry().factor}, "factor",
        lambda reader, entry: reader.number(entry.value, "'factor'", least=1, most=100)),
    Row("max", "how long to wait at most", reference("duration"), "longest",
        lambda reader, entry: reader.duration(entry.value, "'max'")),
    Row("errors", "which failures are tried again; all by default",
        {"anyOf": [{"type": "array", "items": _FAILURES, "minItems": 1}, _FAILURES]}, "errors",
        lambda reader, entry: reader.words(entry.value, "'errors'", FAILURES)),
)
APPROVE_ROWS = (
    Row("message", "what is asked", {"type": "string"}, "message", lambda reader, entry: reader.message(entry.value)),
    Row("show", "what is shown with the question", {}, "show", lambda reader, entry: reader.value(entry.value)),
    Row("when", "somebody is asked only where this is true", reference("condition"), "when",
        lambda reader, entry: reader.condition(entry.value, "'when'")),
    Row("edit", "whether the reviewer may change the arguments; true by default", {"type": "boolean"}, "editable",
        lambda reader, entry: reader.boolean(entry.value, "'edit'")),
)
# fmt: on
RETRY_KEYS = names_of(RETRY_ROWS)
APPROVE_KEYS = names_of(APPROVE_ROWS)


class KeyReader(ShapeReader):
    """Reads what stands under single keys of a step, and remembers every id."""

    def __init__(self, problems: list[Problem]) -> None:
        """Keep where problems go."""
        super().__init__(problems)
        self.ids: list[Word] = []

    def condition(self, node: Node, what: str) -> Value | None:
        """Read a condition: one expression, or true or false."""
        if isinstance(node, Scalar):
            if isinstance(node.value, bool):
                return read_value(node, self.problems)
            if OPENING in node.text:
                value = read_value(node, self.problems)
                if not _is_text(value):
                    return value
                self.report(
                    node.location, f"{what} must be one expression alone", hint="put all of it inside one ${{ }}"
                )
                return None
        self._expected(node, what, "an expression in ${{ }}, or true or false", _as_expression(node))
        return None

    def items(self, node: Node) -> Value | None:
        """Read the list that a step is done for: written out, or one expression."""
        if isinstance(node, documents.Sequence):
            return read_value(node, self.problems)
        if isinstance(node, Scalar) and OPENING in node.text:
            value = read_value(node, self.problems)
            if not _is_text(value):
                return value
        self._expected(node, "'for_each'", "a list, or one expression that gives a list", _as_expression(node))
        return None

    def approval(self, entry: documents.Entry) -> Approval | None:
        """Read who is asked what: true, a message, or a mapping."""
        place, node = entry.key.location, entry.value
        match node:
            case Scalar(value=True):
                return Approval(place)
            case Scalar(value=str()) if node.text.strip():
                return Approval(place, read_value(node, self.problems))
            case documents.Mapping():
                return self._approval_of_keys(place, node)
            case Scalar(value=False):
                hint = "a tool's own mark cannot be taken back; leave the key out"
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
        """Read what is asked: a text, which may have expressions in it."""
        return None if self.text(node, "'message'") is None else self.value(node)

    def value(self, node: Node) -> Value:
        """Read a value of any shape."""
        return read_value(node, self.problems)

    def retry(self, node: Node) -> Retry | None:
        """Read how a failed call is tried again."""
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
        """Read the name of a step."""
        if (text := self.text(node, "'id'")) is None:
            return None
        if not _ID.fullmatch(text):
            hint = "use letters, digits and underscores, so that steps.name can be written"
            self.report(node.location, f"{text!r} cannot be an id", hint=hint)
        word = Word(text, node.location)
        self.ids.append(word)
        return word

    def on_error(self, node: Node) -> OnError | None:
        """Read what follows a failure: a word, or the value that takes the output's place."""
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
    """Return how a text is written as an expression, also where it has the braces and lacks the dollar."""
    if not (isinstance(node, Scalar) and isinstance(node.value, str)):
        return None
    bare = node.text.strip()
    inside = bare[2:-2].strip() if bare.startswith("{{") and bare.endswith("}}") else bare
    return f"write ${{{{ {inside} }}}}"


def _is_text(value: Value) -> bool:
    """Return whether a value is a text with expressions in it, rather than one expression alone."""
    return isinstance(value, TemplateValue) and not value.template.single
