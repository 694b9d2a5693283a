"""What was found is found again without a look, and never once anything has changed that it rests on."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from toolkit.lint import LintSettings, Selection, check
from toolkit.lint.engine.file_states import FileStates  # private
from toolkit.settings import find_configuration

TOOL = '''
from toolkit import tool
{before}

@tool(read_only=True)
def {name}() -> str:
    """{said}"""
    return "text"
'''
WANTED = Selection(select=("TK010", "TK103", "TK202", "TK301", "TK6"))
GOOD = "Return the text of the shop's front page."

INTERRUPTED = """
import pathlib, signal, sys
from toolkit_cli.main import main
is_c = lambda event, arguments: event == "open" and pathlib.PurePath(str(arguments[0])).name == "c.py"
sys.addaudithook(lambda event, arguments: is_c(event, arguments) and signal.raise_signal(signal.SIGINT))
sys.exit(main())
"""


CALLED = """
import sys
from toolkit_cli.main import main
called = set()
sys.setprofile(lambda frame, event, _: called.add(frame.f_code.co_qualname) if event == "call" else None)
try:
    main()
finally:
    sys.setprofile(None)
    print("read_record" in called)
"""


class House:
    """A project whose files each leave a trace when they are opened."""

    def write(self, name, text):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        trace = (
            ""
            if not name.endswith(".py")
            else f"open('/dev/null').close()\nprint({name!r}, file=open('opened', 'a'))\n"
        )
        path.write_text(trace + dedent(text), "utf-8")

    def tool(self, name, *, said=GOOD, before="", tool=None):
        self.write(name, TOOL.format(name=tool or Path(name).stem, said=said, before=before))

    def check(self, *targets, **changes):
        """Return the codes that are found, and the files that were opened for it."""
        Path("opened").unlink(missing_ok=True)
        configuration, _ = find_configuration()
        settings = LintSettings((WANTED,), directory=configuration.directory)._replace(**changes)
        found = check(targets or ["."], configuration, settings=settings, cache=Path(".toolkit_cache"))
        opened = Path("opened").read_text().split() if Path("opened").exists() else []
        return [f"{problem.location and problem.location.file}:{problem.code}" for problem in found], sorted(opened)


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return House()


def test_unchanged_files_are_not_opened_again(house):
    house.tool("a.py", said="Short.")
    house.tool("b.py")
    assert house.check() == (["a.py:TK202"], ["a.py", "b.py"])
    assert house.check() == (["a.py:TK202"], [])


def test_tools_of_unchanged_files_are_not_even_read(house):
    house.tool("a.py", said="Short.")
    house.tool("b.py")
    read = []
    for said in ("Short.", "Short.", "Short too."):
        house.tool("a.py", said=said)
        done = subprocess.run(
            [sys.executable, "-c", CALLED, "lint", "--exit-zero"], capture_output=True, text=True, check=True
        )
        read.append(done.stdout.splitlines()[-1])
    assert read == ["True", "False", "True"]


@pytest.mark.proof
def test_what_was_found_before_an_interruption_is_kept(house):
    for name in ("a.py", "b.py", "c.py"):
        house.tool(name)
    command = [sys.executable, "-c", INTERRUPTED, "lint", "--static", "a.py", "b.py", "c.py"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "interrupted\n")
    [file] = Path(".toolkit_cache").glob("lint-*.json")
    index = json.loads(file.read_text("utf-8").split("\n")[0])
    assert [Path(name).name for name in index["entries"]] == ["a.py", "b.py"]


def test_changed_file_alone_is_opened_again(house):
    house.tool("a.py")
    house.tool("b.py")
    house.check()
    house.tool("a.py", said="Short.")
    assert house.check() == (["a.py:TK202"], ["a.py"])


def test_file_is_opened_again_when_what_it_imports_changes(house):
    house.write("words.py", f'TEXT = "{GOOD}"\n')
    house.write("between.py", "from words import TEXT\n")
    for name in ("a", "b"):
        house.write(
            f"{name}.py",
            f"from toolkit import tool\nimport between\n@tool(description=between.TEXT)\ndef {name}() -> str:\n    return ''\n",
        )
    assert house.check("a.py", "b.py")[0] == []
    assert house.check("a.py", "b.py") == ([], [])
    house.write("words.py", 'TEXT = "Short."\n')
    found, opened = house.check("a.py", "b.py")
    assert found == ["a.py:TK202", "b.py:TK202"]
    assert {"a.py", "b.py"} <= set(opened)


@pytest.mark.proof
def test_file_is_opened_again_when_a_file_changes_that_it_reads(house):
    Path("said.txt").write_text(GOOD, "utf-8")
    house.write(
        "a.py",
        "from pathlib import Path\nfrom toolkit import tool\n"
        "@tool(description=Path('said.txt').read_text())\ndef a() -> str:\n    return ''\n",
    )
    assert house.check()[0] == []
    Path("said.txt").write_text("Short.", "utf-8")
    assert house.check() == (["a.py:TK202"], ["a.py"])


@pytest.mark.proof
def test_module_that_another_file_imported_first_counts_for_both(house):
    house.write("words.py", f'TEXT = "{GOOD}"\n')
    for name in ("a", "b"):
        house.write(
            f"{name}.py",
            f"import importlib\nfrom toolkit import tool\nwords = importlib.import_module('words')\n"
            f"@tool(description=words.TEXT)\ndef {name}() -> str:\n    return ''\n",
        )
    house.check("a.py", "b.py")
    house.write("words.py", 'TEXT = "Short."\n')
    assert house.check("a.py", "b.py")[0] == ["a.py:TK202", "b.py:TK202"]


@pytest.mark.proof
def test_pipeline_is_planned_again_when_its_tools_change(house):
    house.tool("tools/a.py")
    house.write("p.yaml", "name: p\ndescription: Return the text of a page.\ntools: [tools]\ninputs: {}\nsteps: [a]\n")
    assert house.check("p.yaml")[0] == []
    assert house.check("p.yaml") == ([], [])
    house.tool("tools/a.py", tool="b")
    assert house.check("p.yaml")[0] == ["p.yaml:TK604"]
    house.tool("tools/a.py", tool="b")
    house.tool("tools/new.py", tool="a")
    assert house.check("p.yaml")[0] == []


@pytest.mark.proof
def test_what_was_missing_is_found_once_it_is_there(house):
    house.write(
        "chain.yaml",
        "name: chain\ndescription: Return the text of the front page.\ntools: [./a.py]\ninputs: {}\nsteps: [a]\n",
    )
    house.write(
        "clerk.yaml",
        "agent: simple\ndescription: Answer what customers want to know.\ninstructions: {file: how.md}\nmodel: scripted:s.yaml\n",
    )
    assert house.check("chain.yaml", "clerk.yaml")[0] == [
        "chain.yaml:TK604", "chain.yaml:TK604", "clerk.yaml:TK602", "clerk.yaml:TK602",
    ]  # fmt: skip
    house.tool("a.py")
    house.write("how.md", "Be kind.")
    house.write("s.yaml", "turns: [well]")
    assert house.check("chain.yaml", "clerk.yaml")[0] == []
    house.write("s.yaml", "turns: [{cals: []}]")
    assert house.check("clerk.yaml")[0] == ["s.yaml:TK602"]


@pytest.mark.proof
def test_configured_sources_count_for_pipelines(house):
    Path("toolkit.toml").write_text("sources = ['tools']\n", "utf-8")
    house.tool("tools/a.py")
    house.write("p.yaml", "name: p\ndescription: Return the text of a page.\ninputs: {}\nsteps: [a]\n")
    assert house.check("p.yaml")[0] == []
    house.tool("tools/a.py", tool="b")
    assert house.check("p.yaml")[0] == ["p.yaml:TK604"]


def test_other_settings_are_another_matter(house):
    house.tool("a.py", said="Short.")
    house.check()
    assert house.check(limits={"min-description-words": 1, "min-description-length": 1}) == ([], ["a.py"])
    assert house.check() == (["a.py:TK202"], [])


@pytest.mark.proof
def test_another_selection_finds_its_own_in_what_is_kept(house):
    house.tool("a.py", said="Short.", tool="go")
    assert house.check(selections=(Selection(select=("TK301",)),)) == ([], ["a.py"])
    assert house.check() == (["a.py:TK202"], [])
    assert house.check(selections=(Selection(select=("TK106",)),)) == (["a.py:TK106"], [])
    assert len(list(Path(".toolkit_cache").glob("lint-*.json"))) == 1


def test_old_file_is_known_by_its_times_and_another_one_by_its_content():
    old, none = os.__file__, "0" * 32
    content, times = FileStates().record(old)
    assert FileStates().is_same(old, [none, times])
    assert not FileStates().is_same(old, [none, None])
    assert not FileStates().is_same(old, [none, [0, 0, 0]])
    touched = [content, [0, 0, 0]]
    assert FileStates().is_same(old, touched)
    assert touched == [content, times]


def test_file_that_has_just_changed_is_not_known_by_its_times(tmp_path):
    (tmp_path / "new.py").write_text("", "utf-8")
    _, times = FileStates().record(str(tmp_path / "new.py"))
    assert times is None


def test_file_that_was_only_touched_is_not_opened_again(house):
    house.tool("a.py", said="Short.")
    house.check()
    os.utime("a.py", (1, 1))
    assert house.check() == (["a.py:TK202"], [])


def test_lockfile_counts_for_all_tools_together(house):
    house.tool("a.py")
    wanted = {"selections": (Selection(select=("TK514",)),)}
    house.check(**wanted)
    Path("toolkit.lock").write_text("no lockfile", "utf-8")
    assert house.check(**wanted) == (["toolkit.lock:TK514"], [])


@pytest.mark.proof
def test_what_all_tools_together_show_is_found_among_unchanged_files(house):
    house.tool("a.py", tool="one")
    house.tool("b.py", tool="two")
    house.check()
    house.tool("b.py", tool="one")
    assert house.check() == (["b.py:TK103"], ["b.py"])
    assert house.check() == (["b.py:TK103"], [])
    house.tool("a.py", tool="one", before="# changed")
    assert house.check() == (["b.py:TK103"], ["a.py"])


@pytest.mark.proof
def test_a_change_that_keeps_size_and_time_is_found_and_no_bytecode_is_left(house, monkeypatch):
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    house.tool("a.py", tool="one")
    house.write(
        "b.py", f'import c\nfrom toolkit import tool\n@tool\ndef b() -> str:\n    """{GOOD}"""\n    return ""\n'
    )
    for name, found in (("one", []), ("two", []), ("one", [])):
        house.tool("a.py", tool=name)
        house.write("c.py", f"{name} = 1\n")
        os.utime("a.py", (1, 1))
        os.utime("c.py", (1, 1))
        assert house.check()[0] == found
    house.tool("d.py", tool="one")
    assert house.check()[0] == ["d.py:TK103"]
    assert not list(Path().rglob("__pycache__"))


@pytest.mark.proof
def test_file_that_does_not_import_is_tried_again(house):
    house.write(
        "a.py", f'import later\nfrom toolkit import tool\n@tool\ndef a() -> str:\n    """{GOOD}"""\n    return ""\n'
    )
    assert house.check("a.py") == (["a.py:TK002"], ["a.py"])
    house.write("later.py", "")
    assert house.check("a.py")[0] == []


def test_comments_hold_in_unchanged_files(house):
    house.write(
        "a.py",
        'from toolkit import tool\n@tool\ndef a() -> str:\n    """Short."""  # toolkit: ignore[TK202]\n    return ""\n'
        "X = 1  # toolkit: ignore[TK3]\n",
    )
    assert house.check() == (["a.py:TK010"], ["a.py"])
    assert house.check() == (["a.py:TK010"], [])


def test_definitions_in_json_are_kept_too(house):
    Path("tools.json").write_text(json.dumps([{"name": "a", "description": "Short."}]), "utf-8")
    first, second = house.check("tools.json"), house.check("tools.json")
    assert first == second == (["tools.json:TK202"], [])


@pytest.mark.proof
def test_cache_that_is_damaged_is_none(house):
    house.tool("a.py")
    house.check()
    [file] = Path(".toolkit_cache").glob("lint-*.json")
    for text in ("", "[]", '{"format": 1}', '{"format": 0, "entries": {}}', "\x00"):
        file.write_text(text, "utf-8")
        assert house.check() == ([], ["a.py"])
    first, tools = file.read_text("utf-8").split("\n")
    kept = json.loads(first)
    [entry] = kept["entries"].values()
    for name, value in [(name, value) for name in entry for value in (None, [1], {"a": 1}, "x")]:
        damaged = {key: {**one, name: value} for key, one in kept["entries"].items()}
        file.write_text(json.dumps({**kept, "entries": damaged}) + f"\n{tools}", "utf-8")
        assert house.check()[0] == []
    for text in (first, f"{first}\n", f"{first}\n[]", f"{first}\n{tools}\n[]"):
        file.write_text(text, "utf-8")
        assert house.check() == ([], ["a.py"])
    file.write_text("[" * 100_000, "utf-8")
    assert house.check() == ([], ["a.py"])


@pytest.mark.proof
def test_cache_that_cannot_be_written_is_none(house):
    house.tool("a.py")
    Path(".toolkit_cache").write_text("no folder", "utf-8")
    assert house.check() == ([], ["a.py"])
    assert house.check() == ([], ["a.py"])


@pytest.mark.proof
def test_cache_ignores_itself_and_forgets_old_settings(house):
    house.tool("a.py")
    for number in range(12):
        house.check(limits={"min-description-words": number})
    assert Path(".toolkit_cache/.gitignore").read_text() == "*\n"
    assert len(list(Path(".toolkit_cache").glob("lint-*.json"))) <= 8


DESCRIBING = """
class Tool:
    name = "find"
    description = "Find an order of the shop by its number."
    parameters = {"type": "object", "properties": {"number": {"type": "string"}}}

    def definition(self):
        return {"name": self.name, "description": self.description, "input_schema": self.parameters}

    def execute(self, number):
        return number
"""


def static_lint(*options):
    """Check the source of a project with a cache; return the codes of findings by file, and the size of the cache."""
    command = [sys.executable, "-m", "toolkit_cli", "lint", "--static", "--format", "json", *options, "."]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    size = max(file.stat().st_size for file in Path(".toolkit_cache").rglob("lint-*.json"))
    return {one["location"]["file"]: one["code"] for one in json.loads(done.stdout)}, size


def test_cache_grows_with_the_files_also_if_each_depends_on_the_whole_project(write):
    sizes = []
    for count in (10, 80):
        write(**{f"shop_in_find_{number}": DESCRIBING.replace("find", f"find_{number}") for number in range(count)})
        found, size = static_lint("--select", "TK204")
        assert len(found) == count
        sizes.append(size / count)
    assert sizes[1] < 1.2 * sizes[0]


def test_file_is_checked_again_if_another_one_of_the_project_derives_from_its_class(write):
    derived = (
        "from base import Tool\n\n\nclass Better(Tool):\n    name = 'better'\n    description = 'Find an order.'\n"
    )
    expected = {"base.py": "TK204"}
    write(base=DESCRIBING, other="import anthropic\n")
    assert static_lint("--select", "TK204")[0] == static_lint("--select", "TK204")[0] == expected
    write(other=derived)
    assert static_lint("--select", "TK204")[0] == static_lint("--select", "TK204", "--no-cache")[0] != expected
    write(other="import anthropic\n")
    assert static_lint("--select", "TK204")[0] == expected
