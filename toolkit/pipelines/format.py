"""The format of pipeline files as a JSON Schema, for editors: draft-07, since their YAML servers read no later."""

from toolkit.documents.schemas import DRAFT, Schema, closed, reference, text, texts
from toolkit.pipelines.definitions import (
    FAILURES,
    MAX_ATTEMPTS,
    MAX_PARALLEL,
    MAX_STEPS,
    ErrorStrategy,
    Retry,
)
from toolkit.pipelines.steps import BESIDE, STEP_KEYS
from toolkit.tools.heads import FORMAT_VERSION
from toolkit.tools.inputs import input_format

_NAME = "^[A-Za-z_][A-Za-z0-9_]*$"
_EXPRESSION = r"\$\{\{"
_DURATION = r"^\d+(\.\d+)?\s*(ms|s|m|h)$"


def pipeline_schema() -> Schema:
    """Return the JSON Schema (draft-07) of a pipeline's file."""
    return {
        "$schema": DRAFT,
        "title": "Pipeline",
        "description": "A chain of tools that runs with no model in between, and is itself a tool.",
        **closed(_top_properties(), required=["steps"]),
        "definitions": _definitions(),
    }


def _top_properties() -> Schema:
    return {
        "toolkit": {"const": FORMAT_VERSION, "description": "The version of the format."},
        "name": text("What the tool is called; the file's name by default.", pattern="^[A-Za-z0-9_]+$"),
        "description": text("What it does and when to use it."),
        "tools": texts("Sources of tools to open, relative to this file."),
        "inputs": {
            "type": ["object", "null"],
            "propertyNames": {"pattern": _NAME},
            "additionalProperties": reference("input"),
            "description": "What it takes, a JSON Schema fragment by name; one text, `input`, by default.",
        },
        "defaults": closed(
            {
                "timeout": reference("duration"),
                "retry": reference("retry"),
                "max_parallel": {"type": "integer", "minimum": 1, "maximum": MAX_PARALLEL},
            }
        )
        | {"description": "What holds for every step that does not say otherwise."},
        "error_strategy": {
            "enum": [strategy.value for strategy in ErrorStrategy],
            "description": "What happens after a step has failed; fail_fast by default.",
        },
        "steps": reference("steps", "What runs, in order; each step receives the output of the one before."),
        "output": {"description": "What it gives, with ${{ }} in it; the last step's result by default."},
        "on_failure": reference("steps", "Steps that run when it has failed; they can read `error`."),
    }


def _definitions() -> Schema:
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
        "duration": text("A duration such as 500ms, 30s or 5m.", pattern=_DURATION),
        "retry": _retry(),
        "approval": _approval(),
        "input": input_format(),
    }


def _step(kind: str) -> Schema:
    keys = _step_properties()
    known = {name: keys[name] for name in STEP_KEYS if name in BESIDE[kind]}
    return closed(known, required=[kind])


def _step_properties() -> Schema:
    return {
        "id": text("Its name for references; without one only `prev` reaches it.", pattern=_NAME),
        "use": text("The tool: a name, file.py:name, server.tool, or another pipeline's path."),
        "with": {"type": ["object", "null"], "description": "The arguments of the tool."},
        "pipe": text("The parameter that receives the previous output."),
        "adapt": {"description": "Reshapes this step's `result` before the next step."},
        "set": {"description": "Computes a value without a tool."},
        "when": reference("condition", "The step is skipped where this is false."),
        "for_each": {
            "anyOf": [{"type": "array"}, reference("expression")],
            "description": "A list; the step is done for each `item`, with its `index`.",
        },
        "max_parallel": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_PARALLEL,
            "description": "How many items at a time; 1 by default.",
        },
        "on_item_error": {"enum": ["fail", "skip"], "description": "What a failed item does; fail by default."},
        "parallel": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [reference("steps"), reference("step")]},
            "description": "Branches that run side by side; the output is their mapping.",
        },
        "retry": reference("retry", "How a failed call is tried again."),
        "timeout": reference("duration", "How long it may take, the waiting for a person not counted."),
        "approve": reference("approval", "Somebody is asked first; alone, it is a step that only asks."),
        "on_error": {
            "anyOf": [{"enum": ["fail", "continue"]}, closed({"value": {}}, required=["value"])],
            "description": "What happens after it has failed.",
        },
    }


def _retry() -> Schema:
    usual = Retry()
    failures = {"enum": list(FAILURES)}
    return closed(
        {
            "attempts": {"type": "integer", "minimum": 1, "maximum": MAX_ATTEMPTS, "default": usual.attempts},
            "backoff": reference("duration", "How long to wait after the first attempt."),
            "factor": {"type": "number", "minimum": 1, "maximum": 100, "default": usual.factor},
            "max": reference("duration", "How long to wait at most."),
            "errors": {"anyOf": [{"type": "array", "items": failures, "minItems": 1}, failures]},
        }
    )


def _approval() -> Schema:
    keys = {
        "message": text("What is asked."),
        "show": {"description": "What is shown with the question."},
        "when": reference("condition", "Somebody is asked only where this is true."),
        "edit": {"type": "boolean", "description": "Whether the reviewer may change the arguments; true by default."},
    }
    return {"anyOf": [{"const": True}, {"type": "string", "minLength": 1}, closed(keys)]}
