"""Calls from the page: each streams its events, questions and result to the page, and ends when the page goes away.

The page is one more reviewer. A call is approved only by an answer that names the question and the digest of the call
that was shown; when the page disconnects, its open questions are rejected and its call is cancelled.
"""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future
from dataclasses import replace
from secrets import token_hex
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from toolkit.approvals.decisions import Decision, Reject, ReviewRequest
from toolkit.events import Event, Progress, StepFinished, StepStarted, both
from toolkit.mcp.serving.worker_pool import WorkerPool
from toolkit.runs.run import Run
from toolkit.tools.base import Tool
from toolkit.tools.secret_arguments import learn_arguments
from toolkit.visibility import visible_json
from toolkit.webhooks.webhook_messages import decision_in, payload_of
from toolkit_cli import console
from toolkit_cli.serving.tool_page.shown_tools import result_record

if TYPE_CHECKING:
    from toolkit_cli.running.sessions import Session

_GONE: Final = Reject("the page was closed before it answered")


class OpenQuestion:
    """A question that waits for the answer of the page."""

    def __init__(self, request: ReviewRequest) -> None:
        self.id = token_hex(16)
        self.request = request
        self._answer: Future[Decision] = Future()

    def take(self, body: bytes) -> None:
        """Take the answer of the page, once.

        Raises:
            NoAnswerError: If it is not a valid answer to this question.
        """
        self.settle(decision_in(body, self.id, self.request))

    @property
    def is_answered(self) -> bool:
        """Whether it has its answer, which is final."""
        return self._answer.done()

    def settle(self, decision: Decision) -> None:
        if not self._answer.done():
            self._answer.set_result(decision)

    async def answer(self) -> Decision:
        return await asyncio.wrap_future(self._answer)

    def record(self) -> dict[str, Any]:
        """Return what the page shows; arguments are shown as text, in which everything is visible."""
        shown = payload_of(self.request, self.id, None)
        if console.redactor().data(arguments := dict(self.request.arguments)) is not arguments:
            shown["answers"].remove("edit")  # an edit would send the masks
        omitted = {name: value for name, value in self.request.defaults.items() if name not in self.request.arguments}
        values = {**self.request.arguments, **omitted}
        return shown | {
            "shown": [[name, _shown(value), name in omitted] for name, value in values.items()],
            "whole": visible_json(self.request.arguments, indent=2),
            "show": None if self.request.show is None else _shown(self.request.show),
            "form": self.request.form,
        }


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else visible_json(value, indent=2)


class PageCalls:
    """The running calls of all pages, and their open questions by id."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._pool = WorkerPool()
        self._lock = threading.Lock()
        self.questions: dict[str, OpenQuestion] = {}

    def close(self) -> None:
        """Reject all open questions, and cancel all calls."""
        with self._lock:
            for question in self.questions.values():
                question.settle(_GONE)
        self._pool.close()

    async def call(self, tool: Tool, arguments: str) -> AsyncIterator[dict[str, Any]]:
        """Call a tool and yield what happens; leaving the iteration rejects its questions and cancels the call."""
        learn_arguments(console.redactor(), tool, arguments)
        said = _Said(self)
        listener = both(said.listen, self._session.context.listener)
        gate = self._session.gate.with_reviewer(said)
        context = self._session.context.replace(gate=gate, listener=listener, run=Run(channel=said.message))
        began = perf_counter()
        task = self._pool.begin(
            lambda: tool.call(arguments, context), lambda: said.put(None), needs_loop=not tool.calls_one_function
        )
        try:
            while (one := await said.queue.get()) is not None:
                yield one
            assert task.result is not None  # nothing follows `None`, which says that the call has ended
            seconds = round(perf_counter() - began, 3)
            yield {"result": result_record(tool, task.result, arguments) | {"seconds": seconds}}
        finally:
            said.leave()
            task.cancel()

    def open(self, question: OpenQuestion) -> None:
        with self._lock:
            self.questions[question.id] = question

    def forget(self, question: OpenQuestion) -> None:
        with self._lock:
            self.questions.pop(question.id, None)


class _Said:
    """What a call has to say to its page, from whatever thread; and the reviewer of its questions."""

    def __init__(self, calls: PageCalls) -> None:
        self.queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._calls = calls
        self._is_gone = False
        self._own: list[OpenQuestion] = []

    def put(self, one: dict[str, Any] | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.queue.put_nowait, one)

    def listen(self, event: Event) -> None:
        match event:
            case StepStarted(path=path):
                self.put({"step": path, "status": "begun"})
            case StepFinished(path=path, status=status):
                self.put({"step": path, "status": status})
            case Progress(message=message):
                self.put({"message": message})

    def message(self, message: Any) -> None:
        self.put({"message": str(getattr(message, "text", message))})

    def leave(self) -> None:
        """Reject all questions, open and to come: nobody looks at the page any longer."""
        self._is_gone = True
        for question in self._own:
            question.settle(_GONE)

    async def review(self, request: ReviewRequest) -> Decision:
        """Ask the page, and wait for its answer."""
        question = OpenQuestion(replace(request, arguments=dict(request.arguments)))
        self._own.append(question)
        if self._is_gone:
            return _GONE
        self._calls.open(question)
        self.put({"question": question.record()})
        try:
            return await question.answer()
        finally:
            self._calls.forget(question)
            self.put({"closed": question.id})
