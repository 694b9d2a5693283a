"""Parameters that no model can send, and annotations that nobody can read: each a Problem with its place."""

import asyncio
import io
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from importlib.util import module_from_spec, spec_from_file_location
from typing import IO, Annotated, Any, BinaryIO, Final, TextIO, TypedDict

import pytest
from pydantic import Field

from toolkit import InvalidTools, ToolContext, from_function
from toolkit.tools.kinds.resolution import build_tools  # private


@pytest.fixture
def module(tmp_path):
    """Return a function that imports a file of this text."""

    def imported(text):
        path = tmp_path / "tools.py"
        path.write_text(textwrap.dedent(text), "utf-8")
        spec = spec_from_file_location("tools_under_test", path)
        assert spec is not None
        assert spec.loader is not None
        made = module_from_spec(spec)
        sys.modules["tools_under_test"] = made
        spec.loader.exec_module(made)
        return made

    yield imported
    sys.modules.pop("tools_under_test", None)


def reported(problems):
    """Return problems as they are shown to people, without the folder."""
    return [
        (problem.code, f"{problem.location.line}:{problem.location.column}", problem.message, problem.hint)
        for problem in problems
    ]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (Callable, "a callable"),
        (Callable[[int], int], "a callable"),
        (list[Callable[..., Any]], "a callable"),
        (Callable[..., Any] | None, "a callable"),
        (Awaitable[int], "a future"),
        (asyncio.Future, "a future"),
        (Future[int], "a future"),
        (asyncio.Task, "a future"),
        (Iterator[int], "a stream"),
        (Iterable[int], "a stream"),
        (Generator[int, None, None], "a stream"),
        (AsyncIterator[int], "a stream"),
        (TextIO, "a stream"),
        (BinaryIO, "a stream"),
        (IO[str], "a stream"),
        (io.StringIO, "a stream"),
        (dict[str, Annotated[Iterator[int], "numbers"]], "a stream"),
    ],
    ids=str,
)
def test_what_no_model_can_send_is_refused(annotation, kind):
    def probe(x):
        """Probes."""

    probe.__annotations__ = {"x": annotation}
    with pytest.raises(InvalidTools) as caught:
        from_function(probe)
    (problem,) = caught.value.problems
    assert (problem.code, problem.message, problem.hint) == (
        "TK321",
        f"parameter 'x' is {kind}, which no model can send",
        "take plain data instead",
    )


def test_annotation_that_no_parameter_can_have_is_reported():
    def probe(x):
        """Probes."""

    probe.__annotations__ = {"x": Final[int]}
    with pytest.raises(InvalidTools, match=r"'x' cannot be written as JSON: typing\.Final\[int\] is not valid"):
        from_function(probe)


def test_everything_wrong_with_a_function_is_told_at_once_each_at_its_place(module):
    made = module(
        """\
        from collections.abc import Callable, Iterator
        from toolkit import tool

        class Opaque: ...

        @tool(name="héllo", destructiv=True)
        def probe(good: int, æ: Opaque, then: Callable[[], None], *rest: int,
                  more: Iterator[int], **others: str):
            '''Probes.'''
        """
    )
    tools, problems = build_tools(made.probe)
    assert tools == []
    hint = "use plain types, a dataclass, a TypedDict or a pydantic model"
    named = "name each parameter, or take one 'list' or 'dict'"
    assert reported(problems) == [
        ("TK323", "7:5", "unknown option 'destructiv'", "did you mean 'destructive' or 'strict'?"),
        (
            "TK101",
            "7:5",
            "invalid tool name 'héllo': only letters, digits, underscores and hyphens are allowed",
            "call it 'h_llo'",
        ),
        ("TK321", "7:33", "parameter 'then' is a callable, which no model can send", "take plain data instead"),
        (
            "TK321",
            "7:60",
            "parameters '*rest' and '**others' have no fixed form, so a model cannot fill them",
            named,
        ),
        ("TK321", "8:11", "parameter 'more' is a stream, which no model can send", "take plain data instead"),
        ("TK321", "7:22", problems[5].message, hint),
    ]
    assert problems[5].message == (
        "parameter 'æ' cannot be written as JSON: unsupported type <class 'tools_under_test.Opaque'>"
    )
    assert {problem.location.file for problem in problems} == {made.__file__}
    assert {problem.severity for problem in problems} == {"error"}


def test_what_a_model_must_guess_is_a_warning(module):
    made = module(
        """\
        from toolkit import tool

        @tool
        async def probe(
            typed: int,
            untyped, other=5,
        ): ...
        """
    )
    tools, problems = build_tools(made.probe)
    assert [tool.spec.parameters for tool in tools] == [
        {
            "type": "object",
            "properties": {"typed": {"type": "integer"}, "untyped": {}, "other": {"default": 5}},
            "required": ["typed", "untyped"],
        }
    ]
    assert reported(problems) == [
        ("TK201", "4:11", "tool 'probe' has no description", "write a docstring: what it does and when to use it"),
        ("TK301", "6:5", "parameter 'untyped' of 'probe' has no type", "annotate it: untyped: str"),
        ("TK301", "6:14", "parameter 'other' of 'probe' has no type", "annotate it: other: str"),
    ]
    assert {problem.severity for problem in problems} == {"warning"}


def test_annotations_that_cannot_be_read_are_told_one_by_one(module):
    made = module(
        """\
        from __future__ import annotations
        from toolkit import tool

        @tool
        def probe(good: int, bad: Missing, worse: list[Missin], ugly: "1 +") -> Nowhere:
            '''Probes.'''
        """
    )
    _, problems = build_tools(made.probe)
    hint = "import or define the name where the annotation can see it, outside 'if TYPE_CHECKING:'"
    assert [(problem.code, problem.hint) for problem in problems] == [("TK322", hint)] * 4
    assert [(problem.location.column, problem.message.partition(":")[0]) for problem in problems] == [
        (22, "the annotation of parameter 'bad' cannot be read"),
        (36, "the annotation of parameter 'worse' cannot be read"),
        (57, "the annotation of parameter 'ugly' cannot be read"),
        (5, "the annotation of the return value cannot be read"),
    ]
    assert "name 'Missing' is not defined" in problems[0].message


def test_postponed_annotations_are_read(module):
    made = module(
        """\
        from __future__ import annotations
        from typing import TYPE_CHECKING, Annotated
        from dataclasses import dataclass
        from toolkit import tool
        if TYPE_CHECKING:
            from toolkit import MemoryId, ToolContext

        @tool
        def probe(order: Order, user: Annotated[str, MemoryId], context: ToolContext | None) -> str:
            '''Probes.'''
            return f"{order} for {user} of {context['tenant']}"

        @dataclass
        class Order:
            lines: list[Line]

        @dataclass
        class Line:
            sku: str
        """
    )
    (probe,), problems = build_tools(made.probe)
    assert problems == []
    line = {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}
    order = {"type": "object", "properties": {"lines": {"type": "array", "items": line}}, "required": ["lines"]}
    assert probe.spec.parameters == {"type": "object", "properties": {"order": order}, "required": ["order"]}
    context = ToolContext({"tenant": "acme"}, memory_id="ada")
    assert probe.run({"order": {"lines": [{"sku": "a"}]}}, context).output == (
        "Order(lines=[Line(sku='a')]) for ada of acme"
    )


def test_names_of_the_users_own_win_over_ours(module):
    made = module(
        """\
        from __future__ import annotations
        from toolkit import tool
        MemoryId = int
        class ToolContext(dict): ...

        @tool
        def probe(which: MemoryId) -> str:
            '''Probes.'''
            return repr(which)
        """
    )
    (probe,), _ = build_tools(made.probe)
    assert probe.run({"which": "5"}).output == "5"


def test_a_context_inside_a_container_is_no_context():
    def probe(contexts: list[ToolContext]):
        """Probes."""

    with pytest.raises(InvalidTools, match="parameter 'contexts' has ToolContext inside a type that the model fills"):
        from_function(probe)


def test_a_function_whose_signature_is_secret_is_refused():
    with pytest.raises(InvalidTools, match="the signature of 'max' cannot be read"):
        from_function(max)


def test_problems_of_a_function_without_a_file_have_no_place():
    made: dict[str, Any] = {}
    exec("def probe(*rest): 'Probes.'", made)  # noqa: S102
    with pytest.raises(InvalidTools) as caught:
        from_function(made["probe"])
    assert [problem.location for problem in caught.value.problems] == [None]


def test_places_count_lines_and_columns_as_python_does(module):
    made = module(
        """\
        from toolkit import tool
        SEPARATORS = "a\x0cb\u2028c\x85d"
        class Holder:
            @tool
            def one(self, *rest): 'One.'
            class Inner:
                @staticmethod
                @tool
                async def two(*rest): 'Ünicode: two.'
        """
    )
    _, first = build_tools(made.Holder())
    _, second = build_tools(made.Holder.Inner())
    assert [str(problem.location).rpartition("/")[2] for problem in [*first, *second]] == [
        "tools.py:5:20",
        "tools.py:9:24",
    ]


def test_a_typed_dict_with_a_name_that_nobody_knows_is_refused_in_words():
    class Note(TypedDict):
        owner: "Unknown"  # type: ignore[name-defined]  # noqa: F821

    def keep(note: Note) -> str:
        """Keep a note."""
        return str(note)

    with pytest.raises(
        InvalidTools,
        match=r"parameter 'note' cannot be written as JSON: an annotation of 'Note' cannot be read: .*Unknown",
    ):
        from_function(keep)


def twice(a: int = Field(alias="x"), b: int = Field(alias="x")):
    """Acts."""


def of_another(a: int = Field(alias="b"), b: int = 1):
    """Acts."""


def of_one_renamed(a: int = Field(alias="b"), b: int = Field(alias="c")):
    """Acts."""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (twice, "the alias 'x' of parameter 'b' also refers to parameter 'a'"),
        (of_another, "the alias 'b' of parameter 'a' also refers to parameter 'b'"),
        (of_one_renamed, "the alias 'b' of parameter 'a' also refers to parameter 'b'"),
    ],
)
def test_an_alias_that_means_two_parameters_is_a_problem(function, message):
    with pytest.raises(InvalidTools) as caught:
        from_function(function)
    assert [problem.message for problem in caught.value.problems] == [message]
