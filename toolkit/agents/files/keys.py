"""The table of the keys of an agent's file, from which messages and the JSON Schema for editors are made."""

from collections.abc import Mapping

from toolkit.agents.files.definitions import KindName
from toolkit.documents.schemas import Schema, closed, reference, text, texts
from toolkit.tools.heads import FORMAT_VERSION

MOST_TURNS = 1_000
LIMITS: Mapping[str, tuple[int, int]] = {"result": (1, 10_000_000), "unknown": (0, 1_000), "at_once": (1, 1_000)}
"""The minimum and maximum of each limit."""
_LIMITS = {key: {"type": "integer", "minimum": least, "maximum": most} for key, (least, most) in LIMITS.items()}


def _names(description: str) -> Schema:
    return {"anyOf": [{"type": "string"}, texts("")], "description": description}


KEYS: dict[str, Schema] = {
    "toolkit": {"const": FORMAT_VERSION, "description": "The version of the format."},
    "agent": {"description": "The kind of agent."},
    "name": text("The name of the tool; the file's stem by default.", pattern="^[A-Za-z0-9_][A-Za-z0-9_-]*$"),
    "description": text("What the agent does and when to use it."),
    "model": text("The model: PROVIDER:NAME, chat:NAME, or scripted:FILE relative to this file."),
    "instructions": reference("text_or_file", "The instructions for the model; made from the description by default."),
    "prompt": text("The task, with ${{ inputs.NAME }} in it; the input `task` by default."),
    "tools": texts("The tools that the agent can call: files, names, groups, pipelines, other agents."),
    "inputs": reference("inputs", "The inputs besides the task: a JSON Schema fragment for each name."),
    "output": reference("inputs", "The fields of the answer: a JSON Schema fragment for each name."),
    "max_turns": {"type": "integer", "minimum": 1, "maximum": MOST_TURNS, "default": 20},
    "last_answer": {"type": "boolean", "description": "Whether to ask once more for an answer after `max_turns`."},
    "budget": text("The budget of each call: '$0.50', '20k tokens', '30 calls', or several separated by commas."),
    "limits": closed(_LIMITS) | {"description": "Characters of a result; unknown tool names in a row; parallel calls."},
    "references": {"type": "array", "items": reference("reference"), "description": "Additional knowledge."},
    "chaining": _names("Classes whose objects provide tools: file.py:Class, or `any` for all."),
    "capture_nested_artifacts": {"type": "boolean", "description": "Whether to include artifacts of inner agents."},
    "locks": {"type": "object", "additionalProperties": reference("lock"), "description": "What each tool waits for."},
    "states": {"type": "object", "minProperties": 1, "additionalProperties": reference("state")},
    "start": text("The initial state, or ${{ inputs.NAME }}; the first one by default."),
    "everywhere": _names("The tools that are available in all states."),
}
KIND_KEYS: Mapping[KindName, tuple[str, ...]] = {
    "simple": (),
    "playbook": ("locks",),
    "state_machine": ("states", "start", "everywhere"),
}
"""The keys that only one kind of agent has."""
COMMON_KEYS = tuple(key for key in KEYS if not any(key in own for own in KIND_KEYS.values()))
ELSEWHERE: Mapping[str, str] = {"base_url": "set it with --base-url or TOOLKIT_MODEL_URL"}
"""Keys that are not allowed in a file, and where to set them instead."""
REFERENCE_KEYS: dict[str, Schema] = {
    "name": text("The name of the reference."),
    "description": text("A one-sentence description."),
    "notes": reference("text_or_file", "How to use it."),
    "tools": texts("Its tools, whose names are prefixed with its name."),
    "unfold": {"type": "boolean", "description": "Whether its tools and notes are behind a facade."},
}
