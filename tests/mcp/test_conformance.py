"""The conformance suite of the protocol, as it is published: the scenarios that we claim, of server and client."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mcp.raw import PATIENCE
from tests.mcp.serving import Listening

FIXTURES = Path(__file__).parent / "conformance"
PAGE = Path(__file__).parents[2] / "docs/mcp-security.md"
SERVER = {
    "server-initialize": 1,
    "ping": 1,
    "tools-list": 1,
    "tools-call-simple-text": 1,
    "tools-call-error": 1,
    "tools-call-with-progress": 1,
    "tools-call-elicitation": 1,
    "json-schema-2020-12": 4,
    "server-sse-multiple-streams": 2,
    "dns-rebinding-protection": 2,
}
"""How many checks of each scenario pass. The others are of what is not served: resources, prompts, completion,
sampling, logging, pictures and sound."""
CLIENT = {
    "initialize": {"mcp-client-initialization"},
    "tools_call": {"tool-add-numbers"},
    "sse-retry": {"client-sse-graceful-reconnect", "client-sse-last-event-id"},
}
"""Which checks of each scenario must pass; how quickly a busy machine reconnects says nothing of us."""


def checks_in(folder):
    """Return the checks by the scenario of a folder of results."""
    return {
        re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name): json.loads(file.read_text("utf-8"))
        for file in folder.glob("*/checks.json")
    }


def passed(checks):
    """Return which checks have passed."""
    return [check["id"] for check in checks if check["status"] == "SUCCESS"]


def failed(checks):
    """Return which checks have failed."""
    return [check["id"] for check in checks if check["status"] == "FAILURE"]


def test_server_passes_the_scenarios_that_we_claim(peer, tmp_path, figure):
    suite = peer("conformance")
    server = Listening(FIXTURES)
    try:
        finished = subprocess.run(
            [
                *suite.command,
                "server",
                "--url",
                f"http://127.0.0.1:{server.port}/mcp",
                "--suite",
                "all",
                "-o",
                tmp_path,
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE * 2,
            check=False,
        )
    finally:
        server.close()
    results = {name.removeprefix("server-"): checks for name, checks in checks_in(tmp_path).items()}
    well = {name: len(passed(results.get(name, []))) for name in SERVER if not failed(results.get(name, []))}
    assert well == SERVER, finished.stdout.decode()[-5000:]
    figure(f"{suite}: {len(SERVER)} scenarios of servers, {sum(SERVER.values())} checks, all passed")


@pytest.mark.parametrize("scenario", CLIENT)
def test_client_passes_the_scenarios_that_we_claim(peer, tmp_path, figure, scenario):
    suite = peer("conformance")
    finished = subprocess.run(
        [
            *suite.command,
            "client",
            "--command",
            f"{sys.executable} {FIXTURES / 'client.py'}",
            "--scenario",
            scenario,
            "-o",
            tmp_path,
        ],
        stdin=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")},
        capture_output=True,
        timeout=PATIENCE * 2,
        check=False,
    )
    [checks] = checks_in(tmp_path).values() or [[]]
    assert set(passed(checks)) >= CLIENT[scenario], finished.stdout.decode()[-5000:]
    figure(f"{suite}: {scenario} of clients, {len(passed(checks))} checks passed")


def test_page_names_every_scenario_that_we_claim():
    text = PAGE.read_text("utf-8")
    assert [name for name in [*SERVER, *CLIENT] if f"`{name}`" not in text] == []
