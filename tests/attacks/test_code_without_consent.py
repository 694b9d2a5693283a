"""Code that runs without consent.

A planted repository holds files that touch a marker as soon as they run. Whoever only looks at it, or runs a tool that
has nothing to do with it, must touch none.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.documents import plain, read_document

PROGRAM = Path(sys.executable).with_name("toolkit")
HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
LAST_WORDS = "def go(command: str = '') -> str:\n    return command\n"

WEATHER = '''
import random
import statistics

from pydantic import BaseModel

from toolkit import TypedTool, tool


class Place(BaseModel):
    """A model, for which pydantic looks for plugins."""

    city: str


@tool(read_only=True)
def forecast(city: str) -> str:
    """Tells the weather of a city, which is always fine."""
    return city
'''

# What a program may find by a name: of the standard library, of what it installs, of its own, or of a ready tool.
SHADOWS = [
    "random", "statistics", "decimal", "fractions", "zoneinfo", "colorsys", "tomllib", "difflib", "typing", "json",
    "dataclasses", "importlib", "sitecustomize", "usercustomize", "yaml", "rich", "typer", "click", "pydantic",
    "pydantic_core", "anyio", "simpleeval", "questionary", "httpx2", "mcp", "toolkit_cli", "calculator", "builtin",
]  # fmt: skip

# Files that a walk through the folder meets, none of which defines a tool.
PLAIN = {
    "cleanup.py": "",
    "migrations/0001_initial.py": "class Migration:\n    name = 'initial'\n\n    def execute(self, text):\n        pass\n",
    "main.py": "from weather import forecast\n\nprint(forecast('Oslo'))\n",
    "app.py": "from toolkit import load_tools\n\ntools = load_tools('weather.py')\n",
    "flow.py": "from toolkit import load_pipeline\n\nresult = load_pipeline('p.yaml').run('x')\n",
    "results.py": "from toolkit import ToolContext, ToolResult\n\ndone = ToolResult('done')\n",
    "remark.py": "# from toolkit import tool\n'''@tool'''\ntool = lambda function: function\n\n\n@tool\ndef f(): ...\n",
    "typed.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from toolkit import tool\n",
    "guarded.py": "if __name__ == '__main__':\n    from toolkit import tool\n\n    @tool\n    def f(): ...\n",
    "inner.py": "def later():\n    from toolkit import tool\n\n    return None\n",
    "connection.py": "class Cursor:\n    name = 'main'\n\n    def execute(self, query):\n        return query\n",
    "other_tool.py": "from langchain_of_nobody import tool\n\n\n@tool\ndef search(query): ...\n",
    "deep.py": "x = " + "-" * 3000 + "1\n",
    "wild.py": "from os import *\nfrom cleanup import *\n",
    "wide.py": "# coding: latin-1\nname = '\xe9'\n",
    "manage.py": "",
    "tasks.py": "",
    "fabfile.py": "",
    "scripts/deploy.py": "",
    "setup.py": "",
    "conftest.py": "",
    "noxfile.py": "",
    "test_everything.py": "",
    "package/__init__.py": "",
    "package/__main__.py": "",
    "package/plain.py": "",
    "offering/__init__.py": "from offering.danger import go\n",
    "offering/danger.py": "",
    ".hidden.py": "",
    ".hidden/tools.py": "",
    "node_modules/tools.py": "",
    "venv/lib/tools.py": "",
    "in_environment.py": "",
    "plugin_of_nobody.py": "",
    "named_by_pipeline.py": "",
    "named_by_agent.py": "class Thing:\n    pass\n",
    "named_by_group.py": "",
    "script_of_model.py": "turns = []\n",
    "evil.py": "",
}

OTHERS = {
    "weather.py": WEATHER,
    "venv/pyvenv.cfg": "",
    ".env": "TOOLKIT_SOURCES=in_environment.py\nPYTHONSTARTUP=in_environment.py\n",
    "evil.pth": "import plugin_of_nobody\n",
    "evil-1.0.dist-info/METADATA": "Name: evil\nVersion: 1.0\n",
    "evil-1.0.dist-info/entry_points.txt": (
        "[toolkit.rules]\nEV001 = plugin_of_nobody:Rule\n[pydantic]\nevil = plugin_of_nobody:plugin\n"
        "[console_scripts]\ntoolkit = plugin_of_nobody:go\n"
    ),
    "evil.egg-info/PKG-INFO": "Name: evil2\nVersion: 1.0\n",
    "evil.egg-info/entry_points.txt": "[toolkit.rules]\nEV002 = plugin_of_nobody:Rule\n",
    "p.yaml": (
        "description: Uses what is not a tool.\n"
        "tools: [named_by_pipeline, named_by_pipeline.py, 'named_by_pipeline:go', 'os:system', weather.py]\n"
        "steps:\n  - use: forecast\n    with: {city: Oslo}\n  - use: cleanup.py:go\n  - use: this\n"
    ),
    "helper.yaml": (
        "agent: helper\ndescription: Uses what is not a tool.\nprompt: Go.\nmodel: scripted:script_of_model.py\n"
        "tools: [named_by_agent, named_by_agent.py, 'cleanup.py:go']\nchaining: ['named_by_agent.py:Thing']\n"
    ),
    "toolkit.toml": (
        'sources = ["evil.py", "evil_tools.py", "evil", "cleanup:go", "weather.py", "../outside.py"]\n'
        '[groups.evil_group]\nsources = ["named_by_group.py", "named_by_group:go"]\n'
    ),
}

# It defines a tool, and is imported where all configured tools are asked for, but for nothing else.
EVIL_TOOLS = "from toolkit import tool\n\n\n@tool\ndef evil(text: str) -> str:\n    '''Says it.'''\n    return text\n"

LOOKING = [
    "lint", "lint .", "lint --static", "lint cleanup.py main.py", "lint cleanup.py:go", "list .", "list cleanup.py",
    "show cleanup.py:go", "show p.yaml", "show helper.yaml", "schema .", "schema main.py", "lock .", "lock",
]  # fmt: skip
ELSEWHERE = ["list builtin", "show calculator", "schema calculator", "run calculator 1+1", "list calculator"]


class Planted:
    """A repository full of traps, and the markers that they touch."""

    def __init__(self, folder):
        self.markers = folder / "markers"
        self.markers.mkdir()
        self.outer = folder / "outer"
        self.root = self.outer / "clone"
        (self.root / ".git").mkdir(parents=True)
        for name in SHADOWS:
            self.trap(f"{name}.py")
        for name, text in PLAIN.items():
            self.trap(name, text)
        for name, text in OTHERS.items():
            self.write(name, text)
        self.trap("evil_tools.py", EVIL_TOOLS)
        for name in ("toolkit.toml", "pyproject.toml"):
            prefix = "tool.toolkit." if name == "pyproject.toml" else ""
            self.write(f"../{name}", f'[{prefix}builtin.calculator]\nkind = "process"\ncommand = ["touch", "x"]\n')
        self.trap("../outside.py")
        self.trap("../__init__.py")
        self.write("__init__.py", "")
        self.trap("../above.py", EVIL_TOOLS)
        (self.root / "link.py").symlink_to(self.outer / "outside.py")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))

    def trap(self, name, text=""):
        """Write a file that touches a marker when it runs, before and after its text."""
        marker = self.markers / name.replace("/", "|")
        touch = f"open({str(marker)!r}, 'a').close()\n"
        if text.startswith("# coding"):
            coding, _, text = text.partition("\n")
            touch = f"{coding}\n{touch}"
        self.write(name, f"{touch}{text}\n{touch}{LAST_WORDS}")

    def traps(self):
        names = [*(f"{name}.py" for name in SHADOWS), *PLAIN, "../outside.py", "../__init__.py", "../above.py"]
        return [*names, "evil_tools.py"]

    def run(self, *words, **variables):
        home = self.outer.parent / "home"
        home.mkdir(exist_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLKIT_", "PYTHON"))}
        environment |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home), **variables}
        return subprocess.run(
            [*words], cwd=self.root, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=300, check=False,
        )  # fmt: skip

    def touched(self):
        """Return the traps that have run since the last time."""
        found = {path.name.replace("|", "/") for path in self.markers.iterdir()}
        for path in self.markers.iterdir():
            path.unlink()
        return found


@pytest.fixture
def planted(tmp_path):
    return Planted(tmp_path)


@pytest.mark.proof(everyday=1)
@pytest.mark.usefixtures("cold_starts")
@pytest.mark.parametrize("command", ["lint", "list builtin", "run calculator 1+1", "show p.yaml"])
def test_starting_in_a_planted_repository_imports_nothing_by_a_name_that_it_has_taken(planted, attacks, command):
    planted.run(PROGRAM, *shlex.split(command))
    touched = planted.touched() - {"evil_tools.py"}
    for name in SHADOWS:
        attacks.count(f"`toolkit {command}` imported {name}", held=f"{name}.py" not in touched)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("command", LOOKING)
def test_looking_at_a_planted_repository_runs_nothing_in_it(planted, attacks, command):
    done = planted.run(PROGRAM, *shlex.split(command))
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 1, 2}, done.stderr
    touched = planted.touched() - {"evil_tools.py"}  # it defines a tool of the project
    for trap in planted.traps():
        attacks.count(f"`toolkit {command}` ran {trap}", held=trap not in touched)


@pytest.mark.proof
@pytest.mark.parametrize("command", ELSEWHERE)
def test_tools_that_the_repository_has_nothing_to_do_with_run_nothing_in_it(planted, attacks, command):
    done = planted.run(PROGRAM, *shlex.split(command))
    assert done.returncode == 0, done.stderr
    assert "evil" not in done.stdout
    touched = planted.touched()
    for trap in planted.traps():
        attacks.count(f"`toolkit {command}` ran {trap}", held=trap not in touched)


@pytest.mark.proof
def test_the_hook_runs_nothing(planted, attacks):
    document, _ = read_document(HOOKS)
    assert document is not None
    [hook] = plain(document)
    done = planted.run(PROGRAM, *hook["entry"].split()[1:])
    assert done.returncode in {0, 1}, done.stderr
    touched = planted.touched() - {"evil_tools.py"}
    for trap in planted.traps():
        attacks.count(f"the hook ran {trap}", held=trap not in touched)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    "typed", ["toolkit show ", "toolkit run ev", "toolkit list --tools ", "toolkit agent --group "]
)
def test_completion_runs_nothing(planted, attacks, typed):
    count = len(typed.split()) - (0 if typed.endswith(" ") else 1)
    variables = {"_TOOLKIT_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(count)}
    done = planted.run(PROGRAM, **variables)
    assert "Traceback" not in done.stderr
    touched = planted.touched()
    for trap in planted.traps():
        attacks.count(f"completing {typed!r} ran {trap}", held=trap not in touched)


@pytest.mark.proof
def test_lint_counts_what_it_read_and_what_it_imported(planted):
    assert (
        planted.run(PROGRAM, "lint", "weather.py", "cleanup.py")
        .stdout.splitlines()[-1]
        .endswith("; 2 Python files read, 1 run)")
    )
    assert len(planted.traps()) >= 60


CHOSEN_BY_FILES = {
    "function of a module": "steps:\n  - use: os:system\n    with: {command: 'touch MARK'}\n",
    "function among the sources": "tools: ['os:system']\nsteps:\n  - system: {command: 'touch MARK'}\n",
    "function that removes folders": "steps:\n  - use: shutil:rmtree\n    with: {path: VICTIM}\n",
    "function of a module that is not imported yet": "steps:\n  - use: antigravity:geohash\n    with: {latitude: 1}\n",
    "function of a file": "steps:\n  - use: helpers.py:go\n    with: {command: 'touch MARK'}\n",
    "function of a file of tools": "steps:\n  - use: tools.py:helper\n    with: {command: 'touch MARK'}\n",
    "function that a file of tools imports": "steps:\n  - use: tools.py:system\n    with: {command: 'touch MARK'}\n",
    "function behind a module": "steps:\n  - use: tools.py:os.system\n    with: {command: 'touch MARK'}\n",
    "method without a mark": "steps:\n  - use: tools.py:Box.unmarked\n    with: {command: 'touch MARK'}\n",
    "class without tools": "steps:\n  - use: tools.py:Boom\n",
    "object of another library": "steps:\n  - use: tools.py:engine\n    with: {input: 'touch MARK'}\n",
    "list of functions": "tools: ['tools.py:FUNCTIONS']\nsteps:\n  - helper: {command: 'touch MARK'}\n",
    "property": "steps:\n  - use: tools.py:box.secret\n",
    "module among the sources": "tools: [helpers]\nsteps: [calculator]\n",
    "file among the sources": "tools: [helpers.py]\nsteps: [calculator]\n",
    "agent with a function": "agent: a\ndescription: Works.\nprompt: Go.\nmodel: scripted:turns.yaml\ntools: ['os:system']\n",
    "agent with a module": "agent: a\ndescription: Works.\nprompt: Go.\nmodel: scripted:turns.yaml\ntools: [helpers]\n",
    "agent with a model in Python": "agent: a\ndescription: Works.\nprompt: Go.\nmodel: scripted:helpers.py\n",
    "agent with a class": (
        "agent: a\ndescription: Works.\nprompt: Go.\nmodel: scripted:turns.yaml\nchaining: ['helpers:Thing']\n"
    ),
    "pipeline in a pipeline": "steps:\n  - use: ./inner.yaml\n",
}

TOOLS = '''
import os
import subprocess
from os import system

from toolkit import tool


def helper(command: str) -> str:
    """Run a command."""
    return str(os.system(command))


class Engine:
    """What other libraries have."""

    def execute(self, text: str) -> str:
        """Run a text."""
        return str(os.system(text))


class Boom:
    """Does harm when it is made."""

    def __init__(self) -> None:
        os.system("touch MARK")


class Box:
    """Holds a tool."""

    @tool
    def shut(self) -> str:
        """Shut the box."""
        return "shut"

    def unmarked(self, command: str) -> str:
        """Run a command."""
        return str(os.system(command))

    @property
    def secret(self) -> str:
        """Do harm when it is looked at."""
        return str(os.system("touch MARK"))


engine = Engine()
box = Box()
FUNCTIONS = [helper]
'''


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("kind", CHOSEN_BY_FILES)
def test_a_yaml_file_reaches_nothing_but_tools(planted, attacks, kind):
    mark, victim = planted.markers / "ran", planted.markers.parent / "victim"
    victim.mkdir()

    def filled(text):
        return text.replace("MARK", str(mark)).replace("VICTIM", str(victim))

    planted.write("toolkit.toml", "")
    planted.write("tools.py", filled(TOOLS))
    planted.write("helpers.py", f"open({str(mark)!r}, 'a').close()\n{LAST_WORDS}\nclass Thing: ...\n")
    planted.write("turns.yaml", "- Done.\n")
    planted.write("inner.yaml", filled(CHOSEN_BY_FILES["function of a module"]))
    planted.write("chosen.yaml", filled(CHOSEN_BY_FILES[kind]))
    done = planted.run(PROGRAM, "run", "chosen.yaml", "--yes", "--quiet", "--input", "x")
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "chosen.yaml:" in done.stderr or "inner.yaml:" in done.stderr
    attacks.count(f"a {kind} in a YAML file ran", held=not mark.exists() and victim.exists())


@pytest.mark.proof
def test_a_configured_source_reaches_nothing_but_tools(planted, attacks):
    planted.write("toolkit.toml", 'sources = ["os:system", "shutil:rmtree"]\n[groups.g]\nsources = ["os:popen"]\n')
    planted.write("chosen.yaml", f"steps:\n  - system: {{command: 'touch {planted.markers}/ran'}}\n")
    for command in ("run chosen.yaml --yes", "run system command=true", "list", "show g", "agent x --group g"):
        done = planted.run(PROGRAM, *shlex.split(command))
        attacks.count(f"{command} reached a function", held=done.returncode != 0 and not planted.touched())


@pytest.mark.proof
def test_the_user_may_name_a_function_and_allow_it_to_a_file(planted):
    planted.write("toolkit.toml", "")
    planted.write("chosen.yaml", "steps:\n  - use: posixpath:basename\n    with: {p: a/b}\n")
    refused = planted.run(PROGRAM, "run", "chosen.yaml", "--quiet")
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[0] == (
        "error[TK003]: 'basename' in 'posixpath' is not marked as a tool, and files can only use tools"
    )
    assert "--> chosen.yaml:2:10" in refused.stderr
    assert "allow it yourself with `--tools posixpath:basename`" in refused.stderr
    allowed = planted.run(PROGRAM, "run", "chosen.yaml", "--quiet", "--tools", "posixpath:basename")
    assert (allowed.returncode, allowed.stdout) == (0, "b\n"), allowed.stderr
    own = planted.run(PROGRAM, "run", "posixpath:basename", "p=a/b")
    assert (own.returncode, own.stdout) == (0, "b\n"), own.stderr
