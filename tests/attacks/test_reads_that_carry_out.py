"""Reads that carry private data out.

A model that can read private files puts what it has read into the address, or the query, of a tool that only reads.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

SECRET = "the-secret-of-the-user-4711"  # noqa: S105 - it opens nothing
READERS = {
    "file_read": {"path": "secret.txt"},
    "code_search": {"pattern": "secret"},
    "notes": {"path": "secret.txt"},
}
WAYS_OUT = {"http": {"input": SECRET}, "lookup": {"input": SECRET}, "web_scrape": {"url": f"{{url}}?q={SECRET}"},
            "web_search": {"query": SECRET}}  # fmt: skip


class _Listener(BaseHTTPRequestHandler):
    requests: list[str]

    def do_GET(self) -> None:
        self.requests.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"results": []}')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def listener(tmp_path, monkeypatch):
    """A project whose user has agreed to its settings, and a server that hears what leaves."""
    requests: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Listener", (_Listener,), {"requests": requests}))
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    for name in [name for name in os.environ if name.startswith("TOOLKIT_") or name.endswith("_PROXY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TOOLKIT_CONSENT", "builtin.http,builtin.lookup,builtin.web_scrape,builtin.web_search")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text(f"{SECRET}\n")
    endpoint = f"url = '{url}'\nmethod = 'GET'\nallow_private = true\n"
    (tmp_path / "toolkit.toml").write_text(
        f"[builtin.notes]\nkind = 'file_read'\n[builtin.http]\n{endpoint}[builtin.lookup]\nkind = 'http'\n{endpoint}"
        f"[builtin.web_scrape]\nprivate_hosts = ['127.0.0.1:{server.server_port}']\n"
        f"[builtin.web_search]\nprovider = 'searxng'\nurl = '{url}'\n"
    )
    yield url, requests
    server.shutdown()
    server.server_close()


def carry_out(tmp_path, url, reader, way_out, *flags, by_file=False):
    """Let a model read a secret and then look something up."""
    arguments = json.dumps(WAYS_OUT[way_out]).replace("{url}", url)
    reading = f"  - calls: [{{tool: {reader}, arguments: {json.dumps(READERS[reader])}}}]\n" if reader else ""
    (tmp_path / "script.yaml").write_text(
        f"turns:\n{reading}  - calls: [{{tool: {way_out}, arguments: {arguments}}}]\n  - Done.\n"
    )
    tools = [tool for tool in (reader, way_out) if tool]
    (tmp_path / "a.yaml").write_text(
        f"agent: simple\nname: a\nmodel: scripted:script.yaml\ntools: [{', '.join(tools)}]\n"
    )
    offered = [word for tool in tools for word in ("--tools", tool)]
    words = ["run", "a.yaml", "go"] if by_file else ["agent", "go", "--model", "scripted:script.yaml", *offered]
    return CliRunner().invoke(application(), [*words, *flags])


@pytest.mark.proof
@pytest.mark.parametrize("by_file", [False, True])
def test_nothing_that_was_read_leaves_in_a_read_without_asking(tmp_path, listener, attacks, by_file):
    url, requests = listener
    for reader in READERS:
        for way_out in WAYS_OUT:
            done = carry_out(tmp_path, url, reader, way_out, by_file=by_file)
            attacks.count(f"{reader} then {way_out}: {requests} {done.output}", held=not requests)
            requests.clear()
            allowed = carry_out(tmp_path, url, reader, way_out, "--approve", way_out, by_file=by_file)
            assert (allowed.exit_code, len(requests)) == (0, 1), allowed.output  # so the attack would work
            requests.clear()


def test_model_that_can_read_nothing_private_is_not_asked_about(tmp_path, listener):
    url, requests = listener
    read_only = [way_out for way_out in WAYS_OUT if way_out != "web_scrape"]
    for way_out in read_only:
        assert carry_out(tmp_path, url, None, way_out).exit_code == 0
    assert len(requests) == len(read_only)
