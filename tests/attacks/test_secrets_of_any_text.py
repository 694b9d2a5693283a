"""Secrets of any text, at every sink."""

import json
import os
import re
import subprocess
import sys
from hashlib import sha256

import pytest

from tests.mcp.raw import RawStdio, message
from tests.mcp.serving import TOOLKIT
from tests.terminals import Terminal
from toolkit.redactors import MASK

BETWEEN = {
    "plain": [""],
    "words": [" "],
    "quotes": ['"', "'", "''"],
    "backslashes": ["\\", "\\n", "\\x"],
    "lines": ["\n", "\n  "],
    "letters": ["\u00e9", "\u5bc6", "\U0001f511"],
    "markup": ["<b>", "&", "[red]", "*", "|", "`"],
    "address": ["%", "/", "?", "=", "+", ":"],
    "long": ["-", "_", "."],
}
"""What stands between the parts of a secret."""


NO_DIGEST = str.maketrans("0123456789abcdef", "ghijklmnopqrstuv")
"""Letters that are in no digest, of which the files of the program have many: six of its digits may be those of a secret."""


def parts_of(kind):
    """Return parts that stand nowhere else; six of their characters are enough to know one."""
    count = 16 if kind == "long" else 5
    digests = (sha256(f"{kind} {number}".encode()).hexdigest() for number in range(count))
    return [f"Q{digest[:8].translate(NO_DIGEST)}" for digest in digests]


def secret_of(kind):
    parts, between = parts_of(kind), BETWEEN[kind]
    return parts[0] + "".join(between[number % len(between)] + part for number, part in enumerate(parts[1:]))


SECRETS = {kind.upper(): secret_of(kind) for kind in BETWEEN} | {"NUMBER": "8314159265"}
MARKS = {kind.upper(): parts_of(kind) for kind in BETWEEN} | {"NUMBER": ["8314159265", "8,314,159"]}
ENVIRONMENT = {f"{kind}_SECRET": value for kind, value in SECRETS.items()}

TOOLS = '''
"""Tools that write secrets in many ways."""

import json
import logging
import os
import pprint
import textwrap
import warnings
from base64 import encodebytes
from typing import Annotated, Any, Literal

from pydantic import BaseModel, SecretStr, TypeAdapter

from toolkit import ToolContext, ToolExecutionError, ToolResult, tool
from toolkit.runs import Message

NUMBER = int(os.environ["NUMBER_SECRET"])


def secret(kind: str) -> str:
    return os.environ[f"{kind}_SECRET"]


class Order(BaseModel):
    pin: int
    who: str


@tool(read_only=True)
def data(kind: str) -> dict[str, Any]:
    """Return data."""
    value = secret(kind)
    return {"value": value, "list": [value, {value: 1}], "pin": NUMBER, "float": float(NUMBER), "json": json.dumps({"a": value})}


@tool(read_only=True)
def order() -> Order:
    """Return an order."""
    return Order(pin=NUMBER, who="me")


@tool(read_only=True)
def text(kind: str) -> str:
    """Return a text."""
    value = secret(kind)
    ways = [value, json.dumps(value), repr(value), textwrap.fill(value, 20), pprint.pformat([value], width=20)]
    return "\\n".join([*ways, encodebytes(b"x" * 40 + value.encode()).decode()])


@tool(read_only=True)
def invalid(kind: str) -> str:
    """Fail to validate."""
    value = secret(kind)
    return str(TypeAdapter(int).validate_python({"key": value, "other": value}))


@tool(read_only=True)
def raising(kind: str) -> str:
    """Raise exceptions with causes, notes and groups."""
    value = secret(kind)
    try:
        try:
            raise KeyError(value)
        except KeyError as error:
            error.add_note(f"note: {value}")
            raise LookupError({"a": [value]}) from error
    except LookupError as error:
        group = ExceptionGroup(f"group {value}", [error, ValueError(value)])
        group.add_note(repr(value))
        raise group


@tool(read_only=True)
def coded(kind: str) -> Any:
    """Fail with a code."""
    raise ToolExecutionError(f"no {secret(kind)}", code=secret(kind))


@tool(read_only=True)
def numbered() -> Any:
    """Fail with a number."""
    return ToolResult.failure("no", code=NUMBER)


@tool(read_only=True)
def noisy(kind: str, context: ToolContext) -> str:
    """Print, log, warn and report."""
    value = secret(kind)
    print(value, repr(value), json.dumps({"v": value}, indent=2), textwrap.fill(value, 20), sep="\\n")
    context.logger.warning("log %s %r", value, value)
    logging.getLogger("other").error("other %s", value)
    context.progress(f"at {value}", 1, 2)
    if context.run:
        context.run.send(Message(f"message {value}"))
    warnings.warn(f"warned {value}")
    return "done"


@tool(
    requires_approval=True,
    description=f"Pay with {secret('PLAIN')} or {secret('QUOTES')} or {secret('WORDS')} or {secret('LONG')}.",
)
def pay(
    amount: int,
    note: Annotated[str, f"Not {secret('BACKSLASHES')} {secret('LINES')} {secret('ADDRESS')}"] = secret("MARKUP"),
    how: Literal["cash", secret("LETTERS")] = "cash",
    pin: int = NUMBER,
) -> str:
    return "paid"


@tool(read_only=True)
def secretly(password: SecretStr, count: int = 1) -> str:
    """Take a secret."""
    return f"{password.get_secret_value()} {count}"
'''
PIPELINE = """
name: pipe
description: Fetches secrets.
tools: [./tools.py]
inputs:
  kind: {type: string}
steps:
  - {id: one, use: text, with: {kind: '${{ inputs.kind }}'}}
  - {id: two, use: data, with: {kind: '${{ inputs.kind }}'}}
  - {id: three, use: invalid, with: {kind: '${{ inputs.kind }}'}, on_error: continue}
"""
ANSWER = f"the answer is {SECRETS['LINES']} and {SECRETS['QUOTES']}"
CALLED = ["data", "text", "invalid", "raising", "coded", "noisy"]
TURNS = [{"calls": [{"tool": name, "arguments": {"kind": kind}} for kind in SECRETS]} for name in CALLED]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose tools write secrets that are in the environment."""
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "pipe.yaml").write_text(PIPELINE)
    (tmp_path / "kinds.jsonl").write_text("".join(f"{json.dumps({'kind': kind})}\n" for kind in SECRETS))
    (tmp_path / "script.json").write_text(json.dumps({"turns": [*TURNS, ANSWER]}))
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TOOLKIT_AUDIT", "1")
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def secrets_in(told):
    """Return the secrets of which a text has six characters in a row."""
    return {kind for kind, parts in MARKS.items() for part in parts if any(piece in told for piece in pieces_of(part))}


def pieces_of(part):
    return [part] if not part.isalnum() else [part[start : start + 6] for start in range(len(part) - 5)]


def run(project, attacks, *words):
    """Run a command, and count whether it writes a secret."""
    done = subprocess.run(
        [sys.executable, "-m", "toolkit_cli", *words],
        cwd=project, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    told = (done.stdout + done.stderr).decode(errors="replace")
    attacks.count(f"{' '.join(words)[:200]}: {secrets_in(told)}", held=not secrets_in(told))
    return done.stdout.decode()


def files_of(project, attacks):
    """Count each file that commands left behind."""
    given = {"tools.py", "pipe.yaml", "kinds.jsonl", "script.json"}
    for file in project.rglob("*"):
        if file.is_file() and file.name not in given and file.suffix != ".pyc":
            found = secrets_in(file.read_bytes().decode("latin-1"))
            attacks.count(f"{file.relative_to(project)}: {found}", held=not found)


def calls_of(kind):
    """Return the commands for one secret."""
    value = SECRETS[kind]
    yield from (["run", f"tools.py:{name}", f"kind={kind}"] for name in CALLED)
    yield ["run", "tools.py:raising", f"kind={kind}", "--debug", "-vv"]
    yield from (["run", f"tools.py:{name}", f"kind={kind}", "--format", "json", "-vv"] for name in CALLED)
    yield ["run", "pipe.yaml", f"kind={kind}", "--journal", "--format", "jsonl"]
    yield ["run", "tools.py:secretly", f"password={value}", "-v"]
    yield ["run", "tools.py:secretly", "--args", json.dumps({"password": [value], "count": value})]
    yield ["run", "tools.py:data", f"kind={value}"]
    yield ["run", "tools.py:pay", "amount=1", f"note={value}"]
    yield ["run", f"tools.py:{value}"]
    yield ["run", "tools.py:pay", f"{value}=1"]
    yield ["lint", value]


def commands():
    """Return the commands for all secrets together."""
    yield ["run", "tools.py:order", "--format", "json"]
    yield ["run", "tools.py:numbered", "--format", "json"]
    yield ["run", "tools.py:pay", "amount=1", "--dry-run"]
    yield ["run", "tools.py:data", "--each", "kinds.jsonl", "--out", "data.jsonl"]
    yield ["run", "tools.py:raising", "--each", "kinds.jsonl", "-v"]
    yield ["run", "tools.py:text", "--each", "kinds.jsonl", "--store", "sqlite:///store.db"]
    for command in ("list", "show", "schema"):
        yield [command, "tools.py"]
    yield ["list", "tools.py", "--format", "json"]
    yield ["show", "tools.py", "--format", "json"]
    yield ["schema", "tools.py", "--format", "yaml"]
    yield from (
        ["lint", "tools.py", "--extend-select", "ALL", "--format", form, "--output", f"{form}=lint.{form}"]
        for form in ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")
    )
    yield ["lint", "tools.py", "--baseline", "known.json", "--update-baseline"]
    yield ["lock", "tools.py", "--update"]
    agent = ["agent", "do it", "--model", "scripted:script.json", "--tools", "tools.py", "--yes"]
    yield [*agent, "--transcript", "said.json", "-vv"]
    yield [*agent, "--journal", "--format", "jsonl"]
    yield ["policy", "audit", "--format", "json"]
    yield ["runs", "list"]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in {"QUOTES", "NUMBER"} else pytest.mark.proof) for kind in SECRETS]
)
def test_no_command_writes_a_secret_of_any_text(kind, project, attacks, some_of):
    for words in some_of(calls_of(kind)):
        run(project, attacks, *words)
    files_of(project, attacks)


@pytest.mark.proof
def test_no_report_or_file_has_a_secret_of_any_text(project, attacks):
    for words in commands():
        run(project, attacks, *words)
    for found in json.loads(run(project, attacks, "runs", "list", "--format", "json")):
        run(project, attacks, "runs", "show", found["id"], "--html", f"{found['id']}.html")
        run(project, attacks, "runs", "show", found["id"], "--format", "json")
    files_of(project, attacks)
    assert {"said.json", "data.jsonl", "lint.sarif"} <= {file.name for file in project.iterdir()}


def test_data_with_a_secret_number_stays_json(project, attacks):
    shown = json.loads(run(project, attacks, "run", "tools.py:order", "--format", "json"))
    assert shown["structured"] == {"pin": MASK, "who": "me"}
    shown = json.loads(run(project, attacks, "run", "tools.py:numbered", "--format", "json"))
    assert shown["error_code"] == MASK


@pytest.mark.proof
def test_no_client_and_no_span_receives_a_secret_of_any_text(project, attacks):
    pytest.importorskip("opentelemetry.sdk")
    telemetry = {"OTEL_TRACES_EXPORTER": "console", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}
    names = [*((name, {"kind": kind}) for name in CALLED for kind in SECRETS), ("order", {}), ("numbered", {})]
    calls = [message("tools/list", "list")]
    for number, (name, arguments) in enumerate(names):
        meta = {"progressToken": number}
        calls.append(message("tools/call", f"{name} {number}", name=name, arguments=arguments, _meta=meta))
    command = [TOOLKIT, "serve", "tools.py", "pipe.yaml", "--debug"]
    with RawStdio(command, cwd=project, env={**os.environ, **telemetry}) as server:
        for call in calls:
            server.send(call)
            others = []
            told = json.dumps([server.wait_for(call["id"], others), *others], ensure_ascii=False)
            attacks.count(f"{call['id']}: {secrets_in(told)}", held=not secrets_in(told))
    logged = b"".join(server.told).decode()
    attacks.count(f"the log and the spans: {secrets_in(logged)}", held=not secrets_in(logged))
    assert "execute_tool" in logged
    files_of(project, attacks)


@pytest.mark.skipif(sys.platform == "win32", reason="terminals")
def test_no_question_shows_a_secret_of_any_text(project, attacks):
    terminal = Terminal(project, "run", "tools.py:pay", "amount=1", with_stdout=True)
    terminal.answer("q")
    terminal.end()
    told = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.seen)
    assert "amount" in told
    attacks.count(f"the question: {secrets_in(told)}", held=not secrets_in(told))
