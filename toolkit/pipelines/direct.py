"""A fast path for steps that only pass text to a tool, where there is no listener and no question.

It has the same effect as `Step.run`, without the stages that such a step does not use. Most steps of most chains are
like this. A call that belongs to a run does not take the fast path, since the run may have to end before the call.
"""

from toolkit.approvals.gates import Gate
from toolkit.pipelines.definitions import Use
from toolkit.pipelines.plans import PlannedStep
from toolkit.tools.base import Tool


class DirectCall:
    """The fast path of one step.

    Attributes:
        tool: The tool to call.
        call: The tool's `call` method.
        parameter: The parameter that receives the text.
        path: The step's path, under which its output is stored.
    """

    __slots__ = ("_quiet_gate", "call", "parameter", "path", "tool")

    def __init__(self, tool: Tool, parameter: str, path: str) -> None:
        self.call = tool.call
        self.parameter = parameter
        self.path = path
        self.tool = tool
        self._quiet_gate: Gate | None = None

    def is_quiet(self, gate: Gate) -> bool:
        """Return whether no question is expected, so that the call does not need to report its position.

        The call itself is still checked when it is made: if the policy has changed by then, the reviewer is asked.
        """
        if gate is self._quiet_gate:
            return True
        if self.tool.uses_context or gate.needs_arguments:
            return False  # the tool itself may ask, or the policy may ask because of the arguments
        if gate.verdict_on(self.tool.described).action != "allow":
            return False
        self._quiet_gate = gate
        return True


def direct_call(step: PlannedStep) -> DirectCall | None:
    """Return the fast path of a step, or `None` if the step has a key that needs `Step.run`."""
    tool, feed = step.tool, step.feed
    if tool is None or feed is None or feed.parameter is None or not feed.as_text or not _says_nothing_else(step):
        return None
    return DirectCall(tool, feed.parameter, step.path)


def _says_nothing_else(step: PlannedStep) -> bool:
    definition, action = step.definition, step.definition.action
    adapts = definition.adapter is not None and step.adapts
    return (
        isinstance(action, Use)
        and action.arguments is None
        and step.on_error == "fail"
        and not adapts
        and all(
            value is None
            for value in (
                definition.id,
                definition.when,
                definition.each,
                definition.approval,
                definition.retry,
                definition.timeout,
            )
        )
    )
