"""Values for the content of an agent's file: well-formed, but with no name looked up yet."""

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
