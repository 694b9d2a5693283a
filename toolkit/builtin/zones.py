"""Finds time zones by their names in the tz database, or by offsets such as `+02:00`."""

import re
from datetime import UTC, timedelta, timezone, tzinfo
from typing import NamedTuple

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
    import zoneinfo  # noqa: PLC0415 - most commands name no region

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
