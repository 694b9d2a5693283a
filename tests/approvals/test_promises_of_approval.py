"""Two promises with their figures: no run without consent, and what is shown is what runs."""

import asyncio
import json
import threading
from itertools import product
from typing import Any, TypedDict

import pytest
from hypothesis import given, strategies as st

from toolkit import ConfigurationError, Continue, Edit, ExitEarly, Reject, Tool, ToolContext, TypedTool, from_function
from toolkit.approvals import ByRisk, Demand, Gate, OnTimeout, RefusingReviewer, ScriptedReviewer
from toolkit.approvals.decisions import fingerprint  # private
from toolkit.errors import Signal
from toolkit.tools import TextTool


class Given(TypedDict, total=False):
    x: str


class Work:
    """Every kind of tool, each of which keeps that it ran."""

    def __init__(self) -> None:
        self.runs: list[Any] = []
        self.tools = self._make()

    def act(self, x: Any = "") -> str:
        """Acts."""
        self.runs.append(x)
        return "acted"

    async def act_later(self, x: str = "") -> str:
        """Acts."""
        return self.act(x)

    def _make(self) -> list[Tool]:
        work = self

        class Acting(TextTool):
            name, description, requires_approval = "acting", "Acts.", True

            def execute(self, text: str) -> str:
                return work.act(text)

        schema = {"type": "object", "properties": {"x": {"type": "string"}}}
        return [
            from_function(self.act, requires_approval=True),
            from_function(self.act_later, requires_approval=True),
            from_function(self.act, destructive=True).with_name("renamed"),
            Tool.create("by_hand", "Acts.", schema, self.act, requires_approval=True),
            TypedTool(name="typed", description="Acts.", input_type=Given, function=self.act, destructive=True),
            Acting(),
        ]


class Answering:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    async def review(self, request: Any) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Silent:
    async def review(self, request: Any) -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return Continue()  # a yes that comes when the time is over


NOT_A_YES: list[Any] = [
    None,
    Answering(None),
    Answering(True),
    Answering("yes"),
    Answering("continue"),
    Answering(1),
    Answering({}),
    Answering(Reject()),
    Answering(Reject("no")),
    Answering(ExitEarly()),
    Answering(ExitEarly("stop", timed_out=True)),
    Answering(EOFError()),
    Answering(KeyboardInterrupt()),
    Answering(SystemExit()),
    Answering(RuntimeError("broken")),
    Answering(TimeoutError()),
    Answering(asyncio.CancelledError()),
    Answering(Signal()),
    Answering(ConfigurationError()),
    Answering(GeneratorExit()),
    Silent(),
    RefusingReviewer(),
    ScriptedReviewer([]),
    object(),
]


def consenting_ways(tool, gate, demand):
    """Call a tool in every way there is, whatever it raises."""
    context = ToolContext(gate=gate)

    async def call():
        return await tool.call("{}", context, demand=demand)

    ways = [lambda: asyncio.run(call())] if demand else [lambda: tool.run("{}", context), lambda: asyncio.run(call())]
    for way in ways:
        try:
            result = way()
        except BaseException as ending:  # noqa: BLE001 - whatever ends it, the work must not have run
            assert not isinstance(ending, AssertionError)  # noqa: PT017
        else:
            assert not result.succeeded


@pytest.mark.proof
def test_nothing_but_a_yes_runs_a_gated_call(record_property, capsys):
    work = Work()
    tried = 0
    endings: tuple[OnTimeout, ...] = ("reject", "exit_early", "raise")
    for reviewer, on_timeout, demand in product(NOT_A_YES, endings, (None, Demand("a step"))):
        for tool in work.tools:
            consenting_ways(tool, Gate(reviewer, timeout=0.001, on_timeout=on_timeout), demand)
            tried += 1
    record_property("runs without consent", len(work.runs))
    with capsys.disabled():
        print(f"\n  runs without consent: {len(work.runs)} of {tried} gated calls")  # noqa: T201
    assert work.runs == []
    assert tried == len(NOT_A_YES) * 3 * 2 * len(work.tools)
    assert all(tool.run("{}", ToolContext(reviewer=Answering(Continue()))).succeeded for tool in work.tools)
    assert len(work.runs) == len(work.tools)


class OutOfOrder:
    """Answers all questions at once when the last has come, each by what it is about, the last question first."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.waiting: list[tuple[Any, asyncio.Future[Any]]] = []

    async def review(self, request: Any) -> Any:
        answer = asyncio.get_running_loop().create_future()
        self.waiting.append((request, answer))
        if len(self.waiting) == self.expected:
            for asked, future in reversed(self.waiting):
                future.set_result(self.answer_to(asked.arguments["number"]))
        return await answer

    @staticmethod
    def answer_to(number: int) -> Any:
        return (Continue(), Reject(f"not {number}"), Edit({"number": number + 1000}), Continue(same_again=True))[
            number % 4
        ]


def test_fifty_questions_at_once_are_each_bound_to_their_own_answer(capsys):
    ran: list[int] = []

    def act(number: int) -> int:
        """Acts."""
        ran.append(number)
        return number

    tool = from_function(act, requires_approval=True)
    context = ToolContext(reviewer=OutOfOrder(50))

    async def main():
        return await asyncio.gather(*(tool.call({"number": number}, context) for number in range(50)))

    results = asyncio.run(main())
    expected = {0: str, 1: lambda n: f"Error: Rejected by reviewer: not {n}", 2: lambda n: str(n + 1000)}
    bound = sum(result.text == expected.get(n % 4, expected[0])(n) for n, result in enumerate(results))
    with capsys.disabled():
        print(f"\n  bound to their own answer: {bound} of 50 concurrent questions")  # noqa: T201
    assert bound == 50
    assert sorted(ran) == sorted(n + 1000 * (n % 4 == 2) for n in range(50) if n % 4 != 1)


def act_on(path: str, lines: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """Acts on what it was given."""
    return {"path": path, "lines": lines, "options": options}


data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.text(), st.lists(st.text(), max_size=3), st.dictionaries(st.text(), data, max_size=3), st.booleans())
def test_what_is_shown_is_what_runs(path, lines, options, as_text):
    class Watching:
        async def review(self, request):
            self.shown, self.arguments = request.fingerprint, json.dumps(request.arguments)
            return Continue()

    tool = from_function(act_on, requires_approval=True)
    watching = Watching()
    arguments = {"path": path, "lines": lines, "options": options}
    result = tool.run(json.dumps(arguments) if as_text else arguments, ToolContext(reviewer=watching))
    assert fingerprint("act_on", result.artifact) == watching.shown
    assert json.loads(watching.arguments) == json.loads(json.dumps(result.artifact))


class Meddling:
    """A reviewer during whose thinking somebody changes what was sent, and what was shown."""

    def __init__(self, sent: dict[str, Any]) -> None:
        self.sent = sent

    async def review(self, request: Any) -> Any:
        self.shown = request.fingerprint
        self.sent["path"] = "/etc/passwd"
        self.sent["lines"].append("evil")
        self.sent["options"]["deep"]["er"].append("evil")
        request.arguments["path"] = "/etc/shadow"
        request.arguments["lines"].append("more evil")
        request.arguments["options"]["deep"]["er"].append("more evil")
        return Continue()


def test_what_is_shown_is_what_runs_even_if_the_caller_changes_it_meanwhile():
    sent = {"path": "a", "lines": ["one"], "options": {"deep": {"er": [1]}}}
    reviewer = Meddling(sent)
    result = from_function(act_on, requires_approval=True).run(sent, ToolContext(reviewer=reviewer))
    assert result.artifact == {"path": "a", "lines": ["one"], "options": {"deep": {"er": [1]}}}
    assert fingerprint("act_on", result.artifact) == reviewer.shown
    assert sent["path"] == "/etc/passwd"


def test_what_a_policy_asks_about_is_read_again_from_what_was_frozen():
    """The arguments change between the first reading and the question: what is asked about and runs is one thing."""
    sent = {"path": "a", "lines": [], "options": {}}

    class Changing(ByRisk):
        def judge(self, call):
            sent["path"] = "changed"
            return super().judge(call)

    reviewer = ScriptedReviewer([Continue()])
    tool = from_function(act_on, requires_approval=True)
    result = tool.run(sent, ToolContext(gate=Gate(reviewer, Changing())))
    assert result.artifact["path"] == reviewer.requests[0].arguments["path"] == "changed"


def test_an_edit_that_changes_after_it_was_given_has_no_effect():
    edit = {"path": "edited", "lines": [], "options": {}}

    class Changing:
        async def review(self, request):
            assert request.objection(edit) is None
            return Edit(edit)

    def act(path: str, lines: list[str], options: dict[str, Any], context: ToolContext) -> str:
        """Acts."""
        edit["path"] = "/etc/passwd"
        return path

    assert from_function(act, requires_approval=True).run(edit, ToolContext(reviewer=Changing())).output == "edited"


def test_an_edit_is_asked_about_with_the_fingerprint_of_what_was_shown_not_of_what_will_run():
    reviewer = ScriptedReviewer([Edit({"path": "b", "lines": [], "options": {}}), Reject()])
    tool = from_function(act_on, requires_approval=True)
    context = ToolContext(reviewer=reviewer)
    assert tool.run({"path": "a", "lines": [], "options": {}}, context).artifact["path"] == "b"
    assert not tool.run({"path": "b", "lines": [], "options": {}}, context).succeeded


@given(st.dictionaries(st.text(), data, max_size=4))
def test_a_fingerprint_does_not_depend_on_order_and_tells_calls_apart(arguments):
    reordered = dict(reversed(arguments.items()))
    assert fingerprint("t", arguments) == fingerprint("t", reordered)
    assert len(fingerprint("t", arguments)) == 64
    assert fingerprint("t", arguments) != fingerprint("u", arguments)
    assert fingerprint("t", arguments) != fingerprint("t", {**arguments, "one more": 1})


@pytest.mark.parametrize("count", [20])
def test_reviewers_that_can_be_asked_one_question_at_a_time_are_over_threads_and_loops(count):
    class Console:
        one_at_a_time = True
        open = 0
        most = 0
        asked = 0

        async def review(self, request):
            Console.open += 1
            Console.asked += 1
            Console.most = max(Console.most, Console.open)
            for _ in range(5):
                await asyncio.sleep(0)
            Console.open -= 1
            return Continue()

    tool = from_function(lambda x: x, name="t", requires_approval=True)
    results: list[bool] = []

    def from_plain_code(number):
        results.append(tool.run({"x": number}, ToolContext(reviewer=Console())).succeeded)

    def from_a_loop(number):
        async def main():
            context = ToolContext(reviewer=Console())
            return await asyncio.gather(*(tool.call({"x": [number, n]}, context) for n in range(3)))

        results.extend(result.succeeded for result in asyncio.run(main()))

    threads = [
        threading.Thread(target=target, args=(number,))
        for number in range(count // 2)
        for target in (from_plain_code, from_a_loop)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (Console.most, Console.asked, results) == (1, count * 2, [True] * count * 2)


def test_other_reviewers_are_asked_side_by_side():
    everybody = threading.Barrier(3)

    class Shared:
        async def review(self, request):
            await asyncio.to_thread(everybody.wait, 30)
            return Continue()

    tool = from_function(lambda x: x, name="t", requires_approval=True)

    async def main():
        context = ToolContext(reviewer=Shared())
        return await asyncio.gather(*(tool.call({"x": n}, context) for n in range(3)))

    assert all(result.succeeded for result in asyncio.run(main()))


def test_a_question_that_was_cancelled_while_it_waited_for_its_turn_hinders_nobody():
    class Console:
        one_at_a_time = True

        def __init__(self):
            self.begun, self.go_on = asyncio.Event(), asyncio.Event()

        async def review(self, request):
            self.begun.set()
            await self.go_on.wait()
            return Continue()

    tool = from_function(lambda x: x, name="t", requires_approval=True)

    async def main():
        console = Console()
        context = ToolContext(reviewer=console)
        first = asyncio.create_task(tool.call({"x": 1}, context))
        await console.begun.wait()
        second = asyncio.create_task(tool.call({"x": 2}, context))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        console.go_on.set()
        return [(await first).succeeded, (await tool.call({"x": 3}, context)).succeeded]

    assert asyncio.run(main()) == [True, True]


def test_a_question_answered_for_the_whole_run_is_not_put_again_to_those_who_wait():
    class Console:
        one_at_a_time = True
        asked = 0

        async def review(self, request):
            self.asked += 1
            await asyncio.sleep(0)
            return Continue(same_again=True)

    tool = from_function(lambda x: x, name="t", requires_approval=True)

    async def main():
        console = Console()
        context = ToolContext(reviewer=console)
        results = await asyncio.gather(*(tool.call({"x": 1}, context) for _ in range(5)))
        return console.asked, [result.succeeded for result in results]

    assert asyncio.run(main()) == (1, [True] * 5)
