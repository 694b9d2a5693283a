"""Agents in files on the command line: run, list, show, schema, lint, lock and new, and the model that an option names."""

import json

import pytest

from toolkit.agents import agent_schema

SCRIPT = """\
turns:
  - calls: [{tool: calculator, arguments: {input: 6 * 7}}]
  - calls: [{tool: file_write, arguments: {path: answer.txt, content: "42"}}]
  - "It is written: {file_write}"
"""
AGENT = """\
agent: playbook
name: clerk
description: Work out sums and write them down.
model: scripted:script.yaml
instructions: Be exact.
tools: [calculator, file_write]
locks:
  file_write: calculator
max_turns: 5
"""
SHOWN = """\
clerk
  Work out sums and write them down.

  kind     agent, playbook
  from     agents/clerk.yaml
  defined  agents/clerk.yaml:2:7
  tokens   about 57 in each request

Parameters
  NAME  TYPE    DEFAULT   DESCRIPTION
  task  string  required  The task in words, with all the information needed.

Agent
  model  scripted:agents/script.yaml
  turns  5 at most

Instructions
  Be exact.

Tools
  ├─ calculator  Evaluates an arithmetic expression exactly. Use it for every c…
  └─ file_write  ← first use calculator  Writes content to a file within a sand…

Run it
  toolkit run agents/clerk.yaml task=TASK
"""
MACHINE = """\
agent: state_machine
name: desk
description: Work out sums, then write them down.
tools: [calculator, file_write, datetime]
states:
  adding: {calculator: writing}
  writing: {file_write: }
everywhere: datetime
"""
STATES = """\
States
  ├─ adding  ← start
  │    calculator  → writing
  ├─ writing
  │    file_write
  └─ in all states
       datetime
"""


REFUSED = """\
error: 'file_write' needs approval, and there is no terminal to ask on
hint: allow it with --approve 'file_write(path=answer.txt, content=42, append=false)'
"""


@pytest.fixture
def clerk(project):
    folder = project / "agents"
    folder.mkdir()
    (folder / "clerk.yaml").write_text(AGENT, "utf-8")
    (folder / "script.yaml").write_text(SCRIPT, "utf-8")
    return project


def test_run_shows_the_steps_and_what_a_model_chooses_is_refused_where_nobody_is_asked(program, clerk):
    finished = program("run", "agents/clerk.yaml", "what is 6 by 7?")
    assert finished.returncode == 3
    assert finished.stdout.startswith("It is written: Error: Rejected by reviewer")
    assert finished.stderr.endswith(REFUSED)
    assert [line.split()[:3] for line in finished.stderr.splitlines() if "/5" in line] == [
        ["✓", "1/5", "calculator"],
        ["!", "2/5", "file_write"],
    ]
    assert not (clerk / "answer.txt").exists()


def test_run_does_what_was_allowed_beforehand(program, clerk):
    finished = program("run", "agents/clerk.yaml", "task=x", "--approve", "file_write(path=answer.txt)", "-q")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert (clerk / "answer.txt").read_text("utf-8") == "42"


@pytest.mark.proof
def test_option_names_another_model_whatever_the_file_says(program, clerk):
    (clerk / "other.yaml").write_text("turns: [something else]", "utf-8")
    finished = program("run", "agents/clerk.yaml", "task=x", "--model", "scripted:other.yaml")
    assert (finished.returncode, finished.stdout) == (0, "something else\n")
    variable = program("run", "agents/clerk.yaml", "task=x", "-q", "-y", env={"TOOLKIT_MODEL": "scripted:other.yaml"})
    assert variable.stdout == "It is written: Successfully wrote to: answer.txt\n"


def test_agent_without_a_model_says_where_one_is_named(program, clerk):
    (clerk / "bare.yaml").write_text("agent: simple\ndescription: Work.\n", "utf-8")
    finished = program("run", "bare.yaml", "task=x")
    assert finished.returncode == 2
    assert "no model is set for the agent 'bare'" in finished.stderr
    assert "set one with --model, TOOLKIT_MODEL, 'model:' in the file or in the configuration" in finished.stderr
    (clerk / "other.yaml").write_text("turns: [well]", "utf-8")
    assert program("run", "bare.yaml", "task=x", env={"TOOLKIT_MODEL": "scripted:other.yaml"}).stdout == "well\n"


def test_show_draws_the_locks(invoke, clerk):
    assert invoke("show", "agents/clerk.yaml").stdout == SHOWN
    record = json.loads(invoke("show", "agents/clerk.yaml", "--format", "json").stdout)
    assert record["kind"] == "agent, playbook"
    assert [(tool["name"], tool["first"]) for tool in record["agent"]["tools"]] == [
        ("calculator", ""),
        ("file_write", "use calculator"),
    ]


def test_show_draws_the_states(invoke, clerk):
    (clerk / "desk.yaml").write_text(MACHINE, "utf-8")
    shown = invoke("show", "desk.yaml").stdout
    assert STATES in shown
    assert "  model  not named: --model, TOOLKIT_MODEL, or the configuration\n" in shown


def test_show_draws_a_diagram_of_the_states(invoke, clerk):
    (clerk / "desk.yaml").write_text(MACHINE.replace("adding", '"a \\"sum\\""'), "utf-8")
    assert invoke("show", "desk.yaml", "--format", "mermaid").stdout == (
        "stateDiagram-v2\n"
        "    state \"a 'sum'\" as s1\n"
        '    state "writing" as s2\n'
        "    [*] --> s1\n"
        "    s1 --> s2: calculator\n"
        "    s2 --> s2: file_write\n"
    )
    assert (
        "it is neither a pipeline nor an agent with states"
        in invoke("show", "agents/clerk.yaml", "--format", "mermaid").stderr
    )


def test_list_schema_and_lock_know_agents(invoke, clerk):
    assert "clerk" in invoke("list", "agents").stdout
    assert json.loads(invoke("schema", "agents/clerk.yaml").stdout)["name"] == "clerk"
    assert invoke("lock", "agents", "--update").exit_code == 0
    assert invoke("lint", "agents").stdout == "All checks passed! (1 tool in 1 file)\n"
    file = clerk / "agents" / "clerk.yaml"
    file.write_text(AGENT.replace("and write them down", "for anybody"), "utf-8")
    assert "TK514" in invoke("lint", "agents").stdout


def test_agents_are_sources_of_a_project_and_members_of_groups(invoke, clerk):
    (clerk / "toolkit.toml").write_text(
        'sources = ["agents"]\n[groups.work]\ntools = ["clerk", "calculator"]\n', "utf-8"
    )
    listed = json.loads(invoke("list", "work", "--format", "json").stdout)
    assert [(tool["name"], tool["kind"]) for tool in listed] == [
        ("clerk", "agent, playbook"),
        ("calculator", "text tool"),
    ]
    assert invoke("show", "clerk").stdout == SHOWN


@pytest.mark.proof
def test_lint_tells_of_a_bad_agent_once_and_runs_nothing(program, clerk):
    (clerk / "agents" / "clerk.yaml").write_text(AGENT.replace("calculator\nmax", "calculater\nmax"), "utf-8")
    finished = program("lint", "agents", "--format", "concise")
    assert finished.returncode == 1
    assert finished.stdout == (
        "agents/clerk.yaml:8:15: error[TK604] 'calculater' is not one of the agent's tools\n"
        "Found 1 error in 1 file.\n"
        "1 problem can be fixed with `--fix --unsafe-fixes`.\n"
    )
    assert program("run", "agents/clerk.yaml", "task=x").returncode == 2


def test_missing_description_is_told_of_an_agent(program, clerk):
    (clerk / "agents" / "clerk.yaml").write_text("agent: simple\n", "utf-8")
    assert "error[TK201] agent 'clerk' has no description" in program("lint", "agents", "--format", "concise").stdout


@pytest.mark.parametrize(
    "text",
    [
        "agent: simple\n  name: [",
        "agent: [simple]",
        "agent: simple\nagent: simple",
        "agent: !!python/object:os.system x",
        "agent: simple\ntools: " + "[" * 200,
        "agent: simple\ntools: &a [*a]",
        "agent: simple\nname: \x00",
        "agent: simple\ninputs: {task: {type: [[]]}}\nprompt: ${{ ${{",
    ],
)
def test_bad_yaml_gives_a_report_and_no_traceback(invoke, project, text):
    (project / "bad.yaml").write_text(text, "utf-8")
    for arguments in (("run", "bad.yaml", "x"), ("show", "bad.yaml"), ("schema", "bad.yaml")):
        result = invoke(*arguments)
        assert result.exit_code == 2
        assert "error[TK60" in result.stderr
        assert "toolkit itself failed" not in result.stderr


def test_new_agent_lints_clean_and_runs(invoke, program, project):
    result = invoke("new", "agent", "helper")
    assert (result.exit_code, result.stdout) == (0, "helper.yaml\nhelper_script.yaml\nagent.schema.json\n")
    assert result.stderr == (
        "\nNow check it, and run it:\n  toolkit lint helper.yaml\n"
        "  toolkit run helper.yaml 'four at 12.50, with tax?'\n"
    )
    assert json.loads((project / "agent.schema.json").read_text("utf-8")) == agent_schema()
    assert invoke("lint").stdout == "All checks passed! (1 tool in 1 file)\n"
    finished = program("run", "helper.yaml", "four at 12.50, with tax?", "-q")
    assert (finished.stdout, finished.stderr, finished.returncode) == ("It comes to 60.\n", "", 0)


def test_schema_of_the_format_is_printed(invoke):
    assert json.loads(invoke("schema", "--of", "agent").stdout) == agent_schema()


@pytest.mark.proof
def test_lint_looks_at_what_an_agent_is_told(invoke, project):
    told = "agent: simple\nname: clerk\ndescription: Answer what customers want to know.\n"
    (project / "clerk.yaml").write_text(f'{told}instructions: "Be kind.\\u200b"\n', "utf-8")
    first = invoke("lint", "clerk.yaml", "--format", "concise").stdout.splitlines()[0]
    assert first == (
        "clerk.yaml:4:24: error[TK501] [*] the instruction of 'clerk' has an invisible character: "
        "U+200B ZERO WIDTH SPACE"
    )


def test_agent_command_runs_the_agent_of_a_file(program, clerk):
    done = program("agent", "agents/clerk.yaml", "Sum it up", "--yes", "--transcript", "said.json", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "It is written: Successfully wrote to: answer.txt\n", "")
    said = json.loads((clerk / "said.json").read_text("utf-8"))
    assert (said["model"], said["task"]) == ("scripted:script.yaml", "Sum it up")
    assert said["messages"][1] == {"role": "user", "text": "Sum it up"}


@pytest.mark.proof
def test_agent_of_a_file_goes_on_with_its_transcript_within_a_budget(program, clerk):
    script = "turns: [I am listening., You said that before.]\n"
    (clerk / "agents" / "script.yaml").write_text(script, "utf-8")
    first = program("agent", "agents/clerk.yaml", "Hello", "--transcript", "said.json", "-q")
    again = program("agent", "agents/clerk.yaml", "Hello", "--transcript", "said.json", "--continue", "-q")
    assert (first.stdout, again.stdout) == ("I am listening.\n", "You said that before.\n")
    assert len(json.loads((clerk / "said.json").read_text("utf-8"))["messages"]) == 5  # the instructions, and two turns
    (clerk / "agents" / "script.yaml").write_text(SCRIPT, "utf-8")
    spent = program("agent", "agents/clerk.yaml", "Sum it up", "--yes", "--budget", "1 calls", "-q")
    assert spent.returncode == 1
    assert "budget" in spent.stderr
    assert not (clerk / "answer.txt").exists()


def test_inputs_of_a_file_have_their_defaults_and_its_prompt_words_the_task(program, clerk):
    (clerk / "agents" / "script.yaml").write_text("turns: [Done.]\n", "utf-8")
    (clerk / "agents" / "teller.yaml").write_text(
        "agent: simple\nname: teller\ndescription: Tell.\nmodel: scripted:script.yaml\n"
        "inputs: {language: {type: string, default: French}}\n"
        "prompt: Do this in ${{ inputs.language }} - ${{ inputs.task }}\n",
        "utf-8",
    )
    program("agent", "agents/teller.yaml", "greet", "--transcript", "said.json")
    [_, first, _] = json.loads((clerk / "said.json").read_text("utf-8"))["messages"]
    assert first["text"] == "Do this in French - greet"


ALONE = "agent: simple\nname: a\ndescription: A.\nmodel: scripted:script.yaml\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("agents/clerk.yaml", "go", "--tools", "calculator"), 2, "--tools cannot be combined with an agent file"),
        (
            ("agents/clerk.yaml", "go", "--instructions", "x"),
            2,
            "--instructions cannot be combined with an agent file",
        ),
        (("agents/clerk.yaml", "go", "--max-turns", "1"), 2, "--max-turns cannot be combined with an agent file"),
        (("agents/clerk.yaml",), 2, "the task is missing"),
        (("agents/gone.yaml", "go"), 4, "agents/gone.yaml"),
        (("agents/pipe.yaml", "go"), 2, "'agents/pipe.yaml' does not describe an agent"),
        (
            ("agents/more.yaml", "go"),
            2,
            "the agent of 'agents/more.yaml' needs other inputs than a task: missing required parameter",
        ),
        (
            ("agents/alone.yaml", "go"),
            2,
            "the agent of 'agents/alone.yaml' takes no task, since its prompt defines what to do",
        ),
        (("write", "it", "--model", "scripted:agents/script.yaml"), 2, "unexpected second task: 'it'"),
    ],
)
def test_agent_command_that_cannot_begin_says_why(invoke, clerk, arguments, code, message):
    (clerk / "agents" / "pipe.yaml").write_text("toolkit: 1\nsteps: [{use: calculator}]\n", "utf-8")
    (clerk / "agents" / "more.yaml").write_text(f"{ALONE}inputs: {{city: {{type: string}}}}\n", "utf-8")
    (clerk / "agents" / "alone.yaml").write_text(f"{ALONE}prompt: Do it.\n", "utf-8")
    done = invoke("agent", *arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr


@pytest.mark.parametrize("options", [{}, {"input": "ignored"}])
def test_agent_whose_prompt_says_all_needs_no_task(program, clerk, options):
    (clerk / "agents" / "script.yaml").write_text("turns: [Done.]\n", "utf-8")
    (clerk / "agents" / "alone.yaml").write_text(f"{ALONE}prompt: Do it.\n", "utf-8")
    done = program("agent", "agents/alone.yaml", "-q", **options)
    assert (done.returncode, done.stdout) == (0, "Done.\n")


def test_task_of_an_agent_file_comes_from_stdin_where_something_is_piped_in(program, clerk):
    (clerk / "agents" / "echo.py").write_text("def reply(messages, tools):\n    return messages[-1].text\n", "utf-8")
    for words in ((), ("-",)):
        done = program(
            "agent", "agents/clerk.yaml", *words, "--model", "scripted:agents/echo.py", "--transcript", "said.json", "-q",
            input="two\nlines\n",
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, "two\nlines\n", "")
        assert json.loads((clerk / "said.json").read_text("utf-8"))["task"] == "two\nlines"
