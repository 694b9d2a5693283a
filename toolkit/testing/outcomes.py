"""How a call of a tool ended: it worked, refused, or failed in a way that is a defect."""

import json
import re
from collections.abc import Mapping
from dis import opname
from typing import Any, Final, Literal, NamedTuple

from toolkit.errors import ToolkitError
from toolkit.problems import Location
from toolkit.tools.calls.foreign_values import bases_of_class
from toolkit.tools.calls.results import is_own_code, kind_of_error, message_of, traces_of
from toolkit.tools.foreign.frameworks import FRAMEWORKS

Status = Literal["ok", "refused", "crashed", "denied", "hung", "ended"]
"""`denied`: the call needs an approval that was not given; `ended`: it ended the process."""

NOT_APPROVED: Final = "no approval was given"
"""The reason of a call that needs an approval."""


class Outcome(NamedTuple):
    """The end of one call, as plain data.

    Attributes:
        status: How the call ended.
        error: The error message, if there is one.
        kind: The class of the exception that ended it.
        place: The innermost line of the tool's own code that raised it.
        seconds: How long the call took.
        tokens: The approximate number of tokens of the output.
        digest: Identifies the output.
        printed: What the call wrote to standard output; only the beginning.
        mismatch: How the result violates the tool's output schema.
        changed: Whether the call changed its arguments.
    """

    status: Status
    error: str = ""
    kind: str = ""
    place: Location | None = None
    seconds: float = 0.0
    tokens: int = 0
    digest: str = ""
    printed: str = ""
    mismatch: str = ""
    changed: bool = False

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Outcome":
        """Return an outcome from its JSON form, that of `_asdict`."""
        place = record["place"]
        return cls(**{**record, "place": None if place is None else Location(*place)})


TOLD: Final = "told"
"""The kind of an error that a tool returns like any other result."""
_TOLD: Final = re.compile(r"\W*(?:error|failed|failure)\s*:\s*\S", re.IGNORECASE)
_OF_ERRORS: Final = {"error", "success", "ok", "status", "code", "message", "details", "error_code", "error_type"}


def told_error(output: str) -> str:
    """Return the error that a result tells, as in `Error: no such file` or `{"error": "no such file"}`, or nothing."""
    if _TOLD.match(output):
        return output
    if not output.startswith("{"):
        return ""
    try:
        data = json.loads(output)
    except ValueError:
        return ""
    told = data.get("error") or (data.get("success") is False and data.get("message"))
    return told if isinstance(told, str) and data.keys() <= _OF_ERRORS else ""


_UNREACHABLE: Final = {
    "ClientConnectionError", "ConnectionError", "NetworkError", "TimeoutError", "TransportError", "URLError",
    "gaierror",
}  # fmt: skip
"""What is raised if something else cannot be reached, which says nothing about the tool."""
_NOT_FOUND: Final = {
    "FileExistsError", "FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "PermissionError",
}  # fmt: skip
"""Exceptions whose message names the file in question."""
_NEVER_MEANT: Final = {"AssertionError", "MemoryError", "NotImplementedError", "RecursionError"}


def is_refusal(error: BaseException, framework: str | None, is_own: Any = is_own_code) -> bool:
    """Return whether an exception that leaves a tool's own code is how such a tool refuses a call.

    That is an exception of the framework for this purpose, or one that says that something was not found or cannot be
    reached. If models read the messages of other exceptions too, it can also be an exception with a message that the
    tool's own code raises with `raise`, rather than one that was raised by an expression in it.
    """
    names = {base.__name__ for base in bases_of_class(type(error))}
    known = FRAMEWORKS.get(framework or "")
    if isinstance(error, ToolkitError) or (known and not names.isdisjoint(known.refusals)):
        return True
    if not isinstance(error, Exception) or not names.isdisjoint(_NEVER_MEANT):
        return False
    if not names.isdisjoint(_UNREACHABLE):
        return True
    if known and known.ends_runs:
        return False
    if not names.isdisjoint(_NOT_FOUND):
        return True
    return _is_raised_on_purpose(error, is_own) and message_of(error) != kind_of_error(error)


def _is_raised_on_purpose(error: BaseException, is_own: Any) -> bool:
    traces = list(traces_of(error))
    if not traces:
        return False
    code = traces[-1].tb_frame.f_code
    return is_own(code.co_filename) and opname[code.co_code[traces[-1].tb_lasti]] == "RAISE_VARARGS"
