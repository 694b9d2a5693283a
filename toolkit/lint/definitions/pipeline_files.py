"""Pipelines as rules see them: the document with the location of each part, and a summary of the plan."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from toolkit import documents
from toolkit.approvals.policies import Flow
from toolkit.lint.definitions.tool_definitions import Text, TextKind
from toolkit.lint.definitions.written_places import WrittenInDocument
from toolkit.problems import Location
from toolkit.tools.definition.spec import ToolSpec


class Taint(NamedTuple):
    """An argument of a step's call with outside text that the pipeline passes on unchanged.

    Attributes:
        parameter: The parameter that receives it; None for all arguments.
        location: Where it is written, or the step that it is piped into.
        origins: The paths of the steps that read the text from outside.
        is_seen: Whether a reviewer is asked in between.
    """

    parameter: str | None
    location: Location
    origins: tuple[str, ...]
    is_seen: bool


class StepCall(NamedTuple):
    """What is known about a step's call before it runs.

    Attributes:
        arguments: The constant arguments, without secrets.
        unknown: The names of computed or secret arguments; None if any argument may be computed.
        flow: What the tool does with data.
        base: The folder for the tool's relative paths; None for the working directory.
    """

    arguments: Mapping[str, Any] = {}
    unknown: Sequence[str] | None = None
    flow: Sequence[Flow] = ()
    base: str | None = None


class PipelineStep(NamedTuple):
    """One step of a valid pipeline. The child process sends its fields by name, and the tool as its record.

    Attributes:
        path: The labels that lead to it, as in `compare/left/summarize`.
        kind: The kind of step.
        location: The location of the step.
        tool: The tool that it calls, if any.
        feed: The parameter that receives the previous output, if any.
        asks: Whether it has `approve`.
        attempts: The maximum number of attempts; None if it has no `retry`.
        timeout: Its timeout in seconds, which may be the default; None without one.
        max_parallel: The number of items that run in parallel; None if it has no `for_each`.
        on_error: What happens after a failure.
        is_concurrent: Whether it is in a branch that runs in parallel with others.
        taints: The arguments of its call that contain text from outside.
        call: What is known about its call, if it calls a tool.
    """

    path: str
    kind: Literal["use", "set", "parallel", "approve"]
    location: Location
    tool: ToolSpec | None = None
    feed: str | None = None
    asks: bool = False
    attempts: int | None = None
    timeout: float | None = None
    max_parallel: int | None = None
    on_error: Literal["fail", "continue", "fallback"] = "fail"
    is_concurrent: bool = False
    taints: tuple[Taint, ...] = ()
    call: StepCall | None = None


class PipelineFile:
    """The file of a pipeline."""

    def __init__(self, file: str, text: str, steps: tuple[PipelineStep, ...] | None) -> None:
        """Create it from the text and the planned steps.

        Args:
            file: The file name in the locations of problems.
            text: The YAML.
            steps: Every step in the order of the file; None if the pipeline cannot be planned.
        """
        self.file = file
        self.text = text
        self.steps = steps

    @cached_property
    def root(self) -> documents.Mapping | None:
        """The document; None if it is not a mapping or cannot be parsed."""
        root, _ = documents.parse_document(self.text, self.file)
        return root if isinstance(root, documents.Mapping) else None

    @cached_property
    def data(self) -> dict[str, Any]:
        """The document as plain data."""
        plain = {} if self.root is None else documents.plain(self.root)
        return plain if isinstance(plain, dict) else {}

    def node_at(self, place: Location) -> documents.Node | None:
        """Return the largest node that begins at a location, such as a whole step."""
        return self._nodes.get((place.line, place.column))

    @cached_property
    def _nodes(self) -> dict[tuple[int | None, int | None], documents.Node]:
        """The largest node at each location; each node is visited once, even if aliases repeat it."""
        found: dict[tuple[int | None, int | None], documents.Node] = {}
        visited = set[int]()
        waiting: list[documents.Node] = [] if self.root is None else [self.root]
        while waiting:
            node = waiting.pop()
            if id(node) in visited:
                continue
            visited.add(id(node))
            found.setdefault((node.location.line, node.location.column), node)
            if isinstance(node, documents.Mapping):
                waiting += (entry.value for entry in node.entries.values())
            elif isinstance(node, documents.Sequence):
                waiting += node.items
        return found

    def texts(self) -> Iterator[Text]:
        """Yield the texts of the pipeline or agent that a model reads, with their positions."""
        if self.root is None:
            return
        kinds: dict[str, TextKind] = {
            "name": "name",
            "description": "description",
            "instructions": "instruction",
            "prompt": "prompt",
        }
        for key, kind in kinds.items():
            if (scalar := _text(self.root.get(key))) is not None:
                yield Text(kind, scalar.text, WrittenInDocument(scalar))
        inputs = self.root.get("inputs")
        for name, entry in inputs.entries.items() if isinstance(inputs, documents.Mapping) else ():
            yield Text("parameter name", name, WrittenInDocument(entry.key), name)
            text = entry.value.get("description") if isinstance(entry.value, documents.Mapping) else None
            if (scalar := _text(text)) is not None:
                yield Text("parameter", scalar.text, WrittenInDocument(scalar), name)


def _text(node: documents.Node | None) -> documents.Scalar | None:
    return node if isinstance(node, documents.Scalar) and isinstance(node.value, str) else None
