"""Refusals: how a call ends before its work begins."""

from toolkit.errors import ToolExecutionError, ToolkitError
from toolkit.tools.results import ToolResult


class CallDenied(ToolkitError):  # noqa: N818 - named for what happened
    """A reviewer or a rule refused one call."""

    code = "rejected"


class AnsweredEarly(ToolExecutionError):  # noqa: N818 - named for what happened
    """There is nothing to do, and therefore nothing to ask: a `check` raises it, and `result` is the call's result."""

    def __init__(self, result: ToolResult) -> None:
        super().__init__(result.text, result.error_code)
        self.result = result
