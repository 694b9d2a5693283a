"""Findings that stop a server or an agent come first, and can be all that a check fails on."""

BREAKING = '''
from shutil import rmtree

from fastmcp import FastMCP

server = FastMCP("weather")


@server.tool
def delete_forecast(city: str) -> str:
    """Delete the forecast of a city, which is gone for good after that."""
    rmtree(f"forecasts/{city}")
    return city


@server.tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city, as the station there sees it."""
    print("looking")
    return city
'''


def test_breakages_come_first_and_can_be_selected(invoke, project):
    (project / "server.py").write_text(BREAKING, "utf-8")
    result = invoke(
        "lint", "--static", "--format", "concise", "--profile", "recommended", "server.py", "--fail-on", "breakage"
    )
    first, *_ = result.stdout.splitlines()
    assert first == "server.py:19:5: warning[TK407] tool 'forecast' prints to standard output"
    assert result.exit_code == 1


def test_other_errors_do_not_fail_where_only_breakages_do(invoke, project):
    (project / "server.py").write_text(BREAKING.replace('    print("looking")\n', ""), "utf-8")
    result = invoke("lint", "--static", "--format", "concise", "--profile", "all", "server.py", "--fail-on", "breakage")
    assert "error[TK506]" in result.stdout
    assert result.exit_code == 0
    assert invoke("lint", "--static", "--profile", "all", "server.py").exit_code == 1
    assert invoke("lint", "--static", "--profile", "all", "server.py", "--fail-on", "error").exit_code == 1
