"""`toolkit run` without a terminal: arguments, output, exit codes, and what happens to a run that is interrupted."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

TOOLS = '''
from typing import Literal

from toolkit import ToolContext, ToolExecutionError, ToolResult, tool


@tool
def describe(
    name: str,
    count: int = 1,
    ratio: float = 0.5,
    loud: bool = False,
    size: Literal["small", "large"] = "small",
    tags: list[str] = [],
    sizes: list[int] = [],
    extra: dict[str, int] = {},
    maybe: int | None = None,
) -> dict:
    """Say what was given.

    Args:
        name: Whom it is about.
    """
    print("a tool prints")
    return {"name": name, "count": count, "ratio": ratio, "loud": loud, "size": size, "tags": tags,
            "sizes": sizes, "extra": extra, "maybe": maybe}


@tool
def two_texts(first: str, second: str) -> str:
    """Join."""
    return first + second


@tool
def fail(why: str) -> str:
    """Fail."""
    raise ToolExecutionError(why)


@tool(destructive=True)
def wipe(path: str, note: str = "") -> str:
    """Wipe a file."""
    open(path, "w").close()
    return "wiped"


@tool
def asks(context: ToolContext) -> str:
    """Ask in the middle of the work."""
    decision = context.request_approval("Really?")
    return type(decision).__name__


@tool
def tenant(context: ToolContext) -> str:
    """Say which tenant."""
    return f"{context['tenant']} {context.get('limit')!r}"


@tool
def nothing() -> str:
    """Return nothing."""
    return ""


@tool
def paged() -> ToolResult:
    """Return a page, and a note."""
    return ToolResult.success("[1]").remarked("There is another page.")


@tool
def paint() -> str:
    """Return what a terminal would obey."""
    return "\\x1b[31mred\\x1b[0m"
'''
DEFAULTS = {
    "name": "Ada", "count": 1, "ratio": 0.5, "loud": False, "size": "small", "tags": [], "sizes": [], "extra": {}, "maybe": None,
}  # fmt: skip


@pytest.fixture
def run(program, project):
    (project / "tools.py").write_text(TOOLS, "utf-8")

    def run(*arguments, **options):
        return program("run", *arguments, **options)

    return run


def described(ended):
    assert (ended.returncode, ended.stderr) == (0, "a tool prints\n")
    return json.loads(ended.stdout)


# ---------------------------------------------------------------------------------------------------------- arguments


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (["name=Ada"], {}),
        (["name=42"], {"name": "42"}),
        (["name=true"], {"name": "true"}),
        (["name="], {"name": ""}),
        (["name=a=b"], {"name": "a=b"}),
        (['name:="quoted"'], {"name": "quoted"}),
        (["name=Ada", "count=3", "ratio=2", "loud=true"], {"count": 3, "ratio": 2.0, "loud": True}),
        (["name=Ada", "count=5.0", "loud=False"], {"count": 5}),
        (["name=Ada", "size=large"], {"size": "large"}),
        (["name=Ada", "tags=a, b,c"], {"tags": ["a", "b", "c"]}),
        (["name=Ada", "tags=a,b", "tags=c"], {"tags": ["a,b", "c"]}),
        (["name=Ada", 'tags=["x, y"]'], {"tags": ["x, y"]}),
        (["name=Ada", "tags="], {"tags": []}),
        (["name=Ada", "sizes=1,2"], {"sizes": [1, 2]}),
        (["name=Ada", "sizes:=[3]"], {"sizes": [3]}),
        (["name=Ada", 'extra={"a": 1}'], {"extra": {"a": 1}}),
        (["name=Ada", "maybe=7"], {"maybe": 7}),
        (["name=Ada", "maybe=null"], {"maybe": None}),
        (["name=Ada", "maybe:=null"], {"maybe": None}),
        (["Ada"], {}),
        (["Ada Lovelace", "count=2"], {"name": "Ada Lovelace", "count": 2}),
        (["1 + 1 = 2"], {"name": "1 + 1 = 2"}),
        (["a==b"], {"name": "a==b"}),
        (["--input", "Ada"], {}),
        (["--args", '{"name": "Ada", "count": "4"}'], {"count": 4}),
        (["--args", '{"name": "Ada", "count": 4}', "count=5"], {"count": 5}),
        (["name=@name.txt"], {"name": "from a file\n"}),
        (["name=Ada", "sizes=@sizes.json"], {"sizes": [8, 9]}),
        (["name=Ada", "sizes:=@sizes.json"], {"sizes": [8, 9]}),
        (["--args", "@all.json"], {"count": 6}),
    ],
)
def test_arguments_are_typed_by_the_schema(run, project, words, changes):
    (project / "name.txt").write_text("from a file\n", "utf-8")
    (project / "sizes.json").write_text("[8, 9]", "utf-8")
    (project / "all.json").write_text('{"name": "Ada", "count": 6}', "utf-8")
    assert described(run("tools.py:describe", *words)) == DEFAULTS | changes


@pytest.mark.parametrize(
    ("words", "piped", "changes"),
    [
        ([], "Ada\n", {}),
        ([], "two\nlines\n", {"name": "two\nlines"}),
        (["--input", "-"], "Ada\n", {}),
        (["--args", "-"], '{"name": "Ada", "count": 2}\n', {"count": 2}),
        (["name=Ada"], "not wanted", {}),
    ],
)
def test_what_is_piped_in_goes_where_text_is_wanted(run, words, piped, changes):
    assert described(run("tools.py:describe", *words, input=piped)) == DEFAULTS | changes


def test_the_text_of_a_built_in_tool_needs_no_name(run):
    ended = run("calculator", "2^3^2")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "512\n", "")


def test_note_beside_a_result_is_a_message(run):
    ended = run("tools.py:paged")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "[1]\n", "There is another page.\n")
    assert run("tools.py:paged", "--quiet").stderr == ""


def test_arguments_of_a_text_tool_may_be_a_json_object(run):
    assert run("calculator", '{"input": "1+1"}').stdout == "2\n"
    misspelt = run("calculator", '{"inptu": "1+1"}')
    assert (misspelt.returncode, misspelt.stderr) == (
        2,
        (
            "error: calculator has no argument 'inptu'\nhint: did you mean 'input'?\n\n"
            "error: missing argument 'input' (string): The input to pass to the tool\n"
            "hint: write: toolkit run calculator input=…\n"
        ),
    )
    other = run("calculator", '{"expresion": "1+1"}')
    assert (other.returncode, other.stderr) == (
        1,
        (
            "error: Invalid expression: Unexpected character '{'\n"
            "hint: the whole JSON object was passed as 'input'; pass only the text\n"
        ),
    )


def test_text_goes_to_the_one_required_text_of_a_tool_that_takes_json(run, project):
    ended = run("glob", "*.py")
    assert (ended.returncode, ended.stdout.splitlines()) == (0, sorted(path.name for path in project.glob("*.py")))


def test_text_is_not_taken_where_another_argument_says_the_same(run):
    ended = run("glob", "*.py", "pattern=*.md")
    assert (ended.returncode, ended.stderr) == (2, "error: argument 'pattern' is given twice\nhint: pass it once\n")


def test_json_object_holds_the_arguments_of_a_tool_that_has_no_place_for_a_text(run):
    ended = run("tools.py:two_texts", '{"first": "a", "second": "b"}')
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ab\n", "")


def test_every_wrong_argument_is_named_at_once_and_nothing_runs(run):
    ended = run("tools.py:describe", "nam=Ada", "count=many", "size=smal", "loud=yes", "sizes:=[1,", "tags=@gone.txt")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert (
        ended.stderr
        == """\
error: argument 'tags': cannot read the file 'gone.txt': no such file or directory
hint: a value that starts with @ is the name of a file; for the text itself write name:='"@…"'

error: argument 'sizes' is not JSON: the document ends where a value is expected, at line 1, column 4
hint: for plain text write sizes=…

error: describe has no argument 'nam'
hint: did you mean 'name'?

error: invalid parameter 'count': must be a whole number, not "many"

error: invalid parameter 'loud': should be a valid boolean, not "yes"

error: invalid parameter 'size': should be 'small' or 'large', not "smal"
hint: did you mean 'small'?

error: missing argument 'name' (string): Whom it is about.
hint: write: toolkit run tools.py:describe name=…
"""
    )


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "b"], "expected one text as input, got 2: 'a', 'b'"),
        (["Ada", "--input", "Bob"], "expected one text as input, got 2: 'Ada', 'Bob'"),
        (["Ada", "name=Bob"], "argument 'name' is given twice"),
        (["name=Ada", "count=1", "count=2"], "argument 'count' is given 2 times, but is not a list"),
        (["--args", "[1]"], "--args is not a JSON object"),
        (["--args", "{"], "--args is not JSON: a key in double quotes is expected, at line 1, column 2"),
        (["--args", "-"], "--args - reads a JSON object from stdin, but nothing is piped in"),
        (["--input", "-"], "--input - reads text from stdin, but nothing is piped in"),
    ],
)
def test_contradicting_arguments_are_refused(run, words, message):
    ended = run("tools.py:describe", *words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"error: {message}")


def test_a_text_that_two_parameters_could_take_is_refused(run):
    ended = run("tools.py:two_texts", "hello")
    assert ended.returncode == 2
    assert ended.stderr.startswith(
        "error: two_texts takes no text: 'hello'\nhint: name the parameter: first=… or second=…\n"
    )


def test_values_of_the_context_reach_the_tool(run):
    ended = run("tools.py:tenant", "--context", "tenant=acme", "--context", "limit:=3")
    assert (ended.returncode, ended.stdout) == (0, "acme 3\n")


# ------------------------------------------------------------------------------------------------ output and exit codes


def test_a_failed_tool_exits_1_and_says_why(run):
    ended = run("tools.py:fail", "no \x1b[2J luck")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "error: no \\x1b[2J luck\n")


def test_output_of_on_failure_steps_is_listed_after_the_failure(run, project):
    steps = "steps:\n  - set: first\n  - use: fail\non_failure:\n  - set: cleaned up\n"
    (project / "cleaning.yaml").write_text(f"description: Cleans up.\ntools: [./tools.py]\n{steps}", "utf-8")
    ended = run("cleaning.yaml", "--quiet")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert (
        ended.stderr
        == """
finished before the failure
  set  first

finished after the failure
  on_failure/set  cleaned up
error: first
"""
    )


def test_result_whose_output_is_data_is_printed_as_json(run, project):
    returned = "ToolResult.success({'a': 1})"
    code = f'from toolkit import ToolResult, tool\n\n\n@tool\ndef count():\n    """Count."""\n    return {returned}\n'
    (project / "counting.py").write_text(code, "utf-8")
    ended = run("counting.py:count")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, '{"a":1}\n', "")


def test_a_result_is_one_object_with_format_json(run):
    ended = run("tools.py:two_texts", "first=a", "second=b", "--format", "json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == {
        "succeeded": True, "output": "ab", "structured": None, "error": None, "error_code": None,
        "steps": [], "usage": None,
    }  # fmt: skip


def test_a_failure_is_an_object_on_both_streams_with_format_json(run):
    ended = run("tools.py:fail", "why", "--format", "json")
    assert ended.returncode == 1
    assert json.loads(ended.stdout)["error"] == "why"
    assert json.loads(ended.stderr)["message"] == "why"


def test_events_and_then_the_result_are_lines_with_format_jsonl(run):
    ended = run("tools.py:two_texts", "first=a", "second=b", "--format", "jsonl")
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [line["event"] for line in lines] == ["tool_started", "tool_finished", "result"]
    assert lines[-1]["output"] == "ab"


def test_empty_output_is_nothing_at_all(run):
    assert run("tools.py:nothing").stdout == ""


def test_what_a_program_reads_is_the_output_as_it_is(run):
    assert run("tools.py:paint").stdout == "\x1b[31mred\x1b[0m\n"


def test_a_target_that_is_not_there_exits_4(run):
    ended = run("tools.py:describ")
    assert ended.returncode == 4
    assert "did you mean 'describe'?" in ended.stderr


def test_a_file_of_several_tools_wants_one_to_be_named(run):
    ended = run("tools.py")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(
        "error: 'tools.py' contains 9 tools; `run` calls one of them\nhint: name one: tools.py:describe,"
    )


def test_a_call_that_takes_too_long_exits_5(run, project):
    (project / "slow.py").write_text(
        "import threading\nfrom toolkit import tool\n\n@tool\ndef wait() -> str:\n    '''Wait.'''\n    threading.Event().wait()\n",
        "utf-8",
    )
    ended = run("slow.py:wait", "--timeout", "200ms")
    assert (ended.returncode, ended.stdout) == (5, "")
    assert ended.stderr.startswith(
        "error: timed out after 200ms; it is a plain function, is still running in its thread"
    )


LEFT_RUNNING = '''
import threading
from concurrent.futures import ThreadPoolExecutor

from toolkit import tool


@tool
def leave(kind: str) -> str:
    """Leave a thread behind that never ends."""
    begun = threading.Event()

    def run() -> None:
        begun.set()
        threading.Event().wait()

    starts = {
        "a thread": threading.Thread(target=run).start,
        "a daemon": threading.Thread(target=run, daemon=True).start,
        "a pool": lambda: ThreadPoolExecutor().submit(run),
        "a pool of a daemon": threading.Thread(target=lambda: ThreadPoolExecutor().submit(run), daemon=True).start,
    }
    starts[kind]()
    begun.wait()
    return "done"
'''


@pytest.mark.parametrize("kind", ["a thread", "a daemon", "a pool", "a pool of a daemon"])
def test_a_thread_that_a_tool_leaves_behind_holds_nobody_up(run, project, kind):
    (project / "left.py").write_text(LEFT_RUNNING, "utf-8")
    ended = run("left.py:leave", f"kind={kind}")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("text", ["soon", "-1s", "0s", ""])
def test_a_timeout_that_is_no_time_is_refused(run, text):
    ended = run("tools.py:nothing", f"--timeout={text}")
    assert ended.returncode == 2
    assert ended.stderr == f"error: --timeout: '{text}' is not a duration\nhint: write 500ms, 30s or 5m\n"


def test_logging_is_shown_when_asked_for(run):
    assert run("tools.py:nothing").stderr == ""
    assert re.fullmatch(r"info toolkit\.tools\.nothing: nothing\(.*\n", run("tools.py:nothing", "-v").stderr)


# ------------------------------------------------------------------------------------------- approvals, with nobody there


def test_what_must_be_asked_fails_before_any_work_and_names_the_flag(run, project):
    ended = run("tools.py:wipe", "path=it's [1].md")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert (
        ended.stderr
        == """\
error: 'wipe' needs approval (the tool is destructive), and there is no terminal to ask on
hint: allow it with --approve 'wipe(path=it'"'"'s [[]1].md, note=)'
"""
    )
    assert not (project / "it's [1].md").exists()
    flag = "wipe(path=it's [[]1].md)"
    assert run("tools.py:wipe", "path=it's [1].md", "--approve", flag).stdout == "wiped\n"


def test_yes_allows_every_question_and_says_so(run):
    ended = run("tools.py:wipe", "path=a.md", "--yes")
    assert (ended.returncode, ended.stdout) == (0, "wiped\n")
    assert ended.stderr == "·       wipe: allowed by --yes\n"


@pytest.mark.parametrize("rule", ["wipe", "w*", "wipe(path=*.md)", "wipe(path=[a-c].md)"])
def test_a_rule_allows_what_it_covers(run, rule):
    ended = run("tools.py:wipe", "path=a.md", "--approve", rule)
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        0,
        "wiped\n",
        f"·       wipe: allowed by --approve '{rule}'\n",
    )


@pytest.mark.parametrize("rule", ["wiper", "WIPE"])
def test_a_rule_that_names_no_tool_ends_the_run_before_it_begins(run, project, rule):
    ended = run("tools.py:wipe", "path=a.md", "--approve", rule)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"error: --approve '{rule}' names a tool that this run does not call" in ended.stderr


@pytest.mark.parametrize("rule", ["wipe(path=*.txt)", "wipe(path=a.md, note=x)", "wipe(pth=*)"])
def test_a_rule_allows_nothing_else(run, project, rule):
    ended = run("tools.py:wipe", "path=a.md", "--approve", rule)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert not (project / "a.md").exists()


@pytest.mark.parametrize("rule", ["", "wipe(path)", "wipe(", "(path=*)"])
def test_a_rule_that_is_none_is_refused(run, rule):
    ended = run("tools.py:wipe", "path=a.md", "--approve", rule)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: --approve: ")


def test_what_a_tool_asks_of_its_own_accord_is_refused_when_it_asks(run):
    assert run("tools.py:asks").stdout == "Reject\n"
    assert run("tools.py:asks", "--yes").stdout == "Continue\n"


# ---------------------------------------------------------------------------------------------------------- pipelines


PIPELINE = """
name: report
description: Write words in capitals.
tools: [./words.py]
inputs:
  text: {type: string}
  path: {type: string, default: report.txt}
steps:
  - id: words
    use: words
    with: {text: "${{ inputs.text }}"}
  - id: upper
    for_each: ${{ steps.words.output }}
    use: upper
  - id: never
    when: ${{ len(steps.upper.output) > 99 }}
    use: upper
  - id: write
    use: file_write
    approve: Write it?
    with: {path: "${{ inputs.path }}", content: "${{ join(steps.upper.output, ' ') }}"}
"""
WORDS = '''
from toolkit import tool


@tool
def words(text: str) -> list[str]:
    """Split a text into words."""
    open("ran", "w").close()
    return text.split()


@tool
def upper(text: str) -> str:
    """Put a text into capitals."""
    return text.upper()
'''


@pytest.fixture
def pipeline(run, project):
    (project / "words.py").write_text(WORDS, "utf-8")
    (project / "report.yaml").write_text(PIPELINE, "utf-8")
    return run


def timeless(text):
    """Return the text with every duration of one width and value."""
    return re.sub(r" *\d+ ms", " 0 ms", text)


def test_a_pipeline_tells_each_step_and_sums_up(pipeline, project):
    ended = pipeline("report.yaml", "text=a b", "--yes")
    assert (ended.returncode, ended.stdout) == (0, "Successfully wrote to: report.txt\n")
    assert (
        timeless(ended.stderr)
        == """\
✓   1/4 words 0 ms  ["a","b"]
✓   2/4 upper 0 ms  ["A","B"]
○   3/4 never                        skipped
·       file_write: allowed by --yes
·       file_write: created report.txt (+1 -0)
✓   4/4 write 0 ms  Successfully wrote to: report.txt

step   status   items   attempts  time
words  ok               1 0 ms
upper  ok       2 of 2  1 0 ms
never  skipped
write  ok               1 0 ms
report done in 0 ms
"""
    )


def test_quiet_says_nothing_but_the_result(pipeline):
    ended = pipeline("report.yaml", "text=a b", "--yes", "--quiet")
    assert (ended.stdout, ended.stderr) == ("Successfully wrote to: report.txt\n", "")


def test_a_pipeline_that_would_ask_fails_before_any_work(pipeline, project):
    ended = pipeline("report.yaml", "text=a b")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.startswith(
        "error: step 'write' needs approval to run 'file_write', and there is no terminal to ask on\n  --> report.yaml:18:5\n"
    )
    assert ended.stderr.endswith(
        "hint: --approve 'file_write(path=report.txt)' allows it, whatever 'content' and 'append' are\n"
    )
    assert not (project / "ran").exists()


def test_the_flag_that_is_named_allows_the_step(pipeline, project):
    ended = pipeline("report.yaml", "text=a b", "--approve", "file_write(path=report.txt)")
    assert ended.returncode == 0
    assert (project / "report.txt").read_text("utf-8") == "A B"


def test_a_rehearsal_shows_what_is_known_and_calls_nothing(pipeline, project):
    ended = pipeline("report.yaml", "text=a b", "--dry-run")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (
        ended.stdout
        == """\
report
  path = report.txt
  text = a b
    1/4 words              words
          text = a b
    2/4 upper              upper, for each item
          text = <known when it runs>
    3/4 never              upper, if its condition holds
          text = <known when it runs>
    4/4 write              file_write
          path = report.txt
          content = <known when it runs>
          asks first: step 'write'

checked; nothing was called
"""
    )
    assert not (project / "ran").exists()


def test_a_rehearsal_still_refuses_bad_arguments(pipeline):
    ended = pipeline("report.yaml", "txt=a b", "--dry-run")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "did you mean 'text'?" in ended.stderr


@pytest.mark.proof
def test_a_failing_step_is_named(pipeline, project):
    (project / "bad.yaml").write_text("name: bad\ndescription: Bad.\ntools: [./tools.py]\nsteps: [fail]\n", "utf-8")
    ended = pipeline("bad.yaml", "why not", "--quiet")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "error: why not\n")
    assert pipeline("bad.yaml", "why not").stderr.endswith("error: why not\nhint: in step 'fail'\n")


# ------------------------------------------------------------------------------------------------------- interruptions


INTERRUPTED = """
name: interrupted
description: Wait until somebody interrupts.
tools: [./waiting.py]
inputs: {}
steps:
  - use: wait
on_failure:
  - use: clean_up
  - use: wait
"""
WAITING = '''
import threading

from toolkit import tool


@tool
def wait() -> str:
    """Wait for ever."""
    print("waiting", flush=True)
    threading.Event().wait()


@tool
async def wait_aside() -> str:
    """Wait for ever, in an event loop."""
    import asyncio

    print("waiting", flush=True)
    await asyncio.Event().wait()


@tool
def clean_up() -> str:
    """Clean up."""
    print("cleaning", flush=True)
    return "clean"
'''


@pytest.fixture
def waiting(project):
    (project / "waiting.py").write_text(WAITING, "utf-8")
    (project / "interrupted.yaml").write_text(INTERRUPTED, "utf-8")
    aside = INTERRUPTED.replace("- use: wait\n", "- use: wait_aside\n").replace("name: ", "name: aside_")
    (project / "aside.yaml").write_text(aside, "utf-8")
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "toolkit_cli", "run", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=project,
            env={**os.environ, "COLUMNS": "80"},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def read_until(process, text):
    for line in process.stderr:
        if text in line:
            return


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("file", ["interrupted.yaml", "aside.yaml"])
@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_one_interruption_cleans_up_and_a_second_leaves_at_once(waiting, file, number, exit_code):
    process = waiting(file)
    read_until(process, "waiting")
    process.send_signal(number)
    read_until(process, "cleaning")
    read_until(process, "waiting")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (exit_code, "")
    assert "error: interrupted\n" in err


def test_an_interrupted_tool_exits_130(waiting):
    process = waiting("waiting.py:wait")
    read_until(process, "waiting")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")


def test_an_interrupted_run_still_gives_programs_one_object(waiting):
    process = waiting("waiting.py:wait", "--format", "json")
    read_until(process, "waiting")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert json.loads(out)["error_code"] == "interrupted"


SKIPPING = """
name: skipping
tools: [./words.py]
inputs: {}
steps:
  - {id: inner, use: ./inner.yaml, with: {}}
"""
INNER = """
name: inner
tools: [./tools.py]
inputs: {}
steps:
  - id: each
    for_each: ${{ ["2026-01-01", "never", "soon"] }}
    on_item_error: skip
    use: fail_unless_date
    with: {text: "${{ item }}"}
"""
DATES = '''

@tool
def fail_unless_date(text: str) -> str:
    """Return a date."""
    if not text.startswith("20"):
        raise ValueError(f"{text!r} is no date")
    return text
'''


@pytest.fixture
def skipping(run, project):
    (project / "tools.py").write_text(f"from toolkit import tool\n{DATES}", "utf-8")
    (project / "skipping.yaml").write_text(SKIPPING.replace("words", "tools"), "utf-8")
    (project / "inner.yaml").write_text(INNER, "utf-8")
    return run


def test_skipped_items_are_in_the_table_and_summed_up(skipping):
    ended = skipping("skipping.yaml")
    assert (ended.returncode, ended.stdout) == (0, '["2026-01-01"]\n')
    assert timeless(ended.stderr[ended.stderr.index("\nstep ") :]) == (
        """
step        status  items              attempts  time
inner       ok                         1 0 ms
inner/each  ok      1 of 3, 2 skipped  1 0 ms
skipping done in 0 ms, items: 1 of 3, 2 skipped
!       inner/each: item 2 of 3 (never) was skipped: 'never' is no date
!       inner/each: item 3 of 3 (soon) was skipped: 'soon' is no date
"""
    )


def test_steps_and_skipped_items_are_data_with_format_json(skipping):
    ended = skipping("skipping.yaml", "--format", "json")
    steps = json.loads(ended.stdout)["steps"]
    assert [{**step, "seconds": 0} for step in steps] == [
        {
            "id": name, "path": path, "tool": tool, "status": "ok", "attempts": 1, "seconds": 0,
            "output": '["2026-01-01"]', "error": None, "error_code": None, **more,
        }
        for name, path, tool, more in (
            ("inner", "inner", "inner", {}),
            ("each", "inner/each", "fail_unless_date", {"items": {"of": 3, "done": 1, "skipped": [
                {"index": 1, "item": "never", "error": "'never' is no date", "error_code": "error"},
                {"index": 2, "item": "soon", "error": "'soon' is no date", "error_code": "error"},
            ], "kept": []}}),
        )
    ]  # fmt: skip
