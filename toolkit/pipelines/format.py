"""The format of pipeline files as a JSON Schema, for editors: draft-07, since their YAML servers read no later."""

from typing import Any

from toolkit.pipelines.definitions import (
    FAILURES,
    MAX_ATTEMPTS,
    MAX_PARALLEL,
    MAX_STEPS,
    ErrorStrategy,
    Retry,
)
from toolkit.pipelines.reading import FORMAT_VERSION
from toolkit.pipelines.steps import BESIDE, STEP_KEYS
from toolkit.tools.formats import FORMATS
from toolkit.tools.inputs import BOUNDS, COUNTS, TYPES

DRAFT = "http://json-schema.org/draft-07/schema#"

_NAME = "^[A-Za-z_][A-Za-z0-9_]*$"
_EXPRESSION = r"\$\{\{"
_DURATION = r"^\d+(\.\d+)?\s*(ms|s|m|h)$"

Schema = dict[str, Any]


def pipeline_schema() -> Schema:
    """Return the JSON Schema (draft-07) of a pipeline's file."""
    return {
        "$schema": DRAFT,
        "title": "Pipeline",
        "description": "A chain of tools that runs with no model in between, and is itself a tool.",
        **_closed(_top_properties(), required=["steps"]),
        "definitions": _definitions(),
    }


def _closed(properties: Schema, required: list[str] | None = None) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | {"required": required} if required else schema


def _ref(name: str, description: str = "") -> Schema:
    # Beside a `$ref` draft-07 reads nothing else; wrapped, a description is shown.
    reference = {"$ref": f"#/definitions/{name}"}
    return {"allOf": [reference], "description": description} if description else reference


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _top_properties() -> Schema:
    return {
        "toolkit": {"const": FORMAT_VERSION, "description": "The version of the format."},
        "name": _text("What the tool is called; the file's name unless said.", pattern="^[A-Za-z0-9_]+$"),
        "description": _text("What it does and when to use it."),
        "tools": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Sources of tools to open, relative to this file.",
        },
        "inputs": {
            "type": ["object", "null"],
            "propertyNames": {"pattern": _NAME},
            "additionalProperties": _ref("input"),
            "description": "What it takes, a JSON Schema fragment by name; one text, `input`, unless said.",
        },
        "defaults": _closed(
            {
                "timeout": _ref("duration"),
                "retry": _ref("retry"),
                "max_parallel": {"type": "integer", "minimum": 1, "maximum": MAX_PARALLEL},
            }
        )
        | {"description": "What holds for every step that does not say otherwise."},
        "error_strategy": {
            "enum": [strategy.value for strategy in ErrorStrategy],
            "description": "What happens after a step has failed; fail_fast unless said.",
        },
        "steps": _ref("steps", "What runs, in order; each step receives the output of the one before."),
        "output": {"description": "What it gives, with ${{ }} in it; the last step's result unless said."},
        "on_failure": _ref("steps", "Steps that run when it has failed; they can read `error`."),
    }


def _definitions() -> Schema:
    return {
        "steps": {"type": "array", "items": _ref("step"), "minItems": 1, "maxItems": MAX_STEPS},
        "step": {"anyOf": [{"type": "string", "minLength": 1}, _ref("short_step"), *map(_step, BESIDE)]},
        "short_step": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "propertyNames": {"not": {"enum": list(STEP_KEYS)}},
            "additionalProperties": {"type": ["object", "null"]},
            "description": "A tool's name and its arguments.",
        },
        "expression": {"type": "string", "pattern": _EXPRESSION},
        "condition": {"anyOf": [{"type": "boolean"}, _ref("expression")]},
        "duration": _text("A duration such as 500ms, 30s or 5m.", pattern=_DURATION),
        "retry": _retry(),
        "approval": _approval(),
        "input": _input(),
    }


def _step(kind: str) -> Schema:
    keys = _step_properties()
    known = {name: keys[name] for name in STEP_KEYS if name in BESIDE[kind]}
    return _closed(known, required=[kind])


def _step_properties() -> Schema:
    return {
        "id": _text("Its name for references; without one only `prev` reaches it.", pattern=_NAME),
        "use": _text("The tool: a name, file.py:name, server.tool, or another pipeline's path."),
        "with": {"type": ["object", "null"], "description": "The arguments of the tool."},
        "pipe": _text("The parameter that receives the previous output."),
        "adapt": {"description": "Reshapes this step's `result` before the next step."},
        "set": {"description": "Computes a value without a tool."},
        "when": _ref("condition", "The step is skipped where this is false."),
        "for_each": {
            "anyOf": [{"type": "array"}, _ref("expression")],
            "description": "A list; the step is done for each `item`, with its `index`.",
        },
        "max_parallel": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_PARALLEL,
            "description": "How many items at a time; 1 unless said.",
        },
        "on_item_error": {"enum": ["fail", "skip"], "description": "What a failed item does; fail unless said."},
        "parallel": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [_ref("steps"), _ref("step")]},
            "description": "Branches that run side by side; the output is their mapping.",
        },
        "retry": _ref("retry", "How a failed call is tried again."),
        "timeout": _ref("duration", "How long it may take, the waiting for a person not counted."),
        "approve": _ref("approval", "Somebody is asked first; alone, it is a step that only asks."),
        "on_error": {
            "anyOf": [{"enum": ["fail", "continue"]}, _closed({"value": {}}, required=["value"])],
            "description": "What happens after it has failed.",
        },
    }


def _retry() -> Schema:
    usual = Retry()
    failures = {"enum": list(FAILURES)}
    return _closed(
        {
            "attempts": {"type": "integer", "minimum": 1, "maximum": MAX_ATTEMPTS, "default": usual.attempts},
            "backoff": _ref("duration", "How long to wait after the first attempt."),
            "factor": {"type": "number", "minimum": 1, "maximum": 100, "default": usual.factor},
            "max": _ref("duration", "How long to wait at most."),
            "errors": {"anyOf": [{"type": "array", "items": failures, "minItems": 1}, failures]},
        }
    )


def _approval() -> Schema:
    keys = {
        "message": _text("What is asked."),
        "show": {"description": "What is shown with the question."},
        "when": _ref("condition", "Somebody is asked only where this is true."),
        "edit": {"type": "boolean", "description": "Whether the reviewer may change the arguments; true unless said."},
    }
    return {"anyOf": [{"const": True}, {"type": "string", "minLength": 1}, _closed(keys)]}


def _input() -> Schema:
    kinds = {"enum": list(TYPES)}
    keys = {
        "type": {"anyOf": [kinds, {"type": "array", "items": kinds, "minItems": 1}]},
        "description": _text("What it is."),
        "default": {"description": "The value that holds where none is given; without one it must be given."},
        "enum": {"type": "array", "minItems": 1},
        "pattern": _text("A regular expression that is found in the text.", format="regex"),
        "format": {"enum": list(FORMATS)},
        **{name: {"type": "number"} for name in BOUNDS},
        **{name: {"type": "integer", "minimum": 0} for name in COUNTS},
        "items": _ref("input"),
        "properties": {"type": "object", "additionalProperties": _ref("input")},
        "required": {"type": "array", "items": {"type": "string"}},
    }
    return {"anyOf": [{"type": "null"}, _closed(keys)]}
