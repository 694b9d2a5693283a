"""What a project's file names is reached only with the user's leave, for exactly what was shown."""

import json
import sys

import pexpect
import pytest

from tests.mcp.conftest import BREAKFAST, SERVER
from tests.terminals import on_a_terminal
from toolkit import Continue, ExitEarly, Reject
from toolkit.approvals import AllowAll, Gate, RefusingReviewer, ScriptedReviewer
from toolkit.errors import ExitEarlyError
from toolkit.mcp.shared_context import names_that_cross  # private
from toolkit.settings import find_configuration
from toolkit.sources import open_targets

CONSENTS = "home/toolkit/consents.json"


def opened(zoo, *decisions, targets=("zoo",)):
    """Open a server while a reviewer decides; return the names of the tools, the codes of the problems, the requests."""
    reviewer = ScriptedReviewer(decisions)
    configuration, problems = find_configuration(zoo.folder)
    assert problems == []
    found = open_targets(targets, configuration, Gate(reviewer))
    return list(found.tools), [problem.code for problem in found.problems], reviewer.requests


def test_question_shows_everything_that_decides_what_runs(zoo):
    zoo.server("plain", 'env = { PLACE = "north \\u001b[2J", KEY_OF_CAGE = "${CAGE:-none}" }')
    names, codes, [request] = opened(zoo, Continue())
    assert ("zoo_feed" in names, codes) == (True, [])
    assert request.arguments == {
        "command line": f"{sys.executable} {SERVER} plain",
        "folder": f"{zoo.folder}",
        "environment": {"PLACE": "north \x1b[2J", "KEY_OF_CAGE": "${CAGE:-none}"},
    }
    assert (request.editable, request.may_be_remembered) == (False, True)


def test_question_shows_what_the_server_would_be_told_of_each_call(zoo):
    zoo.server("plain", "meta = ['tenant', 'caller']")
    [request] = opened(zoo, Continue())[2]
    assert request.arguments["sent with calls"] == ["caller", "tenant"]


@pytest.mark.parametrize("decision", [Reject("no"), None])
def test_nothing_but_a_yes_starts_a_server(zoo, decision):
    zoo.server()
    names, codes, requests = opened(zoo, *([decision] if decision else []), targets=("zoo", "zoo.feed"))
    assert (names, set(codes), len(requests)) == ([], {"TK011"}, 1)
    assert zoo.starts == []


def test_stopping_the_run_over_the_question_stops_it(zoo):
    zoo.server()
    with pytest.raises(ExitEarlyError):
        opened(zoo, ExitEarly("no"))
    assert zoo.starts == []


def test_leave_for_once_is_not_remembered_and_leave_for_good_is(zoo):
    zoo.server()
    assert len(opened(zoo, Continue())[2]) == 1
    assert len(opened(zoo, Continue(always=True))[2]) == 1
    assert opened(zoo) == (opened(zoo)[0], [], [])
    [kept] = json.loads((zoo.folder / CONSENTS).read_text("utf-8"))["consents"].values()
    line = f"{sys.executable} {SERVER} plain"
    shown = {"command line": line, "folder": str(zoo.folder)}
    assert kept == {"name": "mcp.zoo", "summary": line, "file": str(zoo.folder / "toolkit.toml"), "shown": shown}
    assert (zoo.folder / CONSENTS).stat().st_mode & 0o077 == 0


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    "change",
    [
        ("'plain'", "'lying'"),
        ("cwd = '.'", "cwd = '..'"),
        ("cwd", "env = { A = 'b' }\ncwd"),
        ("cwd", "meta = ['tenant']\ncwd"),
    ],
)
def test_what_was_changed_is_asked_about_anew(zoo, change):
    file = zoo.server()
    opened(zoo, Continue(always=True))
    file.write_text(file.read_text("utf-8").replace(*change), "utf-8")
    assert len(opened(zoo)[2]) == 1


@pytest.mark.proof
def test_leave_for_a_command_of_one_folder_is_none_for_the_same_command_in_another(zoo):
    table = zoo.server().read_text("utf-8").replace("cwd = '.'\n", "")
    zoo.write("toolkit.toml", table)
    assert len(opened(zoo, Continue(always=True))[2]) == 1
    zoo.write("other/toolkit.toml", table)
    configuration, _ = find_configuration(zoo.folder / "other")
    assert [problem.code for problem in open_targets(["zoo"], configuration).problems] == ["TK011"]


@pytest.mark.proof
def test_server_of_the_users_own_finds_nothing_of_the_folder_where_the_user_happens_to_be(zoo):
    zoo.own(f"[mcp.zoo]\ncommand = '{sys.executable}'\nargs = ['-m', 'zoo_of_mine']\n")
    zoo.write("zoo_of_mine.py", "open('started by a stranger', 'w')\n")
    zoo.write("breakfast.yaml", BREAKFAST)
    assert zoo.run("lint", "--no-cache", "breakfast.yaml").exit_code == 1
    assert not (zoo.folder / "started by a stranger").exists()
    zoo.write("home/toolkit/zoo_of_mine.py", f"import runpy\nrunpy.run_path({str(SERVER)!r}, run_name='__main__')\n")
    assert zoo.run("lint", "--no-cache", "breakfast.yaml").exit_code == 0
    assert not (zoo.folder / "started by a stranger").exists()


@pytest.mark.proof
def test_project_says_more_of_a_server_of_the_users_own_only_to_tighten(zoo):
    table = zoo.server().read_text("utf-8").replace("cwd = '.'", f"cwd = '{zoo.folder}'")
    zoo.own(f"{table}tools = ['feed', 'bury', 'lose']\nexclude = ['bury']\ntrusted = true\n")
    zoo.write("toolkit.toml", f"{table}tools = ['*']\nexclude = ['lose']\nprefix = 'safe_'\n")
    assert opened(zoo) == (["zoo_feed"], [], [])


@pytest.mark.parametrize(("command", "program"), [("zoo-server", "bin/zoo-server"), ("./bin/zoo-server", None)])
def test_question_names_the_file_that_a_command_is_found_as(zoo, command, program):
    zoo.write("bin/zoo-server", "").chmod(0o755)
    zoo.write("toolkit.toml", f"[mcp.zoo]\ncommand = '{command}'\nenv = {{ PATH = 'bin' }}\n")
    [request] = opened(zoo, Reject("no"))[2]
    assert request.arguments == {
        "command line": command if program else str(zoo.folder / "bin/zoo-server"),
        **({"program": str(zoo.folder / program)} if program else {}),
        "folder": str(zoo.folder),
        "environment": {"PATH": "bin"},
    }


def test_refusal_is_one_line_and_names_every_variable(zoo):
    zoo.write("toolkit.toml", "[mcp.zoo]\ncommand = 'uvx'\nargs = [\"a\\nhint: all is well\\u202e\", '${CAGE_KEY}']\n")
    done = zoo.run("list", "zoo")
    assert done.exit_code == 3
    assert done.stderr.splitlines()[0] == (
        r"error[TK011]: MCP server 'zoo' of this project needs your consent before it is started: "
        r"uvx 'a\\nhint: all is well\u202e' '${CAGE_KEY}', with CAGE_KEY of your environment"
    )
    listed = zoo.run("mcp", "list", "--format", "json").stdout
    assert (listed.isascii(), json.loads(listed)[0]["line"]) == (True, "uvx 'a\nhint: all is well\u202e' '${CAGE_KEY}'")


def test_consents_that_cannot_be_read_are_none(zoo):
    zoo.server()
    for text in ("{", "[]", '{"consents": []}'):
        zoo.write(CONSENTS, text)
        assert opened(zoo)[1] == ["TK011"]


def test_name_of_a_server_of_the_users_own_gives_no_leave_to_another_command(zoo):
    zoo.server("lying")
    zoo.own(
        f"[mcp.zoo]\ncommand = '{sys.executable}'\nargs = ['{SERVER}', 'plain']\ncwd = '{zoo.folder}'\ntrusted = true\n"
    )
    assert opened(zoo)[1] == ["TK011"]
    zoo.server("plain")
    names, codes, requests = opened(zoo)
    assert ("zoo_feed" in names, codes, requests) == (True, [], [])


def test_server_of_the_users_own_is_told_what_the_user_says_and_no_more_for_a_project(zoo):
    own = zoo.server().read_text("utf-8").replace("cwd = '.'", f"cwd = '{zoo.folder}'")
    zoo.server("plain", "meta = ['tenant', 'token']")
    for said, names in (("", []), ("meta = ['tenant']", ["tenant"])):
        zoo.own(f"{own}{said}\n")
        configuration, problems = find_configuration(zoo.folder)
        assert problems == []
        assert configuration.mcp["zoo"].owner == "user"
        assert names_that_cross(configuration.mcp["zoo"].converter) == names


def test_http_server_of_a_project_is_asked_about_too(zoo):
    zoo.write(
        "toolkit.toml",
        "[mcp.web]\nurl = 'https://mcp.invalid/mcp'\nheaders = { Authorization = 'Bearer ${WEB_KEY}' }\n",
    )
    _, codes, [request] = opened(zoo, targets=("web",))
    assert codes == ["TK011"]
    assert request.arguments == {"url": "https://mcp.invalid/mcp", "headers": {"Authorization": "Bearer ${WEB_KEY}"}}


@pytest.mark.proof
def test_flag_that_answers_every_question_answers_this_one_and_nobody_being_there_does_not(zoo):
    zoo.server()
    configuration, _ = find_configuration(zoo.folder)
    assert open_targets(["zoo"], configuration, Gate(RefusingReviewer())).tools == {}
    assert open_targets(["zoo"], configuration).tools == {}
    assert "zoo_feed" in open_targets(["zoo"], configuration, Gate(RefusingReviewer(), AllowAll("--yes"))).tools


@pytest.mark.proof
def test_question_on_a_terminal_cannot_be_repainted_and_is_remembered(zoo):
    zoo.server("plain", 'env = { PLACE = "\\u001b[2K\\u202eevil" }')
    child = on_a_terminal(zoo.folder, "list", "zoo", dimensions=(40, 120))
    child.expect_exact("stop the run")
    shown = child.before
    child.expect_exact("     >")
    child.send("a\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "zoo.feed" in child.before
    assert (zoo.folder / CONSENTS).exists()
    assert "\u202e" not in shown
    assert "always (remember it)" in shown
    assert "zoo.feed" in zoo.run("list", "zoo").stdout


def test_interrupted_question_starts_nothing_and_ends_as_an_interruption(zoo):
    zoo.server()
    child = on_a_terminal(zoo.folder, "run", "zoo.feed", dimensions=(40, 120))
    child.expect_exact("     >")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "interrupted while a question was open" in child.before
    assert not (zoo.folder / CONSENTS).exists()
