"""The sessions of clients: how they learn of changes and of the progress of calls, and how they are asked.

The person behind a client can approve a call; only an explicit approval lets it run. In the handshake era, the client
is asked by elicitation while the call waits. In the stateless era, the question is sent as the answer to the call: the
call is parked, and continues when the client repeats it with the person's answer. If a client does not support
questions, the call is refused.
"""

import asyncio
import json
import math
import re
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Literal

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.approvals.decisions import Continue, Decision, Edit, Reject, ReviewRequest
from toolkit.approvals.policies import CallHistory
from toolkit.events import Event, ItemFinished, PipelineStarted, Progress, StepFinished, StepStarted
from toolkit.json_texts import json_text
from toolkit.redactors.redactor import Redactor
from toolkit.runs.records import Message

_HEADER = "mcp-session-id"
_ONLY = "stdio"
_PATIENCE = 1.0

MOST = 1_000
"""Maximum number of known sessions; the least recently active one is dropped first."""


Listed = Literal["tools", "resources", "prompts"]
"""What clients are notified about if it changes."""

_NOTIFICATIONS: Mapping[Listed, Callable[[], types.ServerNotification]] = {
    "tools": types.ToolListChangedNotification,
    "resources": types.ResourceListChangedNotification,
    "prompts": types.PromptListChangedNotification,
}


class Sessions:
    """The known sessions of clients."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, ServerSession] = OrderedDict()

    def key_of(self, request: ServerRequestContext[Any, Any]) -> str | None:
        """Return the key of a request's session, or `None` in the stateless era."""
        if request.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return None
        headers = getattr(request.request, "headers", None)
        key = _ONLY if headers is None else str(headers.get(_HEADER, ""))
        self._known[key] = request.session
        self._known.move_to_end(key)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return key

    async def notify_all(self, listed: Listed) -> None:
        """Notify all sessions that a list has changed."""
        for session in list(self._known.values()):
            # A client that is gone, or does not read, must not keep the others from being notified.
            with anyio.move_on_after(_PATIENCE), suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await session.send_notification(_NOTIFICATIONS[listed]())


_MOST: Final = 10_000
"""Maximum number of histories; far more than sessions can be open, so only those of ended sessions are dropped."""


class SessionHistories:
    """The call histories of a server: one per session, and one for all requests without a session."""

    def __init__(self) -> None:
        self._of_sessions: OrderedDict[str, CallHistory] = OrderedDict()
        self._without_session = CallHistory()

    def of(self, session: str | None) -> CallHistory:
        """Return the history of a session; all requests without a session share one."""
        if session is None:
            return self._without_session
        history = self._of_sessions.setdefault(session, CallHistory())
        self._of_sessions.move_to_end(session)
        if len(self._of_sessions) > _MOST:
            self._of_sessions.popitem(last=False)
        return history


Send = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends the progress of a call: its value, the total and a message."""

_MOST_WAITING = 100
_SMALL_STEP = 0.001


class ProgressSender:
    """Converts events from any thread to progress notifications, and sends them in the event loop that created it.

    The protocol requires the value to grow with each message. Without real progress it grows by ever smaller amounts,
    and never beyond the total. If the client is too slow, the oldest messages are dropped.
    """

    def __init__(self, send: Send, redactor: Redactor) -> None:
        """Start sending.

        Args:
            send: Sends a notification to the client.
            redactor: Masks secrets in messages.
        """
        self.send = send
        self._redactor = redactor
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[float, float | None, str | None]] = deque(maxlen=_MOST_WAITING)
        self._more = asyncio.Event()
        self._lock = asyncio.Lock()
        self._value: float | None = None
        self._counted: Literal["steps", "own", "nothing"] | None = None
        self._steps = 0
        self._sender = self._loop.create_task(self._send_all())

    def listen(self, event: Event) -> None:
        with suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._handle, event)

    def send_message(self, message: Message) -> None:
        """Send a tool's message to the user."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._queue, message.text)

    async def close(self) -> None:
        """Send the remaining messages, and stop."""
        while self._waiting:
            await self._send_next()
        async with self._lock:  # wait for the message that is being sent
            self._sender.cancel()

    def stop(self) -> None:
        """Stop sending messages."""
        self._sender.cancel()

    def _handle(self, event: Event) -> None:
        """Queue a message for an event; the first event decides what is counted: steps, or the tool's own progress."""
        match event:
            case PipelineStarted(steps=steps, pipeline=name) if self._counted is None:
                self._counted, self._steps = "steps", steps
                self._queue(f"{name}: {steps} steps")
            case StepStarted(path=path, position=position, of=of):
                self._counted = self._counted or "nothing"
                self._queue(f"step {position}/{of} · {path}")
            case StepFinished(path=path, position=position, of=of, status=status):
                self._queue(
                    f"step {position}/{of} · {path}: {status}", position if self._is_outermost(path, of) else None
                )
            case ItemFinished(path=path, done=done, of=of):
                self._queue(f"{path}: {done} of {of}")
            case Progress(message=message, done=done, of=of):
                self._counted = self._counted or "own"
                is_own = self._counted == "own"
                self._queue(message, done if is_own else None, of if is_own else None)

    def _is_outermost(self, path: str, of: int) -> bool:
        """Return whether a step belongs to the served pipeline itself."""
        return self._counted == "steps" and "/" not in path and of == self._steps

    def _queue(self, message: str | None, value: float | None = None, of: float | None = None) -> None:
        total = float(self._steps) if self._counted == "steps" else _finite(of)
        grown = self._grown(_finite(value), total)
        if self._value is not None and grown <= self._value:
            return
        self._value = grown
        self._waiting.append((grown, total, self._redactor.data(message)))
        self._more.set()

    def _grown(self, value: float | None, total: float | None) -> float:
        """Return the next value: the reported one if it is larger than the last, else slightly more than the last."""
        last, most = self._value, math.inf if total is None else total
        if last is None:
            return min(value or 0.0, most)
        if value is not None and value > last:
            return min(value, most)
        if self._counted == "nothing":
            return last + 1
        return last + (min(math.floor(last) + 1, most) - last) * _SMALL_STEP

    async def _send_all(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._waiting:
                await self._send_next()

    async def _send_next(self) -> None:
        async with self._lock:
            if self._waiting:
                await self.send(*self._waiting.popleft())


def _finite(number: float | None) -> float | None:
    return float(number) if number is not None and math.isfinite(number) else None


Elicit = Callable[[types.ElicitRequest], Awaitable[types.ElicitResult]]
"""Sends a question to the client and returns the person's answer."""

_LONGEST_QUESTION = 20_000
"""Maximum length of a question in characters; a longer one could not be reviewed, so it is refused."""

_FORM_KEYS = ("type", "properties", "required")
_APPROVE, _REJECT = "approve", "reject"
_NOT_PLAIN = re.compile(r"[^\n\x20-\x7e]")
_INVISIBLE = re.compile(r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f]")


class ClientReviewer:
    """Asks the person behind a client. Calls can run in any event loop; the client is asked in the server's loop."""

    def __init__(self, elicit: Elicit | None, why_not: Callable[[ReviewRequest], str]) -> None:
        """Create the reviewer, in the event loop of the server.

        Args:
            elicit: Asks the client, or `None` if the client does not support questions.
            why_not: Returns why the client cannot be asked, and how to allow the call.
        """
        self._elicit = elicit
        self._why_not = why_not
        self._loop = asyncio.get_running_loop()

    @property
    def available(self) -> bool:
        """Whether the client can be asked."""
        return self._elicit is not None

    async def review(self, request: ReviewRequest) -> Decision:
        """Ask the person, and return the decision."""
        if self._elicit is None:
            return Reject(self._why_not(request))
        text = text_of(request)
        if len(text) > _LONGEST_QUESTION:
            return Reject(
                f"the question has {len(text)} characters, too many for a person to review; make the call smaller"
            )
        asking = asyncio.run_coroutine_threadsafe(self._ask(self._elicit, text, request), self._loop)
        return await asyncio.wrap_future(asking)

    async def _ask(self, elicit: Elicit, text: str, request: ReviewRequest) -> Decision:
        try:
            answer = await elicit(_elicitation(text, request))
        except ValueError:  # such as pydantic's ValidationError
            return Reject("the client's answer to the question is malformed")
        except MCPError as error:
            return Reject(f"the client could not ask: {error.message}")
        if request.form is not None:
            return _fill(answer)
        return _own_words(answer) if request.answer_is_text else _decision(answer)


def can_be_asked(capabilities: types.ClientCapabilities | None) -> bool:
    """Return whether a client can show a form to a person."""
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def text_of(request: ReviewRequest) -> str:
    """Return the full text of a question, with everything that the decision depends on and no hidden characters."""
    if request.answer_is_text:
        return _show(request.text)
    if request.form is not None:
        return _show(f"{request.asked_by}\n\n{_labelled('asks', request.text)}")
    risk = request.risk
    is_usual = request.text == f"Run {risk.tool}?"
    arguments = json_text(request.arguments, indent=2)  # strings in JSON contain no line breaks
    defaults = {name: value for name, value in request.defaults.items() if name not in request.arguments}
    lines = [
        request.text if is_usual else _labelled("asks", request.text),
        "",
        _labelled("tool", f"{risk.tool} ({risk.source})" if risk.source else risk.tool),
        _labelled("risk", " · ".join(risk.labels) or "not marked"),
        _labelled("asked because", request.asked_by),
        _labelled("where", request.place),
        f"arguments: {arguments}",
        _labelled("defaults", json.dumps(defaults, ensure_ascii=False, indent=2) if defaults else None),
        _labelled("uses", "\n".join(f"{label} = {text}" for label, text in request.uses.items())),
        _labelled("shows", None if request.show is None else _block(request.show)),
        _labelled("effect", request.preview),
    ]
    return _show("\n".join(line for line in lines if line is not None))


def _labelled(label: str, text: str | None) -> str | None:
    """Return a text with its label; a bar marks further lines, so that none can pass for a label of the question."""
    return f"{label}: {text}".replace("\n", "\n| ") if text else None


def _elicitation(text: str, request: ReviewRequest) -> types.ElicitRequest:
    schema: dict[str, Any]
    if request.form is not None:
        schema = {key: value for key, value in request.form.items() if key in _FORM_KEYS}
    elif request.answer_is_text:
        schema = {"type": "object", "properties": {"answer": {"type": "string", "title": "Your answer"}}}
    else:
        decision = {
            "type": "string",
            "title": "Decision",
            "description": f"'{_APPROVE}' runs the call once, exactly as shown; anything else does not run it",
            "enum": [_REJECT, _APPROVE],
        }
        reason = {
            "type": "string",
            "title": "Reason",
            "description": "Why you reject the call; the caller will see this",
        }
        schema = {"type": "object", "properties": {"decision": decision, "reason": reason}, "required": ["decision"]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=text, requested_schema=schema))


def _decision(answer: types.ElicitResult) -> Decision:
    given: Mapping[str, Any] = answer.content or {}
    if answer.action == "accept" and given.get("decision") == _APPROVE:
        return Continue()
    reason = given.get("reason")
    if isinstance(reason, str) and reason.strip():
        return Reject(reason.strip())
    return Reject("" if answer.action != "cancel" else "the question was dismissed")


def _fill(answer: types.ElicitResult) -> Decision:
    """Return the content of the form as an edit; a form that was not filled in is rejected."""
    return Edit(dict(answer.content)) if answer.action == "accept" and answer.content is not None else Reject("")


def _own_words(answer: types.ElicitResult) -> Decision:
    words = (answer.content or {}).get("answer")
    if answer.action == "accept" and isinstance(words, str) and words.strip():
        return Edit(words)
    return Continue() if answer.action == "accept" else Reject("")


def _block(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value, indent=2, default=str)


def _show(text: str) -> str:
    """Return a text with all invisible characters escaped."""
    return _NOT_PLAIN.sub(lambda found: _escape(found.group()), text)


def _escape(character: str) -> str:
    if character.isprintable() and not _INVISIBLE.match(character) and ord(character) < 0xE0100:  # noqa: PLR2004 - tags
        return character
    return json.dumps(character)[1:-1]
