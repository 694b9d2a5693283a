"""Programs that change between the parts of a run.

A batch fails at its second item. Before it is resumed, a file changes that decides what the tool does, however the tool
reaches it. One output must not mix two programs, so the resumed run stops, names the file and asks for consent.
"""

import os
import re
import subprocess
import sys

import pytest

TOOL = '''
{head}
from pathlib import Path

from toolkit import tool


@tool(idempotent=True)
def double(n: int) -> int:
    """Double a number."""
    {body}
    if n == 2 and not Path("ready").exists():
        raise ValueError("not ready")
    return go(n)
'''
FIRST = '{"item": 1, "output": 2}'
GO = "def go(n):\n    return 2 * n\n"
OTHER = "def go(n):\n    return 3 * n\n"


class Form:
    """One way to reach a file: how the tool's file does it, and other files of the project."""

    def __init__(self, head="", body="", file="helper.py", files=()):
        """Write down the form: the parts of the tool's file, the file that changes, and the texts of files by name."""
        self.head, self.body, self.file, self.files = head, body, file, dict(files)


INIT = "package/__init__.py"
FORMS = {
    "name": Form("from helper import go"),
    "module": Form("import helper\ngo = helper.go"),
    "other name": Form("import helper as other\ngo = other.go"),
    "star": Form("from helper import *"),
    "in the function": Form(body="from helper import go"),
    "under a condition": Form("if True:\n    from helper import go"),
    "where something else is missing": Form(
        "try:\n    from nowhere import go\nexcept ImportError:\n    from helper import go"
    ),
    "in a class": Form("class Parts:\n    from helper import go\n\ngo = Parts.go"),
    "by the second file": Form("from middle import go", files={"middle.py": "from helper import go"}),
    "by the third file": Form("from first import go", files={"first.py": "from second import go", "second.py": "from helper import go"}),
    "in a circle": Form("from first import go", files={"first.py": "import second\nfrom helper import go", "second.py": "import first"}),
    "package": Form("from package.part import go", file="package/part.py"),
    "init of a package": Form("import package\ngo = package.go", file="package/__init__.py"),
    "init above a module": Form(
        "import package.part\nfrom package import go", file="package/__init__.py", files={"package/part.py": "x = 1"}
    ),
    "relative": Form(
        "from package import go", file="package/part.py", files={INIT: "from .part import go"}
    ),
    "relative, upwards": Form(
        "from package.inner import go",
        file="package/part.py",
        files={INIT: "", "package/inner/__init__.py": "from ..part import go"},
    ),
    "relative, a module": Form(
        "from package import go", file="package/part.py", files={INIT: "from . import part\ngo = part.go"}
    ),
    "package without init": Form("from folder.part import go", file="folder/part.py"),
    "by name": Form("import importlib\ngo = importlib.import_module('helper').go"),
    "by name, in the function": Form(body="go = __import__('helper').go"),
    "by a name that is computed": Form("import importlib\nhelper = importlib.import_module('hel' + 'per')\ngo = helper.go"),
    "by names in a table": Form(
        "import importlib\nparts = {name: importlib.import_module('hel' + name) for name in ['per']}\ngo = parts['per'].go"
    ),
    "decorator": Form(
        "from wrapping import wrapped\n@wrapped\ndef go(n):\n    return 2 * n",
        file="wrapping.py",
        files={"wrapping.py": "def wrapped(f):\n    return f\n"},
    ),
    "only for its effect": Form("import patches\nimport math\ngo = math.go", file="patches.py", files={"patches.py": f"import math\n{GO}\nmath.go = go\n"}),
    "base class": Form("from bases import Base\nclass Here(Base):\n    pass\n\ngo = Here().go", file="bases.py", files={"bases.py": "class Base:\n    def go(self, n):\n        return 2 * n\n"}),
}  # fmt: skip


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    (tmp_path / "items.jsonl").write_text('{"n": 1}\n{"n": 2}\n', "utf-8")
    return tmp_path


def run(*words):
    """Run a command in a process of its own, which imports the files as they are now."""
    command = [sys.executable, "-m", "toolkit_cli", *words]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False, timeout=60
    )


def write(project, form):
    """Write the files of a form, and return the one that changes later."""
    for name, text in {form.file: GO, **form.files, "tools.py": TOOL.format(head=form.head, body=form.body)}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, "utf-8")
    return project / form.file


def begin(*words):
    """Begin a batch that fails at its second item, and return its id."""
    done = run("run", "tools.py:double", "--each", "items.jsonl", "--on-item-error", "fail", "--quiet", *words)
    assert (done.returncode, done.stdout.splitlines()[:1]) == (1, [FIRST]), done.stderr
    return identity_in(done)


def identity_in(done):
    found = re.search(r"toolkit runs resume (\w+)", done.stderr)
    assert found, done.stderr
    return found[1]


@pytest.mark.proof(everyday=8)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_imported_file_that_has_changed_stops_a_resumed_run(attacks, project, form):
    file = write(project, form)
    identity = begin()
    (project / "ready").touch()
    before = file.read_text("utf-8")
    file.write_text(f"{before}\nchanged = True\n", "utf-8")
    refused = run("runs", "resume", identity)
    attacks.count(f"resumed: {refused.stdout}", held=(refused.returncode, refused.stdout) == (3, ""))
    attacks.count(f"not named: {refused.stderr}", held=f"--> {form.file}" in refused.stderr.replace(os.sep, "/"))
    file.write_text(before, "utf-8")
    resumed = run("runs", "resume", identity)
    assert (resumed.returncode, len(resumed.stdout.splitlines())) == (0, 2), resumed.stderr


@pytest.mark.parametrize("change", ["removed", "added", "accepted"])
def test_imported_file_that_is_new_or_gone_has_changed_too(attacks, project, change):
    form = FORMS["where something else is missing"]
    file = write(project, form)
    identity = begin()
    (project / "ready").touch()
    if change == "removed":
        file.unlink()
    else:
        (project / "nowhere.py").write_text(OTHER, "utf-8")
    words = ["--accept-changes"] if change == "accepted" else []
    resumed = run("runs", "resume", identity, *words)
    expected = {"removed": 2, "added": 3, "accepted": 0}[change]
    attacks.count(change, held=resumed.returncode == expected)


def test_other_files_of_the_project_and_installed_packages_are_no_part_of_the_definition(project):
    write(project, Form("import json\nimport yaml\nfrom helper import go"))
    (project / "beside.py").write_text("", "utf-8")
    identity = begin()
    (project / "ready").touch()
    (project / "beside.py").write_text("changed = True\n", "utf-8")
    assert run("runs", "resume", identity).returncode == 0


def test_file_that_offers_a_tool_of_another_file_is_part_of_its_definition(attacks, project):
    write(project, FORMS["name"])
    (project / "offers.py").write_text("from tools import double\n", "utf-8")
    done = run("run", "offers.py:double", "--each", "items.jsonl", "--on-item-error", "fail", "--quiet")
    assert done.returncode == 1, done.stderr
    identity = identity_in(done)
    (project / "ready").touch()
    for name in ("offers.py", "tools.py", "helper.py"):
        before = (project / name).read_text("utf-8")
        (project / name).write_text(f"{before}\nchanged = True\n", "utf-8")
        attacks.count(name, held=run("runs", "resume", identity).returncode == 3)
        (project / name).write_text(before, "utf-8")


OF_A_STORE = pytest.param(["--store", "sqlite:///store.db"], id="store", marks=pytest.mark.proof)
STORES = pytest.mark.parametrize("store", [pytest.param([], id="journal"), OF_A_STORE])


@STORES
@pytest.mark.parametrize("left", ['{"n": 1}\n', ""], ids=["one is left", "none is left"])
def test_items_that_are_missing_stop_a_resumed_run_with_the_exit_code_of_consent(attacks, project, store, left):
    if store:
        pytest.importorskip("dbos")
    write(project, FORMS["name"])
    identity = begin(*store)
    (project / "ready").touch()
    (project / "items.jsonl").write_text(left, "utf-8")
    refused = run("runs", "resume", identity, *store)
    attacks.count(refused.stderr, held=refused.returncode == 3)
    count = left.count("n")
    assert f"items.jsonl has {count} items, and had at least 2 before" in refused.stderr
    assert f"1 item done; continue with: toolkit runs resume {identity}" in refused.stderr
    accepted = run("runs", "resume", identity, *store, "--accept-changes")
    assert (accepted.returncode, len(accepted.stdout.splitlines())) == (0, count)


@STORES
def test_items_that_have_changed_stop_a_resumed_run_with_the_returncode_of_consent(attacks, project, store):
    if store:
        pytest.importorskip("dbos")
    write(project, FORMS["name"])
    identity = begin(*store)
    (project / "ready").touch()
    (project / "items.jsonl").write_text('{"n": 5}\n{"n": 2}\n', "utf-8")
    refused = run("runs", "resume", identity, *store)
    attacks.count(refused.stderr, held=refused.returncode == 3)
    assert "items.jsonl:1 has changed since it was processed" in refused.stderr
    assert run("runs", "resume", identity, *store, "--accept-changes").returncode == 0
