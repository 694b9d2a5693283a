"""Supports frameworks in which a tool itself decides whether a call needs approval, before or while it runs.

The framework evaluates the condition once for each call, and the answer applies to that call alone: what the condition
would return for another call, or later, approves nothing.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import NO_QUESTION
from toolkit.tools.admission import admit, verdict_on
from toolkit.tools.callees import Callee
from toolkit.tools.context import ToolContext
from toolkit.tools.plain_arguments import freeze_as_json, plain_data


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

    A reviewer who has already approved this call with these arguments, such as before a retry, is not asked again.

    Raises:
        CallDenied: If the call is denied.
        ConfigurationError: If there is no reviewer to ask.
        ExitEarlyError: If the reviewer ends the run.
    """
    if _was_approved(tool, parsed, context):
        return
    demand = Demand(f"the tool asks ({wanted.label})", editable=False)
    verdict = verdict_on(tool, parsed, context, demand)
    if verdict is not NO_QUESTION:
        await admit(tool, plain_data(parsed), parsed=parsed, context=context, demand=demand, verdict=verdict)
    if context.call is not None:
        context.call.approvals.append(parsed)


def _was_approved(tool: Callee, parsed: Any, context: ToolContext) -> bool:
    """Return whether a reviewer has approved the running call of this tool with exactly these arguments."""
    call = context.call
    if call is None or call.tool.identity != tool.identity or not call.approvals:
        return False
    return freeze_as_json(parsed) in map(freeze_as_json, call.approvals)
