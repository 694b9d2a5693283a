"""Slips that people make in their first hour: each message says where it is, and what was meant."""

import pytest

TOOLS = '''from toolkit import tool


@tool(read_only=True)
def price(item: str) -> str:
    """Say what an item costs."""
    return f"{item}: 3 EUR"
'''


BAD_JSON = """\
error: argument 'item' is not JSON: a key in double quotes is expected, at line 1, column 2
hint: for plain text write item=…
"""


@pytest.fixture(autouse=True)
def files(project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "orders").mkdir()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("show", "calc"), 4, "error[TK001]: nothing is named 'calc'\nhint: did you mean 'calculator'?\n"),
        (
            ("run", "price", "item=tea"),
            4,
            "error[TK001]: nothing is named 'price'\nhint: did you mean 'shop.py:price'?\n",
        ),
        (("list", "oders/"), 4, "error[TK001]: there is no folder 'oders/'\nhint: did you mean 'orders'?\n"),
        (
            ("run", "shop.py:price", "item:={bad"),
            2,
            BAD_JSON,
        ),
    ],
)
def test_slip_on_the_command_line(invoke, words, code, said):
    done = invoke(*words)
    assert (done.exit_code, done.stdout, done.stderr) == (code, "", said)


@pytest.mark.parametrize(("meant", "maker"), [("claude", "anthropic"), ("gpt", "openai"), ("google", "gemini")])
def test_dialect_that_is_named_after_a_model_or_a_company(invoke, meant, maker):
    done = invoke("schema", "shop.py", "--dialect", meant)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith(f"\nhint: did you mean '{maker}'?\n")


@pytest.mark.parametrize("words", [("list", "big.py"), ("lint", "big.py"), ("run", "big.py:price", "item=tea")])
def test_python_file_that_is_too_large(project, invoke, words):
    (project / "big.py").write_text(f"{TOOLS}#{' ' * 4_194_304}\n", "utf-8")
    done = invoke(*words)
    assert done.exit_code in {1, 2}
    assert (done.stdout or done.stderr).startswith(
        "error[TK002]: 'big.py' cannot be read: it is larger than 4,194,304 bytes\n"
        " --> big.py\n"
        "hint: move its data to a file of its own\n"
    )


@pytest.mark.parametrize(
    ("token", "what"),
    [("short", "has 5 characters; it needs at least 16"), ("ü" * 40, "has characters that are not ASCII")],
)
def test_token_that_cannot_be_used(invoke, monkeypatch, token, what):
    monkeypatch.setenv("TOOLKIT_SERVE_TOKEN", token)
    done = invoke("serve", "shop.py", "--http", "8000")
    hint = "set TOOLKIT_SERVE_TOKEN to a long random string, such as the output of `openssl rand -hex 32`"
    assert done.exit_code == 2
    assert done.stderr == f"error: the bearer token in TOOLKIT_SERVE_TOKEN {what}\nhint: {hint}\n"


@pytest.mark.parametrize(
    ("step", "place", "said"),
    [
        (
            "{name: one, use: price, with: {item: tea}}",
            "5:6",
            "unknown key 'name' in a step%0Ahint: did you mean 'id'?",
        ),
        ("{use: price, args: {item: tea}}", "5:18", "unknown key 'args' in a step%0Ahint: did you mean 'with'?"),
        ("{run: price}", "5:6", "unknown key 'run' in a step%0Ahint: did you mean 'use'?"),
        (
            "set: ${{ 1 + }}",
            "5:16",
            "the expression is incomplete%0Ahint: expressions are written as in Python: prev.name, len(prev) > 0",
        ),
    ],
)
def test_slip_in_a_step(project, invoke, step, place, said):
    head = "name: steps\ndescription: Say what things cost.\ntools: [./shop.py]\nsteps:\n"
    (project / "steps.yaml").write_text(f"{head}  - {step}\n", "utf-8")
    done = invoke("lint", "steps.yaml", "--select", "TK6", "--format", "github")
    line, _, column = place.partition(":")
    assert [
        one
        for one in done.stdout.splitlines()
        if f"line={line}," in one and f",col={column}," in one and one.endswith(said)
    ]


SERVER = """from mcp.server.mcpserver import MCPServer


def create_app():
    app = MCPServer("shop")

    @app.tool()
    def stock(item: str) -> int:
        return 3

    return app
"""
LIST = """from toolkit import tool


def make():
    @tool
    def stock(item: str) -> int:
        return 3

    return [stock]
"""
UNMADE = """\
error[TK004]: no tools were found in 'made.py'
 --> made.py
hint: the function '{}' in 'made.py' makes {}, and importing the file does not call it: write `{}` at the top level, or name a file that does this
"""


@pytest.mark.parametrize("command", ["list", "test", "schema"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SERVER, ("create_app", "tools of MCP SDK", "server = create_app()")),
        (LIST, ("make", "tools", "tools = make()")),
    ],
    ids=["server", "list"],
)
def test_a_file_whose_function_makes_the_tools_says_what_to_write(program, project, text, said, command):
    (project / "made.py").write_text(text, "utf-8")
    finished = program(command, "made.py")
    assert (finished.returncode, finished.stderr) == (2, UNMADE.format(*said))
    (project / "made.py").write_text(f"{text}\n\n{said[-1]}\n", "utf-8")
    assert "stock" in program(command, "made.py").stdout


RUNNING = """from mcp.server.lowlevel import Server
from mcp_types import ListToolsResult, Tool


async def serve(region: str) -> None:
    async def list_tools(context, params):
        return ListToolsResult(tools=[Tool(name="stock", description="Say how many there are.", input_schema={})])

    server = Server("shop", on_list_tools=list_tools)
    await server.run(region)
"""
UNREACHABLE = (
    "hint: the function 'serve' in 'server.py' makes tools of MCP SDK and does not return them: to call them, configure "
    "the command that starts the server, under [mcp.NAME]; `lint` and `list --static` read the source\n"
)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "shop/server.py"], "error[TK004]: no tools were found in 'shop/server.py'\n --> shop/server.py\n"),
        (["list", "shop"], "error[TK004]: no tools were found in 'shop'\n"),
        (["schema", "shop"], "error[TK004]: no tools were found in 'shop'\n"),
        (["run", "shop/server.py:stock"], "error[TK001]: nothing is named 'stock' in 'shop/server.py'\n"),
    ],
)
def test_a_program_that_makes_its_tools_while_it_serves_says_how_to_call_them(invoke, project, words, said):
    (project / "shop").mkdir()
    (project / "shop/server.py").write_text(RUNNING, "utf-8")
    (project / "shop/other.py").write_text("RATE = 3\n", "utf-8")
    finished = invoke(*words)
    assert finished.stderr.partition("2 Python files")[0] == said + UNREACHABLE
    assert "stock" in invoke("list", "--static", "shop").stdout


ADDING = """\
from mcp.server import MCPServer

server = MCPServer("shop")


def add_tools():
    @server.tool()
    def stock() -> int:
        \"\"\"Say how many there are.\"\"\"
        return 3


if __name__ == "__main__":
    add_tools()
    server.run()
"""


def test_a_function_that_only_adds_tools_to_a_server_can_be_called_at_the_top_level(invoke, project):
    (project / "server.py").write_text(ADDING, "utf-8")
    assert invoke("list", "server.py").stderr == (
        "error[TK004]: no tools were found in 'server.py'\n --> server.py\n"
        "hint: the function 'add_tools' in 'server.py' makes tools of MCP SDK and does not return them: call `add_tools()` "
        "at the top level, or configure the command that starts the server, under [mcp.NAME]; `lint` and `list --static` "
        "read the source\n"
    )
    (project / "added.py").write_text(f"{ADDING.partition('if __name__')[0]}add_tools()\n", "utf-8")
    assert "stock" in invoke("list", "added.py").stdout


def test_a_module_that_was_moved_and_says_so_needs_no_other_spelling(invoke, project):
    (project / "kiln").mkdir()
    (project / "kiln/__init__.py").touch()
    (project / "kiln/glaze.py").write_text("raise ModuleNotFoundError('moved to kiln.oven', name=__name__)\n", "utf-8")
    (project / "tools.py").write_text("from toolkit import tool\nfrom kiln.glaze import blue\n", "utf-8")
    assert invoke("list", "tools.py").stderr.splitlines()[-1] == (
        "hint: install the version of 'kiln' that this file was written for"
    )


VOICE = """from livekit.agents import Found, function_tool


@function_tool
def stock() -> int:
    \"\"\"Say how many there are.\"\"\"
    return 3


def count():
    return 3


found = Found()
"""


def test_tools_that_are_only_read_say_which_command_reads_them(invoke, project, tmp_path_factory, monkeypatch):
    package = tmp_path_factory.mktemp("installed")
    (package / "livekit").mkdir()
    (package / "livekit/agents.py").write_text(
        "class Found: ...\n\n\ndef function_tool(run):\n    return run\n", "utf-8"
    )
    monkeypatch.syspath_prepend(str(package))
    (project / "voice.py").write_text(VOICE, "utf-8")
    assert invoke("list", "voice.py").stderr == (
        "error[TK004]: no tools were found in 'voice.py'\n --> voice.py\n"
        "hint: tools of LiveKit Agents are only read in the source: `toolkit list --static voice.py`, and `toolkit lint` "
        "checks them\n"
    )
    assert invoke("run", "voice.py:found").stderr.splitlines()[-1] == (
        "hint: tools of LiveKit Agents are only read in the source, by `toolkit list --static` and `lint`"
    )
    assert "stock" in invoke("list", "--static", "voice.py").stdout
