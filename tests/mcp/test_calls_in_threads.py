"""A call of a plain function, which a thread makes alone, is in every way what it would be in an event loop."""

import asyncio
import contextvars
import sys
import threading
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit import Continue, Edit, ExitEarly, Reject, Tool, ToolContext, ToolExecutionError, ToolResult
from toolkit.approvals import AllowAll, Gate, Verdict
from toolkit.mcp.serving.worker_pool import WorkerPool  # private
from toolkit.redactors import Redactor
from toolkit.runs import Run
from toolkit.tools.calls.call_limits import Limit, LocalLimits  # private
from toolkit.wrappers.timing import TimedTool  # private

WHO = contextvars.ContextVar("WHO", default="nobody")


async def _later(text):
    await asyncio.sleep(0)
    return text


def _ask(text, context):
    return context.request_approval("Really?", {"text": text}).word


WORK = {
    "returns": lambda text, context: text,
    "returns data": lambda text, context: {"text": [text, None, 1.5]},
    "returns nothing": lambda text, context: None,
    "fails": lambda text, context: ToolResult.failure(text, 7),
    "raises": lambda text, context: 1 / 0,
    "raises for the model": lambda text, context: (_ for _ in ()).throw(ToolExecutionError(text, code="own")),
    "raises a timeout": lambda text, context: (_ for _ in ()).throw(TimeoutError(text)),
    "raises a cancellation": lambda text, context: (_ for _ in ()).throw(asyncio.CancelledError),
    "exits": lambda text, context: sys.exit(text),
    "stops iterating": lambda text, context: next(iter(())),
    "returns a coroutine": lambda text, context: _later(text),
    "has its own loop": lambda text, context: asyncio.run(_later(text)),
    "calls another tool": lambda text, context: Tool.create(
        "twice", "Repeat.", {"type": "object"}, lambda: text * 2, read_only=True
    ).run({}, context),
    "calls an async tool": lambda text, context: Tool.create(
        "twice", "Repeat.", {"type": "object"}, lambda: _later(text), read_only=True
    ).run({}, context),
    "reports progress": lambda text, context: context.progress(text, 1, 2),
    "asks": _ask,
    "sees the context": lambda text, context: (
        f"{WHO.get()} {context.tool} {context.memory_id} {context.call.arguments}"
    ),
    "changes the context": lambda text, context: [WHO.set(text), WHO.get()][1],
    "has no loop": lambda text, context: asyncio._get_running_loop(),
}
ANSWERS = {
    "approves": Continue(),
    "edits": Edit({"text": "edited"}),
    "edits badly": Edit({"text": 5}),
    "rejects": Reject("no"),
    "ends": ExitEarly("enough"),
    "breaks": RuntimeError("broken"),
}


class Answering:
    def __init__(self, answer):
        self.answer = answer

    async def review(self, request):
        await asyncio.sleep(0)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Made:
    """A call in a thread or in a loop, and what it leaves behind."""

    def __init__(self, function, *, reviewer=None, policy=None, limiter=None, seconds=20.0):
        parameters = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

        def work(text: str, context: ToolContext):
            return function(text, context)

        self.events = []
        self.gate = Gate(reviewer or Answering(Continue()), policy)
        self.run = Run()
        self.context = ToolContext(
            gate=self.gate,
            listener=self.events.append,
            run=self.run,
            chosen_by="model",
            memory_id="m",
            redactor=Redactor("correct-horse"),
        ).replace(limiter=limiter)
        self.tool = TimedTool(Tool.create("work", "Do it.", parameters, work), seconds)

    async def call(self, arguments, *, needs_loop, meanwhile=None):
        """Make the call; `meanwhile` receives its task."""
        WHO.set("somebody")
        done, pool = asyncio.Event(), WorkerPool()
        task = pool.begin(lambda: self.tool.call(arguments, self.context), done.set, needs_loop=needs_loop)
        try:
            async with asyncio.timeout(20):
                if meanwhile is not None:
                    await meanwhile(task)
                await done.wait()
        finally:
            await asyncio.to_thread(pool.close)
        return task.result

    @property
    def left(self):
        return (
            [_plainly(event) for event in self.events],
            [_plainly(record) for record in self.run.calls],
            [risk.tool for risk in self.gate.history.tools],
        )


def _plainly(record):
    """Return a record without what differs from call to call: numbers and times."""
    fields = {name: getattr(record, name) for name in record.__match_args__}
    left_out = {"call", "seconds", "run", "at"}
    return type(record).__name__, {name: value for name, value in fields.items() if name not in left_out}


@settings(deadline=None, max_examples=examples(400))
@given(
    work=st.sampled_from(sorted(WORK)),
    text=st.sampled_from(["a", "", "correct-horse", "b" * 5_000]),
    arguments=st.sampled_from(["valid", "valid text", "missing", "of the wrong type", "not JSON"]),
    answer=st.sampled_from(sorted(ANSWERS)),
    is_allowed=st.booleans(),
    is_limited=st.booleans(),
)
def test_call_in_a_thread_ends_as_in_a_loop(work, text, arguments, answer, is_allowed, is_limited):
    sent = {
        "valid": {"text": text},
        "valid text": f'{{"text": "{text}"}}',
        "missing": {},
        "of the wrong type": {"text": [1]},
        "not JSON": "{",
    }[arguments]

    def ends(*, needs_loop):
        made = Made(
            WORK[work],
            reviewer=Answering(ANSWERS[answer]),
            policy=AllowAll("--yes") if is_allowed else None,
            limiter=LocalLimits({"work": Limit(concurrency=1)}) if is_limited else None,
        )
        result = asyncio.run(made.call(sent, needs_loop=needs_loop))
        return replace(result, artifact=None), made.left

    assert ends(needs_loop=False) == ends(needs_loop=True)


class Blocking:
    """A function that runs until it is released."""

    def __init__(self):
        self.began, self.may_end, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, text, context):
        self.began.set()
        self.may_end.wait(20)
        self.ended.set()
        return text


@pytest.mark.parametrize("needs_loop", [False, True], ids=["thread", "loop"])
def test_cancelled_call_ends_once_while_its_function_goes_on(needs_loop):
    blocking = Blocking()
    made = Made(blocking, policy=AllowAll("--yes"))

    async def cancel(task):
        await asyncio.to_thread(blocking.began.wait)
        task.cancel()

    result = asyncio.run(made.call({"text": "a"}, needs_loop=needs_loop, meanwhile=cancel))
    left = made.left
    blocking.may_end.set()
    blocking.ended.wait()

    assert result == ToolResult.failure("the call was cancelled", "cancelled")
    assert [(kind, event.get("outcome")) for kind, event in left[0]] == [
        ("ToolStarted", None),
        ("ApprovalDecided", None),
        ("ToolFinished", "signal"),
    ]
    assert [record["outcome"] for _, record in left[1]] == ["signal"]
    assert left[2] == ["work"]
    assert made.left == left


@pytest.mark.parametrize("needs_loop", [False, True], ids=["thread", "loop"])
def test_call_that_takes_too_long_fails_while_its_function_goes_on(needs_loop):
    blocking = Blocking()
    made = Made(blocking, policy=AllowAll("--yes"), seconds=0.05)

    async def watch(task):
        while task.result is None:
            task.end_if_overdue()
            await asyncio.sleep(0.01)

    result = asyncio.run(made.call({"text": "a"}, needs_loop=needs_loop, meanwhile=watch))
    left = made.left
    blocking.may_end.set()
    blocking.ended.wait()

    message = "timed out after 50ms; it is a plain function, is still running in its thread, and may still take effect"
    assert result == ToolResult.failure(message, "timeout")
    assert [event["outcome"] for kind, event in left[0] if kind == "ToolFinished"] == ["failure"]
    assert made.left == left


@pytest.mark.parametrize("needs_loop", [False, True], ids=["thread", "loop"])
def test_cancelled_call_withdraws_its_question(needs_loop):
    class Silent:
        def __init__(self):
            self.asked, self.withdrawn = threading.Event(), threading.Event()

        async def review(self, request):
            self.asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.withdrawn.set()

    silent = Silent()
    made = Made(lambda text, context: text, reviewer=silent)

    async def cancel(task):
        await asyncio.to_thread(silent.asked.wait)
        task.cancel()

    result = asyncio.run(made.call({"text": "a"}, needs_loop=needs_loop, meanwhile=cancel))
    assert result == ToolResult.failure("the call was cancelled", "cancelled")
    assert silent.withdrawn.wait(20)
    assert made.left[2] == []


def test_policy_can_call_another_tool_while_it_judges_a_call():
    class Looking:
        needs_arguments = False

        def judge(self, call):
            again = Tool.create("again", "Look.", {"type": "object"}, lambda: "allow", read_only=True)
            return Verdict(cast("Any", again.run({}, ToolContext(run=Run())).output))

    made = Made(lambda text, context: text, policy=Looking())
    assert asyncio.run(made.call({"text": "a"}, needs_loop=False)).output == "a"


def test_time_for_a_question_does_not_count():
    class Slow:
        async def review(self, request):
            await asyncio.sleep(0.2)
            return Continue()

    def both(text, context):
        return context.request_approval("Really?").word

    made = Made(both, reviewer=Slow(), seconds=0.1)

    async def watch(task):
        while task.result is None:
            task.end_if_overdue()
            await asyncio.sleep(0.01)

    assert asyncio.run(made.call({"text": "a"}, needs_loop=False, meanwhile=watch)).output == "continue"


def test_call_that_suspends_for_anything_else_fails():
    class Yielding:
        def __await__(self):
            yield "something"

    async def call():
        pool, done = WorkerPool(), asyncio.Event()

        async def work():
            await Yielding()
            return ToolResult("never")

        task = pool.begin(work, done.set, needs_loop=False)
        await done.wait()
        await asyncio.to_thread(pool.close)
        return task.result

    assert asyncio.run(call()).error == "the tool raised RuntimeError: a call that must not suspend has suspended"


def test_call_that_arrives_after_the_end_is_cancelled():
    made = Made(lambda text, context: text, policy=AllowAll("--yes"))

    async def end():
        pool, done = WorkerPool(), asyncio.Event()
        await asyncio.to_thread(pool.close)
        task = pool.begin(lambda: made.tool.call({"text": "a"}, made.context), done.set, needs_loop=False)
        await done.wait()
        return task.result

    assert asyncio.run(end()).error_code == "cancelled"
