"""A server of the chat API on this machine: real connections, plain and streamed, for replies that are written down.

In a test:

    with ChatServer.of_folder(folder) as server:          # chat:NAME answers with the turns of folder/NAME.yaml
        open_model("chat:trip", server.url)

By hand, in one shell and the other:

    python tests/chat_server.py sample_pipelines/agents/scripts --port 8008
    toolkit agent "…" --model chat:NAME --base-url http://127.0.0.1:8008/v1
    toolkit run agent.yaml --model chat:any --base-url http://127.0.0.1:8008/v1
"""

import asyncio
import json
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

from toolkit import ToolCall, ToolSpec
from toolkit.agents import (
    Message,
    Model,
    ModelError,
    ModelReply,
    ScriptedModel,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from toolkit.errors import ConfigurationError


class Asked(NamedTuple):
    """A request as it came."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def is_streamed(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def messages(self) -> list[Message]:
        """The conversation in terms of the library."""
        calls: dict[str, ToolCall] = {}
        return [_message(said, calls) for said in self.body.get("messages", ())]

    @property
    def tools(self) -> list[ToolSpec]:
        offered = [tool["function"] for tool in self.body.get("tools", ())]
        return [ToolSpec(one["name"], one.get("description", ""), one.get("parameters", {})) for one in offered]


@dataclass(frozen=True)
class Said:
    """A reply in the form that was asked for; `cut_after` breaks the stream off after so many events."""

    reply: ModelReply
    finish: str | None = "natural"
    cut_after: int | None = None


@dataclass(frozen=True)
class Raw:
    """An answer byte for byte; `missing` are bytes that are promised and never come."""

    body: bytes | str | dict[str, Any]
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    missing: int = 0


@dataclass(frozen=True)
class Silence:
    """Nothing, for as long as the server is there; of a streamed reply, nothing after its first event."""

    first: ModelReply | None = None


Answer = Said | Raw | Silence


def said(text: str = "", *calls: ToolCall, **options: Any) -> Said:
    return Said(ModelReply(text, calls), **options)


def failure(status: int, message: str) -> Raw:
    """An error as providers word it; a client that tries again need not wait."""
    return Raw({"error": {"message": message, "type": "error"}}, status, headers={"Retry-After-Ms": "1"})


class ChatServer:
    """The server; it listens while it is open, and keeps what it was asked."""

    def __init__(self, answer: Callable[[Asked], Answer], *, port: int = 0, delay: float = 0.0) -> None:
        self.asked: list[Asked] = []
        self.answer = answer
        self.delay = delay
        self.closing = threading.Event()
        self._http = _Http(self, port)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    @classmethod
    def of_answers(cls, *answers: Answer) -> Self:
        """Gives these, one after the other, and then an error."""
        left = list(answers)
        return cls(lambda asked: left.pop(0) if left else failure(400, "there is no further answer"))

    @classmethod
    def of_model(cls, model: Model, **options: Any) -> Self:
        """Answers with what a model of the library answers."""
        return cls(lambda asked: _answer_of(model, asked), **options)

    @classmethod
    def of_folder(cls, folder: str | Path, **options: Any) -> Self:
        """Answers for the model NAME with the script `folder/NAME.yaml` or `.py`; for `any` with the one that fits."""

        def answer(asked: Asked) -> Answer:
            name = str(asked.body.get("model"))
            files = [Path(folder) / f"{name}{suffix}" for suffix in (".yaml", ".yml", ".py")]
            script = next((file for file in files if file.is_file()), None)
            try:
                if name == "any":
                    return _answer_of(_fitting(Path(folder), asked), asked)
                if script is None:
                    return failure(404, f"the model '{name}' does not exist")
                return _answer_of(ScriptedModel.load(script), asked)
            except ConfigurationError as error:
                return failure(400, str(error))

        return cls(answer, **options)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def __init__(self, chat: ChatServer, port: int) -> None:
        self.chat = chat
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that have gone."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def _chat(self) -> ChatServer:
        assert isinstance(self.server, _Http)
        return self.server.chat

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = Asked(self.path, json.loads(body), {name.title(): value for name, value in self.headers.items()})
        self._chat.asked.append(asked)
        match self._chat.answer(asked):
            case Raw() as raw:
                self._send(raw)
            case Said() as reply if asked.is_streamed:
                self._stream(asked, reply)
            case Said() as reply:
                self._send(Raw(_completion(asked, reply)))
            case Silence(first):
                if first is not None and asked.is_streamed:
                    self._begin_stream()
                    self._write_events(asked, Said(first, cut_after=2))
                self._chat.closing.wait()
                self.close_connection = True

    def _send(self, raw: Raw) -> None:
        body = json.dumps(raw.body) if isinstance(raw.body, dict) else raw.body
        data = body.encode() if isinstance(body, str) else body
        self.send_response(raw.status)
        self.send_header("Content-Type", raw.content_type)
        self.send_header("Content-Length", str(len(data) + raw.missing))
        for name, value in raw.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        if raw.missing:
            self._hang_up()

    def _stream(self, asked: Asked, reply: Said) -> None:
        self._begin_stream()
        self._write_events(asked, reply)
        if reply.cut_after is None:
            self._chunk("")
        else:
            self._hang_up()

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _write_events(self, asked: Asked, reply: Said) -> None:
        for event in islice(_events(asked, reply), reply.cut_after):
            self._chat.closing.wait(self._chat.delay)  # by hand alone, to see it come
            self._chunk(f"data: {event}\n\n")

    def _chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _answer_of(model: Model, asked: Asked) -> Answer:
    try:
        reply = asyncio.run(model.request(asked.messages, asked.tools))
    except ModelError as error:
        return failure(400, str(error))
    return Said(reply, "length" if reply.cut else "natural")


def _fitting(folder: Path, asked: Asked) -> Model:
    """Return the script that calls, as far as possible, what is offered: one server serves several agents at once."""
    offered = {tool.name for tool in asked.tools}

    def fits(model: ScriptedModel) -> float:
        called = {call.name for turn in model.turns or () if isinstance(turn, ModelReply) for call in turn.calls}
        return len(called & offered) / max(len(called), 1)

    return max((ScriptedModel.load(file) for file in sorted(folder.glob("*.yaml"))), key=fits)


def _message(said: Mapping[str, Any], calls: dict[str, ToolCall]) -> Message:
    text = said.get("content") or ""
    match said["role"]:
        case "system" | "developer":
            return SystemMessage(text)
        case "user":
            return UserMessage(text)
        case "tool":
            return ToolMessage(calls[said["tool_call_id"]], text)
    made = [ToolCall(c["function"]["name"], c["function"]["arguments"], c["id"]) for c in said.get("tool_calls") or ()]
    calls |= {str(call.id): call for call in made}
    return ModelReply(text, tuple(made))


def _calls(asked: Asked, reply: ModelReply) -> list[dict[str, Any]]:
    """The calls as the wire has them; an id tells them apart in the whole conversation."""
    turn = len(asked.body.get("messages", ()))
    return [
        {
            "id": call.id or f"call_{turn}_{number}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for number, call in enumerate(reply.calls)
    ]


def _finish(reply: Said) -> str | None:
    return ("tool_calls" if reply.reply.calls else "stop") if reply.finish == "natural" else reply.finish


def _usage(reply: ModelReply) -> dict[str, int]:
    sent, received = reply.usage.input_tokens, reply.usage.output_tokens
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _completion(asked: Asked, reply: Said) -> dict[str, Any]:
    calls = _calls(asked, reply.reply)
    message = {"role": "assistant", "content": reply.reply.text or None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return _frame(asked, "chat.completion", [choice]) | {"usage": _usage(reply.reply)}


def _frame(asked: Asked, kind: str, choices: Iterable[dict[str, Any]]) -> dict[str, Any]:
    model = asked.body.get("model")
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": model, "choices": list(choices)}


def _events(asked: Asked, reply: Said) -> Iterator[str]:
    """The events of a stream: the text word by word, each call in two halves, the end, and what was used."""
    kind = "chat.completion.chunk"
    deltas = [{"role": "assistant", "content": ""}, *_deltas(asked, reply.reply)]
    for delta in deltas:
        yield json.dumps(_frame(asked, kind, [{"index": 0, "delta": delta, "finish_reason": None}]))
    if (finish := _finish(reply)) is not None:
        yield json.dumps(_frame(asked, kind, [{"index": 0, "delta": {}, "finish_reason": finish}]))
    if (asked.body.get("stream_options") or {}).get("include_usage"):
        yield json.dumps(_frame(asked, kind, []) | {"usage": _usage(reply.reply)})
    yield "[DONE]"


def _deltas(asked: Asked, reply: ModelReply) -> Iterator[dict[str, Any]]:
    for word in re.findall(r"\s*\S+|\s+", reply.text):
        yield {"content": word}
    for number, call in enumerate(_calls(asked, reply)):
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        begun = {"name": call["function"]["name"], "arguments": arguments[:half]}
        yield {"tool_calls": [{**call, "index": number, "function": begun}]}
        yield {"tool_calls": [{"index": number, "function": {"arguments": arguments[half:]}}]}


def main() -> None:
    """Serve the scripts of a folder until Ctrl-C: `python tests/chat_server.py FOLDER [--port N] [--delay SECONDS]`."""
    from argparse import ArgumentParser

    parser = ArgumentParser(description="Serve the scripts of a folder over the chat API, for the models chat:NAME.")
    parser.add_argument("folder", help="where NAME.yaml is")
    parser.add_argument("--port", type=int, default=8008)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds between the pieces of a streamed reply")
    given = parser.parse_args()
    with ChatServer.of_folder(given.folder, port=given.port, delay=given.delay) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        try:
            server.closing.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
