"""Secrets in anything that is written."""

import json
import os
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from tests.mcp.raw import RawStdio, message
from tests.mcp.serving import TOOLKIT, Listening
from toolkit.redactors import MASK, Redactor, secret_names  # private

VARIABLES = [
    "DATABASE_URL", "GITHUB_PAT", "PGPASS", "STRIPE_SK", "SLACK_WEBHOOK", "API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "PYPI_API_TOKEN", "MYSQL_PWD",
    "DB_PASS", "DB_PASSWORD", "REDIS_URL", "MONGODB_URI", "AMQP_URL", "SENTRY_DSN", "JWT_SECRET", "SESSION_SECRET",
    "DJANGO_SECRET_KEY", "COOKIE_SECRET", "BASIC_AUTH", "HTTP_AUTHORIZATION", "SMTP_PASSWORD", "LDAP_PASSWORD",
    "VAULT_TOKEN", "SLACK_BOT_TOKEN", "SLACK_WEBHOOK_URL", "TWILIO_AUTH_TOKEN", "SERVICE_CREDENTIALS", "ENCRYPTION_KEY",
    "SIGNING_KEY", "PRIVATE_KEY", "SSH_PASSPHRASE", "clientSecret", "myApiKey",
]  # fmt: skip
PLACES = [
    "configured_variable", "configured_argument", "address_variable", "token_variable",
    "secret_argument", "secret_bytes", "nested_secret", "listed_secret", "mapped_secret", "optional_secret",
    "api_key", "token", "password", "access_token", "client_secret", "passphrase", "auth_header", "cookie_header",
    "plain_default", "secret_default", "field_default", "hand_password", "hand_write_only", "example_password",
    "toolbox_secret", "global_secret", "closure_secret", "context_token", "context_file_secret", "pipeline_token",
    "address_in_yaml", "query_in_yaml", "bearer_in_yaml", "file_header",
    "printed_secret", "logged_secret", "progress_secret", "raised_secret", "caused_secret", "repr_secret", "result_secret",
    "result_data", "exit_secret", "model_password", "task_secret", "served_token", "served_password", "import_error",
    "message_secret",
]  # fmt: skip
FORMATS = {
    "openai": "sk-proj-{}AAAABBBBCCCCdddd",
    "github": "ghp_{}aaaaBBBBccccDDDDeeeeFFFF11112222",
    "stripe": "sk_live_{}aaaaBBBBccccDDDD",
    "slack": "xoxb-{}-1234567890",
    "gitlab": "glpat-{}aaaaBBBBccccDDDD",
    "google": "AIza{}aaaaBBBBccccDDDDeeeeFFF1234",
    "signed": "eyJ{}hbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
    "aws": "AKIA{}ABCDEFGH",
}


def planted(number):
    """Return a value that stands nowhere else; eight of its characters are enough to know it."""
    digest = f"{(number * 2654435761) % 2**32:08X}"
    return f"{digest}-zq{number:03d}"


VALUES = {name: planted(number) for number, name in enumerate([*VARIABLES, *PLACES])}
BY_FORMAT = {name: form.format(planted(900 + number)[:8]) for number, (name, form) in enumerate(FORMATS.items())}
ENVIRONMENT = {name: VALUES[name] for name in VARIABLES} | {
    "DATABASE_URL": f"postgres://app:{VALUES['DATABASE_URL']}@db.example/shop",
    "SLACK_WEBHOOK": f"https://hooks.slack.com/services/T1/{VALUES['SLACK_WEBHOOK']}",
    "TOOLKIT_CONSENT": "env",
    "SHOP_NUMBER": VALUES["configured_variable"],
    "UPSTREAM": f"https://app:{VALUES['address_variable']}@upstream.example/",
    "SOME_VALUE": BY_FORMAT["openai"],
    "IMPORT_TOKEN": VALUES["import_error"],
    "TOKEN_IN_USE": VALUES["token_variable"],
    **{f"{place.upper()}_TOKEN": VALUES[place] for place in PLACES if place.endswith("_secret")},
    "RESULT_DATA_TOKEN": VALUES["result_data"],
    "FIELD_DEFAULT_TOKEN": VALUES["field_default"],
}

TOOLS = '''
"""Tools that are careless with secrets."""

import logging
import os
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field, SecretBytes, SecretStr

from toolkit import Tool, ToolContext, TypedTool, tool, toolbox
from toolkit.runs import Message

VALUES = json_values
GLOBAL = SecretStr(VALUES["global_secret"])


class Login(BaseModel):
    user: str = "ada"
    password: SecretStr = SecretStr(VALUES["field_default"])


@dataclass
class Account:
    login: Login
    keys: dict[str, SecretStr]


@tool(read_only=True)
def arguments(
    secret: SecretStr,
    raw: SecretBytes,
    account: Account,
    several: list[SecretStr],
    maybe: SecretStr | None,
    api_key: str,
    token: str,
    password: str,
    access_token: str,
    client_secret: str,
    passphrase: str,
    headers: dict[str, str],
    shop_pin: str,
    fails: bool = False,
) -> str:
    """Take secrets of all kinds, and quote them."""
    said = f"{secret.get_secret_value()} {raw.get_secret_value()!r} {raw.get_secret_value().decode()} {headers} {shop_pin}"
    said += f" {account.login.password.get_secret_value()} {[one.get_secret_value() for one in account.keys.values()]}"
    said += f" {[one.get_secret_value() for one in several]} {maybe.get_secret_value()} {api_key} {token} {password}"
    said += f" {access_token} {client_secret} {passphrase}"
    if fails:
        raise ValueError(f"refused: {said}")
    return said


@tool(read_only=True)
def defaults(
    key: str = FORMATS["openai"],
    text: str = FORMATS["github"],
    api_key: str = VALUES["plain_default"],
    hidden: SecretStr = SecretStr(VALUES["secret_default"]),
) -> str:
    """Return the defaults."""
    return f"{key} {text} {api_key} {hidden.get_secret_value()} {GLOBAL.get_secret_value()}"


@tool(read_only=True, examples=[{"password": VALUES["example_password"]}])
def exemplary(password: str = "") -> str:
    """Have an example."""
    return f"{password} {VALUES['example_password']} {' '.join(FORMATS.values())}"


def _around() -> Any:
    secret = SecretStr(VALUES["closure_secret"])

    @tool(read_only=True)
    def enclosed() -> str:
        """Hold a secret of the function around it."""
        return f"it is {secret.get_secret_value()}"

    return enclosed


enclosed = _around()


@toolbox(name="box", description="Holds a secret.")
class Box:
    def __init__(self) -> None:
        self.key = SecretStr(VALUES["toolbox_secret"])

    @tool(read_only=True)
    def opened(self) -> str:
        """Open the box."""
        raise RuntimeError(f"box of {self.key.get_secret_value()}")


typed = TypedTool(
    name="typed", description="Take a model.", input_type=Login, read_only=True,
    function=lambda login: f"{login.user} {login.password.get_secret_value()}",
)
by_hand = Tool.create(
    "by_hand", "Take secrets by schema.",
    {"type": "object", "properties": {"first": {"type": "string", "format": "password"}, "second": {"type": "string", "writeOnly": True}}},
    lambda first="", second="": f"{first} {second}", read_only=True,
)


class Connection:
    def __repr__(self) -> str:
        return f"Connection({os.environ['REPR_SECRET_TOKEN']})"


@tool(read_only=True)
def environment(way: str, context: ToolContext) -> Any:
    """Let the environment slip in some way."""
    if way == "result":
        return f"{dict(os.environ)} {os.environ['RESULT_SECRET_TOKEN']}"
    if way == "data":
        return dict(os.environ)
    if way == "print":
        for character in os.environ["PRINTED_SECRET_TOKEN"]:
            print(character, end="")
        print(f" {dict(os.environ)}")
        return "printed"
    if way == "log":
        context.logger.warning("with %s", os.environ["LOGGED_SECRET_TOKEN"])
        logging.getLogger("toolkit.other").debug("with %s", dict(os.environ))
        return "logged"
    if way == "progress":
        context.progress(f"with {os.environ['PROGRESS_SECRET_TOKEN']}", 1, 2)
        return f"values: {context['upstream_token']} {context.get('file_secret')}"
    if way == "message":
        context.run.send(Message(f"with {os.environ['MESSAGE_SECRET_TOKEN']}"))
        return "sent"
    if way == "repr":
        return repr(Connection())
    if way == "exit":
        raise SystemExit(f"bye {os.environ['EXIT_SECRET_TOKEN']}")
    try:
        raise KeyError(os.environ["CAUSED_SECRET_TOKEN"])
    except KeyError as error:
        raise RuntimeError(f"cannot reach {os.environ['RAISED_SECRET_TOKEN']} at {os.environ['DATABASE_URL']}") from error
'''
PIPELINE = """
name: pipe
description: Passes secrets along from step to step.
tools: [./tools.py]
inputs:
  token: {{type: string}}
steps:
  - id: first
    use: exemplary
    with: {{password: "${{{{ env.STRIPE_SK }}}} ${{{{ inputs.token }}}} ${{{{ env.SHOP_NUMBER }}}}"}}
  - id: second
    use: exemplary
    with:
      password: >-
        ${{{{ prev }}}} https://app:{address_in_yaml}@up.example https://up.example/?api_key={query_in_yaml}&page=2
        Authorization: Bearer {bearer_in_yaml}
"""
CONFIGURATION = """
sources = ["tools.py", "pipe.yaml"]
env = ["STRIPE_SK", "SHOP_NUMBER"]
secrets = ["SHOP_NUMBER", "shop_pin"]

[context]
file_secret = "{context_file_secret}"
"""
SCRIPT = """
turns:
  - calls: [{{tool: typed, arguments: {{user: eve, password: "{model_password}"}}}}]
  - calls: [{{tool: environment, arguments: {{way: result}}}}]
  - "the answer is {SESSION_SECRET}"
"""


@pytest.fixture
def project(tmp_path):
    """A project in which secrets are planted wherever they may stand."""
    tools = TOOLS.replace("json_values", repr(VALUES)).replace("\nGLOBAL", f"\nFORMATS = {BY_FORMAT!r}\nGLOBAL", 1)
    (tmp_path / "tools.py").write_text(tools)
    (tmp_path / "pipe.yaml").write_text(PIPELINE.format(**VALUES))
    (tmp_path / "toolkit.toml").write_text(CONFIGURATION.format(**VALUES))
    (tmp_path / "script.yaml").write_text(SCRIPT.format(**VALUES))
    (tmp_path / "broken.py").write_text(
        "import os\nfrom toolkit import tool\nraise RuntimeError('no ' + os.environ['IMPORT_TOKEN'])\n"
    )
    return tmp_path


def given_arguments(**more):
    """Return arguments with a secret in each."""
    named = {
        name: VALUES[name] for name in ("api_key", "token", "password", "access_token", "client_secret", "passphrase")
    }
    account = {
        "login": {"user": "ada", "password": VALUES["nested_secret"]},
        "keys": {"one": VALUES["mapped_secret"]},
    }
    headers = {"Authorization": VALUES["auth_header"], "Cookie": VALUES["cookie_header"]}
    typed = {"secret": VALUES["secret_argument"], "raw": VALUES["secret_bytes"], "several": [VALUES["listed_secret"]]}
    others = {"maybe": VALUES["optional_secret"], "shop_pin": VALUES["configured_argument"]}
    return json.dumps(named | typed | others | {"account": account, "headers": headers} | more)


def commands():
    """Return every command that is tried, as its words."""
    run = ["run", "--context", f"upstream_token={VALUES['context_token']}"]
    ways = ["result", "data", "print", "log", "progress", "message", "repr", "exit", "raise"]
    for way in ways:
        yield [*run, "tools.py:environment", f"way={way}", "-vv", "--debug"]
    yield [*run, "tools.py:environment", "way=data", "--format", "json"]
    for fails in (False, True):
        yield [*run, "tools.py:arguments", "--args", given_arguments(fails=fails), "--format", "jsonl", "-vv"]
        yield [*run, "tools.py:arguments", "--args", given_arguments(fails=fails), "--format", "json", "--debug"]
    yield [*run, "tools.py:arguments", "--args", given_arguments(), "--dry-run"]
    yield [*run, "tools.py:arguments", "--args", given_arguments(secret=[VALUES["secret_argument"]], token=[1])]
    for name in ("defaults", "exemplary", "enclosed", "opened"):
        yield [*run, f"tools.py:{name}", "-vv"]
    yield [*run, "tools.py:typed", f"password={VALUES['password']}", "--format", "jsonl", "-vv"]
    yield [*run, "tools.py:typed", "-vv"]
    yield [*run, "tools.py:by_hand", f"first={VALUES['hand_password']}", f"second={VALUES['hand_write_only']}", "-vv"]
    for more in (
        [],
        ["--dry-run"],
        ["--dry-run", "--format", "json"],
        ["--format", "jsonl", "-vv"],
        ["--format", "json"],
    ):
        yield [*run, "pipe.yaml", f"token={VALUES['pipeline_token']}", *more]
    yield ["run", "broken.py", "--debug"]
    yield ["list", "--format", "json"]
    for name in ("tools.py", "pipe.yaml"):
        yield ["show", name]
        yield ["show", name, "--format", "json"]
    yield ["schema", "tools.py"]
    yield ["schema", "pipe.yaml"]
    for form in ("text", "json", "sarif", "github", "junit"):
        yield ["lint", ".", "--format", form, "--output", f"json=lint-{form}.json"]
    yield ["lint", ".", "--baseline", "known.json", "--update-baseline"]
    yield ["lock", "tools.py", "--update"]
    yield ["lock", "tools.py"]
    agent = ["agent", f"log in with {VALUES['task_secret']}", "--model", "scripted:script.yaml", "--tools", "tools.py"]
    yield [*agent, "--yes", "--transcript", "said.json", "-vv", "--format", "jsonl", "--context", "upstream_token=x"]
    yield [*agent, "--yes", "--quiet"]


def secrets_in(told):
    """Return which planted secrets stand in a text: whole, encoded, or cut off after eight characters."""
    found = []
    for name, value in {**VALUES, **BY_FORMAT}.items():
        mark = value[:8] if name in VALUES else value[4:16]
        forms = {value, mark, quote(value, safe=""), b64encode(value.encode()).decode().rstrip("=")}
        if any(form in told for form in forms):
            found.append(name)
    return found


# What a person typed as the task of an agent is not a secret by its name, its type or its form, and nobody could know.
UNKNOWABLE = {"task_secret"}


def attack_commands(project, attacks, tried):
    """Run commands, and count each that writes a secret; return the files that they left behind."""
    environment = {**os.environ, **ENVIRONMENT, "COLUMNS": "120", "TOOLKIT_CACHE_DIR": str(project / "cache")}
    written = set(project.iterdir())
    for words in tried:
        done = subprocess.run(
            [sys.executable, "-m", "toolkit_cli", *words],
            cwd=project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        told = (done.stdout + done.stderr).decode()
        assert told, words
        assert "TK011" not in told, words  # a command that waits for consent reaches no secret
        found = set(secrets_in(told)) - UNKNOWABLE
        attacks.count(f"{' '.join(words)[:200]}: {found}", held=not found)
    files = [file for file in project.rglob("*") if file.is_file() and file not in written]
    for file in files:
        if "__pycache__" not in file.parts:
            found = set(secrets_in(file.read_text("utf-8"))) - UNKNOWABLE
            attacks.count(f"{file.relative_to(project)}: {found}", held=not found)
    return {str(file.relative_to(project)) for file in files}


@pytest.mark.proof
def test_one_command_in_six_writes_no_planted_secret(project, attacks):
    attack_commands(project, attacks, list(commands())[::6])


@pytest.mark.proof
def test_no_command_writes_a_planted_secret(project, attacks):
    assert len(VALUES) + len(BY_FORMAT) - len(UNKNOWABLE) > 90
    names = attack_commands(project, attacks, commands())
    assert {"said.json", "toolkit.lock", "known.json", "lint-sarif.json"} <= names


def client_calls():
    """Return what a client asks of the server, each with an identity of its own."""
    ways = ["result", "data", "print", "log", "progress", "message", "repr", "exit", "raise"]
    wanted = [("environment", {"way": way}) for way in ways]
    wanted += [(name, {}) for name in ("defaults", "exemplary", "enclosed", "typed")]
    wanted += [("arguments", json.loads(given_arguments(fails=fails))) for fails in (False, True)]
    wanted += [("typed", {"password": VALUES["served_password"]}), ("pipe", {"token": VALUES["served_token"]})]
    calls = [message("tools/list", "list")]
    for number, (name, arguments) in enumerate(wanted):
        meta = {"progressToken": number}
        calls.append(message("tools/call", f"{name} {number}", name=name, arguments=arguments, _meta=meta))
    return calls


def test_no_client_of_a_server_over_stdio_is_sent_a_planted_secret(project, attacks):
    command = [
        TOOLKIT,
        "serve",
        "tools.py",
        "pipe.yaml",
        "--debug",
        "--context",
        f"upstream_token={VALUES['context_token']}",
    ]
    with RawStdio(command, cwd=project, env={**os.environ, **ENVIRONMENT}) as server:
        for call in client_calls():
            server.send(call)
            others = []
            told = json.dumps([server.wait_for(call["id"], others), *others], ensure_ascii=False)
            attacks.count(f"{call['id']}: {secrets_in(told)}", held=not secrets_in(told))
    logged = b"".join(server.told).decode()
    attacks.count(f"the log: {secrets_in(logged)}", held=not secrets_in(logged))
    assert MASK in logged


@pytest.mark.proof
def test_no_body_of_a_server_over_http_has_a_planted_secret(project, attacks, monkeypatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(project)
    server = Listening(project, "pipe.yaml", "--debug", "--context", f"upstream_token={VALUES['context_token']}")
    client = server.client().shake_hands()
    for call in client_calls():
        told = str(client.ask(call)[2])
        attacks.count(f"{call['id']}: {secrets_in(told)}", held=not secrets_in(told))
    written = (server.close() + server.told).decode()
    attacks.count(f"the log: {secrets_in(written)}", held=not secrets_in(written))


def test_a_secret_that_steps_pass_along_still_reaches_every_tool(project):
    (project / "checks.py").write_text(
        "from hashlib import sha256\n"
        "from toolkit import tool\n"
        "@tool(read_only=True)\n"
        'def digest(password: str) -> str:\n    """Digest."""\n    return sha256(password.encode()).hexdigest()\n'
        '@tool(read_only=True)\ndef same(password: str) -> str:\n    """Same."""\n    return password\n'
    )
    (project / "along.yaml").write_text(
        "name: along\ndescription: Pass it along.\ntools: [./checks.py]\ninputs:\n  password: {type: string}\n"
        "steps:\n  - same: {password: '${{ inputs.password }}'}\n  - digest: {password: '${{ prev }}'}\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "toolkit_cli", "run", "along.yaml", f"password={VALUES['password']}"],
        cwd=project, stdin=subprocess.DEVNULL, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.decode().strip() == sha256(VALUES["password"].encode()).hexdigest()


GIVEN = "Zq81Kd92ndPw0qAA"
LOGIN = '''
import os
import sys
from toolkit import tool


@tool(read_only=True)
def login(user: str, password: str, count: int = 1) -> str:
    """Log in, and write past the usual streams."""
    sys.__stderr__.write(f"{password}\\n")
    sys.__stdout__.write(f"{password}\\n")
    sys.stdout.buffer.write(f"{password}\\n".encode())
    sys.stderr.buffer.write(f"{password}\\n".encode())
    return "in"
'''
STEPS = f"""
name: steps
description: Log in.
tools: [./login.py]
steps:
  - use: login
    with: {{user: a, password: {GIVEN}, count: x, other: 1}}
  - use: login
    with: {{user: a, password: ["{GIVEN}"]}}
  - use: login
    wth: {{api_key: '{GIVEN}'}}
"""
TABLES = f"""
[mcp.x]
url = "https://h.example/"
headers = {{Authorization = "Bearer {GIVEN}", X = 1}}

[builtin.http]
headers = {{Cookie = "{GIVEN}"}}
ulr = 1
"""
WRONG = [
    ["run", "login.py:login", "user=a", f"password={GIVEN}", "-vv"],
    ["run", "login.py:login", "user=a", f"password={GIVEN}", "count=x"],
    ["run", "login.py:login", "--args", f'{{"password": "{GIVEN}"'],
    ["run", "login.py:login", f"password:={GIVEN}"],
    ["run", "login.py:login", f"pasword={GIVEN}", "user=a"],
    ["run", "login.py:login", f"password=@{GIVEN}", "user=a"],
    ["run", "login.py:login", f"password:=@{GIVEN}", "user=a"],
    ["run", "login.py:login", f'password:={{"a": "{GIVEN}"}}', "user=a", "--debug"],
    ["run", "login.py:login", "--input", f'{{"user": "a", "password": "{GIVEN}", "count": "x"}}'],
    ["run", "login.py:login", f"--password={GIVEN}"],
    ["run", "login.py:login", "--context", f"api_token:={GIVEN}"],
    ["run", "login.py:nothing", f"password={GIVEN}"],
    ["run", "login.py:login", "--each", "items.jsonl"],
    ["run", "login.py:login", "--each", "items.jsonl", "--store", f"postgresql://u:{GIVEN}@127.0.0.1:port/db"],
    ["run", "login.py:login", "--each", "items.jsonl", "--store", f"mysql://u:{GIVEN}@127.0.0.1/db"],
    ["agent", "hi", "--model", "chat:x", "--base-url", f"http://u:{GIVEN}@127.0.0.1:1/v1", "--tools", "login.py"],
    ["agent", "hi", "--model", "chat:x", "--base-url", f"http://127.0.0.1:1/v1?api_key={GIVEN}", "--tools", "login.py"],
    ["run", "steps.yaml"],
    ["lint", "steps.yaml", "--format", "json"],
    ["lint", "steps.yaml"],
    ["--directory", "configured", "list"],
]


@pytest.mark.proof
def test_no_message_about_something_wrong_quotes_a_secret(tmp_path, attacks):
    (tmp_path / "login.py").write_text(LOGIN)
    (tmp_path / "steps.yaml").write_text(STEPS)
    items = [{"user": "a", "password": GIVEN, "count": "x"}, {"password": GIVEN, "user": [GIVEN]}]
    (tmp_path / "items.jsonl").write_text(
        "".join(f"{json.dumps(item)}\n" for item in items) + f'{{"password": "{GIVEN}"'
    )
    (tmp_path / "configured").mkdir()
    (tmp_path / "configured" / "toolkit.toml").write_text(TABLES)
    for words in WRONG:
        folder = tmp_path / "configured" if words[0] == "--directory" else tmp_path
        done = subprocess.run(
            [sys.executable, "-m", "toolkit_cli", *(words[2:] if words[0] == "--directory" else words)],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        told = (done.stdout + done.stderr).decode()
        assert told, words
        shown = any(GIVEN[start : start + 6] in told for start in range(len(GIVEN) - 5))
        attacks.count(f"{words}: {told}", held=not shown)


@given(
    st.lists(
        st.text(min_size=14, max_size=40).map(str.strip).filter(lambda text: len(set(text)) >= 10),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_no_secret_gets_through_in_pieces(secrets, data):
    secrets = [secret.strip() for secret in secrets]
    text = data.draw(st.lists(st.sampled_from([*secrets, " ", "a", "word "]), max_size=12).map("".join))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    stream = Redactor(*secrets).stream()
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    told = "".join([*map(stream.feed, pieces), stream.end()])
    assert not any(secret in told for secret in secrets)


def test_common_and_short_values_blank_out_nothing():
    text = "true 1 admin password secret 123456 localhost aaaaaaaa"
    assert Redactor(*text.split(), "").text(text) == text


def test_no_token_is_shorter_than_the_texts_that_are_searched():
    patterns = {pattern for _, pattern in secret_names._BY_HINT}
    widths = [re._parser.parse(one).getwidth() for one in patterns]  # type: ignore[attr-defined]  # it is private
    assert min(least for least, _ in widths) == secret_names.SHORTEST_TOKEN
    assert Redactor().text("a://:abc@b") == f"a://{MASK}@b"
