"""The kinds of values in the configuration."""

import re
from dataclasses import replace
from typing import Any, Final

from toolkit.dialects.registry import DIALECTS
from toolkit.documents.keys import Kind, Spot
from toolkit.documents.kinds import TEXTS, is_number, text, whole_number
from toolkit.problems import did_you_mean
from toolkit.tools.call_limits import parse_rate

PLAIN: Final = "plain"
"""No dialect: name, description and parameters, unchanged."""

VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def unknown_dialect(name: str) -> str | None:
    """Return a hint if a dialect does not exist."""
    known = (PLAIN, *DIALECTS)
    return None if name in known else did_you_mean(name, known, otherwise=f"the dialects are {', '.join(known)}")


def _dialect(written: Any, _: Spot) -> str | None:
    return written if isinstance(written, str) and not unknown_dialect(written) else None


def _near_dialect(written: Any, _: Spot) -> str | None:
    return unknown_dialect(written) if isinstance(written, str) else "write dialect = 'openai'"


def _dollars(written: Any, _: Spot) -> float | None:
    return float(written) if is_number(written) and 0 <= written < float("inf") else None


WORDS: Final = text(test=lambda _: True)
NAMES: Final = replace(
    TEXTS, schema={"type": "array", "items": {"type": "string", "pattern": f"^{VARIABLE_NAME.pattern}$"}}
)
DOLLARS: Final = Kind(
    "number", "US dollars per million tokens, such as 0.15", _dollars, "", {"type": "number", "minimum": 0}
)
DIALECT: Final = Kind(
    "name",
    "the name of a dialect",
    read=_dialect,
    example="",
    schema=lambda: {"enum": [PLAIN, *DIALECTS]},
    advice=_near_dialect,
)
MODEL: Final = text(
    "the name of a model",
    {"type": "string", "pattern": "^[^:]+:.", "not": {"pattern": r"^scripted:.*\.[pP][yY]\s*$"}},
    test=lambda written: all(written.partition(":")),
    example="'openai-chat:gpt-6-luna', or 'chat:NAME'",
    name="name",
)
COUNT: Final = whole_number(1, words="a whole number above zero")
RATE: Final = Kind(
    "rate",
    "a number of calls and a period, such as '10/1m'",
    lambda written, _: parse_rate(written) if isinstance(written, str) else None,
    "'10/1m'",
    {"type": "string", "pattern": r"^\s*[1-9]\d*\s*/\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$"},
)
