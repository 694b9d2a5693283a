"""One session with a server, which may be late, die, hang, change and break its word without breaking its tools."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from tests.processes import is_alive, survivors, wait_for_end
from toolkit import Continue, Edit, ExitEarly, ToolContext
from toolkit.approvals import ScriptedReviewer
from toolkit.errors import ExitEarlyError
from toolkit.events import Progress
from toolkit.mcp import ServerUnreachable, StdioServer, close_sessions, connection_to, tools_from, wait_for
from toolkit.mcp.tools.remote_calls import ProgressThrottle, Report  # private
from toolkit.tools import Attachment

SERVER = str(Path(__file__).with_name("odd_server.py"))
PATIENCE = 60  # seconds


def named(zoo, behaviour="plain", **options):
    return StdioServer("zoo", sys.executable, (SERVER, behaviour), cwd=zoo.folder, **{"trusted": True, **options})


def tools_of(server):
    tools, _ = tools_from(server, wait_for(connection_to(server).listing()))
    return {tool.wire_name: tool for tool in tools}


def test_list_that_changed_while_it_was_read_is_read_again(zoo):
    server = named(zoo, "moving")
    assert "new" not in tools_of(server)
    assert "new" in tools_of(server)
    tools_of(server)  # this one holds
    assert [one.get("params", {}).get("cursor") for one in zoo.sent("tools/list")] == [None, "the rest"] * 2


def test_all_calls_share_one_session_over_threads_and_loops(zoo):
    feed = tools_of(named(zoo))["feed"]

    async def several():
        return await asyncio.gather(*(feed.call({"animal": f"a{number}"}) for number in range(20)))

    threads = [threading.Thread(target=feed.run, args=({"animal": f"t{number}"},)) for number in range(5)]
    for thread in threads:
        thread.start()
    results = [one.output for one in asyncio.run(several())] + [feed.run({"animal": "last"}).output]
    for thread in threads:
        thread.join()
    assert results == [*(f"a{number} is fed" for number in range(20)), "last is fed"]
    assert len(zoo.starts) == 1
    assert len(zoo.sent("tools/call")) == 26


def test_server_that_died_is_started_anew_by_the_next_call(zoo):
    tools = tools_of(named(zoo))
    died = tools["die"].run({})
    assert (died.error, died.error_code) == ("MCP server 'zoo' ended before it had answered", "network")
    assert tools["feed"].run({"animal": "lion"}).output == "lion is fed"
    os.kill(zoo.starts[-1], signal.SIGKILL)
    outcomes = [tools["feed"].run({"animal": "lion"}) for _ in range(2)]
    assert outcomes[-1].output == "lion is fed"
    assert len(zoo.starts) == 3


@pytest.mark.proof
def test_failed_first_contact_is_tried_again_and_its_reason_is_told(zoo):
    server = StdioServer("zoo", str(zoo.folder / "later"), ("plain",), cwd=zoo.folder)
    with pytest.raises(ServerUnreachable, match=r"MCP server 'zoo' cannot be started: there is no program '.*later'"):
        tools_of(server)
    later = zoo.write("later", f"#!/bin/sh\nexec {sys.executable} {SERVER} plain\n")
    later.chmod(0o755)
    assert "feed" in tools_of(server)


@pytest.mark.proof
def test_last_words_of_a_server_that_fails_are_told(zoo):
    with pytest.raises(ServerUnreachable, match="ended before it had answered; its last output: cannot open the zoo: "):
        tools_of(named(zoo, "failing"))


@pytest.mark.proof
def test_server_that_never_answers_is_given_up_and_ended(zoo):
    with pytest.raises(ServerUnreachable, match="MCP server 'zoo' has not answered within 700ms"):
        tools_of(named(zoo, "silent", start_timeout=0.7))
    close_sessions()
    assert not any(map(is_alive, zoo.starts))


@pytest.mark.proof
def test_old_server_that_ends_over_an_unknown_request_is_met_again_the_old_way(zoo):
    assert tools_of(named(zoo, "old"))["feed"].run({"animal": "lion"}).output == "lion is fed"
    assert len(zoo.starts) == 2


@pytest.mark.proof
def test_lines_that_are_no_messages_are_passed_over(zoo):
    assert tools_of(named(zoo, "garbage"))["feed"].run({"animal": "lion"}).output == "lion is fed"


@pytest.mark.proof
def test_call_that_takes_too_long_is_cancelled_at_the_server(zoo):
    result = tools_of(named(zoo, timeout=0.3))["sleep"].run({})
    message = "MCP server 'zoo' has not answered within 300ms; the call was cancelled"
    assert (result.error, result.error_code) == (message, "timeout")
    close_sessions()
    [call], [cancelled] = zoo.sent("tools/call"), zoo.sent("notifications/cancelled")
    assert cancelled["params"]["requestId"] == call["id"]


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("error as text", "not a message of the protocol"),
        ("error without a code", "not a message of the protocol"),
        ("neither", "not a message of the protocol"),
        ("result as text", "not a message of the protocol"),
        ("deep", "nested too deeply"),
        ("deep with its id last", "nested too deeply"),
        ("deep error", "nested too deeply"),
        ("broken", "not JSON"),
    ],
)
def test_answer_that_cannot_be_read_fails_its_call_at_once_and_no_other(zoo, answer, fault):
    tools = tools_of(named(zoo, answer, timeout=3600))
    result = tools["feed"].run({"animal": "lion"})
    message = f"MCP server 'zoo' violated the protocol: its answer is {fault}"
    assert (result.error, result.error_code) == (message, "invalid_result")
    assert tools["lose"].run({}).error == "the cage is empty"
    assert len(zoo.starts) == 1


@pytest.mark.proof
def test_cancelled_call_is_cancelled_at_the_server(zoo):
    sleep = tools_of(named(zoo))["sleep"]

    async def give_up():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await sleep.call({})

    asyncio.run(give_up())
    close_sessions()
    assert len(zoo.sent("notifications/cancelled")) == 1


@pytest.mark.proof
def test_progress_is_told_to_the_listener_in_order(zoo):
    events = []
    tools_of(named(zoo))["count"].run({}, ToolContext(listener=events.append))
    told = [(one.message, one.done, one.of) for one in events if isinstance(one, Progress)]
    assert told == [("animal 1", 1, 3), ("animal 2", 2, 3), ("animal 3", 3, 3)]


def test_of_very_many_reports_the_first_are_told_and_then_the_newest():
    async def report_all():
        told = []
        thinning = ProgressThrottle(told.append)
        for number in range(1, 20_001):
            thinning.take(Report("", number, 20_000))
        thinning.flush()
        return [report.done for report in told]

    assert asyncio.run(report_all()) == [*range(1, 21), 20_000]


@pytest.mark.proof
def test_server_that_reports_very_often_fills_no_screen(zoo):
    zoo.server("chatty")
    done = zoo.run("run", "--start", "zoo", "--yes", "zoo.count")
    lines = [line for line in done.stderr.splitlines() if "animal" in line]
    assert (done.exit_code, done.stdout) == (0, "three\n")
    assert lines[0].endswith("animal 1 (1/2000)")
    assert lines[-1].endswith("animal 2000 (2000/2000)")
    assert len(lines) < 100


def test_listener_that_raises_over_the_last_report_ends_the_call(zoo):
    def refuse(event):
        if isinstance(event, Progress) and event.done == 3:
            raise ExitEarlyError("enough")

    with pytest.raises(ExitEarlyError, match="enough"):
        tools_of(named(zoo))["count"].run({}, ToolContext(listener=refuse))


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("era", ["plain", "modern"])
def test_change_of_the_tools_is_followed(zoo, era):
    server = named(zoo, era)
    tools = tools_of(server)
    assert "new" not in tools
    tools["change"].run({})
    tools["feed"].run({"animal": "lion"})  # a message that came after the change
    assert next(iter(tools_of(server))) == "new"
    assert len(zoo.sent("tools/list")) == 2


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("era", ["plain", "modern"])
@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (Edit({"name": "Leo", "sure": False}), {"action": "accept", "content": {"name": "Leo", "sure": False}}),
        (Continue(), {"action": "decline"}),
        (None, {"action": "decline"}),
    ],
)
def test_question_of_a_server_is_put_to_the_reviewer(zoo, era, decision, answer):
    reviewer = ScriptedReviewer([decision] if decision else [])
    result = tools_of(named(zoo, era))["ask"].run({}, ToolContext(reviewer=reviewer))
    assert json.loads(result.output) == answer
    [request] = reviewer.requests
    assert (request.text, request.risk.tool) == ("Which?", "server zoo")
    assert request.asked_by == "the server 'zoo' asks this; your answer is sent to it"
    assert request.objection({"name": "Leo", "sure": "perhaps"}) is not None


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize(
    ("era", "protocol", "first", "version"),
    [
        ("plain", "auto", "server/discover", "2025-11-25"),
        ("plain", "handshake", "initialize", "2025-11-25"),
        ("modern", "auto", "server/discover", "2026-07-28"),
        ("modern", "stateless", "server/discover", "2026-07-28"),
        ("both modern", "auto", "server/discover", "2026-07-28"),
        ("both modern", "handshake", "initialize", "2025-11-25"),
    ],
)
def test_era_of_the_protocol_can_be_chosen(zoo, era, protocol, first, version):
    connection = connection_to(named(zoo, era, protocol=protocol))
    assert wait_for(connection.health()).protocol == version
    sent = (zoo.folder / "sent.jsonl").read_text("utf-8").splitlines()
    assert json.loads(sent[0])["method"] == first


def test_server_that_does_not_know_the_chosen_era_is_reported(zoo):
    with pytest.raises(ServerUnreachable) as raised:
        tools_of(named(zoo, protocol="stateless"))
    message = "MCP server 'zoo' cannot be used: it speaks 2025-11-25, but its settings require the stateless protocol"
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("written", "hint"),
    [("'stateles'", "did you mean 'stateless'?"), ("7", None), ("'2025'", None)],
)
def test_era_that_is_none_is_reported(zoo, written, hint):
    zoo.server("plain", f"protocol = {written}")
    done = zoo.run("run", "--start", "zoo", "zoo.feed", "animal=lion")
    assert done.exit_code == 2
    assert "'mcp.zoo.protocol' must be 'auto', 'handshake' or 'stateless'" in done.stderr
    assert hint is None or f"hint: {hint}" in done.stderr


def test_question_of_a_server_is_declined_where_nobody_can_be_asked(zoo):
    assert json.loads(tools_of(named(zoo))["ask"].run({}).output) == {"action": "decline"}


@pytest.mark.proof
def test_reviewer_who_stops_the_run_over_a_question_stops_it(zoo):
    reviewer = ScriptedReviewer([ExitEarly("enough")])
    with pytest.raises(ExitEarlyError, match="enough"):
        tools_of(named(zoo))["ask"].run({}, ToolContext(reviewer=reviewer))


def test_server_is_lent_no_model_and_told_no_folders(zoo):
    assert tools_of(named(zoo))["borrow"].run({}).output == "List roots not supported Sampling not supported"
    [hello] = zoo.sent("initialize")
    assert set(hello["params"]["capabilities"]) == {"elicitation"}


@pytest.mark.proof
def test_pictures_and_links_are_attachments(zoo):
    result = tools_of(named(zoo))["picture"].run({})
    assert result.output == "[image image/png, 3 bytes]\n[resource map: zoo://map]"
    assert result.artifact == (
        Attachment("image", "image/png", b"PNG"),
        Attachment("link", "", b"", "zoo://map", details={"name": "map"}),
    )


@pytest.mark.proof
def test_lies_of_an_untrusted_server_loosen_nothing(zoo):
    tool = tools_of(named(zoo, "lying", trusted=False))["feed"]
    spec = tool.spec
    assert (spec.requires_approval, spec.read_only, spec.destructive) == (True, None, None)
    assert (tool.announced.read_only, tool.announced.requires_approval) == (True, False)


@pytest.mark.proof
def test_result_that_breaks_the_promise_of_its_schema_is_a_failure(zoo):
    server = named(zoo)
    lying = named(zoo, "lying")
    tool = tools_of(server)["weigh-it"]
    assert tool.run({"animal": "lion"}).structured == {"kilograms": 190.5}
    assert tools_of(lying)["feed"].run({"animal": "lion"}).output.startswith("\x1b[2J")


@pytest.mark.proof
def test_an_error_of_the_server_with_the_code_of_a_lost_connection_ends_nothing(zoo):
    """FastMCP's rate limiter and permission errors use -32000, with which the SDK reports a lost connection."""
    tools = tools_of(named(zoo, "limited"))
    for _ in range(2):
        limited = tools["feed"].run({"animal": "lion"})
        assert (limited.error, limited.error_code) == ("MCP server 'zoo' refuses: Rate limit exceeded", -32000)
    assert tools["lose"].run({}).error == "the cage is empty"
    assert len(zoo.starts) == 1


@pytest.mark.proof
def test_server_that_ends_in_the_middle_of_a_call_is_a_lost_connection(zoo):
    """Pipelines try such a call again with `retry: {on: [network]}`, and one that the server refused they do not."""
    lost = tools_of(named(zoo, "flood"))["feed"].run({"animal": "lion"})
    refused = tools_of(named(zoo, "limited"))["feed"].run({"animal": "lion"})
    assert (lost.error_code, refused.error_code) == ("network", -32000)


@pytest.mark.proof
def test_huge_result_is_refused_whole(zoo):
    result = tools_of(named(zoo, "huge"))["feed"].run({"animal": "lion"})
    assert result.error == "the server's answer has 5242880 characters, more than the limit of 4194304"
    assert tools_of(named(zoo, "huge"))["lose"].run({}).error == "the cage is empty"


@pytest.mark.proof
def test_line_without_end_ends_the_session_and_no_other(zoo):
    other = tools_of(named(zoo))["feed"]
    result = tools_of(named(zoo, "flood"))["feed"].run({"animal": "lion"})
    assert result.error == (
        "MCP server 'zoo' ended before it had answered; "
        "its last output: a line has more than 33554432 bytes; the session ends"
    )
    assert other.run({"animal": "lion"}).output == "lion is fed"


@pytest.mark.proof
def test_strange_tool_hides_no_other(zoo):
    server = named(zoo, "strange")
    tools, problems = tools_from(server, wait_for(connection_to(server).listing()))
    assert [tool.name for tool in tools] == ["zoo_a_b", "zoo_odd", "zoo_any"]
    assert [str(problem) for problem in problems] == [
        (
            "mcp://zoo/a_b: warning[TK103]: tools 'a-b' and 'a_b' of MCP server 'zoo' would both be 'zoo_a_b' "
            "(leave one out: exclude = ['…'])"
        ),
    ]
    assert tools[2].describe(tools[2].parse({"whatever": 1})) == {"whatever": 1}


@pytest.mark.parametrize("behaviour", ["wrong", "wrong-modern"])
def test_tool_that_breaks_the_protocol_is_left_out_and_hides_no_other(zoo, behaviour):
    server = named(zoo, behaviour)
    tools, problems = tools_from(server, wait_for(connection_to(server).listing()))
    assert [tool.wire_name for tool in tools[:2]] == ["feed", "weigh-it"]
    assert [(str(problem.location), problem.severity, problem.message) for problem in problems] == [
        (f"mcp://zoo/{name}", "warning", f"tool '{name}' of MCP server 'zoo' violates the protocol: {reason}")
        for name, reason in [
            ("text", "inputSchema.type: Input should be 'object'"),
            ("tool 15", "name: Field required"),
            ("tool 16", "Input should be a valid dictionary or instance of Tool"),
            *(
                [("odd", "x-mcp-header found at a schema position not reachable via a pure `properties` chain")]
                if behaviour == "wrong-modern"
                else []
            ),
        ]
    ]
    assert tools[0].run({"animal": "lion"}).output == "lion is fed"
    weighed = next(tool for tool in tools if tool.wire_name == "weigh-it").run({"animal": "lion"})
    assert weighed.structured == {"kilograms": 190.5}


@pytest.mark.proof
def test_pattern_that_is_never_done_with_a_text_holds_nobody_up(zoo):
    tools = tools_of(named(zoo, "endless"))
    endless = "a" * 50 + "!"
    assert "animal" in tools["feed"].run({"animal": endless}).error
    assert tools["feed"].run({"animal": "aaa"}).output == "aaa is fed"
    assert tools["odd"].run({"animal": endless}).output == "fed"  # that pattern is its server's to check
    assert tools["endless"].run({}).error == (
        "MCP server 'zoo' violated the output schema of 'endless': 'animal' string should match pattern '^(a+)+$', "
        f'not "{endless}"'
    )


def test_list_that_is_none_is_refused_with_the_place(zoo):
    message = "sent an answer that cannot be read: tools: Input should be a valid list"
    with pytest.raises(ServerUnreachable, match=message):
        tools_of(named(zoo, "listless"))


def wait_until_it_calls(zoo, program):
    sent = zoo.folder / "sent.jsonl"
    while not (sent.exists() and "tools/call" in sent.read_text("utf-8")):
        with suppress(subprocess.TimeoutExpired):
            program.wait(0.01)
            pytest.fail("it ended before it called")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a warden of what has left its group")
def test_killed_program_takes_its_server_along_with_what_that_has_started(zoo):
    zoo.server("escaping")
    command = [sys.executable, "-m", "toolkit_cli", "run", "--start", "zoo", "--yes", "zoo.sleep"]
    with subprocess.Popen(command, cwd=zoo.folder, stderr=subprocess.DEVNULL) as program:
        wait_until_it_calls(zoo, program)
        program.kill()
    assert [wait_for_end(process, PATIENCE) for process in zoo.starts] == [True, True]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the environment of another process")
def test_server_that_kills_its_warden_leaves_nobody(zoo):
    mark = uuid.uuid4().hex
    server = StdioServer(
        "zoo",
        "sh",
        ("-c", "setsid sleep 600 & kill -KILL $PPID; sleep 600"),
        cwd=zoo.folder,
        env={"HOUSEHOLD": mark},
        start_timeout=2,
        trusted=True,
    )
    with pytest.raises(ServerUnreachable):
        tools_of(server)
    assert survivors(f"HOUSEHOLD={mark}", PATIENCE) == []


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_program_cancels_the_call_and_ends_the_server(zoo, ending):
    zoo.server()
    command = [sys.executable, "-m", "toolkit_cli", "run", "--start", "zoo", "--yes", "zoo.sleep"]
    with subprocess.Popen(command, cwd=zoo.folder, stderr=subprocess.PIPE, text=True) as program:
        wait_until_it_calls(zoo, program)
        program.send_signal(ending)
        _, said = program.communicate(timeout=60)
    assert (program.returncode, "interrupted" in said) == (128 + ending, True)
    assert len(zoo.sent("notifications/cancelled")) == 1
    assert not any(map(is_alive, zoo.starts))


@pytest.mark.proof
def test_interrupt_while_a_finished_program_waits_for_its_server_ends_both_without_a_word(zoo):
    zoo.server("stubborn")
    command = [sys.executable, "-m", "toolkit_cli", "run", "--start", "zoo", "--yes", "-q", "zoo.feed", "animal=lion"]
    with subprocess.Popen(
        command, cwd=zoo.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        while not (zoo.folder / "asked_to_end").exists():
            with suppress(subprocess.TimeoutExpired):
                program.wait(0.01)
                pytest.fail("it ended before it asked its server to end")
        program.send_signal(signal.SIGINT)
        said = program.communicate(timeout=60)
    assert (program.returncode, said) == (0, ("lion is fed\n", ""))
    assert all(wait_for_end(process, PATIENCE) for process in zoo.starts)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    "behaviour",
    [
        "stubborn",
        pytest.param("escaping", marks=pytest.mark.skipif(sys.platform != "linux", reason="only Linux finds those")),
    ],
)
def test_server_dies_with_all_that_it_started_when_the_program_ends(zoo, behaviour):
    zoo.server(behaviour)
    done = subprocess.run(
        [sys.executable, "-m", "toolkit_cli", "run", "--start", "zoo", "--yes", "-q", "zoo.feed", "animal=lion"],
        capture_output=True,
        text=True,
        cwd=zoo.folder,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("lion is fed\n", "")
    assert len(zoo.starts) == 2
    assert [process for process in zoo.starts if is_alive(process)] == []
