"""Tables: what the model of one loop is offered, turn by turn."""

from collections.abc import Mapping
from dataclasses import replace

from toolkit.agents.chaining import ChainedTools
from toolkit.agents.kinds import AgentKind, ClosedTool, FinishedCall, LoopHistory, state_name
from toolkit.disclosure.offering import facade_of, offer, unfolded_by
from toolkit.disclosure.trees import paths_of
from toolkit.problems import did_you_mean
from toolkit.tools.base import Tool
from toolkit.tools.results import ToolResult


class Table:
    """The tools of one loop: those of the agent and those that facades revealed, open or closed according to its kind.

    Beside them are the tools of objects that were returned, which no kind closes.

    Attributes:
        past: What has happened so far.
        tools: What is offered now, by name.
        one_by_one: Whether the calls of one turn must not run side by side.
    """

    def __init__(self, tools: Mapping[str, Tool], kind: AgentKind, past: LoopHistory, chain: ChainedTools) -> None:
        """Lay out the agent's tools, with what facades and objects have brought in the past as far as it holds."""
        self.past = replace(past, calls=())
        self._standing = dict(tools)
        self._kind = kind
        self._chain = chain
        for call in past.calls:
            if not _is_over(call, self._standing):
                self._reveal(call)
            self._take_in(call)
        self.one_by_one = kind.one_by_one
        self.tools = self._lay_out()

    def turn(self) -> dict[str, Tool]:
        """Begin a turn, and return what the model is offered in it."""
        self.past = replace(self.past, turns=self.past.turns + 1)
        self.tools = self._lay_out()
        return self.tools

    @property
    def known(self) -> list[Tool]:
        """Every tool that the model can call, may call later, or has called: what it knows can come from each."""
        called = (call.tool for call in self.past.calls if call.tool is not None)
        return [*self._standing.values(), *self.tools.values(), *called]

    def note(self, tool: Tool, name: str, result: ToolResult) -> str:
        """Take in the result of a call, and return what the model must know beside it, if anything."""
        if isinstance(tool, ClosedTool):
            return ""
        call = FinishedCall(tool, name, result)
        remarks = [self._reveal(call)]
        before, state = self.tools, self._kind.state(self.past)
        self._take_in(call)
        self.tools = self._lay_out()
        if (now := self._kind.state(self.past)) != state:
            remarks.append(f"The state is now {state_name(now)}.")
        remarks.append(_opened(before, self.tools))
        return "\n".join(filter(None, remarks))

    def why_unknown(self, name: str) -> str:
        """Return the answer to a call of an unknown tool: the way to it, or the tools that there are."""
        way = next((path for path, _ in paths_of(self._standing.values()) if path[1:] and path[-1] == name), ())
        if way and way[0] in self.tools:
            first, *others = (f"'{facade}'" for facade in way[:-1])
            then = "".join(f", then {facade}" for facade in others)
            return f"the tool '{name}' is behind {first}: call {first} first{then}."
        known = sorted(self.tools)
        meant = did_you_mean(name, known)
        hint = f" {meant[0].upper()}{meant[1:]}" if meant else ""
        there = f"Available tools: {', '.join(known)}." if known else "No tools are available."
        return f"the tool '{name}' does not exist.{hint} {there} Use the exact name of one."

    def _take_in(self, call: FinishedCall) -> None:
        self.past, self._chain = self.past.with_call(call), self._chain.after(call, self.past.run)

    def _reveal(self, call: FinishedCall) -> str:
        """Offer what a facade has revealed; whatever holds for the agent's own tool that led there holds for it."""
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
        self.tools = self._lay_out()
        return remark

    def _lay_out(self) -> dict[str, Tool]:
        return self._chain.laid_over(self._kind.table(self._standing, self.past))


def _is_over(call: FinishedCall, standing: Mapping[str, Tool]) -> bool:
    """Return whether what a call has revealed is so no more: its facade is gone, or had taken the place of all tools.

    The latter holds for a task alone, since there would be no way back.
    """
    unfolded, facade = unfolded_by(call.result), facade_of(call.tool)
    is_gone = call.name not in standing or facade is not facade_of(standing[call.name])
    return unfolded is None or unfolded.exclusive or facade is None or is_gone


def _opened(before: Mapping[str, Tool], now: Mapping[str, Tool]) -> str:
    """Return the notice of the tools that may be called from now on."""
    names = [
        name
        for name, tool in now.items()
        if not isinstance(tool, ClosedTool) and (name not in before or isinstance(before[name], ClosedTool))
    ]
    return f"Now available: {', '.join(names)}." if names else ""
