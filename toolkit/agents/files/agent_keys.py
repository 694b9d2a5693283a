"""The table of the keys of an agent's file, from which messages and editors' schemas follow, and the values read.

The values are well-formed, but no name in them has been looked up yet.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolkit.agents.kinds import After, Lock, after, after_any, all_of, any_of, known, produced
from toolkit.agents.loop import Limits
from toolkit.codes import BAD_EXPRESSION, UNKNOWN_REFERENCE
from toolkit.documents import nodes
from toolkit.documents.nodes import FORMAT_VERSION, Node, Scalar
from toolkit.documents.shapes import DRAFT, Schema, ShapeReader, Word, closed, reference, text, texts
from toolkit.json_texts import json_text
from toolkit.problems import Location, Problem, did_you_mean, fix_spelling
from toolkit.tools.inputs import input_format

if TYPE_CHECKING:
    from toolkit.runs.records import Budget
    from toolkit.tools.inputs import Input


_OPENING = "${{"
_WHOLE = re.compile(r"\$\{\{\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


class Text(NamedTuple):
    """A prompt and its location; `node` is `None` if the prompt is in a separate file."""

    text: str
    location: Location
    node: Scalar | None = None

    @property
    def names(self) -> list[str]:
        """The names of the inputs that it refers to, in order."""
        return _WHOLE.findall(self.text)

    def filled(self, inputs: Mapping[str, Any]) -> str:
        """Return the prompt with the inputs inserted. Inputs other than strings are inserted as JSON."""
        return _WHOLE.sub(lambda match: as_text(inputs[match[1]]), self.text)

    def problems(self, known: Collection[str]) -> Iterator[Problem]:
        """Yield the problems with its references to inputs."""
        start = 0
        while (start := self.text.find(_OPENING, start)) >= 0:
            match = _WHOLE.match(self.text, start)
            if match is None:
                message = "only inputs can be used in text for a model"
                yield Problem(
                    BAD_EXPRESSION, message, self._place(start, len(_OPENING)), hint="write ${{ inputs.NAME }}"
                )
                start += len(_OPENING)
                continue
            if match[1] not in known:
                place = self._place(match.start(1), len(match[1]))
                hint = did_you_mean(match[1], known, otherwise=f"the inputs are {', '.join(known)}")
                fix = fix_spelling(match[1], known, place)
                yield Problem(UNKNOWN_REFERENCE, f"there is no input {match[1]!r}", place, hint=hint, fix=fix)
            start = match.end()

    def _place(self, offset: int, length: int) -> Location:
        if self.node is not None:
            return self.node.locate(offset, length)
        before = self.text[:offset]
        line, column = before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
        return Location(self.location.file, line, column, line, column + length)


def as_text(value: Any) -> str:
    """Return a value as text for a model: a string unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json_text(value)


KindName = Literal["simple", "playbook", "state_machine"]
KINDS: tuple[KindName, ...] = ("simple", "playbook", "state_machine")


class LockDefinition(NamedTuple):
    """The lock of one tool.

    Attributes:
        tool: The tool with the lock.
        lock: The lock; `None` if it could not be read.
        waits_for: The names of the tools that the lock waits for.
    """

    tool: Word
    lock: "Lock | None"
    waits_for: tuple[Word, ...] = ()


class Transition(NamedTuple):
    """A tool of a state, and the state that it leads to; `None` means no change."""

    tool: Word
    to: Word | None = None


class StateDefinition(NamedTuple):
    """A state and the tools that can be called in it."""

    name: Word
    transitions: tuple[Transition, ...] = ()


class ReferenceDefinition(NamedTuple):
    """Additional knowledge for an agent, with the targets of its tools.

    Attributes:
        name: The name of the reference.
        description: A one-sentence description.
        notes: How to use it.
        tools: The targets of its tools.
        unfolds: Whether its tools and notes are behind a facade.
    """

    name: Word
    description: str
    notes: Text | None = None
    tools: tuple[Word, ...] = ()
    unfolds: bool = False


class AgentDefinition(NamedTuple):
    """A whole agent as written.

    Attributes:
        kind: The kind of agent.
        name: The tool's name with its location; the file's stem if the file sets no name.
        description: What the agent does.
        location: The location of the whole definition.
        model: The name of the model; `None` if the caller chooses it.
        instructions: The system prompt; `None` means that it is made from the description.
        prompt: The task, with `${{ inputs.NAME }}` in it; `None` means the input `task`.
        tools: The targets of the tools; each can have several tools.
        inputs: The inputs in addition to, or instead of, the task; `None` means only the task.
        output: The fields of the answer; `None` means any text.
        limits: The limits of the loop.
        budget: The budget of each call; `None` means no limit.
        references: Additional knowledge for the model, with its own tools.
        chaining: The classes whose objects provide tools once a tool has returned one; `any` for all.
        captures_nested: Whether the artifacts of agents among the tools are also artifacts of this agent.
        locks: The locks of a playbook's tools. Tools without a lock are open.
        states: The states of a state machine.
        start: The initial state, or the input that names it; `None` means the first one.
        everywhere: The tools that a state machine has in all states.
    """

    kind: KindName
    name: Word
    description: str
    location: Location
    model: Word | None = None
    instructions: Text | None = None
    prompt: Text | None = None
    tools: tuple[Word, ...] = ()
    inputs: "tuple[Input, ...] | None" = None
    output: "tuple[Input, ...] | None" = None
    limits: Limits = Limits()
    budget: "Budget | None" = None
    references: tuple[ReferenceDefinition, ...] = ()
    chaining: tuple[Word, ...] = ()
    captures_nested: bool = False
    locks: tuple[LockDefinition, ...] = ()
    states: tuple[StateDefinition, ...] = ()
    start: Word | None = None
    everywhere: tuple[Word, ...] = ()


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
