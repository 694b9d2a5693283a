"""Ways to a tool whose file, or whose object, a rule denies."""

import json
from itertools import product

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

TOOLS = """
from pathlib import Path

from toolkit import tool, toolbox

@tool
def drop(path: str = "x") -> str:
    '''Drop it.'''
    Path("ran").touch()
    return f"dropped {path}"

class Bin:
    @tool
    def wipe(self, path: str = "x") -> str:
        '''Wipe it.'''
        return drop(path)

box = Bin()

@toolbox(name="chest", description="A chest.")
class Chest:
    @tool
    def burn(self, path: str = "x") -> str:
        '''Burn it.'''
        return drop(path)
"""
MORE = {
    "passed.py": "from tools import drop, box, Chest\n",
    "twice.py": "from passed import drop, box\n",
    "starred.py": "from tools import *\n",
    "listed.py": "import tools\ntools = [tools.drop, tools.box]\n",
    "wrapped.py": "from toolkit import from_function\nimport tools\nt = from_function(tools.drop, name='put').with_note('x')\n",
    "renamed.py": "from toolkit import from_function\nfrom tools import drop as one\nput = from_function(one).with_name('put')\n",
    "made.py": "from toolkit import Tool\nimport tools\nput = Tool.create('put', 'Put.', {'type': 'object'}, tools.drop)\n",
    "confirmed.py": "from toolkit import from_function\nfrom toolkit.wrappers import ConfirmedTool\nimport tools\n"
    "put = ConfirmedTool(from_function(tools.drop), 'Drop?')\n",
    "facade.py": "from toolkit import from_function\nfrom toolkit.disclosure import UnfoldingTool\nimport tools\n"
    "trunk = UnfoldingTool.of('trunk', 'A trunk.', [from_function(tools.drop)])\n",
    "shop/__init__.py": "",
    "shop/inner.py": "from tools import drop\n",
}
TARGETS = [
    "tools.py:drop", "./tools.py:drop", "sub/../tools.py:drop", "tools:drop", "link.py:drop", "sub/link.py:drop", "here/tools.py:drop",
    "passed.py:drop", "passed:drop", "twice.py:drop", "twice:drop", "starred.py:drop", "shop/inner.py:drop", "shop.inner:drop",
    "tools.py:box.wipe", "tools.py:wipe", "tools.py:Bin.wipe", "passed.py:box.wipe", "twice:box.wipe", "link.py:wipe", "tools.py:burn",
    "tools.py:chest.burn", "tools.py:Chest.burn", "wrapped.py:t", "renamed.py:put", "made.py:put", "facade.py:trunk.drop",
    "confirmed.py:put",
]  # fmt: skip
USES = [
    ("./tools.py", "drop"), ("tools", "drop"), ("tools:drop", "drop"), ("./tools.py:drop", "drop"), ("./sub/../tools.py", "drop"),
    ("./link.py", "drop"), ("./passed.py", "drop"), ("passed", "drop"), ("passed:drop", "drop"), ("twice:drop", "drop"), ("./twice.py", "wipe"),
    ("./starred.py", "drop"), ("shop.inner", "drop"), ("./shop/inner.py", "drop"), ("./renamed.py", "put"), ("tools:box", "wipe"),
    ("./listed.py:tools", "drop"), ("./made.py", "put"), ("./confirmed.py", "drop"), ("./wrapped.py", "put"), ("./here/tools.py", "drop"), ("./tools.py", "burn"),
]  # fmt: skip
SOURCES = [
    "tools.py", "./tools.py", "sub/../tools.py", "./sub/./../tools.py", "{folder}/tools.py", "{folder}/sub/../tools.py", "*tools.py",
    "./t*.py", "{folder}/*.py", "here/tools.py", "link.py", "./link.py", "{folder}/link.py", "TOOLS.py", "tools", "{folder}/here/tools.py",
    "~/tools.py", "too[l]s.py",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with a module of tools, and many ways to it."""
    for name in (".git", "sub", "shop"):
        (tmp_path / name).mkdir()
    for name, text in {"tools.py": TOOLS, **MORE}.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "link.py").symlink_to("tools.py")
    (tmp_path / "sub" / "link.py").symlink_to("../tools.py")
    (tmp_path / "here").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def run(*words):
    return CliRunner().invoke(application(), [*words])


def is_denied(folder, *words):
    done = run("run", *words, "--yes")
    held = done.exit_code == 3 and "denied by deny rule" in done.output and not (folder / "ran").exists()
    (folder / "ran").unlink(missing_ok=True)
    return held, f"{words}: {done.exit_code} {done.output}"


def targets(folder):
    """Yield the words of a run for each way to the tools."""
    for target in TARGETS:
        yield [target]
    for index, (source, name) in enumerate(USES):
        file = folder / f"p{index}.yaml"
        file.write_text(f"name: p{index}\ntools: [{json.dumps(source)}]\nsteps:\n  - use: {name}\n", "utf-8")
        yield [file.name]


def test_every_way_to_a_tool_runs_it_where_nothing_is_denied(folder):
    for way in targets(folder):
        done = run("run", *way, "--yes")
        assert (done.exit_code, (folder / "ran").exists()) == (0, True), f"{way}: {done.output}"
        (folder / "ran").unlink()


@pytest.mark.parametrize("place", ["project", "named", "configuration"])
def test_no_way_to_a_tool_of_a_denied_file_runs_it(folder, attacks, some_of, place):
    for source, way in some_of(product(SOURCES, targets(folder))):
        rule = json.dumps({"source": source.replace("{folder}", str(folder))})
        words = list(way)
        if place == "configuration":
            (folder / "toolkit.toml").write_text(
                f"[[policy.deny]]\n{rule[1:-1].replace(': ', ' = ', 1).replace(chr(34), '', 2)}\n", "utf-8"
            )
        elif place == "project":
            (folder / "toolkit.policy.yaml").write_text(f"deny: [{rule}]", "utf-8")
        else:
            (folder / "rules.yaml").write_text(f"deny: [{rule}]", "utf-8")
            words += ["--policy", "rules.yaml"]
        held, what = is_denied(folder, *words)
        attacks.count(f"{place} {source} {what}", held=held)


@pytest.mark.parametrize(
    ("file", "ways"),
    [
        ("passed.py", ["passed.py:drop", "passed:drop", "passed.py:box.wipe", "twice.py:drop"]),
        ("wrapped.py", ["wrapped.py:t"]),
        ("made.py", ["made.py:put"]),
        ("shop/inner.py", ["shop/inner.py:drop", "shop.inner:drop"]),
        ("facade.py", ["facade.py:trunk.drop"]),
    ],
)
def test_no_tool_runs_through_a_denied_file(folder, attacks, file, ways):
    for source, way in product([file, f"./{file}", str(folder / file), file.upper()], ways):
        (folder / "toolkit.policy.yaml").write_text(f"deny: [{json.dumps({'source': source})}]", "utf-8")
        held, what = is_denied(folder, way)
        attacks.count(f"{source} {what}", held=held or way.startswith("twice"))
        other, _ = is_denied(folder, "tools.py:drop")
        assert not other


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        (
            "box.wipe",
            [
                "tools.py:box.wipe",
                "tools.py:wipe",
                "tools.py:Bin.wipe",
                "passed.py:box.wipe",
                "twice:box.wipe",
                "tools.py:box",
            ],
        ),
        ("Bin.wipe", ["tools.py:box.wipe", "tools.py:wipe", "tools.py:Bin.wipe", "passed:box.wipe"]),
        ("b*.w*", ["tools.py:box.wipe", "tools.py:wipe"]),
        ("box.*", ["tools.py:box.wipe", "tools.py:wipe"]),
        ("chest.burn", ["tools.py:chest.burn", "tools.py:burn", "tools.py:Chest.burn", "passed.py:Chest.burn"]),
        ("Chest.burn", ["tools.py:chest.burn", "tools.py:burn"]),
        ("trunk.drop", ["facade.py:trunk.drop", "facade.py:drop"]),
    ],
)
def test_no_way_to_a_tool_of_a_denied_object_runs_it(folder, attacks, name, ways):
    (folder / "toolkit.policy.yaml").write_text(f"deny: [{{tool: '{name}'}}]", "utf-8")
    for way in ways:
        held, what = is_denied(folder, way)
        attacks.count(f"{name} {what}", held=held)
    other, _ = is_denied(folder, "tools.py:drop")
    assert not other


@pytest.mark.parametrize("sources", [["tools.py"], ["./tools.py"], ["link.py"], ["tools.py:drop"], ["tools"]])
def test_no_way_to_a_tool_of_a_denied_group_runs_it(folder, attacks, sources):
    (folder / "toolkit.toml").write_text(f"[groups.rubbish]\nsources = {json.dumps(sources)}\n", "utf-8")
    (folder / "toolkit.policy.yaml").write_text("deny: [{group: rubbish}]", "utf-8")
    for way in [
        "tools.py:drop",
        "link.py:drop",
        "tools:drop",
        "passed.py:drop",
        "twice:drop",
        "made.py:put",
        "renamed.py:put",
    ]:
        if sources == ["tools.py:drop"] and way == "made.py:put":
            continue  # it is another tool, of the same function
        held, what = is_denied(folder, way)
        attacks.count(f"{sources} {what}", held=held)


def test_a_list_shows_what_is_denied_by_file_and_by_object(folder):
    (folder / "toolkit.policy.yaml").write_text("deny: [{source: ./wrapped.py}, {tool: box.wipe}]", "utf-8")
    for target, decisions in {"wrapped.py": {"put": "deny"}, "passed.py": {"drop": "allow", "wipe": "deny"}}.items():
        listed = json.loads(run("list", target, "--format", "json").stdout)
        assert {one["name"]: one["policy"]["person"][0] for one in listed} == decisions
