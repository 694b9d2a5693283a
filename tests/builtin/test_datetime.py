"""The tool `datetime` answers every command of its language, and everything else with an error."""

import re
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.builtin import DateTime

ROOT = Path(__file__).resolve().parents[2]
LEAP_DAY_EVENING = datetime(2024, 2, 29, 23, 30, 15, 999_999, tzinfo=UTC)
SUPPORTED = (
    "Unrecognized command. Supported: now | now in ZONE | today | today in ZONE | DATE + N UNIT | DATE - N UNIT"
    " | DATETIME + N UNIT | DATETIME - N UNIT | convert DATETIME from ZONE to ZONE"
)
DATE_UNITS = "Use days, weeks, months, or years"
TIME_UNITS = "Use days, weeks, months, years, hours, minutes, or seconds"
RANGE = "Date/time error: the result lies outside the years 1 to 9999"


def answered(command):
    """Return what a model is sent, half an hour before the end of a leap day in UTC."""
    return DateTime(clock=lambda: LEAP_DAY_EVENING).run({"input": command}).text


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("now", "2024-02-29T23:30:15 UTC"),
        ("  NOW  ", "2024-02-29T23:30:15 UTC"),
        ("now in Europe/Oslo", "2024-03-01T00:30:15 Europe/Oslo"),
        ("Now  In America/New_York", "2024-02-29T18:30:15 America/New_York"),
        ("now in Z", "2024-02-29T23:30:15 Z"),
        ("now in UTC", "2024-02-29T23:30:15 UTC"),
        ("now in +02:00", "2024-03-01T01:30:15 +02:00"),
        ("now in -5", "2024-02-29T18:30:15 -05:00"),
        ("now in +0530", "2024-03-01T05:00:15 +05:30"),
        ("now in GMT+2", "2024-03-01T01:30:15 GMT+02:00"),
        ("now in UTC-03:30", "2024-02-29T20:00:15 UTC-03:30"),
        ("now in +00:00", "2024-02-29T23:30:15 Z"),
        ("now in GMT-0", "2024-02-29T23:30:15 GMT"),
        ("now in +01:02:03", "2024-03-01T00:32:18 +01:02:03"),
        ("today", "2024-02-29"),
        ("today in Asia/Tokyo", "2024-03-01"),
        ("2024-01-31 + 1 month", "2024-02-29"),
        ("2023-01-31 + 1 month", "2023-02-28"),
        ("2024-03-31 - 1 MONTHS", "2024-02-29"),
        ("2024-02-29 + 1 year", "2025-02-28"),
        ("2024-02-29 - 4 years", "2020-02-29"),
        ("2024-12-15 + 1 month", "2025-01-15"),
        ("2024-01-15 - 1 month", "2023-12-15"),
        ("2024-02-28 + 2 Days", "2024-03-01"),
        ("2024-01-01+1 week", "2024-01-08"),
        ("2024-01-01 -1 day", "2023-12-31"),
        ("2024-01-01 + 0 days", "2024-01-01"),
        ("2024-01-01 + 0000000000000001 day", "2024-01-02"),
        ("2024-01-01T10:00:00 + 1 hour", "2024-01-01T11:00:00Z"),
        ("2024-01-01T10:00 + 1 hour", "2024-01-01T11:00:00Z"),
        ("2024-01-01T10:00:00Z - 90 minutes", "2024-01-01T08:30:00Z"),
        ("2024-01-01T10:00:00+02:00 + 1 hour", "2024-01-01T11:00:00+02:00"),
        ("2024-01-01T10:00:00-05:30-1 second", "2024-01-01T09:59:59-05:30"),
        ("2024-12-31T23:59:59Z + 1 second", "2025-01-01T00:00:00Z"),
        ("2024-01-31T10:00:00Z + 1 month", "2024-02-29T10:00:00Z"),
        ("2024-02-29T10:00:00Z + 1 year", "2025-02-28T10:00:00Z"),
        ("2024-01-01T10:00:00.123456789Z + 1 second", "2024-01-01T10:00:01.123456789Z"),
        ("convert 2024-06-01T12:00:00 from America/New_York to UTC", "2024-06-01T16:00:00 UTC"),
        ("CONVERT 2024-01-01T12:00:00 FROM Europe/Oslo TO Asia/Kolkata", "2024-01-01T16:30:00 Asia/Kolkata"),
        ("convert 2024-06-01T12:00 from +02:00 to GMT-3", "2024-06-01T07:00:00 GMT-03:00"),
        ("convert 2024-06-01T12:00:00Z from UTC to Europe/Oslo", "2024-06-01T14:00:00 Europe/Oslo"),
        # An hour that is skipped moves forward, one that comes twice is the earlier.
        ("convert 2024-03-10T02:30:00 from America/New_York to UTC", "2024-03-10T07:30:00 UTC"),
        (
            "convert 2024-03-10T02:30:00 from America/New_York to America/New_York",
            "2024-03-10T03:30:00 America/New_York",
        ),
        ("convert 2024-11-03T01:30:00 from America/New_York to UTC", "2024-11-03T05:30:00 UTC"),
    ],
)
def test_answers(command, answer):
    assert answered(command) == answer


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "Command must not be blank"),
        (" \t\n", "Command must not be blank"),
        ("tomorrow", SUPPORTED),
        ("now in", SUPPORTED),
        ("now in Europe/Oslo please", SUPPORTED),
        ("2024-01-01", SUPPORTED),
        ("2024-01-01 + days", SUPPORTED),
        ("2024-01-01 + five days", SUPPORTED),
        ("2024-01-01 + ٣ days", SUPPORTED),
        ("2024-01-01 + 5days", SUPPORTED),
        ("2024-03-15 +5days", SUPPORTED),
        ("2024-03-15T10:00:00 -5hours", SUPPORTED),
        ("2024-01-01 + 1.5 days", SUPPORTED),
        ("now + 1 day", "Invalid date format: 'now'. Expected yyyy-MM-dd"),
        ("now in Nowhere", "Unknown timezone: 'Nowhere'"),
        ("now in europe/oslo", "Unknown timezone: 'europe/oslo'"),
        ("now in ../../etc/passwd", "Unknown timezone: '../../etc/passwd'"),
        ("now in /etc/passwd", "Unknown timezone: '/etc/passwd'"),
        ("now in America", "Unknown timezone: 'America'"),
        ("now in tzdata.zi", "Unknown timezone: 'tzdata.zi'"),
        ("now in right/Europe/Oslo", "Unknown timezone: 'right/Europe/Oslo'"),
        ("now in a\0b", "Unknown timezone: 'a\0b'"),
        ("now in " + "x" * 300, f"Unknown timezone: '{'x' * 300}'"),
        ("now in +19:00", "Unknown timezone: '+19:00'"),
        ("now in +18:00:01", "Unknown timezone: '+18:00:01'"),
        ("now in +02:60", "Unknown timezone: '+02:60'"),
        ("now in GMT+", "Unknown timezone: 'GMT+'"),
        ("today in Mars", "Unknown timezone: 'Mars'"),
        ("2024-13-01 + 1 day", "Invalid date format: '2024-13-01'. Expected yyyy-MM-dd"),
        ("2023-02-29 + 1 day", "Invalid date format: '2023-02-29'. Expected yyyy-MM-dd"),
        ("24-1-1 + 1 day", "Invalid date format: '24-1-1'. Expected yyyy-MM-dd"),
        ("0000-01-01 + 1 day", "Invalid date format: '0000-01-01'. Expected yyyy-MM-dd"),
        ("2024-01-01T10 + 1 day", "Invalid datetime format: '2024-01-01T10'. Expected yyyy-MM-ddTHH:mm:ss[Z]"),
        (
            "2024-01-01T24:00:00 + 1 day",
            "Invalid datetime format: '2024-01-01T24:00:00'. Expected yyyy-MM-ddTHH:mm:ss[Z]",
        ),
        ("2024-01-01Z + 1 day", "Invalid datetime format: '2024-01-01Z'. Expected yyyy-MM-ddTHH:mm:ss[Z]"),
        (
            "2024-01-01T10:00:00+19:00 + 1 day",
            "Invalid datetime format: '2024-01-01T10:00:00+19:00'. Expected yyyy-MM-ddTHH:mm:ss[Z]",
        ),
        ("2024-01-01 + 5 fortnights", f"Unsupported date unit: 'fortnights'. {DATE_UNITS}"),
        ("2024-01-01 + 5 hours", f"Unsupported date unit: 'hours'. {DATE_UNITS}"),
        ("2024-01-01T10:00:00Z + 5 aeons", f"Unsupported datetime unit: 'aeons'. {TIME_UNITS}"),
        ("2024-01-01 + 99999999999 days", "Date/time error: the number is too large (at most 2147483647)"),
        ("2024-01-01 + " + "9" * 900 + " days", "Date/time error: the number is too large (at most 2147483647)"),
        ("2024-01-01 + 2147483647 weeks", RANGE),
        ("2024-01-01 - 3000 years", RANGE),
        ("0001-01-01 - 1 day", RANGE),
        ("0001-01-01 - 1 month", RANGE),
        ("9999-12-31T23:59:59Z + 1 second", RANGE),
        ("convert 0001-01-01T00:00:00 from Asia/Tokyo to UTC", RANGE),
        ("convert 9999-12-31T23:00:00 from -05:00 to UTC", RANGE),
        ("convert 2024-06-01 from UTC to Z", "Invalid datetime format: '2024-06-01'. Expected yyyy-MM-ddTHH:mm:ss[Z]"),
        (
            "convert 2024-06-01T12:00:00+02:00 from UTC to Z",
            "Invalid datetime format: '2024-06-01T12:00:00+02:00'. Expected yyyy-MM-ddTHH:mm:ss[Z]",
        ),
        (
            "convert 2024-06-01T12:00:00Z from America/New_York to UTC",
            "Contradictory time: '2024-06-01T12:00:00Z' is in UTC, but is to be read in America/New_York. Drop the Z, or convert from UTC",
        ),
        ("convert 2024-06-01T12:00:00 from Nowhere to UTC", "Unknown timezone: 'Nowhere'"),
        ("x" * 1001, "Command too long: 1001 characters, at most 1000"),
    ],
)
def test_says_why_there_is_no_answer(command, message):
    assert answered(command) == f"Error: {message}"


# The oracle: dates by counting days one after another, and clocks by whole seconds.


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def length_of(year, month):
    return [31, 29 if is_leap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]


def moved(year, month, day, number, unit):
    """Move a date by days or months, one at a time; `None` where that leaves the years 1 to 9999."""
    if unit in {"month", "year"}:
        for _ in range(abs(number) * (12 if unit == "year" else 1)):
            month += 1 if number > 0 else -1
            if month == 13:
                year, month = year + 1, 1
            elif month == 0:
                year, month = year - 1, 12
        day = min(day, length_of(year, month))
    else:
        for _ in range(abs(number) * (7 if unit == "week" else 1)):
            day += 1 if number > 0 else -1
            if day > length_of(year, month):
                year, month, day = (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)
            elif day == 0:
                year, month = (year, month - 1) if month > 1 else (year - 1, 12)
                day = length_of(year, month)
    return f"{year:04}-{month:02}-{day:02}" if 1 <= year <= 9999 else None


def test_no_answer_of_many_is_wrong(tries):
    chance = Random(4)  # noqa: S311 - a test has no secrets
    tool = DateTime()
    wrong = []
    for _ in range(tries(20_000)):
        year, month = chance.randrange(1, 10_000), chance.randrange(1, 13)
        day = chance.randrange(1, length_of(year, month) + 1)
        unit, sign = chance.choice(["day", "week", "month", "year"]), chance.choice([1, -1])
        number = chance.randrange(40)
        command = f"{year:04}-{month:02}-{day:02} {'+' if sign > 0 else '-'} {number} {unit}s"
        expected = moved(year, month, day, sign * number, unit)
        result = tool.run({"input": command})
        if (result.output or result.error) != (expected or RANGE):
            wrong.append(command)
    print(f"\ndatetime: {len(wrong)} wrong answers of {tries(20_000)}")  # noqa: T201
    assert wrong == []


moments = st.datetimes().map(lambda moment: moment.replace(microsecond=0))


@settings(max_examples=examples(1_000), deadline=None)
@given(
    moments, st.integers(0, 10**6), st.sampled_from([("second", 1), ("minute", 60), ("hour", 3600), ("day", 86_400)])
)
def test_clocks_run_in_whole_seconds(moment, number, unit):
    seconds = moment.toordinal() * 86_400 + moment.hour * 3600 + moment.minute * 60 + moment.second + number * unit[1]
    day, second = divmod(seconds, 86_400)
    if day > date.max.toordinal():
        return
    clock = f"{second // 3600:02}:{second % 3600 // 60:02}:{second % 60:02}"
    expected = f"{date.fromordinal(day).isoformat()}T{clock}+02:00"
    assert answered(f"{moment.isoformat()}+02:00 + {number} {unit[0]}s") == expected


@settings(max_examples=examples(1_000), deadline=None)
@given(
    st.integers(-(2**31), 2**32),
    st.sampled_from(["Europe/Oslo", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]),
    st.sampled_from(["Europe/London", "America/St_Johns", "Asia/Tokyo", "Africa/Casablanca"]),
)
def test_conversion_keeps_the_instant(instant, source, target):
    local = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=instant)).astimezone(ZoneInfo(source))
    if local.fold:
        return  # the later of two hours has no name of its own
    there = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=instant)).astimezone(ZoneInfo(target))
    written = local.replace(tzinfo=None).isoformat()
    expected = f"{there.replace(tzinfo=None).isoformat()} {target}"
    assert answered(f"convert {written} from {source} to {target}") == expected


@settings(max_examples=examples(500), deadline=None)
@given(st.text(st.sampled_from("0123456789-+:TZ nowtdayi/"), max_size=40) | st.text(max_size=40))
def test_anything_is_answered(command):
    result = DateTime().run({"input": command})
    assert result.succeeded == (re.match(r"\d{4}-\d{2}-\d{2}", result.output) is not None)


@pytest.mark.parametrize(
    "command",
    [
        " " * 100_000,
        "now" + " " * 100_000 + "x",
        "2024-01-01" + " " * 100_000 + "+ 1 day x",
        "+" * 100_000,
        "1" * 100_000 + " days",
        "2024-01-01 + " + "1" * 100_000 + " day",
    ],
    ids=lambda command: f"{command[:8]}…",
)
def test_long_commands_end_soon(command):
    started = perf_counter()
    assert answered(command).startswith("Error: Command ")
    print(f"\n100 kB read in {perf_counter() - started:.4f} s")  # noqa: T201


def test_missing_time_zone_data_is_named_with_its_hint():
    program = (
        "from toolkit.builtin.date_time import UnansweredError, answer\n"
        "try:\n"
        "    print(answer('now in Europe/Oslo'))\n"
        "except UnansweredError as error:\n"
        "    print(error)\n"
        "print(answer('convert 2024-06-01T12:00 from UTC to +02:00'))\n"
    )
    # -S leaves the installed packages out, and with them any time zone data that comes as one.
    finished = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONTZPATH": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout == (
        "Unknown timezone: 'Europe/Oslo'. This machine has no time zone data: install the package 'tzdata'\n"
        "2024-06-01T14:00:00 +02:00\n"
    )


def test_the_clock_is_that_of_the_machine_unless_another_is_given():
    before = datetime.now(UTC).replace(microsecond=0)
    told = datetime.fromisoformat(DateTime().run({"input": "now"}).output.removesuffix(" UTC")).replace(tzinfo=UTC)
    assert before <= told <= datetime.now(UTC)


def test_hints_allow_it_to_run_unasked():
    spec = DateTime().spec
    assert (spec.name, spec.read_only, spec.destructive, spec.open_world) == ("datetime", True, False, False)
