"""The process that opens files may start before it is asked, and never outlives the block that it started in."""

import sys

import pytest

from toolkit.lint.configuration.interpreters import find_interpreter  # private
from toolkit.lint.engine.worker_processes import head_start, start_process  # private


def end(process):
    with process:
        process.kill()


def test_first_worker_takes_the_process_that_started_ahead():
    with head_start() as ahead:
        first, second = start_process("lint.engine.collecting"), start_process("lint.engine.collecting")
    states = [first.poll(), second.poll()]
    end(first)
    end(second)

    assert first is ahead
    assert second is not ahead
    assert states == [None, None]


@pytest.mark.parametrize("other", ["work", "interpreter", "path"])
def test_process_that_started_ahead_is_not_taken_for_anything_else(monkeypatch, other):
    interpreter = find_interpreter(sys.executable) if other == "interpreter" else None
    with head_start() as ahead:
        if other == "path":
            monkeypatch.setattr(sys, "path", [*sys.path, "/elsewhere"])
        taken = start_process("lint.engine.judging" if other == "work" else "lint.engine.collecting", interpreter)
        end(taken)

    assert taken is not ahead


def test_process_that_nobody_takes_ends_with_the_block():
    with head_start() as ahead:
        assert ahead.poll() is None

    assert ahead.poll() is not None


def test_process_that_is_asked_nothing_ends_quietly(capfd):
    with head_start() as ahead:
        start_process("lint.engine.collecting")
        output, _ = ahead.communicate("")

    assert (output, ahead.returncode, capfd.readouterr().err) == ("", 0, "")
