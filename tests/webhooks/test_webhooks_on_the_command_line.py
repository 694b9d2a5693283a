"""Where there is no terminal, the webhook of the user's own configuration is asked; the sample server answers it."""

import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest

from tests.mcp.served import over_stdio

SAMPLE = Path(__file__).parents[2] / "sample_pipelines" / "chat_approvals.py"
SECRET = "a secret of many letters"  # noqa: S105 - it is for a test
TOOLS = '''
from toolkit import tool

@tool(destructive=True)
def delete(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"
'''


@pytest.fixture
def chat(tmp_path, monkeypatch):
    """Run the sample server, and return the address of its page."""
    monkeypatch.setenv("APPROVALS_SECRET", SECRET)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TOOLKIT_AUDIT", "1")
    process = subprocess.Popen([sys.executable, str(SAMPLE), "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    page = process.stdout.readline().strip()
    place = urllib.parse.urlsplit(page).netloc
    own = tmp_path / "own" / "toolkit"
    own.mkdir(parents=True)
    text = f'[webhook]\nurl = "http://{place}/review"\nsecret = "APPROVALS_SECRET"\npoll = "50ms"\nprivate = true\n'
    (own / "config.toml").write_text(text, "utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    yield page
    process.kill()
    process.wait()
    process.stdout.close()


def started(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "toolkit_cli", *words],
        cwd=folder,
        env={**os.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def decided(page, decision):
    """Wait for a question on the page, press a button, and return what was shown."""
    identity, shown = None, ""
    while identity is None:
        with urllib.request.urlopen(page, timeout=30) as answered:  # noqa: S310
            shown = answered.read().decode()
        identity = re.search(r"name=id value='(\w+)'", shown)
    form = urllib.parse.urlencode({"id": identity[1], "decision": decision}).encode()
    with urllib.request.urlopen(page.replace("/?", "/decide?"), form, timeout=30):  # noqa: S310
        return shown


def test_a_person_who_presses_approve_lets_the_call_run_and_it_is_recorded(tmp_path, chat):
    run = started(tmp_path, "run", "tools.py:delete", "path=<b>a</b>")
    shown = decided(chat, "approve")
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (0, "deleted <b>a</b>\n"), err
    assert "&lt;b&gt;a&lt;/b&gt;" in shown
    assert "<b>a" not in shown
    records = [json.loads(line) for line in (tmp_path / "state" / "toolkit" / "audit.jsonl").read_text().splitlines()]
    assert [(one["event"], one.get("decision"), one.get("by")) for one in records] == [
        ("question", None, None),
        ("decision", "continue", "reviewer"),
    ]


def test_a_person_who_presses_reject_does_not(tmp_path, chat):
    run = started(tmp_path, "run", "tools.py:delete", "path=a")
    decided(chat, "reject")
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (3, "")
    assert "Rejected by reviewer: answered in the chat" in err


@pytest.mark.proof
def test_nobody_is_asked_with_no_input_nor_by_a_project(tmp_path, chat):
    run = started(tmp_path, "run", "tools.py:delete", "path=a", "--no-input")
    assert "--no-input forbids asking" in run.communicate(timeout=60)[1]
    (tmp_path / "toolkit.toml").write_text('[webhook]\nurl = "https://evil.example/"\nsecret = "HOME"\n', "utf-8")
    run = started(tmp_path, "run", "tools.py:delete", "path=a", "--yes")
    assert "a project's file cannot decide who answers questions" in run.communicate(timeout=60)[1]
    assert run.returncode == 2


def test_a_secret_that_is_not_set_lets_nothing_run(tmp_path, chat, monkeypatch):
    monkeypatch.delenv("APPROVALS_SECRET")
    run = started(tmp_path, "run", "tools.py:delete", "path=a")
    assert "the environment variable 'APPROVALS_SECRET' (the webhook's secret) is not set" in run.communicate(timeout=60)[1]  # fmt: skip
    assert run.returncode == 2


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(("decision", "answer"), [("approve", "deleted a"), ("reject", "Rejected by reviewer")])
def test_a_server_asks_it_where_its_client_cannot_be_asked(tmp_path, chat, decision, answer):
    async def call():
        async with over_stdio(tmp_path, "tools.py") as client:
            return (await client.call_tool("delete", {"path": "a"})).content[0].text

    with ThreadPoolExecutor(1) as person:
        shown = person.submit(decided, chat, decision)
        assert anyio.run(call).startswith(answer)
        assert "delete" in shown.result()
