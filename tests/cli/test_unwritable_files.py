"""Files that the program writes on its own: where one cannot be written, the command says so in one line, or goes on."""

import json
import os
import resource

import pytest

from tests.terminals import Terminal

TOOLS = '''
from toolkit import tool

@tool(read_only=True)
def show(text: str) -> str:
    """Show a text.

    Args:
        text: What to show.
    """
    return text

@tool(destructive=True)
def wipe(text: str) -> str:
    """Wipe a text.

    Args:
        text: What to wipe.
    """
    return text
'''
SPEAKING = "[builtin.speak]\nkind = 'process'\ndescription = 'Speaks.'\ncommand = ['cat']\n"
COMMANDS = {
    "lint": ["lint", "tools.py"],
    "lint --static": ["lint", "--static", "tools.py"],
    "lint --against": ["lint", "tools.py", "--against", "HEAD"],
    "lint --output": ["lint", "tools.py", "--output", "sarif=lint.sarif"],
    "lint --update-baseline": ["lint", "tools.py", "--update-baseline", "--baseline", "baseline.json"],
    "list": ["list", "tools.py"],
    "lock": ["lock", "tools.py", "--update"],
    "run": ["run", "tools.py:wipe", "text=x", "--yes"],
    "run --each": ["run", "tools.py:wipe", "--each", "items.jsonl", "--yes"],
    "run --each --out": ["run", "tools.py:wipe", "--each", "items.jsonl", "--yes", "--out", "results.jsonl"],
    "runs list": ["runs", "list"],
    "policy audit": ["policy", "audit"],
    "new": ["new", "tool", "greeting"],
}


@pytest.fixture(autouse=True)
def files(project, monkeypatch):
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(project / "home" / name))
    monkeypatch.setenv("CI", "1")  # so that calls are logged
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "items.jsonl").write_text('{"text": "a"}\n', "utf-8")
    (project / "no_folder").write_text("", "utf-8")
    os.system("git init -q . && git add -A && git -c user.email=a@b.c -c user.name=a commit -qm first")  # noqa: S605


def fill_the_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.proof(everyday=13)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["disk", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"])
def test_a_file_that_cannot_be_written_is_no_internal_error(project, program, place, command):
    if place == "disk":
        ended = program(*COMMANDS[command], preexec_fn=fill_the_disk)
    else:
        ended = program(*COMMANDS[command], env={place: str(project / "no_folder")})
    assert ended.returncode in {0, 1, 2}
    assert "Traceback" not in ended.stderr
    errors = [line for line in ended.stderr.splitlines() if line.startswith("error")]
    assert len(errors) == (ended.returncode != 0)


def test_a_temporary_folder_that_cannot_be_created_is_an_error_with_a_way_out(program):
    ended = program("lint", "tools.py", preexec_fn=fill_the_disk)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: cannot create a temporary folder: no usable temporary directory found in [")
    assert ended.stderr.endswith("]; set TMPDIR to a folder that can be written\n")


@pytest.mark.parametrize(("place", "reason"), [("no folder", "not a directory"), ("a folder", "is a directory")])
def test_a_consent_that_cannot_be_remembered_holds_once_and_says_so(project, place, reason):
    (project / "toolkit.toml").write_text(SPEAKING, "utf-8")
    folder = project / "home" / "XDG_CONFIG_HOME" / "toolkit"
    folder.parent.mkdir(parents=True)
    if place == "no folder":
        folder.write_text("", "utf-8")
    else:
        (folder / "consents.json").mkdir(parents=True)
    terminal = Terminal(project, "run", "speak", "hello", "--approve", "speak")
    terminal.answer("a")
    assert terminal.end() == 0
    seen = " ".join(terminal.seen.split())
    assert seen.count("warning[TK005]: the consent to settings builtin.speak cannot be remembered in") == 1
    assert f"{reason} hint: you will be asked again next time; to change that, make the file writable" in seen
    assert terminal.stdout == '{"input": "hello"}\n'


def test_a_path_that_was_only_begun_on_a_full_disk_is_never_removed(project, program):
    """The list of temporary files ends within a path, which is then that of something else."""
    lists = project / "home" / "XDG_STATE_HOME" / "toolkit" / "leftovers"
    lists.mkdir(parents=True, mode=0o700)
    (project / "precious").mkdir()
    (project / "precious" / "work.txt").write_text("", "utf-8")
    (project / "left.tmp").write_text("", "utf-8")
    (lists / "0123").write_bytes(f"{project / 'left.tmp'}\0{project / 'precious'}".encode())
    assert program("list", "tools.py").returncode == 0
    assert not (project / "left.tmp").exists()
    assert (project / "precious" / "work.txt").exists()


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("removed", [[1], [1, 2], [2]])
def test_a_full_audit_log_replaces_none_of_those_before_it(project, program, removed):
    folder = project / "home" / "XDG_STATE_HOME" / "toolkit"
    folder.mkdir(parents=True)
    before = {number: folder / f"audit.{number}.jsonl" for number in (1, 2, 3)}
    for number, file in before.items():
        file.write_text(json.dumps({"number": number, "full": True}) + "\n", "utf-8")
    for number in removed:
        before.pop(number).unlink()
    full = json.dumps({"number": 4, "text": "x" * 16 * 1024 * 1024}) + "\n"
    (folder / "audit.jsonl").write_text(full, "utf-8")
    assert program("run", "tools.py:wipe", "text=x", "--yes").returncode == 0
    kept = {number: json.loads(file.read_text("utf-8")) for number, file in before.items()}
    assert kept == {number: {"number": number, "full": True} for number in before}
    assert (folder / "audit.4.jsonl").read_text("utf-8") == full
    assert json.loads((folder / "audit.jsonl").read_text("utf-8"))["number"] == 5
