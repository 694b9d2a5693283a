"""Where a function, a class or a parameter stands in its file."""

import linecache
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from toolkit.problems import Location
from toolkit.tools.places import place_in_file, place_of

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
    assert place_of(module.outer) in (Location(module.__file__, 4), None)
    path.unlink()
    assert place_of(module.outer) in (Location(module.__file__, 4), None)


def test_a_definition_is_found_by_the_line_in_which_it_begins(module):
    assert spot(place_in_file(module.__file__, 10, "method")) == (11, 9, 11, 15)
    assert place_in_file(module.__file__, 12, "method") == Location(module.__file__, 12)
    assert place_in_file(module.__file__ + "x", 1, "method") == Location(module.__file__ + "x", 1)
