"""Whoever is killed, at whatever moment, every item is done, and the results are the same bytes."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.databases import programs

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

SAMPLES = Path(__file__).parents[2] / "sample_pipelines"
PIPELINE = SAMPLES / "ride_bills.yaml"
FIRST_BAD_RIDE = 833


class Place:
    """A folder with rides to bill, and programs that are started in it."""

    def __init__(self, folder, store, count):
        self.folder, self.store = folder, store
        rides = subprocess.run([sys.executable, SAMPLES / "make_rides.py"], capture_output=True, check=True, text=True)
        (folder / "rides.jsonl").write_text("".join(rides.stdout.splitlines(keepends=True)[:count]), "utf-8")
        self.started = []

    def command(self, *words):
        return [sys.executable, "-m", "toolkit_cli", *map(str, words)]

    def start(self, *words, store=True):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        environment |= {"TOOLKIT_STORE": self.store} if store else {}
        process = subprocess.Popen(
            self.command(*words), cwd=self.folder, env=environment, stdin=-3, stdout=-1, stderr=-1, text=True
        )
        self.started.append(process)
        return process

    def run(self, *words, store=True):
        process = self.start(*words, store=store)
        output, talk = process.communicate(timeout=500)
        return process.returncode, output, talk

    def worker(self, jobs=2):
        process = self.start("worker", "--tools", PIPELINE, "--jobs", jobs)
        assert process.stderr.readline().startswith("working on ride_bills from "), process.stderr.read()
        return process

    def batch(self, *words, store=True):
        return ("run", PIPELINE, "--each", "rides.jsonl", *words)

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()


@pytest.fixture
def place(tmp_path):
    made = []

    def make(store, count):
        made.append(Place(tmp_path, store, count))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.proof
def test_a_thousand_items_give_the_same_bytes_wherever_they_are_done(place, postgres, tmp_path, tries, figure):
    count = tries(1_000)
    here = place(f"sqlite:///{tmp_path}/runs.db", count)
    code = here.run(*here.batch("--no-journal", "--out", "plain.jsonl"), store=False)[0]
    assert code == int(count >= FIRST_BAD_RIDE)
    assert here.run(*here.batch("--out", "journal.jsonl"), store=False)[0] == code
    assert here.run(*here.batch("--out", "sqlite.jsonl", "--jobs", "2"))[0] == code
    here.store = postgres.url("thousand")
    workers = [here.worker()]
    workers += [here.worker() for _ in range(2)]
    batch = here.start(*here.batch("--out", "postgres.jsonl", "--jobs", "0"))
    killed = []
    for victim in workers[:2]:
        wait_until(lambda: lines(tmp_path / "postgres.jsonl") > count * (len(killed) + 1) // 5)
        victim.kill()
        killed.append(victim.wait())
    assert batch.wait(timeout=500) == code
    plain = (tmp_path / "plain.jsonl").read_bytes()
    assert plain.count(b"\n") == count
    for name in ("journal", "sqlite", "postgres"):
        assert (tmp_path / f"{name}.jsonl").read_bytes() == plain
    assert killed == [-signal.SIGKILL] * 2
    figure(f"{count} items, the same bytes plain, journal, SQLite, PostgreSQL with 2 of 3 workers killed")


def lines(file):
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait_until(is_so):
    """Wait for something that another process does."""
    until = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < until
        threading.Event().wait(0.05)


@pytest.mark.proof
def test_no_password_is_shown_or_stored(place, postgres, tmp_path):
    here = place(postgres.url("secrets"), 5)
    code, output, talk = here.run(*here.batch("--out", "out.jsonl"))
    listed = here.run("runs", "list", "--format", "json")
    (run,) = json.loads(listed[1])
    shown = here.run("runs", "show", run["id"])
    wrong = here.run("runs", "list", "--store", postgres.url("secrets").replace("and-3", "and-4"))
    assert (code, listed[0], shown[0], wrong[0]) == (0, 0, 0, 1)
    assert "password authentication failed" in wrong[2]
    dump = subprocess.run(
        [programs() / "pg_dump", postgres.shown("secrets")],
        env={**os.environ, "PGPASSWORD": "Tr0ub4dor-and-3"},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert "toolkit_runs" in dump
    for text in (output, talk, *listed[1:], *shown[1:], *wrong[1:], dump):
        assert "Tr0ub4dor" not in text


_ITEMS, _KILLS = 600, 100
SLOW = """
import time
from toolkit import tool

@tool(idempotent=True)
def linger(n: int) -> int:
    \"""Take a moment.\"""
    time.sleep(0.3)
    return n + 1
"""
STEPS = """
name: steps
description: Two steps, one of which takes a moment.
tools: [./slow.py]
inputs: {n: {type: integer}}
steps:
  - {use: linger, with: {n: "${{ inputs.n }}"}}
  - {set: "${{ prev * 2 }}"}
"""


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_hundred_kills_at_any_moment_lose_nothing(place, postgres, tmp_path, figure, kind):
    """Kill workers, the submitter and the server in turn, at moments of chance."""
    chance = random.Random(7)  # noqa: S311 - it chooses moments
    here = place(f"sqlite:///{tmp_path}/runs.db" if kind == "sqlite" else postgres.url("kills"), 0)
    for name, text in {"slow.py": SLOW, "steps.yaml": STEPS}.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(_ITEMS)), "utf-8")
    submit = ("run", "steps.yaml", "--each", "items.jsonl", "--out", "out.jsonl", "--jobs", "1", "--quiet")
    work = ("worker", "--tools", "steps.yaml", "--jobs", "2", "--quiet")
    running = {"submitter": here.start(*submit), "worker": here.start(*work)}
    victims = ["submitter", "worker", *(["server"] if kind == "postgres" else [])]
    kills, complete = dict.fromkeys(victims, 0), 0
    while sum(kills.values()) < _KILLS:
        threading.Event().wait(chance.uniform(0.1, 1.5))
        if running["submitter"].poll() is not None:
            complete += has_all(here)
            running["submitter"] = here.start(*(submit if is_complete(here) else next_words(here, submit)))
            continue
        victim = chance.choice(victims)
        kills[victim] += 1
        if victim == "server":
            postgres.kill()
            postgres.start()
            continue
        running[victim].kill()
        running[victim].communicate()
        running[victim] = here.start(*(work if victim == "worker" else next_words(here, submit)))
    running["submitter"].communicate(timeout=500)
    while not is_complete(here):
        here.start(*next_words(here, submit)).communicate(timeout=500)
    complete += has_all(here)
    assert complete
    shown = ", ".join(f"{count} of the {victim}" for victim, count in kills.items())
    figure(f"{kind}: {_KILLS} kills ({shown}), {complete} batches of {_ITEMS} items, each item once in its place")


def has_all(here):
    """Check the results of a batch that is complete, and return whether it is."""
    if not is_complete(here):
        return False
    expected = [{"item": n + 1, "output": (n + 1) * 2} for n in range(_ITEMS)]
    assert [json.loads(line) for line in (here.folder / "out.jsonl").read_text("utf-8").splitlines()] == expected
    return True


def is_complete(here):
    found = newest(here)
    return found is not None and found["state"] == "completed"


def next_words(here, submit):
    """Return how the run goes on: it is resumed, or begins where it was killed before its first record."""
    found = newest(here)
    return submit if found is None else ("runs", "resume", found["id"])


def newest(here):
    """Return the newest run; `None` where there is none."""
    _, listed, _ = here.run("runs", "list", "--format", "json")
    return next(iter(json.loads(listed)), None) if listed else None
