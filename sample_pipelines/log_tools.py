"""Tools over log files."""

import re
from dataclasses import dataclass
from typing import Literal

from toolkit import ToolExecutionError, tool

Level = Literal["INFO", "WARN", "ERROR"]

_LINE = re.compile(r"(?P<time>\S+Z) (?P<level>INFO|WARN|ERROR) +(?:job=(?P<job>\S+) )?(?P<message>.+)")


@dataclass
class Entry:
    """One line of a log."""

    time: str
    level: Level
    job: str | None
    message: str


@tool(read_only=True, idempotent=True)
def read_entry(line: str) -> Entry:
    """Take one line of a log apart.

    Args:
        line: The line, such as `2026-11-20T08:00:09Z ERROR job=import connection refused`.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        message = f"this is not a log line: {line}"
        raise ToolExecutionError(message, code="no_log_line")
    return Entry(**match.groupdict())
