"""Late approvals: tools that ask for approval only once they run, as some frameworks let them."""

from collections.abc import Callable, Coroutine
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import NO_QUESTION
from toolkit.tools.admission import admit, verdict_on
from toolkit.tools.callees import Callee
from toolkit.tools.context import ToolContext
from toolkit.tools.plain_arguments import plain_data


class ApprovalWanted(Exception):  # noqa: N818 - named for what happened
    """A tool has asked for approval instead of doing its work.

    Attributes:
        label: What the framework calls it.
        go_on: How the tool is called once the call is approved.
    """

    def __init__(self, label: str, go_on: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        super().__init__(label)
        self.label = label
        self.go_on = go_on


async def ask_late(tool: Callee, parsed: Any, context: ToolContext, wanted: ApprovalWanted) -> None:
    """Ask about a call that wants approval while it runs; it goes on if this returns.

    Raises:
        CallDenied: If it may not.
        ConfigurationError: If nobody can be asked.
        ExitEarlyError: If the reviewer ends the run.
    """
    demand = Demand(f"the tool asks ({wanted.label})", editable=False)
    verdict = verdict_on(tool, parsed, context, demand)
    if verdict is not NO_QUESTION:
        await admit(tool, plain_data(parsed), parsed=parsed, context=context, demand=demand, verdict=verdict)
