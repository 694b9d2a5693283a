"""The format of agents' files as a JSON Schema for editors."""

from toolkit.agents.files.definitions import KINDS, KindName
from toolkit.agents.files.flows import LOCK_KEYS
from toolkit.agents.files.keys import COMMON_KEYS, KEYS, KIND_KEYS, REFERENCE_KEYS
from toolkit.documents.schemas import DRAFT, Schema, closed, reference, text, texts
from toolkit.tools.inputs import input_format

_NAME = "^[A-Za-z_][A-Za-z0-9_]*$"


def agent_schema() -> Schema:
    """Return the JSON Schema (draft-07) of agents' files."""
    return {
        "$schema": DRAFT,
        "title": "Agent",
        "description": "A model with instructions and tools; it is itself a tool.",
        "anyOf": [_of_kind(kind) for kind in KINDS],
        "definitions": {
            "input": input_format(),
            "inputs": {
                "type": ["object", "null"],
                "propertyNames": {"pattern": _NAME},
                "additionalProperties": reference("input"),
            },
            "text_or_file": {
                "anyOf": [{"type": "string", "minLength": 1}, closed({"file": text("The path of the file.")}, ["file"])]
            },
            "lock": _lock(),
            "state": _state(),
            "reference": closed(REFERENCE_KEYS, ["name"]),
        },
    }


def _of_kind(kind: KindName) -> Schema:
    known = KEYS | {"agent": {"const": kind} | KEYS["agent"]}
    required = {"simple": [], "playbook": [], "state_machine": ["states"]}[kind]
    return closed({key: known[key] for key in (*COMMON_KEYS, *KIND_KEYS[kind])}, ["agent", *required])


def _lock() -> Schema:
    several = {"type": "array", "items": reference("lock"), "minItems": 1}
    kinds = {"all": several, "any": several, "artifact": text("A type."), "blackboard": text("A type or a name.")}
    return {"anyOf": [text("A tool."), several, *(closed({key: kinds[key]}, [key]) for key in LOCK_KEYS)]}


def _state() -> Schema:
    ways = {"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}}
    return {"anyOf": [ways, texts("The tools of the state, none of which leads to another state.")]}
