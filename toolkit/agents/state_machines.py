"""State machines: agents that are always in one state. Every state has its own tools, and some lead to another state.

StateMachine(Order.DRAFT, {
    Order.DRAFT: {"add_item": None, "confirm": Order.CONFIRMED},
    Order.CONFIRMED: {"ship": Order.SHIPPED},
}, everywhere=["status"])
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar

from toolkit.agents.kinds import AgentKind, ClosedTool, LoopHistory, names_within, state_name, unknown_tool
from toolkit.problems import Problem, did_you_mean
from toolkit.tools.base import Tool

State = Enum | str
"""A state: a member of an enumeration, or a name."""


@dataclass(frozen=True, slots=True)
class StateMachine(AgentKind):
    """An agent kind in which tools belong to states, and some tools lead to another state once they have succeeded.

    A tool can belong to several states and lead to a different state from each. Tools behind a facade belong to the
    same states as the facade. The calls of one turn run one after another, since each may change the state.

    Attributes:
        start: The initial state.
        states: For each state, the names of its tools, each with the state that it leads to, or `None` for no change.
        everywhere: The names of the tools that are available in all states.
    """

    one_by_one: ClassVar[bool] = True

    start: State
    states: Mapping[Any, Mapping[str, State | None]]
    everywhere: Collection[str] = ()

    def starting_in(self, state: State) -> "StateMachine":
        """Return the machine with another initial state, for example to resume earlier work."""
        return replace(self, start=state)

    def problems(self, tools: Mapping[str, Tool], later: Collection[str] = ()) -> Sequence[Problem]:
        """Return the problems with unknown states, unknown tools, and tools that are in no state."""
        names = names_within(tools)
        found = [*self._wrong_states()]
        for state, own in self.states.items():
            role = f"the state '{state_name(state)}' has"
            found += [unknown_tool(name, role, names) for name in own if name not in names and name not in later]
        found += [
            unknown_tool(name, "'everywhere' has", names)
            for name in self.everywhere
            if name not in names and name not in later
        ]
        placed = {*self.everywhere, *(name for own in self.states.values() for name in own)}
        hint = "list it under a state, or in 'everywhere'"
        found += [Problem("", f"the tool '{name}' is in no state", hint=hint) for name in tools if name not in placed]
        return found

    def preface(self, past: LoopHistory) -> str:
        """Return the notice of the current state."""
        return f"Current state: {state_name(self.state(past))}"

    def state(self, past: LoopHistory) -> State:
        """Return the current state, to which the calls so far have led."""
        state = self.start
        for call in past.calls:
            if call.result.succeeded:
                state = self.states.get(state, {}).get(call.name) or state
        return state

    def table(self, tools: Mapping[str, Tool], past: LoopHistory) -> dict[str, Tool]:
        """Return the tools with their states in the description. Tools of other states are closed tools."""
        state = self.state(past)
        return {name: self._as_offered(name, tool, state, past) for name, tool in tools.items()}

    def _as_offered(self, name: str, tool: Tool, state: State, past: LoopHistory) -> Tool:
        placed = name if self._has(name) else past.origins.get(name, name)
        if placed in self.everywhere:
            return _with_note(tool, "[Available in all states]")
        there = {each: own[placed] for each, own in self.states.items() if placed in own}
        needed = f"state{'s' if len(there) > 1 else ''}: {', '.join(map(state_name, there)) or 'none'}"
        noted = _with_note(tool, f"[Available in {needed}]{_transitions(there) if placed == name else ''}")
        if state in there:
            return noted
        current = f"This tool is not available in the current state ({state_name(state)})"
        return ClosedTool(tool, f"{current}. It is only available in {needed}.", noted.description)

    def _has(self, name: str) -> bool:
        return name in self.everywhere or any(name in own for own in self.states.values())

    def _wrong_states(self) -> Iterator[Problem]:
        declared: Sequence[State] = list(type(self.start)) if isinstance(self.start, Enum) else []
        known = {state_name(state): state for state in (*declared, *self.states)}
        named: list[tuple[str, Any]] = [("the machine starts in", self.start)]
        named += [("there are tools in", state) for state in self.states]
        for state, own in self.states.items():
            role = f"in the state '{state_name(state)}' the tool"
            named += [(f"{role} '{name}' leads to", after) for name, after in own.items() if after is not None]
        for role, state in named:
            if type(state) is not type(self.start) or state_name(state) not in known:
                otherwise = f"the states are {', '.join(known)}" if known else None
                hint = did_you_mean(state_name(state), known, otherwise=otherwise)
                yield Problem("", f"{role} '{state_name(state)}', which is not a state", hint=hint)


def _with_note(tool: Tool, note: str) -> Tool:
    return tool.with_description(f"{tool.description}\n\n{note}")


def _transitions(leads: Mapping[State, State | None]) -> str:
    """Return a note on the states that a tool leads to, for each state that it belongs to."""
    names = {state_name(state): state_name(after) for state, after in leads.items() if after is not None}
    if not names:
        return ""
    if len(leads) == 1:
        return f" [Transitions to: {', '.join(names.values())}]"
    return f" [Transitions: {', '.join(f'{state} to {after}' for state, after in names.items())}]"
