"""Writes values in the styles of OpenAPI: for paths, queries, headers, cookies and forms.

Each value can be read back: what would be read as something else, such as an item with the separator of its list, is
refused. `null` and empty lists and objects are not written. Source of the rules: RFC 6570, to which the OpenAPI
Specification refers (3.1.1, Parameter Object and appendices C to E); it leaves nested values open, which are written as
JSON, or with further brackets in the style `deepObject`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, unquote

from toolkit.json_texts import text_of

Quote = Callable[[str], str]
"""Returns a text in the form in which it can be sent."""

Pair = tuple[str, str]
"""A name and a value, as they are sent."""

# Reserved characters that have no meaning of their own in a query: no `#`, `[` and `]`, and no `&`, `=` and `+`, which
# would make other parameters or characters of a value.
_RESERVED: Final = ":/?@!$'()*,;"
_SEPARATORS: Final = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}
_BETWEEN: Final = {"simple": ",", "label": ".", "matrix": ";"}
_BEFORE: Final = {"label": ".", "matrix": ";"}


class UnwritableValueError(ValueError):
    """A value cannot be sent; the message says why, as the predicate of a sentence about it."""


def percent_encoded(text: str, *, allows_reserved: bool = False) -> str:
    """Return a text with everything encoded that is not a letter, a digit or one of `-._~`.

    Args:
        text: The text.
        allows_reserved: Whether the characters stay that are reserved but harmless in the value of a query.

    Raises:
        UnwritableValueError: If the text contains half of a character.
    """
    try:
        return quote(text, safe=_RESERVED if allows_reserved else "")
    except UnicodeEncodeError as error:
        raise UnwritableValueError(f"has half of a character (a lone surrogate) at {error.start}") from None


def is_undefined(value: Any) -> bool:
    """Return whether a value is not written at all: `null`, or a list or an object without anything else."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else [value]
    return all(one is None for one in inner)


def text_in_style(name: str, value: Any, style: str, *, explode: bool, write: Quote) -> str:
    """Return a value in a style of paths and headers: `simple`, `label` or `matrix`.

    Args:
        name: The name of the parameter, as it is written.
        value: The value; empty lists and objects become an empty text.
        style: The style.
        explode: Whether each item or member is written on its own.
        write: Writes one text.

    Raises:
        UnwritableValueError: If the value cannot be read back.
    """
    between, before = (_BETWEEN[style] if explode else ","), _BEFORE.get(style, "")
    match value:
        case Mapping():
            members = [(write(key), write(text_of(one))) for key, one in value.items() if one is not None]
            if explode:
                parts = [f"{_joined([key], '=')}={one}" for key, one in members]
            else:
                parts = [part for pair in members for part in pair]
        case list() | tuple():
            parts = [write(text_of(one)) for one in value if one is not None]
            if style == "matrix" and explode:
                parts = [_named(name, part) for part in parts]
        case _:
            return before + (_named(name, write(text_of(value))) if style == "matrix" else write(text_of(value)))
    written = _joined(parts, between)
    if style == "matrix" and not explode and parts:
        written = f"{name}={written}"
    return before + written if parts else ""


def pairs_in_style(name: str, value: Any, style: str, *, explode: bool, write: Quote) -> Iterator[Pair]:
    """Yield the pairs of a value in a style of queries, forms and cookies.

    Args:
        name: The name of the parameter.
        value: The value.
        style: `form`, `spaceDelimited`, `pipeDelimited`, `deepObject` or `cookie`.
        explode: Whether each item or member is written on its own.
        write: Writes one text: a name or a value.

    Raises:
        UnwritableValueError: If the value cannot be read back.
    """
    match value:
        case None:
            return
        case Mapping() | list() | tuple() if style == "deepObject":
            yield from ((write(path), write(text)) for path, text in _leaves(name, value))
        case Mapping() if explode:
            yield from ((write(key), write(text_of(one))) for key, one in value.items() if one is not None)
        case Mapping():
            members = [(key, one) for key, one in value.items() if one is not None]
            parts = [write(text_of(part)) for member in members for part in member]
            if parts:
                yield write(name), _joined(parts, _SEPARATORS.get(style, ","))
        case list() | tuple():
            parts = [write(text_of(one)) for one in value if one is not None]
            if explode:
                yield from ((write(name), part) for part in parts)
            elif parts:
                yield write(name), _joined(parts, _SEPARATORS.get(style, ","))
        case _:
            yield write(name), write(text_of(value))


def _leaves(path: str, value: Any) -> Iterator[Pair]:
    """Yield every innermost value of an object with its path in brackets, such as `price[amount]` or `items[0]`."""
    match value:
        case None:
            return
        case Mapping():
            for key, inner in value.items():
                if "[" in key or "]" in key:
                    raise UnwritableValueError(f"has the member '{key}', whose brackets would be read as a path")
                yield from _leaves(f"{path}[{key}]", inner)
        case list() | tuple():
            for index, inner in enumerate(one for one in value if one is not None):
                yield from _leaves(f"{path}[{index}]", inner)
        case _:
            yield path, text_of(value)


def _joined(parts: Sequence[str], separator: str) -> str:
    if any(separator in part for part in parts):
        raise UnwritableValueError(f"must not have parts with '{unquote(separator)}', which separates them")
    return separator.join(parts)


def _named(name: str, text: str) -> str:
    return f"{name}={text}" if text else name
