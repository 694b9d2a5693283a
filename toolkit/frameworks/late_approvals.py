"""Supports frameworks in which a tool can request approval while it runs."""

from collections.abc import Callable, Coroutine
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import NO_QUESTION
from toolkit.tools.admission import admit, verdict_on
from toolkit.tools.callees import Callee
from toolkit.tools.context import ToolContext
from toolkit.tools.plain_arguments import plain_data


class ApprovalWanted(Exception):  # noqa: N818 - named for what happened
    """Raised when a tool has requested approval instead of doing its work.

    Attributes:
        label: The framework's name for the request.
        go_on: Calls the tool again, after the approval.
    """

    def __init__(self, label: str, go_on: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        super().__init__(label)
        self.label = label
        self.go_on = go_on


async def ask_late(tool: Callee, parsed: Any, context: ToolContext, wanted: ApprovalWanted) -> None:
    """Ask for approval of a call that requested it while running; returns if the call may continue.

    Raises:
        CallDenied: If the call is denied.
        ConfigurationError: If there is no reviewer to ask.
        ExitEarlyError: If the reviewer ends the run.
    """
    demand = Demand(f"the tool asks ({wanted.label})", editable=False)
    verdict = verdict_on(tool, parsed, context, demand)
    if verdict is not NO_QUESTION:
        await admit(tool, plain_data(parsed), parsed=parsed, context=context, demand=demand, verdict=verdict)
