"""The table of the keys of an agent's file, from which messages and the JSON Schema for editors follow."""

from collections.abc import Mapping

from toolkit.agents.files.agent_definitions import KINDS, KindName, LockDefinition, StateDefinition, Transition
from toolkit.agents.playbooks import After, Lock, after, after_any, all_of, any_of, known, produced
from toolkit.documents import nodes
from toolkit.documents.nodes import Node, Scalar
from toolkit.documents.schemas import DRAFT, Schema, closed, reference, text, texts
from toolkit.documents.shapes import ShapeReader, Word
from toolkit.tools.heads import FORMAT_VERSION
from toolkit.tools.inputs import input_format

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


LOCK_KEYS = ("all", "any", "artifact", "blackboard")
_LOCK = "a tool's name, a list of them, or one of {all: […]}, {any: […]}, {artifact: TYPE}, {blackboard: NAME}"


class FlowReader(ShapeReader):
    """Reads the values of `locks` and `states`."""

    def locks(self, node: Node) -> tuple[LockDefinition, ...]:
        """Read the locks of a playbook by tool name."""
        locks = self.mapping(node, "'locks'", "{report: search}")
        return () if locks is None else tuple(self._lock_of(entry) for entry in locks.entries.values())

    def states(self, node: Node) -> tuple[StateDefinition, ...]:
        """Read the states of a state machine, with their tools and the states that these lead to."""
        states = self.mapping(node, "'states'", "{draft: {send: sent}, sent: {}}")
        if states is not None and not states.entries:
            self.report(node.location, "a state machine needs at least one state")
        return () if states is None else tuple(self._state(entry) for entry in states.entries.values())

    # ---------------------------------------------------------------------------------------------------------- locks

    def _lock_of(self, entry: nodes.Entry) -> LockDefinition:
        waits_for: list[Word] = []
        tool = Word(entry.key.text, entry.key.location)
        lock = self._lock(entry.value, f"the lock of {tool.text!r}", waits_for)
        return LockDefinition(tool, lock, tuple(waits_for))

    def _lock(self, node: Node, what: str, waits_for: list[Word]) -> Lock | None:
        if isinstance(node, nodes.Mapping) and len(node.entries) == 1:
            [(key, entry)] = node.entries.items()
            self.check_keys(node, what, LOCK_KEYS)
            if key in ("all", "any"):
                return self._several(entry.value, what, waits_for, wants_all=key == "all")
            text = self.text(entry.value, f"'{key}'") if key in LOCK_KEYS else None
            return None if text is None else (produced if key == "artifact" else known)(text)
        if isinstance(node, nodes.Sequence) and node.items:
            return self._several(node, what, waits_for, wants_all=True)
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.value.strip():
            waits_for.append(Word(node.value, node.location))
            return after(node.value)
        self._expected(node, what, _LOCK)
        return None

    def _several(self, node: Node, what: str, waits_for: list[Word], *, wants_all: bool) -> Lock | None:
        """Read a list of locks. If it has only tool names, they become one lock, whose messages are simpler."""
        items = self.sequence(node, what)
        if items is None:
            return None
        if not items.items:
            self.report(node.location, f"{what} waits for nothing", hint="remove it, or name what it waits for")
            return None
        locks = [self._lock(item, what, waits_for) for item in items.items]
        good = [lock for lock in locks if lock is not None]
        if len(good) < len(locks):
            return None
        names = [name for lock in good if isinstance(lock, After) for name in lock.names]
        if len(names) == len(good):
            return (after if wants_all else after_any)(*names)
        return (all_of if wants_all else any_of)(*good)

    # --------------------------------------------------------------------------------------------------------- states

    def _state(self, entry: nodes.Entry) -> StateDefinition:
        name, node = Word(entry.key.text, entry.key.location), entry.value
        match node:
            case Scalar(value=None):
                return StateDefinition(name)
            case nodes.Mapping():
                return StateDefinition(name, tuple(self._transition(one) for one in node.entries.values()))
            case nodes.Sequence():
                return StateDefinition(
                    name, tuple(Transition(tool) for tool in self.names(node, f"a tool of the state {name.text!r}"))
                )
        expected = "a list of tools, or a mapping of them with the states that they lead to"
        self._expected(node, f"the state {name.text!r}", expected)
        return StateDefinition(name)

    def _transition(self, entry: nodes.Entry) -> Transition:
        tool, node = Word(entry.key.text, entry.key.location), entry.value
        if isinstance(node, Scalar) and node.value is None:
            return Transition(tool)
        to = self.text(node, f"the state that {tool.text!r} leads to")
        return Transition(tool, None if to is None else Word(to, node.location))


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
