"""Convert the events of a call to MCP progress notifications."""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

from toolkit.events import Event, ItemFinished, PipelineStarted, Progress, StepFinished, StepStarted
from toolkit.redactors.redactor import Redactor
from toolkit.runs.records import Message

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
