"""Comments silence the findings of a project that is new to lint, and change nothing else."""

import ast
from pathlib import Path

import pytest

from toolkit.lint import check
from toolkit.lint.changes.fixing import write_change  # private
from toolkit.lint.changes.silencing import silence_with_comments  # private
from toolkit.settings import find_configuration

TOOL = '''from toolkit import tool


@tool
def go(what, name="\\u200b"):  # the way to go
    """Go."""
    return what


@tool
def search(query: str, *, tag: str) -> str:
    """Search the archive of the shop for a text, one of a
    few.

    Args:
        query: TODO
        tag: The tag, one of `new` and `old`.
    """
    return query
'''
PIPELINE = """\
name: p
description: TODO say what
inputs:
  unused: text
steps:
  - id: one
    set: |
      text  ${{ nothing }}
      more
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(*files):
    configuration, _ = find_configuration()
    return check(files, configuration)


def silenced(*files):
    """Silence the findings, and return the codes of what is found afterwards, and of what was left."""
    changes, left = silence_with_comments(found(*files))
    for change in changes:
        write_change(change)
    return sorted({problem.code for problem in found(*files)}), sorted({problem.code for problem in left})


def test_findings_in_python_are_silenced_where_they_stand(project):
    Path("tools.py").write_text(TOOL, "utf-8")
    assert len(found("tools.py")) > 5
    assert silenced("tools.py") == ([], [])
    text = Path("tools.py").read_text("utf-8")
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(TOOL))
    assert 'def go(what, name="\\u200b"):  # the way to go  # toolkit: ignore[' in text
    assert '    """  # toolkit: ignore[' in text


def test_comment_that_is_there_takes_further_codes(project):
    Path("tools.py").write_text(TOOL.replace("# the way to go", "# toolkit: ignore[TK301]"), "utf-8")
    assert silenced("tools.py") == ([], [])
    assert "# toolkit: ignore[TK301, TK" in Path("tools.py").read_text("utf-8")


@pytest.mark.proof
def test_line_ends_and_a_mark_at_the_beginning_stay(project):
    text = "\ufeff" + TOOL.replace("\n", "\r\n")
    Path("tools.py").write_bytes(text.encode())
    assert silenced("tools.py") == ([], [])
    after = Path("tools.py").read_bytes().decode()
    assert after.startswith("\ufeff")
    assert after.count("\r\n") == after.count("\n") == text.count("\n")


def test_line_that_cannot_end_with_a_comment_is_left(project):
    text = TOOL.replace('def go(what, name="\\u200b"):  # the way to go', "def \\\n  go(what) -> str:")
    Path("tools.py").write_text(text, "utf-8")
    Path("toolkit.toml").write_text('[lint]\nextend-select = ["TK106"]\n', "utf-8")
    after, left = silenced("tools.py")
    assert after == left
    assert left != []
    assert "def \\\n" in Path("tools.py").read_text("utf-8")


@pytest.mark.proof
def test_text_in_yaml_is_never_changed(project):
    Path("p.yaml").write_text(PIPELINE, "utf-8")
    after, left = silenced("p.yaml")
    text = Path("p.yaml").read_text("utf-8")
    assert after == left == ["TK606"]
    assert "      text  ${{ nothing }}\n      more\n" in text
    assert "  unused: text  # toolkit: ignore[TK602]\n" in text


def test_json_has_no_comments(project):
    Path("tools.json").write_text('[{"name": "a", "description": "Short."}]', "utf-8")
    assert silenced("tools.json")[1] == ["TK202"]
    assert Path("tools.json").read_text("utf-8") == '[{"name": "a", "description": "Short."}]'
