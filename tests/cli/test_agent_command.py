"""`toolkit agent`: a task, a model and tools; the answer on stdout, the steps on stderr, and who is asked."""

import json

import pytest

SCRIPT = """\
turns:
  - say: I shall look, then write.
    calls:
      - {tool: calculator, arguments: {input: 6 * 7}}
      - {tool: calculater, arguments: {}}
  - calls: [{tool: file_write, arguments: {path: answer.txt, content: "42"}}]
  - It is {calculator}.
"""
TASK = ("agent", "what is 6 by 7?", "--model", "scripted:script.yaml", "--tools", "calculator", "--tools", "file_write")


@pytest.fixture
def scripted(project):
    (project / "script.yaml").write_text(SCRIPT, "utf-8")
    return project


def steps(stderr):
    return [(line.split()[0], line.split()[1], line.split()[2]) for line in stderr.splitlines() if "/20" in line]


def test_answer_is_on_stdout_alone_and_each_call_is_a_line_on_stderr(program, scripted):
    finished = program(*TASK, "--yes")
    assert (finished.returncode, finished.stdout) == (0, "It is 42.\n")
    assert sorted(steps(finished.stderr)) == [
        ("!", "1/20", "calculater"),
        ("✓", "1/20", "calculator"),
        ("✓", "2/20", "file_write"),
    ]
    assert (scripted / "answer.txt").read_text("utf-8") == "42"


def test_where_nobody_can_be_asked_the_model_is_told_of_the_refusal_and_nothing_happens(program, scripted):
    finished = program(*TASK, "--transcript", "said.json")
    assert finished.returncode == 0
    assert not (scripted / "answer.txt").exists()
    said = json.loads((scripted / "said.json").read_text("utf-8"))
    assert (said["model"], said["task"]) == ("scripted:script.yaml", "what is 6 by 7?")
    assert [message["role"] for message in said["messages"]] == [
        "user", "model", "tool", "tool", "model", "tool", "model",
    ]  # fmt: skip
    assert said["messages"][5]["text"] == "Error: Rejected by reviewer: there is no terminal to ask on"


def test_rule_allows_some_calls_beforehand(program, scripted):
    finished = program(*TASK, "--approve", "file_write(path=answer.txt)", "--quiet")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "It is 42.\n", "")
    assert (scripted / "answer.txt").exists()


def test_agent_that_comes_to_no_end_fails_and_its_transcript_is_there(program, scripted):
    finished = program(*TASK, "--max-turns", "1", "--transcript", "said.json")
    assert (finished.returncode, finished.stdout) == (1, "")
    assert "error: the agent has used up its 1 requests to the model and has come to no end" in finished.stderr
    assert len(json.loads((scripted / "said.json").read_text("utf-8"))["messages"]) == 4


def test_events_are_written_as_they_happen(program, scripted):
    finished = program(*TASK, "--yes", "--format", "jsonl", "--quiet")
    kinds = [json.loads(line).get("event") for line in finished.stdout.splitlines()]
    assert kinds.count("step_started") == kinds.count("step_finished") == 3


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--model", "scriptde:script.yaml"), 2, "hint: did you mean 'scripted'?"),
        (("--model", "scripted:none.yaml"), 4, "none.yaml"),
        (("--model", "scripted:script.yaml", "--tools", "calculatr"), 4, "did you mean 'calculator'?"),
        (("--model", "scripted:script.yaml", "--transcript", "no/where.json"), 2, "--transcript: cannot write"),
        (("--model", "scripted:script.yaml", "--max-turns", "0"), 2, "0"),
        ((), 2, "model"),
    ],
)
def test_what_cannot_begin_is_told_with_its_cure(program, scripted, options, code, message):
    finished = program("agent", "go", *options)
    assert (finished.returncode, finished.stdout) == (code, "")
    assert message in finished.stderr


def test_what_tools_say_to_the_user_is_shown(program, project):
    (project / "tools.py").write_text(
        "from toolkit import ToolContext, tool\n"
        "from toolkit.runs.records import Message\n\n"
        "@tool(read_only=True)\n"
        "def greet(context: ToolContext) -> str:\n"
        '    """Greet."""\n'
        '    context.run.tell(Message("good morning", tool="greet"))\n'
        '    return "greeted"\n',
        "utf-8",
    )
    (project / "script.yaml").write_text("turns:\n  - calls: [{tool: greet}]\n  - '{greet}'\n", "utf-8")
    finished = program("agent", "go", "--model", "scripted:script.yaml", "--tools", "tools.py")
    assert finished.stdout == "greeted\n"
    assert "greet: good morning\n" in finished.stderr
