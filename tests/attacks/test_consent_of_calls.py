"""Calls that run without a yes to this very call."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

from toolkit import (
    ConfigurationError,
    Continue,
    Edit,
    ExitEarly,
    ExitEarlyError,
    Pipeline,
    Reject,
    ReviewRequest,
    Tool,
    ToolContext,
    ToolResult,
    from_function,
    load_pipeline,
    tool,
)
from toolkit.approvals import AutoReviewer, ByRisk, DescribedCall, Gate, ScriptedReviewer, Verdict
from toolkit.errors import ToolkitError
from toolkit.runs import Run

SOON = 0.001


class Work:
    """A gated tool in every form, which keeps what it ran with."""

    def __init__(self) -> None:
        """Nothing has run."""
        self.ran: list[Any] = []

    def tools(self) -> Iterator[Tool]:
        """Yield the forms."""

        def pay(amount: int = 0) -> str:
            """Pay."""
            self.ran.append(amount)
            return "paid"

        async def pay_later(amount: int = 0) -> str:
            """Pay."""
            return pay(amount)

        def ask_and_pay(context: ToolContext, amount: int = 0) -> str:
            """Pay, if it is approved in the middle of the work."""
            return pay(amount) if isinstance(context.request_approval("Pay?"), Continue) else "not paid"

        yield from_function(pay, requires_approval=True)
        yield from_function(pay, destructive=True)
        yield from_function(pay_later, requires_approval=True)
        yield from_function(ask_and_pay)
        yield from_function(pay, requires_approval=True).with_name("renamed").with_note("Careful.")
        yield Pipeline.of(from_function(ask_about(pay)), name="paying", description="Pays.")


def ask_about(pay: Callable[[int], str]) -> Callable[..., str]:
    """Return a step that asks before it pays."""

    def step(text: str, context: ToolContext) -> str:
        """Pay, if it is approved."""
        return pay(len(text)) if isinstance(context.request_approval(f"Pay {text}?"), Continue) else "not paid"

    return step


def call_in_every_way(called: Tool, context: ToolContext) -> None:
    """Call from plain code and in a loop; whatever ends the call is no matter here."""
    arguments = '{"input": "x"}' if isinstance(called, Pipeline) else "{}"

    async def in_a_loop() -> ToolResult:
        return await called.call(arguments, context)

    for way in (lambda: called.run(arguments, context), lambda: asyncio.run(in_a_loop())):
        with suppress(Exception, KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError):
            way()


class Answering:
    """Does in `review` what it was made for."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        """Keep it."""
        self.answer = answer

    async def review(self, request: ReviewRequest) -> Any:
        """Do it."""
        return self.answer()


def returns(value: object) -> Answering:
    """Return a reviewer that answers with a value."""
    return Answering(lambda: value)


def raises(error: BaseException) -> Callable[[], Any]:
    """Return what raises an error."""

    def answer() -> Any:
        raise error

    return answer


def blocks_past_the_end() -> Continue:
    """Block the loop until the time is over, then say yes."""
    end = time.monotonic() + 3 * SOON
    while time.monotonic() < end:
        pass
    return Continue(same_again=True)


class Stubborn:
    """Says yes when it is cancelled."""

    async def review(self, request: ReviewRequest) -> Continue:
        """Wait for the end."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return Continue(same_again=True)
        raise AssertionError


class Late:
    """Says yes from a thread, when the question is over."""

    def __init__(self) -> None:
        """Nobody has asked."""
        self.threads: list[threading.Thread] = []

    async def review(self, request: ReviewRequest) -> Continue:
        """Wait for an answer that comes when nobody waits any more."""
        loop, answer, is_over = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        def say_yes() -> None:
            is_over.wait(10)
            try:
                loop.call_soon_threadsafe(answer.set)
            except RuntimeError:  # the loop is closed
                return

        self.threads.append(threading.Thread(target=say_yes))
        self.threads[-1].start()
        try:
            await answer.wait()
        finally:
            is_over.set()
        return Continue(same_again=True)


class Plain:
    """Has a `review` that is not async."""

    def review(self, request: ReviewRequest) -> Continue:
        """Say yes."""
        return Continue()


class Sync:
    """Is a class, and no instance of it."""

    async def review(self, request: ReviewRequest) -> Continue:
        """Say yes."""
        return Continue()


class TrueByDefault:
    """Has every attribute, and each is true."""

    def __getattr__(self, name: str) -> Any:
        """Return what says yes to everything."""
        return lambda *_, **__: True


NOT_A_YES: list[Any] = [
    *map(returns, (None, True, 1, "yes", "continue", {}, [Continue()], Continue, Reject(), Reject("no"), ExitEarly())),
    *(
        Answering(raises(error))
        for error in (
            RuntimeError("yes"),
            EOFError(),
            TimeoutError(),
            KeyboardInterrupt(),
            SystemExit(0),
            GeneratorExit(),
            asyncio.CancelledError(),
            StopAsyncIteration(),
            ConfigurationError("yes"),
            ExitEarlyError(),
        )
    ),
    Answering(blocks_past_the_end),
    Stubborn(),
    Late(),
    Plain(),
    Sync,
    TrueByDefault(),
    object(),
    "yes",
    lambda request: Continue(),
    ScriptedReviewer([]),
]


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("reviewer", NOT_A_YES, ids=lambda reviewer: type(reviewer).__name__)
def test_no_reviewer_but_one_that_says_yes_in_time_runs_a_call(reviewer, attacks):
    forms = (0, 1, 2, 4)  # the others ask with a time of their own
    for on_timeout, form in product(("reject", "exit_early", "raise"), forms):
        work = Work()
        called = list(work.tools())[form]
        call_in_every_way(called, ToolContext(gate=Gate(reviewer, timeout=SOON, on_timeout=on_timeout)))  # type: ignore[arg-type]
        attacks.count(f"{reviewer!r} ran {called!r} with on_timeout={on_timeout!r}", held=work.ran == [])


@pytest.mark.proof(everyday=6)
@pytest.mark.parametrize("reviewer", NOT_A_YES, ids=lambda reviewer: type(reviewer).__name__)
def test_no_reviewer_but_one_that_says_yes_in_time_answers_a_tool(reviewer, attacks):
    for function in (asking_in_time, asking_in_time_later):
        answers: list[object] = []
        context = ToolContext({"answers": answers}, gate=Gate(reviewer))
        call_in_every_way(from_function(function), context)
        attacks.count(f"{reviewer!r} answered with {answers}", held=not any(isinstance(a, Continue) for a in answers))


def asking_in_time(context: ToolContext) -> str:
    """Ask."""
    context["answers"].append(context.request_approval("Pay?", timeout=SOON))
    return "asked"


async def asking_in_time_later(context: ToolContext) -> str:
    """Ask."""
    context["answers"].append(await context.request_approval_async("Pay?", timeout=SOON))
    return "asked"


# ---------------------------------------------------------------------------------------------------- who judges a call


class Judge:
    """A policy that does what it was made for."""

    def __init__(self, judge: Callable[[DescribedCall], Any], *, needs_arguments: bool = False) -> None:
        """Keep it."""
        self._judge = judge
        self.needs_arguments = needs_arguments

    def judge(self, call: DescribedCall) -> Any:
        """Do it."""
        return self._judge(call)


NO_LEAVE: list[Callable[[DescribedCall], Any]] = [
    lambda call: None,
    lambda call: True,
    lambda call: "allow",
    lambda call: ("allow", ""),
    lambda call: Verdict("Allow"),  # type: ignore[arg-type]
    lambda call: Verdict("maybe"),  # type: ignore[arg-type]
    lambda call: Verdict(None),  # type: ignore[arg-type]
    lambda call: Verdict("deny"),
    lambda call: Verdict("deny", "a rule"),
    lambda call: Verdict("ask"),
    lambda call: 1 / 0,
    lambda call: raises(SystemExit(0))(),
    lambda call: raises(ExitEarlyError())(),
]


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("judge", NO_LEAVE, ids=range(len(NO_LEAVE)))
def test_no_policy_but_one_that_allows_runs_a_call(judge, attacks):
    class Judging(Gate):
        def judge(self, call: DescribedCall) -> Any:
            return judge(call)

    for needs_arguments, chosen_by in product((False, True), ("person", "model")):
        policy = Judge(judge, needs_arguments=needs_arguments)
        for gate in (Gate(ScriptedReviewer([]), policy), Judging(ScriptedReviewer([])), Judging(None, policy)):
            work = Work()
            for called in work.tools():
                call_in_every_way(called, ToolContext(gate=gate).replace(chosen_by=chosen_by))
                attacks.count(f"{type(gate).__name__} ran {called!r} for a {chosen_by}", held=work.ran == [])


def test_a_gate_that_judges_itself_is_asked_whatever_its_policy_says(attacks):
    class AllowAllButOne(Gate):
        def judge(self, call: DescribedCall) -> Verdict:
            assert call.arguments is not None
            return Verdict("deny", "a limit") if call.arguments.get("amount", 0) > 100 else Verdict("allow", "small")

    paid: list[int] = []
    pay = from_function(lambda amount: paid.append(amount), name="pay")  # noqa: PLW0108 - the parameter needs its name
    for chosen_by in ("person", "model"):
        for amount in (1, 1000):
            pay.run({"amount": amount}, ToolContext(gate=AllowAllButOne()).replace(chosen_by=chosen_by))
        attacks.count(f"a {chosen_by} paid {paid}", held=1000 not in paid)
    assert paid == [1, 1]


def test_nobody_but_a_person_and_a_model_chooses_a_call(attacks):
    for chosen_by in ("Person", "user", "", "MODEL", True, 1, ["person"], b"person"):
        for make in (
            lambda value: ToolContext(chosen_by=value),
            lambda value: ToolContext().replace(chosen_by=value),
        ):
            try:
                make(chosen_by)
            except (ConfigurationError, TypeError):
                attacks.count("refused", held=True)
            else:
                attacks.count(f"chosen by {chosen_by!r}", held=False)
        risk = from_function(lambda: 1, name="t").spec.risk
        verdict = ByRisk().judge(DescribedCall(risk, chosen_by))  # type: ignore[arg-type]
        attacks.count(f"chosen by {chosen_by!r}: {verdict}", held=verdict.action != "allow")


# ----------------------------------------------------------------------------------------------------- a strict context


def loosened(strict: ToolContext) -> Iterator[tuple[str, ToolContext]]:
    """Yield what somebody inside may make of a strict context without naming anybody to ask."""
    yield "itself", strict
    yield "replaced", strict.replace(strict=False)
    yield "without a gate", strict.replace(gate=None)
    yield "both", strict.replace(gate=None, strict=False)
    yield "merged over", strict.merge(ToolContext({"a": 1}))
    yield "merged over by one that is not", strict.merge(ToolContext(strict=False))
    yield "merged under", ToolContext({"a": 1}).merge(strict)
    yield "merged twice", ToolContext().merge(strict.merge(ToolContext())).replace(values={})
    yield "within a call", strict.within(from_function(lambda: 1, name="outer"), "{}")


def test_a_strict_context_stays_strict_and_refuses_what_nobody_can_be_asked_about(attacks):
    work = Work()
    for name, context in loosened(ToolContext(strict=True)):
        for called in work.tools():
            call_in_every_way(called, context)
            attacks.count(f"{name}: {called!r} ran", held=work.ran == [])
    read = from_function(lambda: "read", name="read", read_only=True)
    assert [read.run("{}", context).output for _, context in loosened(ToolContext(strict=True))] == ["read"] * 9


def test_who_can_be_asked_is_asked_in_a_strict_context_too():
    delete = from_function(lambda: "deleted", name="delete", destructive=True)
    asked, strict = ToolContext(reviewer=AutoReviewer()), ToolContext(strict=True)
    contexts = (asked.merge(strict), strict.merge(asked), ToolContext(strict=True, reviewer=AutoReviewer()))
    assert [delete.run("{}", context).text for context in contexts] == ["deleted"] * 3
    with pytest.raises(ConfigurationError, match="tool 'delete' requires approval, but there is no reviewer"):
        delete.run("{}", strict)
    assert delete.run("{}", ToolContext()).text == "deleted"


# ----------------------------------------------------------------------------------------------- one answer, one call


class SameAgain:
    """Says `same again` to the first question and no to every other."""

    def __init__(self) -> None:
        """Nobody has asked."""
        self.asked: list[ReviewRequest] = []

    async def review(self, request: ReviewRequest) -> Continue | Reject:
        """Answer."""
        self.asked.append(request)
        return Continue(same_again=True) if len(self.asked) == 1 else Reject("another call")


def transfer(amount: int, to: str, context: ToolContext) -> str:
    """Transfer money."""
    decision = context.request_approval("Confirm the transfer?")
    return f"{amount} to {to}" if isinstance(decision, Continue) else "refused"


async def transfer_later(amount: int, to: str, context: ToolContext) -> str:
    """Transfer money."""
    decision = await context.request_approval_async("Confirm the transfer?")
    return f"{amount} to {to}" if isinstance(decision, Continue) else "refused"


@pytest.mark.parametrize("function", [transfer, transfer_later])
def test_same_again_holds_for_a_tools_own_question_about_the_same_call_alone(function, attacks):
    first = {"amount": 10, "to": "ada"}
    others: list[tuple[Tool, dict[str, Any], dict[str, Any]]] = [
        (from_function(function), {"amount": 9000, "to": "ada"}, {}),
        (from_function(function), {"amount": 10, "to": "eve"}, {}),
        (from_function(function), first, {}),  # another tool of the same name
    ]
    paying = from_function(function)
    others += [
        (paying, {"amount": 9000, "to": "ada"}, {}),
        (paying, {"amount": 10, "to": "eve"}, {}),
        (paying, first, {"memory_id": "somebody else"}),
        (paying, first, {"run": Run()}),
    ]
    for called, arguments, more in others:
        reviewer = SameAgain()
        context = ToolContext(reviewer=reviewer)
        assert paying.run(first, context).output == "10 to ada"
        assert paying.run(first, context).output == "10 to ada"
        result = called.run(arguments, context.replace(**more))
        attacks.count(f"{arguments} {more}: {result.output}", held=result.output == "refused")
        assert len(reviewer.asked) == 2
        assert [dict(request.arguments) for request in reviewer.asked] == [first, arguments]
        assert [request.risk.tool for request in reviewer.asked] == [function.__name__] * 2
        assert len({request.digest for request in reviewer.asked}) == 2


def test_same_again_holds_for_no_question_that_belongs_to_no_call(attacks):
    reviewer = SameAgain()
    context = ToolContext(reviewer=reviewer)
    answers = [context.request_approval("Pay?") for _ in range(2)]
    attacks.count(f"answered {answers}", held=isinstance(answers[1], Reject))


def test_fifty_open_questions_of_tools_are_each_bound_to_their_own_answer(attacks):
    class LastFirst:
        def __init__(self) -> None:
            self.open: list[tuple[ReviewRequest, asyncio.Future[Any]]] = []

        async def review(self, request: ReviewRequest) -> Any:
            answer = asyncio.get_running_loop().create_future()
            self.open.append((request, answer))
            if len(self.open) == 50:
                for asked, waiting in reversed(self.open):
                    even = asked.arguments["amount"] % 2 == 0
                    waiting.set_result(Continue(same_again=True) if even else Reject())
            return await answer

    paying = from_function(transfer_later)
    context = ToolContext(reviewer=LastFirst())

    async def main() -> list[ToolResult]:
        calls = (paying.call({"amount": number, "to": "ada"}, context) for number in range(50))
        return await asyncio.gather(*calls)

    for number, result in enumerate(asyncio.run(main())):
        expected = "refused" if number % 2 else f"{number} to ada"
        attacks.count(f"{number}: {result.text}", held=result.output == expected)


def test_a_yes_that_comes_when_the_run_has_ended_runs_nothing(attacks):
    run, ran = Run(), list[int]()

    class EndsMeanwhile:
        async def review(self, request: ReviewRequest) -> Continue:
            run.terminate("somebody else has ended it")
            return Continue()

    pay = from_function(lambda: ran.append(1), name="pay", requires_approval=True)
    call_in_every_way(pay, ToolContext(reviewer=EndsMeanwhile(), run=run))
    attacks.count(f"ran {ran}", held=ran == [])
    work = Work()
    for called in work.tools():
        call_in_every_way(called, ToolContext(reviewer=EndsMeanwhile(), run=run))
        attacks.count(f"{called!r} ran", held=work.ran == [])


def test_the_secrets_of_a_call_are_hidden_in_its_own_question_and_tell_calls_apart():
    from pydantic import SecretStr

    def log_in(password: SecretStr, context: ToolContext) -> str:
        """Log in."""
        return type(context.request_approval("Log in?")).__name__

    reviewer = SameAgain()
    context, log_in_tool = ToolContext(reviewer=reviewer), from_function(log_in)
    given = ["hunter2", "hunter2", "hunter3"]
    assert [log_in_tool.run({"password": one}, context).output for one in given] == ["Continue", "Continue", "Reject"]
    assert [dict(request.arguments) for request in reviewer.asked] == [{"password": "**********"}] * 2


def test_what_a_tool_says_its_question_is_about_is_shown_beside_its_call():
    def clean(path: str, context: ToolContext) -> str:
        """Clean."""
        return repr(context.request_approval("Delete it?", {"files": 3}))

    reviewer = ScriptedReviewer([Edit({"files": 2})])
    assert (
        from_function(clean).run({"path": "a"}, ToolContext(reviewer=reviewer)).output
        == "Edit(arguments={'files': 2}, by='')"
    )
    assert [(request.arguments, request.show) for request in reviewer.requests] == [
        ({"files": 3}, {"call": {"path": "a"}})
    ]


# --------------------------------------------------------------------------------------------------- gates of pipelines

STEPS = {
    "a gate": "{approve: true%s}",
    "a call": "{use: note, approve: true%s}",
    "an item": '{for_each: "${{ split(input) }}", use: note, approve: true, on_item_error: skip%s}',
    "a branch": "{parallel: {one: {use: note, approve: true%s}}%s}",
    "a pipeline": "{use: ./inner.yaml%s}",
    "a pipeline in a branch": "{parallel: {one: {use: ./inner.yaml%s}}%s}",
}


@pytest.mark.parametrize("kind", STEPS)
def test_nothing_follows_a_refused_gate(kind, tmp_path, attacks, some_of):
    noted: list[str] = []

    @tool
    def note(text: str) -> str:
        """Note that the run went on."""
        noted.append(text)
        return text

    (tmp_path / "tools.py").write_text(
        "from toolkit import tool\n"
        "noted = []\n"
        "@tool\ndef note(text: str) -> str:\n    '''Note.'''\n    noted.append(text)\n    raise ValueError(text)\n"
    )
    refusals = [
        Reject("no"),
        Edit({"text": 1, "nothing": 2}) if kind == "a gate" else Reject(),
        *(Answering(raises(error)) for error in (RuntimeError(), TimeoutError())),
        *map(Judge, NO_LEAVE[:9]),
        Stubborn(),
    ]
    head = "tools: [./tools.py]\nerror_strategy: %s\n"
    for strategy, on_error, refusal in some_of(
        product(
            ("fail_fast", "continue_on_failure"), ("", ", on_error: continue", ", on_error: {value: fine}"), refusals
        )
    ):
        (tmp_path / "inner.yaml").write_text(
            f"{head % strategy}steps: [{{approve: true{on_error}}}, note]\n", encoding="utf-8"
        )
        step = STEPS[kind].replace("%s", on_error)
        file = tmp_path / "pipeline.yaml"
        file.write_text(f"{head % strategy}steps: [{step}, note]\n", encoding="utf-8")
        if isinstance(refusal, Judge):
            gate = Gate(AutoReviewer(), refusal)
        else:
            reviewer = ScriptedReviewer([refusal]) if isinstance(refusal, Reject | Edit) else refusal
            gate = Gate(reviewer, timeout=SOON)
        result = load_pipeline(file).run("one", ToolContext(gate=gate))
        follows = result.succeeded or result.error_code != "rejected"
        attacks.count(f"{strategy} {step} {refusal!r}: {result.text}", held=not follows)


def test_every_error_that_a_gate_raises_is_ours(attacks):
    for reviewer in NOT_A_YES:
        try:
            from_function(lambda: 1, name="t", requires_approval=True).run(
                "{}", ToolContext(gate=Gate(reviewer, timeout=SOON))
            )
        except (ToolkitError, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError):
            attacks.count("ended", held=True)
        except BaseException as error:  # noqa: BLE001 - whatever it is
            attacks.count(f"{reviewer!r} raised {error!r}", held=False)
        else:
            attacks.count("refused", held=True)
