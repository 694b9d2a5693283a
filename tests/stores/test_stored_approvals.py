"""Calls that need approval wait in a store too, whoever does the items, and whatever dies meanwhile."""

import json
import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("dbos", reason="the extra `durable` is not installed")
pytestmark = pytest.mark.proof

TOOLS = '''
import os
import pathlib
import signal
from toolkit import tool

@tool(destructive=True, idempotent=True)
def wipe(n: int) -> str:
    """Wipe a number; the fourth kills its worker once."""
    with open("effects.txt", "a") as file:
        file.write(f"wipe {n}\\n")
    if n == 4 and pathlib.Path("deadly").exists():
        pathlib.Path("deadly").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return f"wiped {n}"
'''
PIPELINE = """
name: steps
description: Look, ask, and wipe.
tools: [./tools.py]
inputs: {n: {type: integer}}
steps:
  - {id: twice, set: "${{ inputs.n * 2 }}"}
  - {id: go, approve: "Wipe ${{ prev }}?"}
  - {use: wipe, approve: true, with: {n: "${{ steps.twice.output }}"}}
"""


class Place:
    """A folder with tools and items, and programs that use one store."""

    def __init__(self, folder, store):
        self._folder = folder
        self._environment = {**os.environ, "TOOLKIT_STORE": store, "XDG_STATE_HOME": str(folder / "state")}
        self._workers = []
        (folder / "tools.py").write_text(TOOLS, "utf-8")
        (folder / "steps.yaml").write_text(PIPELINE, "utf-8")
        (folder / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(1, 7)), "utf-8")

    def start(self, *words):
        command = [sys.executable, "-m", "toolkit_cli", *words]
        return subprocess.Popen(
            command, cwd=self._folder, env=self._environment, stdin=-3, stdout=-1, stderr=-1, text=True
        )

    def run(self, *words):
        process = self.start(*words)
        output, talk = process.communicate(timeout=300)
        return process.returncode, output, talk

    def worker(self):
        process = self.start("worker", "--tools", "steps.yaml")
        self._workers.append(process)
        assert process.stderr.readline().startswith("working on steps from ")
        return process

    @property
    def questions(self):
        return json.loads(self.run("runs", "approvals", "--format", "json")[1])

    @property
    def newest(self):
        return json.loads(self.run("runs", "list", "--format", "json")[1])[0]

    @property
    def effects(self):
        return (self._folder / "effects.txt").read_text("utf-8").splitlines()

    def close(self):
        for process in self._workers:
            process.kill()
            process.communicate()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    store = f"sqlite:///{tmp_path}/runs.db"
    if request.param == "postgresql":
        store = request.getfixturevalue("postgres").url(tmp_path.name.lower())
    made = Place(tmp_path, store)
    yield made
    made.close()


def test_items_wait_in_a_store_and_go_on_with_any_worker_after_any_kill(place, tmp_path):
    place.worker()
    begun, results, talk = place.run(
        "run", "steps.yaml", "--each", "items.jsonl", "--jobs", "0", "--on-approval", "wait"
    )
    assert (begun, [json.loads(line)["error_code"] for line in results.splitlines()]) == (3, ["waiting"] * 6), talk
    run = place.newest
    assert (run["state"], run["done"], run["failed"]) == ("waiting", 0, 0)
    assert f"toolkit runs resume {run['id']}" in talk
    questions = {one["path"]: one for one in place.questions}
    assert {path: one["text"] for path, one in questions.items()} == {f"{n}/go": f"Wipe {n * 2}?" for n in range(1, 7)}

    assert place.run("runs", "decide", questions["6/go"]["id"], "reject", "--reason", "too much")[0] == 0
    assert place.run("runs", "decide", questions["1/go"]["id"], "approve", "--all-like")[0] == 0
    place.close()
    place.worker()
    assert place.run("runs", "resume", run["id"])[0] == 3
    questions = {one["path"]: one for one in place.questions}
    assert {path: one["arguments"] for path, one in questions.items()} == {
        f"{n}/wipe": {"n": n * 2} for n in range(1, 6)
    }

    (tmp_path / "deadly").touch()
    place.worker()
    assert place.run("runs", "decide", questions["1/wipe"]["id"], "approve", "--all-like")[0] == 0
    ended, results, talk = place.run("runs", "resume", run["id"])
    assert ended in (1, 3), talk
    if ended == 3:  # the worker died after the call had begun: what it had been allowed is to be allowed again
        (question,) = place.questions
        assert question["arguments"] == {"n": 4}
        assert place.run("runs", "decide", question["id"], "approve")[0] == 0
        ended, results, talk = place.run("runs", "resume", run["id"])
    assert ended == 1, talk
    assert [json.loads(line).get("output") for line in results.splitlines()] == [
        *(f"wiped {n * 2}" for n in range(1, 6)),
        None,
    ]
    assert json.loads(results.splitlines()[5])["error"] == "Rejected by reviewer: too much"
    assert sorted(set(place.effects)) == sorted(f"wipe {n * 2}" for n in range(1, 6))
    assert sorted(place.effects).count("wipe 4") == 2
    assert len(place.effects) == 6
    assert place.questions == []
    assert place.newest["state"] == "completed"


def test_an_answer_in_a_store_is_for_one_definition_and_one_call(place, tmp_path):
    begin = ("run", "tools.py:wipe", "--each", "items.jsonl", "--on-approval", "wait")
    assert place.run(*begin)[0] == 3
    run, questions = place.newest["id"], place.questions
    assert place.run("runs", "decide", questions[0]["id"], "approve", "--all-like")[0] == 0
    assert place.run("runs", "decide", questions[0]["id"], "approve")[0] == 4
    (tmp_path / "tools.py").write_text(TOOLS.replace("kills its worker", "ends its worker"), "utf-8")
    assert place.run("runs", "resume", run)[0] == 3
    assert place.run("runs", "resume", run, "--accept-changes")[0] == 3
    assert len(place.questions) == 6
    assert not (tmp_path / "effects.txt").exists()


def test_questions_of_a_killed_submitter_are_kept(place, tmp_path):
    (tmp_path / "deadly").touch()
    begun = place.run(
        "run", "tools.py:wipe", "--each", "items.jsonl", "--on-approval", "wait", "--approve", "wipe(n=4)"
    )
    assert begun[0] == -signal.SIGKILL
    run = place.newest
    assert run["state"] == "killed"
    assert place.run("runs", "resume", run["id"], "--approve", "wipe(n=4)")[0] == 3
    questions = place.questions
    assert sorted(one["arguments"]["n"] for one in questions) == [1, 2, 3, 5, 6]
    assert place.run("runs", "decide", questions[0]["id"], "approve", "--all-like")[0] == 0
    ended, results, _ = place.run("runs", "resume", run["id"])
    assert (ended, [json.loads(line)["output"] for line in results.splitlines()]) == (
        0,
        [f"wiped {n}" for n in range(1, 7)],
    )
