"""Exceptions that end a call before the tool runs."""

from toolkit.errors import ToolExecutionError, ToolkitError
from toolkit.tools.results import ToolResult


class CallDenied(ToolkitError):  # noqa: N818 - named for what happened
    """A reviewer or a rule denied one call."""

    code = "rejected"


class AnsweredEarly(ToolExecutionError):  # noqa: N818 - named for what happened
    """Raised by `check` if nothing needs to run, so nothing needs approval; `result` becomes the result of the call."""

    def __init__(self, result: ToolResult) -> None:
        super().__init__(result.text, result.error_code)
        self.result = result
