"""Subagents: agents as tools of other agents. Each runs inside its caller's run and shares its blackboard."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple, TypedDict, Unpack

from toolkit.agents.agent import TASK
from toolkit.agents.tasks import converted_input, input_reader
from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import FLOWS, DescribedCall, Flow
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
from toolkit.tools.callees import HOOKS, Arguments, forwards
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of_caller
from toolkit.tools.definition.names import name_problem
from toolkit.tools.definition.spec import ToolSpec, flow_of
from toolkit.tools.kinds.function_tools import from_function
from toolkit.tools.kinds.resolution import build_tools

DEEPEST = 5
"""Default maximum depth of nested subagents."""

Agents = Mapping[str, Tool] | Callable[[str], Tool | None]
"""Agents by name: a mapping, or a function that returns the agent of a name (always the same one) or `None`."""


class SubagentOptions(TypedDict, total=False):
    """The options of any subagent.

    Attributes:
        input_type: The type of the input: a pydantic model, a dataclass or a TypedDict. The agent receives the input as
            its arguments, or as JSON if it takes a single string. The object is also added to its blackboard.
        budget: The budget of each call. The budgets of outer runs apply too.
        deepest: Maximum depth of nested subagents, including this one.
    """

    input_type: type | None
    budget: Budget | None
    deepest: int


class _Given(NamedTuple):
    """The parsed arguments for the agent, and the input object if an input type is set."""

    arguments: Any
    thing: Any = None


_KNOWN_BEFORE = {
    "callees", "delegates", "demands", "holders", "identity", "ignores_unknown", "pipe", "reads_files", "spec",
    "suspends", "toolbox", "uses_context",
}  # fmt: skip
"""The hooks that are used before any call. They must not create the agent."""


@forwards(HOOKS - _KNOWN_BEFORE, to="agent", arguments=attrgetter("arguments"))
class Subagent(Tool):
    """A tool with which an agent delegates work to another agent. Create it with `of`, `made_by` or `by_name`.

    The subagent's run is part of its caller's run. It can read the caller's blackboard, and the objects that it adds
    are passed to the caller when it ends, even if it failed. Its calls and costs count for the caller, too. If its own
    budget is used up, only the subagent ends.
    """

    is_agent = True
    delegates = True

    def __init__(
        self,
        make: Callable[[], Tool],
        spec: ToolSpec,
        *,
        input_type: type | None = None,
        budget: Budget | None = None,
        deepest: int = DEEPEST,
    ) -> None:
        """Create a subagent. `of`, `made_by` and `by_name` are simpler.

        Args:
            make: Returns the agent. It is called when the agent is first needed.
            spec: The specification of the tool.
            input_type: The type of the input, as in `SubagentOptions`.
            budget: The budget of each call.
            deepest: Maximum depth of nested subagents.

        Raises:
            InvalidTools: If the name is invalid, or the input type cannot be represented as JSON.
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
        """Create a subagent from an existing agent: an AgentTool, any other tool, or a function.

        Args:
            agent: The agent. By default, the subagent has its name, description and parameters.
            name: The name to use instead.
            description: The description to use instead.
            **options: Any of `input_type`, `budget` and `deepest`. `SubagentOptions` describes them.

        Raises:
            InvalidTools: If `agent` is not exactly one tool, or the name is invalid.
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
        """Create a subagent from a function that creates the agent on the first call.

        Raises:
            InvalidTools: If the name is invalid.
        """
        spec = ToolSpec(name, description, TASK)
        return cls(lambda: _one_tool(make()), spec, **options)

    @classmethod
    def by_name(
        cls, name: str, agents: Agents, *, description: str | None = None, **options: Unpack[SubagentOptions]
    ) -> "Subagent":
        """Create a subagent from an agent that is looked up by name on the first call.

        Args:
            name: The name of the agent, which is also the name of the tool.
            agents: The agents by name.
            description: The description for models; by default, it says that the tool delegates to the agent.
            **options: Any of `input_type` (by default, a task in words), `budget` and `deepest`.

        Raises:
            InvalidTools: If the name is invalid.
        """
        text = description or f"Delegate to the agent '{name}'."
        return cls.made_by(lambda: _named(name, agents), name, text, **options)

    @property
    def callees(self) -> tuple[Tool, ...]:
        """The agent, if it has been created."""
        return () if self._agent is None else (self._agent,)

    @property
    def own_flows(self) -> frozenset[Flow]:
        """What the subagent does with data: everything, as long as its agent is not known."""
        if self._agent is None:
            return frozenset(FLOWS)
        return flow_of(self.spec) | self._agent.described.risk.flow

    @property
    def flows(self) -> frozenset[Flow]:
        """What the subagent, its agent and the tools of the agent do with data."""
        return self.own_flows if self._agent is None else self.own_flows | self._agent.flows

    @property
    def described(self) -> DescribedCall:
        """A call as a policy sees it; the calls of the agent are judged one by one."""
        risk = self.spec.risk
        return DescribedCall(replace(risk, flow=self.own_flows, files=self.files, dotted_names=self.dotted_names))

    @property
    def known_agent(self) -> Tool | None:
        """The agent, or `None` if it has not been created yet."""
        return self._agent

    @property
    def agent(self) -> Tool:
        """The agent, which is created if necessary.

        Raises:
            ConfigurationError: If there is no agent of the name.
        """
        if self._agent is None:
            self._agent = self._make()
        return self._agent

    def parse(self, arguments: Arguments) -> _Given:
        """Parse the arguments, and convert them for the agent."""
        if self._reader is None:
            return _Given(self.agent.parse(arguments))
        thing = self._reader.parse(arguments)
        return _Given(self.agent.parse(converted_input(self.agent, arguments, self.spec)), thing)

    def describe(self, parsed: _Given) -> dict[str, Any]:
        """Return the arguments as plain data."""
        return self.agent.describe(parsed.arguments) if self._reader is None else self._reader.describe(parsed.thing)

    def check(self, parsed: _Given, context: ToolContext) -> None:
        """Refuse a call if the agent refuses it, is already running, or would be nested too deeply.

        Raises:
            ToolExecutionError: If the call is refused. The message is for the calling model.
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
        """Return the approval that the agent demands, either itself or because of its specification."""
        spec = self.agent.spec
        if self.agent.demands and (demand := self.agent.demand(parsed.arguments, context)) is not None:
            return demand
        needs_approval = spec.requires_approval or spec.destructive
        return Demand(f"the agent '{spec.name}'") if needs_approval and not self._is_marked else None

    @property
    def _is_marked(self) -> bool:
        return bool(self.spec.requires_approval or self.spec.destructive)

    async def perform(self, parsed: _Given, context: ToolContext) -> ToolResult:
        """Run the agent in an inner run, and add the objects on its blackboard to the caller's."""
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
    """Return a result with its output as the artifact, if it succeeded and has no artifact."""
    if not result.succeeded or result.artifact is not None:
        return result
    return replace(result, artifact=result.output)


def _lineage(context: ToolContext) -> tuple[Run, ...]:
    return context.run.lineage if context.run is not None else ()


def _one_tool(thing: Any) -> Tool:
    """Return the single tool that a value stands for.

    Raises:
        InvalidTools: If it is not exactly one tool.
    """
    if isinstance(thing, Tool):
        return thing
    if inspect.isroutine(thing):
        return from_function(thing)
    tools, problems = build_tools(thing)
    raise_errors(InvalidTools, problems)
    if len(tools) != 1:
        names = ", ".join(tool.name for tool in tools)
        message = f"a subagent is one tool, but this is {len(tools)}: {names}"
        raise InvalidTools(problems=[Problem(NOT_A_TOOL, message, hint="combine them in an AgentTool")])
    return tools[0]


def _named(name: str, agents: Agents) -> Tool:
    found = agents.get(name) if isinstance(agents, Mapping) else agents(name)
    if found is not None:
        return found
    known = list(agents) if isinstance(agents, Mapping) else []
    hint = did_you_mean(name, known, otherwise=f"the agents are {', '.join(sorted(known))}" if known else None)
    raise ConfigurationError(f"there is no agent '{name}'{f'; {hint}' if hint else ''}")
