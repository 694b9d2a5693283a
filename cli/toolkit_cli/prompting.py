"""Reads answers from a terminal, and only what is typed after the question.

The prompt is drawn on stderr, since stdout is data. Input typed before the question is discarded, and piped stdin is
never read (see `console.can_ask`). Answers that decide something are read as a `TypedLine`.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from toolkit.running import run_in_loop
from toolkit_cli import console
from toolkit_cli.typed_lines import LineReader, TypedLine, run_prompt

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output
    from questionary import Question

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
        from prompt_toolkit.input import create_input  # heavy, and only a question needs it
        from prompt_toolkit.output import create_output
        from prompt_toolkit.output.vt100 import Vt100_Output

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
        from prompt_toolkit.history import InMemoryHistory

        return str(self._ask_now(self._text("", "", ">", history=InMemoryHistory(earlier))))

    def secret_now(self, message: str, *, objection: Objection | None = None) -> str:
        """Read a text without echoing it; not inside a running event loop."""
        return str(self._ask_now(self._text(message, "", "?", objection=objection, is_password=True)))

    def choice_now(self, message: str, choices: Sequence[tuple[str, Any]], *, default: Any = None) -> Any:
        """Let the user pick a choice (label, value), and return its value; not inside a running event loop."""
        from questionary import Choice, select

        options = [Choice(label, value=value) for label, value in choices]
        chosen = next((option for option in options if option.value == default), None)
        return self._ask_now(select(message, options, default=chosen, **self._streams))

    def confirmation_now(self, message: str, *, default: bool = False) -> bool:
        """Ask a yes-or-no question; not inside a running event loop."""
        from questionary import confirm

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
    ) -> "Question":
        from questionary import text

        def validate(typed: str) -> bool | str:
            fault = objection(typed) if objection else None
            return fault or True

        return text(message, default=default, qmark=qmark, validate=validate, **options, **self._streams)

    async def _ask(self, question: "Question") -> Any:
        self._prepare_terminal()
        return await run_prompt(question.application)

    def _ask_now(self, question: "Question") -> Any:
        self._prepare_terminal()
        return run_in_loop(run_prompt(question.application))

    def _prepare_terminal(self) -> None:
        """Write the lines above the prompt, and discard input that was typed before it."""
        from prompt_toolkit.input.typeahead import clear_typeahead

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
