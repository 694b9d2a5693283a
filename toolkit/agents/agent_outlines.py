"""Outlines of agents for people to read: the model, the tools, and the order in which tools can be called."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolkit.agents.agent import AgentTool
from toolkit.agents.files.declared_agents import DeclaredAgent
from toolkit.agents.kinds import AgentKind, Playbook, StateMachine, state_name
from toolkit.agents.offered_tools import Chaining
from toolkit.agents.references import Reference, referenced_tools
from toolkit.agents.subagents import Subagent
from toolkit.tools.base import Tool, innermost


class OfferedTool(NamedTuple):
    """A tool that an agent can call.

    Attributes:
        name: The name by which the model calls it.
        description: What it does.
        first: What must happen before it can be called, as a command; empty if it can be called from the start.
    """

    name: str
    description: str
    first: str = ""


class StateOutline(NamedTuple):
    """A state of an agent with its tools, each with the state that it leads to, or `None` if it leads to none."""

    name: str
    is_start: bool
    tools: Mapping[str, str | None]


class AgentOutline(NamedTuple):
    """The outline of an agent.

    Attributes:
        kind: `simple`, `playbook` or `state machine`, or the name of a custom class.
        model: The name of the model; `None` if none is set.
        instructions: The system prompt; `None` if a function makes it.
        turns: Maximum number of requests to the model.
        budget: The budget in words; `None` if there is no limit.
        tools: The tools that it can call.
        references: The names of its references.
        chaining: The classes whose objects provide tools; `any` for all.
        states: The states of a state machine.
        everywhere: The tools that are available in all states.
    """

    kind: str
    model: str | None
    instructions: str | None
    turns: int
    budget: str | None
    tools: tuple[OfferedTool, ...]
    references: tuple[str, ...] = ()
    chaining: tuple[str, ...] = ()
    states: tuple[StateOutline, ...] = ()
    everywhere: tuple[str, ...] = ()


def outline_of(tool: Tool) -> AgentOutline | None:
    """Return the outline of an agent, which may be wrapped, or `None` for any other tool."""
    match innermost(tool):
        case DeclaredAgent(definition=definition, parts=parts):
            instructions = definition.instructions
            outline = _outline(parts.kind, parts.tools.values(), parts.references, parts.chaining)
            return outline._replace(
                model=parts.model,
                instructions=instructions.text if instructions is not None else None,
                turns=definition.limits.turns,
                budget=None if definition.budget is None else str(definition.budget),
            )
        case AgentTool() as agent:
            settings = agent.settings
            outline = _outline(settings.kind, agent.tools.values(), settings.references, settings.chaining)
            return outline._replace(
                model=agent.model.name,
                instructions=agent.instructions if isinstance(agent.instructions, str) else None,
                turns=settings.limits.turns,
                budget=None if settings.budget is None else str(settings.budget),
            )
        case Subagent(known_agent=Tool() as agent, budget=budget) if (known := outline_of(agent)) is not None:
            return known if budget is None else known._replace(budget=str(budget))
    return None


def _outline(
    kind: AgentKind, tools: Iterable[Tool], references: Iterable[Reference], chaining: Iterable[Chaining]
) -> AgentOutline:
    locks = kind.locks if isinstance(kind, Playbook) else {}
    offered = [*tools, *referenced_tools(references)]
    outline = AgentOutline(
        _name_of(kind),
        None,
        instructions=None,
        turns=0,
        budget=None,
        tools=tuple(
            OfferedTool(tool.name, tool.description, locks[tool.name].requirement if tool.name in locks else "")
            for tool in offered
        ),
        references=tuple(reference.name for reference in references),
        chaining=tuple("any" if each.kind is None else each.kind.__name__ for each in chaining),
    )
    if not isinstance(kind, StateMachine):
        return outline
    states = tuple(
        StateOutline(state_name(state), state == kind.start, {name: to and state_name(to) for name, to in own.items()})
        for state, own in kind.states.items()
    )
    return outline._replace(states=states, everywhere=tuple(kind.everywhere))


def _name_of(kind: AgentKind) -> str:
    known = {AgentKind: "simple", Playbook: "playbook", StateMachine: "state machine"}
    return known.get(type(kind), type(kind).__name__)
