"""The kinds of values in the configuration."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from toolkit.dialects.registry import DIALECTS
from toolkit.documents.tables import (
    DURATION_SCHEMA,
    DURATION_WORDS,
    TEXTS_SCHEMA,
    Key,
    Kind,
    Schema,
    as_written,
    duration,
    in_seconds,
    is_number,
    is_text,
    table,
    table_of_tables,
    texts,
)
from toolkit.problems import did_you_mean
from toolkit.tools.call_limits import parse_rate

PLAIN: Final = "plain"
"""No dialect: name, description and parameters, unchanged."""

VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def unknown_dialect(name: str) -> str | None:
    """Return a hint if a dialect does not exist."""
    known = (PLAIN, *DIALECTS)
    return None if name in known else did_you_mean(name, known, otherwise=f"the dialects are {', '.join(known)}")


def _dialect(written: Any, _: Path) -> str | None:
    return written if isinstance(written, str) and not unknown_dialect(written) else None


def _near_dialect(_: Key, written: Any) -> str | None:
    return unknown_dialect(written) if isinstance(written, str) else "write dialect = 'openai'"


def _model_name(written: Any, _: Path) -> str | None:
    return written if isinstance(written, str) and all(written.partition(":")) else None


def _dollars(written: Any, _: Path) -> float | None:
    return float(written) if is_number(written) and 0 <= written < float("inf") else None


def _in_a_list(key: Key, written: Any) -> str:
    meant = written if is_text(written) else "tools.py"
    return f"write {key.name} = ['{meant}']"


def table_kind(example: str, schema: Schema | Callable[[], Schema]) -> Kind:
    return Kind("table", "a table", table, example, schema)


def tables_kind(example: str, each: Callable[[], Schema]) -> Kind:
    """Return the kind of a table that contains only tables."""
    return Kind(
        "table of tables",
        "a table of tables",
        table_of_tables,
        example,
        lambda: {"type": "object", "additionalProperties": each()},
    )


WORDS: Final = as_written("string", "a string", {"type": "string"}, lambda written: isinstance(written, str))
TEXTS: Final = Kind(
    "list of strings", "a list of strings", read=texts, example="", schema=TEXTS_SCHEMA, advice=_in_a_list
)
NAMES: Final = replace(
    TEXTS, schema={"type": "array", "items": {"type": "string", "pattern": f"^{VARIABLE_NAME.pattern}$"}}
)
DURATION: Final = Kind(
    "duration", DURATION_WORDS, read=duration, example="'30s'", schema=DURATION_SCHEMA, advice=in_seconds
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
MODEL: Final = Kind(
    "name",
    "the name of a model",
    _model_name,
    "'openai-chat:gpt-6-luna', or 'chat:NAME'",
    {"type": "string", "pattern": "^[^:]+:.", "not": {"pattern": r"^scripted:.*\.[pP][yY]\s*$"}},
)
COUNT: Final = as_written(
    "whole number",
    "a whole number above zero",
    {"type": "integer", "minimum": 1},
    lambda written: isinstance(written, int) and not isinstance(written, bool) and written > 0,
)
RATE: Final = Kind(
    "rate",
    "a number of calls and a period, such as '10/1m'",
    lambda written, _: parse_rate(written) if isinstance(written, str) else None,
    "'10/1m'",
    {"type": "string", "pattern": r"^\s*[1-9]\d*\s*/\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$"},
)
