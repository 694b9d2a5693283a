"""The direct way: a step that passes text to a tool and has no other keys, without a listener or questions.

It does what `Step.run` does, without the stations that such a step does not have. Most steps of most chains are so. A
call that belongs to a run takes the long way, since the run may have to end before it.
"""

from toolkit.approvals.gates import Gate
from toolkit.pipelines.definitions import Use
from toolkit.pipelines.plans import PlannedStep
from toolkit.tools.base import Tool


class DirectWay:
    """The short way to run one step.

    Attributes:
        tool: What is called.
        call: Calls it.
        parameter: The parameter that receives the text.
        path: Where its output is kept.
    """

    __slots__ = ("_quiet_gate", "call", "parameter", "path", "tool")

    def __init__(self, tool: Tool, parameter: str, path: str) -> None:
        self.call = tool.call
        self.parameter = parameter
        self.path = path
        self.tool = tool
        self._quiet_gate: Gate | None = None

    def is_quiet(self, gate: Gate) -> bool:
        """Return whether no question is to be expected, so that nobody has to know where the call stands.

        The call itself is judged when it is made; a policy that changes its mind then asks all the same.
        """
        if gate is self._quiet_gate:
            return True
        if self.tool.uses_context or gate.needs_arguments:
            return False  # it may ask of its own accord, or for these very arguments
        if gate.verdict_on(self.tool.described).action != "allow":
            return False
        self._quiet_gate = gate
        return True


def direct_way(step: PlannedStep) -> DirectWay | None:
    """Return the short way to run a step, or `None` if one of its keys needs the long one."""
    tool, feed = step.tool, step.feed
    if tool is None or feed is None or feed.parameter is None or not feed.as_text or not _says_nothing_else(step):
        return None
    return DirectWay(tool, feed.parameter, step.path)


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
