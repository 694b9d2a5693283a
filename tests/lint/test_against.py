"""`toolkit lint --against REV`: what has changed in definitions since a git revision, read from real repositories."""

import json
import subprocess
from typing import Any

import pytest

from toolkit.errors import ConfigurationError
from toolkit.lint import LintSettings
from toolkit.lint.changes.comparing import check_against  # private
from toolkit.settings import Configuration, find_configuration

OURS = '''from toolkit import tool


@tool(read_only=True)
def forecast(city: str, days: int = 3) -> str:
    """Forecast the weather in a city."""
    return f"sun in {city} for {days} days"
'''
SERVER = '''from typing import Annotated, Literal

from fastmcp import FastMCP
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

mcp = FastMCP("weather")


class Place(BaseModel):
    """A place."""

    name: str = Field(description="What it is called", max_length=80)
    country: str | None = None


@mcp.tool(annotations=ToolAnnotations(readOnlyHint=True))
async def forecast(place: Place, unit: Literal["C", "F"] = "C", days: Annotated[int, Field(ge=1)] = 3) -> str:
    """Forecast the weather."""
    return "sun"
'''


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """An empty repository as the working directory."""
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    git("init", "--quiet", "--initial-branch=main")
    return folder


def git(*words):
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *author, *words], check=True, capture_output=True)


def commit(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    git("add", "--all")
    git("commit", "--quiet", "--message=state")


def changes(revision="main", *targets, **settings):
    checked = check_against(revision, targets, Configuration(), LintSettings(**settings))
    return [f"{one.location}: {one.severity}: {one.message}" for one in checked.problems]


def test_unchanged_definitions_have_no_changes(repository):
    commit(repository, tools=OURS, server=SERVER)
    (repository / "server.py").write_text(SERVER.replace('return "sun"', 'return "rain"'))
    assert changes() == []


def test_changes_of_our_tools_are_classified_as_a_lockfile_does_at_the_name_of_the_tool(repository):
    commit(repository, tools=OURS)
    (repository / "tools.py").write_text(
        OURS.replace("(read_only=True)", "").replace("days: int = 3", "days: int").replace("the weather", "snow")
    )
    assert changes() == [
        "tools.py:5:5: error: tool 'forecast': 'read_only' was true, and is false (breaking)",
        "tools.py:5:5: error: tool 'forecast': parameter 'days' is now required (breaking)",
        "tools.py:5:5: info: tool 'forecast': the default of parameter 'days' was 3, and is not set (compatible)",
        (
            "tools.py:5:5: warning: tool 'forecast': the description was \"Forecast the weather in a city.\", and is "
            '"Forecast snow in a city." (text only)'
        ),
    ]


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"C", "F"', '"C", "F", "K"', ["info: tool 'forecast': parameter 'unit' can be \"K\" (compatible)"]),
        ('"C", "F"', '"C"', ["error: tool 'forecast': parameter 'unit' can no longer be \"F\" (breaking)"]),
        ("ge=1", "ge=2", ["error: tool 'forecast': 'minimum' of parameter 'days' was 1, and is 2 (breaking)"]),
        (
            "country: str | None = None",
            "country: str",
            [
                "error: tool 'forecast': parameter 'place.country' is now required (breaking)",
                (
                    "error: tool 'forecast': the types of parameter 'place.country' were "
                    '{"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}, and are {"type": "string"} (breaking)'
                ),
                "info: tool 'forecast': the default of parameter 'place.country' was null, and is not set (compatible)",
            ],
        ),
        (
            "Field(ge=1)",
            "AfterValidator(check)",
            [
                (
                    "error: tool 'forecast': 'constraints' of parameter 'days' was not set, and is "
                    '["AfterValidator(check)"] (breaking)'
                ),
                "info: tool 'forecast': 'minimum' of parameter 'days' was 1, and is not set (compatible)",
            ],
        ),
        (
            "readOnlyHint=True",
            "readOnlyHint=False",
            ["error: tool 'forecast': 'read_only' was true, and is false (breaking)"],
        ),
        (
            "-> str:",
            "-> Place:",
            [
                (
                    'info: tool \'forecast\': a result schema was added: {"description": "A place.", "properties": '
                    '{"country": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}, "name": '
                    '{"description": "What it is called", "maxLength": 80, "type": "string"}}, "required": ["name"], '
                    '"type": "object"} (compatible)'
                )
            ],
        ),
        (
            "Forecast the weather.",
            "Forecast.",
            ['warning: tool \'forecast\': the description was "Forecast the weather.", and is "Forecast." (text only)'],
        ),
        ('"C"] = "C"', '"C"] = UNKNOWN()', []),
    ],
)
def test_changes_of_a_server_are_read_from_its_source(repository, old, new, expected):
    commit(repository, server=SERVER)
    (repository / "server.py").write_text(SERVER.replace(old, new))
    assert [one.partition(": ")[2] for one in changes()] == expected


LANGCHAIN = '''from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel

from models import Query


@tool
def search(query: str) -> str:
    """Search."""
    return query


class Lookup(BaseTool):
    name: str = "lookup"
    description: str = "Look something up."
    args_schema: type[BaseModel] = Query

    def _run(self, text: str) -> str:
        return text
'''
MODELS = """from pydantic import BaseModel


class Query(BaseModel):
    text: str
"""
OTHERS = {
    "pydantic_ai": (
        "from pydantic_ai import Agent\n\nagent = Agent('test')\n\n\n"
        '@agent.tool_plain(requires_approval=True)\ndef send(to: str) -> str:\n    """Send."""\n    return to\n'
    ),
    "openai_agents": (
        "from agents import function_tool\n\n\n"
        '@function_tool(needs_approval=True)\ndef send(to: str) -> str:\n    """Send."""\n    return to\n'
    ),
    "google_adk": (
        "from google.adk.tools import FunctionTool\n\n\n"
        'def send(to: str) -> str:\n    """Send."""\n    return to\n\n\n'
        "tool = FunctionTool(send, require_confirmation=True)\n"
    ),
    "low_level": (
        "from mcp.types import Tool\n\nTOOLS = [\n    Tool(\n        name='send',\n        description='Send.',\n"
        "        inputSchema={'type': 'object', 'properties': {'to': {'type': 'string'}}, 'required': ['to']},\n"
        "    )\n]\n"
    ),
    "smolagents": (
        "from smolagents import tool\n\n\n"
        '@tool\ndef send(to: str) -> str:\n    """Send.\n\n    Args:\n        to: Whom.\n    """\n    return to\n'
    ),
}


def test_tools_of_langchain_are_compared_with_models_of_other_files(repository):
    commit(repository, tools=LANGCHAIN, models=MODELS)
    (repository / "models.py").write_text(MODELS + "    limit: int\n")
    assert changes() == [
        "tools.py:13:7: error: tool 'lookup': parameter 'limit' is new, and required: {\"type\": \"integer\"} (breaking)",
    ]


@pytest.mark.parametrize("framework", OTHERS)
def test_tools_of_every_kind_of_framework_are_compared(repository, framework):
    source = OTHERS[framework]
    commit(repository, tools=source)
    (repository / "tools.py").write_text(source.replace("to: str", "whom: str").replace("'to'", "'whom'"))
    said = [one.partition("error: tool 'send': ")[2] for one in changes()]
    assert said == [
        "parameter 'to' was removed (breaking)",
        'parameter \'whom\' is new, and required: {"type": "string"} (breaking)',
    ]


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("framework", ["pydantic_ai", "openai_agents", "google_adk"])
def test_approval_that_a_framework_no_longer_asks_for_is_breaking(repository, framework):
    commit(repository, tools=OTHERS[framework])
    (repository / "tools.py").write_text(OTHERS[framework].replace("=True", "=False"))
    assert [one.partition("error: ")[2] for one in changes()] == [
        "tool 'send': 'requires_approval' was true, and is false (breaking)"
    ]


def test_tool_that_is_gone_is_breaking_where_it_was_and_a_new_one_is_compatible(repository):
    commit(repository, tools=OURS, old=OURS.replace("forecast", "past"))
    (repository / "old.py").unlink()
    (repository / "tools.py").write_text(OURS.replace("forecast", "predict"))
    assert changes() == [
        "old.py: error: tool 'past': the tool was removed from 'old.py' (breaking)",
        "tools.py:1:1: error: tool 'forecast': the tool was removed from 'tools.py' (breaking)",
        "tools.py:5:5: info: tool 'predict': the tool is new (compatible)",
    ]
    assert changes("main", "old.py") == ["old.py: error: tool 'past': the tool was removed from 'old.py' (breaking)"]


def test_tool_in_another_file_is_compared_with_what_it_was(repository):
    commit(repository, tools=OURS)
    (repository / "tools.py").rename(repository / "weather.py")
    assert changes() == []


def test_tools_of_the_same_name_in_several_files_are_compared_each_with_its_own(repository):
    commit(repository, one=OURS, two=OURS)
    (repository / "two.py").write_text(OURS.replace("days: int = 3", "days: float = 3"))
    assert changes() == [
        "two.py:5:5: info: tool 'forecast': the type of parameter 'days' was integer, and is number (compatible)"
    ]


def test_lists_of_definitions_are_compared_too(repository):
    tool: dict[str, Any] = {
        "name": "store",
        "description": "Store.",
        "inputSchema": {"type": "object", "properties": {}},
    }
    (repository / "tools.json").write_text(json.dumps([tool]))
    commit(repository)
    tool["inputSchema"]["required"] = ["key"]
    tool["inputSchema"]["properties"]["key"] = {"type": "string"}
    (repository / "tools.json").write_text(json.dumps([tool]))
    assert [one.partition("error: ")[2] for one in changes()] == [
        "tool 'store': parameter 'key' is new, and required: {\"type\": \"string\"} (breaking)"
    ]


def test_nothing_is_run_and_no_filter_or_hook_of_the_repository_either(repository):
    source = f"open('ran', 'w')\n{OURS}"
    (repository / ".gitattributes").write_text("*.py filter=evil export-ignore\n")
    git("config", "filter.evil.smudge", "touch smudged; cat")
    commit(repository, tools=source)
    git("config", "core.fsmonitor", "touch monitored")
    (repository / "tools.py").write_text(source.replace("city", "town"))
    assert len(changes()) == 3
    assert sorted(one.name for one in repository.iterdir()) == [".git", ".gitattributes", "tools.py"]


def test_file_that_cannot_be_read_on_one_side_is_reported_and_its_tools_are_not_gone(repository):
    commit(repository, now=OURS, then="from toolkit import tool\n(")
    (repository / "now.py").write_text("from toolkit import tool\n(")
    (repository / "then.py").write_text(OURS)
    assert changes() == [
        "now.py:2:1: error: 'now.py' cannot be read: SyntaxError: '(' was never closed",
        "then.py: warning: 'then.py' was not compared: it cannot be read in 'main'",
    ]


def test_comments_and_settings_ignore_changes(repository):
    commit(repository, tools=OURS, more=OURS)
    (repository / "tools.py").write_text(
        OURS.replace("city: str", "town: str").replace("True)", "True)  # toolkit: ignore[TK514]")
    )
    (repository / "more.py").write_text(OURS.replace("city: str", "town: str"))
    assert len(changes()) == 2
    assert changes("main", directory=repository, per_file_ignores={"more.py": ("TK514",)}) == []


def test_subfolder_and_configured_sources_are_compared_below_them(repository, monkeypatch):
    (repository / "app").mkdir()
    commit(repository, **{"app/tools": OURS, "other": OURS})
    for file in ("app/tools.py", "other.py"):
        (repository / file).write_text(OURS.replace("city", "town"))
    monkeypatch.chdir(repository / "app")
    assert {one.partition(":")[0] for one in changes()} == {"tools.py"}
    checked = check_against("main", (), Configuration(directory=repository, sources=("other.py",)), LintSettings())
    assert {one.location.file for one in checked.problems} == {str(repository / "other.py")}


def refused(revision, *targets):
    with pytest.raises(ConfigurationError) as caught:
        check_against(revision, targets, Configuration(), LintSettings())
    [problem] = caught.value.problems
    return problem.message, problem.hint


def test_more_files_than_are_read_at_once_are_compared(repository):
    many = {f"tools_{number}": OURS.replace("forecast", f"forecast_{number}") for number in range(201)}
    commit(repository, **many)
    (repository / "tools_200.py").write_text(many["tools_200"].replace("Forecast the weather", "Guess the weather"))
    [change] = changes()
    assert change.startswith("tools_200.py:5:5: ")


def test_unknown_revision_is_refused_with_the_closest_name(repository):
    commit(repository, tools=OURS)
    git("branch", "release")
    assert refused("relaese") == (f"there is no revision 'relaese' in '{repository}'", "did you mean 'release'?")
    assert refused("--output=x")[0] == f"there is no revision '--output=x' in '{repository}'"


def test_branch_that_only_the_remote_has_is_named(repository):
    commit(repository, tools=OURS)
    git("update-ref", "refs/remotes/origin/develop", "HEAD")
    assert refused("develop")[1] == "did you mean 'origin/develop'?"


def test_shallow_clone_is_told_what_to_fetch(repository, monkeypatch):
    commit(repository, tools=OURS)
    git("checkout", "--quiet", "-b", "feature")
    commit(repository, more=OURS)
    clone = repository.parent / "clone"
    git("clone", "--quiet", "--depth=1", "--branch=feature", f"file://{repository}", str(clone))
    monkeypatch.chdir(clone)
    assert refused("main") == (
        f"there is no revision 'main' in '{clone}'",
        (
            "this clone is shallow: `git fetch --depth=1 origin main` gets it, for `--against FETCH_HEAD`; "
            "with actions/checkout, write `fetch-depth: 0`"
        ),
    )
    git("fetch", "--depth=1", "origin", "main")
    assert changes("FETCH_HEAD") == ["more.py:5:5: info: tool 'forecast': the tool is new (compatible)"]


def test_folder_outside_of_a_repository_and_a_target_outside_of_it_are_refused(repository, monkeypatch):
    commit(repository, tools=OURS)
    assert refused("main", "../x.py")[0] == f"'../x.py' is outside of the repository '{repository}'"
    monkeypatch.chdir(repository.parent)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.parent.parent))
    message, hint = refused("main")
    assert message.startswith(f"'{repository.parent}' cannot be compared with a revision: not a git repository")
    assert hint == "run it inside the working tree of a repository"


def test_without_git_that_is_said(repository, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert refused("main") == (
        "git is not installed, and only git can read a revision",
        "install git, or leave out '--against'",
    )


SHOP = """\
openapi: 3.1.0
servers: [{url: https://shop.example}]
paths:
  /orders/{number}:
    get:
      operationId: find_order
      summary: Find an order.
      parameters:
        - {name: number, in: path, required: true, description: Its number., schema: {type: string}}
        - {name: kind, in: query, description: Its kind., schema: {$ref: "kinds.yaml#/Kind"}}
    delete: {operationId: cancel_order, summary: Cancel an order., parameters: [{$ref: "#/components/parameters/N"}]}
components: {parameters: {N: {name: number, in: path, required: true, schema: {type: string}}}}
"""
KINDS = "Kind: {type: string, enum: [new, old]}\n"


@pytest.fixture
def shop(repository):
    (repository / "shop.yaml").write_text(SHOP)
    (repository / "kinds.yaml").write_text(KINDS)
    commit(repository)
    return repository


def test_operations_of_a_document_are_compared(shop):
    assert changes("main", "shop.yaml") == []
    changed = SHOP.replace("name: kind, in: query,", "name: kind, in: query, required: true,")
    changed = changed.replace("    delete: {operationId: cancel_order", "    post: {operationId: change_order")
    (shop / "shop.yaml").write_text(changed)
    (shop / "kinds.yaml").write_text("Kind: {type: string, enum: [new]}\n")
    assert changes("main", "shop.yaml") == [
        "shop.yaml:1:1: error: tool 'cancel_order': the tool was removed from 'shop.yaml' (breaking)",
        "shop.yaml:6:7: error: tool 'find_order': parameter 'kind' is now required (breaking)",
        "shop.yaml:6:7: error: tool 'find_order': parameter 'kind' can no longer be \"old\" (breaking)",
        "shop.yaml:11:12: info: tool 'change_order': the tool is new (compatible)",
    ]


def test_operation_that_is_sent_elsewhere_is_breaking(shop):
    (shop / "shop.yaml").write_text(SHOP.replace("/orders/{number}", "/bills/{number}"))
    assert changes("main", "shop.yaml:find_order") == [
        (
            "shop.yaml:6:7: error: tool 'find_order': it was the operation 'GET /orders/{number}', and is the operation "
            "'GET /bills/{number}' (breaking)"
        )
    ]


@pytest.mark.parametrize("targets", [(), (".",), ("shop",)])
def test_operations_of_a_configured_api_are_compared_as_the_settings_choose(shop, targets):
    (shop / "toolkit.toml").write_text("[openapi.shop]\ndocument = 'shop.yaml'\ninclude = ['GET']\n")
    configuration, _ = find_configuration()
    (shop / "shop.yaml").write_text(SHOP.replace("type: string}}\n        -", "type: integer}}\n        -"))
    (shop / "kinds.yaml").write_text(KINDS + "# nothing\n")
    checked = check_against("main", targets, configuration, LintSettings())
    assert [f"{one.location}: {one.severity}: {one.message}" for one in checked.problems] == [
        "shop.yaml:6:7: error: tool 'shop_find_order': the type of parameter 'number' was string, and is integer (breaking)",
        "shop.yaml:6:7: info: tool 'shop_find_order': 'minLength' of parameter 'number' was 1, and is not set (compatible)",
    ]
    assert checked.tools.tools == 1


def test_document_that_cannot_be_read_on_one_side_is_reported(shop):
    (shop / "shop.yaml").write_text("openapi: 9.0.0\npaths: {}\n")
    assert changes("main", "shop.yaml") == ["shop.yaml:1:1: error: OpenAPI 9.0.0 cannot be read"]
