"""Tables: what the model of one loop is offered, turn by turn."""

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

from toolkit.agents.chaining import Chain
from toolkit.agents.kinds import ClosedTool, Done, Kind, Past, state_name
from toolkit.disclosure.offering import offer, unfolded_by
from toolkit.tools.base import Tool
from toolkit.tools.results import ToolResult


class Table:
    """The tools of one loop: those of the agent and what facades have revealed, open or closed as its kind says.

    Beside them are the tools of objects that were returned, which no kind closes.

    Attributes:
        past: What has happened so far.
        tools: What is offered now, by name.
        one_by_one: Whether the calls of one turn must not run side by side.
    """

    def __init__(self, tools: Mapping[str, Tool], kind: Kind, past: Past, chain: Chain) -> None:
        """Lay out the agent's tools, and those of objects that were returned in the past."""
        self.past = past
        self._standing = dict(tools)
        self._kind = kind
        self._chain = reduce(lambda chain, call: chain.after(call, past.run), past.calls, chain)
        self.one_by_one = kind.one_by_one
        self.tools = self._laid_out()

    def turn(self) -> dict[str, Tool]:
        """Begin a turn, and return what the model is offered in it."""
        self.past = replace(self.past, turns=self.past.turns + 1)
        self.tools = self._laid_out()
        return self.tools

    def note(self, tool: Tool, name: str, result: ToolResult) -> str:
        """Take in what a call gave, and return what the model must be told beside it, if anything."""
        if isinstance(tool, ClosedTool):
            return ""
        remarks = [self._reveal(name, result)]
        before, state = self.tools, self._kind.state(self.past)
        call = Done(tool, name, result)
        self.past, self._chain = self.past.with_call(call), self._chain.after(call, self.past.run)
        self.tools = self._laid_out()
        if (now := self._kind.state(self.past)) != state:
            remarks.append(f"The state is now {state_name(now)}.")
        remarks.append(_opened(before, self.tools))
        return "\n".join(filter(None, remarks))

    def _reveal(self, name: str, result: ToolResult) -> str:
        """Offer what a facade has revealed; whatever holds for the agent's own tool that led there holds for it."""
        unfolded = unfolded_by(result)
        if unfolded is None:
            return ""
        before = self._standing
        self._standing, remark = offer(before, name, unfolded)
        if unfolded.exclusive:
            self._chain = self._chain.alone()
        origin = self.past.origins.get(name, name)
        new = {revealed: origin for revealed in self._standing if revealed not in before}
        self.past = replace(self.past, origins={**self.past.origins, **new})
        self.tools = self._laid_out()
        return remark

    def _laid_out(self) -> dict[str, Tool]:
        return self._chain.laid_over(self._kind.table(self._standing, self.past))


def _opened(before: Mapping[str, Tool], now: Mapping[str, Tool]) -> str:
    """Return what is to be said of the tools that were not to be called before, and are now."""
    names = [
        name
        for name, tool in now.items()
        if not isinstance(tool, ClosedTool) and (name not in before or isinstance(before[name], ClosedTool))
    ]
    return f"Now available: {', '.join(names)}." if names else ""
