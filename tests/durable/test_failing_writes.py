"""Whichever write of a store fails, the run stops, no item is marked as failed, and it goes on to its end."""

import json
import sqlite3

import pytest

from toolkit.durable import ItemEnd, Store, StoredItem, StoreUrl, Worker
from toolkit.runs import JournalError

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

from sqlalchemy import event
from sqlalchemy.exc import OperationalError

ITEMS = [StoredItem("run", number, {"n": number}, "") for number in range(1, 6)]


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


def run(url, room):
    """Do the items, and return what came of them, or why the run has stopped."""
    with Store(url) as store:
        disk = Disk(store.engine, room)
        try:
            if not store.runs():
                store.begin("run", "t", "t", request={}, definition={}, version="v")
            store.open_queue("t")
            store.submit("t", ITEMS)
            found = {}
            with Worker(store, {"v": "t"}, do, jobs=2) as worker:
                while len(found) < len(ITEMS):
                    worker.wait(0.02)
                    found = store.ends_of("run", {item.number: 1 for item in ITEMS})
        except JournalError as error:
            return str(error), disk.writes
        return found, disk.writes


@pytest.mark.parametrize("room", [1, 5, 20, pytest.param(None, marks=pytest.mark.proof)])
def test_a_full_disk_stops_the_run_with_one_line_and_fails_no_item(tmp_path, room, figure):
    done = {item.number: ItemEnd("ok", f'{{"output": "{item.number + 1}"}}') for item in ITEMS}
    stopped = 0
    for write in range(1, 201, 10) if room is None else [room]:
        url = StoreUrl.parse(f"sqlite:///{tmp_path}/{write}.db")
        found, _ = run(url, write)
        if found != done:
            stopped += 1
            assert "database or disk is full" in found
            assert "\n" not in found
        assert run(url, None)[0] == done
    if room is None:
        figure(f"the n-th write failed for n = 1, 11, … 191: {stopped} runs stopped, every one went on to 100 %")
    else:
        assert stopped == 1
