"""Tools that a policy denies whatever their arguments: no facade reveals them to a model, and no search finds them."""

from collections.abc import Iterable
from dataclasses import replace

from toolkit.approvals.policies import Chooser, DescribedCall, Policy, Risk, Verdict, possible_verdicts
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import READINGS, risk_of


def call_of(tool: Tool, chosen_by: Chooser) -> DescribedCall:
    """Return a call of a tool whose arguments are not known, in a run that may have read anything before."""
    risk = replace(risk_of(tool.spec), files=tool.files, dotted_names=tool.dotted_names)
    anything = Risk("*", flow=READINGS)
    return DescribedCall(risk, chosen_by, arguments={}, unknown=tool.spec.properties, coming=(anything,))


def denial_of(tool: Tool, policy: Policy, chosen_by: Chooser = "model") -> Verdict | None:
    """Return the verdict with which a policy denies every call of a tool; None if some call may run."""
    verdicts = possible_verdicts(policy, call_of(tool, chosen_by))
    return verdicts[0] if verdicts and all(one.action == "deny" for one in verdicts) else None


def permitted(tools: Iterable[Tool], context: ToolContext) -> tuple[Tool, ...]:
    """Return the tools of which the gate of the context does not deny every call."""
    gate = context.gate
    if gate is None or gate.judges_itself:
        return tuple(tools)
    return tuple(tool for tool in tools if denial_of(tool, gate.policy, context.chosen_by) is None)
