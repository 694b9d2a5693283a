"""The values that an agent's file is read into: well-formed, but no name in them has been looked up yet."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolkit.agents.kinds import Lock
from toolkit.agents.loop import Limits
from toolkit.codes import BAD_EXPRESSION, UNKNOWN_REFERENCE
from toolkit.documents.nodes import Scalar, Word
from toolkit.json_texts import json_text
from toolkit.problems import Location, Problem, did_you_mean, fix_spelling

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
