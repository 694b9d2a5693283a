"""Functions: the whole table of what an expression may call.

Each takes and returns plain JSON data, and refuses before it would make something large. `cost` says how much work a
call is, so that a comprehension cannot call it too often with too much.
"""

import re
from collections.abc import Callable, Mapping
from json import JSONDecodeError, JSONDecoder
from typing import Any, Literal, NamedTuple, NoReturn

from toolkit.pipelines.expressions import values
from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.operators import add
from toolkit.pipelines.expressions.operators import contains as is_in
from toolkit.pipelines.expressions.values import check_count, check_length, checked_number, kind_of

Cost = Literal["constant", "reads", "makes", "dumps", "searches"]

INTEGER = r"\s*[-+]?[0-9]+\s*"
NUMBER = r"\s*[-+]?(?:\.[0-9]+|[0-9]+\.?[0-9]*)(?:[eE][-+]?[0-9]+)?\s*"
STRING_OR_BRACKET = r'"[^"\\]*(?:\\.[^"\\]*)*"?|[][{}]'
LINE_BREAK = r"\r\n|\r|\n"
MAX_NUMBER_TEXT = 1_300
MAX_ROUNDING = 1_000


class Function(NamedTuple):
    """One function of the table.

    Attributes:
        call: What it does.
        parameters: The names of its parameters, in order.
        required: How many of them have to be given.
        many: Whether any number of values may follow (`min`, `max`).
        cost: Whether its work is constant, or grows with what it is given: it reads a text, makes a text or a list as
            long as what it is given, goes through all that is nested in it, or searches the first for the second.
    """

    call: Callable[..., Any]
    parameters: tuple[str, ...]
    required: int
    many: bool
    cost: Cost


FUNCTIONS: dict[str, Function] = {}
"""The functions by name."""

_Body = Callable[..., Any]


def _function(name: str, cost: Cost = "makes") -> Callable[[_Body], _Body]:
    def enter(body: _Body) -> _Body:
        code = body.__code__
        parameters = code.co_varnames[: code.co_argcount]
        required = len(parameters) - len(body.__defaults__ or ())
        many = bool(code.co_flags & 0x04)
        FUNCTIONS[name] = Function(body, parameters, required, many, cost)
        return body

    return enter


_MISSING: Any = object()


# ----------------------------------------------------------------------------------------------------- kinds of values


def _text(value: Any, function: str) -> str:
    if isinstance(value, str):
        return value
    raise Unfit(f"{function} takes a text, not {kind_of(value)}", hint="str(…) makes a text of it")


def _list(value: Any, function: str) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    hint = {
        "a text": "split(…) and lines(…) make a list of a text",
        "a mapping": "keys(…) and values(…) make a list of a mapping",
    }
    kind = kind_of(value)
    raise Unfit(f"{function} takes a list, not {kind}", hint=hint.get(kind))


def _number(value: Any, function: str) -> Any:
    if isinstance(value, (int, float)):
        return checked_number(value)
    raise Unfit(f"{function} takes a number, not {kind_of(value)}")


def _comparable(items: list[Any], function: str) -> list[Any]:
    """Return the items if each can be compared with each: all numbers, or all texts."""
    if all(isinstance(item, (int, float)) for item in items) or all(isinstance(item, str) for item in items):
        return items
    odd = [kind_of(item) for item in items if not isinstance(item, (int, float, str))]
    if odd:
        raise Unfit(f"{function} compares numbers, or texts, and there is {odd[0]} among them")
    raise Unfit(f"{function} compares numbers, or texts, and not both", hint="str(…) makes a text of a number")


# ------------------------------------------------------------------------------------------------- making another kind


@_function("str", "dumps")
def _str(value: Any) -> str:
    """The text that `${{ }}` inside a text gives: a text as it is, everything else as compact JSON."""
    text = values.text_of(value)
    check_length(len(text))
    return text


@_function("int")
def _int(value: Any) -> int:
    if isinstance(value, str):
        if re.fullmatch(INTEGER, value) and len(value) <= MAX_NUMBER_TEXT:
            return int(checked_number(int(value)))
        raise Unfit("the text is no integer", hint="int(float(…)) cuts the digits after the point off")
    return int(_number(value, "int"))


@_function("float")
def _float(value: Any) -> float:
    if isinstance(value, str):
        if re.fullmatch(NUMBER, value) and len(value) <= MAX_NUMBER_TEXT:
            return float(checked_number(float(value)))
        raise Unfit("the text is no number")
    return float(_number(value, "float"))


@_function("bool", "constant")
def _bool(value: Any) -> bool:
    """As in Python, but that the texts `true` and `false` are what they say."""
    if isinstance(value, str) and len(value) <= len("false"):
        return {"true": True, "false": False}.get(value.lower(), bool(value))
    return bool(value)


@_function("json", "dumps")
def _json(value: Any) -> str:
    text = values.json_of(value)
    check_length(len(text))
    return text


@_function("parse_json")
def _parse_json(text: Any) -> Any:
    source = _text(text, "parse_json")
    check_length(len(source))
    _check_nesting(source)
    try:
        data = _DECODER.decode(source)
    except JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Unfit(f"the text is no JSON: {error.msg[:1].lower()}{error.msg[1:]} at {where}") from error
    values.size_of(data)
    return data


def _check_nesting(source: str) -> None:
    level = 0
    for found in re.finditer(STRING_OR_BRACKET, source, re.DOTALL):
        bracket = found.group()
        level += 1 if bracket in ("[", "{") else -1 if bracket in ("]", "}") else 0
        if level > values.MAX_NESTING:
            raise Unfit(f"the JSON is nested deeper than {values.MAX_NESTING} levels")


def _json_integer(digits: str) -> int:
    if len(digits) > MAX_NUMBER_TEXT:
        raise Unfit("the JSON has a number that is too large")
    return int(checked_number(int(digits)))


def _json_number(digits: str) -> float:
    return float(checked_number(float(digits)))


def _no_constant(name: str) -> NoReturn:
    raise Unfit(f"the text is no JSON: '{name}' is no number that JSON knows")


_DECODER = JSONDecoder(parse_int=_json_integer, parse_float=_json_number, parse_constant=_no_constant)


# -------------------------------------------------------------------------------------------------------------- numbers


@_function("abs", "constant")
def _abs(number: Any) -> Any:
    return abs(_number(number, "abs"))


@_function("round", "constant")
def _round(number: Any, digits: Any = None) -> Any:
    """As in Python: a half goes to the even neighbour, and without digits the result is an integer."""
    _number(number, "round")
    if digits is not None and (not isinstance(digits, int) or abs(digits) > MAX_ROUNDING):
        raise Unfit(f"round takes a number of digits up to {MAX_ROUNDING}, not {kind_of(digits)}")
    return checked_number(round(number, digits))


@_function("sum")
def _sum(items: Any) -> Any:
    total: Any = 0
    for item in _list(items, "sum"):
        total = add(total, _number(item, "sum"))
    return total


def _extreme(function: str, choose: Callable[[list[Any]], Any], first: Any, others: tuple[Any, ...]) -> Any:
    items = [first, *others] if others else _list(first, function)
    if not items:
        raise Unfit(f"{function} of an empty list", hint=f"{function}(x) if x else 0 says what it is then")
    return choose(_comparable(items, function))


@_function("min", "dumps")
def _min(items: Any, *others: Any) -> Any:
    return _extreme("min", min, items, others)


@_function("max", "dumps")
def _max(items: Any, *others: Any) -> Any:
    return _extreme("max", max, items, others)


# ---------------------------------------------------------------------------------------------------------------- texts


@_function("lower")
def _lower(text: Any) -> str:
    return _cased(text, "lower", str.lower)


@_function("upper")
def _upper(text: Any) -> str:
    return _cased(text, "upper", str.upper)


def _cased(text: Any, function: str, change: Callable[[str], str]) -> str:
    check_length(len(_text(text, function)))
    changed = change(text)
    check_length(len(changed))
    return changed


@_function("strip")
def _strip(text: Any, characters: Any = None) -> str:
    return _text(text, "strip").strip(None if characters is None else _text(characters, "strip"))


@_function("replace")
def _replace(text: Any, old: Any, new: Any) -> str:
    whole, part, other = (_text(value, "replace") for value in (text, old, new))
    check_length(len(whole) + whole.count(part) * max(0, len(other) - len(part)))
    return whole.replace(part, other)


@_function("split")
def _split(text: Any, separator: Any = None) -> list[str]:
    """At a separator, or without one at any white space."""
    if separator == "":
        raise Unfit("split at an empty text", hint="[character for character in …] gives the characters")
    return _counted(
        _text(text, "split").split(None if separator is None else _text(separator, "split"), values.MAX_ITEMS + 1)
    )


@_function("lines")
def _lines(text: Any) -> list[str]:
    """The lines without their ends; a last line end begins no further line."""
    lines = re.split(LINE_BREAK, _text(text, "lines"), maxsplit=values.MAX_ITEMS + 1)
    return _counted(lines if lines[-1] else lines[:-1])


def _counted(items: list[str]) -> list[str]:
    check_count(len(items))
    return items


@_function("join")
def _join(items: Any, separator: Any = "") -> str:
    texts = [_text(item, "join") for item in _list(items, "join")]
    _text(separator, "join")
    check_length(sum(map(len, texts)) + len(separator) * max(0, len(texts) - 1))
    return str(separator.join(texts))


@_function("startswith", "reads")
def _startswith(text: Any, start: Any) -> bool:
    return _text(text, "startswith").startswith(_text(start, "startswith"))


@_function("endswith", "reads")
def _endswith(text: Any, end: Any) -> bool:
    return _text(text, "endswith").endswith(_text(end, "endswith"))


# --------------------------------------------------------------------------------------------------- lists and mappings


@_function("len", "constant")
def _len(value: Any) -> int:
    if isinstance(value, (str, list, tuple, Mapping)):
        return len(value)
    raise Unfit(f"{kind_of(value)} has no length")


@_function("any")
def _any(items: Any) -> bool:
    return any(_list(items, "any"))


@_function("all")
def _all(items: Any) -> bool:
    return all(_list(items, "all"))


@_function("sorted", "dumps")
def _sorted(items: Any, key: Any = None, reverse: Any = None) -> list[Any]:
    """The items in order; with a key, mappings in the order of their values under it."""
    if reverse is not None and not isinstance(reverse, bool):
        raise Unfit(f"sorted takes true or false for 'reverse', not {kind_of(reverse)}")
    listed = _list(items, "sorted")
    if key is None:
        return sorted(_comparable(listed, "sorted"), reverse=bool(reverse))
    name = _text(key, "sorted")
    ranks = _comparable([_value_under(item, name) for item in listed], "sorted")
    order = sorted(range(len(listed)), key=ranks.__getitem__, reverse=bool(reverse))
    return [listed[index] for index in order]


def _value_under(item: Any, name: str) -> Any:
    if isinstance(item, Mapping) and name in item:
        return item[name]
    raise Unfit(f"sorted by '{name[:80]}' needs mappings that have it, and there is {kind_of(item)} without")


@_function("unique", "dumps")
def _unique(items: Any) -> list[Any]:
    """Each item once, where it came first; items are the same if they are the same JSON, so that true is not 1."""
    seen: dict[Any, Any] = {}
    for item in _list(items, "unique"):
        nested = isinstance(item, (list, tuple, Mapping))
        seen.setdefault(values.sorted_json_of(item) if nested else (type(item), item), item)
    return list(seen.values())


@_function("first", "constant")
def _first(items: Any, default: Any = _MISSING) -> Any:
    return _end_of(items, 0, "first", default)


@_function("last", "constant")
def _last(items: Any, default: Any = _MISSING) -> Any:
    return _end_of(items, -1, "last", default)


def _end_of(items: Any, index: int, function: str, default: Any) -> Any:
    listed = _list(items, function)
    if listed:
        return listed[index]
    if default is _MISSING:
        raise Unfit(f"{function} of an empty list", hint=f"{function}(…, default) says what it is then")
    return default


@_function("keys")
def _keys(mapping: Any) -> list[str]:
    return list(_mapping(mapping, "keys"))


@_function("values")
def _values(mapping: Any) -> list[Any]:
    return list(_mapping(mapping, "values").values())


def _mapping(value: Any, function: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise Unfit(f"{function} takes a mapping, not {kind_of(value)}")


@_function("get", "constant")
def _get(container: Any, key: Any, default: Any = None) -> Any:
    """What is under a key of a mapping or at an index of a list; the default where there is nothing, or in null."""
    if container is None:
        return default
    if isinstance(container, Mapping):
        return container.get(values.checked_key(key), default)
    if isinstance(container, (list, tuple)):
        if isinstance(key, bool) or not isinstance(key, int):
            raise Unfit(f"an index has to be a whole number, not {kind_of(key)}")
        return container[key] if -len(container) <= key < len(container) else default
    raise Unfit(f"get takes a mapping or a list, not {kind_of(container)}")


@_function("contains", "searches")
def _contains(container: Any, item: Any) -> bool:
    return is_in(item, container)


@_function("default", "constant")
def _default(value: Any, fallback: Any) -> Any:
    """The value, or the fallback where it is null."""
    return fallback if value is None else value


@_function("now", "constant")
def _now() -> str:
    """The time in UTC, as `2026-11-21T08:30:00Z`."""
    from datetime import UTC, datetime  # noqa: PLC0415 - few expressions ask for the time

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
