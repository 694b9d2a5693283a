"""The tools that the model of one loop is offered, turn by turn."""

from collections.abc import Mapping
from dataclasses import replace

from toolkit.agents.chaining import ChainedTools
from toolkit.agents.kinds import AgentKind, ClosedTool, FinishedCall, LoopHistory, state_name
from toolkit.disclosure.facade_trees import paths_of
from toolkit.disclosure.offering import facade_of, offer, unfolded_by
from toolkit.problems import did_you_mean
from toolkit.tools.base import Tool
from toolkit.tools.results import ToolResult


class Table:
    """The tools of one loop: the agent's own and those revealed by facades, open or closed according to its kind.

    It also includes the tools of returned objects, which are not affected by the kind.

    Attributes:
        past: What has happened so far.
        tools: The tools that are currently offered, by name.
        one_by_one: Whether the calls of one turn must run one after another.
    """

    def __init__(self, tools: Mapping[str, Tool], kind: AgentKind, past: LoopHistory, chain: ChainedTools) -> None:
        """Create the table of a new task, including tools that facades and objects provided earlier if still valid."""
        self.past = replace(past, calls=())
        self._standing = dict(tools)
        self._kind = kind
        self._chain = chain
        for call in past.calls:
            if not _is_over(call, self._standing):
                self._reveal(call)
            self._record(call)
        self.one_by_one = kind.one_by_one
        self.tools = self._current_tools()

    def turn(self) -> dict[str, Tool]:
        """Begin a turn, and return the tools that the model is offered in it."""
        self.past = replace(self.past, turns=self.past.turns + 1)
        self.tools = self._current_tools()
        return self.tools

    @property
    def known(self) -> list[Tool]:
        """All tools that the model can call now or later, or has called: what it knows may come from any of them."""
        called = (call.tool for call in self.past.calls if call.tool is not None)
        return [*self._standing.values(), *self.tools.values(), *called]

    def note(self, tool: Tool, name: str, result: ToolResult) -> str:
        """Record the result of a call, and return a note for the model on what has changed, or an empty string."""
        if isinstance(tool, ClosedTool):
            return ""
        call = FinishedCall(tool, name, result)
        remarks = [self._reveal(call)]
        before, state = self.tools, self._kind.state(self.past)
        self._record(call)
        self.tools = self._current_tools()
        if (now := self._kind.state(self.past)) != state:
            remarks.append(f"The state is now {state_name(now)}.")
        remarks.append(_opened(before, self.tools))
        return "\n".join(filter(None, remarks))

    def why_unknown(self, name: str) -> str:
        """Return the answer to a call of an unknown tool: the facade that it is behind, or the known tools."""
        way = next((path for path, _ in paths_of(self._standing.values()) if path[1:] and path[-1] == name), ())
        if way and way[0] in self.tools:
            first, *others = (f"'{facade}'" for facade in way[:-1])
            then = "".join(f", then {facade}" for facade in others)
            return f"the tool '{name}' is behind {first}: call {first} first{then}."
        known = sorted(self.tools)
        meant = did_you_mean(name, known)
        hint = f" {meant[0].upper()}{meant[1:]}" if meant else ""
        if not known:
            return f"the tool '{name}' does not exist. No tools are available."
        return (
            f"the tool '{name}' does not exist.{hint} Available tools: {', '.join(known)}. Use the exact name of one."
        )

    def _record(self, call: FinishedCall) -> None:
        self.past, self._chain = self.past.with_call(call), self._chain.after(call, self.past.run)

    def _reveal(self, call: FinishedCall) -> str:
        """Offer the tools that a facade has revealed, under the conditions of the agent's own tool that led there."""
        unfolded = unfolded_by(call.result)
        if unfolded is None:
            return ""
        before = self._standing
        self._standing, remark = offer(before, call.name, unfolded)
        if unfolded.exclusive:
            self._chain = self._chain.alone()
        origin = self.past.origins.get(call.name, call.name)
        new = {revealed: origin for revealed in self._standing if revealed not in before}
        self.past = replace(self.past, origins={**self.past.origins, **new})
        self.tools = self._current_tools()
        return remark

    def _current_tools(self) -> dict[str, Tool]:
        return self._chain.combined_with(self._kind.table(self._standing, self.past))


def _is_over(call: FinishedCall, standing: Mapping[str, Tool]) -> bool:
    """Return whether the tools that a call revealed are no longer valid: the facade is gone, or it is exclusive.

    An exclusive facade replaces all tools, which applies only to one task, since there would be no way back.
    """
    unfolded, facade = unfolded_by(call.result), facade_of(call.tool)
    is_gone = call.name not in standing or facade is not facade_of(standing[call.name])
    return unfolded is None or unfolded.exclusive or facade is None or is_gone


def _opened(before: Mapping[str, Tool], now: Mapping[str, Tool]) -> str:
    """Return the notice of newly available tools."""
    names = [
        name
        for name, tool in now.items()
        if not isinstance(tool, ClosedTool) and (name not in before or isinstance(before[name], ClosedTool))
    ]
    return f"Now available: {', '.join(names)}." if names else ""
