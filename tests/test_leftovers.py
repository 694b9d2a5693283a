"""Temporary files of programs that were killed do not outlive the next run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

pytestmark = pytest.mark.skipif(os.name != "posix", reason="only Unix has the locks")
ROOT = Path(__file__).resolve().parents[1]
DIE = "os.kill(os.getpid(), 9)"


@pytest.fixture
def python(tmp_path, monkeypatch):
    """Return what runs a program in a process of its own, in a project with a state folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def run(program):
        command = [sys.executable, "-c", f"import os\nfrom pathlib import Path\n{program}"]
        return subprocess.run(
            command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, capture_output=True, text=True
        )

    return run


def next_run():
    assert CliRunner().invoke(application(), ["list", "builtin"]).exit_code == 0


def lists(tmp_path):
    return list((tmp_path / "state" / "toolkit" / "leftovers").iterdir())


def test_list_is_closed_at_the_end_of_the_program_that_made_it(python):
    program = "from toolkit.leftovers import temporary\nwith temporary(Path('a')):\n    "
    forked = "os.fork() and os.wait()\n    with temporary(Path('b')):\n        print('listed')"
    for inside, printed in (("print('listed')", "listed\n"), (forked, "listed\nlisted\n")):
        done = python(f"import warnings\nwarnings.simplefilter('default')\n{program}{inside}")
        assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")


def test_half_written_file_is_removed_by_the_next_run(python, tmp_path):
    program = f"from toolkit import replacing\nreplacing.copymode = lambda *_: {DIE}\n"
    (tmp_path / "answer.txt").write_text("before", "utf-8")
    python(f"{program}replacing.write_file(Path('answer.txt'), b'after')")
    assert len(list(tmp_path.glob(".answer.txt.*"))) == 1
    next_run()
    assert (list(tmp_path.glob(".answer.txt.*")), lists(tmp_path)) == ([], [])
    assert (tmp_path / "answer.txt").read_text("utf-8") == "before"


def test_half_written_file_of_a_tool_is_removed_by_the_next_run(python, tmp_path):
    program = f"from toolkit.builtin.files import sandbox\nsandbox.os.rename = lambda *_, **__: {DIE}\n"
    python(f"{program}from toolkit.builtin import FileWrite\nFileWrite('.').run({{'path': 'a.txt', 'content': 'x'}})")
    if sys.platform == "linux":
        assert len(list(tmp_path.glob(".toolkit-*"))) == 1
    next_run()
    assert list(tmp_path.glob(".toolkit-*")) == []


def test_folder_with_an_argument_that_was_edited_is_removed_by_the_next_run(python, tmp_path):
    program = "from toolkit.leftovers import temporary\nfolder = Path('edited')\nfolder.mkdir()\n"
    python(f"{program}with temporary(folder):\n    (folder / 'argument.txt').write_text('secret')\n    {DIE}")
    assert (tmp_path / "edited" / "argument.txt").exists()
    next_run()
    assert not (tmp_path / "edited").exists()


def test_file_of_a_program_that_lives_stays(python, tmp_path):
    program = (
        "import subprocess, sys\nfrom toolkit.leftovers import temporary\nfile = Path('mine')\n"
        "with temporary(file):\n    file.touch()\n"
        "    subprocess.run([sys.executable, '-c', 'from toolkit.leftovers import remove_leftovers as f; f()'])\n"
        "    print(file.exists())"
    )
    assert python(program).stdout == "True\n"


def test_what_has_been_removed_is_listed_no_more(python, tmp_path):
    python("from toolkit.leftovers import temporary\nwith temporary(Path('mine')):\n    pass")
    assert [file.read_bytes() for file in lists(tmp_path)] == [b""]
    next_run()
    assert lists(tmp_path) == []


def test_list_that_somebody_else_can_write_is_not_obeyed(python, tmp_path):
    python(f"from toolkit.leftovers import temporary\nwith temporary(Path('mine')):\n    Path('mine').touch(); {DIE}")
    (tmp_path / "state" / "toolkit" / "leftovers").chmod(0o777)
    next_run()
    assert (tmp_path / "mine").exists()
