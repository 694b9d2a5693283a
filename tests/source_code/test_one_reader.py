"""Every command sees the same tools in a source: `list --static`, `lint --static`, `lint` and `list`."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit import InvalidTools, load_tools
from toolkit_cli.main import application


def run(*arguments):
    """Return what a command prints, without the line about options."""
    result = CliRunner().invoke(application(), [*arguments])
    assert "Traceback" not in result.output
    return result


def names(*arguments):
    """Return the names of tools that `list` prints, in order."""
    found = run("list", "--format", "json", *arguments)
    return [one["name"] for one in json.loads(found.stdout)] if found.stdout else []


def findings(*arguments):
    """Return the code and the line of what `lint` reports."""
    found = run("lint", "--format", "json", *arguments)
    return [f"{one['code']}:{one['location']['line']}" for one in json.loads(found.stdout)]


def counted(*arguments):
    """Return how many tools `lint` says it has checked."""
    last = [line for line in run("lint", *arguments).output.splitlines() if "(" in line]
    return last[-1].rpartition("(")[2].partition(" in ")[0] if last else ""


WRAPPED = '''
from functools import wraps
from toolkit import tool


def audited(function):
    @tool(read_only=True)
    @wraps(function)
    def inner(*args, **options):
        return function(*args, **options)

    return inner


@audited
def compute(expression: str) -> str:
    """Compute the value of an expression.

    Args:
        expression: What to compute.
    """
    return str(eval(expression))
'''


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_function_that_a_wrapper_marks_is_the_tool_and_the_wrapper_is_not(write, mode):
    write(tools=WRAPPED)
    assert findings("tools.py", *mode) == ["TK511:22"]
    assert names("tools.py", *mode) == ["compute"]
    assert counted("tools.py", *mode) == "1 tool"


ALIASES = '''
import toolkit
from constants import NAME
from toolkit import tool

mark = toolkit.tool


@mark
def first(code: str) -> str:
    """Run the code of the first kind."""
    return str(eval(code))


@tool(name=NAME)
def second(code: str) -> str:
    """Run the code of the second kind."""
    return str(eval(code))
'''


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_mark_under_another_name_and_name_in_another_file_are_followed(write, mode):
    write(tools=ALIASES, constants='NAME: str = "run_second"\n')
    assert findings("tools.py", *mode, "--select", "TK511") == ["TK511:12", "TK511:18"]
    assert names("tools.py", *mode) == ["first", "run_second"]


PLAIN = '''
from toolkit import tool


@tool
def first(code: str) -> str:
    """Run the code of the first kind."""
    return str(eval(code))


@tool(name="run_second")
def second(code: str) -> str:
    """Run the code of the second kind."""
    return str(eval(code))
'''


def test_mark_under_another_name_changes_nothing_since_a_revision(write):
    write(tools=PLAIN, constants='NAME = "run_second"\n')
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
        subprocess.run(["git", *author, *words], check=True, capture_output=True)
    write(tools=ALIASES)
    assert findings("--against", "HEAD", "tools.py") == []


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_bad_name_in_another_file_is_reported(write, mode):
    write(tools=ALIASES, constants='NAME = "Run it!"\n')
    assert findings("tools.py", *mode, "--select", "TK101") == ["TK101:16"]


BRANCHES = '''
import sys
from toolkit import from_function, tool

if sys.platform == "no such platform":

    @tool
    def list_files(folder: str) -> str:
        """List the files of a folder on a platform."""
        return folder

elif sys.platform == "another one":

    @tool
    def list_files(folder: str) -> str:
        """List the files of a folder on another platform."""
        return folder

else:

    @tool
    def list_files(folder: str) -> str:
        """List the files of a folder on all other platforms."""
        return folder
'''


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_variants_of_a_tool_for_platforms_are_one_tool(write, mode):
    write(tools=BRANCHES)
    assert findings("tools.py", *mode, "--select", "TK103") == []
    assert counted("tools.py", *mode) == "1 tool"


TWICE = """
from toolkit import from_function, tool


@tool
def plain(text: str) -> str:
    return text


sixth = from_function(plain, name="sixth")
worse = from_function(plain, name="a b")
"""


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_mistake_in_a_function_of_several_tools_is_reported_once(write, mode):
    write(tools=TWICE)
    assert findings("tools.py", *mode) == ["TK101:6", "TK201:6", "TK204:6"]


PASSED = '''
from toolkit import from_function


def read_note(title: str) -> str:
    """Read the note with this title.

    Args:
        title: The title of the note.
    """
    return title


def show(tool):
    return tool.name


show(from_function(read_note))
show(from_function(read_note, strict=True))
'''


def test_tools_that_are_only_passed_on_are_no_duplicates(write):
    write(tools=PASSED)
    assert findings("tools.py", "--static") == []
    assert counted("tools.py", "--static") == "1 tool"
    write(tools=f"{PASSED}\nfirst = from_function(read_note)\ntools = {{'one': from_function(read_note)}}\n")
    assert findings("tools.py", "--static") == findings("tools.py") == ["TK103:5"]


FACTORY = '''
from toolkit import from_function


def make(number):
    def add(x: int) -> int:
        """Add a number to another one that is given."""
        return x + number

    return from_function(add, name=f"add_{number}")


tools = [make(number) for number in range(140)]
'''


def test_tools_of_a_factory_have_the_mistakes_of_its_function_once(write):
    write(tools=FACTORY)
    assert findings("tools.py", "--select", "TK204") == ["TK204:6"]
    assert findings("tools.py", "--select", "TK204", "--static") == ["TK204:6"]


def test_tool_whose_name_is_computed_is_shown_without_a_name(write, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    write(tools=FACTORY)
    assert names("tools.py", "--static") == list(compatible("tools.py", "--static")) == [None]
    for command in (("list", "--static"), ("lint", "--compat", "--static")):
        assert run(*command, "tools.py").output.count("\n(known at runtime)  ") == 1


SUPPRESSED = '''
from toolkit import tool


@tool  # toolkit: ignore[TK204]
def find_note(
    name: str,
) -> str:
    """Find the note that has this name."""
    return name
'''


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_suppression_at_a_decorator_counts_for_the_whole_header(write, mode):
    write(tools=SUPPRESSED)
    assert findings("tools.py", *mode, "--extend-select", "TK010") == []
    run("lint", "--fix", "tools.py", *mode)
    assert Path("tools.py").read_text("utf-8") == SUPPRESSED


def test_tools_of_a_factory_are_counted_listed_and_loaded_one_by_one(write):
    write(tools=FACTORY)
    assert names("tools.py") == list(load_tools("tools.py")) == [f"add_{number}" for number in range(140)]
    assert counted("tools.py", "--ignore", "TK204") == "140 tools"
    assert "TK319" in {one.partition(":")[0] for one in findings("tools.py")}


SAME_NAMES = {
    "two instances of a toolbox": '''
from toolkit import tool


class Notes:
    def __init__(self, folder):
        self.folder = folder

    @tool
    def read_note(self, title: str) -> str:
        """Read the note with this title.

        Args:
            title: The title of the note.
        """
        return f"{self.folder}/{title}"


first = Notes("a")
second = Notes("b")
''',
    "two tools of one function": '''
from toolkit import from_function


def make(folder):
    def read_note(title: str) -> str:
        """Read the note with this title.

        Args:
            title: The title of the note.
        """
        return f"{folder}/{title}"

    return from_function(read_note)


first = make("a")
second = make("b")
''',
}


@pytest.mark.parametrize("text", SAME_NAMES.values(), ids=SAME_NAMES)
def test_different_tools_with_one_name_are_duplicates_for_lint_as_for_list(write, text):
    write(tools=text)
    assert run("list", "tools.py").exit_code == 2
    assert {one.partition(":")[0] for one in findings("tools.py")} == {"TK103"}
    assert counted("tools.py") == "2 tools"
    for _ in range(2):  # from the cache, too
        assert {one.partition(":")[0] for one in findings("tools.py")} == {"TK103"}


def test_tool_that_another_file_imports_is_one_tool(write):
    write(
        first=SAME_NAMES["two instances of a toolbox"], second="from first import first as again\n\ntools = [again]\n"
    )
    assert counted("first.py", "second.py") == "2 tools"
    Path("second.py").write_text("from first import first as again\n\ntools = [again]\n# changed\n", "utf-8")
    assert counted("first.py", "second.py") == "2 tools"
    assert len([one for one in findings("first.py", "second.py") if one.startswith("TK103")]) == 1


BESIDE = '''
from toolkit import from_function
from toolkit.wrappers import OneShotTool


def read_note(title: str) -> str:
    """Read the note with this title.

    Args:
        title: The title of the note.
    """
    return title


plain = from_function(read_note)
once = OneShotTool(plain)
'''


def test_wrapper_beside_its_tool_counts_as_for_list(write):
    write(tools=BESIDE)
    assert counted("tools.py") == f"{len(names('tools.py'))} tool"
    assert findings("tools.py") == []


SERVER = '''
from typing import TypedDict

from fastmcp import FastMCP
from other import Query

server = FastMCP("shop")


class Found(TypedDict):
    name: str


@server.tool
def find(query: str, limit: int = 3) -> Found:
    """Find things in the shop."""
    return {"name": query}


@server.tool(name="ask it")
def ask(query: Query) -> str:
    """Ask about things in the shop."""
    return query
'''


def compatible(*arguments):
    """Return what `lint --compat` says about each tool: whether all of it is known, and who refuses it."""
    found = json.loads(run("lint", "--compat", "--format", "json", *arguments).stdout)
    return {
        one["name"]: (one["is_whole"], [name for name, verdict in one["providers"].items() if not verdict["taken"]])
        for one in found["tools"]
    }


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_compatibility_of_tools_whose_framework_is_not_installed_is_that_of_their_source(write, mode):
    write(server=SERVER)
    refusing = ["openai", "openai-strict", "anthropic", "anthropic-strict", "gemini", "bedrock", "mistral", "mcp"]
    assert compatible("server.py", *mode) == {"find": (False, []), "ask it": (False, refusing)}
    assert "of 2 of 2, only what the source shows was read" in run("lint", "--compat", "server.py", *mode).output


RETURNING = '''
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypedDict

from toolkit import tool


class Weather(TypedDict):
    city: str


@dataclass
class Day:
    weather: Weather


@tool
def forecast(city: str) -> Weather:
    """Forecast the weather of a city."""
    return {"city": city}


@tool
def forecast_days(days: dict[str, Any]) -> list[Day]:
    """Forecast the weather of some days."""
    return [Day(one) for one in days]


@tool
def price_of(amount: Decimal) -> Decimal:
    """Return what an amount costs."""
    return amount
'''


def test_tools_with_any_result_are_compared_with_providers_in_both_modes(write):
    write(tools=RETURNING)
    strict = ["openai-strict", "anthropic-strict"]
    whole = {"forecast": (True, []), "forecast_days": (True, strict), "price_of": (True, [])}
    assert compatible("tools.py") == whole
    assert compatible("tools.py", "--static") == whole | {"price_of": (False, [])}


NESTED = '''
from toolkit import tool


class Outer:
    class Inner:
        @tool
        def find_note(self, title: str) -> str:
            """Find the note that has this title."""
            return str(eval(title))
'''


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_marked_method_that_nothing_finds_is_no_tool_and_reported(write, mode):
    write(tools=NESTED)
    assert names("tools.py", *mode) == []
    assert findings("tools.py", *mode) == ["TK004:None", "TK004:8"]
    assert counted("tools.py", *mode).startswith("no tools")


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_marked_method_of_an_inner_class_with_an_instance_is_a_tool(write, mode):
    write(tools=f"{NESTED}\n\nfinder = Outer.Inner()\n")
    assert names("tools.py", *mode) == ["find_note"]
    assert findings("tools.py", *mode, "--select", "TK0,TK511") == ["TK511:10"]


TOOLBOXES = '''
from toolkit import tool, toolbox


@toolbox(name="library", description="Everything about the library.")
class Library:
    @tool
    def find_book(self, title: str) -> str:
        """Find the book that has this title."""
        return title

    @toolbox(name="loans", description="Everything about loans.")
    class Loans:
        @tool
        def find_loan(self, title: str) -> str:
            """Find the loan that has this title."""
            return str(eval(title))
'''


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_marked_method_of_a_toolbox_inside_another_one_is_a_tool(write, mode):
    write(tools=TOOLBOXES)
    assert findings("tools.py", *mode, "--select", "TK0,TK511") == ["TK511:17"]


LISTED = '''
from toolkit import tool


class SearchTool:
    name = "search_library"
    description = "Search the library for something."

    def __init__(self, key):
        self.key = key

    def execute(self, text: str) -> str:
        return text


class Preferences:
    def __init__(self, store):
        self.store = store

    @tool
    def set_preference(self, value: str) -> str:
        """Set what the user prefers from now on.

        Args:
            value: What the user prefers.
        """
        return value


tools = [SearchTool("key"), Preferences({})]
'''


def test_objects_that_a_module_only_lists_are_tools(write):
    write(tools=LISTED)
    assert names("tools.py") == list(load_tools("tools.py")) == ["search_library", "set_preference"]
    assert findings("tools.py") == []
    assert counted("tools.py") == "2 tools"


def test_object_beside_tools_that_is_none_is_reported_by_each_command(write):
    store = "class Store:\n    pass\n\n\ntools"
    write(tools=LISTED.replace("tools =", f"{store} =").replace("({})]", "({}), len, Store()]"))
    assert names("tools.py") == list(load_tools("tools.py")) == ["search_library", "set_preference"]
    message = r"an object of type '\w+\.Store' is not a tool"
    assert re.search(rf"warning\[TK003\]: in 'tools', {message}\n +--> tools.py:34:1", run("list", "tools.py").stderr)
    assert findings("tools.py") == ["TK003:34"]
    with pytest.raises(InvalidTools, match=message):
        load_tools("tools.py:tools")


def test_object_among_other_things_than_tools_is_not_reported(write):
    write(tools=f"{LISTED}\nclass Store:\n    pass\n\n\nstores = [Store(), Store(), 'tools', 3, len]\n")
    assert findings("tools.py") == []


ELSEWHERE = """
from functions import plain
from toolkit import from_function

sixth = from_function(plain, name="run_sixth")
seventh = from_function(lambda: 7, name="run_seventh", description="Run the code of the seventh kind.")
"""
FUNCTIONS = '''
def plain(code: str, limit: int = 3) -> str:
    """Run the code of a kind.

    Args:
        limit: How many seconds it may take.
    """
    return code[:limit]
'''


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_tool_whose_function_is_in_another_file_is_listed_counted_and_compared(write, mode):
    write(tools=ELSEWHERE, functions=FUNCTIONS)
    assert names("tools.py", *mode) == ["run_sixth", "run_seventh"]
    assert counted("tools.py", *mode) == "2 tools"
    assert findings("tools.py", *mode, "--select", "TK0,TK1,TK201,TK204") == ["TK204:2"]
    assert list(compatible("tools.py", *mode)) == ["run_sixth", "run_seventh"]


def test_change_of_a_function_in_another_file_is_a_change_of_its_tool(write):
    write(tools=ELSEWHERE, functions=FUNCTIONS)
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
        subprocess.run(["git", *author, *words], check=True, capture_output=True)
    assert findings("--against", "HEAD", ".") == []
    write(functions=FUNCTIONS.replace("limit: int", "limit: str"))
    assert {one.partition(":")[0] for one in findings("--against", "HEAD", ".")} == {"TK514"}


TEXT_TOOLS = """
from toolkit.tools import TextTool


class Shout(TextTool):
    name = "shout"
    description = "Shout a text so that everybody in the room hears it."

    def execute(self, text: str) -> str:
        return str(eval(text))


class Whisper:
    name = "whisper"
    description = "Whisper a text so that nobody else in the room hears it."

    def execute(self, text):
        return str(eval(text))


class Named:
    name = "only a name"

    def run(self, text):
        return text
"""


@pytest.mark.parametrize("mode", [[], ["--static"]], ids=["imported", "static"])
def test_classes_that_are_text_tools_are_tools_and_their_method_is_checked(write, mode):
    write(texts=TEXT_TOOLS)
    assert names("texts.py", *mode) == ["shout", "whisper"]
    assert counted("texts.py", *mode).startswith("2 tools")
    assert findings("texts.py", *mode) == ["TK511:10", "TK511:18"]
    assert run("lint", "--compat", "texts.py", *mode).output.count("\nwhisper ") == 1
