"""TOML files: their text, and the tables in it, or why there are none."""

import re
from pathlib import Path
from typing import Any

from toolkit.codes import BAD_CONFIGURATION
from toolkit.paths import bounded_bytes
from toolkit.problems import Location, Problem

_LARGEST = 1024 * 1024


def text_of(file: Path) -> str | Problem:
    """Return the text of a file of the configuration, or why it cannot be read."""
    try:
        return bounded_bytes(file, most=_LARGEST).decode("utf-8")
    except OSError as error:
        reason = f"the configuration cannot be read: {(error.strerror or str(error)).lower()}"
    except UnicodeDecodeError:
        reason = "the configuration is not UTF-8 text"
    return Problem(BAD_CONFIGURATION, reason, Location(str(file)))


def document_in(text: str, file: Path) -> dict[str, Any] | Problem:
    """Return what a text says, or where it is no TOML."""
    import tomllib  # noqa: PLC0415 - only a file that speaks of us is worth it

    try:
        return tomllib.loads(text)
    except RecursionError:
        return Problem(BAD_CONFIGURATION, "the TOML is nested too deeply", Location(str(file)))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"^(.*?)\s*\(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
        message = (found[1] if found else str(error)).strip().replace("\n", " ")
        line, column = (int(found[2]), int(found[3])) if found and found[2] else (len(text.splitlines()) or 1, None)
        reason = f"{message[:1].lower()}{message[1:]}"
        return Problem(BAD_CONFIGURATION, f"the TOML is broken: {reason}", Location(str(file), line, column))
