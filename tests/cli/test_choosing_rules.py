"""Which rules are looked for: codes, their beginnings, names, files and comments, from the settings and the options."""

import pytest

DEFINITIONS = """\
[
  {"name": "find order", "description": "Find.", "parameters": {"type": "object", "properties": {"number": {}}}},
  {"name": "pay", "description": "", "parameters": {"type": "object", "properties": {}, "required": ["bill"]}}
]
"""


@pytest.fixture
def found(invoke, project):
    """Return the codes that are found in two lists of definitions; none of them needs a process of its own."""
    (project / "tools.json").write_text(DEFINITIONS, "utf-8")
    (project / "old").mkdir()
    (project / "old" / "shop.tools.json").write_text(
        DEFINITIONS.replace("pay", "refund").replace("order", "guest"), "utf-8"
    )

    def run(*options, settings=""):
        (project / "toolkit.toml").write_text(settings, "utf-8")
        result = invoke("lint", "tools.json", "old/shop.tools.json", "--format", "concise", *options)
        assert result.stderr == ""
        lines = [line for line in result.stdout.splitlines() if "[TK" in line]
        return [f"{line.partition('.')[0].partition('/')[0]} {line.partition('[')[2][:5]}" for line in lines]

    return run


EVERYTHING = ["TK101", "TK202", "TK204", "TK301", "TK201", "TK303"]


def both(*codes):
    """What is found in both files; what stops a server, as TK303 does, comes before the rest."""
    found = [f"{where} {code}" for where in ("old", "tools") for code in codes]
    return sorted(found, key=lambda one: not one.endswith("TK303"))


def test_everything_is_looked_for_unless_it_is_said(found):
    assert found() == found("--select", "ALL") == both(*EVERYTHING)


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (["--select", "TK2"], ["TK202", "TK204", "TK201"]),
        (["--select", "TK20", "--ignore", "TK204"], ["TK202", "TK201"]),
        (["--select", "TK2", "--ignore", "TK2"], []),
        (["--ignore", "TK", "--extend-select", "TK303"], ["TK303"]),
        (["--ignore", "TK2", "--select", "TK204"], ["TK204"]),
        (["--select", "required-unknown,TK101"], ["TK101", "TK303"]),
        (["--select", "tk303", "--select", "TK101"], ["TK101", "TK303"]),
        (["--extend-select", "TK303", "--ignore", "ALL"], ["TK303"]),
    ],
)
def test_longer_part_decides_and_of_equals_what_is_ignored(found, options, codes):
    assert found(*options) == both(*codes)


def test_command_line_builds_on_the_settings(found):
    settings = '[lint]\nselect = ["TK2", "TK3"]\nignore = ["TK204"]\n'
    assert found(settings=settings) == both("TK202", "TK301", "TK201", "TK303")
    assert found("--extend-select", "TK101", settings=settings) == both("TK101", "TK202", "TK301", "TK201", "TK303")
    assert found("--ignore", "TK3", settings=settings) == both("TK202", "TK201")
    assert found("--select", "TK204", settings=settings) == both("TK204")


@pytest.fixture
def quote(invoke, project):
    """Return the codes that are found in a tool of which only a rule that is off by default has something to say."""
    (project / "tools.py").write_text(
        "from toolkit import tool\n\n\n@tool\ndef quote(weight: float) -> str:\n"
        '    """Work out the postage for a parcel.\n\n    Args:\n        weight: In kilograms.\n    """\n'
        '    return f"{weight} EUR"\n',
        "utf-8",
    )

    def run(*options, settings=""):
        (project / "toolkit.toml").write_text(settings, "utf-8")
        result = invoke("lint", "tools.py", "--format", "concise", *options)
        assert (result.exit_code, result.stderr) == (0, "")
        return [line.partition("[")[2][:5] for line in result.stdout.splitlines() if "[TK" in line]

    return run


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("options", [[], ["--select", "ALL"], ["--select", "TK2"], ["--extend-select", "TK20"]])
def test_rule_that_is_off_by_default_is_not_looked_for_in_a_crowd(quote, options):
    assert quote(*options) == []


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    "options", [["--select", "tk207"], ["--extend-select", "TK207"], ["--select", "TK2,no-return-description"]]
)
def test_rule_that_is_off_by_default_is_looked_for_where_it_is_named(quote, options):
    assert quote(*options) == ["TK207"]


def test_settings_turn_a_rule_on_and_the_command_line_off_again(quote):
    settings = '[lint]\nextend-select = ["TK207"]\n'
    assert quote(settings=settings) == quote("--ignore", "TK5", settings=settings) == ["TK207"]
    assert quote("--ignore", "TK2", settings=settings) == quote("--select", "TK2", settings=settings) == []
    assert quote(settings='[lint]\nselect = ["no-return-description"]\n') == ["TK207"]


def test_files_have_rules_of_their_own(found):
    settings = '[lint.per-file-ignores]\n"old/*" = ["TK2", "TK301"]\n"tools.json" = ["invalid-tool-name"]\n'
    assert found(settings=settings) == [
        "old TK303",
        "tools TK303",
        "old TK101",
        *(f"tools {code}" for code in EVERYTHING[1:-1]),
    ]


def test_unknown_parts_of_settings_are_told_with_their_places(invoke, project):
    (project / "toolkit.toml").write_text(
        '[lint]\nextend-select = ["TK2", "unused-paramter"]\n\n[lint.per-file-ignores]\n"a.py" = ["XY1"]\n', "utf-8"
    )
    result = invoke("lint", ".")
    assert (result.exit_code, result.stdout) == (2, "")
    assert [line for line in result.stderr.splitlines() if line.startswith(("error", " -->", "hint"))] == [
        "error[TK005]: there is no rule 'unused-paramter'",
        " --> toolkit.toml:2:1",
        "hint: did you mean 'unused-parameter' or 'untyped-parameter' or 'unfit-parameter'?",
        "error[TK005]: there is no rule 'XY1'",
        " --> toolkit.toml:4:2",
        "hint: `toolkit lint --explain ALL` shows all",
    ]


# ---------------------------------------------------------------------------------------------------------- comments

COMMENTED = '''\
from toolkit import tool


@tool
def find(number, shop) -> str:  # we know  # toolkit: ignore[TK301, missing-parameter-description]
    """Find an order of the shop by its number."""
    return f"{number} {shop}"


@tool
def text(first: str) -> str:
    """Short, and with an entry too many.

    Args:
        first: The first.
        second: The second.
    """  # toolkit: ignore[TK205]
    return first


@tool
def show(bill: str) -> str:  # toolkit: ignore[TK3]
    """Show a bill of the shop.

    Args:
        bill: The number of the bill.
    """
    return bill  # toolkit: ignore


SAID = "# toolkit: ignore[TK201]"
'''


def lines_of(result):
    return [line for line in result.stdout.splitlines() if "[TK" in line]


def test_comment_silences_its_line_and_the_text_that_ends_there(invoke, project):
    (project / "tools.py").write_text(COMMENTED, "utf-8")
    result = invoke("lint", "tools.py", "--format", "concise")
    assert [line for line in lines_of(result) if "TK010" not in line] == []
    assert [line.partition("TK010] ")[2] for line in lines_of(result) if "TK010" in line] == [
        "[*] 'TK3' suppresses nothing here",
        "this comment names no rule, so it suppresses nothing",
    ]


def test_comment_for_a_file_silences_all_of_it_and_no_other_file(invoke, project):
    source = "from toolkit import tool\n\n\n@tool\ndef find(number) -> str:\n    return number\n"
    (project / "a.py").write_text(f"# toolkit: ignore-file[TK2, TK301]\n{source}", "utf-8")
    (project / "b.py").write_text(source.replace("find", "show"), "utf-8")
    (project / "c.yaml").write_text("# toolkit: ignore-file[TK201]\nsteps: [calculator]\n", "utf-8")
    (project / "d.yaml").write_text("steps: [calculator] # toolkit: ignore[TK201]\n", "utf-8")
    (project / "e.yaml").write_text("steps: [calculator]\nname: e # toolkit: ignore[TK202]\n", "utf-8")
    result = invoke("lint", ".", "--format", "concise")
    assert [line.partition("]")[0] for line in lines_of(result)] == [
        "b.py:5:5: error[TK201",
        "b.py:5:10: warning[TK204",
        "b.py:5:10: warning[TK301",
        "e.yaml:2:7: error[TK201",
        "e.yaml:2:27: warning[TK010",
    ]


def test_unused_comment_is_none_where_its_rule_is_not_looked_for(invoke, project):
    (project / "tools.py").write_text(COMMENTED, "utf-8")
    found = lines_of(invoke("lint", "tools.py", "--select", "TK010,TK2", "--format", "concise"))
    assert [line.partition("TK010] ")[2] for line in found] == ["this comment names no rule, so it suppresses nothing"]


def test_fix_takes_away_the_comment_that_silences_nothing(invoke, project):
    (project / "tools.py").write_text(COMMENTED, "utf-8")
    invoke("lint", "tools.py", "--fix")
    assert (project / "tools.py").read_text("utf-8") == COMMENTED.replace("  # toolkit: ignore[TK3]", "")


# ----------------------------------------------------------------------------------------------------- nothing is run

HARMFUL = """\
import os
from pathlib import Path

Path("run").write_text("the module was run")
os.system("touch run-by-a-shell")


def mark(function):
    Path("run-by-a-mark").touch()
    return function


from toolkit import tool


@mark
@tool(examples=[Path("run-in-a-mark").touch()])
def find(number=Path("run-in-a-default").touch()) -> str:
    return number
"""


def test_static_runs_nothing_at_all(program, project):
    (project / "tools.py").write_text(HARMFUL, "utf-8")
    (project / "p.yaml").write_text("tools: [tools.py]\nsteps: [find]\n", "utf-8")
    (project / "conftest.py").write_text("open('run-by-a-conftest', 'w')\n", "utf-8")
    (project / "sitecustomize.py").write_text("open('run-by-a-site', 'w')\n", "utf-8")
    before = sorted(path.name for path in project.iterdir())
    result = program("lint", ".", "--static", "--no-cache", "--format", "concise")
    assert (result.returncode, result.stderr) == (1, "")
    assert [line.partition("]")[0] for line in lines_of(result) if "tools.py" in line] == [
        "tools.py:5:1: warning[TK406",
        "tools.py:18:5: error[TK201",
        "tools.py:18:10: warning[TK301",
    ]
    assert sorted(path.name for path in project.iterdir()) == before
    program("lint", ".", "--no-cache")
    assert (project / "run").exists()


# --------------------------------------------------------------------------------------------------- several outputs


def test_every_format_is_written_in_one_go(invoke, project):
    (project / "tools.json").write_text(DEFINITIONS, "utf-8")
    formats = ["text", "concise", "json", "jsonl", "sarif", "github", "junit", "markdown"]
    outputs = [word for name in formats for word in ("--output", f"{name}=out/{name}")]
    together = invoke("lint", "tools.json", *outputs, "--format", "concise")
    assert together.exit_code == 1
    alone = {name: invoke("lint", "tools.json", "--format", name).stdout for name in formats}
    assert {name: (project / "out" / name).read_text("utf-8") for name in formats} == alone
    assert together.stdout == alone["concise"]
