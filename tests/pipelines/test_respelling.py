"""Mistyped names in a pipeline come with the fix that writes the nearest one."""

from toolkit.lint import check, fix_files
from toolkit.settings import Configuration

MISTYPED = """\
name: sums
descripton: Add one.
steps:
  - calculatr: {input: "1 + ${{ prev }}"}
  - use: "calculater"
    wen: true
    with: {input: "${{ prev }}"}
"""


def test_mistyped_names_are_respelled_only_when_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "sums.yaml"
    file.write_text(MISTYPED)
    found = check(["sums.yaml"], Configuration())
    assert [(one.code, one.fix.message, one.fix.is_safe) for one in found] == [
        ("TK602", "Write 'description'", False),
        ("TK604", "Write 'calculator'", False),
        ("TK604", "Write 'calculator'", False),
        ("TK602", "Write 'when'", False),
    ]
    fix_files(lambda: check(["sums.yaml"], Configuration()), unsafe=False)
    assert file.read_text() == MISTYPED
    fix_files(lambda: check(["sums.yaml"], Configuration()), unsafe=True)
    assert file.read_text() == (
        MISTYPED.replace("descripton", "description")
        .replace("calculatr", "calculator")
        .replace('"calculater"', "calculator")
        .replace("wen", "when")
    )


def test_name_that_stands_there_already_is_not_written_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sums.yaml").write_text("name: sums\ndescription: Add up.\nnmae: other\nsteps: [calculator]\n")
    [found] = check(["sums.yaml"], Configuration())
    assert (found.code, found.hint, found.fix) == ("TK602", "did you mean 'name'?", None)
