"""The `datetime` tool, for the current time, date arithmetic and time zones.

It answers commands in time linear in their length:

    now | now in ZONE | today | today in ZONE
    DATE (+ | -) NUMBER UNIT
    DATETIME (+ | -) NUMBER UNIT
    convert DATETIME from ZONE to ZONE
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Final, NamedTuple

from toolkit.builtin.options import Option
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.kinds.class_tools import TextTool

_WIDEST_OFFSET = timedelta(hours=18)
_OFFSET = re.compile(r"([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?", re.ASCII)
_PREFIXES = ("UTC", "GMT", "UT")
_UNFIT = ("posix/", "right/")  # copies of the database; those under `right/` count leap seconds


class UnknownZoneError(ValueError):
    """No time zone has this name, or this machine has no tz database."""


class Zone(NamedTuple):
    """A time zone and the name to print for it."""

    name: str
    rules: tzinfo


UTC_ZONE = Zone("UTC", UTC)


def find_zone(name: str) -> Zone:
    """Return the zone with a name such as `Europe/Oslo`, `UTC`, `Z`, `+02:00` or `GMT+2`.

    Raises:
        UnknownZoneError: If no zone has that name, or this machine has no tz database.
    """
    if name == "Z":
        return Zone(name, UTC)
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
    offset = name.removeprefix(prefix)
    if prefix and not offset:
        return Zone(name, UTC)
    if offset[:1] in {"+", "-"}:
        return _fixed_zone(name, prefix, offset)
    return Zone(name, _rules_of_region(name))


def parse_offset(text: str) -> timedelta:
    """Parse an offset from UTC such as `+2`, `+02:00`, `-0530` or `+01:02:03`.

    Raises:
        ValueError: If the offset is malformed, or larger than eighteen hours.
    """
    match = _OFFSET.fullmatch(text)
    if not match:
        raise ValueError(text)
    sign, hours, minutes, seconds = match.groups(default="0")
    offset = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
    if max(int(minutes), int(seconds)) >= 60 or offset > _WIDEST_OFFSET:  # noqa: PLR2004 - minutes and seconds
        raise ValueError(text)
    return -offset if sign == "-" else offset


def format_offset(offset: timedelta) -> str:
    """Format an offset as `+02:00`, with seconds only if there are any."""
    seconds = round(offset.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    text = f"{'-' if seconds < 0 else '+'}{hours:02}:{rest // 60:02}"
    return f"{text}:{rest % 60:02}" if rest % 60 else text


def _fixed_zone(name: str, prefix: str, text: str) -> Zone:
    try:
        offset = parse_offset(text)
    except ValueError as error:
        raise _unknown(name) from error
    if not offset:
        return Zone(prefix or "Z", UTC)
    return Zone(prefix + format_offset(offset), timezone(offset))


def _rules_of_region(name: str) -> tzinfo:
    import zoneinfo  # most commands name no region

    try:
        if name.startswith(_UNFIT):
            raise _unknown(name)
        return zoneinfo.ZoneInfo(name)
    # The database is a folder of files, so an unknown name can fail in any way that opening a file can.
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        if not zoneinfo.available_timezones():
            raise UnknownZoneError(
                f"Unknown timezone: '{name}'. This machine has no time zone data: install the package 'tzdata'"
            ) from error
        raise _unknown(name) from error


def _unknown(name: str) -> UnknownZoneError:
    return UnknownZoneError(f"Unknown timezone: '{name}'")


Clock = Callable[[], datetime]

_SUPPORTED = (
    "Unrecognized command. Supported: now | now in ZONE | today | today in ZONE | DATE + N UNIT | DATE - N UNIT"
    " | DATETIME + N UNIT | DATETIME - N UNIT | convert DATETIME from ZONE to ZONE"
)
_MAX_LENGTH = 1_000
_LARGEST_NUMBER = 2**31 - 1
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_DATE_TIME = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})T(?P<time>\d{2}:\d{2}(:\d{2})?)(?P<fraction>\.\d{1,9})?(?P<offset>Z|[+-]\d{2}:\d{2})?",
    re.ASCII,
)
_STARTS = re.compile(r"[a-z]+", re.ASCII | re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_MONTHS = {"month": 1, "year": 12}
_DATE_UNITS = ("day", "week", "month", "year")


class UnansweredError(ValueError):
    """A command is malformed or has no answer; the message says why."""


class _Moment(NamedTuple):
    """A date and time whose fraction of a second and offset are kept as they were written."""

    local: datetime
    fraction: str
    offset: str


def utc_now() -> datetime:
    """Return the current time in UTC, by this machine's clock."""
    return datetime.now(UTC)


def answer(command: str, clock: Clock = utc_now) -> str:
    """Return the answer to a command.

    Args:
        command: One command of the language above.
        clock: Returns the current time, with a time zone.

    Raises:
        UnansweredError: If the command is blank or malformed, names an unknown time zone, or has a result outside the
            years 1 to 9999.
    """
    text = command.strip()
    if not text:
        raise UnansweredError("Command must not be blank")
    if len(text) > _MAX_LENGTH:
        raise UnansweredError(f"Command too long: {len(text)} characters, at most {_MAX_LENGTH}")
    try:
        return _dispatch(text, clock)
    except UnknownZoneError as error:
        raise UnansweredError(str(error)) from error
    except OverflowError as error:
        raise UnansweredError("Date/time error: the result lies outside the years 1 to 9999") from error


def _dispatch(text: str, clock: Clock) -> str:
    words = text.split()
    match [word.lower() for word in words]:
        case ["now"]:
            return _now(UTC_ZONE, clock)
        case ["now", "in", _]:
            return _now(find_zone(words[2]), clock)
        case ["today"]:
            return _today(UTC_ZONE, clock)
        case ["today", "in", _]:
            return _today(find_zone(words[2]), clock)
        case ["convert", _, "from", _, "to", _]:
            return _convert(words[1], find_zone(words[3]), find_zone(words[5]))
    return _shift(text)


def _now(zone: Zone, clock: Clock) -> str:
    return f"{_iso(clock().astimezone(zone.rules))} {zone.name}"


def _today(zone: Zone, clock: Clock) -> str:
    return clock().astimezone(zone.rules).date().isoformat()


def _convert(written: str, source: Zone, target: Zone) -> str:
    """Convert a local time; a skipped time moves forward, and of a repeated time the earlier one counts."""
    moment = _parse_moment(written)
    if moment.offset not in {"", "Z"}:
        raise _bad_moment(written)
    aware = moment.local.replace(tzinfo=source.rules)
    if moment.offset and aware.utcoffset():
        raise UnansweredError(
            f"Contradictory time: '{written}' is in UTC, but is to be read in {source.name}."
            f" Drop the Z, or convert from UTC"
        )
    return f"{_iso(aware.astimezone(UTC).astimezone(target.rules))}{moment.fraction} {target.name}"


def _shift(text: str) -> str:
    """Answer `START (+|-) NUMBER UNIT`, parsed from its end since only the start can contain other signs."""
    front, unit = _split_last_word(text)
    start = front.rstrip("0123456789")
    number = front[len(start) :]
    start = start.rstrip()
    sign = start[-1:]
    if not number or sign not in {"+", "-"}:
        raise UnansweredError(_SUPPORTED)
    start = start[:-1].rstrip()
    if not _STARTS.match(unit):
        raise UnansweredError(_SUPPORTED)
    shift = _shift_moment if "T" in start or "Z" in start else _shift_date
    return shift(start, unit, int(sign + _bounded(number)))


def _split_last_word(text: str) -> tuple[str, str]:
    parts = text.rsplit(None, 1)
    if len(parts) == 1:
        raise UnansweredError(_SUPPORTED)
    return parts[0], parts[1]


def _bounded(number: str) -> str:
    digits = number.lstrip("0") or "0"
    if len(digits) > len(str(_LARGEST_NUMBER)) or int(digits) > _LARGEST_NUMBER:
        raise UnansweredError(f"Date/time error: the number is too large (at most {_LARGEST_NUMBER})")
    return digits


def _shift_date(written: str, unit: str, number: int) -> str:
    start = _parse_date(written)
    name = _singular(unit)
    if name not in _DATE_UNITS:
        raise UnansweredError(f"Unsupported date unit: '{unit}'. Use days, weeks, months, or years")
    if name in _MONTHS:
        return _add_months(start, number * _MONTHS[name]).isoformat()
    return (start + timedelta(seconds=number * _SECONDS[name])).isoformat()


def _shift_moment(written: str, unit: str, number: int) -> str:
    moment = _parse_moment(written)
    name = _singular(unit)
    if name in _MONTHS:
        day = _add_months(moment.local.date(), number * _MONTHS[name])
        shifted = datetime.combine(day, moment.local.time())
    elif name in _SECONDS:
        shifted = moment.local + timedelta(seconds=number * _SECONDS[name])
    else:
        raise UnansweredError(
            f"Unsupported datetime unit: '{unit}'. Use days, weeks, months, years, hours, minutes, or seconds"
        )
    return f"{_iso(shifted)}{moment.fraction}{moment.offset or 'Z'}"


def _add_months(start: date, months: int) -> date:
    """Return the same day of another month, or that month's last day if it has no such day."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if not 1 <= year <= 9999:  # noqa: PLR2004 - the range of years of a date
        raise OverflowError
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))


def _singular(unit: str) -> str:
    return unit.lower().removesuffix("s")


def _parse_date(written: str) -> date:
    match = _DATE.fullmatch(written)
    try:
        if match:
            return date(*map(int, match.groups()))
    except ValueError:  # the pattern fits, the calendar does not
        pass
    raise UnansweredError(f"Invalid date format: '{written}'. Expected yyyy-MM-dd")


def _parse_moment(written: str) -> _Moment:
    match = _DATE_TIME.fullmatch(written)
    if not match:
        raise _bad_moment(written)
    try:
        local = datetime.fromisoformat(f"{match['date']}T{match['time']}")
        offset = match["offset"] or ""
        return _Moment(local, match["fraction"] or "", _checked_offset(offset))
    except ValueError as error:
        raise _bad_moment(written) from error


def _checked_offset(written: str) -> str:
    if written in {"", "Z"}:
        return written
    return format_offset(parse_offset(written))


def _bad_moment(written: str) -> UnansweredError:
    return UnansweredError(f"Invalid datetime format: '{written}'. Expected yyyy-MM-ddTHH:mm:ss[Z]")


def _iso(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="seconds")


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
