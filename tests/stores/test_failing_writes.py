"""Whichever write of a store fails, the run stops, no item is marked as failed, and it goes on to its end."""

import json
import shutil
import sqlite3

import pytest

from toolkit.runs import JournalError
from toolkit.stores import ItemEnd, Store, StoredItem, StoreUrl, Worker

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

from sqlalchemy import event
from sqlalchemy.exc import OperationalError

FEW = 5
"""How many items have the first twenty writes; each five more have thirty more at least."""
WRITES = 200


def items_of(count):
    return [StoredItem("run", number, {"n": number}, "") for number in range(1, count + 1)]


class Disk:
    """A disk that is full from the n-th write on."""

    def __init__(self, engine, room):
        self.writes, self._room = 0, room
        event.listen(engine, "before_cursor_execute", self._look)

    def _look(self, connection, cursor, statement, parameters, context, executemany):
        if statement.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")):
            self.writes += 1
            if self._room is not None and self.writes >= self._room:
                raise OperationalError("", {}, sqlite3.OperationalError("database or disk is full"))


def do(item, version, journal):
    path = f"{item.number}/step"
    kept = journal.recall(path)
    if kept is None:
        journal.begin(path, "t", "", "", may_repeat=True)
        journal.end(path, "ok", json.dumps(item.arguments["n"] + 1), is_whole=True)
    return ItemEnd("ok", json.dumps({"output": str(item.arguments["n"] + 1)}))


def run(url, items, room):
    """Do the items, and return what came of them, or why the run has stopped."""
    with Store(url) as store:
        disk = Disk(store.database.engine, room)
        try:
            if not store.find(""):
                store.runs.begin("run", "t", "t", request={}, definition={}, version="v")
            store.items.open("t")
            store.items.submit("t", items)
            found = {}
            with Worker(store, {"v": "t"}, do, jobs=2) as worker:
                while len(found) < len(items):
                    worker.wait(0.02)
                    found = store.items.ends_of("run", {item.number: 1 for item in items})
        except JournalError as error:
            return str(error), disk.writes
        return found, disk.writes


@pytest.fixture
def new_store(tmp_path):
    """Makes stores in which nothing has been done yet: the first with all that an engine makes, the others like it."""
    first = tmp_path / "first.db"
    with Store(StoreUrl.parse(f"sqlite:///{first}")):
        pass

    def make(name):
        shutil.copy(first, tmp_path / f"{name}.db")
        return StoreUrl.parse(f"sqlite:///{tmp_path}/{name}.db")

    return make


def assert_goes_on_after(url, items, write):
    """Let a write fail: the run stops for it, and goes on to its end."""
    reason, _ = run(url, items, write)
    assert "database or disk is full" in reason
    assert "\n" not in reason
    found, _ = run(url, items, None)
    assert found == {item.number: ItemEnd("ok", f'{{"output": "{item.number + 1}"}}') for item in items}


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("write", [1, 5, 20])
def test_a_full_disk_stops_the_run_with_one_line_and_fails_no_item(new_store, write):
    assert_goes_on_after(new_store("one"), items_of(FEW), write)


@pytest.mark.proof
def test_whichever_of_every_twentieth_write_fails_the_run_goes_on(new_store, figure):
    for write in range(1, WRITES + 1, 20):
        assert_goes_on_after(new_store(write), items_of(FEW + write // 5), write)
    figure(f"the n-th write of a store failed, n = 1, 21, … {write}: every run stopped, and went on to 100 %")


@pytest.mark.proof
@pytest.mark.parametrize("first", range(1, WRITES, 50))
def test_whichever_of_two_hundred_writes_fails_the_run_goes_on(new_store, first, figure):
    for write in range(first, first + 50):
        assert_goes_on_after(new_store(write), items_of(FEW + write // 5), write)
    figure(f"the n-th write of a store failed, n = {first} to {write}: every run stopped, and went on to 100 %")
