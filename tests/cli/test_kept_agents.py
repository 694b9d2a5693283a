"""An agent that was killed goes on where it was: what the model has said, and what calls have given, is kept."""

import json
import signal
import subprocess
import sys

import pytest

TOOLS = '''
import os
import pathlib
import signal
from toolkit import ToolContext, tool

def note(text: str) -> None:
    with open("effects.txt", "a") as file:
        file.write(f"{text}\\n")

def die_once() -> None:
    if pathlib.Path("deadly").exists():
        pathlib.Path("deadly").unlink()
        os.kill(os.getpid(), signal.SIGKILL)

@tool(read_only=True)
def look(n: int) -> dict[str, int]:
    """Look at a number; the second look kills the program once."""
    note(f"look {n}")
    if n == 2:
        die_once()
    return {"n": n}

@tool
def post(n: int, context: ToolContext) -> str:
    """Post a number; the third kills the program once."""
    note(f"post {n} {(context.idempotency_key or '/').partition('/')[2]}".strip())
    if n == 3:
        die_once()
    if n == 4:
        raise ValueError("four is not posted")
    return f"posted {n}"
'''
SCRIPT = '''
def reply(messages, tools):
    """Look at and post the numbers that the task names, a turn for each call, and say what came of it."""
    from toolkit import ToolCall
    from toolkit.agents import ModelReply, UserMessage, ToolMessage, Usage
    with open("requests.txt", "a") as file:
        file.write(f"{len(messages)}\\n")
    task = next(one.text for one in messages if isinstance(one, UserMessage))
    turn = sum(isinstance(one, ModelReply) for one in messages)
    wanted = [(name, n) for n in task.split() for name in ("look", "post")]
    if turn == len(wanted):
        said = "; ".join(one.text for one in messages if isinstance(one, ToolMessage))
        return ModelReply(said, (), Usage(10, 5, 0.01))
    name, n = wanted[turn]
    call = ToolCall(name, f'{{"n": {n}}}', f"{name}-{turn}")
    return ModelReply(f"Now {n}.", (call,), Usage(10, 5, 0.01))
'''
AGENT = """
agent: simple
name: poster
description: Look at numbers and post them.
tools: [./tools.py]
"""
CHAIN = """
name: chain
description: An agent in a chain.
inputs: {task: {type: string}}
steps: [{id: posting, use: poster.yaml, with: {task: '${{ inputs.task }}'}}]
"""
PLAYBOOK = AGENT.replace("agent: simple", "agent: playbook") + "locks: {post: look}\n"
MACHINE = (
    AGENT.replace("agent: simple", "agent: state_machine") + "start: new\nstates: {new: {look: seen}, seen: {post: }}\n"
)
MODEL = ("--model", "scripted:script.py")
RUN = ("agent", "1 2 3", "--tools", "tools.py", *MODEL, "--yes")


@pytest.fixture(autouse=True)
def agents(project, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    for name, text in {
        "tools.py": TOOLS,
        "script.py": SCRIPT,
        "poster.yaml": AGENT,
        "play.yaml": PLAYBOOK,
        "desk.yaml": MACHINE,
    }.items():
        (project / name).write_text(text, "utf-8")
    return project


@pytest.fixture
def newest(invoke):
    return lambda: json.loads(invoke("runs", "list", "--format", "json").stdout)[0]


def lines(project, name="effects.txt"):
    return (project / name).read_text("utf-8").splitlines() if (project / name).exists() else []


ANSWER = '{"n":1}; posted 1; {"n":2}; posted 2; {"n":3}; posted 3\n'


def test_a_killed_agent_goes_on_without_repeating_what_does_harm(project, program, newest):
    plain = program(*RUN, "--no-journal")
    assert (plain.returncode, plain.stdout) == (0, ANSWER)
    requests, effects = lines(project, "requests.txt"), lines(project)
    (project / "effects.txt").unlink()
    (project / "requests.txt").unlink()

    (project / "deadly").touch()
    killed = program(*RUN, "--journal")
    assert killed.returncode == -signal.SIGKILL
    run = newest()
    assert (run["state"], run["target"], run["unit"]) == ("killed", "agent: 1 2 3", "steps")
    resumed = program("runs", "resume", run["id"], "--yes")
    assert (resumed.returncode, resumed.stdout) == (0, ANSWER), resumed.stderr
    assert "7 requests to scripted:script.py · 70 tokens sent, 35 received · $0.07" in resumed.stderr
    assert lines(project, "requests.txt") == requests
    done = lines(project)
    assert {"look 2"} == {effect for effect in done if done.count(effect) > 1}
    assert sorted({effect.partition(" turn")[0] for effect in done}) == sorted(effects)
    assert [effect for effect in done if effect.startswith("post")] == [f"post {n} turn-{2 * n}.1" for n in (1, 2, 3)]
    assert newest()["state"] == "completed"


def test_a_call_that_may_have_taken_effect_is_repeated_only_with_consent(project, program, newest):
    (project / "tools.py").write_text(TOOLS.replace("if n == 2:", "if n == 9:"), "utf-8")
    (project / "deadly").touch()
    assert program(*RUN, "--journal").returncode == -signal.SIGKILL
    run = newest()["id"]
    refused = program("runs", "resume", run, "--yes")
    assert refused.returncode == 3
    assert "'turn-6.1' was running 'post' when its process died: it may have completed" in refused.stderr
    assert [one for one in lines(project) if one.startswith("post 3")] == ["post 3 turn-6.1"]
    repeated = program("runs", "resume", run, "--yes", "--repeat")
    assert (repeated.returncode, repeated.stdout) == (0, ANSWER), repeated.stderr
    assert lines(project).count("post 3 turn-6.1") == 2
    assert lines(project).count("post 2 turn-4.1") == 1


@pytest.mark.proof
def test_an_agent_in_a_file_goes_on_as_a_target_of_run_and_of_agent(project, program, newest):
    (project / "tools.py").write_text(TOOLS.replace("if n == 2:", "if n == 9:"), "utf-8")
    commands = [("run", "poster.yaml", "task=1 2 3", *MODEL), ("agent", "poster.yaml", "1 2 3", *MODEL)]
    for command in commands:
        (project / "effects.txt").unlink(missing_ok=True)
        (project / "deadly").touch()
        assert program(*command, "--journal", "--yes").returncode == -signal.SIGKILL
        resumed = program("runs", "resume", newest()["id"], "--yes", "--repeat")
        assert (resumed.returncode, resumed.stdout) == (0, ANSWER), resumed.stderr
        assert lines(project).count("post 3 turn-6.1") == 2
        assert lines(project).count("post 1 turn-2.1") == 1


@pytest.mark.proof
def test_agents_of_a_batch_and_of_a_pipeline_go_on_in_the_middle(project, program, newest):
    (project / "items.jsonl").write_text('{"task": "1"}\n{"task": "1 2"}\n{"task": "1"}\n', "utf-8")
    (project / "chain.yaml").write_text(CHAIN, "utf-8")
    for target, within in (("poster.yaml", ""), ("chain.yaml", "posting/")):
        (project / "effects.txt").unlink(missing_ok=True)
        (project / "deadly").touch()
        assert program("run", target, "--each", "items.jsonl", "--yes", *MODEL).returncode == -signal.SIGKILL
        resumed = program("runs", "resume", newest()["id"], "--yes")
        assert resumed.returncode == 0, resumed.stderr
        done = lines(project)
        assert [one for one in done if one.startswith("post")] == [
            f"post 1 1/{within}turn-2.1",
            f"post 1 2/{within}turn-2.1",
            f"post 2 2/{within}turn-4.1",
            f"post 1 3/{within}turn-2.1",
        ]
        assert done.count("look 1") == 3


@pytest.mark.proof
def test_agents_of_a_batch_in_a_store_go_on_in_another_worker(project, program):
    pytest.importorskip("dbos", reason="the extra `durable` is not installed")
    (project / "items.jsonl").write_text('{"task": "1"}\n{"task": "1 2"}\n{"task": "1"}\n', "utf-8")
    (project / "chain.yaml").write_text(CHAIN, "utf-8")
    for target, within in (("poster.yaml", ""), ("chain.yaml", "posting/")):
        store = ("--store", f"sqlite:///{target}.db")
        work = [sys.executable, "-m", "toolkit_cli", "worker", "--tools", target, "--yes", "--quiet", *MODEL, *store]
        (project / "effects.txt").unlink(missing_ok=True)
        (project / "requests.txt").unlink(missing_ok=True)
        (project / "deadly").touch()
        workers = [subprocess.Popen(work, cwd=project, stdin=-3, stdout=-3, stderr=-3) for _ in range(2)]
        try:
            done = program("run", target, "--each", "items.jsonl", "--jobs", "0", *MODEL, *store)
        finally:
            for worker in workers:
                worker.terminate()
            ended = [worker.wait(60) for worker in workers]
        assert -signal.SIGKILL in ended
        assert [json.loads(line)["output"] for line in done.stdout.splitlines()] == [
            '{"n":1}; posted 1',
            '{"n":1}; posted 1; {"n":2}; posted 2',
            '{"n":1}; posted 1',
        ]
        assert "11 requests to models · $0.11" in done.stderr
        assert len(lines(project, "requests.txt")) == 11
        assert sorted(one for one in lines(project) if one.startswith("post")) == [
            f"post 1 1/{within}turn-2.1",
            f"post 1 2/{within}turn-2.1",
            f"post 1 3/{within}turn-2.1",
            f"post 2 2/{within}turn-4.1",
        ]
        assert (lines(project).count("look 1"), lines(project).count("look 2")) == (3, 2)


def test_what_a_model_wants_waits_for_approval_and_runs_once(project, invoke, newest):
    def resume():
        return invoke("runs", "resume", newest()["id"])

    def waiting():
        return json.loads(invoke("runs", "approvals", "--format", "json").stdout)

    begun = invoke(*RUN[:-1], "--on-approval", "wait")
    assert begun.exit_code == 3
    assert newest()["state"] == "waiting"
    (question,) = waiting()
    assert (question["path"], question["arguments"]) == ("turn-2.1", {"n": 1})
    assert question["place"] == "turn 2/20 · agent"
    assert invoke("runs", "decide", question["id"], "approve", "--all-like").exit_code == 2
    assert invoke("runs", "decide", question["id"], "approve").exit_code == 0
    assert resume().exit_code == 3
    (question,) = waiting()
    assert question["path"] == "turn-4.1"
    assert invoke("runs", "decide", question["id"], "reject", "--reason", "not two").exit_code == 0
    assert resume().exit_code == 3
    assert invoke("runs", "decide", waiting()[0]["id"], "edit", "n=5").exit_code == 0
    ended = resume()
    assert ended.exit_code == 0, ended.stderr
    assert "Error: Rejected by reviewer: not two" in ended.stdout
    assert "ran with: " in ended.stdout
    assert lines(project) == ["look 1", "post 1 turn-2.1", "look 2", "look 3", "post 5 turn-6.1"]
    assert len(lines(project, "requests.txt")) == 7


def test_a_call_that_failed_is_not_made_again(project, invoke, newest):
    (project / "one.py").write_text(
        SCRIPT.replace(
            'with open("requests',
            'import pathlib\n    if len(messages) > 4 and not pathlib.Path("ready").exists():\n        raise RuntimeError("away")\n    with open("requests',
        ),
        "utf-8",
    )
    begun = invoke("agent", "4 1", "--tools", "tools.py", "--model", "scripted:one.py", "--yes", "--journal")
    assert begun.exit_code == 1
    assert f"continue with: toolkit runs resume {newest()['id']}" in begun.stderr
    (project / "ready").touch()
    ended = invoke("runs", "resume", newest()["id"], "--yes")
    assert (ended.exit_code, ended.stdout) == (
        0,
        '{"n":4}; Error: four is not posted; {"n":1}; posted 1\n',
    ), ended.stderr
    assert [one for one in lines(project) if "post" in one] == ["post 4 turn-2.1", "post 1 turn-4.1"]


def test_a_changed_agent_is_reported_and_needs_consent(project, invoke, newest):
    (project / "script.py").write_text("def reply(messages, tools):\n    raise RuntimeError('away')\n", "utf-8")
    assert invoke("agent", "poster.yaml", "1", "--journal", "--yes", *MODEL).exit_code == 1
    (project / "poster.yaml").write_text(AGENT.replace("Look at", "See"), "utf-8")
    (project / "script.py").write_text(SCRIPT, "utf-8")
    refused = invoke("runs", "resume", newest()["id"], "--yes")
    assert refused.exit_code == 3
    assert "this file has changed since the run was started" in refused.stderr
    assert "poster.yaml" in refused.stderr
    assert invoke("runs", "resume", newest()["id"], "--yes", "--accept-changes").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agent", "play.yaml", "1", "--journal", *MODEL], "an agent whose kind locks tools"),
        (["run", "play.yaml", "task=1", "--journal", *MODEL], "'poster' has none: an agent whose kind locks tools"),
        (["agent", "desk.yaml", "1", "--journal", *MODEL], "an agent whose kind locks tools"),
        (["run", "desk.yaml", "task=1", "--journal", *MODEL], "'poster' has none: an agent whose kind locks tools"),
        (["run", "tools.py:look", "n=1", "--journal"], "'look' has none\n"),
        (["agent", "1", "--store", "sqlite:///runs.db", *MODEL], "no such option: --store"),
        (["agent", "1", "--model", "scripted:script.py", "--no-journal", "--on-approval", "wait"], "needs a journal"),
    ],
)
def test_an_agent_that_cannot_go_on_is_not_kept(invoke, arguments, message):
    refused = invoke(*arguments)
    assert refused.exit_code == 2
    assert message in refused.stderr


@pytest.mark.parametrize("command", [("agent", "poster.yaml", "1 2"), ("run", "poster.yaml", "task=1 2")])
def test_an_agent_that_has_got_locks_is_not_resumed_and_the_error_names_what_was_typed(
    agents, program, newest, command
):
    (agents / "deadly").touch()
    assert program(*command, *MODEL, "--journal", "--yes").returncode == -signal.SIGKILL
    (agents / "poster.yaml").write_text(PLAYBOOK, "utf-8")
    refused = program("runs", "resume", newest()["id"], "--accept-changes", "--yes")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("error: `toolkit runs resume` records ")
    assert "an agent whose kind locks tools" in refused.stderr
    assert lines(agents) == ["look 1", "post 1 turn-2.1", "look 2"]


def test_a_conversation_that_is_continued_is_not_kept(project, invoke):
    first = invoke(*RUN, "--transcript", "talk.json")
    assert first.exit_code == 0
    refused = invoke(*RUN, "--transcript", "talk.json", "--continue", "--journal")
    assert refused.exit_code == 2
    assert "a continued conversation depends on its earlier messages" in refused.stderr
