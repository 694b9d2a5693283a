"""Objects and classes with marked methods; what a mark does to a function, and what the specification of one says."""

import asyncio
from collections.abc import Callable
from functools import partial, wraps

import pytest

from toolkit import InvalidTools, Tool, ToolSpec, from_function, from_object, resolve_tools, tool, toolbox
from toolkit.problems import Problem
from toolkit.tools.definition.marking import box_of, mark_of  # private
from toolkit.tools.kinds.resolution import build_tools  # private


class Base:
    @tool
    def inherited(self) -> str:
        """Is inherited."""
        return "from the base"

    @tool
    def overridden(self) -> str:
        """Is overridden with a mark."""
        return "from the base"

    @tool
    def silenced(self) -> str:
        """Is overridden without a mark."""
        return "from the base"

    def unmarked(self) -> str:
        return "no tool"


class Tools(Base):
    def __init__(self):
        self.touched = []

    @tool
    def own(self, x: int = 1) -> str:
        """Is its own."""
        self.touched.append(x)
        return f"own {x}"

    @tool
    def overridden(self) -> str:
        """Is marked again."""
        return "from the class"

    def silenced(self) -> str:
        return "no tool any more"

    @tool
    @staticmethod
    def static_inside() -> str:
        """Is static."""
        return "static"

    @staticmethod
    @tool
    def static_outside() -> str:
        """Is static."""
        return "static"

    @tool
    @classmethod
    def of_class_inside(cls) -> str:
        """Is of the class."""
        return cls.__name__

    @classmethod
    @tool
    def of_class_outside(cls) -> str:
        """Is of the class."""
        return cls.__name__

    @tool
    async def later(self) -> str:
        """Is async."""
        await asyncio.sleep(0)
        return "later"

    @tool
    def _private(self) -> str:
        """Is private."""
        return "private"

    @tool
    def __mangled(self) -> str:
        """Is very private."""
        return "very private"

    @property
    def explosive(self):
        raise RuntimeError("properties are not run")


NAMES = [
    "inherited",
    "overridden",
    "own",
    "static_inside",
    "static_outside",
    "of_class_inside",
    "of_class_outside",
    "later",
    "_private",
    "__mangled",
]


def test_every_marked_method_of_an_object_is_a_tool_whatever_its_kind():
    tools = from_object(Tools())
    assert [made.name for made in tools] == NAMES
    assert [made.run().output for made in tools] == [
        "from the base",
        "from the class",
        "own 1",
        "static",
        "static",
        "Tools",
        "Tools",
        "later",
        "private",
        "very private",
    ]


def test_methods_are_bound_to_their_own_object():
    one, other = Tools(), Tools()
    {made.name: made for made in from_object(one)}["own"].run({"x": 5})
    assert (one.touched, other.touched) == ([5], [])


def test_specifications_of_a_class_need_no_object_of_it():
    class Demanding(Tools):
        def __init__(self, key):
            raise RuntimeError("no object of it can be made")

    assert [spec.name for spec in ToolSpec.from_class(Demanding)] == NAMES
    assert ToolSpec.from_class(Tools) == [made.spec for made in from_object(Tools())]


def test_specifications_of_a_class_that_derives_from_a_built_in():
    class Kept(dict):
        @tool
        def keep(self, x: int) -> None:
            """Keeps."""

    assert [spec.definition for spec in ToolSpec.from_class(Kept)] == [
        {
            "name": "keep",
            "description": "Keeps.",
            "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        }
    ]


def test_a_class_without_marks_has_no_specifications_and_a_bad_one_tells_everything():
    class Bad:
        @tool(name="a b")
        def one(self, *rest):
            """Is bad."""

        @tool(name="twin")
        def two(self):
            """Is a twin."""

        @tool(name="twin")
        def three(self):
            """Is a twin."""

    assert ToolSpec.from_class(int) == []
    with pytest.raises(InvalidTools) as caught:
        ToolSpec.from_class(Bad)
    assert [problem.code for problem in caught.value.problems] == ["TK101", "TK321", "TK103"]


def test_an_object_with_marks_and_execute_is_known_by_its_marks():
    class Both(Base):
        name, description = "both", "Has both."

        def execute(self, text):
            return text

    assert [made.name for made in from_object(Both())] == ["inherited", "overridden", "silenced"]


def test_one_bad_method_does_not_hide_the_good_ones():
    class Mixed(Base):
        @tool
        def bad(self, *rest):
            """Is bad."""

    tools, problems = build_tools(Mixed())
    assert ([made.name for made in tools], [problem.code for problem in problems]) == (
        ["inherited", "overridden", "silenced"],
        ["TK321"],
    )


@toolbox(name="files", description="All about files.")
class Files:
    @tool
    def read(self):
        """Reads."""

    @tool(category="danger")
    def write(self):
        """Writes."""


@toolbox()
class Plain:
    """Is described by its docstring."""

    @tool
    def act(self):
        """Acts."""


def test_methods_of_a_toolbox_have_its_name_as_their_category_unless_they_name_one():
    expected = {"read": "files", "write": "danger"}
    assert {made.name: made.spec.category for made in from_object(Files())} == expected
    assert {spec.name: spec.category for spec in ToolSpec.from_class(Files)} == expected
    assert [made.spec.category for made in from_object(Plain())] == ["Plain"]
    assert from_object(Tools())[0].spec.category is None


def test_a_mark_returns_the_very_function_and_changes_nothing_about_it():
    def act():
        """Acts."""
        return "acted"

    assert tool(act) is act
    assert tool(name="other", read_only=True)(act) is act
    assert act() == "acted"
    assert mark_of(act) == {"name": "other", "read_only": True}
    assert mark_of(len) is None
    assert (box_of(Tools), box_of(5)) == (None, None)


def test_a_mark_says_what_the_signature_cannot():
    @tool(
        name="get_weather",
        description="Tells the weather.",
        return_behavior="immediate",
        category="sky",
        requires_approval=True,
        read_only=False,
        destructive=True,
        idempotent=True,
        open_world=True,
        strict=False,
        metadata={"anthropic": {"cache": True}},
        examples=[{"city": "Oslo"}],
    )
    def weather(city: str) -> str:
        """Is not told."""
        return city

    spec = from_function(weather).spec
    assert spec == ToolSpec(
        "get_weather",
        "Tells the weather.",
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        output_schema={"type": "string"},
        return_behavior="immediate",
        category="sky",
        requires_approval=True,
        read_only=False,
        destructive=True,
        idempotent=True,
        open_world=True,
        strict=False,
        metadata={"anthropic": {"cache": True}},
        examples=({"city": "Oslo"},),
        source=__file__,
    )


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"nam": "x"}, "unknown option 'nam'", "did you mean 'name'?"),
        ({"colour": 1}, "unknown option 'colour'", "options are name, description, category"),
        ({"description": 5}, "description must be text, not 5", None),
        ({"destructive": "yes"}, "destructive must be True or False, not 'yes'", None),
        ({"requires_approval": None}, "requires_approval must be True or False, not None", None),
        ({"return_behavior": "imediate"}, "unknown return_behavior 'imediate'", "did you mean 'immediate'"),
        ({"return_behavior": "x"}, "unknown return_behavior 'x'", "one of to_model, immediate, immediate_if_last"),
        ({"metadata": "{}"}, "metadata must be a mapping of text keys, not '{}'", "write metadata="),
        (
            {"metadata": {5: 1}},
            "metadata must be JSON data, but metadata has a key of type 'int' instead of text",
            "use text, numbers, true or false, lists and mappings",
        ),
        ({"examples": {"a": 1}}, "examples must be a list of mappings, not {'a': 1}", "write examples="),
        ({"examples": ["a"]}, "examples must be a list of mappings, not ['a']", "write examples="),
        (
            {"read_only": True, "destructive": True},
            "a tool cannot be read_only and destructive",
            "remove one of the two",
        ),
    ],
)
def test_a_bad_option_is_a_problem_of_the_tool_where_it_is_collected(options, message, hint):
    marked = tool(**options)(lambda: None)
    marked.__name__ = "marked"
    (problem,) = [problem for problem in build_tools(marked)[1] if problem.severity == "error"]
    assert (problem.code, problem.message) == ("TK323", message)
    assert problem.hint == hint if hint is None else hint in (problem.hint or "")


@pytest.mark.parametrize("thing", [5, "name", Tools])
def test_what_is_no_function_cannot_be_marked(thing):
    with pytest.raises(TypeError, match=r"@tool marks functions and methods, not .*; for options write @tool\(name=…"):
        tool(thing)


def test_options_given_to_from_function_win_over_the_mark():
    @tool(name="marked", read_only=True)
    def act():
        """Acts."""

    made = from_function(act, name="given", destructive=True, read_only=None)
    assert (made.name, made.spec.read_only, made.spec.destructive) == ("given", None, True)


def test_bound_methods_partials_lambdas_and_callable_objects_become_tools():
    class Adder:
        def __call__(self, x: int) -> int:
            """Adds."""
            return x + 1

    def add(x: int, y: int) -> int:
        """Adds."""
        return x + y

    assert from_function(Tools().own).run({"x": 2}).output == "own 2"
    assert from_function(partial(add, 5), name="five").run({"y": 2}).output == "7"
    assert from_function(partial(add, y=5), name="five").run({"x": 2}).output == "7"
    assert from_function(lambda x: x, name="same").run({"x": 2}).output == "2"
    assert from_function(Adder(), name="adder").run({"x": "2"}).output == "3"
    with pytest.raises(InvalidTools, match="the name of a tool must not be blank"):
        from_function(Adder())
    with pytest.raises(InvalidTools, match="invalid tool name '<lambda>'"):
        from_function(lambda x: x)


def test_a_decorated_function_is_told_as_the_one_inside():
    def twice(function: Callable[[int], int]) -> Callable[[int], int]:
        @wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs) * 2

        return wrapper

    @tool
    @twice
    def number(x: int) -> int:
        """Gives a number."""
        return x

    made = resolve_tools([number])["number"]
    assert list(made.spec.properties) == ["x"]
    assert made.run({"x": 2}).output == "4"


def test_a_tool_is_represented_by_its_kind_and_name():
    assert repr(from_function(Base().inherited)) == "<FunctionTool 'inherited'>"
    assert isinstance(from_function(Base().inherited), Tool)


@pytest.mark.parametrize("thing", [object(), 5, "text", Exception("x")])
def test_an_object_without_tools_has_none(thing):
    assert from_object(thing) == []


def test_none_is_not_an_object_with_tools():
    with pytest.raises(InvalidTools, match="NoneType' is not a tool"):
        from_object(None)


@pytest.mark.parametrize("thing", [None, Base(), "text"])
def test_specifications_from_something_that_is_not_a_class_are_a_mistake(thing):
    with pytest.raises(InvalidTools) as caught:
        ToolSpec.from_class(thing)
    message = f"an object of type {type(thing).__name__!r} is not a class"
    assert [*caught.value.problems] == [Problem("TK003", message, hint="for an object, write from_object(…)")]


def test_tools_by_name_are_resolved_like_a_list_of_tools():
    tools = resolve_tools(from_object(Base()))
    assert resolve_tools(tools) == tools


def test_text_instead_of_a_tool_leads_to_load_tools():
    with pytest.raises(InvalidTools) as caught:
        resolve_tools(["calculator"])
    hint = "load_tools opens tools by name or file, and returns a dictionary of tools"
    assert [*caught.value.problems] == [Problem("TK003", "tools[0]: the text 'calculator' is not a tool", hint=hint)]


def test_what_merely_lacks_a_mark_is_a_mistake():
    def unmarked() -> str:
        """Unmarked."""
        return "x"

    for thing in (unmarked, Tools):
        with pytest.raises(InvalidTools):
            from_object(thing)


def test_a_list_of_tools_names_the_position_of_what_is_none():
    with pytest.raises(InvalidTools) as caught:
        resolve_tools([from_function(len, name="size", description="Counts."), None, 5])
    assert [problem.message for problem in caught.value.problems] == [
        "tools[1]: an object of type 'builtins.NoneType' is not a tool",
        "tools[2]: an object of type 'builtins.int' is not a tool",
    ]
