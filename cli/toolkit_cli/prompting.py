"""Prompting: reading a person's answer from a real terminal, and nothing but what they type after being asked.

The prompt is drawn on stderr, since stdout is data. What was typed before the question appeared is discarded, and text
piped into stdin is never read: see `console.can_ask`. What decides something is read as a `TypedLine`.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from toolkit.running import run_in_loop
from toolkit_cli import console
from toolkit_cli.line_readers import LineReader
from toolkit_cli.prompt_sessions import run_prompt
from toolkit_cli.typed_lines import TypedLine

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output
    from questionary import Question

Objection = Callable[[str], str | None]
"""Returns why a typed text will not do, or `None` if it will."""


@dataclass(frozen=True, slots=True)
class Prompter:
    """A terminal that can be asked. Asking raises `KeyboardInterrupt` on Ctrl-C and `EOFError` at end of input."""

    _input: "Input"
    _output: "Output"
    _talk: TextIO
    _unsaid: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, talk: TextIO) -> "Prompter":
        """Return the prompter of this process's terminal, which draws on `talk`, the real stderr."""
        from prompt_toolkit.input import create_input  # noqa: PLC0415 - heavy, and only a question needs it
        from prompt_toolkit.output import create_output  # noqa: PLC0415
        from prompt_toolkit.output.vt100 import Vt100_Output  # noqa: PLC0415

        output = create_output(stdout=talk)
        if isinstance(output, Vt100_Output):
            # The terminal's answer to a cursor request would come in among the person's.
            output.enable_cpr = False
        return cls(create_input(sys.stdin), output, talk)

    def say(self, text: str) -> None:
        """Write lines above the next prompt, together with it."""
        self._unsaid.append(f"{console.safe_talk(text, self._talk)}\n")

    async def typed_line(self, mark: str) -> TypedLine:
        """Return the line that a person types after this mark, which appears once nothing else is being typed."""
        self._say_lines()
        return await LineReader(self._input, self._output, mark).read()

    async def settle(self) -> None:
        """Wait until nothing is being typed, and discard what is."""
        self._say_lines()
        await LineReader(self._input, self._output, "").settle()

    async def text(self, message: str, *, default: str = "", qmark: str = ">", multiline: bool = False) -> str:
        """Return the text that a person types after this message, which must be safe to show."""
        return str(await self._ask(self._text(message, default, qmark, multiline=multiline)))

    def text_now(self, message: str, *, default: str = "", objection: Objection | None = None) -> str:
        """Return what a person types, checked while they type; only where no event loop runs."""
        return str(self._ask_now(self._text(message, default, "?", objection=objection)))

    def line_now(self, earlier: Sequence[str]) -> str:
        """Return one line of a conversation; the keys up and down bring earlier ones back, the oldest first."""
        from prompt_toolkit.history import InMemoryHistory  # noqa: PLC0415 - loaded already

        return str(self._ask_now(self._text("", "", ">", history=InMemoryHistory(earlier))))

    def secret_now(self, message: str, *, objection: Objection | None = None) -> str:
        """Return what a person types without showing it; only where no event loop runs."""
        return str(self._ask_now(self._text(message, "", "?", objection=objection, is_password=True)))

    def choice_now(self, message: str, choices: Sequence[tuple[str, Any]], *, default: Any = None) -> Any:
        """Return the value of the choice (label, value) that a person picks; only where no event loop runs."""
        from questionary import Choice, select

        options = [Choice(label, value=value) for label, value in choices]
        chosen = next((option for option in options if option.value == default), None)
        return self._ask_now(select(message, options, default=chosen, **self._streams))

    def confirmation_now(self, message: str, *, default: bool = False) -> bool:
        """Return whether a person agrees; only where no event loop runs."""
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
            complaint = objection(typed) if objection else None
            return complaint or True

        return text(message, default=default, qmark=qmark, validate=validate, **options, **self._streams)

    async def _ask(self, question: "Question") -> Any:
        self._appear()
        return await run_prompt(question.application)

    def _ask_now(self, question: "Question") -> Any:
        self._appear()
        return run_in_loop(run_prompt(question.application))

    def _appear(self) -> None:
        """Write what leads to the prompt, and throw away what was typed before it could be read."""
        from prompt_toolkit.input.typeahead import clear_typeahead  # noqa: PLC0415 - loaded already

        self._say_lines()
        clear_typeahead(self._input)
        _flush_terminal()

    def _say_lines(self) -> None:
        self._talk.write("".join(self._unsaid))
        self._talk.flush()
        self._unsaid.clear()


def _flush_terminal() -> None:
    try:
        import termios  # noqa: PLC0415 - not on every system
    except ImportError:
        _flush_windows()
        return
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _flush_windows() -> None:
    import msvcrt  # noqa: PLC0415 - on that system only

    while msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
        msvcrt.getwch()  # type: ignore[attr-defined, unused-ignore]
