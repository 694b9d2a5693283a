"""Where the descriptions of a tool and its parameters come from."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Optional

import pytest
from pydantic import Field

from toolkit import InvalidTools, MemoryId, ToolContext, TypedTool, from_function, from_object, tool
from toolkit.tools import TextTool
from toolkit.tools.definition.docstrings import Docstring, read_docstring  # private


def descriptions_of(function):
    """Return the description of a tool and of each of its parameters that has one."""
    spec = from_function(function).spec
    texts = {name: schema["description"] for name, schema in spec.properties.items() if "description" in schema}
    return spec.description, texts


def google(city: str, days: int = 3, *, deep: bool = False):
    """Tells the weather.

    It knows the whole world,
    but only for a week.

    Args:
        city: Where, for example
            `Oslo` or `Bergen`.
        days (int): How many days.
        deep (bool, optional): Whether to look: closely.

    Returns:
        city: this is no parameter.

    Raises:
        ValueError: If there is none.
    """


def numpy(city: str, days: int = 3, *, deep: bool = False):
    """Tells the weather.

    It knows the whole world,
    but only for a week.

    Parameters
    ----------
    city : str
        Where, for example
        `Oslo` or `Bergen`.
    days : int, optional
        How many days.

    Other Parameters
    ----------------
    deep
        Whether to look: closely.

    Returns
    -------
    city : str
        This is no parameter.
    """


def sphinx(city: str, days: int = 3, *, deep: bool = False):
    """Tells the weather.

    It knows the whole world,
    but only for a week.

    :param city: Where, for example
        `Oslo` or `Bergen`.
    :param int days: How many days.
    :type deep: bool
    :keyword deep: Whether to look: closely.
    :returns: city: this is no parameter.
    """


@pytest.mark.parametrize("function", [google, numpy, sphinx])
def test_every_style_of_docstring_describes_the_tool_and_its_parameters(function):
    assert descriptions_of(function) == (
        "Tells the weather.\n\nIt knows the whole world,\nbut only for a week.",
        {
            "city": "Where, for example `Oslo` or `Bergen`.",
            "days": "How many days.",
            "deep": "Whether to look: closely.",
        },
    )


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("text", "read"),
    [
        (None, Docstring("", {})),
        ("", Docstring("", {})),
        ("One line.", Docstring("One line.", {})),
        ("Args:\n    x: It.", Docstring("", {"x": "It."})),
        (
            "Note: this is a sentence.\n\nArgs: are not here.",
            Docstring("Note: this is a sentence.\n\nArgs: are not here.", {}),
        ),
        ("A.\n\nExample:\n    >>> f(x)\n\nArgs:\n    x: It.", Docstring("A.", {"x": "It."})),
        ("A.\n\nArgs:\n    x: It.\n\n    y: That.", Docstring("A.", {"x": "It.", "y": "That."})),
        ("A.\n\nArgs:\n  x: It.\n    More.\n  **more: Rest.", Docstring("A.", {"x": "It. More.", "more": "Rest."})),
        ("A.\n\nParameters\n----------\nx, y : int\n    Both.", Docstring("A.", {"x": "Both.", "y": "Both."})),
        ("A.\n\nTitle\n=====\nx: No parameter.", Docstring("A.\n\nTitle\n=====\nx: No parameter.", {})),
        ("A.\n\n:param x: It.\n:raises E: No.", Docstring("A.", {"x": "It."})),
        ("A.\n\nArgs:\n    x:\n        It.", Docstring("A.", {"x": "It."})),
        ("A.\n\nArgs:\n    not an entry\n    x: It.", Docstring("A.", {"x": "It."})),
        ("A.\n\nArgs:\n    x: It.\n\nWhat follows is plain.", Docstring("A.", {"x": "It."})),
        (
            "A 'b\nc'.\n\n    Args:\n        x: It.\n        y: That.",
            Docstring("A 'b\nc'.", {"x": "It.", "y": "That."}),
        ),
        ("A.\n\nArgs:\n- x: It.\n\n- y: That.\n\nTip: this is not one.", Docstring("A.", {})),
        (
            "A.\n\nArgs:\n    x: One of:\n        - a\n\n    y: That.",
            Docstring("A.", {"x": "One of: - a", "y": "That."}),
        ),
        ("A.\n\nArgs:\n    x: It.\n\nBeware: this too.\n    More.", Docstring("A.", {"x": "It."})),
    ],
)
def test_docstrings_are_read(text, read):
    assert read_docstring(text) == read


def test_an_annotation_wins_over_the_docstring():
    def forecast(
        city: Annotated[str, "From the annotation"],
        days: Annotated[int, Field(description="From the field")],
        hours: int = Field(5, description="From the default"),
        both: Annotated[int, "From the text", Field(description="From the field first")] = 1,
        plain: Annotated[int, Field(ge=1)] = 1,
    ):
        """Tells the weather.

        Args:
            city: From the docstring.
            days: From the docstring.
            hours: From the docstring.
            both: From the docstring.
            plain: From the docstring.
        """

    assert descriptions_of(forecast)[1] == {
        "city": "From the annotation",
        "days": "From the field",
        "hours": "From the default",
        "both": "From the field first",
        "plain": "From the docstring.",
    }


def test_a_name_and_a_description_of_the_mark_win():
    @tool(name="weather", description="Tells what comes.")
    def forecast():
        """Tells the weather."""

    spec = from_function(forecast).spec
    assert (spec.name, spec.description) == ("weather", "Tells what comes.")
    assert from_function(forecast, description="Is asked.").description == "Is asked."


def test_what_the_context_gives_is_described_to_nobody():
    def save(key: str, user: Annotated[str, MemoryId, "Whose"], context: ToolContext):
        """Saves.

        Args:
            key: Which.
            user: Whose.
            context: From the caller.
        """

    assert descriptions_of(save) == ("Saves.", {"key": "Which."})


def test_partials_and_callable_objects_are_described_by_what_runs():
    class Greeter:
        def __call__(self, name: str) -> str:
            """Greets somebody.

            Args:
                name: Who.
            """
            return name

    greet = from_function(Greeter(), name="greet")
    assert (greet.description, greet.spec.properties) == (
        "Greets somebody.",
        {"name": {"type": "string", "description": "Who."}},
    )
    spec = from_function(partial(google, "Oslo"), name="oslo").spec
    assert spec.description.startswith("Tells the weather.")
    assert list(spec.properties) == ["days", "deep"]


def test_an_inherited_docstring_describes_an_overriding_method():
    class Base:
        def act(self):
            """Acts."""

    class Derived(Base):
        @tool
        def act(self):
            return "done"

    assert [acting.description for acting in from_object(Derived())] == ["Acts."]


def test_a_class_of_a_tool_is_described_by_its_own_docstring():
    class Shout(TextTool):
        """Says it loudly.

        Args:
            ignored: No parameter of it.
        """

        name = "shout"

        def execute(self, text):
            return text.upper()

    class Silent(TextTool):
        name = "silent"

        def execute(self, text):
            return text

    class Whisper(Shout):
        name = "whisper"

    assert (Shout().description, Shout().spec.description) == ("Says it loudly.", "Says it loudly.")
    assert Shout().with_note("Ask twice.").description == "Says it loudly. Ask twice."
    assert Whisper().spec.description == "Says it loudly."
    assert Silent().spec.description == ""


def test_an_adapted_object_is_described_by_its_class_where_it_says_nothing():
    class Shout:
        """Says it loudly."""

        name = "shout"

        def execute(self, text):
            return text.upper()

    assert [shout.description for shout in from_object(Shout())] == ["Says it loudly."]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (None, "tool 'greet' has no function"),
        (5, "tool 'greet' has a function that cannot be called: 5"),
        ("greet", "tool 'greet' has a function that cannot be called: 'greet'"),
    ],
)
def test_a_typed_tool_without_a_function_to_call_is_a_problem_where_it_is_made(function, message):
    with pytest.raises(InvalidTools) as invalid:
        TypedTool(name="greet", description="Greets.", input_type=dict, function=function)
    [problem] = invalid.value.problems
    assert (problem.message, Path(problem.location.file).name) == (message, "test_descriptions.py")


def test_a_typed_tool_made_of_a_function_is_described_by_it():
    def greet(input: dict) -> str:
        """Greets somebody."""
        return str(input)

    made = TypedTool(input_type=dict, function=greet)
    assert (made.name, made.spec.description) == ("greet", "Greets somebody.")


@dataclass
class Order:
    article: Annotated[str, "The article"] | None
    pieces: Optional[Annotated[int, "How many"]] = None  # noqa: UP045 - the older form


def test_texts_of_what_may_be_null_are_descriptions_too():
    def place(order: Order, note: Annotated[str, "A note"] | None = None, size: Annotated[int, " "] = 1) -> str:
        """Place an order.

        Args:
            size: How big.
        """
        return "placed"

    assert descriptions_of(place) == ("Place an order.", {"note": "A note", "size": "How big."})
    members = from_function(place).spec.properties["order"]["properties"]
    assert [member["description"] for member in members.values()] == ["The article", "How many"]
