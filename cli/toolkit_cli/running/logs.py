"""Shows the library's log messages on the screen with `-v`."""

import logging

from toolkit_cli import console
from toolkit_cli.screen import Screen

_TRACE = 5
"""The level of the specifications that models are sent."""
_FINEST = 2
"""The verbosity above which they are shown."""


def show_logs(screen: Screen, verbosity: int, *, debug: bool) -> None:
    """Show log messages of the library: from INFO with verbosity 1, DEBUG with 2 or `debug`, TRACE with 3."""
    if not (verbosity or debug):
        return
    logger = logging.getLogger("toolkit")
    logging.addLevelName(_TRACE, "TRACE")
    logger.setLevel(_TRACE if verbosity > _FINEST else logging.DEBUG if debug or verbosity > 1 else logging.INFO)
    for handler in [handler for handler in logger.handlers if isinstance(handler, _ScreenHandler)]:
        logger.removeHandler(handler)
    logger.addHandler(_ScreenHandler(screen))


class _ScreenHandler(logging.Handler):
    """Writes log records to the screen, escaped for a terminal."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._screen.say("\n".join(_lines(record)))
        except Exception:  # noqa: BLE001 - like the handlers of the standard library
            self.handleError(record)


def _lines(record: logging.LogRecord) -> list[str]:
    """Return the lines of a record without secrets: the message on one line, and the traceback below it."""
    from toolkit_cli.rendering.escaping import lines_of, one_line  # noqa: PLC0415 - few runs show logs

    redactor = console.redactor()
    message, details = record.getMessage(), ""
    if record.exc_info:
        details = logging.Formatter().formatException(record.exc_info)
    elif getattr(record, "has_traceback", False):
        message, _, details = message.partition("\n")
    below = [f"  {line}" for line in lines_of(redactor.text(details.rstrip()))] if details else []
    return [f"{record.levelname.lower()} {record.name}: {one_line(redactor.text(message))}", *below]
