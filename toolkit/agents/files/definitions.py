"""Definitions: the content of an agent's file; read and well-formed, but nothing in it looked up yet."""

from typing import TYPE_CHECKING, Literal, NamedTuple

from toolkit.agents.files.texts import Text
from toolkit.agents.loop import Limits
from toolkit.documents.shapes import Word
from toolkit.problems import Location

if TYPE_CHECKING:
    from toolkit.agents.playbooks import Lock
    from toolkit.runs.records import Budget
    from toolkit.tools.inputs import Input

KindName = Literal["simple", "playbook", "state_machine"]
KINDS: tuple[KindName, ...] = ("simple", "playbook", "state_machine")


class LockDefinition(NamedTuple):
    """The lock of one tool.

    Attributes:
        tool: The tool that it is for.
        lock: When it opens; `None` where that could not be read.
        waits_for: The tools that it names.
    """

    tool: Word
    lock: "Lock | None"
    waits_for: tuple[Word, ...] = ()


class Way(NamedTuple):
    """A tool of a state, and the state that it leads to; `None` means that it stays."""

    tool: Word
    to: Word | None = None


class StateDefinition(NamedTuple):
    """A state, and the tools that may be called in it."""

    name: Word
    ways: tuple[Way, ...] = ()


class ReferenceDefinition(NamedTuple):
    """Additional knowledge for an agent, with the targets of its tools.

    Attributes:
        name: What it is called.
        description: What it is, in a sentence.
        notes: How it is to be used.
        tools: The targets of its tools.
        unfolds: Whether its tools are behind one facade, whose call reveals them and the notes.
    """

    name: Word
    description: str
    notes: Text | None = None
    tools: tuple[Word, ...] = ()
    unfolds: bool = False


class AgentDefinition(NamedTuple):
    """A whole agent as it is written.

    Attributes:
        kind: Which kind of agent it is.
        name: The name of the tool that it becomes, and where that stands (the file's stem if nowhere).
        description: What it does.
        location: The place of the whole definition.
        model: The name of the model; `None` leaves the choice to the caller.
        instructions: The system prompt; `None` means the description.
        prompt: What the task is, with the inputs in it; `None` is the input `task`.
        tools: The targets that it may call, each of which may hold several tools.
        inputs: What it takes besides, or instead of, the task; `None` means the task alone.
        output: The members of the answer; `None` means that any text will do.
        limits: How far it may go.
        budget: What it may spend; `None` means no limit.
        references: What the model receives beside the instructions, with tools of their own.
        chaining: The classes whose objects bring tools of their own once a tool has returned one; `any` for all.
        captures_nested: Whether the artifacts of agents among its tools are its own too.
        locks: The locks of a playbook's tools; those without one are open.
        states: The states of a state machine.
        start: The state that it begins in; `None` is the first one.
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
