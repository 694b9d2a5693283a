"""Cases call the tools of a server, with the approvals of any call; checks without cases do not."""

import json

CASES = """\
cases:
  - name: the lion is fed
    run: zoo.feed
    with: {animal: lion}
    answers: [{zoo_feed: approve}]
    expect: {output: lion is fed, calls: [{zoo_feed: {animal: lion}}], asked: [zoo_feed]}
  - name: the bear is not fed
    run: zoo.feed
    with: {animal: bear}
    answers: [{zoo_feed: {reject: it sleeps}}]
    expect: {error: it sleeps, code: rejected, not: [zoo_feed]}
  - name: nothing is sent for a stub
    run: breakfast.yaml
    answers: [{zoo_feed: approve}]
    stub: {zoo_feed: it ate}
    expect: {output: it ate}
  - name: an error is expected
    run: zoo.lose
    answers: [{zoo_lose: approve}]
    expect: {error: the cage is empty}
  - name: nobody has foreseen the question
    run: zoo.feed
    with: {animal: wolf}
"""
BREAKFAST = """\
description: Feed the animal of the day.
steps: [{use: zoo.feed, with: {animal: fox}}]
"""
FAILURE = """\
error[TK806]: nobody has foreseen the question: nobody foresaw the question about 'zoo_feed' with {"animal": "wolf"}; add an answer
  --> zoo.cases.yaml:21:11
   |
21 |   - name: nobody has foreseen the question
   |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |

1 failed, 4 passed (5 cases in 1 file)
"""
CHOICE = """\
cases:
  - name: hungry lions are fed
    ask: The lion is hungry.
    tools: [zoo]
    expect: {calls: [{zoo_feed: {animal: lion}}]}
"""


def test_cases_call_tools_of_a_server_with_the_same_approvals(zoo):
    zoo.server()
    zoo.write("breakfast.yaml", BREAKFAST)
    zoo.write("zoo.cases.yaml", CASES)
    done = zoo.run("test", "--start", "zoo", "zoo.cases.yaml")
    assert (done.exit_code, done.stdout) == (1, FAILURE)
    sent = [one["params"] for one in zoo.sent("tools/call")]
    assert [(one["name"], one["arguments"]) for one in sent] == [("feed", {"animal": "lion"}), ("lose", {})]
    assert len(zoo.starts) == 1


def test_cases_start_no_server_that_the_user_has_not_allowed(zoo):
    zoo.server()
    zoo.write("zoo.cases.yaml", CASES)
    zoo.write("breakfast.yaml", BREAKFAST)
    done = zoo.run("test", "--format", "json", "zoo.cases.yaml")
    [first, *_] = json.loads(done.stdout)["cases"]
    assert (done.exit_code, first["status"]) == (2, "broken")
    assert "MCP server 'zoo' of this project needs your consent before it is started" in first["problems"][0]["message"]
    assert first["problems"][0]["hint"] == "to allow it: --start zoo, or TOOLKIT_MCP_START=zoo"
    assert zoo.starts == []


def test_model_is_offered_the_tools_of_a_server(zoo):
    zoo.server()
    zoo.write("zoo.cases.yaml", CHOICE)
    zoo.write("model.yaml", "turns: [{calls: [{tool: zoo_feed, arguments: {animal: lion}}]}]\n")
    done = zoo.run("test", "--start", "zoo", "--model", "scripted:model.yaml", "zoo.cases.yaml")
    assert done.stdout == "1 passed (1 case in 1 file)\n"
    assert zoo.sent("tools/call") == []


def test_server_is_only_tested_with_cases(zoo):
    zoo.server()
    done = zoo.run("test", "zoo")
    assert (done.exit_code, done.stderr) == (
        2,
        (
            "error: 'zoo' is a tool of an MCP server, or a server, and only cases call these\n"
            "hint: write a case: {name: …, run: zoo.TOOL}, or test the file that defines the server's tools\n"
        ),
    )
    done = zoo.run("test", "--start", "zoo", "zoo.py")
    assert done.stderr == "error: --start is for cases, and there are none among the targets\n"
    assert zoo.starts == []
