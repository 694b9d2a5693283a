"""Definitions of tools that lie, raise or hold what no tool can."""

import re

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from typer.testing import CliRunner

from tests.attacks.hostile_definitions import KINDS, PRELUDE, VALUES, Definition
from tests.volumes import examples
from toolkit.tools.base import problems_deferred  # private
from toolkit_cli.main import application

NEIGHBOUR = '''

@tool
def {name}(a: str) -> str:
    """Return a greeting for the given name.

    Args:
        a: Whom to greet.
    """
    return "Hello, " + a


'''
FIXTURES = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
DEFINITIONS = st.integers(0, len(KINDS) - 1).flatmap(
    lambda kind: st.builds(Definition, st.just(kind), st.sampled_from(KINDS[kind].keys), st.sampled_from(VALUES))
)
# Without these attributes, or with a value that is none, a class is not a tool, and nobody misses it.
MAKE_IT_A_TOOL = {"__module__", "execute", "__toolkit_tool__"}


def is_importable(definition):
    """Return whether Python itself takes a definition; with one that it refuses, there is no module."""
    with problems_deferred():
        try:
            exec(PRELUDE + definition.written("probe"), {"__name__": "probe"})  # noqa: S102 - a test's own definitions
        except BaseException:  # noqa: BLE001 - they may raise anything
            return False
    return True


class Module:
    """A Python file with definitions that may be bad, between two good ones."""

    def __init__(self, file, definitions):
        self.file = file
        self.definitions = {f"bad_{number}": each for number, each in enumerate(definitions)}
        self.lines = {}
        text = PRELUDE + NEIGHBOUR.format(name="first")
        for name, definition in self.definitions.items():
            start = text.count("\n") + 1
            text += definition.written(name)
            self.lines[name] = range(start, text.count("\n") + 2)
            text += "\n\n\n"
        file.write_text(text + NEIGHBOUR.format(name="last"), "utf-8")

    def unnamed(self, output):
        """Return the definitions that an output neither lists nor reports with a place."""
        places = {int(line) for line in re.findall(rf"{self.file.name}:(\d+)", output)}
        return [
            definition
            for name, definition in self.definitions.items()
            if not KINDS[definition.kind].may_be_nothing and definition.key not in MAKE_IT_A_TOOL
            if not re.search(rf"^{name}(_method)?\b", output, re.MULTILINE) and not places & {*self.lines[name]}
            if not re.search(r"^(named|evil|x|nnn)", output, re.MULTILINE)
        ]


def toolkit(*arguments):
    return CliRunner().invoke(application(), list(map(str, arguments)))


def is_clean(result):
    return result.exit_code in {0, 1, 2, 3, 4} and "Traceback" not in result.output


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def modules(folder, definitions):
    number = len(list(folder.iterdir()))
    return Module(folder / f"tools_{number}.py", filter(is_importable, definitions))


@settings(max_examples=examples(25, everyday=3), deadline=None, suppress_health_check=FIXTURES, derandomize=True)
@given(st.lists(DEFINITIONS, min_size=4, max_size=8))
def test_a_bad_definition_hides_no_other_from_any_command(folder, attacks, definitions):
    module = modules(folder, definitions)
    what = list(module.definitions.values())
    listed = toolkit("list", module.file.name)
    attacks.count(f"list: {what}: {listed.output[-600:]}", held=is_clean(listed))
    attacks.count(
        f"a neighbour is missing: {what}", held=all(f"\n{name} " in listed.output for name in ("first", "last"))
    )
    attacks.count(
        f"not named: {module.unnamed(listed.output)}: {listed.output}", held=not module.unnamed(listed.output)
    )
    for command in ("show", "schema", "lock"):
        result = toolkit(command, module.file.name)
        attacks.count(f"{command}: {what}: {result.output[-600:]}", held=is_clean(result))
    good = toolkit("run", f"{module.file.name}:last", "a=Ada")
    attacks.count(f"run: {what}: {good.output[-600:]}", held=good.exit_code == 0 and "Hello, Ada" in good.output)


@settings(max_examples=examples(40, everyday=4), deadline=None, suppress_health_check=FIXTURES, derandomize=True)
@given(DEFINITIONS)
def test_a_bad_definition_never_ends_a_command_that_uses_it(folder, attacks, definition):
    module = modules(folder, [definition])
    target = f"{module.file.name}:bad_0"
    for arguments in (["show", target], ["schema", target, "--dialect", "openai-strict"], ["run", target, "a=b"]):
        result = toolkit(*arguments)
        attacks.count(f"{arguments[0]}: {definition}: {result.output[-600:]}", held=is_clean(result))


@settings(max_examples=examples(12, everyday=2), deadline=None, suppress_health_check=FIXTURES, derandomize=True)
@given(st.lists(DEFINITIONS, min_size=6, max_size=10))
def test_lint_names_every_bad_definition_and_keeps_its_neighbours(folder, attacks, definitions):
    module = modules(folder, definitions)
    result = toolkit("lint", module.file.name, "--no-cache", "--select", "ALL", "--format", "concise")
    what = list(module.definitions.values())
    attacks.count(f"lint: {what}: {result.output[-600:]}", held=is_clean(result) and "TK002" not in result.output)
    shown = toolkit("lint", module.file.name, "--no-cache", "--compat")
    attacks.count(f"compatibility: {what}: {shown.output[-600:]}", held=is_clean(shown))
    kept = all(re.search(rf"^ *{name} ", shown.output, re.MULTILINE) for name in ("first", "last"))
    attacks.count(f"a neighbour is missing: {what}: {shown.output}", held=kept)


def test_a_folder_option_of_a_ready_tool_reaches_the_child_of_lint(folder, attacks):
    (folder / "orders").mkdir()
    (folder / "toolkit.toml").write_text('[builtin.file_read]\nbase = "orders"\n', "utf-8")
    (folder / "greetings.py").write_text(f"from toolkit import tool\n{NEIGHBOUR.format(name='greet')}", "utf-8")
    for arguments in (["lint"], ["lint", "file_read"], ["lint", "."]):
        result = toolkit(*arguments, "--no-cache")
        attacks.count(f"{arguments}: {result.output}", held=result.exit_code == 0)
