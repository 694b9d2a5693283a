"""Scripted models: models with prepared replies, for demonstrations, samples and tests.

A script is a YAML file:

    turns:
      - say: I shall compute that.
        calls:
          - tool: calculator
            arguments: {expression: 6 * 7}
      - say: It is {calculator}.

`{calculator}` is replaced by the result of the last call of that tool. In Python, a turn can also be a function of the
conversation, and a single function can replace all turns. A script in a Python file has either `turns` or a function
`reply(messages, tools)`.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from toolkit.agents.models.messages import Message, ModelError, ModelReply, Tell, ToolMessage, Usage
from toolkit.agents.models.script_files import turns_in
from toolkit.documents.document_reader import read_document
from toolkit.documents.nodes import Mapping, Node, Scalar, Sequence as Items, plain
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.json_texts import json_text
from toolkit.problems import Problem, did_you_mean, errors_among
from toolkit.tools.calls.results import ToolCall
from toolkit.tools.definition.spec import ToolSpec

Answer = str | ToolCall | Sequence[ToolCall] | ModelReply
Reply = Callable[[Sequence[Message], Sequence[ToolSpec]], Answer | Awaitable[Answer]]
Turn = Answer | Reply
"""A reply, its text, its calls, or a function of the conversation and the tools that returns one of these."""

_USAGE = {"input_tokens": int, "output_tokens": int, "cost": float}
_WORDS = re.compile(r"\s*\S+|\s+")


class ScriptedModel:
    """A model that returns prepared replies in order, and streams them word by word.

    It keeps no state: the number of the turn comes from the conversation, so one model can serve several conversations
    at the same time.
    """

    def __init__(self, turns: Iterable[Turn] | Reply, name: str = "scripted") -> None:
        """Create a scripted model.

        Args:
            turns: The turns, or a function that makes each turn.
            name: The name of the model.
        """
        self.turns = None if callable(turns) else tuple(turns)
        self.name = name
        self._reply = turns if callable(turns) else self._prepare

    @classmethod
    def load(cls, path: str | Path) -> "ScriptedModel":
        """Load a script from a YAML file, or from a Python file, which is run.

        Raises:
            ConfigurationError: If the file has errors. The exception lists all of them.
        """
        file = Path(path)
        name = f"scripted:{file.name}"
        if file.suffix == ".py":
            return cls(turns_in(file), name)
        node, problems = read_document(file)
        turns = _Reading(problems).turns(node) if node is not None else []
        raise_errors(ConfigurationError, problems)
        return cls(turns, name)

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the reply for the current turn of the conversation.

        Raises:
            ModelError: If the script has no further turn, or a function does not return a turn.
        """
        given = self._reply(messages, tools)
        reply = self._as_reply(await given if isinstance(given, Awaitable) else given)
        return ModelReply(_fill(reply.text, messages), reply.calls, reply.usage, cut=reply.cut)

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the same reply as `request`, and report it word by word.

        Raises:
            ModelError: If the script has no further turn, or a function does not return a turn.
        """
        reply = await self.request(messages, tools)
        for piece in (*_WORDS.findall(reply.text), *reply.calls):
            tell(piece)
        return reply

    def _prepare(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Answer | Awaitable[Answer]:
        turns = self.turns or ()
        number = sum(isinstance(message, ModelReply) for message in messages)
        if number >= len(turns):
            count = f"{len(turns)} turn{'s' if len(turns) != 1 else ''}"
            raise ModelError(f"the script of '{self.name}' has only {count}, but the agent made another request")
        turn = turns[number]
        return turn(messages, tools) if callable(turn) else turn

    def _as_reply(self, answer: object) -> ModelReply:
        match answer:
            case ModelReply():
                return answer
            case str():
                return ModelReply(answer)
            case ToolCall():
                return ModelReply(calls=(answer,))
            case Sequence() if answer and all(isinstance(call, ToolCall) for call in answer):
                return ModelReply(calls=tuple(cast("Sequence[ToolCall]", answer)))
        raise ModelError(
            f"a turn of '{self.name}' is of type {type(answer).__name__}, not text, ToolCalls or a ModelReply"
        )


def _fill(text: str, messages: Sequence[Message]) -> str:
    """Replace names of tools in braces by the results of their last calls."""
    given = {message.call.name: message.text for message in messages if isinstance(message, ToolMessage)}
    return re.sub(r"\{([^{}]+)\}", lambda match: given.get(match[1], match[0]), text)


class _Reading:
    """Reads turns from a document and collects problems."""

    def __init__(self, problems: list[Problem]) -> None:
        self._problems = problems

    def turns(self, node: Node) -> list[ModelReply]:
        root = self._mapping(node, "a script", ("turns",))
        if root is None:
            return []
        listed = root.get("turns")
        if listed is None:
            if not errors_among(self._problems):
                self._wrong(node, "a script needs 'turns': a list of replies")
            return []
        return [self._turn(item) for item in self._items(listed, "'turns'")]

    def _turn(self, node: Node) -> ModelReply:
        if isinstance(node, Scalar):
            return ModelReply(node.text)
        turn = self._mapping(node, "a turn", ("say", "calls", "usage"))
        if turn is None:
            return ModelReply()
        say, calls, usage = turn.get("say"), turn.get("calls"), turn.get("usage")
        if say is not None and not isinstance(say, Scalar):
            self._wrong(say, "'say' must be text")
        made = [self._call(item) for item in self._items(calls, "'calls'")] if calls is not None else []
        return ModelReply(say.text if isinstance(say, Scalar) else "", tuple(made), self._usage(usage))

    def _call(self, node: Node) -> ToolCall:
        call = self._mapping(node, "a call", ("tool", "arguments", "id"))
        if call is None:
            return ToolCall("")
        tool, arguments, identity = call.get("tool"), call.get("arguments"), call.get("id")
        if not isinstance(tool, Scalar):
            self._wrong(node, "a call needs 'tool': the name of a tool")
        if isinstance(arguments, Scalar) and isinstance(arguments.value, str):
            text = arguments.text  # as a model would send it, even if it is not valid JSON
        else:
            text = json_text({} if arguments is None else plain(arguments))
        name = tool.text if isinstance(tool, Scalar) else ""
        return ToolCall(name, text, identity.text if isinstance(identity, Scalar) else None)

    def _usage(self, node: Node | None) -> Usage:
        usage = self._mapping(node, "'usage'", tuple(_USAGE)) if node is not None else None
        if usage is None:
            return Usage()
        values: dict[str, Any] = {}
        for name, entry in usage.entries.items():
            value, kind = plain(entry.value), _USAGE.get(name, int)
            if isinstance(value, bool) or not isinstance(value, (int, kind)):
                self._wrong(entry.value, f"'{name}' must be a number")
            elif name in _USAGE:
                values[name] = value
        return Usage(**values)

    def _mapping(self, node: Node, what: str, known: tuple[str, ...]) -> Mapping | None:
        if not isinstance(node, Mapping):
            self._wrong(node, f"{what} must be a mapping with {' or '.join(map(repr, known))}")
            return None
        for name, entry in node.entries.items():
            if name not in known:
                hint = did_you_mean(name, known, otherwise=f"the keys are {', '.join(known)}")
                self._problems.append(Problem("", f"{what} has no '{name}'", entry.key.location, hint=hint))
        return node

    def _items(self, node: Node, what: str) -> Iterable[Node]:
        if isinstance(node, Items):
            return node.items
        self._wrong(node, f"{what} must be a list")
        return ()

    def _wrong(self, node: Node, message: str) -> None:
        self._problems.append(Problem("", message, node.location))
