"""Where a function, a class or a parameter stands in its file."""

import importlib
import linecache
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from toolkit import load_tools
from toolkit.problems import Location
from toolkit.tools.definition.definition_places import place_in_file, place_of  # private

SOURCE = """\
import functools


def outer():
    def inner(a, b): ...
    return inner


class Æther:
    @functools.lru_cache
    def method(self, /, first, *rest, key=1, **more): ...


async def later(x): ...


made = lambda x: x
"""


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "placed_tools.py"
    path.write_text(SOURCE, "utf-8")
    spec = spec_from_file_location("placed_tools", path)
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    sys.modules["placed_tools"] = made
    spec.loader.exec_module(made)
    yield made
    del sys.modules["placed_tools"]
    linecache.clearcache()


def spot(location):
    return location and (location.line, location.column, location.end_line, location.end_column)


def test_names_of_definitions_and_parameters_are_found(module):
    method = module.Æther.method
    assert spot(place_of(module.outer)) == (4, 5, 4, 10)
    assert spot(place_of(module.outer())) == (5, 9, 5, 14)
    assert spot(place_of(module.outer(), "b")) == (5, 18, 5, 19)
    assert spot(place_of(module.Æther)) == (9, 7, 9, 12)
    assert spot(place_of(method)) == (11, 9, 11, 15)
    assert [spot(place_of(method, name))[1] for name in ("first", "rest", "key", "more")] == [25, 33, 39, 48]
    assert spot(place_of(module.later, "x")) == (14, 17, 14, 18)
    assert spot(place_of(module.later, "unknown")) == (14, 11, 14, 16)
    assert spot(place_of(module.Æther, "first")) == (9, 7, 9, 12)


def test_a_lambda_has_a_line_and_no_column(module):
    assert place_of(module.made) == Location(module.__file__, 17)


def test_what_no_file_holds_has_no_place():
    assert [place_of(thing) for thing in (len, int, Path("x"), print)] == [None, None, None, None]  # type: ignore[arg-type]


def test_a_file_that_is_gone_or_changed_gives_what_is_left(module):
    path = Path(module.__file__)
    linecache.getlines(module.__file__)
    path.write_text("def broken(:\n", "utf-8")
    assert (place_of(module.outer), place_of(module.Æther)) == (Location(module.__file__, 4), None)
    path.unlink()
    assert place_of(module.outer) in (Location(module.__file__, 4), None)


def test_a_changed_file_is_read_again(module):
    assert spot(place_of(module.Æther)) == (9, 7, 9, 12)
    Path(module.__file__).write_text("\n\n" + SOURCE, "utf-8")
    assert spot(place_of(module.Æther)) == (11, 7, 11, 12)


def test_of_two_definitions_of_a_name_each_function_has_its_own_place(tmp_path, monkeypatch):
    (tmp_path / "two_of_a_name.py").write_text(
        "def one(a): ...\nfirst = one\ndef one(b): ...\nclass Pair:\n    def one(self, c): ...\n", "utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    two = importlib.import_module("two_of_a_name")
    assert [spot(place_of(thing, name)) for thing, name in ((two.first, "a"), (two.one, "b"), (two.Pair.one, "c"))] == [
        (1, 9, 1, 10),
        (3, 9, 3, 10),
        (5, 19, 5, 20),
    ]


@pytest.mark.proof
@pytest.mark.timeout(60)
def test_a_file_of_many_classes_is_parsed_once(tmp_path):
    """Reading the file for every class made three hundred of them take minutes."""
    classes = (
        f"class In{number}(BaseModel):\n    text: str\n\n\nclass Typed{number}(TypedTool):\n"
        f"    name = 'typed_{number}'\n    description = 'Return text number {number}.'\n    input_type = In{number}\n\n"
        f"    def execute(self, value: In{number}) -> str:\n        return value.text\n"
        for number in range(300)
    )
    head = "from pydantic import BaseModel\n\nfrom toolkit import TypedTool\n\n\n"
    path = tmp_path / "many_classes.py"
    path.write_text(head + "\n\n".join(classes), "utf-8")
    tools = load_tools(str(path))
    assert [tool.spec.location.line for tool in tools.values()] == [10 + 13 * number for number in range(300)]


def test_a_definition_is_found_by_the_line_in_which_it_begins(module):
    assert spot(place_in_file(module.__file__, 10, "method")) == (11, 9, 11, 15)
    assert place_in_file(module.__file__, 12, "method") == Location(module.__file__, 12)
    assert place_in_file(module.__file__ + "x", 1, "method") == Location(module.__file__ + "x", 1)
