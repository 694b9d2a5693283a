"""Tools of an MCP server are called like any other, and nothing is started that the user has not allowed."""

import json

import pytest

ALLOWED = ("--start", "zoo", "--yes", "-q")


def test_tool_of_a_server_is_called_by_its_address(zoo):
    zoo.server()
    done = zoo.run("run", *ALLOWED, "zoo.feed", "animal=lion")
    assert (done.stdout, done.stderr, done.exit_code) == ("lion is fed\n", "", 0)
    [call] = zoo.sent("tools/call")
    assert call["params"]["name"] == "feed"
    assert call["params"]["arguments"] == {"animal": "lion"}


@pytest.mark.parametrize("name", ["zoo.weigh-it", "zoo.zoo_weigh_it", "zoo_weigh_it"])
def test_tool_goes_by_its_own_name_and_by_the_one_that_models_see(zoo, name):
    zoo.server()
    done = zoo.run("run", *ALLOWED, "--format", "json", name, "animal=lion")
    assert json.loads(done.stdout)["structured"] == {"kilograms": 190.5}
    assert zoo.sent("tools/call")[0]["params"]["name"] == "weigh-it"


def test_server_of_a_project_is_not_started_without_leave(zoo):
    zoo.server()
    done = zoo.run("list", "zoo")
    assert (done.stdout, done.exit_code) == ("", 3)
    assert "error[TK011]: MCP server 'zoo' of this project needs your consent before it is started: " in done.stderr
    assert "odd_server.py plain" in done.stderr
    assert "--> toolkit.toml:2:2" in done.stderr
    assert "hint: to allow it: --start zoo, or TOOLKIT_MCP_START=zoo" in done.stderr
    assert zoo.starts == []


@pytest.mark.proof
def test_server_that_the_user_named_needs_no_leave(zoo):
    text = zoo.server().read_text("utf-8")
    (zoo.folder / "toolkit.toml").unlink()
    zoo.own(text.replace("cwd = '.'", f"cwd = '{zoo.folder}'"))
    done = zoo.run("run", "--yes", "-q", "zoo.feed", "animal=lion")
    assert (done.stdout, done.exit_code) == ("lion is fed\n", 0)


def test_other_commands_never_start_a_server(zoo):
    zoo.server(head="sources = ['tools.py', 'zoo']")
    zoo.write(
        "tools.py", 'from toolkit import tool\n\n\n@tool\ndef greet() -> str:\n    """Greet."""\n    return "hi"\n'
    )
    for arguments in (["run", "-q", "greet"], ["run", "-q", "tools.py"], ["run", "-q", "calculator", "1+1"]):
        assert zoo.run(*arguments).exit_code == 0
    assert zoo.run("run", "zoological").exit_code == 4
    assert zoo.starts == []


def test_remote_tool_is_asked_about_whatever_it_says_of_itself(zoo):
    zoo.server()
    done = zoo.run("run", "--start", "zoo", "--no-input", "zoo.feed", "animal=lion")
    assert done.exit_code == 3
    assert "'zoo_feed' needs approval (its server is not trusted), and --no-input forbids asking" in done.stderr
    assert "--approve 'zoo_feed(animal=lion)'" in done.stderr
    assert zoo.sent("tools/call") == []


def test_tool_of_a_trusted_server_is_asked_about_by_its_own_marks(zoo):
    text = zoo.server().read_text("utf-8")
    zoo.own(text.replace("cwd = '.'", f"cwd = '{zoo.folder}'\ntrusted = true"))
    (zoo.folder / "toolkit.toml").unlink()
    assert zoo.run("run", "-q", "--no-input", "zoo.feed", "animal=lion").stdout == "lion is fed\n"
    done = zoo.run("run", "--no-input", "zoo.bury", "animal=lion")
    assert done.exit_code == 3
    assert "'zoo_bury' needs approval (the tool is destructive)" in done.stderr


def test_project_cannot_make_its_server_trusted_nor_send_it_more_than_it_names(zoo):
    zoo.server("plain", "trusted = true", "meta = 'all'")
    done = zoo.run("run", *ALLOWED, "zoo.feed", "animal=lion")
    assert done.exit_code == 2
    assert "a project's file cannot make server 'zoo' trusted" in done.stderr
    assert "'mcp.zoo.meta' must be a list of names in a project's file" in done.stderr


@pytest.mark.proof
def test_errors_of_a_tool_are_failures(zoo):
    zoo.server()
    done = zoo.run("run", *ALLOWED, "zoo.lose")
    assert (done.stdout, done.stderr, done.exit_code) == ("", "error: the cage is empty\n", 1)


def test_missing_arguments_are_told_before_the_server_is_called(zoo):
    zoo.server()
    done = zoo.run("run", "--start", "zoo", "--yes", "--no-input", "zoo.feed")
    assert done.exit_code == 2
    assert "animal" in done.stderr
    assert zoo.sent("tools/call") == []


@pytest.mark.proof
def test_pictures_and_links_are_words_and_attachments(zoo):
    zoo.server()
    done = zoo.run("run", *ALLOWED, "zoo.picture")
    assert done.stdout == "[image image/png, 3 bytes]\n[resource map: zoo://map]\n"


@pytest.mark.proof
def test_unknown_tool_of_a_server_is_told_with_what_there_is(zoo):
    zoo.server()
    done = zoo.run("run", *ALLOWED, "zoo.fed")
    assert done.exit_code == 4
    assert "nothing is named 'fed' in MCP server 'zoo'" in done.stderr
    assert "did you mean 'feed'?" in done.stderr


def test_mistyped_server_is_told_with_the_nearest(zoo):
    zoo.server()
    done = zoo.run("run", "zo.feed")
    assert (done.exit_code, "hint: did you mean 'zoo.feed'?" in done.stderr) == (4, True)
    assert zoo.starts == []


def test_what_was_handed_in_crosses_by_name_alone(zoo):
    zoo.server("plain", "meta = ['tenant']")
    more = ("--context", "tenant=acme", "--context", "password=hunter2")
    assert json.loads(zoo.run("run", *ALLOWED, *more, "zoo.say").stdout)["tenant"] == "acme"
    assert "hunter2" not in (zoo.folder / "sent.jsonl").read_text("utf-8")


@pytest.mark.proof
def test_only_safe_and_named_variables_reach_a_server(zoo, monkeypatch):
    monkeypatch.setenv("CAGE_KEY", "k-123")
    monkeypatch.setenv("OTHER_SECRET", "s-456")
    zoo.server("plain", "env = { KEY_OF_CAGE = '${CAGE_KEY}', PLACE = '${PLACE:-north}' }")
    seen = json.loads(zoo.run("run", *ALLOWED, "zoo.env").stdout)
    inherited = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
    set_by_python = {"LC_CTYPE"}  # by the server's own interpreter, where the locale is C
    named = {name: value for name, value in seen.items() if name not in inherited | set_by_python}
    assert named == {"KEY_OF_CAGE": "k-123", "PLACE": "north", "TOOLKIT_WARDEN": named["TOOLKIT_WARDEN"]}


def test_variable_that_is_not_set_is_told(zoo):
    zoo.server("plain", "env = { KEY = '${NOT_SET_ANYWHERE}' }")
    done = zoo.run("run", *ALLOWED, "zoo.feed", "animal=lion")
    assert done.exit_code == 2
    assert "MCP server 'zoo': 'KEY' needs the environment variable 'NOT_SET_ANYWHERE', which is not set" in done.stderr
    assert zoo.starts == []
