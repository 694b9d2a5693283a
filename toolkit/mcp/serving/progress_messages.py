"""Progress messages: what happens in a call, as the progress that its client is sent."""

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
"""Sends how far a call is: the value, out of how many, and a message."""

_MOST_WAITING = 100
_SMALL_STEP = 0.001


class ProgressSender:
    """Turns events into progress; it receives them in any thread and sends in the loop that it was made in.

    The values grow with each message, as the protocol wants it: where nothing has advanced by ever less, and never
    beyond the total. Messages for which the client is too slow are left out, the oldest first.
    """

    def __init__(self, send: Send, redactor: Redactor) -> None:
        """Begin.

        Args:
            send: Sends to the client.
            redactor: Keeps secrets out of what is sent.
        """
        self.send = send
        self._redactor = redactor
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[float, float | None, str | None]] = deque(maxlen=_MOST_WAITING)
        self._more = asyncio.Event()
        self._turn = asyncio.Lock()
        self._value: float | None = None
        self._counted: Literal["steps", "own", "nothing"] | None = None
        self._steps = 0
        self._sender = self._loop.create_task(self._send_all())

    def listen(self, event: Event) -> None:
        with suppress(RuntimeError):  # the loop is gone: nobody receives it
            self._loop.call_soon_threadsafe(self._take, event)

    def hear(self, message: Message) -> None:
        """Take in a tool's message to the user."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell, message.text)

    async def close(self) -> None:
        """Send the remaining messages, and stop."""
        while self._waiting:
            await self._send_next()
        async with self._turn:  # what is being sent arrives
            self._sender.cancel()

    def stop(self) -> None:
        """Say no more."""
        self._sender.cancel()

    def _take(self, event: Event) -> None:
        """Report an event; the first one decides what is counted: steps, or messages of the tool."""
        match event:
            case PipelineStarted(steps=steps, pipeline=name) if self._counted is None:
                self._counted, self._steps = "steps", steps
                self._tell(f"{name}: {steps} steps")
            case StepStarted(path=path, position=position, of=of):
                self._counted = self._counted or "nothing"
                self._tell(f"step {position}/{of} · {path}")
            case StepFinished(path=path, position=position, of=of, status=status):
                self._tell(
                    f"step {position}/{of} · {path}: {status}", position if self._is_outermost(path, of) else None
                )
            case ItemFinished(path=path, done=done, of=of):
                self._tell(f"{path}: {done} of {of}")
            case Progress(message=message, done=done, of=of):
                self._counted = self._counted or "own"
                is_own = self._counted == "own"
                self._tell(message, done if is_own else None, of if is_own else None)

    def _is_outermost(self, path: str, of: int) -> bool:
        """Return whether a step is one of the served pipeline's own."""
        return self._counted == "steps" and "/" not in path and of == self._steps

    def _tell(self, message: str | None, value: float | None = None, of: float | None = None) -> None:
        total = float(self._steps) if self._counted == "steps" else _finite(of)
        grown = self._grown(_finite(value), total)
        if self._value is not None and grown <= self._value:
            return
        self._value = grown
        self._waiting.append((grown, total, self._redactor.data(message)))
        self._more.set()

    def _grown(self, value: float | None, total: float | None) -> float:
        """Return the next value: the reported one if it is larger than the last, or a little more than that."""
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
        async with self._turn:
            if self._waiting:
                await self.send(*self._waiting.popleft())


def _finite(number: float | None) -> float | None:
    return float(number) if number is not None and math.isfinite(number) else None
