"""`toolkit test --update` rewrites the expected output of a snapshot, and nothing else."""

import pytest

from tests.testing.case_projects import write_shop
from toolkit.cases import read_cases
from toolkit.cases.snapshots import updated  # private
from toolkit.documents import parse_document, plain
from toolkit.documents.dumping import with_value  # private

BEFORE = """\
# What the shop promises.
cases:
  - name: the price   # in cents, too
    run: shop.py:price
    with: {order: A-17}
    snapshot: true
    expect:
      # The output:
      output:   # of yesterday
        euros: 79
      code_is_not: expected
  - {name: a shout, run: shop.py:shout, with: two lines, snapshot: true, expect: {output: one}}
  # A new one.
  - name: another
    run: shop.py:shout
    with: hé
    snapshot: true   # no output yet

  - name: not a snapshot
    run: shop.py:shout
    with: hello
    expect: {output: hello}
""".replace("      code_is_not: expected\n", "      matches: '8'   # still\n")
AFTER = """\
# What the shop promises.
cases:
  - name: the price   # in cents, too
    run: shop.py:price
    with: {order: A-17}
    snapshot: true
    expect:
      # The output:
      output:   # of yesterday
        euros: 80
        cents: 50
      matches: '8'   # still
  - {name: a shout, run: shop.py:shout, with: two lines, snapshot: true, expect: {output: TWO LINES}}
  # A new one.
  - name: another
    run: shop.py:shout
    with: hé
    snapshot: true   # no output yet
    expect: {output: "H\\xC9"}

  - name: not a snapshot
    run: shop.py:shout
    with: hello
    expect: {output: hello}
"""
DIFFERENCE = """\
     expect:
       # The output:
       output:   # of yesterday
-        euros: 79
+        euros: 80
+        cents: 50
       matches: '8'   # still
"""


def test_only_the_outputs_of_snapshots_are_rewritten_and_the_difference_is_shown(program, project):
    write_shop(project)
    file = project / "shop.cases.yaml"
    file.write_text(BEFORE, "utf-8")
    before = program("test", "shop.cases.yaml")
    assert (before.returncode, before.stdout.splitlines()[-1]) == (1, "4 failed, 0 passed (4 cases in 1 file)")
    assert "the output has no snapshot yet" in before.stdout
    done = program("test", "shop.cases.yaml", "--update")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "1 failed, 3 passed (4 cases in 1 file)")
    assert file.read_text("utf-8") == AFTER
    assert DIFFERENCE in done.stderr
    again = program("test", "shop.cases.yaml", "--update")
    assert (again.stdout.splitlines()[-1], again.stderr) == ("1 failed, 3 passed (4 cases in 1 file)", "")
    assert file.read_text("utf-8") == AFTER


def test_a_snapshot_that_also_fails_otherwise_is_not_rewritten(program, project):
    write_shop(project)
    text = "cases: [{name: a, run: shop.py:shout, with: a, snapshot: true, expect: {output: b, matches: c}}]\n"
    (project / "shop.cases.yaml").write_text(text, "utf-8")
    assert program("test", "shop.cases.yaml", "--update").returncode == 1
    assert (project / "shop.cases.yaml").read_text("utf-8") == text


def test_an_output_that_an_alias_shares_is_not_rewritten(program, project):
    write_shop(project)
    text = (
        "cases:\n- {name: a, run: shop.py:shout, with: a, snapshot: true, expect: {output: &same b}}\n"
        "- {name: b, run: shop.py:shout, with: b, snapshot: true, expect: {output: *same }}\n"
    )
    (project / "shop.cases.yaml").write_text(text, "utf-8")
    done = program("test", "shop.cases.yaml", "--update")
    assert (done.returncode, done.stderr) == (
        2,
        "error: 'shop.cases.yaml': the output of 'a' cannot be rewritten alone; write it by hand\n",
    )
    assert (project / "shop.cases.yaml").read_text("utf-8") == text


LAYOUTS = [
    "a: {b: {c: 1}}  # tail\nd: 2\n",
    "# head\na:\n  b:\n    c: 1   # one\n    # after\n  e: 5\nd: 2\n",
    "a:\n  b:\n    c:\n      - 1\n      - {x: 2}\n\n    # after\n\nd: 2\n",
    "a:\n  b:\n    c: |\n      one\n      two\n\n  # after\nd: 2\n",
    "a:\n  b:\n    c: >-\n      one\n      two\nd: 2\n",
    "a:\n  b:\n    c:\n      x: {y: [1]}\n      z: 'q'\nd: 2",
    "a:\n  b:\n    c:\nd: 2\n",
    "a:\n  b: {}\nd: 2\n",
    "a:\n  b:\n    e: 1\nd: 2\n",
    "a:\r\n  b:\r\n    c: 1\r\nd: 2\r\n",
    '{"a": {"b": {"c": [1, 2]}}, "d": 2}\n',
    "d: 2\n",
    "d: 2\na:\n  b:\n    c: [1,\n        2]",
]
VALUES = [
    None, True, 3, 2.5, "", "x", "on", "12", "é ✓", "one\ntwo\n", "one\ntwo", " lead\nx", "trail \nx", "a: b # c", "\u0000\u2028",
    [], {}, [1, [2, {"a": None}]], {"k": "v", "l": [{"m": "one\ntwo\n"}]}, {"*": "&x", "- ": "|"},
]  # fmt: skip


def test_only_the_value_at_the_path_changes_and_every_comment_stays():
    for text in LAYOUTS:
        for value in VALUES:
            check_that_only_the_value_changes(text, value)


def data_of(text):
    root, _ = parse_document(text, "")
    assert root is not None
    return plain(root)


def check_that_only_the_value_changes(text, value):
    after = with_value(text, ("a", "b", "c"), value)
    assert not parse_document(after, "")[1], (text, value)
    before = data_of(text)
    outer = before.setdefault("a", {})
    outer["b"] = {**(outer.get("b") or {}), "c": value}
    assert data_of(after) == before
    for comment in ("# head", "# after", "# tail", "# one"):
        assert after.count(comment) == text.count(comment)
    assert after.count("\r\n") >= text.count("\r\n")


def test_a_value_has_no_place_inside_of_something_that_is_not_a_mapping():
    for text in ("a: 1\n", "a: [1]\n", "- a\n", "a: {b: [}\n"):
        with pytest.raises(ValueError, match=r"nothing at|not YAML"):
            with_value(text, ("a", "b", "c"), 1)


def test_snapshots_of_one_file_are_rewritten_together(tmp_path):
    write_shop(tmp_path)
    path = tmp_path / "a.cases.yaml"
    path.write_text(
        "cases:\n- {name: a, run: shop.py, snapshot: true}\n- name: b\n  run: shop.py\n  snapshot: true\n", "utf-8"
    )
    file, problems = read_cases(path)
    assert (file is not None, problems) == (True, [])
    assert updated(path.read_text("utf-8"), [(file.cases[0], [1]), (file.cases[1], {"x": 2})]) == (
        "cases:\n- {name: a, run: shop.py, snapshot: true, expect: {output: [1]}}\n"
        "- name: b\n  run: shop.py\n  snapshot: true\n  expect: {output: {x: 2}}\n"
    )
