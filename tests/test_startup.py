"""What a command does not need, it does not import: a quick start is a promise."""

import ast
import os
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pexpect
import pytest

import toolkit
import toolkit_cli
from tests.terminals import MENU_END, PROMPT

ROOT = Path(__file__).parents[1]
LIBRARIES = {
    "anyio",
    "asyncio",
    "dbos",
    "opentelemetry",
    "prompt_toolkit",
    "pydantic",
    "pydantic_core",
    "questionary",
    "rich",
    "sqlalchemy",
    "yaml",
}
DIALOGUE = {"prompt_toolkit", "questionary"}
EVENT_LOOPS = {"anyio", "asyncio"}
MOST_FOR_A_QUESTION = 114
NOT_EVERYWHERE = {"fcntl", "msvcrt", "resource", "termios"}  # modules of one system

PROBE = """
import atexit, os, sys
atexit.register(lambda: open(os.environ["SEEN"], "w").write("\\n".join(sys.modules)))
{program}
"""
COMMAND = "from toolkit_cli.main import main\nsys.exit(main())"

TOOL = '''
from toolkit import tool

@tool
def greet(name: str, times: int = 1) -> str:
    """Greet somebody."""
    return ", ".join(["hello " + name] * times)
'''
TOOL_OF_FASTMCP = '''
from fastmcp import FastMCP

server = FastMCP("shop")

@server.tool
def find_order(number: str) -> str:
    """Find an order of the shop by its number."""
    return number
'''
TEXT_TOOLS = """
class Upper:
    name = "upper"
    description = "Put text into capitals."

    def execute(self, text: str) -> str:
        return text.upper()
"""
TEXT_PIPELINE = """
name: shout
description: Put text into capitals, twice.
tools: [./text_tools.py]
steps: [upper, upper]
"""


def environment(**more):
    """Return the environment without settings: each of them is a reason to import what reads it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")} | more


def imported(directory, program, *arguments):
    """Run a program in a fresh interpreter; return what it printed and which of the libraries it had imported."""
    seen = directory / "seen.txt"
    finished = subprocess.run(
        [sys.executable, "-c", PROBE.format(program=program), *arguments],
        cwd=directory,
        env=environment(SEEN=str(seen), NO_COLOR="1", XDG_STATE_HOME=str(seen.parent / "state")),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    roots = {name.partition(".")[0] for name in seen.read_text("utf-8").splitlines()}
    return finished.stdout, roots & LIBRARIES


@pytest.fixture
def project(tmp_path):
    (tmp_path / "tools.py").write_text(TOOL, "utf-8")
    (tmp_path / "text_tools.py").write_text(TEXT_TOOLS, "utf-8")
    (tmp_path / "shout.yaml").write_text(TEXT_PIPELINE, "utf-8")
    return tmp_path


def test_importing_the_library_imports_no_other(tmp_path):
    assert imported(tmp_path, "import toolkit") == ("", set())


def test_marking_a_function_imports_nothing(tmp_path):
    assert imported(tmp_path, TOOL) == ("", set())


def test_version_imports_not_even_the_parser_of_arguments(tmp_path):
    program = COMMAND.replace("sys.exit(main())", "sys.exit(main() or 'typer' in sys.modules)")
    output, libraries = imported(tmp_path, program, "--version")
    assert output.startswith("toolkit ")
    assert libraries == set()


def test_help_imports_no_library(tmp_path):
    output, libraries = imported(tmp_path, COMMAND, "--help")
    assert "run" in output
    assert libraries == set()


def test_run_of_a_tool_imports_only_what_validates(project):
    output, libraries = imported(project, COMMAND, "run", "tools.py:greet", "name=Ada", "times=2")
    assert output == "hello Ada, hello Ada\n"
    assert libraries <= {"pydantic", "pydantic_core"}


def test_schema_of_a_tool_imports_only_what_makes_schemas(project):
    output, libraries = imported(project, COMMAND, "schema", "tools.py")
    assert '"greet"' in output
    assert libraries <= {"pydantic", "pydantic_core"}
    modules = (project / "seen.txt").read_text("utf-8").splitlines()
    rooms = ("agents", "cases", "lint", "pipelines", "webhooks", "dialects.providers")
    assert not [name for name in modules if name.startswith(tuple(f"toolkit.{room}" for room in rooms))]


def test_static_lint_of_another_framework_s_tools_imports_no_library(project):
    (project / "server.py").write_text(TOOL_OF_FASTMCP, "utf-8")
    output, libraries = imported(project, COMMAND, "lint", "--static", "server.py")
    assert "1 FastMCP" in output
    assert libraries == set()


@pytest.mark.parametrize("options", [(), ("--static",)], ids=["imported", "static"])
def test_lint_loads_no_client_and_nothing_that_calls_tools(project, options):
    imported(project, COMMAND, "lint", "--exit-zero", "--no-cache", *options, "tools.py")
    modules = (project / "seen.txt").read_text("utf-8").splitlines()
    assert "toolkit.lint.engine.file_checks" in modules
    assert {"urllib.request", "email", "toolkit.tools.base", "toolkit.sources.modules"}.isdisjoint(modules)


@pytest.mark.proof
def test_run_of_text_steps_imports_neither_dialogue_nor_event_loop(project):
    output, libraries = imported(project, COMMAND, "run", "shout.yaml", "--input", "hello")
    assert output == "HELLO\n"
    assert libraries & (DIALOGUE | EVENT_LOOPS) == set()


@pytest.mark.proof
def test_rules_cost_nothing_where_there_are_none(project):
    for arguments in (("run", "tools.py:greet", "name=Ada"), ("run", "shout.yaml", "--input", "hello")):
        imported(project, COMMAND, *arguments)
        modules = (project / "seen.txt").read_text("utf-8").splitlines()
        assert "toolkit.approvals.policies" in modules
        assert {
            "toolkit.approvals.rules",
            "toolkit.approvals.allowances",
            "toolkit.sources.project_policies",
        }.isdisjoint(modules)


@pytest.mark.proof
def test_telemetry_costs_nothing_unless_somebody_asks_for_it(project):
    for arguments in (("run", "tools.py:greet", "name=Ada"), ("run", "shout.yaml", "--input", "hello")):
        imported(project, COMMAND, *arguments)
        modules = (project / "seen.txt").read_text("utf-8").splitlines()
        assert not [name for name in modules if name.startswith(("opentelemetry", "toolkit.telemetry"))]


@pytest.mark.proof
def test_agents_cost_nothing_where_there_are_none_and_show_asks_no_provider(project):
    for arguments in (("run", "tools.py:greet", "name=Ada"), ("run", "shout.yaml", "--input", "hello")):
        imported(project, COMMAND, *arguments)
        modules = (project / "seen.txt").read_text("utf-8").splitlines()
        assert "toolkit.tools.base" in modules
        assert "toolkit.agents.agent" not in modules
    (project / "clerk.yaml").write_text("agent: simple\ndescription: Greet.\ntools: [./tools.py]\nmodel: chat:x\n")
    output, libraries = imported(project, COMMAND, "show", "clerk.yaml")
    assert "chat:x" in output
    assert libraries <= {"pydantic", "pydantic_core", "yaml"}


TOOL_WITHOUT_FINDINGS = '''from toolkit import tool


@tool(read_only=True)
def find_orders(customer: str) -> str:
    """Find the orders of a customer of the shop.

    Args:
        customer: The name of the customer, such as `Berg`.

    Returns:
        One line for each order.
    """
    return f"orders of {customer}"
'''
SERVER = '[mcp.far]\ncommand = "nothing-of-this-name"\n'
AGENT = "agent: simple\ndescription: Greet.\ntools: [./tools.py]\nmodel: chat:x\n"
DANGEROUS = TOOL.replace("@tool", "@tool(destructive=True)").replace("greet", "wipe")
QUESTION = ("asking", COMMAND, "run", "tools.py:wipe", "name=Ada")
"""A run on a terminal, with a question that is answered."""
API = '{"openapi": "3.1.0", "servers": [{"url": "https://shop.example"}], "paths": {"/orders": {"get": {}}}}'
SCRIPT = "turns:\n  - calls: [{tool: greet, arguments: {name: Ada}}]\n  - Done.\n"
USES = f"{TOOL}\nfrom toolkit import resolve_tools\n[ready] = resolve_tools([greet]).values()\n"
PROGRAMS = [
    (".", "import toolkit"),
    (".", "from toolkit.builtin import ready_tools\nready_tools()"),
    (".", "import toolkit.lint.engine.collecting"),  # what the child of lint begins with
    (".", "import toolkit_cli.testing.pytest_plugin"),  # what every run of pytest begins with
    QUESTION,
    (".", "import toolkit.webhooks.webhook_keys"),  # what a configuration with a webhook has,
    (".", "import toolkit.webhooks.webhook_reviewer"),  # and then a run before it asks
    (".", "import toolkit_cli.reviewing.console_reviewer"),  # what a run on a terminal has before it asks
    (".", "import toolkit_cli.reviewing.sign_in_prompts"),  # and before somebody signs in
    (".", "from toolkit import load_tools\nload_tools('tools.py')"),
    (".", USES + "ready.run({'name': 'Ada'})"),
    (".", USES + "from toolkit.wrappers import limited\nlimited(ready, characters=9).run({'name': 'Ada'})"),
    (".", f"import os\nos.environ['TOOLKIT_TIMEOUT'] = '9'\n{COMMAND}", "run", "calculator", "1+1"),
    *(
        (folder, COMMAND, *arguments.split())
        for folder, arguments in (
            (".", "--version"),
            ("foreign", "list --static server.py"),
            (".", "run --help"),
            (".", "test --help"),
            (".", "test tools.py"),
            (".", "run calculator 1+1"),
            (".", "run tools.py:greet name=Ada"),
            (".", "run shout.yaml --input hello"),
            (".", "run tools.py:greet --each lines:tools.py"),
            ("configured", "run calculator 1+1"),
            ("far", "run calculator 1+1"),
            ("far", "run far.tool"),
            ("ruled", "run tools.py:greet name=Ada"),
            ("ruled", "policy list"),
            ("ruled", "policy test"),
            ("ruled", "policy check tools.py:greet name=Ada"),
            (".", "policy --help"),
            (".", "schema tools.py"),
            (".", "show clerk.yaml"),
            (".", "show shout.yaml"),
            (".", "list tools.py"),
            (".", "list --why tools.py"),
            (".", "list builtin"),
            (".", "list shop.json"),
            (".", "lint tools.py"),
            ("known", "lint tools.py"),
            (".", "lint --static tools.py"),
            (".", "lint --explain TK201"),
            (".", "lint --help"),
            (".", "agent --help"),
            (".", "agent hello --model nobody:nothing"),
            (".", "agent hello --tools tools.py --model scripted:script.yaml"),
            (".", "mcp list"),
            (".", "runs list"),
            (".", "worker --help"),
            (".", "lock --help"),
            (".", "new --help"),
            (".", "serve --help"),
            (".", "ui --help"),
            (".", "serve tools.py"),
        )
    ),
]
"""What people run: the folder, the program and its arguments."""


def late_imports():
    """Yield the modules that functions import, each with the module that they stand in.

    `__main__` is left out: it imports late so that it can tell why an import fails.
    """
    for package in (toolkit, toolkit_cli):
        root = Path(str(package.__file__)).parent
        for file in sorted(root.rglob("[!_]*.py")):
            module = ".".join(file.relative_to(root.parent).with_suffix("").parts)
            functions = [
                n
                for n in ast.walk(ast.parse(file.read_text("utf-8")))
                if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
            for statement in {node for function in functions for node in ast.walk(function)}:
                match statement:
                    case ast.Import():
                        yield from ((module, alias.name) for alias in statement.names)
                    case ast.ImportFrom(module=str()):
                        yield from ((module, wanted) for wanted in modules_of(statement))


def modules_of(statement):
    """Return the modules that `from package import one, two` imports: the package, or those in it that it names."""
    package = Path(toolkit.__file__).parents[1], Path(toolkit_cli.__file__).parents[1]
    inside = [f"{statement.module}.{alias.name}" for alias in statement.names]
    found = [name for name in inside if any((root / f"{name.replace('.', '/')}.py").exists() for root in package)]
    return found or [statement.module]


def loaded_modules(project, folder, program, *arguments):
    """Return the modules that a program has imported when it ends."""
    seen = project / f"{abs(hash((folder, program, arguments)))}.seen"
    words = ["-c", PROBE.format(program=program), *arguments]
    variables = environment(SEEN=str(seen), NO_COLOR="1", XDG_STATE_HOME=str(seen.parent / "state"))
    if (folder, program, *arguments) == QUESTION:
        answer_once(words, project / folder, variables)
    else:
        subprocess.run(
            [sys.executable, *words],
            cwd=project / folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    return set(seen.read_text("utf-8").splitlines())


def answer_once(words, folder, variables):
    """Run a program on a terminal, and approve the call that it asks about."""
    on_terminal = variables | {"PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}
    child = pexpect.spawn(sys.executable, words, cwd=str(folder), env=on_terminal, encoding="utf-8", timeout=60)
    child.expect_exact(MENU_END)
    child.expect_exact(PROMPT)
    child.send("o\r")
    child.expect_exact("hello Ada")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def dangerous(project):
    (project / "asking").mkdir()
    (project / "asking" / "tools.py").write_text(DANGEROUS, "utf-8")
    return project


@pytest.mark.proof
def test_a_question_needs_no_rules_and_no_other_kinds_of_tools(project):
    loaded = loaded_modules(dangerous(project), *QUESTION)
    rooms = ("agents", "disclosure", "documents.nodes", "mcp", "pins", "pipelines", "wrappers")
    assert "toolkit_cli.reviewing.console_reviewer" in loaded
    assert "toolkit.approvals.rule_offers" not in loaded
    assert "toolkit.approvals.rules" not in loaded
    assert not [name for name in loaded if name.startswith(tuple(f"toolkit.{room}" for room in rooms))]
    ours = [name for name in loaded if name.partition(".")[0] in {"toolkit", "toolkit_cli"}]
    assert len(ours) <= MOST_FOR_A_QUESTION


@pytest.mark.proof
def test_every_late_import_of_our_own_modules_saves_some_program_from_importing_them(project):
    (project / "clerk.yaml").write_text(AGENT, "utf-8")
    (project / "script.yaml").write_text(SCRIPT, "utf-8")
    for folder, settings in (("configured", 'sources = ["../tools.py"]\n'), ("far", SERVER)):
        (project / folder).mkdir()
        (project / folder / "toolkit.toml").write_text(settings, "utf-8")
    (project / "shop.json").write_text(API, "utf-8")
    dangerous(project)
    (project / "ruled").mkdir()
    (project / "ruled" / "tools.py").write_text(TOOL, "utf-8")
    (project / "ruled" / "toolkit.policy.yaml").write_text("deny: [{tool: greet}]\n", "utf-8")
    (project / "foreign").mkdir()
    (project / "foreign" / "server.py").write_text(TOOL_OF_FASTMCP, "utf-8")
    (project / "known").mkdir()
    (project / "known" / "tools.py").write_text(TOOL_WITHOUT_FINDINGS, "utf-8")
    loaded_modules(project, "known", COMMAND, "lint", "tools.py")  # from now on, everything of it is kept
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        loaded = list(pool.map(lambda program: loaded_modules(project, *program), PROGRAMS))
    saves_nothing = {
        (module, wanted)
        for module, wanted in late_imports()
        if wanted.startswith("toolkit") and not any(module in one and wanted not in one for one in loaded)
    }
    assert sorted(saves_nothing) == []


@pytest.mark.proof
def test_every_late_import_of_another_library_saves_its_module_from_importing_it(tmp_path):
    banned = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]["flake8-tidy-imports"]
    late = [
        (module, wanted)
        for module, wanted in late_imports()
        if wanted.partition(".")[0]
        not in {"toolkit", "toolkit_cli", *NOT_EVERYWHERE, *banned["banned-module-level-imports"]}
    ]
    modules = sorted({module for module, _ in late})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        loaded = dict(
            zip(modules, pool.map(lambda one: loaded_modules(tmp_path, ".", f"import {one}"), modules), strict=True)
        )
    assert all(module in loaded[module] for module in modules)
    assert sorted((module, wanted) for module, wanted in late if wanted in loaded[module]) == []
