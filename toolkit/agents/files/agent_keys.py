"""The format of an agent's file: its keys, which are read into a definition, and its JSON Schema for editors."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

from toolkit.agents.files.agent_definitions import (
    AgentDefinition,
    KindName,
    LockDefinition,
    ReferenceDefinition,
    StateDefinition,
    Text,
    Transition,
)
from toolkit.agents.kinds import After, Lock, after, after_any, all_of, any_of, known, produced
from toolkit.agents.loop import Limits
from toolkit.documents.document_reader import read_text
from toolkit.documents.keys import (
    FLAG,
    REPORTED,
    VERSION,
    Key,
    Schema,
    is_number,
    is_text,
    names_of,
    one_of,
    read_table,
    schema_of,
    whole_number,
)
from toolkit.documents.node_keys import (
    DRAFT,
    MAPPING,
    NAME,
    NODES,
    TEXT,
    WORD,
    NodeSpot,
    mapping_of,
    node,
    read_mapping,
    reference,
    spot_of,
    text_schema,
    words,
)
from toolkit.documents.nodes import Mapping, Scalar, Sequence, Word
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.runs.records import Budget
from toolkit.tools.heads import NAME_PATTERN, TOOL_NAME, inputs, name_in
from toolkit.tools.inputs import input_format

KINDS: Final[tuple[KindName, ...]] = get_args(KindName)
MOST_TURNS: Final = 1_000


# --------------------------------------------------------------------------------------------------- texts and budgets


def _text(written: Any, spot: NodeSpot) -> Text | None:
    if not (isinstance(spot.node, Scalar) and is_text(written)):
        return None
    return Text(written, spot.location, spot.node)


def _text_or_file(written: Any, spot: NodeSpot) -> Any:
    """Read text that is given directly or as the path of a file."""
    if not isinstance(spot.node, Mapping):
        return _text(written, spot)
    found = (read_mapping(spot, (Key("file", node("text", _text_of_file, {}, advice=TEXT.advice)),)) or {}).get("file")
    return found or (REPORTED if "file" in spot.node.entries else None)


def _text_of_file(written: Any, spot: NodeSpot) -> Any:
    if not is_text(written):
        return None
    path, folder = Path(spot.location.file).parent / written, spot.origin.folder
    if not _is_inside(path, folder):
        hint = f"move it into '{folder}'; files elsewhere are not shown to a model"
        spot.report(f"the file '{written}' is outside the project", hint)
        return REPORTED
    text = read_text(path, written)
    if isinstance(text, Problem):
        spot.report(text.message, text.hint)
        return REPORTED
    return Text(text.removeprefix("\ufeff").rstrip(), spot.location._replace(file=str(path)))


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # a loop of symlinks, or an invalid file name
        return False


def _budget(written: Any, spot: NodeSpot) -> Any:
    if not (is_number(written) or is_text(written)):
        return None
    try:
        return Budget.parse(spot.text)
    except ConfigurationError as error:
        spot.report(str(error))
        return REPORTED


def _references(written: Any, spot: NodeSpot) -> tuple[ReferenceDefinition, ...] | None:
    if not isinstance(written, list):
        return None
    spots = spot.items("a reference")
    found = [(one, read_mapping(one, REFERENCE_KEYS, "{name: …, notes: …}")) for one in spots]
    return tuple(
        ReferenceDefinition(**{"name": Word("reference", one.location), "description": "", **values})
        for one, values in found
        if values is not None
    )


# ----------------------------------------------------------------------------------------------------- locks and states

_LOCK: Final = "a tool's name, a list of them, or one of {all: […]}, {any: […]}, {artifact: TYPE}, {blackboard: NAME}"


def _locks(_: Any, spot: NodeSpot) -> tuple[LockDefinition, ...] | None:
    """Read the locks of a playbook by tool name."""
    return tuple(map(_lock_of, spot.inner)) if isinstance(spot.node, Mapping) else None


def _lock_of(spot: NodeSpot) -> LockDefinition:
    waits_for: list[Word] = []
    tool = spot.name_word
    lock = _lock(spot._replace(words=f"the lock of {tool.text!r}"), waits_for)
    return LockDefinition(tool, lock, tuple(waits_for))


def _lock(spot: NodeSpot, waits_for: list[Word]) -> Lock | None:
    if isinstance(spot.node, Mapping) and len(spot.node.entries) == 1:
        for key, value in (read_mapping(spot, LOCK_KEYS) or {}).items():
            if key in ("all", "any"):
                return _several(value._replace(words=spot.words), waits_for, wants_all=key == "all")
            return (produced if key == "artifact" else known)(value)
        return None
    if isinstance(spot.node, Sequence) and spot.node.items:
        return _several(spot, waits_for, wants_all=True)
    if is_text(spot.written):
        waits_for.append(spot.word)
        return after(spot.text)
    spot.wrong(_LOCK)
    return None


def _several(spot: NodeSpot, waits_for: list[Word], *, wants_all: bool) -> Lock | None:
    """Read a list of locks. If it has only tool names, they become one lock, whose messages are simpler."""
    items = spot.items(spot.words)
    if not items:
        spot.report(f"{spot.words} waits for nothing", "remove it, or name what it waits for")
        return None
    locks = [_lock(item, waits_for) for item in items]
    good = [lock for lock in locks if lock is not None]
    if len(good) < len(locks):
        return None
    names = [name for lock in good if isinstance(lock, After) for name in lock.names]
    if len(names) == len(good):
        return (after if wants_all else after_any)(*names)
    return (all_of if wants_all else any_of)(*good)


def _states(_: Any, spot: NodeSpot) -> tuple[StateDefinition, ...] | None:
    """Read the states of a state machine, with their tools and the states that these lead to."""
    if isinstance(spot.node, Mapping) and not spot.node.entries:
        spot.report("a state machine needs at least one state")
    return tuple(map(_state, spot.inner)) if isinstance(spot.node, Mapping) else None


def _state(spot: NodeSpot) -> StateDefinition:
    name = spot.name_word
    match spot.node:
        case Mapping():
            return StateDefinition(name, tuple(map(_transition, spot.inner)))
        case Sequence():
            tools = words(f"a tool of the state {name.text!r}").read(spot.written, spot)
            return StateDefinition(name, tuple(map(Transition, tools)))
    if not spot.is_nothing:
        expected = "a list of tools, or a mapping of them with the states that they lead to"
        spot._replace(words=f"the state {name.text!r}").wrong(expected)
    return StateDefinition(name)


def _transition(spot: NodeSpot) -> Transition:
    tool = spot.name_word
    to = spot._replace(words=f"the state that {tool.text!r} leads to")
    return Transition(tool, None if spot.is_nothing else WORD.read_or_report(spot.written, to))


# ---------------------------------------------------------------------------------------------------------------- keys

_NAME: Final = replace(TOOL_NAME, schema=text_schema(pattern=NAME_PATTERN))
_PLAYBOOK: Final = frozenset({"playbook"})
_STATE_MACHINE: Final = frozenset({"state_machine"})
_SOURCE: Final = node("text", _text_or_file, reference("text_or_file"), advice=TEXT.advice)
_SOURCE_WORDS: Final = replace(_SOURCE, words="text, or {file: path}")
TARGETS: Final = words("a tool under 'tools'")
LIMITS: Final = (
    Key("result", whole_number(1, 10_000_000)),
    Key("unknown", whole_number(0, 1_000)),
    Key("at_once", whole_number(1, 1_000)),
)
LOCK_KEYS: Final = (Key("all", NODES), Key("any", NODES), Key("artifact", TEXT), Key("blackboard", TEXT))
# fmt: off
REFERENCE_KEYS: Final = (
    Key("name", WORD, "the name of the reference", required=True),
    Key("description", TEXT, "a one-sentence description"),
    Key("notes", _SOURCE_WORDS, "how to use it"),
    Key("tools", TARGETS, "its tools, whose names are prefixed with its name"),
    Key("unfold", FLAG, "whether its tools and notes are behind a facade", field="unfolds"),
)
KEYS: Final = (
    Key("toolkit", VERSION, "the version of the format"),
    Key("agent", one_of(*KINDS), "the kind of agent", field="kind"),
    Key("name", _NAME, "the name of the tool; the file's stem by default"),
    Key("description", TEXT, "what the agent does and when to use it"),
    Key("model", WORD, "the model: PROVIDER:NAME, chat:NAME, or scripted:FILE relative to this file"),
    Key("instructions", _SOURCE_WORDS, "the instructions for the model; made from the description by default"),
    Key("prompt", replace(TEXT, read=_text), "the task, with ${{ inputs.NAME }} in it; the input `task` by default"),
    Key("tools", TARGETS, "the tools that the agent can call: files, names, groups, pipelines, other agents"),
    Key("inputs", inputs(reference("inputs")), "the inputs besides the task: a JSON Schema fragment for each name"),
    Key("output", inputs(reference("inputs"), "output"),
        "the fields of the answer: a JSON Schema fragment for each name"),
    Key("max_turns", whole_number(1, MOST_TURNS), default=Limits().turns, field="turns"),
    Key("last_answer", FLAG, "whether to ask once more for an answer after `max_turns`"),
    Key("budget", replace(TEXT, read=_budget),
        "the budget of each call: '$0.50', '20k tokens', '30 calls', or several separated by commas"),
    Key("limits", mapping_of(LIMITS, example="{result: 2000}"),
        "characters of a result; unknown tool names in a row; parallel calls"),
    Key("references", node("a list", _references, {"type": "array", "items": reference("reference")}),
        "additional knowledge"),
    Key("chaining", words("a class under 'chaining'", or_one=True),
        "classes whose objects provide tools: file.py:Class, or `any` for all"),
    Key("capture_nested_artifacts", FLAG, "whether to include artifacts of inner agents", field="captures_nested"),
    Key("locks", replace(MAPPING, read=_locks, example="{report: search}",
                         schema={"type": "object", "additionalProperties": reference("lock")}),
        "what each tool waits for", beside=_PLAYBOOK),
    Key("states", replace(MAPPING, read=_states, example="{draft: {send: sent}, sent: {}}",
                          schema={"type": "object", "minProperties": 1, "additionalProperties": reference("state")}),
        beside=_STATE_MACHINE),
    Key("start", WORD, "the initial state, or ${{ inputs.NAME }}; the first one by default", beside=_STATE_MACHINE),
    Key("everywhere", words("a tool under 'everywhere'", or_one=True), "the tools that are available in all states",
        beside=_STATE_MACHINE),
)
# fmt: on
ELSEWHERE: Final = {"base_url": "set it with --base-url or TOOLKIT_MODEL_URL"}
"""Keys that are not allowed in a file, and where to set them instead."""


def keys_of(kind: KindName | None) -> tuple[Key, ...]:
    """Return the keys that an agent of a kind can have, or those of all kinds."""
    return tuple(key for key in KEYS if kind is None or not key.beside or kind in key.beside)


def read_definition(root: Mapping, folder: Path, problems: list[Problem]) -> AgentDefinition:
    """Read as much as possible of the definition in a document.

    Args:
        root: The document, which has the key `agent`.
        folder: The folder of the project. Text files outside of it are not read.
        problems: The list to which all problems are added. A definition with errors must not be run, but it can be
            checked further, so that the problems of both stages are reported together.
    """
    spot = spot_of(root, "an agent", problems, folder=folder)
    chosen = next((kind for kind in KINDS if kind == spot.below("agent").written), None)
    table = {one.path[0]: one.written for one in spot.inner if not _is_elsewhere(one, chosen)}
    values = read_table(table, keys_of(chosen), spot)
    if chosen is None:  # reported; the keys of all kinds were read
        values = {name: value for name, value in values.items() if name not in names_of(KEYS[-4:])}
    if chosen == "state_machine" and spot.lacks("states"):
        spot.report("a state machine needs 'states'", "write states: {draft: {send: sent}, sent: {}}")
    values.pop("toolkit", None)
    limits = values.pop("limits", {}) | {name: values.pop(name) for name in ("turns", "last_answer") if name in values}
    values |= {"name": name_in(spot, values, "agent"), "limits": Limits(**limits)}
    return AgentDefinition(**{"kind": "simple", "description": "", "location": root.location, **values})


def _is_elsewhere(spot: NodeSpot, kind: KindName | None) -> bool:
    """Return whether a key belongs to another kind of agent, or to no file, and report that."""
    name = spot.path[0]
    if name in ELSEWHERE:
        spot.report_key(f"{name!r} cannot be set in a file, because API keys are sent to it", ELSEWHERE[name])
        return True
    owners = next((key.beside for key in KEYS if key.name == name), None)
    if kind is None or not owners or kind in owners:
        return False
    spot.report_key(f"{name!r} is for another kind of agent", f"write 'agent: {next(iter(owners))}'")
    return True


# -------------------------------------------------------------------------------------------------------------- schema


def agent_schema() -> Schema:
    """Return the JSON Schema (draft-07) of agents' files."""
    file = schema_of((Key("file", TEXT, "the path of the file", required=True),))
    return {
        "$schema": DRAFT,
        "title": "Agent",
        "description": "A model with instructions and tools; it is itself a tool.",
        "anyOf": [_of_kind(kind) for kind in KINDS],
        "definitions": {
            "input": input_format(),
            "inputs": {
                "type": ["object", "null"],
                "propertyNames": {"pattern": NAME},
                "additionalProperties": reference("input"),
            },
            "text_or_file": {"anyOf": [{"type": "string", "minLength": 1}, file]},
            "lock": _lock_schema(),
            "state": _state_schema(),
            "reference": schema_of(REFERENCE_KEYS),
        },
    }


def _of_kind(kind: KindName) -> Schema:
    required = ["agent", "states"] if kind == "state_machine" else ["agent"]
    own = [
        key._replace(kind=replace(key.kind, schema={"const": kind})) if key.name == "agent" else key
        for key in keys_of(kind)
    ]
    return schema_of(own, required=required)


def _lock_schema() -> Schema:
    several = {"type": "array", "items": reference("lock"), "minItems": 1}
    kinds: dict[str, Schema] = {
        "all": several,
        "any": several,
        "artifact": {"type": "string", "description": "A type."},
        "blackboard": {"type": "string", "description": "A type or a name."},
    }
    alone = [
        schema_of([key._replace(kind=replace(key.kind, schema=kinds[key.name]), required=True)]) for key in LOCK_KEYS
    ]
    return {"anyOf": [{"type": "string", "description": "A tool."}, several, *alone]}


def _state_schema() -> Schema:
    ways = {"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}}
    tools = "The tools of the state, none of which leads to another state."
    return {"anyOf": [ways, {"type": "array", "items": {"type": "string"}, "description": tools}]}
