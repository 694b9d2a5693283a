"""The redactor: it knows secrets by their values, and puts a mask for each before anything is written.

Nothing is ever redacted while it is worked with: tools, steps and servers receive the secrets that they need. Whatever
writes (to a screen, a file, a log, a listener, a client, a model) asks the redactor first.
"""

import threading
from collections.abc import Iterable, Iterator
from operator import is_
from typing import Any

from toolkit.redactors.forms import forms_of
from toolkit.redactors.token_formats import may_begin_token, token_spans

MASK = "**********"
"""The text that replaces a secret."""

_SHORTEST = 6
_FEWEST_CHARACTERS = 3
_SHORTEST_NUMBER = 8
_COMMON = frozenset({
    "admin", "administrator", "anonymous", "basic", "bearer", "changeme", "debug", "default", "development", "disabled",
    "enabled", "example", "guest", "localhost", "master", "mysql", "nobody", "null", "password", "postgres",
    "production", "public", "redacted", "required", "secret", "staging", "string", "testing", "token", "unknown",
})  # fmt: skip
_MOST_LEARNT = 1_000
_SHORTEST_BEGINNING = 4
_ELLIPSES = ("…", "...")
_Span = tuple[int, int]


def can_be_found(value: str) -> bool:
    """Return whether a value can be distinguished from ordinary text: long enough, no common word, no short number."""
    if len(value) < _SHORTEST or len(set(value)) < _FEWEST_CHARACTERS or value.lower() in _COMMON:
        return False
    return not value.isdigit() or len(value) >= _SHORTEST_NUMBER


class _Known:
    """Values, and the forms that each may have."""

    def __init__(self) -> None:
        self.values: dict[str, frozenset[str]] = {}
        self.forms: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def add(self, values: Iterable[str]) -> None:
        with self._lock:
            kept = {**self.values, **{value: forms_of(value) for value in values}}
            self.values = dict(list(kept.items())[-_MOST_LEARNT:])
            self.forms = tuple(dict.fromkeys(form for forms in self.values.values() for form in forms))


class Redactor:
    """Knows secrets by their values, and forgets none while it is needed; safe to use from several threads.

    Example:
        >>> from toolkit.redactors import Redactor
        >>> redactor = Redactor("correct-horse")
        >>> redactor.text("the password is correct-horse, in base64 Y29ycmVjdC1ob3JzZQ==")
        'the password is **********, in base64 **********'
        >>> redactor.data({"header": ["Bearer correct-horse"], "page": 3})
        {'header': ['Bearer **********'], 'page': 3}
    """

    def __init__(self, *values: str, outer: "Redactor | None" = None, by_format: bool = True) -> None:
        """Know some values.

        Args:
            *values: Secrets; one that cannot be distinguished from ordinary text is not searched for.
            outer: What else is known, by another redactor that learns on its own.
            by_format: Whether a text that is written as keys and tokens usually are is a secret too.
        """
        self._by_format = by_format
        self.known: tuple[_Known, ...] = (_Known(), *(outer.known if outer is not None else ()))
        """What it knows itself, and what those around it know."""
        self.names: frozenset[str] = outer.names if outer is not None else frozenset()
        """Names that somebody has configured as those of secrets, in lower case."""
        self.learn(*values)

    def __repr__(self) -> str:
        """Return how many values there are, and none of them."""
        return f"<Redactor: {sum(len(known.values) for known in self.known)} values>"

    def __bool__(self) -> bool:
        """Return whether there is anything that it looks for."""
        return self._by_format or any(known.values for known in self.known)

    def learn(self, *values: str) -> None:
        """Take values for secrets from now on; of very many, the newest thousand are kept."""
        new = [value for value in map(str.strip, values) if can_be_found(value)]
        if new := [value for value in new if not any(value in known.values for known in self.known)]:
            self.known[0].add(new)

    def forms(self) -> Iterator[str]:
        """Yield every text that it looks for."""
        for known in self.known:
            yield from known.forms

    def text(self, text: str, *, is_cut: bool = False) -> str:
        """Return a text with a mask for every secret in it.

        Args:
            text: The text.
            is_cut: Whether it was longer: then it may end with the beginning of a secret.
        """
        if len(text) < _SHORTEST and not is_cut and "…" not in text:
            return text
        spans = self.spans(text)
        if is_cut or any(dots in text for dots in _ELLIPSES):
            spans += self._beginnings(text, [len(text)] if is_cut else [])
        return _mask(text, spans) if spans else text

    def stars(self, text: str) -> str:
        """Return a text of the same length, with a star for each character of a secret: for what has columns."""
        characters = list(text)
        for start, end in self.spans(text):
            characters[start:end] = "*" * (end - start)
        return "".join(characters)

    def data(self, data: Any) -> Any:
        """Return plain data with a mask for every secret in its texts and keys; the same data if there is none.

        Raises:
            RecursionError: If it is nested too deeply.
        """
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, dict):
            names, values = [self.data(name) for name in data], [self.data(value) for value in data.values()]
            is_same = _are_same(names, data) and _are_same(values, data.values())
            return data if is_same else dict(zip(names, values, strict=True))
        if isinstance(data, list | tuple):
            items = [self.data(item) for item in data]
            return data if _are_same(items, data) else type(data)(items) if type(data) in (list, tuple) else items
        return data

    def stream(self) -> "RedactedStream":
        """Return what redacts a text that comes in pieces."""
        return RedactedStream(self)

    def spans(self, text: str) -> list[_Span]:
        """Return where secrets stand; one may begin inside another."""
        spans = list(token_spans(text)) if self._by_format else []
        for form in self.forms():
            start = text.find(form)
            while start >= 0:
                spans.append((start, start + len(form)))
                start = text.find(form, start + 1)
        return spans

    def _beginnings(self, text: str, ends: list[int]) -> list[_Span]:
        """Return where the beginning of a secret stands before the end of a text, or before dots that cut it."""
        ends += [position for dots in _ELLIPSES if dots in text for position in _places_of(dots, text)]
        return [
            (start, end)
            for end in ends
            for form in self.forms()
            if (start := _start_of_beginning(form, text, end)) is not None
        ]


class RedactedStream:
    """Redacts a text that comes in pieces; what may be the beginning of a secret is held back until more has come."""

    def __init__(self, redactor: Redactor) -> None:
        """Hold nothing yet."""
        self._redactor = redactor
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take a piece in, and return what can be shown by now."""
        text = self._held + piece
        end = min(self._first_doubt(text), _start_of_doubtful_word(text))
        for start, stop in sorted(self._redactor.spans(text)):
            if start < end < stop:
                end = stop if stop < len(text) else start
        self._held = text[end:]
        return self._redactor.text(text[:end])

    def end(self) -> str:
        """Return the rest; no more will come."""
        rest, self._held = self._held, ""
        return self._redactor.text(rest)

    def _first_doubt(self, text: str) -> int:
        """Return where the first text begins that may become a secret when more comes."""
        first = len(text)
        for form in self._redactor.forms():
            start = text.find(form[0], max(0, len(text) - len(form) + 1))
            while 0 <= start < first:
                if form.startswith(text[start:]):
                    first = start
                start = text.find(form[0], start + 1)
        return first


def _start_of_doubtful_word(text: str) -> int:
    start = max(text.rfind(" "), text.rfind("\n"), text.rfind('"')) + 1
    return start if may_begin_token(text[start:]) else len(text)


def _are_same(first: Iterable[object], second: Iterable[object]) -> bool:
    return all(map(is_, first, second))


def _places_of(part: str, text: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + len(part))


def _start_of_beginning(form: str, text: str, end: int) -> int | None:
    """Return where the text before a place begins to be the beginning of a form, if it does."""
    seed = form[:_SHORTEST_BEGINNING]
    start = text.find(seed, max(0, end - len(form)), end)
    while start >= 0:
        if form.startswith(text[start:end]):
            return start
        start = text.find(seed, start + 1, end)
    return None


def _mask(text: str, spans: list[_Span]) -> str:
    """Return a text with one mask for each run of spans that overlap or touch."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start > done or not parts:
            parts += [text[done:start], MASK]
        done = max(done, end)
    return "".join([*parts, text[done:]])
