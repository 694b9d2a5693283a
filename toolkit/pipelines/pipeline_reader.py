"""Reads a pipeline's definition from a document and reports all mistakes of form together."""

from typing import Final

from toolkit import documents
from toolkit.documents import Node
from toolkit.documents.nodes import FORMAT_VERSION
from toolkit.documents.shapes import NAME, Word, closed, reference
from toolkit.pipelines.step_definitions import (
    MAX_STEPS,
    ErrorStrategy,
    PipelineDefinition,
    StepDefinition,
)
from toolkit.pipelines.step_keys import PARALLEL, Row, names_of, read_parallel, read_rows, read_timeout
from toolkit.pipelines.steps import StepDefaults, StepReader
from toolkit.pipelines.templated_data import read_value
from toolkit.problems import Problem
from toolkit.tools.heads import HeadReader

# fmt: off
DEFAULT_ROWS: Final = (
    Row("timeout", "time limit for each call", reference("duration"), "timeout", read_timeout),
    Row("retry", "how failed calls are retried",
        reference("retry"), "retry", lambda reader, entry: reader.retry(entry.value)),
    Row("max_parallel", "maximum number of list items that run in parallel", PARALLEL, "max_parallel", read_parallel),
)
TOP_ROWS: Final = (
    Row("toolkit", "the version of the format; optional", {"const": FORMAT_VERSION}),
    Row("name", "the name of the tool; the file's stem by default",
        {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_-]*$"}),
    Row("description", "what the pipeline does and when to use it", {"type": "string"}),
    Row("tools", "sources of tools to open, relative to the file", {"type": "array", "items": {"type": "string"}}),
    Row("inputs", "the inputs: a JSON Schema fragment for each name; by default a string `input` if a step reads it",
        {"type": ["object", "null"], "propertyNames": {"pattern": NAME}, "additionalProperties": reference("input")}),
    Row("defaults", "default `timeout`, `retry` and `max_parallel` for all steps",
        closed({row.name: row.described for row in DEFAULT_ROWS})),
    Row("error_strategy", "what happens after a step fails: `fail_fast` (by default) or `continue_on_failure`",
        {"enum": [strategy.value for strategy in ErrorStrategy]}),
    Row("steps", "the steps, in order; each receives the output of the one before", reference("steps")),
    Row("output", "the output of the pipeline, with `${{ }}` in it; by default the last step's result", {}),
    Row("on_failure", "steps that run after the pipeline has failed; they can read `error`", reference("steps")),
)
# fmt: on
TOP_KEYS: Final = names_of(TOP_ROWS)
DEFAULT_KEYS: Final = names_of(DEFAULT_ROWS)


def read_definition(root: Node, problems: list[Problem]) -> PipelineDefinition | None:
    """Read as much as possible of the definition in a document.

    Args:
        root: The document's root node.
        problems: The list to which all problems are added. A definition with errors must not be run, but it can be
            planned, so that the problems of both stages are reported together.

    Returns:
        The definition, or `None` if the document is not a pipeline.
    """
    reader = _Reader(problems)
    mapping = reader.mapping(root, "a pipeline", "'steps:' followed by one tool per line")
    return None if mapping is None else reader.definition(mapping)


class _Reader(HeadReader):
    def definition(self, root: documents.Mapping) -> PipelineDefinition:
        self.check_keys(root, "a pipeline", TOP_KEYS)
        self.check_version(root)
        defaults = self._defaults(root.get("defaults"))
        steps = StepReader(self.problems, defaults)
        output = root.get("output")
        definition = PipelineDefinition(
            name=self.name(root, "pipeline"),
            description=self.description(root),
            location=root.location,
            tools=self._tools(root.get("tools")),
            inputs=self.inputs(root),
            error_strategy=self._error_strategy(root.get("error_strategy")),
            steps=self._steps(root, steps),
            output=None if output is None else read_value(output, self.problems),
            on_failure=self._on_failure(root.get("on_failure"), steps),
            drops_unread_input=True,
        )
        self.problems += steps.duplicates()
        self._check_count(steps)
        return definition

    def _tools(self, node: Node | None) -> tuple[Word, ...]:
        if node is None or (targets := self.sequence(node, "'tools'")) is None:
            return ()
        words = ((self.text(item, "a source under 'tools'"), item.location) for item in targets.items)
        return tuple(Word(text, location) for text, location in words if text is not None)

    def _error_strategy(self, node: Node | None) -> ErrorStrategy:
        if node is None:
            return ErrorStrategy.FAIL_FAST
        chosen = self.choice(node, "'error_strategy'", [strategy.value for strategy in ErrorStrategy])
        return ErrorStrategy.FAIL_FAST if chosen is None else ErrorStrategy(chosen)

    def _defaults(self, node: Node | None) -> StepDefaults:
        if node is None or (defaults := self.mapping(node, "'defaults'", "{timeout: 30s}")) is None:
            return StepDefaults()
        self.check_keys(defaults, "'defaults'", DEFAULT_KEYS)
        values = read_rows(StepReader(self.problems, StepDefaults()), defaults, DEFAULT_ROWS)
        return StepDefaults(**{name: value for name, value in values.items() if value is not None})

    def _steps(self, root: documents.Mapping, reader: StepReader) -> tuple[StepDefinition, ...]:
        node = root.get("steps")
        if node is None:
            self.report(root.location, "a pipeline needs 'steps'", hint="list the tools under 'steps:', one per line")
            return ()
        steps = self.sequence(node, "'steps'")
        if steps is not None and not steps.items:
            self.report(node.location, "a pipeline needs at least one step")
        return () if steps is None else reader.read_all(steps)

    def _on_failure(self, node: Node | None, reader: StepReader) -> tuple[StepDefinition, ...]:
        if node is None or (steps := self.sequence(node, "'on_failure'")) is None:
            return ()
        return reader.read_all(steps)

    def _check_count(self, steps: StepReader) -> None:
        if steps.count > MAX_STEPS and steps.beyond is not None:
            self.report(
                steps.beyond,
                f"a pipeline has at most {MAX_STEPS:,} steps, and this has {steps.count:,}",
                hint="use for_each, or split it into several pipelines",
            )
