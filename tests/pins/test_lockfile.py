"""The lockfile: what it pins, as text for a review, and back."""

import json

import pytest

from toolkit import ToolSpec
from toolkit.pins import entries_of, entry_of, read_lock, written_lock
from toolkit.problems import Location, Problem


def test_lockfile_is_sorted_and_read_back(tmp_path):
    specs = [
        ToolSpec("b", "Do b.", read_only=True, examples=({"x": 1},)),
        ToolSpec("a", "", output_schema={"type": "string"}, requires_approval=True, source="somewhere"),
    ]
    file = tmp_path / "toolkit.lock"
    text = written_lock(entries_of(specs))
    assert text == written_lock(entries_of(reversed(specs)))
    assert text.index('"a": {') < text.index('"b": {')
    file.write_text(text, "utf-8")
    assert read_lock(file) == {
        "a": {
            "hints": {"requires_approval": True},
            "output_schema": {"type": "string"},
            "parameters": {"properties": {}, "type": "object"},
        },
        "b": {
            "description": "Do b.",
            "examples": [{"x": 1}],
            "hints": {"read_only": True},
            "parameters": {"properties": {}, "type": "object"},
        },
    }


def test_place_and_source_of_a_tool_are_not_pinned():
    assert entry_of(ToolSpec("a", "Do a.", source="x")) == entry_of(ToolSpec("a", "Do a.", source="y", category="c"))


UPDATE = "`toolkit lock --update` rewrites it"
REMOVE = "restore it, or delete it and run `toolkit lock --update`"
OTHER_VERSION = "'toolkit.lock' is not a lockfile of this version"


@pytest.mark.parametrize(
    ("content", "message", "place"),
    [
        (b"{", "'toolkit.lock' cannot be read: the JSON is broken: a key in double quotes is expected", (1, 2)),
        (
            b"\xff",
            "'toolkit.lock' cannot be read: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
            (None, None),
        ),
        (b"[]", OTHER_VERSION, (None, None)),
        (b'{"tools": {}}', OTHER_VERSION, (None, None)),
        (b'{"toolkit-lock": 9, "tools": {}}', OTHER_VERSION, (None, None)),
        (b'{"toolkit-lock": 1}', OTHER_VERSION, (None, None)),
        (b'{"toolkit-lock": 1, "tools": []}', OTHER_VERSION, (None, None)),
        (
            b'{"toolkit-lock": 1, "tools": {"a": {}, "b": 3}}',
            "'toolkit.lock' has an invalid entry for the tool 'b'",
            (None, None),
        ),
        (
            b'{"toolkit-lock": 1, "tools": {"a": {"hints": []}}}',
            "'toolkit.lock' has an invalid entry for the tool 'a'",
            (None, None),
        ),
    ],
)
def test_what_is_not_a_lockfile_is_a_problem_with_its_place_and_the_way_to_a_new_one(tmp_path, content, message, place):
    file = tmp_path / "toolkit.lock"
    file.write_bytes(content)
    problem = read_lock(file)
    is_replaced = b"toolkit-lock" in content or not content.strip()  # as `toolkit lock --update` decides it
    assert (problem.code, problem.message, problem.hint) == ("TK514", message, UPDATE if is_replaced else REMOVE)
    assert problem.location is not None
    assert problem.location[:3] == (str(file), *place)


def test_a_lockfile_that_is_not_there_or_is_no_file_or_never_ends_is_a_problem(tmp_path):
    file = tmp_path / "toolkit.lock"
    assert read_lock(file) == Problem("TK001", "there is no 'toolkit.lock'", hint="`toolkit lock --update` writes it")
    file.mkdir()
    assert read_lock(file) == Problem("TK514", "'toolkit.lock' cannot be read: it is a directory", Location(str(file)))
    file.rmdir()
    with file.open("wb") as stream:
        stream.truncate(16 * 1024 * 1024 + 1)
    assert read_lock(file) == Problem(
        "TK514", "'toolkit.lock' cannot be read: it is larger than 16,777,216 bytes", Location(str(file))
    )


def test_every_mark_that_a_tool_has_is_pinned_and_no_other():
    spec = ToolSpec(
        "a", "Do a.", read_only=True, destructive=False, idempotent=True, open_world=False, flow=("reads_private",)
    )
    marks = {
        "read_only": True,
        "destructive": False,
        "idempotent": True,
        "open_world": False,
        "flow": ["reads_private"],
    }
    assert entry_of(spec)["hints"] == marks
    assert "hints" not in entry_of(ToolSpec("a", "Do a."))


def test_no_secret_is_pinned():
    parameters = {
        "type": "object",
        "properties": {"key": {"type": "string", "writeOnly": True, "default": "sesame-open-1"}},
    }
    entry = entry_of(ToolSpec("a", "Do a.", parameters, examples=({"key": "sesame-open-2"},)))
    assert "sesame" not in json.dumps(entry)


def test_no_secret_of_the_environment_is_pinned(monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "sesame-open-3")
    assert "sesame" not in json.dumps(entry_of(ToolSpec("a", "Asks the shop with sesame-open-3.")))


def test_a_lockfile_is_made_to_be_read():
    assert written_lock({"b": {"description": "Do b."}}) == (
        '{\n  "toolkit-lock": 1,\n  "tools": {\n    "b": {\n      "description": "Do b."\n    }\n  }\n}\n'
    )
