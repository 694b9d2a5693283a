"""Supports frameworks in which a tool itself decides whether a call needs approval, before or while it runs.

The framework evaluates the condition once for each call, and the answer applies to that call alone: what the condition
would return for another call, or later, approves nothing.
"""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import NO_QUESTION
from toolkit.errors import ToolExecutionError
from toolkit.tools.callees import Callee
from toolkit.tools.calling import admit, verdict_on
from toolkit.tools.calls.json_data import freeze_as_json, plain_data
from toolkit.tools.context import ToolContext


class ApprovalWanted(Exception):
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
    tool = _as_called(tool, context)
    verdict = verdict_on(tool, parsed, context, demand)
    if verdict is not NO_QUESTION:
        await admit(tool, plain_data(parsed), parsed=parsed, context=context, demand=demand, verdict=verdict)
    if context.call is not None:
        context.call.approvals.append(parsed)


def _as_called(tool: Callee, context: ToolContext) -> Callee:
    """Return the tool under the name by which it was called, which is what rules and reviewers know."""
    called = context.call.tool if context.call is not None else None
    return called if isinstance(called, Callee) and called.identity == tool.identity else tool


@contextmanager
def keeping_what_is_approved(
    name: str, arguments: Mapping[str, Any], given: Mapping[str, Any], context: ToolContext
) -> Iterator[None]:
    """Refuse a call whose arguments a hook of its agent has changed, if a reviewer approves calls of the tool.

    Args:
        name: The name of the tool.
        arguments: The arguments of the call, which reviewers see.
        given: The arguments with which the tool would run.
        context: The context of the call.

    Raises:
        ToolExecutionError: If the tool would run with other arguments than a reviewer has seen, or would see.
    """
    message = f"a hook of its agent has changed the arguments of {name!r}, which differ from those to approve"
    if given == arguments:
        yield
        return
    if context.call is not None and context.call.approvals:
        raise ToolExecutionError(message, "changed")
    try:
        yield
    except ApprovalWanted:
        raise ToolExecutionError(message, "changed") from None


def _was_approved(tool: Callee, parsed: Any, context: ToolContext) -> bool:
    """Return whether a reviewer has approved the running call of this tool with exactly these arguments."""
    call = context.call
    if call is None or call.tool.identity != tool.identity or not call.approvals:
        return False
    return freeze_as_json(parsed) in map(freeze_as_json, call.approvals)
