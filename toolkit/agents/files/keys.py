"""Keys: a row for each key of an agent's file, which its messages and its JSON Schema for editors come from."""

from collections.abc import Mapping

from toolkit.agents.files.definitions import KindName
from toolkit.documents.schemas import Schema, closed, reference, text, texts
from toolkit.tools.heads import FORMAT_VERSION

MOST_TURNS = 1_000
LIMITS: Mapping[str, tuple[int, int]] = {"result": (1, 10_000_000), "unknown": (0, 1_000), "at_once": (1, 1_000)}
"""The least and the most that each limit can be."""
_LIMITS = {key: {"type": "integer", "minimum": least, "maximum": most} for key, (least, most) in LIMITS.items()}


def _names(description: str) -> Schema:
    return {"anyOf": [{"type": "string"}, texts("")], "description": description}


KEYS: dict[str, Schema] = {
    "toolkit": {"const": FORMAT_VERSION, "description": "The version of the format."},
    "agent": {"description": "Which kind of agent it is."},
    "name": text("What the tool is called; the file's name by default.", pattern="^[A-Za-z0-9_-]+$"),
    "description": text("What it does and when to use it."),
    "model": text("What answers: PROVIDER:NAME, chat:NAME, or scripted:FILE beside this file."),
    "instructions": reference("text_or_file", "The instructions for the model; made from the description by default."),
    "prompt": text("The task, with ${{ inputs.NAME }} in it; the input `task` by default."),
    "tools": texts("The tools that it may call: files, names, groups, pipelines, other agents."),
    "inputs": reference("inputs", "Its inputs besides the task, a JSON Schema fragment for each name."),
    "output": reference("inputs", "What the answer is made of, a JSON Schema fragment by name."),
    "max_turns": {"type": "integer", "minimum": 1, "maximum": MOST_TURNS, "default": 20},
    "last_answer": {"type": "boolean", "description": "Whether it answers once more with what it has after that."},
    "budget": text("What each call may spend: '$0.50', '20k tokens', '30 calls', or several with commas."),
    "limits": closed(_LIMITS) | {"description": "Characters of a result shown; wrong names forgiven; calls at once."},
    "references": {"type": "array", "items": reference("reference"), "description": "More material for the model."},
    "chaining": _names("Classes whose objects bring tools: file.py:Class; `any` for all."),
    "capture_nested_artifacts": {"type": "boolean", "description": "Whether inner agents' objects are its own."},
    "locks": {"type": "object", "additionalProperties": reference("lock"), "description": "What each waits for."},
    "states": {"type": "object", "minProperties": 1, "additionalProperties": reference("state")},
    "start": text("The state that it begins in; the first by default."),
    "everywhere": _names("The tools that it has in all states."),
}
KIND_KEYS: Mapping[KindName, tuple[str, ...]] = {
    "simple": (),
    "playbook": ("locks",),
    "state_machine": ("states", "start", "everywhere"),
}
"""The keys that only one kind of agent has."""
COMMON_KEYS = tuple(key for key in KEYS if not any(key in own for own in KIND_KEYS.values()))
ELSEWHERE: Mapping[str, str] = {"base_url": "give it with --base-url or TOOLKIT_MODEL_URL"}
"""A key that a file may not use, and its place."""
REFERENCE_KEYS: dict[str, Schema] = {
    "name": text("What it is called."),
    "description": text("What it is, in a sentence."),
    "notes": reference("text_or_file", "How it is to be used."),
    "tools": texts("Its tools, which bear its name in front of theirs."),
    "unfold": {"type": "boolean", "description": "Whether its tools are behind one facade."},
}
