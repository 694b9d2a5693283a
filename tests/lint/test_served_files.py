"""What breaks an MCP server, as the source of the file that serves shows it: prints and names that are there twice."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

PRINTING = '''
import sys

import click
from fastmcp import FastMCP

mcp = FastMCP("weather")


def look():
    print("looking out of the window")


@mcp.tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    print(city)
    return city


@click.command()
def show():
    print("for people")


def main():
    if "--version" in sys.argv:
        print("1.0")
        return
    print("serving")
    {serve}


if __name__ == "__main__":
    main()
'''
BOTH = [
    "server.py:11:5: warning[TK407] 'look' prints to standard output, where this file serves its tools",
    "server.py:17:5: warning[TK407] tool 'forecast' prints to standard output",
    "server.py:30:5: warning[TK407] 'main' prints to standard output, where this file serves its tools",
]
TOOL = [BOTH[1]]
TWICE = '''
from fastmcp import FastMCP
from mcp.types import Tool

mcp, other = FastMCP("weather"), FastMCP("other")


@mcp.tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return city


@mcp.tool(name="forecast")
def forecast_again(city: str) -> str:
    """Forecast tomorrow's weather in a city once more."""
    return city


@other.tool(name="forecast")
def of_another_server(city: str) -> str:
    """Forecast tomorrow's weather in a city of another server."""
    return city


@mcp.tool(name="forecast", version="2.0")
def of_another_version(city: str) -> str:
    """Forecast tomorrow's weather in a city in another way."""
    return city


if mcp:

    @mcp.tool(name="forecast")
    def where_it_may_be_the_only_one(city: str) -> str:
        """Forecast tomorrow's weather in a city elsewhere."""
        return city


def list_tools():
    return [
        Tool(name="add", description="Add two numbers.", inputSchema={"type": "object"}),
        Tool(name="add", description="Add three numbers.", inputSchema={"type": "object"}),
    ]


def list_others():
    return [Tool(name="add", description="Add two numbers.", inputSchema={"type": "object"})]
'''


@pytest.fixture
def linted(tmp_path, monkeypatch):
    """Return what lint finds with one rule in the source of a server."""
    monkeypatch.chdir(tmp_path)

    def lint(code, source):
        (tmp_path / "server.py").write_text(source, "utf-8")
        arguments = ["lint", "--static", "--no-cache", "-q", "--format", "concise", "--select", code, "server.py"]
        return CliRunner().invoke(application(), arguments).stdout.splitlines()

    return lint


@pytest.mark.parametrize(
    ("serve", "found"),
    [
        ("mcp.run()", BOTH),
        ('mcp.run(transport="stdio")', BOTH),
        ("mcp.run(transport=sys.argv[1])", BOTH),
        ('mcp.run(transport="http")', []),
        ('mcp.run("sse")', []),
        ("look()", TOOL),
    ],
)
def test_prints_count_where_a_file_serves_over_standard_output(linted, serve, found):
    assert linted("TK407", PRINTING.replace("{serve}", serve)) == found


WAYS = '''
import asyncio
import signal
import sys

from fastmcp import FastMCP

mcp = FastMCP("weather")


@mcp.tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return city


def serve():
    try:
        mcp.run()
    except OSError:
        print("failed")
    finally:
        print("over")
    print("ended")


def serve_over_http():
    print("serving")
    mcp.run(transport="http")


def main():
    print("http://localhost:8000")
    asyncio.run(serve_over_http())


def main_of_both():
    try:
        serve()
    except OSError:
        print("failed")


def load():
    try:
        import weather
    except ImportError:
        print("pip install weather")
        sys.exit(1)


def usage():
    print("server.py [--help]")
    sys.exit(2)


def choose(transport):
    if transport == "sse":
        print("http://localhost:8000")


def stop(number, frame):
    print("bye")
    sys.exit(0)


signal.signal(signal.SIGINT, stop)
'''


def test_what_is_printed_before_or_after_the_server_uses_standard_output_does_not_count(linted):
    assert linted("TK407", WAYS) == []
    early = WAYS.replace("    try:\n        mcp.run()", "    print('starting')\n    try:\n        mcp.run()")
    early = early.replace("        sys.exit(1)", "        weather = None")
    message = "prints to standard output, where this file serves its tools"
    assert linted("TK407", early) == [
        f"server.py:18:5: warning[TK407] 'serve' {message}",
        f"server.py:49:9: warning[TK407] 'load' {message}",
    ]


def test_tools_that_the_project_serves_over_http_only_may_print(linted, tmp_path):
    (tmp_path / "pyproject.toml").write_text("", "utf-8")
    tools = PRINTING.partition("@click")[0]
    assert linted("TK407", tools) == TOOL
    (tmp_path / "main.py").write_text("from server import mcp\n\nmcp.run(transport='http')\n", "utf-8")
    assert linted("TK407", tools) == TOOL
    (tmp_path / "main.py").write_text("from server import mcp\n\napp = mcp.http_app()\n", "utf-8")
    assert linted("TK407", tools) == []
    (tmp_path / "other.py").write_text("from server import mcp\n\nmcp.run()\n", "utf-8")
    assert linted("TK407", tools) == TOOL


def test_all_prints_of_a_function_are_one_finding_and_one_fix(linted, tmp_path):
    many = PRINTING.replace("{serve}", "mcp.run()").replace(
        "    print(city)\n", "    print(city)\n    print(1)\n    print(2)\n"
    )
    assert linted("TK407", many)[1:2] == TOOL
    shown = (
        CliRunner().invoke(application(), ["lint", "--static", "--no-cache", "--select", "TK407", "server.py"]).stdout
    )
    assert "::: server.py:19:5" in shown
    assert "^ 2 more, the last one here" in shown
    CliRunner().invoke(
        application(), ["lint", "--static", "--no-cache", "--select", "TK407", "--fix", "--unsafe-fixes", "server.py"]
    )
    assert linted("TK407", (tmp_path / "server.py").read_text("utf-8")) == []


def test_name_that_one_server_has_twice_is_found_in_its_source(linted):
    assert linted("TK103", TWICE) == [
        "server.py:15:5: error[TK103] duplicate tool name 'forecast'",
        "server.py:43:9: error[TK103] duplicate tool name 'add'",
    ]


def test_breakages_are_marked_in_the_outputs_for_programs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.py").write_text(TWICE.replace("name=", 'title="x", name=', 1), "utf-8")
    arguments = ["lint", "--static", "--no-cache", "--select", "TK103,TK204", "server.py"]
    written = [f"--output={one}=out.{one}" for one in ("json", "sarif", "gitlab")]
    CliRunner().invoke(application(), [*arguments, *written])
    found, log, issues = (json.loads(Path(f"out.{one}").read_text("utf-8")) for one in ("json", "sarif", "gitlab"))
    codes = [one["code"] for one in found]
    assert {one["code"]: one["breakage"] for one in found} == {"TK103": True, "TK204": False}
    tags = [one.get("properties", {}).get("tags") for one in log["runs"][0]["results"]]
    assert tags == [["breakage"] if code == "TK103" else None for code in codes]
    assert [one["severity"] for one in issues] == ["critical" if code == "TK103" else "info" for code in codes]


BY_TRANSPORT = """
from fastmcp import FastMCP

mcp = FastMCP("weather")


@mcp.tool
def forecast(city: str) -> str:
    \"\"\"Forecast tomorrow's weather in a city.\"\"\"
    return city


def main(transport):
    if transport == "sse":
        print("serving on port 8000")
        mcp.run(transport="sse")
    elif transport in ("http", "streamable-http"):
        print("serving on port 8001")
    elif transport != "stdio":
        print("unknown")
    {rest}
"""


def test_prints_where_another_transport_is_used_break_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["lint", "--static", "--no-cache", "--select", "TK407", "--format", "concise", "server.py"]

    def found(rest):
        (tmp_path / "server.py").write_text(BY_TRANSPORT.format(rest=rest), "utf-8")
        return [line for line in CliRunner().invoke(application(), words).stdout.splitlines() if "TK407]" in line]

    assert found("else:\n        mcp.run()") == []
    assert found("else:\n        print('serving')\n        mcp.run()") == [
        "server.py:22:9: warning[TK407] 'main' prints to standard output, where this file serves its tools"
    ]


ANOTHER_FIRST = """
from fastmcp import FastMCP

mcp = FastMCP("weather")


@mcp.tool
def forecast(city: str) -> str:
    \"\"\"Forecast tomorrow's weather in a city.\"\"\"
    return city


def serve_over_http():
    mcp.run(transport="http")


def main(is_http, transport):
    if {condition}:
        print("serving on port 8000")
        {serve}
        return
    {rest}
"""


@pytest.mark.parametrize("serve", ['mcp.run(transport="streamable-http")', "serve_over_http()"])
@pytest.mark.parametrize("condition", ["is_http", 'transport in ("http", "streamable-http")'])
@pytest.mark.parametrize(
    ("rest", "lines"),
    [
        ("print('serving')\n    mcp.run()", ["22:5"]),
        ("print('serving')\n    mcp.run()\n    print('ended')", ["22:5"]),
        ("if transport == 'stdio':\n        print('serving')\n        mcp.run()", ["23:9"]),
        ("mcp.run()\n    print('ended')", []),
        ("if transport == 'stdio':\n        mcp.run()\n    print('ended')", []),
    ],
)
def test_print_before_standard_output_is_used_counts_behind_a_branch_for_another_transport(
    linted, condition, serve, rest, lines
):
    source = ANOTHER_FIRST.format(condition=condition, serve=serve, rest=rest)
    message = "'main' prints to standard output, where this file serves its tools"
    assert linted("TK407", source) == [f"server.py:{place}: warning[TK407] {message}" for place in lines]


@pytest.mark.parametrize("first", ["order: str", "order"])
def test_functions_in_a_class_may_have_no_receiver(tmp_path, monkeypatch, first):
    monkeypatch.chdir(tmp_path)
    code = """
from crewai.tools import tool


class Tools:
    @tool("Look up an order")
    def look_up(order: str, shop: str = "") -> str:
        \"\"\"Look up an order of the shop by its number.\"\"\"
        return order
"""
    (tmp_path / "tools.py").write_text(code.replace("order: str", first), "utf-8")
    words = ["lint", "--static", "--no-cache", "--select", "TK204,TK401", "--format", "concise", "tools.py"]
    found = CliRunner().invoke(application(), words).stdout.splitlines()
    assert [line for line in found if line.startswith("tools.py")] == [
        "tools.py:7:17: info[TK204] parameter 'order' of 'Look up an order' has no description",
        f"tools.py:7:{19 + len(first)}: info[TK204] parameter 'shop' of 'Look up an order' has no description",
        f"tools.py:7:{19 + len(first)}: warning[TK401] 'Look up an order' never reads its parameter 'shop'",
    ]
