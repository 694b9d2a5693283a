"""A small server on which people approve calls: a page with every open question, and two buttons for each.

    export APPROVALS_SECRET=$(openssl rand -hex 32)
    python sample_pipelines/chat_approvals.py 8765

It prints the address of the page. Your own `~/.config/toolkit/config.toml` sends questions here:

    [webhook]
    url = "http://127.0.0.1:8765/review"
    secret = "APPROVALS_SECRET"
    private = true

Only somebody who knows the key in the address of the page can answer. A real one would post to your chat instead.
"""

import json
import os
import secrets
import sys
from hmac import compare_digest
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from toolkit.webhooks import fault_of, signed

LONGEST = 1024 * 1024


class Chat:
    """The open questions, and the answers until they are fetched."""

    def __init__(self, secret: str) -> None:
        """Begin with no question; the key of the page is new each time."""
        self.secret = secret
        self.key = secrets.token_urlsafe(16)
        self.questions: dict[str, dict] = {}
        self.answers: dict[str, bytes] = {}

    def decide(self, identity: str, decision: str) -> None:
        """Answer a question; of two answers the first counts."""
        question = self.questions.pop(identity, None)
        if question is not None and decision in question["answers"]:
            answer = {"id": identity, "call": question["call"], "decision": decision, "reason": "answered in the chat"}
            self.answers[identity] = json.dumps(answer).encode()

    def page(self) -> bytes:
        """Return every open question as a page; nothing in a question is taken for HTML."""
        parts = [
            f"<form method=post action='/decide?key={self.key}'>{shown(one)}</form>" for one in self.questions.values()
        ]
        return (
            f"<!doctype html><meta charset=utf-8><title>Approvals</title>{''.join(parts) or 'No questions.'}".encode()
        )


def shown(question: dict) -> str:
    """Return a question as HTML."""
    lines = json.dumps({key: question[key] for key in ("tool", "source", "risk", "arguments", "asked_by")}, indent=2)
    identity = escape(question["id"], quote=True)
    buttons = "".join(f"<button name=decision value={word}>{word}</button>" for word in ("approve", "reject", "stop"))
    hidden = f"<input type=hidden name=id value='{identity}'>"
    return f"<h2>{escape(question['text'])}</h2><pre>{escape(lines)}</pre>{hidden}{buttons}"


class Handler(BaseHTTPRequestHandler):
    """Handles requests for one chat."""

    chat: Chat

    def do_POST(self) -> None:
        """Take a question, or what somebody has decided on the page."""
        length = self.headers.get("Content-Length", "")
        body = self.rfile.read(int(length)) if length.isdecimal() and int(length) <= LONGEST else b""
        if urlsplit(self.path).path == "/decide":
            self._decide(parse_qs(body.decode("utf-8", "replace")))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        if fault_of(self.chat.secret, "review", headers, body) is not None:
            self._tell(403)
            return
        question = json.loads(body)
        self.chat.questions[question["id"]] = question
        self._tell(202, json.dumps({"poll": f"/answers/{question['id']}"}).encode())

    def do_GET(self) -> None:
        """Return the page, or the answer to a question."""
        if self.path.startswith("/answers/"):
            self._answer(self.path.removeprefix("/answers/"))
        elif self._has_key():
            self._tell(200, self.chat.page(), {"Content-Type": "text/html"})
        else:
            self._tell(403)

    def _answer(self, identity: str) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        if fault_of(self.chat.secret, "poll", headers, identity.encode()) is not None:
            self._tell(403)
        elif (answer := self.chat.answers.get(identity)) is not None:
            self._tell(200, answer, signed(self.chat.secret, "answer", answer))
        else:
            self._tell(202 if identity in self.chat.questions else 404)

    def _decide(self, form: dict[str, list[str]]) -> None:
        if not self._has_key():
            self._tell(403)
            return
        self.chat.decide(form.get("id", [""])[0], form.get("decision", [""])[0])
        self._tell(303, headers={"Location": f"/?key={self.chat.key}"})

    def _has_key(self) -> bool:
        given = parse_qs(urlsplit(self.path).query).get("key", [""])[0]
        return compare_digest(given.encode(), self.chat.key.encode())

    def _tell(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing about requests."""


def main() -> None:
    """Serve on the port that the command line names, on this machine alone."""
    chat = Chat(os.environ["APPROVALS_SECRET"])
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), type("ChatHandler", (Handler,), {"chat": chat}))
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/?key={chat.key}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
