"""Replaces known secrets by a mask before anything is written.

Values are never redacted while they are in use: tools, steps and servers receive the secrets they need. Only code that
writes (to a screen, a file, a log, a listener, a client or a model) passes its text through the redactor first.
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
    """Return whether a value differs from ordinary text: long enough, not a common word, not a short number."""
    if len(value) < _SHORTEST or len(set(value)) < _FEWEST_CHARACTERS or value.lower() in _COMMON:
        return False
    return not value.isdigit() or len(value) >= _SHORTEST_NUMBER


class _Known:
    """Secret values, and the encodings to search for."""

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
    """Replaces known secrets by a mask; safe to use from several threads.

    Example:
        >>> from toolkit.redactors import Redactor
        >>> redactor = Redactor("correct-horse")
        >>> redactor.text("the password is correct-horse, in base64 Y29ycmVjdC1ob3JzZQ==")
        'the password is **********, in base64 **********'
        >>> redactor.data({"header": ["Bearer correct-horse"], "page": 3})
        {'header': ['Bearer **********'], 'page': 3}
    """

    def __init__(self, *values: str, outer: "Redactor | None" = None, by_format: bool = True) -> None:
        """Create a redactor.

        Args:
            *values: Secrets. Values that look like ordinary text are ignored.
            outer: Another redactor, whose secrets are also redacted, including those that it learns later.
            by_format: Whether to redact anything that is formatted like a common key or token.
        """
        self._by_format = by_format
        self.known: tuple[_Known, ...] = (_Known(), *(outer.known if outer is not None else ()))
        """The secrets of this redactor, and of the outer ones."""
        self.names: frozenset[str] = outer.names if outer is not None else frozenset()
        """Names that are configured as names of secrets, in lower case."""
        self.learn(*values)

    def __repr__(self) -> str:
        """Return the number of secrets, without any of them."""
        return f"<Redactor: {sum(len(known.values) for known in self.known)} values>"

    def __bool__(self) -> bool:
        """Return whether there is anything to search for."""
        return self._by_format or any(known.values for known in self.known)

    def learn(self, *values: str) -> None:
        """Add secrets. If there are more than a thousand, only the newest thousand are kept."""
        new = [value for value in map(str.strip, values) if can_be_found(value)]
        if new := [value for value in new if not any(value in known.values for known in self.known)]:
            self.known[0].add(new)

    def forms(self) -> Iterator[str]:
        """Yield every string to search for."""
        for known in self.known:
            yield from known.forms

    def text(self, text: str, *, is_cut: bool = False) -> str:
        """Return a text with each secret replaced by a mask.

        Args:
            text: The text.
            is_cut: Whether the text was truncated, so that it may end with the beginning of a secret.
        """
        if len(text) < _SHORTEST and not is_cut and "…" not in text:
            return text
        spans = self.spans(text)
        if is_cut or any(dots in text for dots in _ELLIPSES):
            spans += self._beginnings(text, [len(text)] if is_cut else [])
        return _mask(text, spans) if spans else text

    def stars(self, text: str) -> str:
        """Return a text with each character of a secret replaced by a star, so that columns stay aligned."""
        characters = list(text)
        for start, end in self.spans(text):
            characters[start:end] = "*" * (end - start)
        return "".join(characters)

    def data(self, data: Any) -> Any:
        """Return plain data with every secret in its strings and keys masked; the same object if there is none.

        Raises:
            RecursionError: If the data is nested too deeply.
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
        """Return a redactor for a text that arrives in pieces."""
        return RedactedStream(self)

    def spans(self, text: str) -> list[_Span]:
        """Return the positions of all secrets; they may overlap."""
        spans = list(token_spans(text)) if self._by_format else []
        for form in self.forms():
            start = text.find(form)
            while start >= 0:
                spans.append((start, start + len(form)))
                start = text.find(form, start + 1)
        return spans

    def _beginnings(self, text: str, ends: list[int]) -> list[_Span]:
        """Return where a secret begins that is cut off by the end of the text, or by an ellipsis."""
        ends += [position for dots in _ELLIPSES if dots in text for position in _positions_of(dots, text)]
        return [
            (start, end)
            for end in ends
            for form in self.forms()
            if (start := _start_of_beginning(form, text, end)) is not None
        ]


class RedactedStream:
    """Redacts a text that arrives in pieces, and holds back whatever may be the beginning of a secret."""

    def __init__(self, redactor: Redactor) -> None:
        """Create a stream that uses this redactor."""
        self._redactor = redactor
        self._held = ""

    def feed(self, piece: str) -> str:
        """Add a piece, and return the text that is safe to show so far."""
        text = self._held + piece
        end = min(self._start_of_possible_secret(text), _start_of_possible_token(text))
        for start, stop in sorted(self._redactor.spans(text)):
            if start < end < stop:
                end = stop if stop < len(text) else start
        self._held = text[end:]
        return self._redactor.text(text[:end])

    def end(self) -> str:
        """Return the remaining text, once the input has ended."""
        rest, self._held = self._held, ""
        return self._redactor.text(rest)

    def _start_of_possible_secret(self, text: str) -> int:
        """Return where a secret may begin whose end has not arrived yet."""
        first = len(text)
        for form in self._redactor.forms():
            start = text.find(form[0], max(0, len(text) - len(form) + 1))
            while 0 <= start < first:
                if form.startswith(text[start:]):
                    first = start
                start = text.find(form[0], start + 1)
        return first


def _start_of_possible_token(text: str) -> int:
    start = max(text.rfind(" "), text.rfind("\n"), text.rfind('"')) + 1
    return start if may_begin_token(text[start:]) else len(text)


def _are_same(first: Iterable[object], second: Iterable[object]) -> bool:
    return all(map(is_, first, second))


def _positions_of(part: str, text: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + len(part))


def _start_of_beginning(form: str, text: str, end: int) -> int | None:
    """Return where an incomplete form begins that ends at a position, or None."""
    seed = form[:_SHORTEST_BEGINNING]
    start = text.find(seed, max(0, end - len(form)), end)
    while start >= 0:
        if form.startswith(text[start:end]):
            return start
        start = text.find(seed, start + 1, end)
    return None


def _mask(text: str, spans: list[_Span]) -> str:
    """Return a text with one mask for each run of overlapping or adjacent spans."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start > done or not parts:
            parts += [text[done:start], MASK]
        done = max(done, end)
    return "".join([*parts, text[done:]])
