"""The lockfile: what it pins, as text for a review, and back."""

from toolkit import ToolSpec
from toolkit.pins import entries_of, entry_of, read_lock, written_lock


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


def test_what_is_no_lockfile_is_told(tmp_path):
    file = tmp_path / "toolkit.lock"
    missing = read_lock(file)
    assert (missing.code, missing.message) == ("TK001", "there is no 'toolkit.lock'")
    for text in ("", "{", "[]", '{"tools": {}}', '{"toolkit-lock": 9, "tools": {}}', '{"toolkit-lock": 1}'):
        file.write_text(text, "utf-8")
        assert read_lock(file).code == "TK514"
