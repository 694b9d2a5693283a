"""Documents and arguments of an API that lead elsewhere, or are endless to read."""

import json
import os
import re
import resource
import subprocess
import sys
from urllib.parse import unquote

import pytest

from tests.cli.conftest import invoke, project
from tests.http_servers import http_server

__all__ = ["invoke", "project"]

KEY = "k3y-0f-the-shop"
MARKER = "text-from-outside"
MEMORY = 2 * 1024**3
SECONDS = 90
ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")

ANSWER = {"200": {"description": "It.", "content": {"application/json": {"schema": {"type": "object"}}}}}
TEXT = {"type": "string"}


def document(paths=None, **more):
    """Return a document of one server."""
    head = {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "https://shop.example/v1"}],
    }
    return {**head, "paths": {} if paths is None else paths, **more}


def operation(name, *parameters, **more):
    """Return an operation that only reads."""
    return {
        "operationId": name,
        "summary": "Read something.",
        "parameters": list(parameters),
        "responses": ANSWER,
        **more,
    }


def parameter(place, name, **schema):
    """Return a text in a place."""
    needed = {"required": True} if place == "path" else {}
    return {"in": place, "name": name, "description": "Something.", "schema": {**TEXT, **schema}, **needed}


FILES = document(
    {
        "/files/{name}": {"get": operation("by_path", parameter("path", "name"))},
        "/files/{name}/raw": {"get": operation("inside_path", parameter("path", "name"))},
        "/files/of": {
            "get": operation(
                "by_parts", parameter("query", "q"), parameter("header", "X-Name"), parameter("cookie", "theme")
            )
        },
        "/files/new": {
            "post": operation(
                "by_form",
                requestBody={
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {"note": TEXT, "file": {**TEXT, "format": "binary"}},
                            }
                        }
                    }
                },
            )
        },
    },
    security=[{"key": []}],
    components={"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
)
SETTINGS = """
[openapi.shop]
document = "shop.json"
server = "{url}/v1"
allow_private = true
auth = {{ key = "${{SHOP_KEY}}" }}
prefix = ""
"""
TRAVERSALS = (
    *(
        "..",
        ".",
        "../admin",
        "../../admin",
        "a/../../admin",
        "..\\admin",
        "..%2fadmin",
        "%2e%2e/admin",
        "%2e%2e%2fadmin",
    ),
    *(
        "%252e%252e%252fadmin",
        ".%2e/admin",
        "..;/admin",
        "..;a=b/admin",
        "/admin",
        "//evil.example/admin",
        "\\\\evil.example",
    ),
    *(
        "http://evil.example/",
        "@evil.example",
        ":80@evil.example",
        "?admin=1",
        "a?admin=1",
        "#",
        "a#b",
        "%23",
        "%3f",
        "%00",
    ),
    *(
        "a%0d%0aX-Evil: 1",
        "․․/admin",
        "‥/admin",
        "．．／admin",
        "%c0%ae%c0%ae/admin",
        "%u002e%u002e/admin",
        "..%c0%afadmin",
    ),
    *(
        "..//admin",
        "..././admin",
        "....//admin",
        " ..",
        ".. ",
        "..%20",
        "..%09",
        "%2e%2e;%2fadmin",
        "{name}",
        "${SHOP_KEY}",
    ),
)
INJECTIONS = (
    *(
        "a\r\nX-Evil: 1",
        "a\nX-Evil: 1",
        "a\rX-Evil: 1",
        "a\r\n\r\nGET /admin HTTP/1.1\r\nHost: x\r\n\r\n",
        "a\0b",
        "a\x0bX-Evil: 1",
    ),
    *(
        "a\u2028X-Evil: 1",
        "a\x85X-Evil: 1",
        "嘊嘍X-Evil: 1",
        "a; admin=1",
        "a, b",
        'a"; x="',
        "a&admin=1",
        "a=b",
        "=?utf-8?q?=0d=0a?=",
    ),
)


@pytest.fixture
def shop(tmp_path, monkeypatch, invoke):
    """Return what calls an operation of an API, and what its server was asked."""
    received = []

    def answer(request):
        received.append(request)
        return 200, {"Content-Type": "application/json"}, b"{}"

    monkeypatch.setenv("SHOP_KEY", KEY)
    (tmp_path / "shop.json").write_text(json.dumps(FILES), "utf-8")
    with http_server(answer) as url:
        (tmp_path / "toolkit.toml").write_text(SETTINGS.format(url=url), "utf-8")

        def call(name, /, **arguments):
            received.clear()
            done = invoke("run", "--consent", "openapi.shop", "--yes", f"shop.{name}", "--args", json.dumps(arguments))
            return done, list(received)

        yield call


def recording(received, said):
    """Return what answers every request with the same, and keeps the requests."""

    def answer(request):
        received.append(request)
        return 200, {}, said

    return answer


def is_plain(done):
    """Return whether a command ended as it should, and said so without control characters."""
    text = done.stdout + done.stderr
    return done.exit_code in {0, 1, 2, 4} and "Traceback" not in text and not ESCAPES.search(text) and KEY not in text


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("name", ["by_path", "inside_path"])
def test_argument_of_the_path_never_leads_to_another_one(shop, attacks, name):
    suffix, arrived = "" if name == "by_path" else "/raw", 0
    for value in (*TRAVERSALS, *INJECTIONS):
        done, received = shop(name, name=value)
        sent = [request.path for request in received]
        whole = [path.removeprefix("/v1/files/").removesuffix(suffix) for path in sent]
        held = len(sent) <= 1 and all(
            path.startswith("/v1/files/") and path.endswith(suffix) and "/" not in part and unquote(part) == value
            for path, part in zip(sent, whole, strict=True)
        )
        steps = re.split(r"[/\\]", unquote(unquote(sent[0]))) if sent else []
        held = held and not {"..", "."} & {step.partition(";")[0].strip() for step in steps}
        held = held and bool(sent) == (done.exit_code == 0) and not any("x-evil" in one.headers for one in received)
        attacks.count(f"{name} {value!r}: {sent} {done.output[-200:]}", held=held and is_plain(done))
        arrived += len(sent)
    assert arrived > len(TRAVERSALS) // 2


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("argument", ["q", "X_Name", "theme"])
def test_argument_of_a_query_a_header_or_a_cookie_stays_one_value(shop, attacks, argument):
    arrived = 0
    for value in (*INJECTIONS, *TRAVERSALS):
        done, received = shop("by_parts", **{argument: value})
        held = len(received) <= 1 and bool(received) == (done.exit_code == 0)
        for request in received:
            query = request.path.partition("?")[2]
            held = held and request.path.startswith("/v1/files/of") and query.count("&") + query.count("=") <= 1
            held = held and "x-evil" not in request.headers and ";" not in request.headers.get("cookie", "")
            held = held and request.headers["x-key"] == KEY and request.method == "GET"
        attacks.count(f"{argument} {value!r}: {received} {done.output[-200:]}", held=held and is_plain(done))
        arrived += len(received)
    assert arrived > len(TRAVERSALS) // 2


@pytest.mark.proof(everyday=1)
def test_part_of_a_form_stays_one_part(shop, attacks):
    arrived = 0
    breaks = ['a"\r\nX-Evil: 1\r\n\r\nb', '"; filename="x', "--boundary\r\n", "\r\n--", *INJECTIONS]
    for value in breaks:
        for arguments in ({"note": value}, {"file": f"data:text/plain;name={value.encode().hex()};,{value}"}):
            done, received = shop("by_form", **arguments)
            held = bool(received) == (done.exit_code == 0)
            for request in received:
                boundary = request.headers["content-type"].partition("boundary=")[2].encode()
                held = (
                    held
                    and request.body.count(b"--" + boundary) == 2
                    and request.body.count(b"Content-Disposition") == 1
                )
            attacks.count(f"{arguments}: {received} {done.output[-200:]}", held=held and is_plain(done))
            arrived += len(received)
    assert arrived > len(breaks)


# ------------------------------------------------------------------------------------------------------- other hosts

HOSTS = {
    "the server of the document": lambda url: {"servers": [{"url": url}]},
    "a user name that looks like a host": lambda url: {"servers": [{"url": url.replace("//", "//shop.example@")}]},
    "a variable with a default": lambda url: {
        "servers": [{"url": "http://{host}", "variables": {"host": {"default": url.partition("//")[2]}}}]
    },
    "the metadata of a cloud": lambda _: {"servers": [{"url": "http://169.254.169.254/latest"}]},
    "an address in octal": lambda url: {"servers": [{"url": url.replace("127.0.0.1", "0177.0.0.1")}]},
    "an address in IPv6": lambda url: {"servers": [{"url": url.replace("127.0.0.1", "[::ffff:127.0.0.1]")}]},
    "a name of this machine": lambda url: {"servers": [{"url": url.replace("127.0.0.1", "localhost")}]},
    "a file": lambda _: {"servers": [{"url": "file:///etc/passwd"}]},
    "no scheme": lambda url: {"servers": [{"url": url.partition(":")[2]}]},
    "a broken address": lambda _: {"servers": [{"url": "http://[::1"}]},
    "line breaks": lambda url: {"servers": [{"url": f"{url}/\r\nX-Evil: 1"}]},
}


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("kind", HOSTS)
@pytest.mark.parametrize("level", ["document", "path", "operation"])
def test_document_that_was_named_reaches_no_address_of_this_machine(tmp_path, invoke, attacks, kind, level):
    received = []
    with http_server(recording(received, b"reached")) as url:
        servers = HOSTS[kind](url)
        item = {
            "get": operation("look", **(servers if level == "operation" else {})),
            **(servers if level == "path" else {}),
        }
        whole = {**document({"/look": item}), **(servers if level == "document" else {})}
        (tmp_path / "api.json").write_text(json.dumps(whole), "utf-8")
        done = invoke("run", "api.json:look", "--yes")
    held = not received and done.exit_code != 0 and "Traceback" not in done.output and "reached" not in done.output
    attacks.count(f"{kind} {level}: {done.output}", held=held and not ESCAPES.search(done.output))


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    "path",
    [
        "@evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/..//admin",
        "/%2e%2e/admin",
        "/../admin",
        "?a",
        "#b",
        "",
    ],
)
def test_path_of_a_document_never_leads_out_of_the_server(shop, tmp_path, attacks, path):
    whole = {**FILES, "paths": {path: {"get": operation("look")}}}
    (tmp_path / "shop.json").write_text(json.dumps(whole), "utf-8")
    done, received = shop("look")
    sent = [request.path for request in received]
    held = all(one.startswith("/v1/") and ".." not in unquote(one) for one in sent) and bool(sent) == (
        done.exit_code == 0
    )
    attacks.count(f"{path!r}: {sent} {done.output}", held=held and "Traceback" not in done.output)


def test_api_of_a_project_is_not_contacted_without_consent(shop, tmp_path, invoke, attacks):
    for command in (
        ["run", "shop.by_path", "name=a"],
        ["list"],
        ["lint"],
        ["show", "shop.by_path"],
        ["schema", "shop"],
    ):
        done = invoke(*command)
        attacks.count(f"{command}: {done.output}", held="Traceback" not in done.output and KEY not in done.output)
    done, received = shop("by_path", name="a")
    attacks.count(f"with consent it works: {done.output}", held=done.exit_code == 0 and len(received) == 1)


# --------------------------------------------------------------------------------------------------------- references

REFERENCES = (
    *(
        "file:///etc/passwd",
        "/etc/passwd",
        "../outside.yaml",
        "../outside.yaml#/Name",
        "./../outside.yaml",
        "a/../../outside.yaml",
    ),
    *(
        "%2e%2e/outside.yaml",
        "%2e%2e%2foutside.yaml",
        "..%5coutside.yaml",
        "..\\outside.yaml",
        "link.yaml",
        "folder/outside.yaml",
    ),
    *(
        "{url}/remote.yaml",
        "//127.0.0.1/remote.yaml",
        "\\\\127.0.0.1\\remote.yaml",
        "http:remote.yaml",
        "data:,{}",
        "pipe",
        "folder",
    ),
    *(
        "zero",
        "https://shop.example/remote.yaml",
        "C:\\outside.yaml",
        "~/outside.yaml",
        "$HOME/outside.yaml",
        "null\0.yaml",
    ),
)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("command", ["list", "lint", "schema"])
def test_reference_reads_no_file_outside_of_the_folder_and_no_address(tmp_path, invoke, attacks, command, monkeypatch):
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    (tmp_path / "outside.yaml").write_text(
        f"Name: {{type: string, description: {MARKER}}}\ntype: string\ndescription: {MARKER}\n"
    )
    (inside / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (inside / "folder").symlink_to(tmp_path)
    (inside / "zero").symlink_to("/dev/zero")
    os.mkfifo(inside / "pipe")
    received = []
    with http_server(recording(received, f"description: {MARKER}".encode())) as url:
        for reference in REFERENCES:
            schema = {"$ref": reference.replace("{url}", url)}
            whole = document({"/a": {"get": operation("look", {"in": "query", "name": "q", "schema": schema})}})
            (inside / "api.json").write_text(json.dumps(whole), "utf-8")
            done = invoke(command, "api.json")
            text = done.stdout + done.stderr
            held = MARKER not in text and "root:" not in text and "Traceback" not in text and not received
            attacks.count(
                f"{command} {reference!r}: {text[-300:]}",
                held=held and ("TK601" in text or "1 finding: toolkit lint" in text),
            )


# --------------------------------------------------------------------------------------------------------------- bombs


def nested(depth, opening, closing):
    return opening * depth + closing * depth


def doubling(levels):
    """Return schemas each of which has the next one twice."""
    each = {
        f"S{n}": {"type": "object", "properties": {k: {"$ref": f"#/components/schemas/S{n + 1}"} for k in "ab"}}
        for n in range(levels)
    }
    return document(
        {
            "/a": {
                "post": {
                    **operation("look"),
                    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}},
                }
            }
        },
        components={"schemas": {**each, f"S{levels}": TEXT}},
    )


def chain(length):
    """Return references each of which leads to the next one."""
    each = {f"S{n}": {"$ref": f"#/components/schemas/S{n + 1}"} for n in range(length)}
    return with_schema({"$ref": "#/components/schemas/S0"}, **each, **{f"S{length}": TEXT})


def with_schema(schema, **others):
    return document(
        {"/a": {"get": operation("look", {"in": "query", "name": "q", "schema": schema})}},
        components={"schemas": others},
    )


HEAD = 'openapi: 3.1.0\ninfo: {title: Shop, version: "1"}\npaths:\n'
LOOK = "  /a:\n    get: {operationId: look, summary: Look at something.}\n"
ALIASES = "".join(
    f"x-{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)
BOMBS = {
    "aliases.yaml": lambda: f"{HEAD}{LOOK}x-a: &a [word, word, word]\n{ALIASES}",
    "deep.json": lambda: '{"openapi": "3.1.0", "paths": ' + nested(100_000, "[", "]") + "}",
    "deep.yaml": lambda: f"{HEAD}{LOOK}x-deep: " + nested(100_000, "[", "]"),
    "deep-block.yaml": lambda: f"{HEAD}{LOOK}x-deep:\n" + "".join(" " * n + "a:\n" for n in range(1, 3_000)),
    "deep-schema.json": lambda: '{"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "look", "parameters": [{"in": "query", "name": "q", "schema": '
    + nested(5_000, '{"items":', "}").replace("{}", '{"type":"string"}', 1) + "}]}}}}",
    "loop.json": lambda: json.dumps(with_schema({"$ref": "#/components/schemas/A"}, A={"$ref": "#/components/schemas/B"}, B={"$ref": "#/components/schemas/A"})),
    "itself.json": lambda: json.dumps(with_schema({"$ref": "#/paths/~1a/get/parameters/0/schema"})),
    "path-loop.json": lambda: json.dumps(document({"/a": {"$ref": "#/paths/~1b"}, "/b": {"$ref": "#/paths/~1a"}})),
    "chain.json": lambda: json.dumps(chain(20_000)),
    "doubling.json": lambda: json.dumps(doubling(60)),
    "all-of.json": lambda: json.dumps(with_schema({"$ref": "#/components/schemas/S0"}, **{f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 2} for n in range(60)}, S60=TEXT)),
    "enum.json": lambda: json.dumps(with_schema({"enum": [f"value-{n}" for n in range(500_000)]})),
    "many.json": lambda: json.dumps(document({f"/a{n}": {"get": operation(f"look_{n}")} for n in range(30_000)})),
    "parameters.json": lambda: json.dumps(document({"/a": {"get": operation("look", *(parameter("query", f"q{n}") for n in range(20_000)))}})),
    "tags.json": lambda: json.dumps(document({"/a": {"get": {**operation("look"), "tags": [f"t{n}" for n in range(100_000)]}}})),
    "long-text.json": lambda: json.dumps(document({"/a": {"get": {**operation("look"), "description": "word " * 2_000_000}}})),
    "long-id.json": lambda: json.dumps(document({"/a": {"get": operation("look_" * 200_000)}})),
    "escapes.json": lambda: json.dumps(document({"/\x1b[2Ja\u202e": {"get": operation("\x1b[31mlook\u200b\r\n", parameter("query", "\x1b]0;q\x07"), tags=["\x1b[1m"])}})),
    "pattern.json": lambda: json.dumps(with_schema({**TEXT, "pattern": "^(a+)+$", "default": "a" * 40 + "!"})),
    "digits.json": lambda: json.dumps(with_schema({"type": "integer"})).replace('"integer"', '"integer", "default": ' + "9" * 200_000),
    "exponent.json": lambda: json.dumps(with_schema({"type": "number"})).replace('"number"', '"number", "maximum": 1e999999'),
    "large.yaml": lambda: HEAD + LOOK + "x-large: " + "a" * 40_000_000,
    "problems.json": lambda: json.dumps(document({f"/a{n}": {"get": operation(f"look_{n}", {"$ref": f"#/nowhere/{n}"})} for n in range(5_000)})),
    "keys.yaml": lambda: HEAD + LOOK + "x-a: 1\n" * 50_000,
    "list.json": lambda: '[{"openapi": "3.1.0"}]',
    "paths.json": lambda: '{"openapi": "3.1.0", "paths": ["/a"], "components": 3, "servers": {}, "security": "x"}',
    "parts.json": lambda: json.dumps(document({"/a": {"get": {"operationId": 3, "parameters": {"a": 1}, "requestBody": [], "responses": 7, "tags": "x", "servers": 1, "security": {}}, "post": None, "put": []}})),
    "surrogates.json": lambda: '{"openapi": "3.1.0", "paths": {"/\\ud800": {"get": {"operationId": "\\udfff", "summary": "\\ud800"}}}}',
}  # fmt: skip


def run_in_bounds(*arguments, cwd):
    """Run the program with little memory and time; it fails the test if it needs more."""
    return subprocess.run(
        [sys.executable, "-m", "toolkit_cli", *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=SECONDS,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


@pytest.mark.proof(everyday=2)
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", BOMBS)
def test_document_that_is_endless_or_broken_is_read_within_bounds(project, attacks, name):
    (project / name).write_text(BOMBS[name](), "utf-8")
    for command in (["list", name], ["lint", "--no-cache", name], ["schema", f"{name}:look"]):
        done = run_in_bounds(*command, cwd=project)
        text = done.stdout + done.stderr
        is_told = done.returncode == 0 or name in done.stdout + done.stderr
        held = done.returncode in {0, 1, 2, 4} and "Traceback" not in text and "internal error" not in text
        attacks.count(
            f"{command} {done.returncode}: {text[-500:]!r}", held=held and is_told and not ESCAPES.search(text)
        )


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "utf-16", "bytes", "sparse"])
def test_file_that_is_no_document_is_refused_at_once(project, attacks, kind):
    file = project / "api.yaml"
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "device":
            file.symlink_to("/dev/zero")
        case "folder":
            file.mkdir()
        case "utf-16":
            file.write_bytes((HEAD + LOOK).encode("utf-16"))
        case "bytes":
            file.write_bytes((HEAD + LOOK).encode() + b"\xff\xfe\x00")
        case "sparse":
            file.write_bytes((HEAD + LOOK).encode())
            os.truncate(file, 3 * 1024**3)
    for command in (["list", "api.yaml"], ["lint", "--no-cache", "api.yaml"]):
        done = run_in_bounds(*command, cwd=project)
        text = done.stdout + done.stderr
        held = done.returncode in {0, 1, 2, 4} and "Traceback" not in text and "api.yaml" in text
        attacks.count(f"{command} {done.returncode}: {text[-500:]!r}", held=held)
