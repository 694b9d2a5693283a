"""The format of a pipeline's file: its keys, which are read into a definition, and its JSON Schema for editors."""

from dataclasses import replace
from typing import Final

from toolkit.documents.keys import VERSION, Key, Schema, names_of, one_of, schema_of
from toolkit.documents.node_keys import (
    DRAFT,
    DURATION,
    DURATION_SCHEMA,
    NAME,
    NODES,
    TEXT,
    NodeSpot,
    mapping_of,
    read_mapping,
    reference,
    spot_of,
    words,
)
from toolkit.documents.nodes import Node, Sequence
from toolkit.pipelines.step_definitions import MAX_STEPS, ErrorStrategy, PipelineDefinition, StepDefinition
from toolkit.pipelines.step_keys import APPROVE_KEYS, BESIDE, PARALLEL, RETRY, RETRY_KEYS, STEP, STEP_KEYS, VALUE
from toolkit.pipelines.steps import StepDefaults, StepReader
from toolkit.problems import Problem
from toolkit.tools.heads import TOOL_NAME, inputs, name_in

# fmt: off
_INPUTS: Final = {
    "type": ["object", "null"], "propertyNames": {"pattern": NAME}, "additionalProperties": reference("input"),
}
DEFAULTS: Final = (
    Key("timeout", DURATION, "time limit for each call"),
    Key("retry", RETRY, "how failed calls are retried"),
    Key("max_parallel", PARALLEL, "maximum number of list items that run in parallel"),
)
TOP: Final = (
    Key("toolkit", VERSION, "the version of the format; optional"),
    Key("name", TOOL_NAME, "the name of the tool; the file's stem by default"),
    Key("description", TEXT, "what the pipeline does and when to use it"),
    Key("tools", words("a source under 'tools'"), "sources of tools to open, relative to the file"),
    Key("inputs", inputs(_INPUTS),
        "the inputs: a JSON Schema fragment for each name; by default a string `input` if a step reads it"),
    Key("defaults", mapping_of(DEFAULTS, lambda values: StepDefaults(**values), example="{timeout: 30s}"),
        "default `timeout`, `retry` and `max_parallel` for all steps"),
    Key("error_strategy", one_of(*[strategy.value for strategy in ErrorStrategy]),
        "what happens after a step fails: `fail_fast` (by default) or `continue_on_failure`",
        take=lambda written, _: ErrorStrategy(written)),
    Key("steps", replace(NODES, schema=reference("steps")),
        "the steps, in order; each receives the output of the one before"),
    Key("output", VALUE, "the output of the pipeline, with `${{ }}` in it; by default the last step's result"),
    Key("on_failure", replace(NODES, schema=reference("steps")),
        "steps that run after the pipeline has failed; they can read `error`"),
)
# fmt: on
TOP_KEYS: Final = names_of(TOP)


def read_definition(root: Node, problems: list[Problem]) -> PipelineDefinition | None:
    """Read as much as possible of the definition in a document.

    Args:
        root: The document's root node.
        problems: The list to which all problems are added. A definition with errors must not be run, but it can be
            planned, so that the problems of both stages are reported together.

    Returns:
        The definition, or `None` if the document is not a pipeline.
    """
    spot = spot_of(root, "a pipeline", problems)
    values = read_mapping(spot, TOP, "'steps:' followed by one tool per line")
    if values is None:
        return None
    reader = StepReader(problems, values.pop("defaults", None) or StepDefaults())
    values.pop("toolkit", None)
    values |= {
        "name": name_in(spot, values, "pipeline"),
        "steps": _steps(spot, values.get("steps"), reader),
        "on_failure": _steps_in(values.get("on_failure"), reader),
    }
    definition = PipelineDefinition(**{"description": "", "location": root.location, **values}, drops_unread_input=True)
    problems += reader.duplicates()
    _check_count(reader, spot)
    return definition


def _steps(root: NodeSpot, spot: NodeSpot | None, reader: StepReader) -> tuple[StepDefinition, ...]:
    if root.lacks("steps"):
        is_like_agent = not (root.lacks("instructions") and root.lacks("model"))
        hint = "list the tools under 'steps:', one per line"
        root.report("a pipeline needs 'steps'", "for an agent, write agent: simple" if is_like_agent else hint)
    steps = _steps_in(spot, reader)
    if spot is not None and isinstance(spot.node, Sequence) and not spot.node.items:
        spot.report("a pipeline needs at least one step")
    return steps


def _steps_in(spot: NodeSpot | None, reader: StepReader) -> tuple[StepDefinition, ...]:
    return reader.read_all(spot.node) if spot is not None and isinstance(spot.node, Sequence) else ()


def _check_count(steps: StepReader, root: NodeSpot) -> None:
    if steps.count > MAX_STEPS and steps.beyond is not None:
        message = f"a pipeline has at most {MAX_STEPS:,} steps, and this has {steps.count:,}"
        root._replace(node=steps.beyond).report(message, "use for_each, or split it into several pipelines")


def pipeline_schema() -> Schema:
    """Return the JSON Schema (draft-07) of pipeline files."""
    return {
        "$schema": DRAFT,
        "title": "Pipeline",
        "description": "A chain of tools that runs with no model in between, and is itself a tool.",
        **schema_of(TOP, required=["steps"]),
        "definitions": _definitions(),
    }


_EXPRESSION: Final = r"\$\{\{"


def _definitions() -> Schema:
    from toolkit.tools.inputs import input_format  # many pipelines declare no inputs

    return {
        "steps": {"type": "array", "items": reference("step"), "minItems": 1, "maxItems": MAX_STEPS},
        "step": {"anyOf": [{"type": "string", "minLength": 1}, reference("short_step"), *map(_step, BESIDE)]},
        "short_step": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "propertyNames": {"not": {"enum": list(STEP_KEYS)}},
            "additionalProperties": {"type": ["object", "null"]},
            "description": "A tool's name and its arguments.",
        },
        "expression": {"type": "string", "pattern": _EXPRESSION},
        "condition": {"anyOf": [{"type": "boolean"}, reference("expression")]},
        "duration": DURATION_SCHEMA,
        "retry": schema_of(RETRY_KEYS),
        "approval": {"anyOf": [{"const": True}, {"type": "string", "minLength": 1}, schema_of(APPROVE_KEYS)]},
        "input": input_format(),
    }


def _step(kind: str) -> Schema:
    return schema_of([key for key in STEP if kind in key.beside], required=[kind])
