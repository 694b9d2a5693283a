"""`toolkit agent`: a task, a model and tools; the answer on stdout, the steps on stderr, and who is asked."""

import json
import re
import signal

import pytest

from tests.chat_server import ChatServer, Silence, failure, said

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


REFUSED = """\
error: 'file_write' needs approval, and there is no terminal to ask on
hint: allow it with --approve 'file_write(path=answer.txt, content=42, append=false)'
"""
LAST_LINE = re.compile(r"3 requests to scripted:script\.yaml · [\d.]+ m?s")


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
    assert LAST_LINE.fullmatch(finished.stderr.splitlines()[-1])
    assert (scripted / "answer.txt").read_text("utf-8") == "42"


def test_where_nobody_can_be_asked_the_model_is_told_of_the_refusal_and_nothing_happens(program, scripted):
    finished = program(*TASK, "--transcript", "said.json")
    assert (scripted / "said.json").stat().st_mode & 0o077 == 0
    assert finished.returncode == 3
    assert finished.stderr.endswith(REFUSED)
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
    assert "error: the agent has used up its one request to the model without finishing" in finished.stderr
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
        ((), 2, "no model is named"),
        (("--model", "chat:m"), 2, "hint: such as http://localhost:11434/v1"),
        (("--model", "chat:m", "--model-timeout", "soon"), 2, "--model-timeout: 'soon' is not a duration"),
        (("--model", "scripted:script.yaml", "--group", "web"), 4, "--group: there is no group 'web'"),
        (("--model", "scripted:script.yaml", "--budget", "much"), 2, "'much' is not a budget"),
        (("--model", "scripted:script.yaml", "--continue"), 2, "pass the file with --transcript"),
        (("--model", "scripted:script.yaml", "--continue", "--transcript", "none.json"), 4, "cannot read 'none.json'"),
        (("--model", "scripted:script.yaml", "--continue", "--transcript", "script.yaml"), 2, "is not a transcript"),
    ],
)
def test_what_cannot_begin_is_told_with_its_hint(invoke, scripted, options, code, message):
    finished = invoke("agent", "go", *options)
    assert (finished.exit_code, finished.stdout) == (code, "")
    assert message in finished.stderr


def test_built_in_tools_that_need_a_configuration_are_no_news_to_who_uses_the_others(program, scripted):
    finished = program("agent", "what is 6 by 7?", "--model", "scripted:script.yaml", "--tools", "builtin", "--yes")
    assert finished.returncode == 0, finished.stderr
    assert "TK003" not in finished.stderr
    assert "the built-in tool 'http'" not in finished.stderr


def test_what_tools_say_to_the_user_is_shown(program, project):
    (project / "tools.py").write_text(
        "from toolkit import ToolContext, tool\n"
        "from toolkit.runs.records import Message\n\n"
        "@tool(read_only=True)\n"
        "def greet(context: ToolContext) -> str:\n"
        '    """Greet."""\n'
        '    context.run.send(Message("good morning", tool="greet"))\n'
        '    return "greeted"\n',
        "utf-8",
    )
    (project / "script.yaml").write_text("turns:\n  - calls: [{tool: greet}]\n  - '{greet}'\n", "utf-8")
    finished = program("agent", "go", "--model", "scripted:script.yaml", "--tools", "tools.py")
    assert finished.stdout == "greeted\n"
    assert "greet: good morning\n" in finished.stderr


def test_task_comes_from_stdin_where_something_is_piped_in(program, scripted):
    (scripted / "echo.py").write_text("def reply(messages, tools):\n    return messages[-1].text\n", "utf-8")
    for arguments in ((), ("-",)):
        finished = program("agent", *arguments, "--model", "scripted:echo.py", "-q", input="two\nlines\n")
        assert (finished.returncode, finished.stdout, finished.stderr) == (0, "two\nlines\n", "")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, "the task is missing"),
        (("-",), {}, "the task is missing"),
        (("  ",), {}, "the task is empty"),
        ((), {"input": "\n"}, "the task is empty"),
    ],
)
def test_without_a_task_and_without_a_terminal_there_is_nothing_to_do(program, scripted, arguments, options, message):
    finished = program("agent", *arguments, "--model", "scripted:script.yaml", **options)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert f"error: {message}" in finished.stderr


def test_conversation_goes_on_from_its_transcript(program, scripted):
    for task, answer in (("first", "1 said"), ("second", "3 said")):
        (scripted / "count.py").write_text("turns = [lambda said, tools: f'{len(said)} said'] * 9\n", "utf-8")
        go_on = ["--continue"] if task == "second" else []
        finished = program("agent", task, "--model", "scripted:count.py", "--transcript", "said.json", "-q", *go_on)
        assert (finished.returncode, finished.stdout) == (0, f"{answer}\n")
    kept = json.loads((scripted / "said.json").read_text("utf-8"))
    assert [message["text"] for message in kept["messages"]] == ["first", "1 said", "second", "3 said"]


FALLS = """\
import os
import signal

from toolkit import tool

@tool(read_only=True)
def fall() -> str:
    \"""End the program with no chance to do anything.\"""
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_conversation_goes_on_from_the_middle_of_a_turn_in_which_the_program_was_killed(program, scripted):
    calls = "turns: [{calls: [{tool: calculator, arguments: {input: 6 * 7}}]}, {calls: [{tool: fall}]}, 'after {fall}']"
    (scripted / "falls.yaml").write_text(calls, "utf-8")
    (scripted / "falls.py").write_text(FALLS, "utf-8")
    options = ("--model", "scripted:falls.yaml", "--tools", "calculator", "--transcript", "said.json", "-q")
    assert program("agent", "go", *options, "--tools", "falls.py").returncode == -signal.SIGKILL
    kept = json.loads((scripted / "said.json").read_text("utf-8"))
    assert [message["text"] for message in kept["messages"]] == ["go", "", "42", ""]
    assert kept["usage"]["requests"] == 2
    finished = program("agent", "go on", *options, "--continue")
    assert (finished.returncode, finished.stdout) == (0, "after Ended: interrupted\n")
    assert [path.name for path in scripted.glob(".*said*")] == []


def test_transcript_that_is_a_link_stays_one_and_keeps_its_mode(program, scripted):
    (scripted / "kept.json").touch(0o600)
    (scripted / "said.json").symlink_to("kept.json")
    assert program(*TASK, "--yes", "--transcript", "said.json", "-q").returncode == 0
    assert (scripted / "said.json").is_symlink()
    assert (scripted / "kept.json").stat().st_mode & 0o777 == 0o600
    assert len(json.loads((scripted / "kept.json").read_text("utf-8"))["messages"]) == 7


def test_transcript_goes_to_what_is_no_file_too(program, scripted):
    finished = program(*TASK, "--yes", "--transcript", "/dev/null")
    assert (finished.returncode, finished.stdout) == (0, "It is 42.\n")


def test_transcript_keeps_what_is_no_text_as_well(program, scripted):
    (scripted / "halves.py").write_text("turns = ['\\ud800 and {look}', 'again']\n", "utf-8")
    options = ("--model", "scripted:halves.py", "--transcript", "said.json", "-q")
    for task, go_on in (("bytes \udcff", []), ("more", ["--continue"])):
        assert program("agent", task, *options, *go_on).returncode == 0
    kept = json.loads((scripted / "said.json").read_text("utf-8"))
    assert [message["text"] for message in kept["messages"]] == ["bytes \udcff", "\ud800 and {look}", "more", "again"]


def test_conversations_before_a_fresh_start_stay_in_a_transcript_that_goes_on(program, scripted):
    before = {"messages": [{"role": "user", "text": "hi"}], "earlier": [[{"role": "user", "text": "long ago"}]]}
    (scripted / "said.json").write_text(json.dumps(before), "utf-8")
    (scripted / "bye.yaml").write_text("turns: [bye]\n", "utf-8")
    finished = program("agent", "go", "--model", "scripted:bye.yaml", "--transcript", "said.json", "--continue", "-q")
    assert (finished.returncode, finished.stdout) == (0, "bye\n")
    kept = json.loads((scripted / "said.json").read_text("utf-8"))
    assert kept["earlier"] == before["earlier"]
    assert [message["text"] for message in kept["messages"]] == ["hi", "go", "bye"]


def test_group_gives_its_tools_and_a_budget_ends_the_agent(program, scripted):
    (scripted / "toolkit.toml").write_text('[groups.sums]\ntools = ["calculator"]\n', "utf-8")
    arguments = ("agent", "go", "--model", "scripted:script.yaml", "--group", "sums", "--budget", "1 call")
    finished = program(*arguments)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert "error: the budget is used up: 1 of 1 calls" in finished.stderr


def test_configured_model_answers_at_its_price(program, scripted):
    (scripted / "toolkit.toml").write_text(
        '[defaults]\nmodel = "scripted:dear.yaml"\n[prices."scripted:dear.yaml"]\ninput = 2\noutput = 10\n', "utf-8"
    )
    (scripted / "dear.yaml").write_text(
        "turns: [{say: hello, usage: {input_tokens: 1000, output_tokens: 100}}]\n", "utf-8"
    )
    finished = program("agent", "go", "--tools", "calculator", "--transcript", "said.json")
    assert (finished.returncode, finished.stdout) == (0, "hello\n")
    assert finished.stderr.startswith("1 request to scripted:dear.yaml · 1,000 tokens sent, 100 received · $0.003 · ")
    said = json.loads((scripted / "said.json").read_text("utf-8"))
    assert said["usage"] == {"requests": 1, "input_tokens": 1000, "output_tokens": 100, "cost": 0.003}
    assert said["messages"][1]["usage"] == {"input_tokens": 1000, "output_tokens": 100, "cost": 0.003}


def test_what_the_model_says_comes_as_events_piece_by_piece(program, scripted):
    finished = program(*TASK, "--yes", "--format", "jsonl", "--quiet")
    records = [json.loads(line) for line in finished.stdout.splitlines()]
    said = [record["text"] for record in records if record.get("event") == "model_said"]
    assert "".join(said) == "I shall look, then write.It is 42."
    assert said[:2] == ["I", " shall"]


@pytest.mark.proof
@pytest.mark.usefixtures("no_keys")
def test_same_task_is_done_by_a_model_behind_a_server(program, scripted):
    with ChatServer.of_folder(scripted) as server:
        task = ("agent", "what is 6 by 7?", "--tools", "calculator", "--tools", "file_write", "--yes", "--quiet")
        finished = program(*task, "--model", "chat:script", env={"TOOLKIT_MODEL_URL": server.url})
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "It is 42.\n", "")
    assert {asked.is_streamed for asked in server.asked} == {False}  # nobody listens


@pytest.mark.proof(everyday=1)
@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(
    ("answer", "options", "code", "message"),
    [
        (
            failure(401, "the key sk-secret-of-mine is wrong"),
            (),
            1,
            "answered with status 401: the key ********** is wrong",
        ),
        (said("half a", finish=None), (), 1, "was cut: its stream ended without a reason to finish"),
        (Silence(), ("--model-timeout", "200ms"), 5, "sent nothing for 0.2 seconds"),
    ],
)
def test_what_a_server_does_wrong_ends_the_agent_in_words_and_no_key_is_shown(
    program, scripted, answer, options, code, message
):
    task = ("agent", "go", "--model", "chat:m", "--tools", "calculator", "-vv", "--debug", "--transcript", "said.json")
    with ChatServer.of_answers(answer) as server:
        environment = {"TOOLKIT_MODEL_URL": server.url, "TOOLKIT_MODEL_KEY": "sk-secret-of-mine"}
        finished = program(*task, *options, env=environment)
    assert (finished.returncode, finished.stdout) == (code, "")
    assert message in finished.stderr
    assert "sk-secret" not in finished.stderr + (scripted / "said.json").read_text("utf-8")


COUNTING = '''
import asyncio
from toolkit import tool

running, most = 0, 0

@tool(read_only=True)
async def count() -> int:
    """Count how many of its calls run at the same time."""
    global running, most
    running += 1
    most = max(most, running)
    for _ in range(100):
        await asyncio.sleep(0)
    running -= 1
    return most
'''


@pytest.mark.parametrize(("limits", "most"), [("", "4"), ("[limits.count]\nconcurrency = 1\n", "1")])
def test_limits_of_the_configuration_bound_the_calls_of_a_model(project, program, limits, most):
    calls = ", ".join(["{tool: count, arguments: {}}"] * 4)
    (project / "script.yaml").write_text(f"turns:\n  - calls: [{calls}]\n  - At most {{count}}.\n", "utf-8")
    (project / "tools.py").write_text(COUNTING, "utf-8")
    (project / "toolkit.toml").write_text(limits, "utf-8")
    finished = program("agent", "count", "--model", "scripted:script.yaml", "--tools", "tools.py")
    assert finished.stdout == f"At most {most}.\n"


CHAINED = '''
from toolkit import tool


class Order:
    def __init__(self, number: str) -> None:
        self.number = number

    @tool(read_only=True)
    def total(self) -> str:
        """Return the total."""
        return f"12 euros for {self.number}"


@tool(read_only=True)
def find(number: str) -> Order:
    """Find an order."""
    return Order(number)
'''


@pytest.mark.parametrize("kind", ["chained_orders.py:Order", "any"])
def test_objects_that_tools_return_provide_tools(invoke, project, kind):
    project.joinpath("chained_orders.py").write_text(CHAINED)
    project.joinpath("script.yaml").write_text(
        'turns:\n  - calls: [{tool: find, arguments: {number: "7"}}]\n  - calls: [{tool: total}]\n  - "It is {total}."\n'
    )
    task = ("agent", "total?", "--model", "scripted:script.yaml", "--tools", "chained_orders.py")
    assert invoke(*task, "--chaining", kind).stdout == "It is 12 euros for 7.\n"
    assert "does not exist" in invoke(*task).stdout


def test_a_class_to_chain_from_that_does_not_exist_is_refused(invoke, project):
    project.joinpath("chained_orders.py").write_text(CHAINED)
    refused = invoke("agent", "go", "--model", "scripted:script.yaml", "--tools", "chained_orders.py",
                     "--chaining", "chained_orders.py:Ordr")  # fmt: skip
    assert refused.exit_code in {2, 4}
