"""Whether a tool is the one that `toolkit.lock` pins: consent to what it was is not consent to what it is."""

import json

import pytest

from toolkit import ToolSpec, from_function
from toolkit.approvals import Risk
from toolkit.pins import entries_of, written_lock
from toolkit.sources.project_policies import LockedTools  # private


def wipe(path: str) -> str:
    """Wipe a path."""
    return path


def wipe_in_other_words(path: str) -> str:
    """Wipe every path."""
    return path


def wipe_with_more(path: str, force: bool = False) -> str:
    """Wipe a path."""
    return path


def wipe_something_else(path: int) -> str:
    """Wipe a path."""
    return str(path)


def tool(function=wipe, *, name="wipe", **marks):
    return from_function(function, name=name, **{"destructive": True, **marks})


def lock(folder, *tools):
    (folder / "toolkit.lock").write_text(written_lock(entries_of(one.spec for one in tools)), "utf-8")


@pytest.mark.parametrize(
    ("now", "has_changed"),
    [
        (tool(), False),
        (tool(wipe_in_other_words), True),
        (tool(wipe_something_else), True),
        (tool(wipe_with_more), False),
        (tool(destructive=None), True),
        (tool(destructive=False, read_only=True), True),
        (tool(open_world=True), True),
        (tool(requires_approval=True), True),
        (tool(idempotent=True), False),
        (tool(wipe_in_other_words, name="other"), False),
    ],
    ids=[
        "same",
        "description",
        "type",
        "optional parameter",
        "a mark less",
        "other marks",
        "open world",
        "requires approval",
        "mark that no rule is about",
        "not pinned",
    ],
)
def test_a_tool_has_changed_where_its_caller_agreed_to_something_else(tmp_path, now, has_changed):
    lock(tmp_path, tool())
    risk = now.described.risk
    locked = LockedTools(tmp_path)
    assert locked.compared(risk).has_changed is has_changed
    assert locked.compared(risk).has_changed is has_changed
    assert locked.compared(risk).tool == risk.tool


def test_two_definitions_of_one_tool_are_compared_each_for_itself(tmp_path):
    lock(tmp_path, tool())
    locked = LockedTools(tmp_path)
    found = [locked.compared(one.described.risk).has_changed for one in (tool(), tool(wipe_in_other_words), tool())]
    assert found == [False, True, False]


def test_without_a_lockfile_nothing_has_changed(tmp_path):
    assert not LockedTools(tmp_path).compared(tool().described.risk).has_changed


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"toolkit-lock": 99, "tools": {}}',
        '{"toolkit-lock": 1, "tools": {"wipe": 3}}',
        '{"toolkit-lock": 1, "tools": {"wipe": {"hints": []}}}',
    ],
)
def test_of_a_lockfile_that_cannot_be_read_nobody_knows_what_was_agreed_to(tmp_path, text):
    (tmp_path / "toolkit.lock").write_text(text, "utf-8")
    assert LockedTools(tmp_path).compared(tool().described.risk).has_changed


def test_a_definition_without_a_description_is_that_of_a_tool_without_one(tmp_path):
    bare = ToolSpec("wipe", "", destructive=True)
    (tmp_path / "toolkit.lock").write_text(written_lock(entries_of([bare])), "utf-8")
    risk = Risk("wipe", destructive=True, definition={"parameters": bare.parameters})
    assert not LockedTools(tmp_path).compared(risk).has_changed


def test_what_has_no_definition_cannot_have_changed(tmp_path):
    (tmp_path / "toolkit.lock").write_text("{", "utf-8")
    assert not LockedTools(tmp_path).compared(Risk("wipe")).has_changed


@pytest.mark.parametrize("missing", ["description", "hints", "parameters"])
def test_an_entry_that_somebody_has_shortened_pins_that_there_is_nothing(tmp_path, missing):
    lock(tmp_path, tool())
    content = json.loads((tmp_path / "toolkit.lock").read_text("utf-8"))
    del content["tools"]["wipe"][missing]
    (tmp_path / "toolkit.lock").write_text(json.dumps(content), "utf-8")
    assert LockedTools(tmp_path).compared(tool().described.risk).has_changed
