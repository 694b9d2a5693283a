"""The hint to say what a tool returns names the type where the source shows it, and no type where it does not."""

import pytest

from toolkit.lint.clues.returned_types import annotation_hint, returned_type  # private
from toolkit.source_code.python_files import PythonFile  # private

BODIES = {
    "return f'sun in {city}'": "str",
    "return 'sun'": "str",
    "return ', '.join(days)": "str",
    "return str(days)": "str",
    "return len(days)": "int",
    "return 3": "int",
    "return 0.5": "float",
    "return b''": "bytes",
    "return not days": "bool",
    "return days > 3": "bool",
    "return [city]": "list",
    "return {'city': city}": "dict",
    "return {day: city for day in days}": "dict",
    "return city": "str",
    "return days": "list[int] | None",
    "print(city)": "None",
    "return": "None",
    "if days:\n        return 'sun'\n    return None": "str | None",
    "if days:\n        return None\n    else:\n        return 1": "int | None",
    "try:\n        return 'sun'\n    except ValueError:\n        raise": "str",
    "with open(city) as stream:\n        return 'sun'": "str",
    "def inner():\n        return 3\n    return 'sun'": "str",
    # what shows no type
    "return find(city)": None,
    "return other": None,
    "return {*days}": None,
    "city = int(city)\n    return city": None,
    "if days:\n        return 'sun'": None,
    "for day in days:\n        return 'sun'": None,
    "yield city": None,
    "raise NotImplementedError": None,
    '"""Forecast."""': None,
    "...": None,
    "return 'sun' if days else find(city)": None,
    "return city.upper()": None,
}


def function_with(body, head=""):
    text = f"{head}def forecast(city: str, other, days: list[int] | None = None):\n    {body}\n"
    return PythonFile("tools.py", text).functions[0]


@pytest.mark.parametrize(("body", "expected"), BODIES.items(), ids=range(len(BODIES)))
def test_return_statements_show_the_type(body, expected):
    assert returned_type(function_with(body)) == expected


def test_name_that_is_imported_is_not_the_one_of_python():
    assert returned_type(function_with("return str(city)", "from texts import str\n")) is None


def test_hint_says_it_in_words_where_no_type_is_shown():
    assert annotation_hint(function_with("return days > 3")) == "annotate it: -> bool"
    assert annotation_hint(function_with("return find(city)")) == "annotate it with the type of what it returns"
