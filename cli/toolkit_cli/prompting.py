"""Reads answers from a terminal, and only what is typed after the question.

The prompt is drawn on stderr, since stdout is data. Input typed before the question is discarded, and piped stdin is
never read (see `console.can_ask`). Answers that decide something are read as a `TypedLine`, which knows the keys that
belong to an answer, and how it is read and echoed.

This module imports the libraries of dialogue, so it is imported when the first question is asked.
"""

import asyncio
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

from prompt_toolkit import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_input
from prompt_toolkit.input.typeahead import clear_typeahead, get_typeahead
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from questionary import Choice, Question, confirm, select, text as text_question

from toolkit.running import run_in_loop
from toolkit_cli import console

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPress
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent
    from prompt_toolkit.output import Output


QUIET_SECONDS = 0.5

ENTER = "\r"
ERASE = "\x7f"
CLEAR = "\x15"

Flaw = Literal["begun before", "pasted", "followed"]
"""Why a line is not accepted as an answer: it started too early, was pasted, or was followed by more input."""


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A line that is being typed; each key and each pause returns a new value.

    Attributes:
        since: Time of the last key, or when the question appeared, in seconds.
        text: The text that was typed since the line is open.
        is_open: Whether the terminal was quiet long enough, so that keys count.
        is_ended: Whether Enter was pressed.
        has_discarded: Whether keys were discarded because they arrived too early.
        begun_before: Whether the discarded keys started a line without ending it.
        pasted: Whether part of the text was pasted.
        followed: Whether more input arrived together with Enter, as when several lines are pasted.
    """

    since: float
    text: str = ""
    is_open: bool = False
    is_ended: bool = False
    has_discarded: bool = False
    begun_before: bool = False
    pasted: bool = False
    followed: bool = False

    def seconds_left(self, now: float) -> float:
        """Return how much longer the terminal must be quiet before keys count, in seconds."""
        return max(self.since + QUIET_SECONDS - now, 0.0)

    def after_pause(self, now: float) -> "TypedLine":
        """Return the line at a time when no keys are waiting to be read; it opens only at such a time."""
        return self if self.seconds_left(now) else replace(self, is_open=True)

    def after_key(self, key: str, now: float) -> "TypedLine":
        """Return the line after a key: a character, `ENTER`, `ERASE` or `CLEAR`; other keys are ignored."""
        if self.is_ended:
            return replace(self, followed=True)
        if not self.is_open:
            return self._discarding(now, begins=key != ENTER and (self.begun_before or _is_letter(key)))
        if key == ENTER:
            return replace(self, is_ended=True)
        if key == ERASE:
            return replace(self, text=self.text[:-1])
        if key == CLEAR:
            return replace(self, text="")
        return replace(self, text=self.text + key) if _is_letter(key) else self

    def after_paste(self, text: str, now: float) -> "TypedLine":
        """Return the line after text was pasted."""
        if self.is_ended:
            return replace(self, followed=True)
        if not self.is_open:
            return self._discarding(now, begins=not text.endswith(("\r", "\n")))
        return replace(self, text=self.text + "".join(filter(str.isprintable, text)), pasted=True)

    def _discarding(self, now: float, *, begins: bool) -> "TypedLine":
        return replace(self, since=now, has_discarded=True, begun_before=begins)

    @property
    def flaw(self) -> Flaw | None:
        """Why the line is not accepted, whatever its text; `None` if it is."""
        if self.begun_before:
            return "begun before"
        if self.pasted:
            return "pasted"
        return "followed" if self.followed else None

    def decides_for(self, letter: str) -> bool:
        """Return whether the line is exactly this letter and was typed after the line was open."""
        return self.is_open and self.is_ended and self.flaw is None and self.text == letter


def _is_letter(key: str) -> bool:
    return len(key) == 1 and key.isprintable()


T = TypeVar("T")


async def run_prompt(application: Application[T], begin: Callable[[], None] = lambda: None) -> T:
    """Run a prompt, and return its result; signals end the run as usual.

    Args:
        application: The prompt.
        begin: Called when the prompt is ready.
    """
    with _announcements() as keep:

        def prepare() -> None:
            # The prompt installs its resize handler before the next round of the loop; it also polls the size.
            asyncio.get_running_loop().call_soon(keep)
            begin()

        # Without `set_exception_handler=False`, an exception in another task would show its traceback on the terminal.
        return await application.run_async(pre_run=prepare, set_exception_handler=False, handle_sigint=False)


@contextmanager
def _announcements() -> Iterator[Callable[[], None]]:
    """Restore the signal wakeup descriptor at the end; yield a function that restores it earlier."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    descriptor = signal.set_wakeup_fd(-1)

    def restore() -> None:
        signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)

    restore()
    try:
        yield restore
    finally:
        restore()


_WAITING = "waiting until you stop typing"  # no spaces where the prompt has them, so that it is redrawn completely
_CHANGES = {"c-m": ENTER, "c-j": ENTER, "c-h": ERASE, "c-u": CLEAR}


class LineReader:
    """Reads one line; raises `KeyboardInterrupt` on Ctrl-C and `EOFError` at the end of input."""

    def __init__(self, keys: "Input", output: "Output", mark: str) -> None:
        """Create a reader.

        Args:
            keys: The terminal's input.
            output: The terminal's output.
            mark: The prompt.
        """
        self._input = keys
        self._output = output
        self._mark = mark
        self._line = TypedLine(time.monotonic())
        self._application = self._made_application()

    async def read(self) -> TypedLine:
        """Read a line up to Enter."""
        return await self._run(self._open_when_quiet)

    async def settle(self) -> TypedLine:
        """Wait until the line is open, and return it."""

        async def end_when_open() -> None:
            await self._open_when_quiet()
            self._application.exit()

        return await self._run(end_when_open)

    async def _run(self, meanwhile: Callable[[], Coroutine[Any, Any, None]]) -> TypedLine:
        def begin() -> None:
            self._application.create_background_task(meanwhile())

        await run_prompt(self._application, begin)
        self._take_presses(get_typeahead(self._input))
        return self._line

    async def _open_when_quiet(self) -> None:
        """Open the line after a pause; unread keys count as typed before the end of the pause."""
        while not self._line.is_open:
            await asyncio.sleep(self._line.seconds_left(time.monotonic()))
            self._take_presses(self._input.read_keys())
            self._line = self._line.after_pause(time.monotonic())
        self._application.invalidate()

    def _take_presses(self, presses: "Iterable[KeyPress]") -> None:
        for press in presses:
            self._take(str(getattr(press.key, "value", press.key)), press.data)

    def _take(self, key: str, data: str) -> None:
        """Process one key, by its name in prompt_toolkit."""
        now = time.monotonic()
        if key == "c-c":
            self._end(KeyboardInterrupt())
        elif key == "c-d" and self._line.is_open and not self._line.text:
            self._end(EOFError())
        elif key == "<bracketed-paste>":
            self._line = self._line.after_paste(data, now)
        else:
            self._line = self._line.after_key(_CHANGES.get(key, key), now)

    def _end(self, error: BaseException | None = None) -> None:
        if self._application.is_done:
            return
        if error is None:
            self._application.exit()
        else:
            self._application.exit(exception=error)

    def _made_application(self) -> Application[None]:
        bindings = KeyBindings()

        @bindings.add("<any>")
        def take(event: "KeyPressEvent") -> None:
            self._take_presses(event.key_sequence)
            if self._line.is_ended:
                self._end()

        text = FormattedTextControl(self._shown, get_cursor_position=lambda: Point(max(len(self._shown()) - 1, 0), 0))
        window = Window(text, wrap_lines=True, dont_extend_height=True)
        return Application(Layout(window), key_bindings=bindings, input=self._input, output=self._output)

    def _shown(self) -> str:
        """Return the text to draw; the cursor is on its last character."""
        if self._line.is_open:
            return f"{self._mark} {self._line.text} "
        return f"{_WAITING} " if self._line.has_discarded else ""


Objection = Callable[[str], str | None]
"""Returns why a text is invalid, or `None` if it is valid."""


@dataclass(frozen=True, slots=True)
class Prompter:
    """Asks questions on a terminal. Raises `KeyboardInterrupt` on Ctrl-C and `EOFError` at the end of input."""

    _input: "Input"
    _output: "Output"
    _talk: TextIO
    _pending_lines: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, talk: TextIO) -> "Prompter":
        """Return a prompter for the terminal of this process, which draws on `talk`, the real stderr."""
        output = create_output(stdout=talk)
        if isinstance(output, Vt100_Output):
            # The terminal's reply to a cursor request would mix with the user's input.
            output.enable_cpr = False
        return cls(create_input(sys.stdin), output, talk)

    def say(self, text: str) -> None:
        """Write lines when the next prompt appears, above it."""
        self._pending_lines.append(f"{console.safe_message(text, self._talk)}\n")

    async def typed_line(self, mark: str) -> TypedLine:
        """Read a line after a prompt, which appears once nothing else is being typed."""
        self._write_pending_lines()
        return await LineReader(self._input, self._output, mark).read()

    async def settle(self) -> None:
        """Wait until nothing is being typed, and discard the input until then."""
        self._write_pending_lines()
        await LineReader(self._input, self._output, "").settle()

    async def text(self, message: str, *, default: str = "", qmark: str = ">", multiline: bool = False) -> str:
        """Read a text; the message must be safe to show on a terminal."""
        return str(await self._ask(self._text(message, default, qmark, multiline=multiline)))

    def text_now(self, message: str, *, default: str = "", objection: Objection | None = None) -> str:
        """Read a text, validated while it is typed; not inside a running event loop."""
        return str(self._ask_now(self._text(message, default, "?", objection=objection)))

    def line_now(self, earlier: Sequence[str]) -> str:
        """Read a line of a chat; the up and down keys recall earlier lines, which are passed oldest first."""
        return str(self._ask_now(self._text("", "", ">", history=InMemoryHistory(earlier))))

    def secret_now(self, message: str, *, objection: Objection | None = None) -> str:
        """Read a text without echoing it; not inside a running event loop."""
        return str(self._ask_now(self._text(message, "", "?", objection=objection, is_password=True)))

    def choice_now(self, message: str, choices: Sequence[tuple[str, Any]], *, default: Any = None) -> Any:
        """Let the user pick a choice (label, value), and return its value; not inside a running event loop."""
        options = [Choice(label, value=value) for label, value in choices]
        chosen = next((option for option in options if option.value == default), None)
        return self._ask_now(select(message, options, default=chosen, **self._streams))

    def confirmation_now(self, message: str, *, default: bool = False) -> bool:
        """Ask a yes-or-no question; not inside a running event loop."""
        return bool(self._ask_now(confirm(message, default=default, **self._streams)))

    @property
    def _streams(self) -> dict[str, Any]:
        return {"input": self._input, "output": self._output}

    def _text(
        self,
        message: str,
        default: str,
        qmark: str,
        *,
        objection: Objection | None = None,
        **options: Any,
    ) -> Question:
        def validate(typed: str) -> bool | str:
            fault = objection(typed) if objection else None
            return fault or True

        return text_question(message, default=default, qmark=qmark, validate=validate, **options, **self._streams)

    async def _ask(self, question: Question) -> Any:
        self._prepare_terminal()
        return await run_prompt(question.application)

    def _ask_now(self, question: Question) -> Any:
        self._prepare_terminal()
        return run_in_loop(run_prompt(question.application))

    def _prepare_terminal(self) -> None:
        """Write the lines above the prompt, and discard input that was typed before it."""
        self._write_pending_lines()
        clear_typeahead(self._input)
        _flush_terminal()

    def _write_pending_lines(self) -> None:
        self._talk.write("".join(self._pending_lines))
        self._talk.flush()
        self._pending_lines.clear()


def _flush_terminal() -> None:
    try:
        import termios  # not on every system
    except ImportError:
        _flush_windows()
        return
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _flush_windows() -> None:
    import msvcrt  # only on Windows

    while msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
        msvcrt.getwch()  # type: ignore[attr-defined, unused-ignore]
