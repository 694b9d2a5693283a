"""The format of agents' files as a JSON Schema, for editors."""

from toolkit.agents.files.definition_reader import COMMON_KEYS, KIND_KEYS, LIMITS, MOST_TURNS
from toolkit.agents.files.definitions import KINDS, KindName
from toolkit.agents.files.flows import LOCK_KEYS
from toolkit.documents.schemas import DRAFT, Schema, closed, reference, text, texts
from toolkit.tools.heads import FORMAT_VERSION
from toolkit.tools.inputs import input_format

_NAME = "^[A-Za-z_][A-Za-z0-9_]*$"


def agent_schema() -> Schema:
    """Return the JSON Schema (draft-07) of an agent's file."""
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
                "anyOf": [{"type": "string", "minLength": 1}, closed({"file": text("Its path.")}, ["file"])]
            },
            "lock": _lock(),
            "state": _state(),
            "reference": _reference(),
        },
    }


def _of_kind(kind: KindName) -> Schema:
    known = _properties() | {"agent": {"const": kind, "description": "Which kind of agent it is."}}
    required = {"simple": [], "playbook": [], "state_machine": ["states"]}[kind]
    return closed({key: known[key] for key in (*COMMON_KEYS, *KIND_KEYS[kind])}, ["agent", *required])


def _properties() -> Schema:
    limits = {key: {"type": "integer", "minimum": least, "maximum": most} for key, (least, most) in LIMITS.items()}
    return {
        "toolkit": {"const": FORMAT_VERSION, "description": "The version of the format."},
        "name": text("What the tool is called; the file's name by default.", pattern="^[A-Za-z0-9_-]+$"),
        "description": text("What it does and when to use it."),
        "model": text("What answers: PROVIDER:NAME, chat:NAME, or scripted:FILE beside this file."),
        "instructions": reference(
            "text_or_file", "The instructions for the model; made from the description by default."
        ),
        "prompt": text("The task, with ${{ inputs.NAME }} in it; the input `task` by default."),
        "tools": texts("The tools that it may call: files, names, groups, pipelines, other agents."),
        "inputs": reference("inputs", "Its inputs besides the task, a JSON Schema fragment for each name."),
        "output": reference("inputs", "What the answer is made of, a JSON Schema fragment by name."),
        "max_turns": {"type": "integer", "minimum": 1, "maximum": MOST_TURNS, "default": 20},
        "last_answer": {"type": "boolean", "description": "Whether it answers once more with what it has after that."},
        "budget": text("What each call may spend: '$0.50', '20k tokens', '30 calls', or several with commas."),
        "limits": closed(limits)
        | {"description": "Characters of a result shown; wrong names forgiven; calls at once."},
        "references": {"type": "array", "items": reference("reference"), "description": "More material for the model."},
        "chaining": _names("Classes whose objects bring tools: file.py:Class; `any` for all."),
        "capture_nested_artifacts": {"type": "boolean", "description": "Whether inner agents' objects are its own."},
        "locks": {"type": "object", "additionalProperties": reference("lock"), "description": "What each waits for."},
        "states": {"type": "object", "minProperties": 1, "additionalProperties": reference("state")},
        "start": text("The state that it begins in; the first by default."),
        "everywhere": _names("The tools that it has in all states."),
    }


def _names(description: str) -> Schema:
    return {"anyOf": [{"type": "string"}, texts("")], "description": description}


def _lock() -> Schema:
    several = {"type": "array", "items": reference("lock"), "minItems": 1}
    kinds = {"all": several, "any": several, "artifact": text("A type."), "blackboard": text("A type or a name.")}
    return {"anyOf": [text("A tool."), several, *(closed({key: kinds[key]}, [key]) for key in LOCK_KEYS)]}


def _state() -> Schema:
    ways = {"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}}
    return {"anyOf": [ways, texts("Its tools, none of which leads elsewhere.")]}


def _reference() -> Schema:
    keys = {
        "name": text("What it is called."),
        "description": text("What it is, in a sentence."),
        "notes": reference("text_or_file", "How it is to be used."),
        "tools": texts("Its tools, which bear its name in front of theirs."),
        "unfold": {"type": "boolean", "description": "Whether its tools are behind one facade."},
    }
    return closed(keys, ["name"])
