"""Tools that run without the approval that their list shows.

A tool with approval is built around a function in many ways, kept in many places, under the function's name or another
one, and asked for by every name that leads to it or to its function, in every command. The function must never run.
"""

import json
import os
from collections.abc import Iterator
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner, Result

from tests.attacks.conftest import Attacks
from tests.volumes import some_of
from toolkit_cli.main import application

HEAD = '''
import functools
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

from toolkit import Pipeline, Tool, ToolContext, TypedTool, WrappedTool, from_function, from_object, resolve_tools, tool
from toolkit import toolbox
from toolkit.disclosure import ToolGroup, UnfoldingTool
from toolkit.tools import TextTool
from toolkit.wrappers import ConfirmedTool

S = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def did(name):
    with Path("ran").open("a") as file:
        file.write(name)
    return "ran " + name


def logged(function):
    def inner(name: str) -> str:
        """Does it."""
        return function(name=name)
    return inner


def shelved(function):
    functions = {"it": [function]}
    def inner(name: str) -> str:
        """Does it."""
        return functions["it"][0](name)
    return inner


def kept(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner


@dataclass
class Named:
    name: str


class Held:
    def __init__(self, function):
        self.function = function

    def __call__(self, name: str) -> str:
        """Does it."""
        return self.function(name=name)
'''

PLAIN = '''
def wipe(name: str) -> str:
    """Wipes it."""
    return did(name)
'''
MARKED = PLAIN.replace("def wipe", "@tool\ndef wipe")
METHOD = '''
class Disk:
    def wipe(self, name: str) -> str:
        """Wipes it."""
        return did(name)

    def __call__(self, name: str) -> str:
        """Wipes it."""
        return did(name)

    @staticmethod
    def erase(name: str) -> str:
        """Wipes it."""
        return did(name)

    @classmethod
    def clear(cls, name: str) -> str:
        """Wipes it."""
        return did(name)


disk = Disk()
'''
MARKED_METHOD = '''
class Disk:
    @tool
    def wipe(self, name: str) -> str:
        """Wipes it."""
        return did(name)


disk = Disk()
'''
TEXT = """
class Disk:
    name = "wipe"
    description = "Wipes it."

    def execute(self, text: str) -> str:
        return did(text)


disk = Disk()
"""


class Build(NamedTuple):
    """A way to build a tool: the code of the function, names of it, and the tool, without a name where `NAME` stands."""

    function: str
    names: tuple[str, ...]
    tool: str


CREATED = "Tool.create(NAME, 'Wipes.', S, {}, requires_approval=True)"
CONFIRMED = "ConfirmedTool(from_function({}, name=NAME), 'Really?')"
BOUND = {"disk.wipe": ("disk.wipe", "Disk.wipe", "disk.wipe.__func__"), "disk": ("disk", "disk.__call__", "Disk.__call__"),
         "Disk.erase": ("Disk.erase", "disk.erase"), "Disk.clear": ("Disk.clear", "disk.clear"),
         "Disk().wipe": ("Disk.wipe", "disk.wipe")}  # fmt: skip
FROM_FUNCTION = [
    CREATED.format("wipe"),
    CREATED.format("wipe").replace("requires_approval", "destructive"),
    CREATED.format("functools.partial(wipe)"),
    CREATED.format("logged(wipe)"),
    CREATED.format("logged(logged(wipe))"),
    CREATED.format("shelved(wipe)"),
    CREATED.format("kept(wipe)"),
    CREATED.format("kept(kept(wipe))"),
    CREATED.format("functools.lru_cache(wipe)"),
    CREATED.format("lambda name: wipe(name)"),
    CREATED.format("lambda name, function=wipe: function(name)"),
    CREATED.format("Held(wipe)"),
    CREATED.format("Held(functools.partial(wipe))"),
    "from_function(wipe, name=NAME, requires_approval=True)",
    "from_function(wipe, name=NAME, destructive=True)",
    "from_function(kept(wipe), name=NAME, requires_approval=True)",
    "from_function(wipe, requires_approval=True).with_name(NAME)",
    "from_function(wipe, name=NAME, requires_approval=True).with_note('Careful.')",
    "from_function(wipe, requires_approval=True).with_description('Careful.').with_name(NAME)",
    CONFIRMED.format("wipe"),
    f"ConfirmedTool({CONFIRMED.format('wipe')}, 'Really, really?')",
    f"WrappedTool({CONFIRMED.format('wipe')})",
    "ConfirmedTool(WrappedTool(from_function(wipe)), 'Really?').with_name(NAME)",
    "ConfirmedTool(Tool.create(NAME, 'Wipes.', S, lambda name: wipe(name)), lambda given: 'Really?')",
    "resolve_tools([from_function(wipe, name=NAME, requires_approval=True)])[NAME]",
    "TypedTool(name=NAME, description='Wipes.', input_type=Named, function=lambda it: wipe(it.name), destructive=True)",
]
TYPED = '''
def wipe(it: Named) -> str:
    """Wipes it."""
    return did(it.name)
'''
BUILDS = [
    *(Build(PLAIN, ("wipe", "alias"), one) for one in FROM_FUNCTION),
    *(Build(MARKED, ("wipe", "alias"), one) for one in FROM_FUNCTION),
    *(Build(METHOD, names, CREATED.format(one)) for one, names in BOUND.items()),
    *(Build(METHOD, names, CONFIRMED.format(one)) for one, names in BOUND.items() if one != "disk"),
    Build(MARKED_METHOD, ("disk.wipe", "Disk.wipe", "disk", "Disk"), CONFIRMED.format("disk.wipe")),
    Build(MARKED_METHOD, ("disk", "Disk"), "ConfirmedTool(from_object(disk)[0], 'Really?').with_name(NAME)"),
    Build(TEXT, ("disk", "disk.execute", "Disk.execute"), "ConfirmedTool(from_object(disk)[0], '?').with_name(NAME)"),
    Build(
        TYPED,
        ("wipe",),
        "TypedTool(name=NAME, description='Wipes.', input_type=Named, function=wipe, destructive=True)",
    ),
]
PLACES = [
    "gated = {}",
    "_gated = {}",
    "tools = [{}]",
    "tools = ({},)",
    "tools = {{'wipe': {}}}",
    "tools = frozenset([{}])",
    "tools = UnfoldingTool.of('box', 'A box.', [{}])",
    "gated = {}\nother = gated",
    "inner = {}\ngated = WrappedTool(inner)",
]
"""Where the tool is kept; each is listed."""
HIDDEN = [
    "tools = [[{}]]",
    "tools = {{'a': [{}]}}",
    "tools = MappingProxyType({{'wipe': {}}})",
    "tools = SimpleNamespace(wipe={})",
    "class Tools:\n    wipe = {}",
    "tools = ToolGroup.of('box', [{}])",
    "tools = Pipeline.of({}, name='both', description='Both.')",
    "tools = UnfoldingTool.selectable('box', 'A box.', S, lambda given: [{}])",
    "tools = UnfoldingTool.of('box', 'A box.', [UnfoldingTool.of('inner', 'Another.', [{}])])",
]
"""Where a tool is kept that only a name leads to."""
INTO = ["inner", "function", "_function", "execute", "perform", "call", "run", "inner.function", "work", "work.perform"]
TO_RUN: list[list[str]] = [
    ["run", "TARGET", "name=x"],
    ["run", "TARGET", "--args", '{"name": "x"}'],
    ["run", "TARGET", "--each", "items.jsonl"],
    ["run", "TARGET", "x"],
    ["run", "NAME", "name=x", "--tools", "TARGET"],
    ["run", "user.yaml"],
    ["run", "own.yaml"],
]
TO_LOOK: list[list[str]] = [
    ["show", "TARGET", "--format", "json"],
    ["list", "TARGET", "--format", "json"],
    ["policy", "check", "TARGET", "name=x"],
    ["run", "TARGET", "name=x", "--dry-run"],
    ["schema", "TARGET"],
]
PIPELINES = {
    "user.yaml": "description: One.\ntools: ['TARGET']\nsteps:\n  - use: NAME\n    with: {name: x}\n",
    "own.yaml": "description: One.\nsteps:\n  - use: TARGET\n    with: {name: x}\n",
}


class Project:
    """A folder with one module, and the program in this process."""

    def __init__(self, folder: Path) -> None:
        """Nothing is there yet."""
        self._folder = folder
        self._count = 0
        folder.joinpath("items.jsonl").write_text('{"name": "x"}\n')

    def write(self, code: str) -> None:
        """Write a module under a name that was not imported before."""
        self._count += 1
        self.file = f"tools_{self._count}.py"
        self._folder.joinpath(self.file).write_text(code)

    def run(self, words: list[str], name: str) -> Result:
        """Run a command about a name in the module."""
        target = f"{self.file}:{name}"
        for file, text in PIPELINES.items():
            self._folder.joinpath(file).write_text(text.replace("TARGET", target).replace("NAME", name))
        given = [target if word == "TARGET" else name if word == "NAME" else word for word in words]
        return CliRunner().invoke(application(), given)

    def has_run(self) -> bool:
        """Whether a function has run since the last time."""
        marker = self._folder / "ran"
        is_there = marker.exists()
        marker.unlink(missing_ok=True)
        return is_there

    def listed(self) -> dict[str, dict[str, Any]]:
        """Return the tools that the module lists."""
        found = CliRunner().invoke(application(), ["list", self.file, "--format", "json"])
        return {one["name"]: one for one in json.loads(found.stdout)}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty folder, with no settings from outside."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("TOOLKIT_")]:
        monkeypatch.delenv(name)
    return Project(tmp_path)


class Module(NamedTuple):
    """A module: its code, the name of its tool, and the names that lead to the tool or its function."""

    code: str
    name: str
    targets: tuple[str, ...]


def modules(
    places: list[str], builds: list[Build], names: tuple[str, ...] = ("wipe", "gated_wipe")
) -> Iterator[Module]:
    """Yield a module for each way to build the tool and place to keep it, with both names in turn."""
    for (build, place), name in zip(product(builds, places), cycle(names), strict=False):
        made = build.tool.replace("NAME", repr(name))
        held = [head for head in ("gated", "_gated", "tools", "inner", "other") if f"{head} =" in place]
        into = [f"{head}.{inner}" for head in held[:1] for inner in INTO]
        targets = (*build.names, "alias", name, *held, f"{build.names[0]}.__wrapped__", "Tools.wipe", *into)
        code = f"{HEAD}{build.function}\nalias = {build.names[0]}\n{place.format(made)}\n"
        yield Module(code, name, targets)


def is_gated(record: dict[str, Any]) -> bool:
    """Whether a list shows that a tool asks before a person's call; a facade does nothing itself."""
    return (
        record["kind"] == "facade"
        or record["requires_approval"]
        or record["destructive"]
        or "ask" in record["policy"]["person"]
    )


UNMARKED = [build for build in BUILDS if "@tool" not in build.function and build.function != TEXT]
DECLARED = [build for build in BUILDS if build not in UNMARKED]


@pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.proof(everyday=1)) for part in range(8)])
def test_no_name_leads_past_the_gate_of_a_listed_tool(project: Project, attacks: Attacks, part: int) -> None:
    chosen = [
        *modules(PLACES, UNMARKED),
        *modules([place for place in PLACES if "box" not in place], DECLARED, ("wipe",)),
    ]
    ways = zip(some_of(chosen[part::8]), cycle(TO_RUN), strict=False)
    for module, words in ways:
        project.write(module.code)
        listed = project.listed()
        assert listed, module.code
        attacks.count(f"{listed}\n{module.code}", held=all(map(is_gated, listed.values())))
        for name in dict.fromkeys(module.targets):
            found = project.run(words, name)
            attacks.count(f"{words} {name}: {found.output}\n{module.code[len(HEAD) :]}", held=not project.has_run())


@pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.proof(everyday=1)) for part in range(6)])
def test_no_name_leads_to_the_function_of_a_tool_that_is_out_of_sight(
    project: Project, attacks: Attacks, part: int
) -> None:
    for module, words in islice(zip(some_of(modules(HIDDEN, UNMARKED)), cycle(TO_RUN), strict=False), part, None, 6):
        project.write(module.code)
        for name in dict.fromkeys(module.targets):
            found = project.run(words, name)
            attacks.count(f"{words} {name}: {found.output}\n{module.code[len(HEAD) :]}", held=not project.has_run())


def test_every_command_shows_the_same_tool(project: Project, attacks: Attacks) -> None:
    for module, words in zip(some_of(modules(PLACES[:1], UNMARKED)), cycle(TO_LOOK), strict=False):
        project.write(module.code)
        shown = _without_names(project.run(words, module.name).output, module.name)
        for name in dict.fromkeys(module.targets[: -len(INTO)]):
            found = project.run(words, name)
            is_same = _without_names(found.output, module.name, name) == shown
            attacks.count(f"{words} {name}: {found.output}\n{module.code}", held=is_same or found.exit_code in {2, 4})
        assert not project.has_run()


def _without_names(text: str, *names: str) -> str:
    """Return what a command shows without the name that it was asked for."""
    for name in names:
        text = text.replace(name, "NAME")
    return text
