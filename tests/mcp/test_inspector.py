"""The Inspector's command line, as it is published, against our server; and one tool on every way that leads to it."""

import json
import os
import subprocess

import pytest

from tests.cli.test_client_views import ANSWERS, ANSWERS_OF_NOW, CALLS, TOOLS as VIEWED, without_frame
from tests.mcp.raw import PATIENCE
from tests.mcp.serving import TOOLKIT, Listening

TOKEN = "a-token-for-the-inspector-0123456789"  # noqa: S105 - it opens nothing else
TOOLS = '''
"""The weather."""

from typing import Annotated, TypedDict

from toolkit import tool


class Forecast(TypedDict):
    """A forecast."""

    city: str
    degrees: float
    words: list[str]


@tool(read_only=True)
def forecast(city: Annotated[str, "Where"], days: int = 1) -> Forecast:
    """Tell the weather of a city."""
    print("a print that must not be in the answer")
    return {"city": city, "degrees": -3.25 * days, "words": ["snow", "frost", "vær"]}


@tool(read_only=True)
def fail(reason: str) -> str:
    """Fail."""
    raise ValueError(reason)
'''
PIPELINE = """
name: report
description: The weather, by way of a server.
inputs: {}
steps:
  - id: weather
    use: weather.forecast
    with: {city: Tromsø, days: 2}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with tools, a server that serves them, and a pipeline that reaches them through it."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "tools.py").write_text(TOOLS, "utf-8")
    (folder / "viewed.py").write_text(VIEWED, "utf-8")
    (folder / "report.yaml").write_text(PIPELINE, "utf-8")
    arguments = json.dumps(["serve", "tools.py"])
    (folder / "toolkit.toml").write_text(
        f"[mcp.weather]\ncommand = {json.dumps(TOOLKIT)}\nargs = {arguments}\n", "utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def inspect(peer, project):
    """Return what the Inspector's command line prints, as JSON, and its exit code."""

    def run(*arguments):
        finished = subprocess.run(
            [*peer("inspector").command, "--cli", "--format", "json", "-q", *arguments],
            cwd=project,
            env={**os.environ, "HOME": str(project / "home"), "MCP_CATALOG_PATH": str(project / "home/mcp.json")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE * 2,
            check=False,
        )
        assert finished.stdout, finished.stderr.decode()
        return json.loads(finished.stdout)["result"], finished.returncode

    return run


STDIO = (TOOLKIT, "serve", "tools.py")
CALL = ("--method", "tools/call", "--tool-name", "forecast", "--tool-args-json", '{"city":"Tromsø","days":2}')


def run_toolkit(project, *arguments):
    """Return what `toolkit run` prints, as JSON."""
    finished = subprocess.run(
        [TOOLKIT, "run", *arguments, "--format", "json", "-q"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    return json.loads(finished.stdout)


@pytest.mark.proof
def test_one_tool_gives_one_answer_from_the_shell_from_the_inspector_and_from_a_pipeline_through_our_client(
    project, inspect, peer, figure
):
    from_shell = run_toolkit(project, "tools.py:forecast", "city=Tromsø", "days=2")
    handshake, _ = inspect(*STDIO, *CALL)
    stateless, _ = inspect("--protocol-era", "modern", *STDIO, *CALL)
    from_pipeline = run_toolkit(project, "report.yaml", "--start", "weather", "--yes")
    assert from_shell["structured"] == {"city": "Tromsø", "degrees": -6.5, "words": ["snow", "frost", "vær"]}
    answers = {
        (from_shell["output"], json.dumps(from_shell["structured"])),
        *((one["content"][0]["text"], json.dumps(one["structuredContent"])) for one in (handshake, stateless)),
        (from_pipeline["output"], json.dumps(from_pipeline["structured"])),
    }
    assert len(answers) == 1, answers
    figure(f"1 answer from 4 ways: toolkit run, {peer('inspector')} in both eras of the protocol, a pipeline")


@pytest.mark.proof
def test_inspector_finds_the_tools_as_they_are_and_nothing_wrong_with_their_schemas(inspect):
    listed, status = inspect(*STDIO, "--method", "tools/list", "--strict")
    assert status == 0
    [forecast, fail] = listed["tools"]
    assert (forecast["name"], fail["name"]) == ("forecast", "fail")
    assert forecast["inputSchema"]["required"] == ["city"]
    assert forecast["outputSchema"]["properties"]["degrees"] == {"type": "number"}
    assert forecast["annotations"]["readOnlyHint"] is True


@pytest.mark.proof
def test_inspector_is_told_that_a_tool_has_failed_and_why(inspect):
    failed, status = inspect(*STDIO, "--method", "tools/call", "--tool-name", "fail", "--tool-arg", "reason=no snow")
    assert status != 0
    assert failed["isError"] is True
    assert failed["content"] == [{"type": "text", "text": "no snow"}]


@pytest.mark.proof
def test_inspector_comes_in_over_http_with_the_token_alone(project, inspect):
    server = Listening(project, token=TOKEN)
    try:
        place = ("--transport", "http", "--server-url", f"http://127.0.0.1:{server.port}/mcp")
        answer, status = inspect(*place, "--header", f"Authorization: Bearer {TOKEN}", *CALL)
        assert (status, answer["structuredContent"]["city"]) == (0, "Tromsø")
        with pytest.raises(AssertionError):
            inspect(*place, "--header", "Authorization: Bearer wrong", "--stored-auth-only", *CALL)
    finally:
        server.close()


@pytest.mark.proof
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_inspector_receives_the_answers_on_which_the_views_of_clients_stand(inspect, era):
    served = ("--protocol-era", era, TOOLKIT, "serve", "viewed.py", "--method", "tools/call")
    answers = []
    for call in CALLS:
        words = ("--tool-name", call.tool, "--tool-args-json", json.dumps(call.arguments))
        answer, status = inspect(*served, *words)
        assert (status != 0) is answer["isError"]
        answers.append(without_frame(answer))
    assert answers == (ANSWERS if era == "legacy" else ANSWERS_OF_NOW)
