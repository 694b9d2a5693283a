"""What we use of the engine beside its public names is what we take it for, in the versions that are allowed."""

import inspect
import json
import pickle
import sqlite3
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from toolkit.runs import JournalError
from toolkit.stores import ItemEnd, Store, StoredItem, StoreUrl, Worker

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

import sqlalchemy
from dbos._recovery import recover_pending_workflows
from dbos._sys_db import SystemDatabase

from toolkit.stores.databases import is_alive  # private
from toolkit.stores.dbos_parts import JsonSerializer, refuse_pickle  # private
from toolkit.stores.presences import Presence  # private
from toolkit.stores.run_journals import ItemJournal, Lost  # private

OWN = Path(__file__).parents[2] / "pyproject.toml"


class Bomb:
    """Unpickled, it makes a file."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return (Path(self.file).touch, ())


@pytest.fixture
def store(tmp_path):
    with Store(StoreUrl.parse(f"sqlite:///{tmp_path}/runs.db")) as store:
        store.runs.begin("run", "t", "t", request={}, definition={}, version="v")
        store.items.open("t")
        yield store


def do(item, version, journal):
    return ItemEnd("ok", json.dumps({"output": item.arguments["n"]}))


def ends(store, numbers, worker):
    found = {}
    while len(found) < len(numbers):
        worker.wait(0.05)
        found = store.items.ends_of("run", dict.fromkeys(numbers, 1))
    return found


def test_the_installed_engine_is_one_of_those_that_are_allowed():
    extras = tomllib.loads(OWN.read_text("utf-8"))["project"]["optional-dependencies"]
    assert "dbos>=3.4,<3.5" in extras["durable"]
    assert version("dbos").startswith("3.4.")


def test_the_parts_without_a_public_name_take_what_we_give_them():
    assert list(inspect.signature(recover_pending_workflows).parameters) == ["dbos", "executor_ids"]
    assert list(inspect.signature(SystemDatabase.get_queue).parameters) == ["self", "name", "client_system_database"]
    assert list(inspect.signature(SystemDatabase.get_queue_partitions).parameters) == ["self", "queue_name"]
    assert list(inspect.signature(SystemDatabase.update_workflow_outcome).parameters)[:3] == [
        "self",
        "workflow_id",
        "status",
    ]


def test_numbers_and_what_looks_like_tags_come_back_as_they_were():
    data = {"n": 1.10, "lc": 1, "__type__": "x", "py/object": "os.system", "big": 2**70, "text": "\ud800"}
    serializer = JsonSerializer()
    assert serializer.deserialize(serializer.serialize(data)) == data
    assert serializer.serialize(serializer.deserialize('{"n": 1.10}')) == '{"n": 1.10}'


def test_a_row_that_says_it_is_pickled_runs_nothing(store, tmp_path):
    refuse_pickle()
    store.items.submit("t", [StoredItem("run", 1, {"n": 1}, ""), StoredItem("run", 2, {"n": 2}, "")])
    marker = tmp_path / "exploded"
    bomb = __import__("base64").b64encode(pickle.dumps(Bomb(str(marker)))).decode()
    with sqlite3.connect(tmp_path / "runs.db") as database:
        database.execute("UPDATE workflow_input SET inputs = ? WHERE workflow_uuid = 'run/1.1'", (bomb,))
        database.execute("UPDATE workflow_status SET serialization = 'py_pickle' WHERE workflow_uuid = 'run/1.1'")
    with Worker(store, {"v": "t"}, do) as worker:
        found = ends(store, [1, 2], worker)
    assert found[1].status == "ended"
    assert "pickled" in found[1].result
    assert found[2] == ItemEnd("ok", '{"output": 2}')
    assert not marker.exists()


def test_a_step_is_kept_in_one_statement_and_the_engine_keeps_none(store):
    said = []

    def note(connection, cursor, statement, *_):
        if "toolkit_steps" in statement or "operation_outputs" in statement:
            said.append(" ".join(statement.split()[:3]))

    def steps(item, version, journal):
        said.clear()
        journal.end("1/first", "ok", "{}", is_whole=True)
        journal.end("1/second", "ok", "{}", is_whole=True)
        repeatable = tuple(said)
        said.clear()
        journal.begin("1/third", "pay", "", "", may_repeat=False)
        journal.end("1/third", "ok", "{}", is_whole=True)
        return ItemEnd("ok", json.dumps([repeatable, tuple(said)]))

    sqlalchemy.event.listen(store.database.engine, "before_cursor_execute", note)
    store.items.submit("t", [StoredItem("run", 1, {"n": 1}, "")])
    with Worker(store, {"v": "t"}, steps) as worker:
        found = ends(store, [1], worker)
    assert json.loads(found[1].result) == [["INSERT INTO toolkit_steps"] * 2] * 2


def test_a_process_whose_work_others_took_over_records_no_more_steps(store):
    (number,) = (run.number for run in store.all())
    item = StoredItem("run", 1, {"n": 1}, "")
    mine, gone = store.join(), Presence(store.database)
    journal = ItemJournal(store.database, item, run=number, process=gone.number)
    journal.end("1/first", "ok", "{}", is_whole=True)
    store.database.locks.release(gone.number)  # it has lost its connection
    assert mine.lock_if_dead(gone.number)
    for _ in range(2):  # before and after its work is given to others
        with pytest.raises(Lost):
            journal.begin("1/second", "pay", "", "", may_repeat=False)
        with pytest.raises(JournalError, match="took over the work of this one"):
            gone.check()
        mine.forget(gone.number)
    assert [step.path for step in store.steps(*store.all())] == ["1/first"]


def test_a_process_that_has_died_is_told_from_one_that_lives(store):
    presence = store.join()
    with store.database.engine.begin() as connection:
        connection.execute(
            sqlalchemy.text(
                "INSERT INTO toolkit_processes (executor, machine, process, jobs, tools, seen) VALUES ('x', 'm', 1, 1, 'v', 0)"
            )
        )
    assert isinstance(presence, Presence)
    (dead,) = presence.others()
    assert (is_alive(store.database, presence.number), is_alive(store.database, dead.number)) == (True, False)
    assert store.workers_for("v") == []


@pytest.mark.proof
def test_a_worker_reaches_nobody_but_its_store(store, monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError(f"it reaches out: {arguments}")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    store.items.submit("t", [StoredItem("run", 1, {"n": 1}, "")])
    with Worker(store, {"v": "t"}, do) as worker:
        assert ends(store, [1], worker)[1].status == "ok"


def test_what_a_store_cannot_write_stops_the_worker_and_fails_no_item(store, tmp_path):
    store.items.submit("t", [StoredItem("run", number, {"n": number}, "") for number in range(1, 6)])
    with sqlite3.connect(tmp_path / "runs.db") as database:
        database.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON workflow_status WHEN new.status IN ('SUCCESS', 'ERROR') "
            "BEGIN SELECT raise(FAIL, 'database or disk is full'); END"
        )
    worker = Worker(store, {"v": "t"}, do)
    with worker, pytest.raises(JournalError, match="failed, so the worker has stopped: database or disk is full"):
        worker.wait(60)
    with sqlite3.connect(tmp_path / "runs.db") as database:
        states = dict(database.execute("SELECT workflow_uuid, status FROM workflow_status"))
        database.execute("DROP TRIGGER full")
    assert set(states.values()) <= {"ENQUEUED", "PENDING"}
