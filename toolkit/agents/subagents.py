"""Subagents: agents as tools of other agents, each in a run inside its caller's, with a shared blackboard."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple, TypedDict, Unpack

from toolkit.agents.agent import TASK
from toolkit.agents.handing_over import handed_over, input_reader
from toolkit.approvals.gates import Demand
from toolkit.codes import NOT_A_TOOL
from toolkit.errors import (
    BudgetExceeded,
    ConfigurationError,
    InvalidTools,
    TerminationRequested,
    ToolExecutionError,
    raise_errors,
)
from toolkit.problems import Problem, did_you_mean
from toolkit.runs.records import Budget
from toolkit.runs.run import Run
from toolkit.tools.base import Tool, innermost
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.forwarding import HOOKS, forwards
from toolkit.tools.functions import from_function
from toolkit.tools.names import name_problem
from toolkit.tools.places import place_of_caller
from toolkit.tools.resolution import build_tools
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec

DEEPEST = 5
"""How deep subagents may be nested, by default."""

Agents = Mapping[str, Tool] | Callable[[str], Tool | None]
"""Agents by name: a table, or a function that returns the one of a name, the same one each time, or None."""


class SubagentOptions(TypedDict, total=False):
    """The options of any subagent.

    Attributes:
        input_type: What a call must carry, as a pydantic model, a dataclass or a TypedDict. The agent is given it as
            its arguments, or, where it takes one text alone, as JSON; the object itself is put on its blackboard.
        budget: What each call of it may spend; those of the runs round it hold too.
        deepest: How many subagents may stand in one another, this one counted.
    """

    input_type: type | None
    budget: Budget | None
    deepest: int


class _Given(NamedTuple):
    """The arguments of a call as the agent takes them, and the object that they make if an input type is set."""

    arguments: Any
    thing: Any = None


_KNOWN_BEFORE = {
    "demands", "holders", "identity", "ignores_unknown", "pipe", "reads_files", "spec", "suspends", "toolbox",
    "uses_context",
}  # fmt: skip
"""The hooks that are asked before any call: for them no agent is made."""


@forwards(HOOKS - _KNOWN_BEFORE, to="agent", arguments=attrgetter("arguments"))
class Subagent(Tool):
    """An agent that another agent can delegate work to, as a tool. Make one with `of`, `made_by` or `by_name`.

    Its run is a part of its caller's: it sees the blackboard, and what it adds is there for the caller when it is over,
    well or not: what its tools have done is done. What it calls and spends counts for the caller too. A budget of its
    own ends it alone.
    """

    is_agent = True

    def __init__(
        self,
        make: Callable[[], Tool],
        spec: ToolSpec,
        *,
        input_type: type | None = None,
        budget: Budget | None = None,
        deepest: int = DEEPEST,
    ) -> None:
        """Keep what makes the agent; `of`, `made_by` and `by_name` are the plainer ways.

        Args:
            make: Returns the agent; it is called when the agent is needed first.
            spec: What it is offered as.
            input_type: What a call must carry; this and the rest as in `SubagentOptions`.
            budget: What each call of it may spend.
            deepest: How many subagents may stand in one another.

        Raises:
            InvalidTools: If the name is not legal, or the input type cannot be written as JSON.
        """
        if problem := name_problem(spec.name, spec.location):
            raise InvalidTools(problems=[problem])
        self._make = make
        self._agent: Tool | None = None
        self._reader = input_reader(spec.name, input_type) if input_type is not None else None
        parameters = self._reader.spec.parameters if self._reader is not None else spec.parameters
        place = place_of_caller()
        self.spec = replace(spec, parameters=parameters, location=place, source=place.file)
        self.input_type = input_type
        self.budget = budget
        self.deepest = deepest
        self.demands = True

    @classmethod
    def of(
        cls,
        agent: Any,
        *,
        name: str | None = None,
        description: str | None = None,
        **options: Unpack[SubagentOptions],
    ) -> "Subagent":
        """Return the subagent of an agent that is there: an AgentTool, any other tool, or a function.

        Args:
            agent: What does the work; name, description and parameters are its own by default.
            name: What it is called by instead.
            description: What it is described as instead.
            **options: Any of `input_type`, `budget` and `deepest`; see `SubagentOptions` for each.

        Raises:
            InvalidTools: If it is not a tool, or several; if the name is not legal.
        """
        tool = _one_tool(agent)
        spec = replace(tool.spec, name=name or tool.name, description=description or tool.description)
        subagent = cls(lambda: tool, spec, **options)
        subagent.pipe = tool.pipe if subagent.input_type is None else "parameter"
        subagent._agent = tool
        return subagent

    @classmethod
    def made_by(
        cls, make: Callable[[], Any], name: str, description: str, **options: Unpack[SubagentOptions]
    ) -> "Subagent":
        """Return the subagent of an agent that a function makes when it is called for the first time.

        Raises:
            InvalidTools: If the name is not legal.
        """
        spec = ToolSpec(name, description, TASK)
        return cls(lambda: _one_tool(make()), spec, **options)

    @classmethod
    def by_name(
        cls, name: str, agents: Agents, *, description: str | None = None, **options: Unpack[SubagentOptions]
    ) -> "Subagent":
        """Return the subagent of an agent that is looked up by its name when it is called for the first time.

        Args:
            name: The name of the agent, which the tool has too.
            agents: Where it is looked up.
            description: The description that a model receives; by default, that it delegates to the agent.
            **options: Any of `input_type` (a task in words, by default), `budget` and `deepest`.

        Raises:
            InvalidTools: If the name is not legal.
        """
        text = description or f"Delegate to the agent '{name}'."
        return cls.made_by(lambda: _named(name, agents), name, text, **options)

    @property
    def known_agent(self) -> Tool | None:
        """What does the work, if it is there already."""
        return self._agent

    @property
    def agent(self) -> Tool:
        """What does the work.

        Raises:
            ConfigurationError: If there is none of its name.
        """
        if self._agent is None:
            self._agent = self._make()
        return self._agent

    def parse(self, arguments: Arguments) -> _Given:
        """Return the arguments as the agent takes them."""
        if self._reader is None:
            return _Given(self.agent.parse(arguments))
        thing = self._reader.parse(arguments)
        return _Given(self.agent.parse(handed_over(self.agent, arguments, self.spec)), thing)

    def describe(self, parsed: _Given) -> dict[str, Any]:
        """Return the arguments as plain data."""
        return self.agent.describe(parsed.arguments) if self._reader is None else self._reader.describe(parsed.thing)

    def check(self, parsed: _Given, context: ToolContext) -> None:
        """Refuse what the agent refuses, one that is at work already, and more within one another than there may be.

        Raises:
            ToolExecutionError: In words for the model that has called it.
        """
        at_work = [run.performer for run in reversed(_lineage(context)) if isinstance(run.performer, Tool)]
        way = " → ".join([*(tool.name for tool in at_work), self.agent.name])
        if any(innermost(tool) is innermost(self.agent) for tool in at_work):
            message = f"the agent '{self.agent.name}' is already running and cannot be called again from inside: {way}"
            raise ToolExecutionError(message, "circle")
        if len(at_work) >= self.deepest:
            raise ToolExecutionError(f"{len(at_work)} agents are nested, which is the limit: {way}", "too_deep")
        self.agent.check(parsed.arguments, context)

    def demand(self, parsed: _Given, context: ToolContext) -> Demand | None:
        """Want the question that the agent's own marks want, or that it wants itself."""
        marks = self.agent.spec
        if self.agent.demands and (demand := self.agent.demand(parsed.arguments, context)) is not None:
            return demand
        needs_leave = marks.requires_approval or marks.destructive
        return Demand(f"the agent '{marks.name}'") if needs_leave and not self._says_so else None

    @property
    def _says_so(self) -> bool:
        return bool(self.spec.requires_approval or self.spec.destructive)

    async def perform(self, parsed: _Given, context: ToolContext) -> ToolResult:
        """Let the agent work in a run of its own, and take over the objects on its blackboard."""
        run = Run.within(context.run, goal=self.name, budget=self.budget, performer=self.agent)
        if parsed.thing is not None:
            run.blackboard.add(parsed.thing)
        with run.at_work():
            try:
                result = self.agent.result_of(await self.agent.perform(parsed.arguments, context.replace(run=run)))
            except (BudgetExceeded, TerminationRequested) as signal:
                run.finish("terminated")
                if not run.ends_alone(signal):
                    raise
                code = "budget" if isinstance(signal, BudgetExceeded) else "terminated"
                raise ToolExecutionError(f"'{self.name}' was ended: {signal}", code) from signal
        run.finish("completed" if result.succeeded else "failed")
        return _with_artifact(result)


def _with_artifact(result: ToolResult) -> ToolResult:
    """Return a result whose artifact is its output, if it succeeded and has none."""
    if not result.succeeded or result.artifact is not None:
        return result
    return ToolResult.success(result.output, structured=result.structured, artifact=result.output)


def _lineage(context: ToolContext) -> tuple[Run, ...]:
    return context.run.lineage if context.run is not None else ()


def _one_tool(thing: Any) -> Tool:
    """Return the one tool that a thing is.

    Raises:
        InvalidTools: If it is not a tool, or is several.
    """
    if isinstance(thing, Tool):
        return thing
    if inspect.isroutine(thing):
        return from_function(thing)
    tools, problems = build_tools(thing)
    raise_errors(InvalidTools, problems)
    if len(tools) != 1:
        names = ", ".join(tool.name for tool in tools)
        message = f"a subagent is one tool, and this is {len(tools)}: {names}"
        raise InvalidTools(problems=[Problem(NOT_A_TOOL, message, hint="make an AgentTool of them")])
    return tools[0]


def _named(name: str, agents: Agents) -> Tool:
    found = agents.get(name) if isinstance(agents, Mapping) else agents(name)
    if found is not None:
        return found
    known = list(agents) if isinstance(agents, Mapping) else []
    hint = did_you_mean(name, known, otherwise=f"there are {', '.join(sorted(known))}" if known else None)
    raise ConfigurationError(f"there is no agent '{name}'{f'; {hint}' if hint else ''}")
