"""Replaces known secrets by a mask before anything is written, and finds those in the environment and in objects.

Values are never redacted while they are in use: tools, steps and servers receive the secrets they need. Only code that
writes (to a screen, a file, a log, a listener, a client or a model) passes its text through the redactor first.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from operator import is_
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, Final

from toolkit.redactors.secret_forms import (
    KnownSecrets,
    Span,
    can_be_found,
    readings,
    spans_of,
    start_of_begun_form,
    without_begun_escapes,
)
from toolkit.redactors.secret_names import SHORTEST_TOKEN, may_begin_token, names_secret_variable, token_spans

MASK = "**********"
"""The text that replaces a secret."""

_SHORTEST = 6
_LEAST_LONG_NUMBER = 10_000_000
_REMEMBERED = 64


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
        self.known: tuple[KnownSecrets, ...] = (KnownSecrets(), *(outer.known if outer is not None else ()))
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
        if not values:
            return
        new = [value for value in map(str.strip, values) if can_be_found(value)]
        if new := [value for value in new if not any(value in known.values for known in self.known)]:
            self.known[0].add(new)

    def text(self, text: str, *, is_cut: bool = False) -> str:
        """Return a text with each secret replaced by a mask.

        Args:
            text: The text.
            is_cut: Whether the text was truncated, so that it may end with the beginning of a secret.
        """
        if len(text) < _SHORTEST and not is_cut and "…" not in text:
            return text
        spans = self.spans(text, is_cut=is_cut)
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
        if type(data) is int and -_LEAST_LONG_NUMBER < data < _LEAST_LONG_NUMBER:  # faster than all below
            return data
        if isinstance(data, dict):
            names, values = [self.data(name) for name in data], [self.data(value) for value in data.values()]
            is_same = _are_same(names, data) and _are_same(values, data.values())
            return data if is_same else dict(zip(names, values, strict=True))
        if isinstance(data, list | tuple):
            items = [self.data(item) for item in data]
            return data if _are_same(items, data) else type(data)(items) if type(data) in (list, tuple) else items
        return data if data is None or isinstance(data, bool) else self._other(data)

    def _other(self, data: Any) -> Any:
        """Return a number or an object, or its text with the secrets masked if it contains any."""
        if isinstance(data, Mapping):
            shown = self.data(plain := dict(data))
            return data if shown is plain else shown
        if isinstance(data, int | float) and -_LEAST_LONG_NUMBER < data < _LEAST_LONG_NUMBER:
            return data
        try:
            text = data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data)
            shown = self.text(text)
        except Exception:  # noqa: BLE001 - `__str__` of any object may raise
            return data
        return data if shown == text else MASK if isinstance(data, int | float) else shown

    def stream(self) -> "RedactedStream":
        """Return a redactor for a text that arrives in pieces."""
        return RedactedStream(self)

    def spans(self, text: str, *, is_cut: bool = False) -> list[Span]:
        """Return the positions of all secrets, however they are escaped and laid out; they may overlap.

        Args:
            text: The text.
            is_cut: Whether the text was truncated, so that it may end with the beginning of a secret.
        """
        known = [one for one in self.known if one.values]
        if not known and (len(text) < SHORTEST_TOKEN or not self._by_format):
            return []
        spans = list(token_spans(text)) if self._by_format else []
        spans += [span for one in known for span in spans_of(one.written, text, is_cut=is_cut)]
        if not known and "%" not in text and "\\/" not in text:
            return spans  # what is formatted like a token is rarely escaped otherwise
        for reading in readings(text, squeezes=bool(known)):
            if reading.is_squeezed:
                found = [span for one in known for span in spans_of(one.squeezed, reading.text, has_cuts=False)]
            else:
                found = list(token_spans(reading.text)) if self._by_format else []
                found += [span for one in known for span in spans_of(one.decoded, reading.text, is_cut=is_cut)]
            if found:
                starts, ends = reading.places()
                spans += [(starts[start], ends[end - 1]) for start, end in found]
        return spans


class RedactedStream:
    """Redacts a text that arrives in pieces, and holds back whatever may be the beginning of a secret."""

    def __init__(self, redactor: Redactor) -> None:
        """Create a stream that uses this redactor."""
        self._redactor = redactor
        self._before = ""
        self._held = ""

    def feed(self, piece: str) -> str:
        """Add a piece, and return the text that is safe to show so far."""
        text, done = self._before + self._held + piece, len(self._before)
        spans = self._redactor.spans(text)
        first = min(self._start_of_possible_secret(text), _start_of_possible_token(text))
        end = max(done, min(first, self._start_of_possible_layout(text)))
        for start, stop in sorted(spans):
            if start < end < stop:
                end = stop if stop < len(text) else max(start, done)
        self._held = text[end:]
        # A secret may have begun with too few characters to hold them back; then at least the rest of it is masked.
        self._before = text[max(0, end - _REMEMBERED) : end]
        shown = [
            (max(start, done) - done, min(stop, end) - done) for start, stop in spans if start < end and stop > done
        ]
        return _mask(text[done:end], shown) if shown else text[done:end]

    def end(self) -> str:
        """Return the remaining text, once the input has ended."""
        text, done = self._before + self._held, len(self._before)
        self._before = self._held = ""
        spans = [(max(start, done) - done, stop - done) for start, stop in self._redactor.spans(text) if stop > done]
        return _mask(text[done:], spans) if spans else text[done:]

    def _start_of_possible_secret(self, text: str) -> int:
        """Return where a secret may begin whose end has not arrived yet."""
        first = len(text)
        for form in (form for known in self._redactor.known for form in known.written.forms):
            start = text.find(form[0], max(0, len(text) - len(form) + 1))
            while 0 <= start < first:
                if form.startswith(text[start:]):
                    first = start
                start = text.find(form[0], start + 1)
        return first

    def _start_of_possible_layout(self, text: str) -> int:
        """Return where a secret may begin that is escaped or laid out, and whose end has not arrived yet."""
        first = len(text)
        for reading in (reading for part in without_begun_escapes(text) for reading in readings(part)):
            for known in self._redactor.known if reading.is_squeezed else ():
                if (begun := start_of_begun_form(known.squeezed, reading.text)) is not None:
                    first = min(first, reading.places()[0][begun])
        return first


def _start_of_possible_token(text: str) -> int:
    start = max(text.rfind(" "), text.rfind("\n"), text.rfind('"')) + 1
    return start if may_begin_token(text[start:]) else len(text)


def _are_same(first: Iterable[object], second: Iterable[object]) -> bool:
    return all(map(is_, first, second))


def _mask(text: str, spans: list[Span]) -> str:
    """Return a text with one mask for each run of overlapping or adjacent spans."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start > done or not parts:
            parts += [text[done:start], MASK]
        done = max(done, end)
    return "".join([*parts, text[done:]])


_Variables = Mapping[str | bytes, str | bytes]

_last: tuple[Any, Redactor] | None = None


def environment_redactor() -> Redactor:
    """Return the redactor of the current environment. It is shared: do not teach it more values."""
    global _last  # noqa: PLW0603 - cached until the environment changes, and compared faster than any key is hashed
    variables: Any = getattr(os.environ, "_data", os.environ)  # `os.environ` decodes all of it on each read
    last = _last
    if last is None or last[0] != variables:
        _last = last = dict(variables), Redactor(*_secrets(variables), outer=RECEIVED)
    return last[1]


def redactor_of_environment(*more: str) -> Redactor:
    """Return a redactor that knows the secrets in the current environment, and any more values."""
    return Redactor(*more, outer=environment_redactor())


RECEIVED: Final = Redactor(by_format=False)
"""Knows the secrets that this process has received from others, such as tokens; every redactor of the environment
redacts them too."""


def learn_names(redactor: Redactor, names: Iterable[str]) -> None:
    """Teach a redactor that these names hold secrets, and the values that the environment has for them."""
    redactor.names |= {name.lower() for name in names}
    redactor.learn(*(value for name, value in os.environ.items() if name.lower() in redactor.names))


def _secrets(variables: _Variables) -> Iterator[str]:
    for name, value in (map(os.fsdecode, variable) for variable in variables.items()):
        if names_secret_variable(name) and not _is_path(value):
            yield value
        for start, end in token_spans(value):
            yield value[start:end]
            if value[:start].endswith("://"):  # user and password: the password alone is a secret too
                yield value[start:end].partition(":")[2]


def _is_path(value: str) -> bool:
    """Return whether a value is the path of an existing file or folder, which is not a secret."""
    return value.startswith(("/", "~", ".")) and os.path.exists(value)  # noqa: PTH110 - `Path` rejects some strings


_PLAIN = (
    str, bytes, bytearray, int, float, type(None), type, FunctionType, BuiltinFunctionType, CodeType, ModuleType,
)  # fmt: skip
_CONTAINERS = (dict, list, tuple, set, frozenset)
_MOST_OBJECTS = 1_000


def secrets_within(value: Any) -> Iterator[str]:
    """Yield the values of all secrets inside an object: in containers, dataclasses, models and plain objects."""
    seen: set[int] = set()
    waiting = deque([value])  # breadth first: the limit then keeps the outer objects
    while waiting and len(seen) < _MOST_OBJECTS:
        one = waiting.popleft()
        if isinstance(one, _PLAIN) or id(one) in seen:
            continue
        seen.add(id(one))
        if type(one) not in _CONTAINERS and (revealed := _revealed(one)) is not None:
            yield from texts_within(revealed)
        else:
            waiting += _parts_of(one)


def texts_within(value: Any) -> Iterator[str]:
    """Yield every string in the value of a secret, which may be a string or nested data."""
    if isinstance(value, bytes):
        yield value.decode("utf-8", "surrogateescape")
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from texts_within(one)


def _parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict | MappingProxyType):  # reading another kind of mapping may run any code
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    names = ["__dict__", *(name for kind in type(value).__mro__ for name in _slots_of(kind))]
    return [_result_or_none(partial(getattr, value, name, None)) for name in names]


def _slots_of(kind: type) -> Iterable[str]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else [name for name in slots if not name.startswith("__")]


def _revealed(value: Any) -> Any:
    """Return the result of an object's `get_secret_value`, as pydantic's secrets have it, or None."""
    reveal = _result_or_none(partial(getattr, type(value), "get_secret_value", None))
    return None if reveal is None else _result_or_none(partial(reveal, value))


def _result_or_none(function: Callable[[], Any]) -> Any:
    """Return the result of a function, or None if it raises: any class may have attributes with these names."""
    try:
        return function()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a user's code may raise anything, SystemExit too
        return None
