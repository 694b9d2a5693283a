"""Groups and facades on the command line: `list --groups`, `--grant`, the tree of `show`, `run facade.inner`."""

import json

import pytest

TOOLS = '''
from toolkit import Tool, ToolContext, tool, toolbox
from toolkit.disclosure import UnfoldingTool


@tool
def fetch(url: str, context: ToolContext) -> str:
    """Fetch a page."""
    return f"{url} for {context.get('tenant', 'nobody')}"


@tool(destructive=True)
def drop_table(name: str) -> str:
    """Drop a table."""
    return f"dropped {name}"


def connect(arguments):
    return [fetch]


made = UnfoldingTool.selectable(
    "made", "Tools made when they are wanted.", {"type": "object", "properties": {"at": {"type": "string"}}}, connect
)


@toolbox(name="kitchen", description="What can be done in the kitchen.", usage_notes="Mind the heat.")
class Kitchen:
    @tool(category="cold")
    def cut(self, what: str) -> str:
        """Cut something."""
        return f"{what} is cut"

    @tool(category="hot")
    def boil(self, what: str, context: ToolContext) -> str:
        """Boil something. It takes ten minutes."""
        return f"{what} is boiled for {context.get('tenant', 'nobody')}"

    @toolbox(name="oven", description="The oven.")
    class Oven:
        @tool
        def bake(self, what: str) -> str:
            """Bake something."""
            return f"{what} is baked"


admin = UnfoldingTool.of("admin", "Administration.", [drop_table, Kitchen()])
'''
SETTINGS = """
sources = ["shop.py"]

[context]
tenant = "acme"

[groups.web]
description = "Fetch pages from the internet."
provider = "the shop"
permissions = ["internet_access"]
tools = ["fetch"]

[groups.all]
sources = ["shop.py"]
exclude = ["made"]
"""


@pytest.fixture
def shop(project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "toolkit.toml").write_text(SETTINGS, "utf-8")
    return project


TREE = """\
  ├─ drop_table  Drop a table.
  └─ kitchen (3 tools)  What can be done in the kitchen.
     ├─ cold
     │  ├─ cut  Cut something.
     │  └─ oven (1 tool)  The oven.
     │     └─ bake  Bake something.
     ├─ hot
     │  ├─ boil  Boil something. It takes ten minutes.
     │  └─ oven (1 tool)  The oven.
     │     └─ bake  Bake something.
     └─ all
        ├─ cut  Cut something.
        ├─ boil  Boil something. It takes ten minutes.
        └─ oven (1 tool)  The oven.
           └─ bake  Bake something.
"""


def test_show_draws_the_tree_of_a_facade(invoke, shop):
    result = invoke("show", "admin")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "admin\n"
        "  Administration.\n"
        "\n"
        "  kind    facade\n"
        "  from    shop.py\n"
        "  marks   read-only\n"
        "  tokens  about 24 in each request\n"
        "\n"
        "Tools\n" + TREE + "\n"
        "Run it\n"
        "  toolkit run shop.py:admin.TOOL\n"
    )


def test_show_folds_the_methods_of_a_toolbox(invoke, shop):
    shown = invoke("show", "shop.py:kitchen").stdout
    assert shown == invoke("show", "kitchen").stdout
    assert "\nTools\n  ├─ cold\n  │  ├─ cut  Cut something.\n" in shown


@pytest.mark.parametrize("target", ["kitchen.oven.bake", "shop.py:kitchen.oven.bake"])
def test_show_does_not_fold_a_method_that_is_named_even_if_it_is_the_only_one(invoke, shop, target):
    shown = invoke("show", target)
    assert (shown.exit_code, shown.stdout.splitlines()[0], shown.stderr) == (0, "bake", "")


def test_command_that_show_prints_for_a_facade_inside_another_works(invoke, project):
    (project / "shop.py").write_text(TOOLS.replace("Kitchen()]", "]"), "utf-8")
    assert invoke("show", "shop.py:kitchen.oven").stdout.endswith("  toolkit run shop.py:oven.TOOL\n")
    assert invoke("run", "shop.py:oven.bake", "what=bread", "--yes", "--quiet").stdout == "bread is baked\n"


def test_show_gives_the_tree_as_data(invoke, shop):
    record = json.loads(invoke("show", "admin", "--format", "json").stdout)
    assert record["kind"] == "facade"
    assert record["tools"][0] == {"name": "drop_table", "description": "Drop a table."}
    assert [part["name"] for part in record["tools"][1]["tools"]] == ["cold", "hot", "all"]
    assert record["tools"][1]["tools"][0]["description"] is None


def test_tools_that_are_made_when_they_are_wanted_are_not_drawn(invoke, shop):
    assert "\nTools\n  created when it is called\n" in invoke("show", "made").stdout


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("target", ["kitchen.boil", "admin.kitchen.boil", "shop.py:kitchen.boil", "all.boil", "boil"])
def test_run_leads_behind_facades_with_the_context(invoke, shop, target):
    result = invoke("run", target, "what=eggs", "--context", "tenant=other")
    assert (result.exit_code, result.stdout) == (0, "eggs is boiled for other\n")
    assert invoke("run", target, "what=eggs").stdout == "eggs is boiled for acme\n"


def test_what_is_dangerous_behind_a_facade_is_asked_about(invoke, shop):
    result = invoke("run", "admin.drop_table", "name=orders")
    assert result.exit_code == 3
    assert "'drop_table' needs approval" in result.stderr


def test_a_facade_itself_tells_its_tools(invoke, shop):
    result = invoke("run", "kitchen", "category=hot")
    assert result.stdout == "Tools now available: boil, oven. Call the one that you need.\n\nMind the heat.\n"
    assert invoke("run", "made.fetch", "url=x").exit_code == 4


GROUPS = """\
GROUP  TOOLS                   NEEDS            PROVIDER  DESCRIPTION
web    fetch                   internet_access  the shop  Fetch pages from the internet.
all    all of shop.py, not made
"""


def test_groups_are_listed_without_opening_them(invoke, shop):
    (shop / "shop.py").write_text("raise SystemExit", "utf-8")
    result = invoke("list", "--groups", "--grant", "internet_access", env={"COLUMNS": "200"})
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split() for line in result.stdout.splitlines()] == [line.split() for line in GROUPS.splitlines()]
    assert "internet_access (not granted)" in invoke("list", "--groups", env={"COLUMNS": "200"}).stdout


def test_groups_are_listed_as_data(invoke, shop):
    [web] = json.loads(invoke("list", "--groups", "web", "--format", "json").stdout)
    assert web == {
        "name": "web",
        "description": "Fetch pages from the internet.",
        "provider": "the shop",
        "permissions": ["internet_access"],
        "granted": False,
        "sources": [],
        "tools": ["fetch"],
        "exclude": [],
        "required": [],
    }


def test_a_group_that_there_is_not_is_told(invoke, shop):
    result = invoke("list", "--groups", "wep")
    assert (result.exit_code, result.stderr) == (4, "error: there is no group 'wep'\nhint: did you mean 'web'?\n")


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("command", [["list"], ["show"], ["schema"], ["run"]])
def test_a_group_is_offered_only_when_what_it_needs_is_granted(invoke, shop, command):
    words = ["url=u"] if command == ["run"] else []
    refused = invoke(*command, "web.fetch", *words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "error[TK007]: group 'web' needs 'internet_access', which was not granted" in refused.stderr
    for options in ({"args": ["--grant", "internet_access"]}, {"env": {"TOOLKIT_GRANT": "internet_access"}}):
        granted = invoke(*command, "web.fetch", *words, *options.get("args", []), env=options.get("env"))
        assert (granted.exit_code, granted.stderr) == (0, "")
        if command == ["run"]:
            assert granted.stdout == "u for acme\n"


def test_a_permission_that_there_is_not_is_refused(invoke, shop):
    result = invoke("list", "--grant", "internet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == ("error[TK005]: there is no permission 'internet'\nhint: did you mean 'internet_access'?\n")


def test_a_group_is_a_source_for_one_command(invoke, shop):
    (shop / "page.yaml").write_text(
        "name: page\ndescription: Page.\ninputs: {}\nsteps: [{use: fetch, with: {url: u}}]\n", "utf-8"
    )
    (shop / "toolkit.toml").write_text(
        SETTINGS.replace('sources = ["shop.py"]\n\n', "", 1).replace(
            'tools = ["fetch"]', 'sources = ["shop.py:fetch"]'
        ),
        "utf-8",
    )
    assert invoke("run", "page.yaml", "--quiet").exit_code == 2
    result = invoke("run", "page.yaml", "--quiet", "--tools", "web", "--grant", "internet_access")
    assert (result.exit_code, result.stdout) == (0, "u for acme\n")


def test_a_group_that_a_tool_hides_is_told_of(invoke, shop):
    settings = shop / "toolkit.toml"
    settings.write_text(f'{SETTINGS}\n[groups.calculator]\ndescription = "Sums."\ntools = ["fetch"]\n', "utf-8")
    result = invoke("run", "calculator", "1+1")
    assert (result.exit_code, result.stdout) == (0, "2\n")
    assert result.stderr == (
        "warning[TK005]: 'calculator' refers to the tool with this name, not to the group\n"
        "  --> toolkit.toml:17:2\n   |\n17 | [groups.calculator]\n   |  ^\n   |\nhint: rename the group\n"
    )
    assert invoke("show", "json_parser").stderr == ""


def completed(program, words):
    """Return what the shell is offered for the last of the words."""
    asked = {"_TOOLKIT_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    return program(env=asked).stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["toolkit", "run", "w"], ["web_scrape", "web_search", "web"]),
        (["toolkit", "show", "agent"], ["agent_process"]),
        (["toolkit", "list", "sho"], ["shop.py"]),
        (["toolkit", "run", "x.yaml", "--tools", "adm"], ["administration"]),
        (["toolkit", "run", "loc"], ["local"]),
        (["toolkit", "agent", "x", "--group", ""], ["web", "all", "administration"]),
    ],
)
def test_completion_knows_groups_servers_and_files(program, shop, words, offered):
    more = '\n[groups.administration]\ndescription = "All."\ntools = ["fetch"]\n\n[mcp.local]\ncommand = "no-such-server"\n'
    (shop / "toolkit.toml").write_text(f"{SETTINGS}{more}", "utf-8")
    assert completed(program, words) == offered


def test_completion_works_where_the_configuration_does_not(program, shop):
    (shop / "toolkit.toml").write_text("sources = [", "utf-8")
    assert completed(program, ["toolkit", "run", "calc"]) == ["calculator"]
