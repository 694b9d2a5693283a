"""What a framework makes of a definition depends on its version, its options and the project's own code."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

SERVER = '''
from fastmcp import FastMCP

mcp = FastMCP("weather")


@mcp.tool(description="Forecast the weather in a city on one of the next days.")
def forecast(city: str, date: str) -> str:
    """Forecast the weather.

    Args:
        city: The name of the city, such as `Oslo`.
        date: The day, as `2026-05-17`.
    """
    return weather.of(city, date)
'''
SCRIPT = '# /// script\n# dependencies = ["fastmcp>=2.14"]\n# ///\n'
FILES = {
    "uv": (
        "uv.lock",
        '[[package]]\nname = "fastmcp-slim"\nversion = "9"\n\n[[package]]\nname = "fastmcp"\nversion = "{}"\n',
    ),
    "poetry": ("poetry.lock", '[[package]]\nname = "fastmcp"\nversion = "{}"\ndescription = "x"\n'),
    "pdm": ("pdm.lock", '[[package]]\nname = "fastmcp"\nversion = "{}"\n'),
    "pipenv": ("Pipfile.lock", '{{"default": {{"fastmcp": {{"hashes": [], "version": "=={}"}}}}}}'),
    "environment": (".venv/lib/python3.13/site-packages/fastmcp-{}.dist-info/METADATA", ""),
    "requirements": ("requirements.txt", "fastmcp=={}\n"),
    "oldest bound": ("pyproject.toml", '[project]\ndependencies = ["fastmcp[tasks]>={},<5"]\n'),
    "dependency of poetry": ("pyproject.toml", '[tool.poetry.dependencies]\nfastmcp = "^{}"\n'),
}


def write(folder, name, text):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def lint(*options, format="json"):
    words = ["lint", "--static", "--no-cache", "--profile", "recommended", "--format", format, *options]
    return CliRunner().invoke(application(), words).stdout


def findings(*options):
    return [(one["code"], one["message"], one["hint"]) for one in json.loads(lint(*options))]


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "src" / "weather"
    folder.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "src/weather/server.py", SERVER)
    return tmp_path


@pytest.mark.parametrize("kind", FILES)
def test_version_of_a_project_decides_whether_docstrings_describe_parameters(project, kind):
    name, text = FILES[kind]
    write(project, name.format("2.14.7"), text.format("2.14.7"))
    first, second = findings("src")
    assert first[:2] == ("TK204", "parameter 'city' of 'forecast' has no description")
    assert second[:2] == ("TK204", "parameter 'date' of 'forecast' has no description")
    source = ".venv" if kind == "environment" else name
    assert first[2].endswith(f"FastMCP 2.14.7, according to '{source}', does not read docstrings for that")


@pytest.mark.parametrize("kind", FILES)
def test_later_version_reads_docstrings(project, kind):
    name, text = FILES[kind]
    write(project, name.format("3.2.4"), text.format("3.2.4"))
    assert findings("src") == []
    write(
        project,
        "src/weather/server.py",
        SERVER.replace("        date: The day, as `2026-05-17`.\n", "").replace(
            'f"sun in {city} on {date}"', "ask(city, date)"
        ),
    )
    [found] = findings("src", "--profile", "all", "--select", "TK204")
    source = ".venv" if kind == "environment" else name
    hint = f"FastMCP 3.2.4, according to '{source}', reads docstrings for that"
    assert found[1] == "parameter 'date' of 'forecast' has no description"
    assert found[2] == f"write Annotated[…, Field(description='…')]; {hint}"


def test_text_after_a_section_is_lost_in_versions_that_send_the_summary(project):
    text = SERVER.replace('(description="Forecast the weather in a city on one of the next days.")', "")
    write(project, "src/weather/server.py", text.replace("05-17`.\n", "05-17`.\n\n    Not for the past.\n"))
    found = []
    for version in ("2.14.7", "3.2.4"):
        write(project, "uv.lock", FILES["uv"][1].format(version))
        found += [message for _, message, _ in findings("src", "--profile", "all", "--select", "TK210")]
    assert found == ["no model sees what follows a section in the docstring of 'forecast'"]
    guessed = text.replace("from fastmcp import FastMCP\n\nmcp = FastMCP", "mcp = load_server")
    write(project, "src/weather/server.py", guessed.replace("05-17`.\n", "05-17`.\n\n    Not for the past.\n"))
    assert findings("src", "--profile", "all", "--select", "TK210") == []


def test_dependencies_of_a_script_come_before_those_of_its_project(project):
    write(project, "uv.lock", FILES["uv"][1].format("4.1.2"))
    write(project, "src/weather/server.py", SCRIPT + SERVER)
    assert [code for code, _, hint in findings("src") if "FastMCP 2.14, according to 'server.py'" in hint] == [
        "TK204"
    ] * 2


def test_lock_file_of_a_script_comes_before_its_dependencies(project):
    script = SCRIPT.replace("fastmcp>=2.14", "mcp") + SERVER.replace("from fastmcp", "from mcp.server.fastmcp")
    write(project, "src/weather/server.py", script)
    found = json.loads(lint("--select", "TK710", "src"))
    for version in ("1.26.0", "2.3.0"):
        write(project, "src/weather/server.py.lock", f'[[package]]\nname = "mcp"\nversion = "{version}"\n')
        found += json.loads(lint("--select", "TK710", "src"))
    assert [one["severity"] for one in found] == ["error", "info", "error"]


def test_cached_findings_are_checked_again_when_the_version_changes(project):
    def cached():
        words = ["lint", "--static", "--profile", "recommended", "--format", "json", "src"]
        return [one["code"] for one in json.loads(CliRunner().invoke(application(), words).stdout)]

    write(project, "uv.lock", FILES["uv"][1].format("3.2.4"))
    assert cached() == cached() == []
    write(project, "uv.lock", FILES["uv"][1].format("2.14.7"))
    assert cached() == cached() == ["TK204", "TK204"]


HIDDEN = {
    "an excluded argument": ('@mcp.tool(exclude_args=["key"])\n', "key: str = ''"),
    "a name for excluded arguments": ("HIDDEN = ('key',)\n\n\n@mcp.tool(exclude_args=HIDDEN)\n", "key: str = ''"),
    "a context of the project": ("class Session(Context):\n    pass\n\n\n@mcp.tool\n", "key: Session"),
    "an alias of the context": ("Session = Context\n\n\n@mcp.tool\n", "key: Session | None = None"),
    "an optional context": ("@mcp.tool\n", "key: Context | None = None"),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_parameter_that_no_model_sees_needs_no_description(project, case):
    mark, parameter = HIDDEN[case]
    function = f'def look_up(order: str, {parameter}) -> str:\n    """Look up an order of the shop.\n\n    Args:\n        order: Its number.\n    """\n    return order + str(key)\n'
    write(
        project,
        "src/weather/server.py",
        "from fastmcp import Context, FastMCP\n\nmcp = FastMCP('shop')\n\n\n" + mark + function,
    )
    assert findings("src") == []


@pytest.mark.parametrize(
    "statement",
    [
        "look_up.__signature__ = signature_of(schema)",
        "setattr(look_up, '__signature__', signature_of(schema))",
        "cast(Any, look_up).__signature__ = signature_of(schema)",
        "bind(signature_of(schema), function=look_up)",
    ],
)
def test_signature_that_the_file_replaces_is_not_that_of_the_tool(statement, project):
    code = '''
from fastmcp import FastMCP

mcp = FastMCP("proxy")


def bind(signature, function):
    function.__signature__ = signature


def register(schema):
    async def look_up(**arguments) -> str:
        """Look up an order of the shop by its number."""
        return str(arguments)

    STATEMENT
    mcp.tool(look_up)
'''
    write(project, "src/weather/server.py", code.replace("STATEMENT", statement))
    assert findings("src") == []
    write(project, "src/weather/server.py", code.replace("    STATEMENT\n", ""))
    assert findings("src") == []  # something else may change the function before the call
    assert [one["code"] for one in json.loads(lint("--select", "TK709", "src"))] == ["TK709"]
    marked = code.replace("    async def", "    @mcp.tool\n    async def").replace(
        "    STATEMENT\n    mcp.tool(look_up)\n", ""
    )
    write(project, "src/weather/server.py", marked)
    assert [code for code, _, _ in findings("src")] == ["TK709"]


def test_parameter_that_a_decorator_of_the_project_may_hide_needs_no_description(project):
    decorators = """
import functools
import inspect


def with_session(region):
    def decorator(function):
        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            return await function(open_session(region), *args, **kwargs)

        wrapper.__signature__ = without_first(inspect.signature(function))
        return wrapper

    return decorator
"""
    code = '''
from fastmcp import FastMCP
from weather.sessions import with_session

mcp = FastMCP("shop")


@mcp.tool
@with_session("eu")
async def look_up(session, order: str) -> str:
    """Look up an order of the shop.

    Args:
        order: Its number.
    """
    return await session["store"].get(order)
'''
    write(project, "src/weather/__init__.py", "")
    write(project, "src/weather/sessions.py", decorators)
    write(project, "src/weather/server.py", code)
    assert findings("src") == []
    write(project, "src/weather/sessions.py", decorators.replace("wrapper.__signature__", "signature"))
    found = [message for code, message, _ in findings("src") if code == "TK204"]
    assert found == ["parameter 'session' of 'look_up' has no description"]


def test_bound_method_of_a_file_that_was_read_for_another_one_has_no_self(project):
    code = '''
from pydantic_ai.tools import Tool


class Orders:
    async def __call__(self, order: str) -> str:
        """Look up an order of the shop.

        Args:
            order: Its number.
        """
        return f"{order} is on its way"


def orders_tool() -> Tool:
    return Tool(Orders().__call__, name="look_up", description="Look up an order of the shop by its number.")
'''
    checks = "from weather.orders import Orders\n\nOrders()('17')\n"
    write(project, "src/weather/__init__.py", "")
    write(project, "src/weather/checks.py", checks)
    write(project, "src/weather/orders.py", code)
    assert findings("src") == []


def test_name_that_the_project_may_change_is_minor(project):
    tools = SERVER.replace("description=", "name='weather forecast', description=")
    names = (
        "from fastmcp.server.transforms import ToolTransform\n\n\ndef shown(names):\n    return ToolTransform(names)\n"
    )

    def severities():
        return [one["severity"] for one in json.loads(lint("src", "--profile", "all")) if one["code"] == "TK101"]

    write(project, "pyproject.toml", "[project]\nname = 'weather'\n")
    write(project, "src/weather/server.py", tools)
    assert severities() == ["error"]
    write(project, "src/weather/names.py", names)
    assert severities() == ["info"]


TEMPLATE = '''
from langchain_core.tools import BaseTool


class __ModuleName__Tool(BaseTool):
    """Tool of __ModuleName__."""

    name: str = "TODO: Tool name"
    description: str = "TODO: Tool description."

    def _run(self, order: str) -> str:
        return order
'''


@pytest.mark.parametrize(
    ("place", "code", "severities"),
    [
        ("integration_template/tools.py", TEMPLATE, {"TK101": "info", "TK208": "info"}),
        ("integration/tools.py", TEMPLATE, {"TK101": "error", "TK208": "warning"}),
        ("templates/tools.py", TEMPLATE.replace("__ModuleName__", "Order"), {"TK101": "error", "TK208": "warning"}),
    ],
)
def test_what_a_generator_replaces_is_minor(project, place, code, severities):
    write(project, place, code)
    found = json.loads(lint(place, "--profile", "all"))
    assert {one["code"]: one["severity"] for one in found if one["code"] in severities} == severities


MANY = '''
from toolkit import tool


@tool
def plan(city: str, day: str, hours: int) -> str:
    """Plan a day in a city with some hours of walking."""
    return f"{city} {day} {hours}"


@tool
def remind(when: str) -> str:
    """Remind somebody of an appointment."""
    return when
'''


@pytest.fixture
def many(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "plans.py", MANY)


def test_people_read_one_finding_for_the_parameters_of_a_tool(many):
    text = lint("--profile", "all", format="text")
    assert "warning[TK204]: parameters 'city', 'day' and 'hours' of 'plan' have no descriptions\n" in text
    assert "warning[TK204]: parameter 'when' of 'remind' has no description\n" in text
    assert "\nFound 2 warnings in 1 file." in text
    assert lint("--profile", "all", "--statistics", format="text").startswith("2  TK204")
    assert (
        lint("--profile", "all", format="github").count("TK204")
        == lint("--profile", "all", format="markdown").count("have no descriptions") + 1
        == 2
    )


@pytest.mark.parametrize("format", ["concise", "jsonl", "sarif"])
def test_editors_get_one_finding_for_each_parameter(many, format):
    assert lint("--profile", "all", format=format).count("of 'plan' has no description") == 3


def test_comment_for_one_parameter_leaves_the_others(many, tmp_path):
    write(
        tmp_path,
        "plans.py",
        MANY.replace("city: str, day: str, ", "\n    city: str,\n    day: str,  # toolkit: ignore[TK204]\n    "),
    )
    assert "parameters 'city' and 'hours' of 'plan' have no descriptions" in lint("--profile", "all", format="text")


FOR_CREWS = '''
from langchain.tools import tool


@tool("Search the internet")
def search(query: str) -> str:
    """Search the internet for a topic, and return the first results."""
    return query
'''


def test_names_of_tools_that_crewai_takes_are_rewritten(project):
    write(project, "src/weather/server.py", FOR_CREWS)
    assert [code for code, _, _ in findings("src")] == ["TK101"]
    for text in ('[project]\ndependencies = ["crewai>=0.152"]\n', '[tool.poetry.dependencies]\ncrewai = "^0.11"\n'):
        write(project, "pyproject.toml", text)
        assert findings("src") == []


def test_module_that_the_locked_version_still_has_is_an_info(project):
    write(project, "src/weather/server.py", SERVER.replace("from fastmcp", "from mcp.server.fastmcp"))
    write(project, "pyproject.toml", '[project]\ndependencies = ["mcp>=1.12"]\n')
    found = json.loads(lint("--select", "TK710", "src"))
    write(project, "uv.lock", '[[package]]\nname = "mcp"\nversion = "1.23.1"\n')
    found += json.loads(lint("--select", "TK710", "src"))
    write(project, "uv.lock", '[[package]]\nname = "mcp"\nversion = "2.3.0"\n')
    found += json.loads(lint("--select", "TK710", "src"))
    assert [one["severity"] for one in found] == ["error", "info", "error"]


@pytest.mark.parametrize(
    ("version", "owner", "codes"),
    [
        ("1.8.0", "FunctionToolset()", []),
        ("2.0.0", "FunctionToolset()", ["TK708"]),
        ("1.8.0", "Agent('test')", ["TK708"]),
    ],
)
def test_locked_version_decides_whether_a_toolset_requires_the_context(version, owner, codes, project):
    text = f"from pydantic_ai import Agent, FunctionToolset\n\nmine = {owner}\n\n\n@mine.tool\n"
    function = 'def find(order: str) -> str:\n    """Find an order."""\n    return order\n'
    write(project, "src/weather/server.py", text + function)
    write(project, "uv.lock", f'[[package]]\nname = "pydantic-ai-slim"\nversion = "{version}"\n')
    assert [one["code"] for one in json.loads(lint("--select", "TK708", "src"))] == codes


@pytest.mark.parametrize(
    ("imported", "codes"),
    [
        ("from weather.context import Ctx", []),
        ("from weather import Shown as Ctx", []),
        ("from weather import Typed as Ctx", []),
        ("from weather.context import Derived as Ctx", []),
        ("from elsewhere import Ctx", []),
        ("from weather.context import Deps as Ctx", ["TK708"]),
        ("from decimal import Decimal as Ctx", ["TK708"]),
        ("from typing import Any as Ctx", ["TK708"]),
    ],
)
def test_context_may_have_another_name_in_another_file(imported, codes, project):
    context = "from pydantic_ai import RunContext\n\nclass Deps: ...\nclass Derived(RunContext[Deps]): ...\nCtx = RunContext[Deps]\n"
    write(project, "src/weather/context.py", context)
    typed = "if TYPE_CHECKING:\n    from weather.context import Ctx as Typed\n"
    shown = "from typing import TYPE_CHECKING\nfrom weather.context import Ctx as Shown\n"
    write(project, "src/weather/__init__.py", shown + typed)
    function = 'def find(ctx: Ctx, order: str) -> str:\n    """Find an order."""\n    return order\n'
    text = f"from pydantic_ai import Agent\n{imported}\n\nagent = Agent('test')\n\n\n@agent.tool\n{function}"
    write(project, "src/weather/server.py", text)
    found = json.loads(lint("--select", "TK708", "src"))
    assert [one["code"] for one in found] == codes
    assert {one["hint"] for one in found} <= {"annotate it with the type of the context"}


def test_requirement_of_a_script_is_where_its_header_has_it(project):
    script = '# /// script\n# dependencies = [\n#     "mcp",\n# ]\n# ///\n'
    text = (
        f"{script}from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('shop')\n\n\n@mcp.tool()\ndef find(): ...\n"
    )
    write(project, "src/weather/server.py", text)
    [found] = json.loads(lint("--select", "TK710", "src"))
    assert [(one["location"]["file"], one["location"]["line"]) for one in found["related"]] == [
        ("src/weather/server.py", 3)
    ]


@pytest.mark.parametrize("registers", ["tool", "tool_plain"])
def test_decorator_of_the_project_decides_itself_about_the_context(registers, project):
    text = f"""
from pydantic_ai import FunctionToolset, RunContext


def build():
    toolset = FunctionToolset()

    def described(text):
        def register(function):
            return toolset.{registers}(description=text)(function)

        return register

    @described("Find an order.")
    async def find(ctx: RunContext[None], order: str) -> str:
        return order

    return toolset
"""
    write(project, "src/weather/server.py", text)
    assert json.loads(lint("--select", "TK708", "src")) == []


def test_requirement_that_another_one_or_a_constraint_bounds_is_no_error(project):
    write(project, "src/weather/server.py", SERVER.replace("from fastmcp", "from mcp.server.fastmcp"))

    def severities(text="mcp>=1.12\n", constraints=""):
        write(project, "requirements.txt", text)
        write(project, "constraints.txt", constraints)
        return [one["severity"] for one in json.loads(lint("--select", "TK710", "src"))]

    assert severities() == severities("# mcp-user\nmcp>=1.12\n") == severities(constraints="mcp\n") == ["error"]
    assert (
        severities("mcp>=1.12\nidna==3.10\n")
        == severities("mcp>=1.12\ncrewai\n")
        == severities("mcp>=1.12\nmcp_use[search]>=1\n")
        == severities("mcp>=1.12\nlangchain-mcp-adapters\n")
        == severities("mcp>=1.12\ngradio[oauth, mcp]>=5.30\n")
        == ["info"]
    )
    assert (
        severities("pydantic==2.9.2\nmcp>=1.12\n") == severities("mcp>=1.12\nuvicorn[standard] == 0.30\n") == ["info"]
    )
    assert severities("mcp>=1.12\npydantic~=2.8.2\n") == severities("mcp>=1.12\npydantic>=2,<2.12\n") == ["info"]
    assert severities("mcp>=1.12\npydantic<=2.11.9\n") == ["info"]
    assert severities("mcp>=1.12\npydantic<=2.12\n") == ["error"]
    assert severities("mcp>=1.12\npydantic~=2.8\n") == severities("mcp>=1.12\npydantic>=2,<2.13\n") == ["error"]
    assert severities("mcp>=1.12\ngradio>=5.30\n") == ["error"]
    assert severities("pydantic==2.12.1\nmcp>=1.12\n") == severities("mcp>=1.12\npydantic>=2.9\n") == ["error"]
    assert severities(constraints="mcp<2\n") == severities("mcp>=1.12,<2\n") == []
    write(
        project, "pyproject.toml", '[project]\ndependencies = ["mcp"]\n[tool.uv]\nconstraint-dependencies = ["mcp<2"]\n'
    )
    assert severities() == []


OLD = "from mcp.server.fastmcp import FastMCP"
NEW = "from mcp.server.mcpserver import MCPServer as FastMCP"
STAND_IN = "class FastMCP:\n        def __init__(self, *given): ...\n        tool = __init__"


@pytest.mark.parametrize(
    ("first", "failure", "then", "severities"),
    [
        (NEW, "ImportError", OLD, []),
        (OLD, "(ImportError, AttributeError)", NEW, []),
        (OLD, "Exception", "from fastmcp import FastMCP", []),
        (OLD, "ModuleNotFoundError", STAND_IN, ["info"]),
        (OLD, "ImportError", "raise SystemExit('pip install mcp')", ["error"]),
        (OLD, "ImportError", "FastMCP = None", ["error"]),
        (OLD, "KeyError", NEW, ["error"]),
        (OLD, "ImportError", "import shop", ["error"]),
    ],
)
def test_import_of_a_removed_module_is_no_error_if_another_one_takes_its_place(
    project, first, failure, then, severities
):
    guarded = f"try:\n    {first}\nexcept {failure}:\n    {then}\n"
    write(project, "src/weather/server.py", SERVER.replace("from fastmcp import FastMCP\n", guarded))
    write(project, "pyproject.toml", '[project]\ndependencies = ["mcp>=1.12"]\n')
    assert [one["severity"] for one in json.loads(lint("--select", "TK710", "src"))] == severities


def test_files_that_need_the_same_bound_are_one_finding(project):
    source = SERVER.replace("from fastmcp", "from mcp.server.fastmcp")
    for name in ("alerts", "server", "tides"):
        write(project, f"src/weather/{name}.py", source)
    write(project, "src/other/server.py", source)
    write(project, "src/other/requirements.txt", "mcp\n")
    write(project, "pyproject.toml", '[project]\ndependencies = [\n    "mcp>=1.12",\n]\n')
    found = json.loads(lint("--select", "TK710", "src"))
    assert [(one["location"]["file"], one["related"]) for one in found] == [
        ("src/other/server.py", [related("src/other/requirements.txt", 1, "the requirement")]),
        (
            "src/weather/alerts.py",
            [
                related(
                    "pyproject.toml",
                    3,
                    "the requirement; 2 more files with tools or a server, such as 'src/weather/server.py', import the module",
                )
            ],
        ),
    ]


MADE = """from mcp.server.fastmcp import FastMCP
from weather.tools import register

server = FastMCP("weather")
register(server)
"""
TYPED = '''from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP


def register(server: "FastMCP") -> None:
    @server.tool()
    def forecast(city: str) -> str:
        """Forecast the weather in a city."""
        return city
'''


def test_import_for_types_never_fails_but_that_of_the_server_does(project):
    write(project, "pyproject.toml", '[project]\ndependencies = ["mcp>=1.12"]\n')
    write(project, "src/weather/tools.py", TYPED)
    write(project, "src/weather/types.py", "from mcp.server.fastmcp import Context\n\nTool = Context\n")
    assert json.loads(lint("--select", "TK710", "src")) == []
    write(project, "src/weather/server.py", MADE)
    found = json.loads(lint("--select", "TK710", "src"))
    assert [(one["location"]["file"], one["location"]["line"]) for one in found] == [("src/weather/server.py", 1)]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("requirements.txt", "# mcp servers\nmcp-use-not\nmcp\n", 3),
        ("requirements.txt", "\n\n  mcp>=1.2 ; os_name == 'posix'  # mcp\n", 3),
        ("requirements.txt", "mcp_x\nmcp>=1.2\nmcp-x>=1.2\n", 2),
        ("pyproject.toml", '[project]\nkeywords = ["mcp"]\ndependencies = [\n  "mcp",\n]\n', 4),
        ("pyproject.toml", '[tool.poetry]\nname = "mcp"\n[tool.poetry.dependencies]\nmcp = ">=1.2"\n', 4),
    ],
)
def test_place_of_a_requirement_is_its_line_and_no_comment_or_other_name(name, text, line, project):
    write(project, "src/server.py", SERVER.replace("from fastmcp", "from mcp.server.fastmcp"))
    write(project, name, text)
    (found,) = json.loads(lint("--select", "TK710", "src"))
    assert [one["location"]["line"] for one in found["related"]] == [line]


def related(file, line, message):
    place = {"file": file, "line": line, "column": 1, "end_line": None, "end_column": None}
    return {"location": place, "message": message}


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('[project]\nkeywords = ["mcp"]\ndependencies = ["mcp>=1.12"]\n', "mcp>=1.12"),
        (
            '[project]\nkeywords = ["mcp"]\n[project.optional-dependencies]\nmore = ["mcp[cli]; os_name == \'x\'"]\n',
            "mcp[cli]",
        ),
        ('[dependency-groups]\nserver = ["mcp"]\n', "mcp"),
        ('[tool.poetry.dependencies]\nmcp = ">=1.12"\n', "mcp>=1.12"),
        ('[tool.poetry.dependencies]\nmcp = {version = "*", extras = ["cli"]}\n', "mcp"),
        ('[tool.poetry.dependencies]\nmcp = "^1.12"\n', None),
        ('[tool.poetry.group.server.dependencies]\nmcp = {version = "^1.12", extras = ["cli"]}\n', None),
        ('[project]\nkeywords = ["mcp"]\ndependencies = ["mcp>=1.12,<2"]\n', None),
        ('[project]\nname = "mcp"\n[tool.ruff.lint.isort]\nknown-third-party = ["mcp"]\n', None),
        ('[project\ndependencies = ["mcp>=1.12"]\n', "mcp>=1.12"),
    ],
)
def test_only_the_dependencies_of_a_project_are_quoted(project, text, quoted):
    write(project, "src/weather/server.py", SERVER.replace("from fastmcp", "from mcp.server.fastmcp"))
    write(project, "pyproject.toml", text)
    shown = f"'mcp.server.fastmcp' was removed in mcp 2, which {quoted!r} in 'pyproject.toml' allows"
    assert [one for _, one, _ in findings("--select", "TK710", "src")] == ([shown] if quoted else [])


BRANCHES = '''
import sys

from fastmcp import FastMCP

mcp = FastMCP("programs")

if sys.platform == "win32":
    @mcp.tool
    def prepare(steps: list[dict], limits: dict) -> str:
        """Prepare a program for the machine in the workshop."""
        return send(steps, limits)
else:
    @mcp.tool
    def prepare(steps: list[dict], limits: dict) -> str:
        """Prepare a program for the machine in the workshop."""
        return run(steps, limits)
'''


def test_parameters_of_both_branches_are_named_once(project):
    write(project, "src/weather/server.py", BRANCHES)
    text = lint("--select", "TK204", "src", format="text")
    assert "parameters 'steps' and 'limits' of 'prepare' have no descriptions" in text


def test_finding_about_one_parameter_of_both_branches_is_one(project):
    write(
        project,
        "src/weather/server.py",
        BRANCHES.replace("limits: dict", "weight: float = 1").replace(", limits)", ", weight)"),
    )
    text = lint("--select", "TK204", "src", format="text")
    assert text.count("parameter 'steps' of 'prepare' has no description") == 1


CLASS = '''
from langchain_core.tools import BaseTool


class Find(BaseTool):
    name: str = "find_pages"
    description: str = "Find pages on the web that are about a topic."

    def _run(self, filters: dict, limits: dict) -> str:
        """Find pages.

        Args:
            filters: What the pages must have.
            limits: How many pages of each kind.
        """
        return f"{filters} {limits}"
'''


def test_hint_for_a_class_names_what_a_class_can_write(project):
    write(project, "src/weather/server.py", CLASS)
    way = "write Annotated[…, '…'], or Field(description='…') in an args_schema"
    found = findings("--select", "TK204", "src")
    assert {hint for _, _, hint in found} == {f"{way}; what the docstring says about it is not sent"}
