"""The tool `code_edit` changes what it is told to, keeps everything else, and does what was shown or nothing."""

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings, strategies as st

from tests.installers import INSTALL
from tests.volumes import examples
from toolkit import Continue, Edit, Reject, ToolContext
from toolkit.approvals import ScriptedReviewer
from toolkit.builtin import CodeEdit
from toolkit.builtin.files.editing import replace_found, replace_lines  # private
from toolkit.events import FileChanged


@pytest.fixture
def base(tmp_path):
    """Return the directory of a tool, with a victim beside it."""
    (tmp_path / "sand").mkdir()
    (tmp_path / "victim.txt").write_text("untouched")
    (tmp_path / "sand" / "a.py").write_text("one\ntwo\nthree\nfour\nfive\n")
    return tmp_path / "sand"


def edit(base, command, content, path="a.py", **more):
    """Return what a model is sent."""
    return CodeEdit(base).run({"path": path, "command": command, "content": content, **more}).text


def lines(base, start, end, content, **more):
    return edit(base, "replace_lines", content, start_line=start, end_line=end, **more)


def found(base, find, content, **more):
    return edit(base, "find_replace", content, find=find, **more)


def test_lines_are_replaced(base):
    assert lines(base, 2, 3, "TWO\nAND\nTHREE") == (
        "Replaced lines 2-3 in a.py\n   1 | one\n   2 | TWO\n   3 | AND\n   4 | THREE\n   5 | four\n   6 | five"
    )
    assert (base / "a.py").read_bytes() == b"one\nTWO\nAND\nTHREE\nfour\nfive\n"


def test_lines_are_deleted(base):
    assert lines(base, 1, 4, "") == "Replaced lines 1-4 in a.py\n   1 | five"
    assert lines(base, 1, 1, "") == "Replaced lines 1-1 in a.py"
    assert (base / "a.py").read_bytes() == b""


@pytest.mark.parametrize(
    ("before", "start", "end", "content", "after"),
    [
        (b"a\r\nb\r\nc\r\n", 2, 2, "x\ny", b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", 3, 3, "x\r\ny\r\n", b"a\r\nb\r\nx\r\ny\r\n"),
        (b"a\nb", 2, 2, "x\ny\n", b"a\nx\ny"),
        (b"a\nb", 1, 1, "x", b"x\nb"),
        (b"a\r\nb", 2, 2, "x\ny", b"a\r\nx\r\ny"),
        (b"a\nb", 2, 2, "", b"a"),
        (b"a\nb\n", 2, 2, "x\n\n", b"a\nx\n\n"),
        (b"a", 1, 1, "x\n", b"x"),
        (b"a\nb\r\nc\n", 2, 2, "x\ny", b"a\nx\r\ny\r\nc\n"),
        (b"\xef\xbb\xbfa\nb\n", 1, 1, "x", b"\xef\xbb\xbfx\nb\n"),
        (b"a\rb\nc\n", 1, 1, "x", b"x\nc\n"),
        ("Å\n日\n".encode(), 2, 2, "本", "Å\n本\n".encode()),
    ],
)
def test_line_endings_the_last_one_and_the_mark_stay(base, before, start, end, content, after):
    (base / "a.py").write_bytes(before)
    assert lines(base, start, end, content).startswith("Replaced")
    assert (base / "a.py").read_bytes() == after


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (0, 1, "start_line must be at least 1 and end_line at least start_line, not 0 and 1"),
        (3, 2, "start_line must be at least 1 and end_line at least start_line, not 3 and 2"),
        (5, 6, "end_line 6 is past the end: there are 5 lines"),
    ],
)
def test_lines_that_are_not_there_are_refused(base, start, end, message):
    assert lines(base, start, end, "x") == f"Error: Failed to edit a.py: {message}"


def test_text_is_replaced_where_it_occurs(base):
    assert found(base, "two\nthree", "2\n3") == (
        "Replaced 1 occurrence in a.py\n   1 | one\n   2 | 2\n   3 | 3\n   4 | four\n   5 | five"
    )
    assert (base / "a.py").read_text() == "one\n2\n3\nfour\nfive\n"


def test_text_that_occurs_more_than_once_is_refused_unless_said(base):
    (base / "a.py").write_text("x = 1\ny = 1\n")
    assert found(base, "1", "2") == (
        "Error: Failed to edit a.py: it occurs 2 times, on lines 1, 2: find more of the text, or set occurrence to"
        " 'first' or 'all'"
    )
    assert found(base, "1", "2", occurrence="first").startswith("Replaced 1 occurrence in a.py\n   1 | x = 2")
    assert found(base, "=", ":=", occurrence="all").startswith("Replaced 2 occurrences in a.py\n")
    assert (base / "a.py").read_text() == "x := 2\ny := 1\n"


@pytest.mark.parametrize(
    ("before", "find", "content", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n"),
        (b"a\r\nb\nc\n", "b\n", "x\ny\n", b"a\r\nx\ny\nc\n"),
        (b"a\r\nb", "b", "x\ny", b"a\r\nx\r\ny"),
        (b"a.b", ".", "\\1$&", b"a\\1$&b"),
        (b"\xef\xbb\xbfa", "a", "b", b"\xef\xbb\xbfb"),
        (b"abc", "b", "", b"ac"),
    ],
)
def test_found_text_keeps_endings_and_is_taken_literally(base, before, find, content, after):
    (base / "a.py").write_bytes(before)
    assert found(base, find, content).startswith("Replaced 1 occurrence")
    assert (base / "a.py").read_bytes() == after


def test_expressions_find_too(base):
    assert found(base, r"t\w+$", r"\0", regex=True, occurrence="all").startswith("Replaced 2 occurrences")
    assert (base / "a.py").read_text() == "one\n\\0\n\\0\nfour\nfive\n"
    (base / "a.py").write_bytes(b"one\r\ntwo\r\n")
    assert found(base, "^t.*$", "2\n3", regex=True).startswith("Replaced 1 occurrence")
    assert (base / "a.py").read_bytes() == b"one\r\n2\r\n3\r\n"


@pytest.mark.parametrize(
    ("find", "message"),
    [
        ("six", "the regular expression does not match"),
        ("(", "invalid regular expression: unclosed group: '(' at character 1; write \\( to match it literally"),
        ("x*", "the regular expression matches an empty string; make it match some text"),
    ],
)
def test_an_expression_that_will_not_do_is_refused(base, find, message):
    assert found(base, find, "x", regex=True) == f"Error: Failed to edit a.py: {message}"


def test_expressions_need_the_extra(base, monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    assert found(base, "two", "2", regex=True) == (
        f"Error: Failed to edit a.py: regular expressions need 'toolkit-cli[tools-regex]', "
        f"which is not installed: {INSTALL} 'toolkit-cli[tools-regex]'"
    )
    assert found(base, "two", "2").startswith("Replaced 1 occurrence")


@pytest.mark.parametrize("find", ["[ab]*a[ab]{999}c", "(a|b)*a(a|b){300}c"])
def test_an_expression_that_would_take_too_long_changes_nothing(base, find):
    (base / "a.py").write_text("ab" * 100_000)
    assert found(base, find, "x", regex=True) == (
        "Error: Failed to edit a.py: the search for the expression took too long: find the text itself, without regex"
    )
    assert (base / "a.py").read_text() == "ab" * 100_000


def test_an_expression_never_cuts_a_word_in_two(base):
    (base / "a.py").write_text("straße = 1\nway = 2\n")
    assert found(base, r"^\w+", "x", regex=True, occurrence="first") == (
        "Error: Failed to edit a.py: invalid regular expression: '\\w' matches only ASCII characters, but there is 'ß' "
        r"in or next to a match: write classes such as [\p{L}\p{N}_] instead"
    )
    assert found(base, r"^[\p{L}]+", "x", regex=True, occurrence="first").startswith("Replaced 1 occurrence")
    assert (base / "a.py").read_text() == "x = 1\nway = 2\n"


def test_an_expression_on_mixed_endings_is_refused(base):
    (base / "a.py").write_bytes(b"a\r\nb\n")
    assert "mixed line endings" in found(base, "b", "x", regex=True)


def test_a_file_is_written_whole(base):
    assert edit(base, "write", "new\n") == "Wrote a.py: 1 line"
    assert edit(base, "write", "1\n2", path="deep/b.py") == "Wrote deep/b.py: 2 lines"
    assert (base / "deep" / "b.py").read_bytes() == b"1\n2"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": " ", "command": "write", "content": ""}, "Path must not be blank"),
        ({"path": "a.py", "command": "replace_lines", "content": ""}, "replace_lines needs start_line and end_line"),
        ({"path": "a.py", "command": "find_replace", "content": ""}, "find_replace needs find"),
        ({"path": "a.py", "command": "find_replace", "content": "", "find": ""}, "find must not be empty"),
        ({"path": "a.py", "command": "find_replace", "content": "", "find": "six"}, "does not occur"),
        ({"path": "no.py", "command": "find_replace", "content": "", "find": "x"}, "File not found: no.py"),
        ({"path": "../victim.txt", "command": "write", "content": ""}, "Access denied: path is outside"),
        ({"path": "a.py", "command": "delete", "content": ""}, "Invalid parameter 'command'"),
        ({"path": "a.py", "command": "write", "content": "\ud800"}, "lone surrogate at 0"),
        ({"path": ".", "command": "write", "content": ""}, "Not a regular file: ."),
    ],
)
def test_what_cannot_be_done_is_said_before_anybody_is_asked(base, arguments, message):
    reviewer = ScriptedReviewer([Continue()])
    result = CodeEdit(base, requires_approval=True).run(arguments, ToolContext(reviewer=reviewer))
    assert message in result.text
    assert (result.succeeded, reviewer.requests) == (False, [])
    assert (base / "a.py").read_text() == "one\ntwo\nthree\nfour\nfive\n"


def test_what_is_no_text_is_refused(base):
    (base / "a.py").write_bytes(b"a\xff")
    assert found(base, "a", "b") == "Error: Failed to read file: a.py is not UTF-8 text (byte 0xff at 1)"


def test_size_is_bounded_before_and_after(base):
    tool = CodeEdit(base, max_bytes=24)
    arguments = {"path": "a.py", "command": "find_replace", "find": "one", "content": "ones"}
    assert tool.run(arguments).text == "Error: Content too large: 25 bytes, at most 24"
    (base / "a.py").write_text("x" * 25)
    assert tool.run(arguments).text == "Error: File too large: 25 bytes, at most 24"


def test_nothing_is_written_where_nothing_changes(base):
    before = (base / "a.py").stat()
    assert found(base, "one", "one") == "a.py is unchanged: the new text is the same as the old text"
    after = (base / "a.py").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


def test_permissions_stay(base):
    (base / "a.py").chmod(0o750)
    found(base, "one", "1")
    assert stat.S_IMODE((base / "a.py").stat().st_mode) == 0o750
    assert os.listdir(base) == ["a.py"]  # noqa: PTH208 - in one line


# Approval


def asked(base, arguments, *decisions, tool=None):
    reviewer = ScriptedReviewer(list(decisions))
    tool = tool or CodeEdit(base, requires_approval=True)
    return tool.run(arguments, ToolContext(reviewer=reviewer)), reviewer.requests


CALL = {"path": "a.py", "command": "find_replace", "find": "two", "content": "2"}


def test_the_reviewer_sees_the_difference(base):
    result, (request,) = asked(base, CALL, Continue())
    assert result.succeeded
    assert request.preview == "--- a.py\n+++ a.py\n@@ -1,5 +1,5 @@\n one\n-two\n+2\n three\n four\n five"


def test_the_edit_of_the_reviewer_is_what_runs(base):
    result, _ = asked(base, CALL, Edit({**CALL, "content": "zwei"}))
    assert result.succeeded
    assert (base / "a.py").read_text() == "one\nzwei\nthree\nfour\nfive\n"


def test_an_edit_that_cannot_be_made_changes_nothing(base):
    result, _ = asked(base, CALL, Edit({**CALL, "find": "six"}))
    assert not result.succeeded
    result, _ = asked(base, CALL, Reject("no"))
    assert result.error == "Rejected by reviewer: no"
    assert (base / "a.py").read_text() == "one\ntwo\nthree\nfour\nfive\n"


def test_a_file_that_changes_while_the_reviewer_thinks_is_left_alone(base):
    class Slow(ScriptedReviewer):
        async def review(self, request):
            (base / "a.py").write_text("zero\none\ntwo\nthree\n")
            return await super().review(request)

    arguments = {"path": "a.py", "command": "replace_lines", "start_line": 2, "end_line": 2, "content": "2"}
    result = CodeEdit(base).run(arguments, ToolContext(reviewer=Slow([Continue()])))
    assert (result.error, result.error_code) == (
        "a.py has changed since the edit was shown; read it again",
        "conflict",
    )
    assert (base / "a.py").read_text() == "zero\none\ntwo\nthree\n"


def test_a_destructive_tool_is_asked_about_where_there_is_a_reviewer(base):
    _, requests = asked(base, CALL, Continue(), tool=CodeEdit(base))
    assert len(requests) == 1


def test_changes_are_announced(base):
    events = []
    context = ToolContext(listener=events.append)
    tool = CodeEdit(base)
    tool.run(CALL, context)
    tool.run({"path": "b.py", "command": "write", "content": "1\n2\n"}, context)
    tool.run({"path": "b.py", "command": "write", "content": "1\n2\n"}, context)
    assert [event for event in events if isinstance(event, FileChanged)] == [
        FileChanged("code_edit", "a.py", "modified", 1, 1),
        FileChanged("code_edit", "b.py", "created", 2, 0),
    ]


# What it must withstand


def test_links_that_lead_out_are_refused_in_every_mode(base, tmp_path):
    (base / "link").symlink_to("../victim.txt")
    (base / "out").symlink_to("..")
    for path in ("link", "out/victim.txt"):
        for arguments in ({"command": "write"}, {"command": "find_replace", "find": "untouched"}):
            text = CodeEdit(base).run({"path": path, "content": "x", **arguments}).text
            assert text.startswith("Error: Access denied: ")
    assert (tmp_path / "victim.txt").read_text() == "untouched"


def test_a_file_swapped_for_a_link_changes_nothing_outside(base, tmp_path, swapping_file, tries):
    (base / "prize.txt").write_text("harmless")
    tool = CodeEdit(base)
    with swapping_file(base / "prize.txt", tmp_path / "victim.txt"):
        for number in range(tries(1_500)):
            tool.run({"path": "prize.txt", "command": "write", "content": f"harmless {number}"})
            tool.run({"path": "prize.txt", "command": "find_replace", "find": "untouched", "content": "touched"})
    print(f"\ncode_edit: {(tmp_path / 'victim.txt').read_text()} in {tries(3_000)} tries")  # noqa: T201
    assert (tmp_path / "victim.txt").read_text() == "untouched"


def test_edits_at_once_lose_nothing(base):
    (base / "a.py").write_text("".join(f"<{number}>\n" for number in range(40)))
    tool = CodeEdit(base)

    def change(number):
        arguments = {"path": "a.py", "command": "find_replace", "find": f"<{number}>", "content": f"[{number}]"}
        return tool.run(arguments).succeeded

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(change, range(40)))
    assert (base / "a.py").read_text() == "".join(f"[{number}]\n" for number in range(40))


texts = st.lists(st.sampled_from(["a", "b", " ", "\n", "\r\n", "å"]), max_size=12).map("".join)


@settings(max_examples=examples(500), deadline=None)
@given(texts, st.data(), texts)
def test_other_lines_stay_as_they_are(text, data, content):
    count = text.count("\n") + (not text.endswith("\n") and bool(text))
    if not count:
        return
    start = data.draw(st.integers(1, count))
    end = data.draw(st.integers(start, count))
    edited = replace_lines(text, start, end, content).text
    kept = text.splitlines(keepends=True)
    before, after = "".join(kept[: start - 1]), "".join(kept[end:])
    assert edited.startswith(before if after or content else before.rstrip("\r\n"))
    assert edited.endswith(after)
    line = content.rstrip("\r\n")
    if line and content == f"{line}\n":
        assert edited.endswith("\n") is text.endswith("\n")


@settings(max_examples=examples(500), deadline=None)
@given(st.text("ab", min_size=1, max_size=30), st.text("ab", min_size=1, max_size=2), st.text("abc", max_size=3))
def test_all_is_what_text_replaces(text, wanted, content):
    if wanted in text:
        assert replace_found(text, wanted, content, "all").text == text.replace(wanted, content)
        assert replace_found(text, wanted, content, "first").text == text.replace(wanted, content, 1)


def test_hints_and_schema(base):
    spec = CodeEdit(base).spec
    assert (spec.read_only, spec.destructive, spec.idempotent, spec.open_world) == (False, True, False, False)
    assert spec.required == ("path", "command", "content")
    assert CodeEdit(base, requires_approval=True).spec.requires_approval
