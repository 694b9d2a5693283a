"""The `datetime` tool, for the current time, date arithmetic and time zones."""

from typing import Final

from toolkit.builtin.dates import Clock, UnansweredError, answer, utc_now
from toolkit.builtin.options import Option
from toolkit.tools.results import ToolResult
from toolkit.tools.text import TextTool

OPTIONS: Final[tuple[Option, ...]] = ()


class DateTime(TextTool):
    """Answers a command about dates and times.

    Example:
        >>> DateTime().run({"input": "2024-01-31 + 1 month"}).output
        '2024-02-29'
    """

    name = "datetime"
    description = (
        "Returns the current date and time, adds to and subtracts from dates, and converts between time zones. "
        "Input: one command. 'now' or 'now in Europe/Oslo'; 'today' or 'today in Asia/Tokyo'; "
        "'2024-01-31 + 1 month' (days, weeks, months, years); '2024-01-31T10:00:00Z - 90 minutes' (also hours, "
        "minutes, seconds); 'convert 2024-06-01T12:00:00 from America/New_York to UTC'. Zones are IANA names, which "
        "are case-sensitive, or offsets such as +02:00; without one, UTC. Returns a date (2024-02-29), a date and time "
        "(2024-01-31T08:30:00Z), or a local time with its zone (2024-06-01T16:00:00 UTC)."
    )
    read_only = True
    destructive = False
    idempotent = False
    open_world = False
    source = "builtin"

    def __init__(self, clock: Clock = utc_now) -> None:
        """Create the tool.

        Args:
            clock: Returns the current time, with a time zone.
        """
        self._clock = clock

    def execute(self, text: str) -> ToolResult:
        """Return the answer to the command, or a failure that explains why it has none."""
        try:
            return ToolResult.success(answer(text, self._clock))
        except UnansweredError as error:
            return ToolResult.failure(str(error))
