"""Waiting items: what stands for an item of a batch that has not ended, since one of its calls waits for approval."""

from toolkit.errors import ApprovalPending
from toolkit.tools.results import ToolResult


class WaitingResult(ToolResult):
    """What stands for an item that waits.

    Attributes:
        pending: What it waits for.
    """

    pending: ApprovalPending

    def __init__(self, pending: ApprovalPending) -> None:
        super().__init__(error=str(pending), error_code="waiting")
        self.__dict__["pending"] = pending
