"""Admission: what stands between valid arguments and the work."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.decisions import Continue, Edit, ExitEarly, Reject
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.requests import DEFAULT_TIMEOUT, ReviewRequest
from toolkit.errors import ConfigurationError, ToolArgumentsError, ToolExecutionError, ToolkitError
from toolkit.tools.asking import tell_of_leave
from toolkit.tools.results import ToolResult
from toolkit.tools.reviewing import digest_of_call, shown_arguments, unhidden
from toolkit.tools.showing import frozen

if TYPE_CHECKING:
    from toolkit.approvals.gates import Demand
    from toolkit.tools.base import Tool
    from toolkit.tools.context import ToolContext


class CallDenied(ToolkitError):  # noqa: N818 - it says what happened
    """A reviewer or a rule refused one call."""

    code = "rejected"


class AnsweredEarly(ToolExecutionError):  # noqa: N818 - it says what happened
    """There is nothing to do, and therefore nothing to ask: a `check` raises it, and `result` is the call's result."""

    def __init__(self, result: ToolResult) -> None:
        """Keep the result."""
        super().__init__(result.text, result.error_code)
        self.result = result


class Admitted(NamedTuple):
    """What may run.

    Attributes:
        parsed: The arguments.
        replaced: The arguments as JSON text, where a reviewer has put others in the place of those that were sent.
    """

    parsed: Any
    replaced: str | None = None


def judge(tool: "Tool", parsed: Any, context: "ToolContext", demand: "Demand | None") -> Verdict:
    """Return what the gate of the context says about a call; `NO_QUESTION` lets it run without more ado.

    Raises:
        ConfigurationError: If somebody must be asked and there is no gate.
    """
    gate = context.gate
    if gate is None:
        message = f"tool {tool.name!r} requires approval, but there is no reviewer"
        raise ConfigurationError(f"{message}; give the context one: ToolContext(reviewer=…)")
    if demand is None and context.chosen_by == "person" and not gate.policy.needs_arguments:
        return gate.policy.judge(tool.described)
    demanded_by = demand.asked_by if demand is not None else None
    known = tool.describe(parsed) if gate.policy.needs_arguments else None
    return gate.judge(DescribedCall(tool.described.risk, context.chosen_by, demanded_by, known))


async def admit(
    tool: "Tool",
    arguments: str | Mapping[str, Any],
    parsed: Any,
    context: "ToolContext",
    demand: "Demand | None",
    verdict: Verdict,
) -> Admitted:
    """Return the arguments that may run.

    Raises:
        CallDenied: If they may not.
        ExitEarlyError: If the reviewer ends the run.
    """
    if verdict.action == "deny":
        raise CallDenied(f"Denied by {verdict.because}" if verdict.because else "Denied")
    if verdict.action == "allow":
        if verdict.because:
            tell_of_leave(context, tool.name, verdict.because)
        return Admitted(parsed)
    return await _ask(tool, arguments, context, demand, verdict)


async def _ask(
    tool: "Tool",
    arguments: str | Mapping[str, Any],
    context: "ToolContext",
    demand: "Demand | None",
    verdict: Verdict,
) -> Admitted:
    """Put the question about text that nobody else holds and parse that: what is shown is what runs."""
    sent = frozen(arguments)
    parsed = _read(tool, sent, context)
    request = _request(tool, sent, parsed, context, demand, verdict)
    decision = await context.ask(request)
    match decision:
        case Continue():
            return Admitted(parsed)
        case Edit(edited) if request.editable:
            try:
                replaced = unhidden(tool, edited, sent)
                return Admitted(_read(tool, replaced, context), replaced)
            except AnsweredEarly:
                raise
            except (ToolArgumentsError, ToolExecutionError) as error:
                raise ToolArgumentsError(f"The reviewer's edit is invalid: {error}") from error
        case Edit():
            raise CallDenied("Rejected by reviewer: these arguments may not be edited")
        case ExitEarly() as ending:
            raise ending.signal()
        case Reject(reason):
            raise CallDenied(f"Rejected by reviewer: {reason}" if reason else "Rejected by reviewer")


def _read(tool: "Tool", sent: str, context: "ToolContext") -> Any:
    parsed = tool.parse(sent)
    tool.check(parsed, context)
    return parsed


def _request(
    tool: "Tool", sent: str, parsed: Any, context: "ToolContext", demand: "Demand | None", verdict: Verdict
) -> ReviewRequest:
    def objection(edited: Mapping[str, Any] | str) -> str | None:
        try:
            _read(tool, unhidden(tool, edited, sent), context)
        except AnsweredEarly:
            return None
        except (ToolArgumentsError, ToolExecutionError) as error:
            return str(error)
        return None

    def preview_of(edited: Mapping[str, Any] | str) -> str | None:
        try:
            return tool.preview(tool.parse(unhidden(tool, edited, sent)), context)
        except (ToolArgumentsError, ToolExecutionError, OSError):
            return None

    gate = context.gate
    return ReviewRequest(
        (demand.message if demand is not None else None) or f"Run {tool.name}?",
        tool.spec.risk,
        shown_arguments(tool, parsed, sent),
        asked_by=verdict.because,
        place=context.place,
        preview=tool.preview(parsed, context),
        show=demand.show if demand is not None else None,
        timeout=gate.timeout if gate is not None else DEFAULT_TIMEOUT,
        on_timeout=gate.on_timeout if gate is not None else "reject",
        editable=demand is None or demand.editable,
        digest=digest_of_call(tool, sent),
        objection=objection,
        preview_of=preview_of,
    )
