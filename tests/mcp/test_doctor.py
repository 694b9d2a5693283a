"""`toolkit mcp doctor` names what is wrong with a server, step by step; each broken server is a real one.

What is said of each is in the folder `doctor`. Times, ports and folders differ from run to run, and are replaced.
"""

import json
import re
import socket
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.certificates import certificate
from tests.http_servers import http_server
from tests.mcp import broken_server
from tests.terminals import Terminal
from toolkit.mcp.client.transports import certificates  # private: they are read once

SERVER = Path(broken_server.__file__)
EXPECTED = Path(__file__).with_name("doctor")
JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html; charset=utf-8"}
STREAM = {"Content-Type": "text/event-stream"}
METADATA = "https://weather.example/.well-known/oauth-protected-resource/mcp"


def command(fault, *more):
    """Return the table of a server that is a process."""
    return ["[mcp.weather]", f"command = '{sys.executable}'", f"args = ['{SERVER}', '{fault}']", *more]


def program(name, *more):
    """Return the table of a server whose program cannot be started."""
    return ["[mcp.weather]", f"command = '{name}'", *more]


COMMANDS = {
    "works": command(""),
    "hangs at start": command("hang", "start_timeout = '500ms'"),
    "hangs in tools list": command("hanging list", "start_timeout = '2s'"),
    "exits at once": command("exit", "env = { WEATHER_KEY = '${WEATHER_KEY}' }"),
    "command missing": program("wether-server"),
    "command not executable": program("./weather.txt"),
    "program missing": program("./wether.txt"),
    "interpreter missing": program("./weather.sh"),
    "wrong folder": command("", "cwd = 'nowhere'"),
    "variable missing": command("", "env = { WEATHER_KEY = '${WEATHER_KEYS}' }"),
    "wrong version": command("wrong version"),
    "wrong era": command("", "protocol = 'stateless'"),
    "noise": command("noise"),
    "answer not JSON": command("not JSON", "start_timeout = '2s'"),
    "crashes after list": command("crash"),
    "endless pages": command("endless pages"),
    "duplicate names": command("duplicate names"),
    "invalid schema": command("invalid schema"),
    "long name": command("long name"),
    "required tool missing": command("", "required = ['forecasts']"),
    "everything hidden": command("", "tools = ['snow*']"),
    "some hidden": command("", "exclude = ['stat*']"),
    "no tools": command("no tools"),
}


def working(asked):
    """Answer like a server that works."""
    if asked.method != "POST":
        return 405, {}, b""
    message = json.loads(asked.body)
    if "id" not in message:
        return 202, {}, b""
    return 200, JSON, json.dumps({"jsonrpc": "2.0", "id": message["id"], **broken_server.answer(message)}).encode()


def old(asked):
    """Answer like a server of the first version, which opens a stream of events for GET."""
    return (200, STREAM, b"event: endpoint\ndata: /messages\n\n") if asked.method == "GET" else (405, {}, b"")


def published(asked):
    """Require a sign-in, and say how only at the well-known address."""
    is_asked_how = asked.path == "/.well-known/oauth-protected-resource/mcp"
    return (200, JSON, b"{}") if is_asked_how else (401, {"WWW-Authenticate": "Bearer"}, b"")


def always(status, headers=(), body=b""):
    """Return what gives the same answer to everything."""
    return lambda _: (status, dict(headers), body)


def around(*paths):
    """Return what redirects each of these paths to the next one, and the last one to the first."""
    following = dict(zip(paths, [*paths[1:], paths[0]], strict=True))
    return lambda asked: (307, {"Location": following[asked.path]}, b"")


ANSWERS = {
    "works over HTTP": working,
    "web page": always(200, HTML, b"<html>Weather</html>"),
    "nothing": always(200),
    "404": always(404),
    "405": always(405),
    "500": always(500),
    "502 with a web page": always(502, HTML, b"<html>Bad gateway</html>"),
    "401 without metadata": always(401),
    "401 with metadata": always(401, {"WWW-Authenticate": f'Bearer resource_metadata="{METADATA}"'}),
    "401 with published metadata": published,
    "401 with credentials": always(401),
    "403": always(403),
    "403 with scopes": always(403, {"WWW-Authenticate": 'Bearer error="insufficient_scope", scope="read write"'}),
    "redirects to itself": around("/mcp"),
    "redirects in circles": around("/mcp", "/en", "/fi"),
    "redirects on its host": lambda asked: (301, {"Location": "/new"}, b"") if asked.path == "/mcp" else working(asked),
    "redirects to another host": always(307, {"Location": "http://weather.example/mcp?key=1"}),
    "redirects to https": always(301, {"Location": "https://127.0.0.1/mcp"}),
    "answer over HTTP not JSON": always(200, JSON, b"{the answer"),
    "SSE only": old,
}
HEADERS = {"401 with credentials": "headers = { Authorization = 'Bearer ${WEATHER_KEY}' }"}
AUTHORITY = certificate("Test Authority")
CERTIFICATES = {
    "works over HTTPS": certificate("127.0.0.1", by=AUTHORITY),
    "certificate expired": certificate("127.0.0.1", by=AUTHORITY, last_year=2021),
    "certificate self-signed": certificate("127.0.0.1"),
    "certificate of an unknown issuer": certificate("127.0.0.1", by=certificate("Other Authority")),
    "certificate for another host": certificate("weather.example", by=AUTHORITY),
}
ADDRESSES = {
    "connection refused": "http://127.0.0.1:1/mcp",
    "host unknown": "http://weather.invalid/mcp",
}


@pytest.fixture
def weather(zoo, monkeypatch):
    """A project with a server, on a machine that trusts one authority and has no proxy."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WEATHER_KEY", "k-8d1f6a")
    monkeypatch.setenv("COLUMNS", "1000")  # no line is wrapped, however long the name of this folder is
    monkeypatch.setenv("PATH", str(zoo.folder / "bin"))
    monkeypatch.setenv("SSL_CERT_FILE", str(zoo.write("authority.pem", AUTHORITY.text.decode())))
    zoo.write("weather.txt", "rain")
    zoo.write("bin/weather-server", "#!/bin/sh\n").chmod(0o755)
    zoo.write("weather.sh", "#!/no/such/interpreter\n").chmod(0o755)
    certificates.cache_clear()
    yield zoo
    certificates.cache_clear()


def examined(weather, *arguments):
    """Return the exit code and what the doctor says, without what differs from run to run."""
    done = weather.run("mcp", "doctor", *arguments)
    assert done.stderr == ""
    return readable(weather, done.exit_code, done.stdout)


def readable(weather, exit_code, text):
    """Return the exit code and what was said, without what differs from run to run."""
    replaced = {str(weather.folder): "FOLDER", sys.executable: "PYTHON", str(SERVER): "SERVER", "k-8d1f6a": "SECRET"}
    for old_text, new in replaced.items():
        text = text.replace(old_text, new)
    text = re.sub(r"^(\w+ +(?:ok|warning|failed) +)[\d.]+(?:ms|s) ", r"\1# ", text, flags=re.MULTILINE)
    text = re.sub(r"(port |127\.0\.0\.1:)\d{4,5}", r"\1PORT", text)
    text = re.sub(r"(cannot be resolved: ).*", r"\1WHY", text)
    return f"exit code {exit_code}\n{re.sub('  +', '  ', text)}"


def expected(name):
    """Return what is to be said of a server."""
    return (EXPECTED / f"{name.replace(' ', '_')}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_broken_command_is_named(weather, name):
    weather.write("toolkit.toml", "\n".join(COMMANDS[name]) + "\n")
    assert examined(weather, "weather", "--start", "weather") == expected(name)


@pytest.mark.parametrize("name", [*ANSWERS, *CERTIFICATES, *ADDRESSES])
def test_broken_address_is_named(weather, name):
    tls = CERTIFICATES[name].context(weather.folder) if name in CERTIFICATES else None
    serving = http_server(ANSWERS.get(name, working), tls)
    with nullcontext(ADDRESSES[name].removesuffix("/mcp")) if name in ADDRESSES else serving as url:
        weather.write("toolkit.toml", f"[mcp.weather]\nurl = '{url}/mcp'\n{HEADERS.get(name, '')}\n")
        assert examined(weather, "weather", "--start", "weather") == expected(name)


def says_back(where):
    """Return what answers with the credentials that it was sent."""

    def answer(asked):
        sent = asked.headers.get("authorization", "").removeprefix("Bearer ")
        match where:
            case "redirect":
                return 307, {"Location": f"http://weather.example/{sent}"}, b""
            case "challenge":
                return 401, {"WWW-Authenticate": f'Bearer resource_metadata="http://weather.example/{sent}"'}, b""
            case "kind of content":
                return 200, {"Content-Type": f"text/{sent}"}, b""
        error = {"code": 1, "message": f"{sent} is not known"}
        return 200, JSON, json.dumps({"jsonrpc": "2.0", "id": json.loads(asked.body)["id"], "error": error}).encode()

    return answer


@pytest.mark.parametrize("where", ["redirect", "challenge", "kind of content", "error"])
def test_secret_that_a_server_says_back_is_masked(weather, where):
    with http_server(says_back(where)) as url:
        weather.write("toolkit.toml", f"[mcp.weather]\nurl = '{url}/mcp'\n{HEADERS['401 with credentials']}\n")
        said = examined(weather, "weather", "--start", "weather")
        assert ("SECRET" in said, "**********" in said) == (False, True)


def test_address_that_never_answers_is_named(weather):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"
        weather.write("toolkit.toml", f"[mcp.weather]\nurl = '{url}'\nstart_timeout = '500ms'\n")
        assert examined(weather, "weather", "--start", "weather") == expected("hangs over HTTP")


PROXIES = {"proxy refused": "127.0.0.1:1", "proxy without a port": "http://127.0.0.1:none"}


@pytest.mark.parametrize("name", PROXIES)
def test_broken_proxy_is_named(weather, monkeypatch, name):
    monkeypatch.setenv("http_proxy", PROXIES[name])
    weather.write("toolkit.toml", "[mcp.weather]\nurl = 'http://weather.example/mcp'\n")
    assert examined(weather, "weather", "--start", "weather") == expected(name)


def test_changed_definition_is_named(weather):
    weather.write("toolkit.toml", "\n".join(command("")))
    assert weather.run("lock", "--update", "weather", "--start", "weather").exit_code == 0
    weather.write("toolkit.toml", "\n".join(command("changed")))
    assert examined(weather, "weather", "--start", "weather") == expected("changed definition")


def test_denied_tool_is_named(weather):
    weather.write("toolkit.toml", "\n".join(command("")))
    rule = "deny:\n  - {tool: weather_forecast, because: The forecast is always wrong.}\n"
    weather.write("toolkit.policy.yaml", f"toolkit: 1\n{rule}")
    assert examined(weather, "weather", "--start", "weather") == expected("denied tool")


def test_server_without_consent_is_not_started(weather):
    weather.write("toolkit.toml", "\n".join(command("meet started never")))
    assert examined(weather, "weather") == expected("no consent")
    assert not (weather.folder / "started").exists()


TRUSTED = "trusted = true\ncwd = '.'"


@pytest.mark.parametrize("name", ["called", "failing call"])
def test_trusted_server_is_called(weather, name):
    weather.own("\n".join(command(name, TRUSTED)))
    assert examined(weather, "weather") == expected(name)


@pytest.mark.parametrize(("name", "allowed"), [("called by consent", ["--approve", "weather_*"]), ("not approved", [])])
def test_server_that_is_not_trusted_is_called_only_if_the_user_wants_it_and_the_gate_allows_it(weather, name, allowed):
    weather.write("toolkit.toml", "\n".join(command("")))
    assert examined(weather, "weather", "--start", "weather", "--call", *allowed) == expected(name)


def test_rule_can_ask_about_the_call_of_a_trusted_server(weather):
    weather.own("\n".join(command("", TRUSTED)))
    weather.write("home/toolkit/policy.yaml", "toolkit: 1\nask:\n  - {tool: weather_status}\n")
    assert examined(weather, "weather") == expected("asked about")


def test_person_at_a_terminal_is_asked_and_sees_what_is_waited_for(weather):
    weather.write("toolkit.toml", "\n".join(command("meet started go", "cwd = '.'")))
    terminal = Terminal(weather.folder, "mcp", "doctor", "weather", "--call")
    terminal.answer("o")
    terminal.expect("weather: process")
    weather.write("go", "")  # the server waits for this file
    terminal.answer("o")
    exit_code = terminal.end()
    assert readable(weather, exit_code, terminal.stdout) == expected("on a terminal")


def test_servers_are_examined_at_the_same_time_and_shown_in_their_order(weather):
    tables = []
    for name, other in (("sun", "moon"), ("moon", "sun")):  # each answers when the other has been started
        tables += [line.replace("weather]", f"{name}]") for line in command(f"meet {name} {other}")]
    weather.write("toolkit.toml", "\n".join([*tables, "[mcp.rain]", "command = 'wether-server'"]))
    assert examined(weather, "--yes") == expected("several servers")
    assert examined(weather, "rain", "moon", "sun", "--yes").startswith("exit code 4\nrain: ")


def test_json_says_the_same(weather):
    weather.write("toolkit.toml", "\n".join(command("noise", "exclude = ['status']")))
    done = weather.run("mcp", "doctor", "--start", "weather", "--format", "json")
    [record] = json.loads(done.stdout)
    for step in record["steps"]:
        assert (step["milliseconds"] is None) == (step["state"] == "skipped")
        step["milliseconds"] = 0
    text = json.dumps(record, indent=2).replace(sys.executable, "PYTHON").replace(str(SERVER), "SERVER")
    assert (done.exit_code, f"{text}\n") == (0, expected("as json"))


def test_unknown_server_is_named_with_the_closest_one(weather):
    weather.write("toolkit.toml", "\n".join(command("")))
    done = weather.run("mcp", "doctor", "wether")
    assert (done.exit_code, done.stdout) == (4, "")
    assert done.stderr == "error[TK001]: there is no MCP server 'wether'\nhint: did you mean 'weather'?\n"


def test_without_servers_there_is_nothing_to_examine(weather):
    done = weather.run("mcp", "doctor")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "no MCP server is configured; add one to toolkit.toml under [mcp.NAME]\n"


@pytest.mark.parametrize("arguments", [["mcp", "ping", "weather"], ["list", "weather"], ["mcp", "list"]])
def test_other_commands_name_the_doctor(weather, arguments):
    weather.write("toolkit.toml", "\n".join(program("wether-server")))
    done = weather.run(*arguments, "--start", "weather")
    assert done.exit_code == 4
    assert "toolkit mcp doctor weather" in done.output
