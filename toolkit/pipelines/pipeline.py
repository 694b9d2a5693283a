"""The Pipeline: a Tool that runs a plan. It is called like any other tool and can be a step of other pipelines."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolkit.approvals.gates import Demand
from toolkit.errors import ExitEarlyError, Signal
from toolkit.events import PipelineFinished, PipelineStarted
from toolkit.pipelines.execution import (
    INTERRUPTED,
    clean_up,
    clean_up_undisturbed,
    is_interruption,
    make_steps,
    run_chain,
)
from toolkit.pipelines.pipeline_states import (
    Flow,
    GateRefused,
    InputFlow,
    Run,
    error_record,
    failure_of,
    outcome_of_written,
)
from toolkit.pipelines.plans import Plan
from toolkit.pipelines.short_chains import ShortStep, run_short_chain, short_chain
from toolkit.pipelines.step_actions import CURRENT_PATH
from toolkit.pipelines.step_definitions import ErrorStrategy
from toolkit.pipelines.tainting import leaking_reader
from toolkit.problems import Problem
from toolkit.tools.base import Tool, innermost
from toolkit.tools.callees import Arguments, Pipe
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.names import legal_name
from toolkit.tools.definition.spec import TEXT_PARAMETERS, ToolSpec
from toolkit.tools.kinds.class_tools import text_given
from toolkit.tools.outcomes import result_of_ending
from toolkit.tools.questions import RunningCall

if TYPE_CHECKING:
    from toolkit.events import Outcome as EventOutcome
    from toolkit.pipelines.builder import PipelineBuilder
    from toolkit.tools.inputs import Input, InputShape

_ENDED = ToolResult(error="the pipeline was cancelled", error_code="signal")


class Pipeline(Tool):
    """A chain of tools that runs without a model in between and is itself a tool.

    Example:
        >>> from toolkit import Pipeline, tool
        >>> from toolkit.builtin import Calculator
        >>> @tool
        ... def in_words(amount: str) -> str:
        ...     '''Format an amount.'''
        ...     return f"{amount} euros"
        >>> pipeline = Pipeline.of(Calculator(), in_words)
        >>> pipeline.name
        'calculator_then_in_words'
        >>> pipeline.run({"input": "3 * 1.25"}).output
        '3.75 euros'

    Attributes:
        plan: The plan that the pipeline runs, as plain data.
        steps: The tools of the steps, in order; `None` for a step that calls no tool.
        error_strategy: What happens after a step has failed.
    """

    keeps_steps = True

    def __init__(self, plan: Plan) -> None:
        """Create a pipeline from a plan.

        Use `Pipeline.of`, `Pipeline.builder` or `load_pipeline` instead, unless you already have a plan.
        """
        self.plan = plan
        self.suspends = plan.suspends
        self.pipe: Pipe = "text" if plan.inputs is None else "parameter"
        self._shape = None if plan.inputs is None else _shape_of(plan.inputs)
        self._steps = make_steps(plan.steps)
        self._on_failure = make_steps(plan.on_failure)
        self._ids = tuple(step.definition.id.text for step in plan.walk() if step.definition.id is not None)

    @property
    def uses(self) -> Mapping[str, str]:
        """The steps, each with the tool that it calls and what that tool uses."""
        used: dict[str, str] = {}
        for step in self.plan.walk():
            if step.tool is not None:
                more = "; ".join(f"{label} {text}" for label, text in step.tool.uses.items())
                used[f"step {step.path}"] = f"{step.tool.name} ({more})" if more else step.tool.name
        return used

    @staticmethod
    def of(*steps: Any, name: str | None = None, description: str | None = None) -> "Pipeline":
        """Chain tools, so that each receives the output of the one before.

        Args:
            *steps: One or more tools, marked functions, or objects with `execute(text)`.
            name: The name by which models call the pipeline; `a_then_b` by default.
            description: What the pipeline does; `Pipeline: a -> b` by default.

        Raises:
            InvalidPipeline: If the steps cannot be chained. The exception lists all problems.
        """
        from toolkit.pipelines.builder import check_all_given  # files need no builder

        check_all_given(steps, "unnamed" if name is None else "named")
        builder = Pipeline.builder()
        for step in steps:
            builder.step(step)
        names = builder.tool_names
        builder.name(legal_name("_then_".join(names)) if name is None else name)
        builder.description(f"Pipeline: {' -> '.join(names)}" if description is None else description)
        return builder.build()

    @staticmethod
    def builder() -> "PipelineBuilder[Pipeline]":
        """Return a builder for a pipeline whose steps need more settings than `Pipeline.of` offers."""
        from toolkit.pipelines.builder import PipelineBuilder  # files need no builder

        return PipelineBuilder(Pipeline)

    @property
    def steps(self) -> tuple[Tool | None, ...]:
        """The tools of the steps, in order; `None` for a step that calls no tool."""
        return tuple(step.tool for step in self.plan.steps)

    @property
    def error_strategy(self) -> ErrorStrategy:
        """What happens after a step has failed."""
        return self.plan.error_strategy

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The warnings found while the pipeline was planned."""
        return self.plan.problems

    @cached_property
    def spec(self) -> ToolSpec:  # type: ignore[override]  # cached: it never changes
        """The specification. The pipeline is read-only if all its tools are."""
        plan = self.plan
        tools = [step.tool.spec for step in plan.walk() if step.tool is not None]
        return ToolSpec(
            plan.name,
            plan.description,
            TEXT_PARAMETERS if self._shape is None else self._shape.schema,
            output_schema=plan.output_schema,
            read_only=True if tools and all(spec.read_only for spec in tools) else None,
            open_world=True if any(spec.open_world for spec in tools) else None,
            source=plan.location and plan.location.file,
            location=plan.location,
        )

    @property
    def callees(self) -> tuple[Tool, ...]:
        """The tools of all steps. A gate judges their calls as those of the person who wrote the pipeline."""
        return tuple(step.tool for step in self.plan.walk() if step.tool is not None)

    @cached_property
    def _leaks(self) -> str | None:
        """The name of a tool that reads private data which a later step could send out, or `None`."""
        return leaking_reader(self.plan) if self.spec.read_only else None  # a gate asks about other pipelines anyway

    @cached_property
    def demands(self) -> bool:  # type: ignore[override]  # it follows from the steps
        """Whether a model that calls the pipeline could make it send out private data."""
        return self._leaks is not None

    def demand(self, parsed: dict[str, Any], context: ToolContext) -> Demand | None:
        """Return a question about a model's call if a step could send out what another one reads."""
        if self._leaks is None or context.chosen_by == "person":
            return None
        return Demand(f"its steps could send out what '{self._leaks}' reads")

    @cached_property
    def _short_steps(self) -> tuple[ShortStep, ...] | None:
        """The steps as a short chain, or `None` if a step needs more than a short call."""
        return short_chain(self.plan)

    @cached_property
    def takes_short_way(self) -> bool:
        """Whether every step is just a short call."""
        return self._short_steps is not None and not self.hidden_parameters

    @cached_property
    def needs_no_question(self) -> bool:
        """Whether the default policy allows a person to call the pipeline and all its tools without a question."""
        return super().needs_no_question and all(tool.needs_no_question for tool in self.callees)

    def parse(self, arguments: Arguments) -> dict[str, Any]:
        """Return the inputs by name.

        Raises:
            ToolArgumentsError: If inputs are missing or wrong. The exception lists all of them.
        """
        return {"input": text_given(arguments)} if self._shape is None else self._shape.read(arguments)

    def describe(self, parsed: dict[str, Any]) -> dict[str, Any]:
        """Return the inputs with secrets masked."""
        return self.veil.over(parsed)

    async def perform(self, parsed: dict[str, Any], context: ToolContext) -> ToolResult:
        """Run the steps. Their calls count as chosen by a person, the author, even if a model chose the pipeline."""
        if context.chosen_by != "person":
            context = context.replace(chosen_by="person")
        result, gate_refused = await self._run_reported(parsed, context)
        if gate_refused and self._is_part_of_another(context):
            raise GateRefused(result.error)
        return result

    def steps_at_once(self, parsed: dict[str, Any], context: ToolContext) -> ToolResult:
        """Run the steps as `perform` does, if all of them are short calls."""
        flow = _begin(self.plan, self._ids, parsed, context, "", makes_results=False)
        run = flow.run
        try:
            failed = run_short_chain(self._short_steps or (), flow)
        except ExitEarlyError as error:
            error.outputs = {**run.outputs, **error.outputs}
            raise
        result = self._result(flow) if failed is None else failed
        return replace(result, skips=run.skips) if result.skips != run.skips else result

    def _is_part_of_another(self, context: ToolContext) -> bool:
        """Return whether this pipeline runs inside another one, at any depth. That one then has to end too."""
        call = context.call
        if call is not None and _worker_of(call) is self:
            call = call.around
        while call is not None and not isinstance(_worker_of(call), Pipeline):
            call = call.around
        return call is not None

    async def _run_reported(self, parsed: Mapping[str, Any], context: ToolContext) -> tuple[ToolResult, bool]:
        if context.listener is None:
            return await self._run(_begin(self.plan, self._ids, parsed, context, ""))
        result, gate_refused = _ENDED, False
        outcome: EventOutcome = "signal"
        with context.reporting(
            lambda call: PipelineStarted(call, self.name, len(self._steps)),
            lambda call, seconds: PipelineFinished(call, self.name, outcome, result.error, seconds),
        ):
            begun = _begin(self.plan, self._ids, parsed, context, CURRENT_PATH.get())
            try:
                result, gate_refused = await self._run(begun)
            except Signal as ending:
                result = result_of_ending(ending, result)
                raise
            outcome = "success" if result.error is None else "failure"
        return result, gate_refused

    async def _run(self, flow: Flow) -> tuple[ToolResult, bool]:
        """Return the result, and whether the run ended because approval was refused."""
        run = flow.run
        try:
            failed = await run_chain(self._steps, flow)
            result = self._result(flow) if failed is None else failed.result
        except ExitEarlyError as error:
            error.outputs = {**run.outputs, **error.outputs}
            raise
        except Signal:
            raise
        except BaseException as error:
            if is_interruption(error):
                record = error_record(ToolResult.failure("the run was interrupted", INTERRUPTED), run.failed_step)
                await clean_up_undisturbed(self._on_failure, flow, record)
            raise
        if result.error is not None:
            await clean_up(self._on_failure, flow, error_record(result, run.failed_step))
        if result.skips != run.skips:
            result = replace(result, skips=run.skips)
        return result, failed is not None and failed.ends_run

    def _result(self, flow: Flow) -> ToolResult:
        """Return the pipeline's result after its last step."""
        if self.plan.output is None:
            return flow.result
        try:
            return outcome_of_written(self.plan.output, flow.roots()).result
        except Exception as error:  # noqa: BLE001 - any error of an expression is a failure of the pipeline
            return failure_of(error).result


def _worker_of(call: RunningCall) -> object:
    return innermost(call.tool) if isinstance(call.tool, Tool) else call.tool


def _shape_of(inputs: "tuple[Input, ...]") -> "InputShape":
    from toolkit.tools.inputs import InputShape  # many pipelines have only the default input

    return InputShape(inputs)


def _begin(
    plan: Plan,
    ids: tuple[str, ...],
    inputs: Mapping[str, Any],
    context: ToolContext,
    prefix: str,
    *,
    makes_results: bool = True,
) -> Flow:
    """Return the flow at the first step. If there is a single input, it is the previous output."""
    run = Run(plan, ids, inputs, prefix)
    only = next(iter(inputs.values())) if len(inputs) == 1 else ""
    if makes_results and isinstance(only, str):
        return Flow(run, context, only, only, ToolResult(only))
    return InputFlow(run, context, only)
