"""The reference servers of the protocol, as they are published, through our client."""

import json
import shutil
import subprocess

import pytest

from toolkit import ToolContext
from toolkit.events import Progress
from toolkit.mcp import StdioServer, close_sessions, connection_to, tools_from, wait_for


@pytest.fixture(scope="module")
def reach(peer):
    """Return the tools of somebody else's server by the names it gives them; its sessions end with the module."""

    def open_server(name, *arguments, **options):
        program, *first = peer(name).command
        server = StdioServer(name, program, (*first, *map(str, arguments)), trusted=True, **options)
        tools, problems = tools_from(server, wait_for(connection_to(server).listing()))
        assert problems == []
        return {tool.wire_name: tool for tool in tools}

    yield open_server
    close_sessions()


def test_everything_answers_text_data_pictures_and_links(reach, peer, figure):
    tools = reach("server-everything")
    assert tools["echo"].run({"message": "hei"}).output == "Echo: hei"
    assert tools["get-sum"].run({"a": 2, "b": 3}).output == "The sum of 2 and 3 is 5."
    weather = tools["get-structured-content"].run({"location": "Chicago"})
    assert json.loads(weather.output) == weather.structured
    assert sorted(weather.structured) == ["conditions", "humidity", "temperature"]
    [picture] = tools["get-tiny-image"].run({}).artifact
    assert (picture.kind, picture.media_type, picture.data[:4]) == ("image", "image/png", b"\x89PNG")
    links = tools["get-resource-links"].run({"count": 2}).artifact
    assert [link.kind for link in links] == ["link", "link"]
    figure(f"{peer('server-everything')}: {len(tools)} tools")


def test_everything_is_sent_no_wrong_arguments(reach):
    result = reach("server-everything")["get-sum"].run({"a": "two", "c": 3})
    assert result.error_code == "invalid_arguments"
    assert (
        result.error
        == "Missing required parameter(s): b; Invalid parameter 'a': must be a number, not \"two\"; Unknown parameter 'c'"
    )


def test_everything_shows_that_it_sees_little_of_our_environment(reach, monkeypatch):
    monkeypatch.setenv("PLANTED_API_KEY", "planted-secret-of-the-environment")
    seen = json.loads(reach("server-everything", "stdio", env={"GIVEN": "yes"})["get-env"].run({}).output)
    assert seen["GIVEN"] == "yes"
    assert seen.keys() - {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"} == {"GIVEN", "TOOLKIT_WARDEN"}


def test_everything_tells_its_progress(reach):
    heard = []
    tool = reach("server-everything")["trigger-long-running-operation"]
    result = tool.run({"duration": 0.1, "steps": 4}, ToolContext(listener=heard.append))
    assert result.output == "Long running operation completed. Duration: 0.1 seconds, Steps: 4."
    assert [(event.done, event.of) for event in heard if isinstance(event, Progress)] == [
        (1, 4),
        (2, 4),
        (3, 4),
        (4, 4),
    ]


def test_everything_is_left_when_it_takes_too_long_and_answers_the_next_call(reach):
    tools = reach("server-everything", timeout=0.5)
    late = tools["trigger-long-running-operation"].run({"duration": 600, "steps": 1})
    assert late.error_code == "timeout"
    assert tools["echo"].run({"message": "still here"}).output == "Echo: still here"


def test_filesystem_reads_and_writes_in_its_folder_alone(reach, peer, tmp_path, figure):
    tools = reach("server-filesystem", tmp_path)
    file = tmp_path / "note.txt"
    assert tools["write_file"].run({"path": str(file), "content": "hei\n"}).succeeded
    assert file.read_text() == "hei\n"
    assert tools["read_text_file"].run({"path": str(file)}).structured == {"content": "hei\n"}
    outside = tools["read_text_file"].run({"path": "/etc/hostname"})
    assert outside.error.startswith("Access denied - path outside allowed directories: /etc/hostname")
    marks = {name: (tool.spec.read_only, tool.spec.destructive) for name, tool in tools.items()}
    assert marks["read_text_file"][0]
    assert marks["write_file"] == (False, True)
    figure(f"{peer('server-filesystem')}: {len(tools)} tools")


@pytest.mark.proof
def test_time_converts_and_says_what_it_does_not_know(reach, peer, figure):
    tools = reach("mcp-server-time")
    asked = {"source_timezone": "Asia/Tokyo", "time": "12:30", "target_timezone": "Asia/Kolkata"}
    converted = tools["convert_time"].run(asked)
    assert converted.structured["time_difference"] == "-3.5h"
    assert converted.structured["target"]["datetime"].endswith("T09:00:00+05:30")
    unknown = tools["convert_time"].run({**asked, "source_timezone": "Asia/Nowhere"})
    assert "Invalid timezone" in unknown.error
    figure(f"{peer('mcp-server-time')}: {len(tools)} tools")


def test_git_tells_of_a_repository_and_commits_to_it(reach, peer, tmp_path, figure):
    if shutil.which("git") is None:
        pytest.skip("git is not here, and mcp-server-git needs it")
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True)
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.com"), ("commit.gpgsign", "false")):
        subprocess.run(["git", "-C", tmp_path, "config", key, value], check=True)
    (tmp_path / "note.txt").write_text("hei\n")
    tools = reach("mcp-server-git", "--repository", tmp_path)
    where = {"repo_path": str(tmp_path)}
    assert "note.txt" in tools["git_status"].run(where).output
    assert tools["git_add"].run({**where, "files": ["note.txt"]}).succeeded
    assert tools["git_commit"].run({**where, "message": "Add a note"}).succeeded
    assert "Add a note" in tools["git_log"].run(where).output
    figure(f"{peer('mcp-server-git')}: {len(tools)} tools")
