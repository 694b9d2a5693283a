"""What in a module is a tool, and what a name in it stands for."""

import sys

import pytest

SHOP = '''
import sqlite3
from functools import partial

from toolkit import from_function, tool
from toolkit.tools import TextTool


@tool
def marked(a: int) -> int:
    """Marked."""
    return a


@tool
def _private(a: int) -> int:
    """Private."""
    return a


def plain(a: int) -> int:
    """Plain."""
    return a


alias = marked
made = from_function(plain, name="made")
connection = sqlite3.connect(":memory:")
later = partial(plain, 1)


class Counter:
    def __init__(self, start: int = 1) -> None:
        self.start = start

    @tool
    def count(self, by: int) -> int:
        """Count."""
        return self.start + by

    def uncount(self, by: int) -> int:
        """Count down."""
        return self.start - by


class Shout(TextTool):
    name = "shout"
    description = "Says it loudly."

    def execute(self, text: str) -> str:
        return text.upper()


class Whisper:
    name = "whisper"
    description = "Says it softly."

    def execute(self, text: str) -> str:
        return text.lower()


class Base:
    @tool
    def inherited(self) -> int:
        """Inherited."""
        return 1


class Derived(Base):
    pass


class Keyed:
    def __init__(self, key: str) -> None:
        self.key = key

    @tool
    def unlock(self) -> str:
        """Unlock."""
        return self.key


hall = Keyed("brass")
TOOLS = [plain, Counter(10), marked]
TABLE = {"any": plain, "other": Shout}
NUMBER = 3
'''


@pytest.fixture
def shop(project):
    project.write("shop.py", SHOP)
    return project


def test_tools_that_only_a_list_or_a_table_holds_are_found_once(project):
    project.write(
        "made.py",
        "from toolkit import Tool, tool\n\nNOTHING = {'type': 'object', 'properties': {}}\n\n\n@tool\ndef marked() -> str:\n"
        "    'Marked.'\n    return 'x'\n\n\nown = Tool.create('own', 'Own.', NOTHING, marked)\n"
        "tools = [Tool.create('listed', 'Listed.', NOTHING, marked), own, marked]\n"
        "table = {'a': Tool.create('held', 'Held.', NOTHING, marked), 'b': tools}\n",
    )
    opened = project.open("made.py")
    assert ([str(problem) for problem in opened.problems], list(opened.tools)) == (
        [],
        ["marked", "own", "listed", "held"],
    )


def test_module_gives_marked_functions_tools_objects_and_classes(shop):
    opened = shop.open("shop.py")
    assert [str(problem) for problem in opened.problems] == []
    assert list(opened.tools) == ["marked", "_private", "made", "shout", "whisper", "inherited", "unlock", "count"]
    assert opened.tools["count"].run({"by": 2}).output == "12"
    assert opened.tools["unlock"].run().output == "brass"


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("marked", ["marked"]),
        ("plain", ["made"]),
        ("made", ["made"]),
        ("Counter", ["count"]),
        ("Counter.count", ["count"]),
        ("Counter.uncount", ["uncount"]),
        ("hall", ["unlock"]),
        ("hall.unlock", ["unlock"]),
        ("Shout", ["shout"]),
        ("shout", ["shout"]),
        ("TOOLS", ["made", "count", "marked"]),
        ("TABLE", ["made", "shout"]),
    ],
)
def test_name_stands_for_tools(shop, name, tools):
    opened = shop.open(f"shop.py:{name}")
    assert [str(problem) for problem in opened.problems] == []
    assert list(opened.tools) == tools


def test_object_in_a_named_list_is_the_very_object(shop):
    assert shop.open("shop.py:TOOLS").tools["count"].run({"by": 2}).output == "12"
    assert shop.open("shop.py:Counter.uncount").tools["uncount"].run({"by": 2}).output == "-1"


def test_named_thing_that_is_no_tool_says_what_it_is(shop):
    assert shop.problems("shop.py:NUMBER") == [
        (
            "shop.py:85:1: error[TK003]: an object of type 'builtins.int' is not a tool "
            "(mark its methods with @tool, or give it a name, a description and execute(text))"
        )
    ]


def test_empty_list_holds_no_tools(project):
    project.write("tools.py", "TOOLS = []\n")
    assert project.problems("tools.py:TOOLS") == ["tools.py: error[TK004]: 'TOOLS' in 'tools.py' has no tools"]


def test_missing_method_names_the_nearest_name(shop):
    assert shop.problems("shop.py:Countr") == [
        "error[TK001]: nothing is named 'Countr' in 'shop.py' (did you mean 'Counter' or 'count'?)"
    ]


NEEDY = '''
from toolkit import tool


class Weather:
    def __init__(self, key: str, *, unit: str = "C") -> None:
        self.key = key

    @tool
    def forecast(self, city: str) -> str:
        """Forecast."""
        return city
'''


def test_class_that_cannot_be_made_is_a_warning_with_the_hint(project):
    project.write("tools.py", NEEDY)
    assert project.problems("tools.py") == [
        (
            "tools.py:4:7: warning[TK003]: class 'Weather' has tools, but cannot be created without 'key' "
            "(create an instance in the module: weather = Weather(key=…))"
        ),
        "tools.py: error[TK004]: no tools were found in 'tools.py' (mark a function with `@tool`)",
    ]


BROUGHT = '''
from __future__ import annotations

from dataclasses import dataclass

from toolkit import tool


@dataclass
class User:
    name: str = "nobody"

    @tool
    def rename(self, name: str) -> User:
        """Rename the user."""
        return User(name)


@dataclass
class Order:
    number: int

    @tool
    def cancel(self) -> str:
        """Cancel the order."""
        return "cancelled"


class Shop:
    @tool
    def last_orders(self) -> list[Order]:
        """List the last orders."""
        return []


@tool
def get_user(name: str) -> User | None:
    """Get a user."""
    return User(name)
'''


@pytest.mark.parametrize("text", [BROUGHT, BROUGHT.replace("from __future__ import annotations\n", "")])
def test_class_whose_objects_tools_return_is_left_for_when_there_is_one(project, text):
    project.write("tools.py", text.replace("-> User:", "-> object:"))
    assert list(project.open("tools.py").tools) == ["last_orders", "get_user"]
    assert project.problems("tools.py") == []
    assert list(project.open("tools.py:User").tools) == ["rename"]


def test_class_of_which_only_its_own_methods_return_objects_is_made(project):
    project.write("tools.py", BROUGHT.partition("@dataclass\nclass Order")[0])
    assert list(project.open("tools.py").tools) == ["rename"]


@pytest.mark.parametrize(
    "needs",
    [
        "class Weather(metaclass=Needy):",
        "class Weather:\n    def __new__(cls, key: str):\n        return super().__new__(cls)\n",
        "class Weather:\n    __signature__ = Signature([Parameter('key', Parameter.KEYWORD_ONLY)])\n",
    ],
    ids=["metaclass", "new", "signature"],
)
def test_class_without_init_may_need_arguments_for_another_reason(project, needs):
    head = """
from inspect import Parameter, Signature

from toolkit import tool


class Needy(type):
    def __call__(cls, key: str):
        return super().__call__()


"""
    method = """
    @tool
    def forecast(self, city: str) -> str:
        \"\"\"Forecast.\"\"\"
        return city
"""
    project.write("tools.py", f"{head}{needs}{method}")
    warning, _ = project.problems("tools.py")
    assert warning.partition("cannot be")[2] == (
        " created without 'key' (create an instance in the module: weather = Weather(key=…))"
    )


def test_class_that_is_named_and_cannot_be_made_is_an_error(project):
    project.write("tools.py", NEEDY)
    cannot = (
        "tools.py:4:7: error[TK003]: class 'Weather' has tools, but cannot be created without 'key' "
        "(create an instance in the module: weather = Weather(key=…))"
    )
    assert project.problems("tools.py:Weather") == [cannot]
    assert project.problems("tools.py:Weather.forecast") == [cannot]


def test_constructor_that_raises_is_an_error(project):
    project.write("tools.py", NEEDY.replace("key: str, *, unit", "unit").replace("self.key = key", "1 / 0"))
    assert project.problems("tools.py") == [
        (
            "tools.py:4:7: error[TK003]: class 'Weather' cannot be created: ZeroDivisionError: division by zero "
            "(create an instance in the module, with the arguments that it needs)"
        )
    ]


def test_abstract_class_is_left_out_and_its_children_are_not(project):
    project.write(
        "tools.py",
        '''
        from abc import ABC, abstractmethod

        from toolkit import tool

        class Shape(ABC):
            @abstractmethod
            def area(self) -> float: ...

            @tool
            def describe(self) -> str:
                """Describe."""
                return str(self.area())

        class Square(Shape):
            def area(self) -> float:
                return 4.0
        ''',
    )
    opened = project.open("tools.py")
    assert [str(problem) for problem in opened.problems] == []
    assert opened.tools["describe"].run().output == "4.0"


def test_abstract_class_that_is_named_says_what_it_lacks(project):
    project.write(
        "tools.py",
        """
        from abc import ABC, abstractmethod

        class Shape(ABC):
            @abstractmethod
            def area(self) -> float: ...
        """,
    )
    assert project.problems("tools.py:Shape") == [
        "tools.py:3:7: error[TK003]: class 'Shape' is abstract: it does not define 'area' (use a class that defines all abstract methods)"
    ]


def test_imported_classes_are_not_made(project):
    project.write("shapes.py", NEEDY)
    project.tool("tools.py", "forecast", before="from shapes import Weather")
    assert list(project.open("tools.py").tools) == ["forecast"]
    assert project.problems("tools.py") == []


def test_object_with_a_property_that_raises_hides_no_other(project):
    project.write(
        "tools.py",
        '''
        from toolkit import tool
        from toolkit.tools import TextTool

        class Odd(TextTool):
            description = "Odd."

            @property
            def name(self) -> str:
                raise RuntimeError("no name today")

            def execute(self, text: str) -> str:
                return text

        @tool
        def good(a: int) -> int:
            """Good."""
            return a
        ''',
    )
    opened = project.open("tools.py")
    assert list(opened.tools) == ["good"]
    assert [str(problem) for problem in opened.problems] == [
        "tools.py:4:7: error[TK003]: the specification of an object of type 'Odd' cannot be read: RuntimeError: no name today"
    ]


def test_things_that_answer_to_every_name_are_no_tools(project):
    project.write(
        "tools.py",
        '''
        from unittest.mock import MagicMock

        from toolkit import tool

        class Lazy:
            def __getattr__(self, name):
                return self

        lazy, mock = Lazy(), MagicMock()

        @tool
        def good(a: int) -> int:
            """Good."""
            return a
        ''',
    )
    opened = project.open("tools.py")
    assert (list(opened.tools), opened.problems) == (["good"], [])


COUNTED = """
from pydantic_ai import Tool

from toolkit import from_function
from toolkit.tools import TextTool

READ = []


class Counted(TextTool):
    description = "Counts how often its name is read."

    def __init__(self, number):
        self._number = number

    @property
    def name(self):
        READ.append(self._number)
        return f"counted_{self._number}"

    def execute(self, text):
        return text
"""


def test_each_tool_of_a_long_list_is_looked_at_as_often_as_one_of_a_short_list(project):
    """A list of four hundred tools of a framework once took three minutes."""
    looks = {}
    for count in (10, 80):
        functions = "".join(f"def {kind}_{n}(a: int) -> int:\n    return a\n" for kind in "pf" for n in range(count))
        plain, foreign = ([f"{kind}_{n}" for n in range(count)] for kind in "pf")
        made = [f"from_function({name}, name='made_{name}', description='Do nothing.')" for name in plain]
        foreign = [f"Tool({name})" for name in foreign]
        counted = [f"Counted({n})" for n in range(count)]
        lists = f"MADE = [{', '.join(made)}]\nALL = [{', '.join([*plain, *foreign, *counted])}]\n"
        project.write(f"tools{count}.py", COUNTED + functions + lists)
        opened = project.open(f"tools{count}.py:ALL")
        assert len(opened.tools) == 3 * count
        read = sys.modules[opened.tools["made_p_0"].function.__module__].READ
        looks[count] = [read.count(number) for number in range(count)]
    assert set(looks[80]) == set(looks[10])
    assert len(set(looks[80])) == 1
