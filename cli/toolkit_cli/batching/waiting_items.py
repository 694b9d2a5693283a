"""The result of an item that waits for approval."""

from toolkit.errors import ApprovalPending
from toolkit.tools.results import ToolResult


class WaitingResult(ToolResult):
    """A placeholder result for an item of a batch that waits for approval.

    Attributes:
        pending: The pending approvals.
    """

    pending: ApprovalPending

    def __init__(self, pending: ApprovalPending) -> None:
        super().__init__(error=str(pending), error_code="waiting")
        self.__dict__["pending"] = pending
