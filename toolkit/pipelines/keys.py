"""Keys: what single keys of a step say: a condition, a list, a question, how often, what after a failure."""

from typing import cast

from toolkit import documents
from toolkit.documents import Node, Scalar
from toolkit.documents.shapes import ShapeReader
from toolkit.pipelines.definitions import FAILURES, MAX_ATTEMPTS, Approval, Fallback, OnError, Retry
from toolkit.pipelines.values import OPENING, TemplateValue, Value, read_value
from toolkit.problems import Location

RETRY_KEYS = ("attempts", "backoff", "factor", "max", "errors")
APPROVE_KEYS = ("message", "show", "when", "edit")


class KeyReader(ShapeReader):
    """Reads what stands under single keys of a step."""

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
        message, show, when, edit = (node.get(name) for name in APPROVE_KEYS)
        is_text = message is not None and self.text(message, "'message'") is not None
        editable = None if edit is None else self.boolean(edit, "'edit'")
        return Approval(
            place,
            message=read_value(message, self.problems) if message is not None and is_text else None,
            show=None if show is None else read_value(show, self.problems),
            when=None if when is None else self.condition(when, "'when'"),
            editable=editable is not False,
        )

    def retry(self, node: Node) -> Retry | None:
        """Read how a failed call is tried again."""
        mapping = self.mapping(node, "'retry'", "{attempts: 3, backoff: 1s}")
        if mapping is None:
            return None
        self._check_retry_keys(mapping)
        attempts, backoff, factor, longest, errors = (mapping.get(name) for name in RETRY_KEYS)
        usual = Retry()
        tries = None if attempts is None else self.integer(attempts, "'attempts'", most=MAX_ATTEMPTS)
        wait = None if backoff is None else self.duration(backoff, "'backoff'", may_be_zero=True)
        growth = None if factor is None else self.number(factor, "'factor'", least=1, most=100)
        most = None if longest is None else self.duration(longest, "'max'")
        kinds = None if errors is None else self.words(errors, "'errors'", FAILURES)
        first = usual.backoff if wait is None else wait
        return Retry(
            tries or usual.attempts,
            first,
            growth or usual.factor,
            most or max(usual.longest, first),
            kinds or usual.errors,
        )

    def _check_retry_keys(self, mapping: documents.Mapping) -> None:
        if "on" in mapping.entries:
            place = mapping.entries["on"].key.location
            self.report(place, "unknown key 'on' in 'retry'", hint="did you mean 'errors'?")
        self.check_keys(mapping, "'retry'", (*RETRY_KEYS, "on") if "on" in mapping.entries else RETRY_KEYS)

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
