"""The format of pipeline files as a JSON Schema for editors: draft-07, the latest that their YAML servers support."""

from toolkit.documents.shapes import DRAFT, Schema, closed, reference, text
from toolkit.pipelines.pipeline_reader import TOP_ROWS
from toolkit.pipelines.step_definitions import MAX_STEPS
from toolkit.pipelines.step_keys import APPROVE_ROWS, BESIDE, RETRY_ROWS, STEP_KEYS, STEP_ROWS
from toolkit.tools.inputs import input_format

_EXPRESSION = r"\$\{\{"
_DURATION = r"^\d+(\.\d+)?\s*(ms|s|m|h)$"


def pipeline_schema() -> Schema:
    """Return the JSON Schema (draft-07) of pipeline files."""
    return {
        "$schema": DRAFT,
        "title": "Pipeline",
        "description": "A chain of tools that runs with no model in between, and is itself a tool.",
        **closed({row.name: row.described for row in TOP_ROWS}, required=["steps"]),
        "definitions": _definitions(),
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
        "retry": closed({row.name: row.described for row in RETRY_ROWS}),
        "approval": _approval(),
        "input": input_format(),
    }


def _step(kind: str) -> Schema:
    return closed({row.name: row.described for row in STEP_ROWS if kind in row.beside}, required=[kind])


def _approval() -> Schema:
    keys = closed({row.name: row.described for row in APPROVE_ROWS})
    return {"anyOf": [{"const": True}, {"type": "string", "minLength": 1}, keys]}
