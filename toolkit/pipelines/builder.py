"""Builds pipelines in Python with the same keys as in a file.

Each method call is turned into the nodes that a file would have, so the same code reads and plans both. Problems are
reported at the line of Python that caused them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, Self, TypedDict, TypeVar

from toolkit import documents
from toolkit.codes import INVALID_TOOL_NAME, UNKNOWN_KEY
from toolkit.documents import Entry, Node, Scalar
from toolkit.documents.node_keys import spot_of
from toolkit.documents.nodes import Word
from toolkit.errors import InvalidPipeline, Signal, ToolExecutionError
from toolkit.pipelines.planning import make_plan
from toolkit.pipelines.plans import Plan
from toolkit.pipelines.step_definitions import AdapterFunction, ErrorStrategy, PipelineDefinition, StepDefinition
from toolkit.pipelines.steps import StepDefaults, StepReader
from toolkit.pipelines.templated_data import Value, read_value
from toolkit.problems import Location, Problem, errors_among
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.calls.results import ToolResult, message_of
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of_caller
from toolkit.tools.definition.names import name_problem
from toolkit.tools.inputs import read_inputs
from toolkit.tools.kinds.class_tools import AdaptedTextTool
from toolkit.tools.kinds.resolution import build_tools

if TYPE_CHECKING:
    from typing import Unpack


P = TypeVar("P")


# The keyword arguments of the steps, for type checkers: the keys of a file, which `step_keys` describes. `None` means
# that the key is not set.


class StepKeys(TypedDict, total=False):
    """The keys of every step."""

    id: str | None
    when: str | bool | None
    on_error: Literal["fail", "continue"] | Mapping[str, Any] | None


class ParallelKeys(StepKeys, total=False):
    """The keys of a step with branches."""

    adapt: Any
    timeout: str | float | None


class SetKeys(StepKeys, total=False):
    """The keys of a step that computes a value."""

    for_each: str | Sequence[Any] | None
    max_parallel: int | None
    on_item_error: Literal["fail", "skip"] | None
    adapt: Any


class UseKeys(SetKeys, total=False):
    """The keys of a step that calls a tool."""

    arguments: Mapping[str, Any] | None
    pipe: str | None
    retry: int | Mapping[str, Any] | None
    timeout: str | float | None
    approve: bool | str | Mapping[str, Any] | None


class PipelineBuilder(Generic[P]):
    """Builds a pipeline step by step. `build` reports all problems together.

    Example:
        >>> from toolkit import Pipeline
        >>> from toolkit.builtin import Calculator
        >>> pipeline = (
        ...     Pipeline.builder()
        ...     .name("quarter")
        ...     .description("Calculates a sum, and a quarter of it.")
        ...     .step(Calculator())
        ...     .adapter(lambda result: f"({result.output}) / 4")
        ...     .step(Calculator(), timeout="30s", retry={"attempts": 3})
        ...     .build()
        ... )
        >>> pipeline.run({"input": "30 + 3"}).output
        '8.25'
    """

    def __init__(self, make: Callable[[Plan], P]) -> None:
        """Create an empty builder.

        Args:
            make: Called by `build` to turn the plan into the finished object.
        """
        self._make = make
        self._name: Word | None = None
        self._description: Word | None = None
        self._strategy = ErrorStrategy.FAIL_FAST
        self._steps: list[StepDefinition] = []
        self._on_failure: list[StepDefinition] = []
        self._inputs: Node | None = None
        self._output: Value | None = None
        self._problems: list[Problem] = []
        self._tools: dict[str, Tool] = {}
        self._reader = StepReader(self._problems, StepDefaults())

    def name(self, name: str) -> Self:
        """Set the pipeline's name, by which models call it."""
        self._name = Word(name, place_of_caller())
        return self

    def description(self, description: str) -> Self:
        """Describe what the pipeline does and when to use it."""
        self._description = Word(description, place_of_caller())
        return self

    def error_strategy(self, strategy: ErrorStrategy | str) -> Self:
        """Set what happens after a step has failed. The default is `FAIL_FAST`."""
        try:
            self._strategy = ErrorStrategy(strategy)
        except ValueError:
            _refuse(f"the error strategy must be an ErrorStrategy, not {strategy!r}")
        return self

    def inputs(self, inputs: Mapping[str, Any]) -> Self:
        """Declare the inputs as a mapping from names to JSON Schema fragments.

        By default, the pipeline has a single input: a string named `input`.
        """
        self._inputs = self._node(dict(inputs), place_of_caller())
        return self

    def output(self, value: Any) -> Self:
        """Set the pipeline's output: plain data that may contain `${{ }}`. The default is the last step's result."""
        self._output = read_value(self._node(value, place_of_caller()), self._problems)
        return self

    def step(self, tool: Any, **keys: "Unpack[UseKeys]") -> Self:
        """Add a step that calls a tool.

        Args:
            tool: A Tool, a marked function, or an object with `execute(text)`.
            **keys: The keys of a step as in a file: `id`, `pipe`, `when`, `for_each`, `max_parallel`, `on_item_error`,
                `retry`, `timeout`, `approve`, `adapt` and `on_error`. `with` is called `arguments` here.

        Raises:
            InvalidPipeline: If `tool` is not exactly one tool.
        """
        return self._add(self._steps, self._use(tool), keys)

    def set(self, value: Any, **keys: "Unpack[SetKeys]") -> Self:
        """Add a step that computes a value from plain data that may contain `${{ }}`."""
        return self._add(self._steps, {"set": value}, keys)

    def parallel(self, branches: Mapping[str, Any], **keys: "Unpack[ParallelKeys]") -> Self:
        """Add a step that calls several tools in parallel, one per branch. A branch of several steps is a Pipeline."""
        return self._add(self._steps, {"parallel": {name: self._use(tool) for name, tool in branches.items()}}, keys)

    def approve(self, message: Any = True, **keys: "Unpack[StepKeys]") -> Self:  # noqa: FBT002 - as in a file
        """Add a step that asks a reviewer whether to continue and does nothing else."""
        return self._add(self._steps, {"approve": message}, keys)

    def on_failure(self, tool: Any, **keys: "Unpack[UseKeys]") -> Self:
        """Add a step that runs after the pipeline has failed. Its expressions can read `error`."""
        return self._add(self._on_failure, self._use(tool), keys)

    def adapter(self, adapter: Callable[[ToolResult], Any] | Any) -> Self:
        """Set how the result of the step added last is reshaped for the next step. A second call replaces the first.

        Args:
            adapter: A function that receives the whole result, or plain data that may contain `${{ result }}`. It is
                applied only if the step succeeds and another step follows.

        Raises:
            InvalidPipeline: If no step has been added yet, or the adapter is `None` or an async function.
        """
        if not self._steps:
            _refuse("adapter() must be called after a step()")
        if adapter is None:
            _refuse("the adapter must not be None")
        if iscoroutinefunction(adapter):
            _refuse("the adapter must be a plain function, not an async one (let a step do what has to wait)")
        if callable(adapter):
            made: Value | AdapterFunction = AdapterFunction(adapter)
        else:
            made = read_value(self._node(adapter, place_of_caller()), self._problems)
        self._steps[-1] = self._steps[-1]._replace(adapter=made)
        return self

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools of the steps so far."""
        words = (getattr(step.action, "tool", None) for step in self._steps)
        return [self._tools[word.text].name for word in words if isinstance(word, Word)]

    def build(self) -> P:
        """Return the pipeline.

        Raises:
            InvalidPipeline: If the pipeline has errors. The exception lists all of them.
        """
        place = place_of_caller()
        definition = PipelineDefinition(
            name=self._checked_name(place),
            description=self._checked_description(place),
            location=place,
            inputs=None if self._inputs is None else read_inputs(spot_of(self._inputs, "'inputs'", self._problems)),
            error_strategy=self._strategy,
            steps=tuple(self._steps),
            output=self._output,
            on_failure=tuple(self._on_failure),
        )
        problems = [*self._problems, *self._reader.duplicates()]
        plan = make_plan(definition, _GivenTools(self._tools), problems)
        if plan is None:
            raise InvalidPipeline(problems=problems)
        return self._make(plan)

    def _checked_name(self, place: Location) -> Word:
        word = self._name or Word("", place)
        if _is_blank(word.text):
            self._problems.append(Problem(INVALID_TOOL_NAME, "Pipeline name must not be blank", word.location))
        elif trouble := name_problem(word.text, word.location):
            self._problems.append(trouble)
        return word

    def _checked_description(self, place: Location) -> str:
        word = self._description or Word("", place)
        if _is_blank(word.text):
            self._problems.append(Problem(UNKNOWN_KEY, "Pipeline description must not be blank", word.location))
            return ""
        return word.text

    # ---------------------------------------------------------------------------------------------------- steps

    def _add(self, steps: list[StepDefinition], action: Mapping[str, Any], keys: Mapping[str, Any]) -> Self:
        written = {"with" if name == "arguments" else name: value for name, value in keys.items() if value is not None}
        if isinstance(written.get("timeout"), int | float):
            written["timeout"] = f"{written['timeout']}s"
        step = self._reader.read(self._node({**action, **written}, place_of_caller()))
        if step is not None:
            steps.append(step._replace(adapter_location=None))
        return self

    def _use(self, candidate: Any) -> dict[str, Any]:
        if candidate is None:
            _refuse("step tool must not be None")
        return {"use": self._key_of(_tool_of(candidate))}

    def _key_of(self, tool: Tool) -> str:
        """Return a unique key for a tool: its name, with a number added if another tool has the same name."""
        key, number = tool.name, 1
        while self._tools.setdefault(key, tool) is not tool:
            number += 1
            key = f"{tool.name}_{number}"
        return key

    def _node(self, data: Any, place: Location) -> Node:
        """Convert plain data to the node that it would have in a file."""
        match data:
            case None | bool() | int() | float() | str():
                return Scalar(data, "" if data is None else str(data), plain=False, place=place)
            case list() | tuple():
                return documents.Sequence(tuple(self._node(item, place) for item in data), place)
            case Mapping():
                entries = {str(name): self._entry(str(name), value, place) for name, value in data.items()}
                return documents.Mapping(entries, place)
            case _:
                kind = type(data).__name__
                self._problems.append(Problem(UNKNOWN_KEY, f"a value of type {kind!r} is not plain data", place))
                return Scalar(None, "", plain=False, place=place)

    def _entry(self, name: str, value: Any, place: Location) -> Entry:
        return Entry(Scalar(name, name, plain=False, place=place), self._node(value, place))


def _is_blank(text: Any) -> bool:
    return not isinstance(text, str) or not text.strip()


class _GivenTools:
    """Resolves the keys of a builder's tools."""

    environment: Mapping[str, str] = {}

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools

    def known(self) -> Iterable[str]:
        return self._tools

    def tool(self, word: Word) -> Tool | list[Problem]:
        return self._tools.get(word.text, [])

    def refusal_of_environment(self) -> None:
        return None


class PlainStepTool(WrappedTool):
    """Wraps a plain object with `execute(text)`, so that its errors name the step."""

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Call the object and add the step's name to any error that it raises."""
        try:
            return await self.inner.perform(parsed, context)
        except Signal:
            raise
        except Exception as error:
            raise ToolExecutionError(f"Step {self.name!r} threw: {message_of(error)}") from error


def _tool_of(candidate: Any) -> Tool:
    """Return the tool that a step calls.

    Raises:
        InvalidPipeline: If the candidate is not exactly one tool.
    """
    tools, problems = build_tools(candidate)
    if errors_among(problems):
        here = place_of_caller()
        raise InvalidPipeline(problems=[replace(one, location=one.location or here) for one in problems])
    if len(tools) != 1:
        names = ", ".join(tool.name for tool in tools)
        _refuse(f"{type(candidate).__name__!r} has {len(tools)} tools ({names}), and a step calls one")
    [tool] = tools
    is_plain = isinstance(tool, AdaptedTextTool) and not isinstance(candidate, Tool)
    return PlainStepTool(tool) if is_plain else tool


def check_all_given(steps: Sequence[Any], how: Literal["named", "unnamed"]) -> None:
    """Check that there is at least one step and that no step is `None`.

    Raises:
        InvalidPipeline: If there is no step, or a step is `None`.
    """
    if not steps or steps[0] is None:
        _refuse("first step must not be None")
    if any(step is None for step in steps):
        _refuse("step tool must not be None" if how == "named" else "pipeline steps must not contain None elements")


def _refuse(message: str) -> NoReturn:
    raise InvalidPipeline(problems=[Problem(UNKNOWN_KEY, message, place_of_caller())])
