"""Before a call that may destroy something a person is asked, and nothing but their plain yes lets it run."""

import os
import signal
import sys

import pexpect
import pytest

from tests.terminals import MENU_END, PROMPT, Terminal

OLD = "first\nsecond\n"
NEW = "first\nthird\n"
BLOCKING = '''
import time
from toolkit import tool

@tool(destructive=True)
async def block() -> str:
    """Block the event loop."""
    print("blocking", flush=True)
    time.sleep(300)
    return "done"
'''


@pytest.fixture
def report(project):
    path = project / "report.md"
    path.write_text(OLD, "utf-8")
    (project / "new.md").write_text(NEW, "utf-8")
    return path


@pytest.fixture
def asked(project, report):
    """The program, asking whether it may overwrite the report."""
    return Terminal(project, "run", "file_write", "path=report.md", "content=@new.md")


def test_writing_is_asked_about_with_place_risk_arguments_and_diff(asked, project, report):
    asked.expect(MENU_END)
    question = asked.seen.replace("\r\n", "\n")
    assert (
        question[question.index("     approve") :]
        == f"""\
     approve  file_write  (builtin)
     risk     DESTRUCTIVE                               asked by: the tool is destructive
     args     path    = report.md
              content = "first\\nthird\\n"
              append  = false  (default)
     uses     base = {project}
     effect   --- report.md
              +++ report.md
              @@ -1,2 +1,2 @@
               first
              -second
              +third
     o once · e edit · r reject with a reason · s same again this run · a always (choose a rule) ·
     d deny always (choose a rule) · v view all · q {MENU_END}"""
    )
    assert report.read_text("utf-8") == OLD
    asked.child.close(force=True)


def test_once_runs_the_call_and_stdout_has_the_result_alone(asked, report):
    asked.answer("o")
    assert asked.end() == 0
    assert report.read_text("utf-8") == NEW
    assert asked.stdout == "Successfully wrote to: report.md\n"


@pytest.mark.proof
def test_a_word_gets_an_explanation_and_only_its_letter_decides(asked, report):
    asked.answer("once")
    asked.expect("'once' is not an answer; type o alone for: once")
    asked.answer("o")
    assert asked.end() == 0
    assert report.read_text("utf-8") == NEW


def test_reject_passes_its_reason_on_and_exits_3(asked, report):
    asked.answer("r")
    asked.expect("the reason")
    asked.child.send("not today\r")
    assert asked.end() == 3
    assert "error: Rejected by reviewer: not today" in asked.seen
    assert report.read_text("utf-8") == OLD
    assert asked.stdout == ""


def test_stop_ends_the_run_and_exits_3(asked, report):
    asked.answer("q")
    assert asked.end() == 3
    assert "error: you stopped the run" in asked.seen
    assert "in step" not in asked.seen
    assert report.read_text("utf-8") == OLD


STOPPED = (
    "error: you stopped the run\r\n"
    "hint: its finished steps are not undone; a run with --journal can be continued after it was stopped\r\n"
)


def test_stopped_pipeline_says_how_a_run_can_be_continued(project, report):
    step = "{use: file_write, with: {path: report.md, content: new}}"
    (project / "write.yaml").write_text(f"name: w\ndescription: Write a report.\nsteps:\n  - {step}\n", "utf-8")
    asked = Terminal(project, "run", "write.yaml")
    asked.answer("q")
    assert asked.end() == 3
    assert STOPPED in asked.seen
    assert report.read_text("utf-8") == OLD


@pytest.mark.proof
def test_edit_runs_other_arguments_after_showing_them_with_their_effect(asked, project, report):
    asked.answer("e")
    asked.expect("edit which? path · content · append · {} for all as JSON:")
    asked.child.send("path\r")
    asked.expect("path =")
    asked.child.send("\x15other.md\r")
    asked.expect("edited")
    asked.expect("path    = other.md")
    asked.expect("+++ other.md")
    asked.answer("o")
    assert asked.end() == 0
    assert report.read_text("utf-8") == OLD
    assert (project / "other.md").read_text("utf-8") == NEW


def test_edit_asks_again_for_arguments_that_the_tool_refuses(asked, project, report):
    asked.answer("e")
    asked.expect("edit which?")
    asked.child.send("path\r")
    asked.expect("path =")
    asked.child.send("\x15../outside.md\r")
    asked.expect("(leave empty to keep the value)")
    asked.expect("path =")
    asked.child.send("\x15inside.md\r")
    asked.expect("path    = inside.md")
    asked.answer("o")
    assert asked.end() == 0
    assert not (project.parent / "outside.md").exists()
    assert (project / "inside.md").read_text("utf-8") == NEW


@pytest.mark.proof
def test_edit_of_an_unknown_argument_names_the_nearest(asked, report):
    asked.answer("e")
    asked.expect("edit which?")
    asked.child.send("pth\r")
    asked.expect("there is no argument 'pth'; did you mean 'path'?")
    asked.expect("edit which?")
    asked.child.send("\r")
    asked.answer("q")
    assert asked.end() == 3
    assert report.read_text("utf-8") == OLD


@pytest.mark.proof
def test_edit_of_all_arguments_takes_json(asked, project):
    asked.answer("e")
    asked.expect("edit which?")
    asked.child.send("{}\r")
    asked.expect("all arguments")
    asked.child.send('\x15{"path": broken\r')
    asked.expect("this is not JSON")
    asked.expect("all arguments")
    asked.child.send('\x15{"path": "third.md", "content": "whole"}\r')
    asked.expect("edited")
    asked.answer("o")
    assert asked.end() == 0
    assert (project / "third.md").read_text("utf-8") == "whole"


def test_edit_of_several_lines_opens_the_editor(project, report):
    asked = Terminal(
        project, "run", "file_write", "path=report.md", "content=@new.md", environment={"VISUAL": "sed -i s/third/3rd/"}
    )
    asked.answer("e")
    asked.expect("edit which?")
    asked.child.send("content\r")
    asked.expect("edited")
    asked.expect("+3rd")
    asked.answer("o")
    assert asked.end() == 0
    assert report.read_text("utf-8") == "first\n3rd\n"


@pytest.mark.proof
def test_view_pages_through_everything_and_cuts_nothing(project, report):
    lines = [f"line {number:03}" for number in range(200)]
    (project / "new.md").write_text("\n".join(lines), "utf-8")
    asked = Terminal(project, "run", "file_write", "path=report.md", "content=@new.md")
    asked.expect("content = <1799 characters, 200 lines>     v shows all")
    asked.answer("v")
    before = len(asked.seen)
    left = ""
    for _ in range(11):
        left = asked.turn_page(left)
    asked.expect("approve  file_write")
    shown = asked.seen[before:]
    assert [line for line in lines if f"│ {line}\r\n" not in shown] == []
    assert [line for line in lines if f"+{line}\r\n" not in shown] == []
    asked.answer("q")
    assert asked.end() == 3
    assert report.read_text("utf-8") == OLD


@pytest.mark.proof
def test_what_is_shown_cannot_repaint_or_hide_anything(project, report):
    payload = "\x1b]0;owned\x07\x1b[2J\x1b[1;1Happrove  harmless\r\u202egnp.exe\u2066\u200b\x9b31m\x00\x7f\n     risk     read-only"
    (project / "new.md").write_text(payload, "utf-8")
    asked = Terminal(project, "run", "file_write", "path=report.md", "content=@new.md")
    asked.answer("v")
    asked.answer("e")
    asked.expect("edit which?")
    asked.child.send("content\r")
    asked.expect("content (as JSON text")
    asked.child.send("\x03")
    asked.answer("q")
    assert asked.end() == 3
    for raw in ("\x1b]0", "\x1b[2J", "\x1b[1;1H", "\u202e", "\u2066", "\u200b", "\x9b", "\x00", "\x7f", "\x07"):
        assert raw not in asked.seen
    assert r"\x1b]0;owned\x07\x1b[2J\x1b[1;1Happrove  harmless\r\u202egnp.exe" in asked.seen
    assert "\n     risk     read-only" not in asked.seen
    assert report.read_text("utf-8") == OLD


# ------------------------------------------------------------------------------------------- what never runs the call


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("typed", "explanation"),
    [
        ("y", "'y' is not an answer; type o alone for: once"),
        ("yes", "'yes' is not an answer; type o alone for: once"),
        ("n", "'n' is not an answer; type r alone for: reject with a reason"),
        ("no", "'no' is not an answer; type r alone for: reject with a reason"),
        ("x", "'x' is not an answer; type q alone for: stop the run"),
        ("exit", "'exit' is not an answer; type q alone for: stop the run"),
        ("quit", "'quit' is not an answer; type q alone for: stop the run"),
        ("Once", "'Once' is not an answer; type o alone for: once"),
        ("O", "'O' is not an answer; type o alone for: once"),
        (" o", "' o' is not an answer; type o alone for: once"),
        ("o o", "'o o' is not an answer; type one of the letters o, e, r, s, a, d, v, q, then Enter"),
        ("\u043e", "'\u043e' is not an answer; type one of the letters o, e, r, s, a, d, v, q, then Enter"),
        ("b", "'b' is not an answer; type one of the letters o, e, r, s, a, d, v, q, then Enter"),
        ("always", "'always' is not an answer; type a alone for: always (choose a rule)"),
    ],
)
def test_only_the_letters_shown_decide_and_everything_else_is_explained(asked, report, typed, explanation):
    asked.answer(typed)
    asked.expect(explanation)
    asked.answer("q")
    assert asked.end() == 3
    assert report.read_text("utf-8") == OLD


@pytest.mark.proof
def test_enter_alone_asks_again(asked, report):
    asked.answer("")
    asked.answer("q")
    assert asked.end() == 3
    assert "decides nothing" not in asked.seen
    assert report.read_text("utf-8") == OLD


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(("letter", "prompt"), [("e", "edit which?"), ("r", "the reason")])
def test_ctrl_c_inside_an_answer_returns_to_the_question(asked, report, letter, prompt):
    asked.answer(letter)
    asked.expect(prompt)
    asked.child.send("\x03")
    asked.expect("approve  file_write")
    asked.answer("q")
    assert asked.end() == 3
    assert report.read_text("utf-8") == OLD


def test_end_of_input_ends_the_run(asked, report):
    asked.expect(MENU_END)
    asked.expect(PROMPT)
    asked.child.send("\x04")
    assert asked.end() == 3
    assert "error: the input ended while a question was open" in asked.seen
    assert report.read_text("utf-8") == OLD


@pytest.mark.parametrize("how", ["key", "signal"])
def test_ctrl_c_ends_the_run_with_130(asked, report, how):
    asked.expect(MENU_END)
    asked.expect(PROMPT)
    if how == "key":
        asked.child.send("\x03")
    else:
        os.kill(asked.child.pid, signal.SIGINT)
    assert asked.end() == 130
    assert report.read_text("utf-8") == OLD


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_that_ends_programs_ends_the_run(project, report, number, exit_code):
    asked = Terminal(project, "run", "file_write", "path=report.md", "content=@new.md")
    asked.expect(MENU_END)
    asked.expect(PROMPT)
    os.kill(asked.child.pid, number)
    assert asked.end() == exit_code
    assert report.read_text("utf-8") == OLD


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_a_tool_that_blocks_everything_after_its_question(project, number, exit_code):
    (project / "tools.py").write_text(BLOCKING, "utf-8")
    asked = Terminal(project, "run", "tools.py:block")
    asked.answer("o")
    asked.expect("blocking")
    os.kill(asked.child.pid, number)
    assert asked.end() == exit_code


@pytest.mark.proof
def test_a_terminal_that_goes_away_ends_the_run(asked, report):
    asked.expect(MENU_END)
    asked.expect(PROMPT)
    asked.child.ptyproc.fileobj.close()
    os.waitpid(asked.child.pid, 0)
    asked.child.ptyproc.terminated = asked.child.terminated = asked.child.closed = asked.child.ptyproc.closed = True
    assert report.read_text("utf-8") == OLD


@pytest.mark.proof
def test_a_question_that_nobody_answers_is_a_rejection(project, report):
    (project / "toolkit.toml").write_text('[defaults]\napproval_timeout = "300ms"\n', "utf-8")
    asked = Terminal(project, "run", "file_write", "path=report.md", "content=@new.md")
    asked.expect(MENU_END)
    assert asked.end() == 3
    assert "error: Rejected by reviewer: nobody answered within 0.3 seconds" in asked.seen
    assert report.read_text("utf-8") == OLD


@pytest.mark.proof
def test_the_terminal_is_given_back_after_a_timeout(project, report):
    (project / "toolkit.toml").write_text('[defaults]\napproval_timeout = "300ms"\n', "utf-8")
    command = f"{sys.executable} -m toolkit_cli run file_write path=report.md content=@new.md; stty -a; exit 7"
    asked = Terminal(project, "--version")
    asked.end()
    asked.child = pexpect.spawn("/bin/sh", ["-c", command], cwd=project, encoding="utf-8", timeout=30, use_poll=True)
    assert asked.end() == 7
    assert " echo " in asked.seen
    assert " icanon " in asked.seen


SLOW_TO_LOAD = """
import os
from toolkit import tool

print("loading")
with open("gate") as gate:
    gate.read()

@tool(destructive=True)
def wipe(path: str) -> str:
    '''Wipe a file.'''
    open(path, "w").close()
    return "wiped"
"""


@pytest.mark.proof
def test_what_was_typed_before_the_question_appeared_is_no_answer(project, report):
    (project / "slow.py").write_text(SLOW_TO_LOAD, "utf-8")
    os.mkfifo(project / "gate")
    asked = Terminal(project, "run", "slow.py:wipe", "path=report.md")
    asked.expect("loading")
    asked.child.send("o\ro\ro\r")
    asked.expect("o\r\no\r\no\r\n")  # the terminal has them all
    (project / "gate").write_text("go", "utf-8")
    asked.answer("q")
    assert asked.end() == 3
    assert report.read_text("utf-8") == OLD


def test_text_piped_into_stdin_answers_nothing(program, report):
    ended = program("run", "file_write", "path=report.md", "content=@new.md", input="o\no\n")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "needs approval" in ended.stderr
    assert report.read_text("utf-8") == OLD


def test_no_input_asks_nothing_even_on_a_terminal(project, report):
    refused = Terminal(project, "run", "file_write", "path=report.md", "content=@new.md", "--no-input")
    assert refused.end() == 3
    assert "'file_write' needs approval (the tool is destructive), and --no-input forbids asking" in refused.seen
    assert report.read_text("utf-8") == OLD


# ---------------------------------------------------------------------------------------------------------- pipelines


def write_pipeline(folder, name, steps, tools="[]"):
    text = f"name: {name}\ndescription: Do it.\ntools: {tools}\ninputs: {{}}\nsteps:\n{steps}"
    (folder / f"{name}.yaml").write_text(text, "utf-8")
    return f"{name}.yaml"


WRITE = "  - use: file_write\n    approve: true\n    with: {{path: {path}, content: {content}}}\n"


def test_same_again_answers_for_the_very_same_call_only(project):
    steps = [("a.md", "one"), ("a.md", "one"), ("a.md", "two"), ("b.md", "one"), ("a.md", "one")]
    file = write_pipeline(
        project, "twice", "".join(WRITE.format(path=path, content=content) for path, content in steps)
    )
    asked = Terminal(project, "run", file)
    asked.expect("step 1/5 · pipeline twice")
    asked.answer("s")
    asked.expect("step 3/5 · pipeline twice")
    asked.answer("o")
    asked.expect("step 4/5 · pipeline twice")
    asked.answer("o")
    assert asked.end() == 0
    assert asked.seen.count("approve  file_write") == 3
    assert (project / "a.md").read_text("utf-8") == "one"


@pytest.mark.proof
def test_a_step_shows_its_own_question(project):
    steps = "  - use: file_write\n    approve: {message: 'Publish it?', show: {readers: 3}, edit: false}\n"
    file = write_pipeline(project, "publish", steps + "    with: {path: a.md, content: new}\n")
    asked = Terminal(project, "run", file)
    asked.expect("asked by: step 'file_write'")
    asked.expect("asks     Publish it?")
    asked.expect('"readers": 3')
    asked.expect("o once · r reject")
    asked.answer("e")
    asked.answer("o")
    assert asked.end() == 0


@pytest.mark.proof
def test_a_rejected_step_ends_the_pipeline_and_the_table_says_so(project):
    file = write_pipeline(
        project, "one", WRITE.format(path="a.md", content="x") + "  - use: file_read\n    with: {path: a.md}\n"
    )
    asked = Terminal(project, "run", file)
    asked.answer("r")
    asked.expect("the reason")
    asked.child.send("no\r")
    assert asked.end() == 3
    assert "✗   1/2 file_write" in asked.seen
    assert "file_write  rejected" in asked.seen
    assert "one failed in" in asked.seen
    assert not (project / "a.md").exists()


@pytest.mark.proof
def test_each_item_is_asked_about_below_no_bar(project):
    steps = "  - for_each: [a, b, c]\n    use: file_write\n    with: {path: '${{ item }}.md', content: new}\n"
    asked = Terminal(project, "run", write_pipeline(project, "items", steps))
    for name, answer in (("a", "o"), ("b", "o"), ("c", "o")):
        asked.expect(f"path    = {name}.md")
        asked.answer(answer)
    assert asked.end() == 0
    assert "0/3" in asked.seen
    assert [(project / f"{name}.md").read_text("utf-8") for name in "abc"] == ["new"] * 3


@pytest.mark.proof
def test_one_answer_for_a_whole_step_is_offered_after_the_others_and_described_as_it_is(project):
    steps = "  - for_each: [a, b, c]\n    use: file_write\n    with: {path: '${{ item }}.md', content: new}\n"
    asked = Terminal(project, "run", write_pipeline(project, "items", steps))
    asked.expect("item 1/3 (a) · step 1/1 · pipeline items")
    asked.expect("o once · e edit · r reject with a reason · s same again this run")
    asked.expect("t every call of this tool in this step, with any arguments")
    asked.answer("t")
    assert asked.end() == 0
    assert asked.seen.count("approve  file_write") == 1
    assert [(project / f"{name}.md").read_text("utf-8") for name in "abc"] == ["new"] * 3


@pytest.mark.proof
def test_questions_of_branches_come_one_at_a_time_each_with_its_own_answer(project):
    branches = "".join(
        f"      {name}:\n    {WRITE.format(path=name, content='x').replace(chr(10), chr(10) + '    ')}\n"
        for name in "abcd"
    )
    steps = f"  - parallel:\n{branches.replace('        - use', '        - use')}"
    asked = Terminal(project, "run", write_pipeline(project, "side_by_side", steps))
    answered = []
    for _ in range(4):
        asked.child.expect(r"path    = (\w)\r")
        name = asked.child.match[1]
        answered.append(name)
        asked.seen += asked.child.before + asked.child.after
        asked.answer("o" if name in "ac" else "r")
        if name in "bd":
            asked.expect("the reason")
            asked.child.send("\r")
        if name in "bd":
            break
    assert asked.end() == 3
    written = [name for name in "abcd" if (project / name).exists()]
    assert written == sorted(set(answered) & set("ac"))


NOISY = '''
from toolkit import tool

@tool
def noise() -> str:
    """Print while somebody is asked."""
    with open("begin") as begin:
        begin.read()
    print("NOISE", flush=True)
    with open("done", "w") as done:
        done.write("done")
    return "silence"
'''


def test_nothing_is_written_while_a_question_is_open(project):
    (project / "noisy.py").write_text(NOISY, "utf-8")
    os.mkfifo(project / "begin")
    os.mkfifo(project / "done")
    steps = "  - parallel:\n      write:\n        - use: file_write\n          with: {path: a.md, content: x}\n      noise: [noise]\n"
    asked = Terminal(project, "run", write_pipeline(project, "noisy", steps, "[./noisy.py]"))
    asked.expect(MENU_END)
    asked.expect(PROMPT)
    (project / "begin").write_text("go", "utf-8")
    assert (project / "done").read_text("utf-8") == "done"
    asked.child.send("o\r")
    assert asked.end() == 0
    after = asked.seen.partition(PROMPT)[2]
    assert "NOISE" not in after.partition("o")[0]
    assert "NOISE" in after


def test_a_question_to_a_person_takes_their_words(project):
    steps = "  - use: human_input\n    with: {input: 'Which colour?'}\n"
    asked = Terminal(project, "run", write_pipeline(project, "ask", steps))
    asked.expect("Which colour?")
    asked.expect("your answer:")
    asked.child.send("blue\r")
    assert asked.end() == 0
    assert asked.stdout == "blue\n"


# ---------------------------------------------------------------------------------------------- missing arguments


TYPED = """
from enum import Enum
from typing import Literal
from toolkit import tool

class Size(Enum):
    SMALL = "small"
    LARGE = "large"

@tool
def order(item: str, count: int, size: Size, kind: Literal["now", "later"], gift: bool) -> str:
    '''Order something.

    Args:
        item: What to order.
        count: How many.
    '''
    return f"{item} {count} {size.value} {kind} {gift}"
"""


def test_missing_arguments_are_asked_for_by_type(project):
    (project / "typed.py").write_text(TYPED, "utf-8")
    form = Terminal(project, "run", "typed.py:order", "item=book")
    form.expect("count (integer) - How many.:")
    form.child.send("many\r")
    form.expect("must be a whole number")
    form.child.send("\x153\r")
    form.expect("size:")
    form.child.send("\x1b[B\r")
    form.expect("kind:")
    form.child.send("\x1b[B\r")
    form.expect("gift (boolean):")
    form.child.send("y")
    assert form.end() == 0
    assert form.stdout == "book 3 large later True\n"


def test_ctrl_c_in_the_form_runs_nothing(project):
    (project / "typed.py").write_text(TYPED, "utf-8")
    form = Terminal(project, "run", "typed.py:order", "item=book")
    form.expect("count (integer)")
    form.child.send("\x03")
    assert form.end() == 130
    assert form.stdout == ""


@pytest.mark.proof
def test_a_rejected_gate_ends_a_pipeline_that_continues_past_failures(project):
    steps = "  - {id: gate, approve: 'Go on?', on_error: continue}\n  - use: calculator\n    with: {input: 1 + 1}\n"
    file = write_pipeline(project, "gated", f"{steps}error_strategy: continue_on_failure\n")
    asked = Terminal(project, "run", file)
    asked.answer("r")
    asked.expect("the reason")
    asked.child.send("no\r")
    assert asked.end() == 3
    assert asked.stdout == ""
    assert "✗   1/2 gate" in asked.seen
    assert "2/2 calculator" not in asked.seen
