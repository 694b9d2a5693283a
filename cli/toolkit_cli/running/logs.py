"""Log lines of the library, shown on the screen with `-v`."""

import logging

from toolkit_cli import console
from toolkit_cli.screen import Screen


def show_logs(screen: Screen, verbosity: int, *, debug: bool) -> None:
    """Write what the library logs to the screen: with 1 from INFO on, with 2 or to debug everything, with 0 nothing."""
    if not (verbosity or debug):
        return
    logger = logging.getLogger("toolkit")
    logger.setLevel(logging.DEBUG if debug or verbosity > 1 else logging.INFO)
    for handler in [handler for handler in logger.handlers if isinstance(handler, _ScreenHandler)]:
        logger.removeHandler(handler)
    logger.addHandler(_ScreenHandler(screen))


class _ScreenHandler(logging.Handler):
    """Writes records in turn with everything else, with nothing in them that a terminal would obey."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        from toolkit_cli.rendering.escaping import one_line  # noqa: PLC0415 - few runs show logs

        try:
            self._screen.say(
                f"{record.levelname.lower()} {record.name}: {one_line(console.redactor().text(record.getMessage()))}"
            )
        except Exception:  # noqa: BLE001 - as every handler of the standard library does
            self.handleError(record)
