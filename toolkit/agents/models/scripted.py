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
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Final, cast
from zlib import crc32

from toolkit.agents.models.messages import Message, ModelError, ModelReply, Tell, ToolMessage, Usage
from toolkit.codes import NOT_FOUND
from toolkit.documents.document_reader import read_document
from toolkit.documents.keys import Key, as_written, is_number, whole_number
from toolkit.documents.node_keys import NodeSpot, mapping_of, node, read_mapping, spot_of
from toolkit.documents.nodes import Mapping, Scalar, plain
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.json_texts import json_text
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.source_imports import import_source
from toolkit.tools.calls.results import ToolCall
from toolkit.tools.definition.spec import ToolSpec

MOST_TURNS = 10_000
_NAMES = ("reply", "turns")
_KINDS = "write `turns = [...]`, or `def reply(messages, tools):`"


def turns_in(file: Path) -> Iterable[Any] | Callable[..., Any]:
    """Run a Python file, and return its turns, or its function that makes them.

    Args:
        file: A file with a function `reply(messages, tools)`, or with `turns`: a list, or a function that returns an
            iterable, such as a generator.

    Raises:
        ConfigurationError: If the file does not exist, cannot be run, or has neither.
    """
    names = vars(_run(file))
    if callable(names.get("reply")):
        return cast("Callable[..., Any]", names["reply"])
    turns = names.get("turns")
    if turns is None:
        near = [hint for name in names if not name.startswith("_") and (hint := did_you_mean(name, _NAMES))]
        hint = near[0] if near else _KINDS
        raise _refused("", f"a script needs 'turns' or a function 'reply', but '{file.name}' has neither", file, hint)
    try:
        listed = list(islice(turns() if callable(turns) else turns, MOST_TURNS + 1))
    except Exception as error:
        raise _failed(error, file) from error
    if len(listed) > MOST_TURNS:
        hint = "a function `reply(messages, tools)` can return any number of turns"
        raise _refused("", f"'turns' in '{file.name}' has more than {MOST_TURNS:,} turns", file, hint)
    return listed


def _run(file: Path) -> ModuleType:
    name = f"_script_{file.stem}_{crc32(str(file.resolve()).encode()):08x}"
    if not file.is_file():
        raise _refused(NOT_FOUND, f"there is no file '{file}'", None, None)
    try:
        return import_source(name, file)  # dataclasses look up their module in `sys.modules`
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failed(error, file) from error


def _failed(error: BaseException, file: Path) -> ConfigurationError:
    """Return the error for an exception in a script, with the innermost line of the file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    message = f"the script '{file.name}' cannot be run: {type(error).__name__}{f': {words}' if words else ''}"
    return ConfigurationError(problems=[Problem("", message, Location(str(file), line))])


def _refused(code: str, message: str, file: Path | None, hint: str | None) -> ConfigurationError:
    place = Location(str(file)) if file is not None else None
    return ConfigurationError(problems=[Problem(code, message, place, hint=hint)])


SCRIPTED = "scripted"
"""The prefix in `scripted:FILE`."""


def runs_code(model: str) -> bool:
    """Return whether opening a model runs code, as scripts in Python do. Only the user may choose such a model."""
    kind, _, file = model.partition(":")
    return kind == SCRIPTED and file.strip().lower().endswith(".py")


Answer = str | ToolCall | Sequence[ToolCall] | ModelReply
Reply = Callable[[Sequence[Message], Sequence[ToolSpec]], Answer | Awaitable[Answer]]
Turn = Answer | Reply
"""A reply, its text, its calls, or a function of the conversation and the tools that returns one of these."""

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
        root, problems = read_document(file)
        spot = None if root is None else spot_of(root, "a script", problems, code="")
        values = (read_mapping(spot, SCRIPT, "'turns:' followed by one reply per line") if spot else None) or {}
        raise_errors(ConfigurationError, problems)
        return cls(values.get("turns", []), name)

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


def _scalar(_: Any, spot: NodeSpot) -> str | None:
    return spot.text if isinstance(spot.node, Scalar) else None


def _arguments(written: Any, spot: NodeSpot) -> str:
    """Return the arguments as a model would send them; text is not even checked to be JSON."""
    return written if isinstance(written, str) else json_text(plain(spot.at))


def _calls(written: Any, spot: NodeSpot) -> tuple[ToolCall, ...] | None:
    if not isinstance(written, list):
        return None
    found = [read_mapping(one, CALL, "{tool: name, arguments: {}}") or {} for one in spot.items("a call")]
    return tuple(ToolCall(**{"name": "", "arguments": "{}", **values}) for values in found)


def _turns(written: Any, spot: NodeSpot) -> list[ModelReply] | None:
    return [_turn(one) for one in spot.items("a turn")] if isinstance(written, list) else None


def _turn(spot: NodeSpot) -> ModelReply:
    if isinstance(spot.node, Scalar):
        return ModelReply(spot.text)
    if isinstance(spot.node, Mapping):
        return ModelReply(**read_mapping(spot, TURN) or {})
    spot.wrong("text or a mapping", "write {say: text} or {calls: [{tool: name}]}")
    return ModelReply()


_SCALAR: Final = node("text", _scalar, {"type": "string"})
_COUNT: Final = whole_number(0, words="a whole number, zero or more")
CALL: Final = (
    Key("tool", _SCALAR, "the name of a tool", field="name", required=True),
    Key("arguments", node("any value", _arguments, {}), "the arguments, as data or as the text that a model sends"),
    Key("id", _SCALAR, "the id of the call"),
)
USAGE: Final = (
    Key("input_tokens", _COUNT, "the tokens of the request"),
    Key("output_tokens", _COUNT, "the tokens of the reply"),
    Key("cost", as_written("number", "a number", {"type": "number"}, is_number), "what it cost, in dollars"),
)
TURN: Final = (
    Key("say", _SCALAR, "the text of the reply", field="text"),
    Key("calls", node("a list", _calls, {"type": "array"}), "the calls of the reply"),
    Key("usage", mapping_of(USAGE, lambda values: Usage(**values), example="{input_tokens: 12}"), "what it used"),
)
SCRIPT: Final = (
    Key("turns", node("a list", _turns, {"type": "array"}, "[…]"), "the replies, in order", required=True),
)
"""The keys of a script."""
