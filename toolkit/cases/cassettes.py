"""Cassettes: recorded requests to models with their replies, so that a case can be judged without the model.

A cassette lies beside its case file: `shop.cassette.json` belongs to `shop.cases.yaml`. It contains messages, tool
definitions and replies as agents see them, with secrets masked; nothing of what is sent over the network.
"""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

from toolkit.agents.models.messages import Message, Model, ModelError, ModelReply, require_reply
from toolkit.agents.transcripts import model_reply
from toolkit.approvals.decisions import plain_digest
from toolkit.cases.case import Case
from toolkit.documents.json_reading import json_data
from toolkit.errors import ConfigurationError
from toolkit.pins.drifts import Drift, Entry, drifts_between
from toolkit.pins.lockfile import entries_of
from toolkit.problems import Problem
from toolkit.redactors.redactor import Redactor
from toolkit.regular_files import bounded_bytes
from toolkit.replacing import overwrite_same_kind
from toolkit.tools.definition.spec import ToolSpec
from toolkit.visibility import visible_json

_MARK: Final = "toolkit-cassette"
_FORMAT: Final = 1
_LARGEST: Final = 64 * 1024 * 1024


class Recording(NamedTuple):
    """A request of a case to a model, with its reply, as plain data.

    Attributes:
        case: The name of the case.
        model: The name of the model.
        messages: The conversation so far.
        tools: The definitions of the tools that the model could call, by name.
        reply: The reply, and how many seconds it took.
        attempt: Which of several runs of the case this is.
    """

    case: str
    model: str
    messages: Sequence[Mapping[str, Any]]
    tools: Mapping[str, Entry]
    reply: Mapping[str, Any]
    attempt: int = 1


class Cassette:
    """The recordings for the cases of a file."""

    def __init__(self, file: Path) -> None:
        """Read the cassette beside a case file; if there is none, it has no recordings.

        Raises:
            ConfigurationError: If it cannot be read.
        """
        self.path = file.with_name(f"{file.name.removesuffix(file.suffix).removesuffix('.cases')}.cassette.json")
        try:
            self._take(self._read(bounded_bytes(self.path, most=_LARGEST).decode()))
        except FileNotFoundError:
            self._take([])
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"'{self.path.name}' cannot be read: {error}") from error

    def _read(self, text: str) -> list[Recording]:
        content = json_data(text, str(self.path))
        if isinstance(content, Problem):
            raise ConfigurationError(problems=[content])
        try:
            known = {_FORMAT: content["definitions"]}[content[_MARK]]
            read = [Recording(**one) for one in content["recordings"]]
            return [one._replace(tools={name: known[key] for name, key in one.tools.items()}) for one in read]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            message = f"'{self.path.name}' is not a cassette of this version; delete it, and record it again"
            raise ConfigurationError(message) from error

    def models_of(self, case: str) -> list[str]:
        """Return the names of the models that have been recorded for a case."""
        return list(self._models.get(case, ()))

    def reply_to(self, asked: Recording, *, exactly: bool) -> tuple[Mapping[str, Any], list[Drift]] | None:
        """Return the reply to a request, and how the definitions have changed since; `None` if it is not recorded.

        Args:
            asked: The request.
            exactly: Whether the definitions must be the same.
        """
        same = self._by_request.get(_request_of(asked), ())
        for one in sorted(same, key=lambda one: one.case != asked.case):
            if one.tools == asked.tools:
                return one.reply, []
        for one in same:
            if one.case == asked.case and not exactly:
                return one.reply, drifts_between(one.tools, asked.tools)
        return None

    def replace(self, recorded: Sequence[Recording]) -> None:
        """Replace the recordings of these cases with these models, from the first attempt on, and write the file.

        Raises:
            OSError: If it cannot be written.
        """
        again = {(one.case, one.model): one.attempt for one in recorded}
        kept = [one for one in self.recordings if one.attempt < again.get((one.case, one.model), one.attempt + 1)]
        self._write([*kept, *recorded])

    def add(self, recorded: Sequence[Recording]) -> None:
        """Add recordings, and write the file.

        Raises:
            OSError: If it cannot be written.
        """
        self._write([*self.recordings, *recorded])

    def keep_only(self, cases: Container[str]) -> int:
        """Drop the recordings of other cases than these, and return how many cases that were.

        Raises:
            OSError: If it cannot be written.
        """
        kept = [one for one in self.recordings if one.case in cases]
        gone = {one.case for one in self.recordings} - {one.case for one in kept}
        if gone:
            self._write(kept)
        return len(gone)

    def _take(self, recordings: list[Recording]) -> None:
        """Use these recordings, and find each by its request."""
        self.recordings = recordings
        self._models: dict[str, dict[str, None]] = {}
        self._by_request: dict[tuple[Any, ...], list[Recording]] = {}
        for one in recordings:
            self._models.setdefault(one.case, {})[one.model] = None
            self._by_request.setdefault(_request_of(one), []).append(one)

    def _write(self, recordings: list[Recording]) -> None:
        self._take(recordings)
        known: dict[str, Entry] = {}
        content = [one._asdict() | {"tools": digests_of(one.tools, known)} for one in self.recordings]
        text = visible_json({_MARK: _FORMAT, "definitions": known, "recordings": content}, indent=2, sort_keys=True)
        overwrite_same_kind(self.path, f"{text}\n".encode(), _MARK, "a cassette", beneath=self.path.parent)


def _request_of(recording: Recording) -> tuple[Any, ...]:
    return recording.model, recording.attempt, json.dumps(recording.messages, sort_keys=True)


def digests_of(tools: Mapping[str, Entry], known: dict[str, Entry]) -> dict[str, str]:
    """Return the digests of definitions by name, and add the definitions to those that are known by digest."""
    found = {name: plain_digest(json.dumps(entry, sort_keys=True)) for name, entry in tools.items()}
    known |= {found[name]: entry for name, entry in tools.items()}
    return found


class NotRecorded(ModelError):
    """A request has no recorded reply."""

    def __init__(self, model: str, attempt: int, turn: int, known: Sequence[str], *, is_earlier: bool) -> None:
        """Create the error.

        Args:
            model: The name of the model.
            attempt: Which of several runs of the case this is.
            turn: Which request of the conversation it is.
            known: The models that have been recorded for the case.
            is_earlier: Whether the definitions are those of another revision.
        """
        message = f"no reply of '{model}' to this request is recorded"
        if model not in known:
            message += f", only replies of {', '.join(known)}" if known else ""
        elif is_earlier:
            message = f"no reply of '{model}' to the definitions there is recorded"
        elif turn > 1:
            message = f"request {turn} of the conversation has changed since it was recorded with '{model}'"
        elif attempt == 1:
            message = f"this request has changed since a reply of '{model}' was recorded"
        else:
            message = f"no reply of '{model}' is recorded for attempt {attempt}"
        super().__init__(message)
        more = f" --repeat {attempt}" if attempt > 1 else ""
        also = " and the same `--against`" if is_earlier else ""
        self.hint = f"`toolkit test` with `--record --model {model}{more}`{also} asks the model"


class RecordedModel:
    """A model whose replies come from a cassette, or are recorded for one.

    Attributes:
        name: The name of the model.
        recorded: What has been recorded.
        drifts: How definitions have changed since their replies were recorded.
        seconds: How long the recorded replies took.
    """

    def __init__(self, name: str, case: Case, cassette: Cassette, redactor: Redactor, inner: Model | None) -> None:
        """Create the model for a case; `inner` is asked, and recorded, if it is given.

        With the tools of another revision, a reply counts only if it was given to their definitions, and is asked for
        only if there is none.
        """
        self.name = name
        self.recorded: list[Recording] = []
        self.drifts: list[Drift] = []
        self.seconds = 0.0
        self._cassette, self._redactor, self._inner = cassette, redactor, inner
        self._case, self._attempt, self._is_earlier = case.name.text, case.attempt, case.base is not None

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next reply.

        Raises:
            NotRecorded: If it is not recorded.
            ModelError: If the model does not answer.
        """
        said, entries = self._redactor.data([[one.as_record() for one in messages], entries_of(tools)])
        asked = Recording(self._case, self.name, said, entries, reply={}, attempt=self._attempt)
        native = None
        found = None
        if self._inner is None or self._is_earlier:
            found = self._cassette.reply_to(asked, exactly=self._is_earlier)
        if found is not None:
            record, drifts = found
            self.drifts += [one for one in drifts if one not in self.drifts]
            self.seconds += record.get("seconds", 0.0)
        elif self._inner is None:
            turn = 1 + sum(isinstance(one, ModelReply) for one in messages)
            known = self._cassette.models_of(self._case)
            raise NotRecorded(self.name, self._attempt, turn, known, is_earlier=self._is_earlier)
        else:
            began = perf_counter()
            reply = require_reply(await self._inner.request(messages, tools))
            native = reply.native
            record = self._redactor.data(reply.as_record()) | {"seconds": round(perf_counter() - began, 3)}
            self.recorded.append(asked._replace(reply=record))
        return replace(model_reply(record), native=native)
