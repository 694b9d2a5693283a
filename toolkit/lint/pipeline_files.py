"""Pipelines as rules see them: the document with the places of all that stands in it, and the plan in short."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from toolkit import documents
from toolkit.approvals.risks import Flow
from toolkit.lint.definitions import Text, TextKind
from toolkit.lint.places import WrittenInDocument
from toolkit.problems import Location
from toolkit.tools.spec import ToolSpec


class Taint(NamedTuple):
    """An argument of a step's call that has words from outside, passed on by the pipeline as they came.

    Attributes:
        parameter: What it is given to; None where it is all arguments.
        location: Where it is written, or what it is piped into.
        origins: The paths of the steps that brought the words in.
        is_seen: Whether a gate has asked in between.
    """

    parameter: str | None
    location: Location
    origins: tuple[str, ...]
    is_seen: bool


class StepCall(NamedTuple):
    """What is known of a step's call before anything runs.

    Attributes:
        arguments: The arguments that are written out, but no secrets.
        unknown: The names of those that are computed, or secret; None where any may be.
        flow: What the tool does with data.
        base: The folder that the tool takes relative paths from; None for the working directory.
    """

    arguments: Mapping[str, Any] = {}
    unknown: Sequence[str] | None = None
    flow: Sequence[Flow] = ()
    base: str | None = None


class PipelineStep(NamedTuple):
    """One step of a pipeline that can be planned. The child sends its fields by name, the tool as its record.

    Attributes:
        path: The labels that lead to it, as in `compare/left/summarize`.
        kind: What it does.
        location: Where it stands.
        tool: The tool that it calls, if it calls one.
        feed: The parameter that the previous output fills, if it fills one.
        asks: Whether it has `approve`.
        attempts: How often it is tried; None if it has no `retry`.
        timeout: Its timeout in seconds, the default's included; None without one.
        max_parallel: How many items run at a time; None if it has no `for_each`.
        on_error: What happens after it has failed.
        is_concurrent: Whether it stands in a branch that runs beside others.
        taints: The arguments of its call that have words from outside.
        call: What is known of its call, if it calls a tool.
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
    """A pipeline's file."""

    def __init__(self, file: str, text: str, steps: tuple[PipelineStep, ...] | None) -> None:
        """Keep the text and the result of planning.

        Args:
            file: How the file is called in the places of problems.
            text: The YAML.
            steps: Every step in the order in which they are written; None where it cannot be planned.
        """
        self.file = file
        self.text = text
        self.steps = steps

    @cached_property
    def root(self) -> documents.Mapping | None:
        """The document; None where it is not a mapping or cannot be read."""
        root, _ = documents.parse_document(self.text, self.file)
        return root if isinstance(root, documents.Mapping) else None

    @cached_property
    def data(self) -> dict[str, Any]:
        """The document as plain data."""
        plain = {} if self.root is None else documents.plain(self.root)
        return plain if isinstance(plain, dict) else {}

    def node_at(self, place: Location) -> documents.Node | None:
        """Return the largest node that begins at a place, such as the whole of a step."""
        return self._nodes.get((place.line, place.column))

    @cached_property
    def _nodes(self) -> dict[tuple[int | None, int | None], documents.Node]:
        """The largest node that begins at each place, each visited once however often aliases repeat it."""
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
        """Yield the texts of the pipeline or agent that a model reads, with their places."""
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
