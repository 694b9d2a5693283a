"""Reads a `TypedLine` from a terminal, key by key, and echoes it.

The prompt appears once the line is open. Ctrl-C works at any time, since it approves nothing.
"""

import time
from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any

from toolkit_cli.prompt_sessions import run_prompt
from toolkit_cli.typed_lines import CLEAR, ENTER, ERASE, TypedLine

if TYPE_CHECKING:
    from prompt_toolkit import Application
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPress
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent
    from prompt_toolkit.output import Output

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
        from prompt_toolkit.input.typeahead import get_typeahead  # noqa: PLC0415 - loaded already

        def begin() -> None:
            self._application.create_background_task(meanwhile())

        await run_prompt(self._application, begin)
        self._take_presses(get_typeahead(self._input))
        return self._line

    async def _open_when_quiet(self) -> None:
        """Open the line after a pause; unread keys count as typed before the end of the pause."""
        import asyncio

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

    def _made_application(self) -> "Application[None]":
        from prompt_toolkit import Application  # noqa: PLC0415 - heavy, and only a question needs it
        from prompt_toolkit.data_structures import Point  # noqa: PLC0415
        from prompt_toolkit.key_binding import KeyBindings  # noqa: PLC0415
        from prompt_toolkit.layout import FormattedTextControl, Layout, Window  # noqa: PLC0415

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
