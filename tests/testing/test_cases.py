"""Cases: every key, what passes, and how what fails is reported."""

import json
import re
import subprocess
import sys

import pytest

from tests.terminals import Terminal
from tests.testing.case_projects import write_shop

ORDERS = "{orders: [{id: A-17, euros: 80, damaged: true}, {id: A-18, euros: 20, damaged: false}]}"
PIPELINE = f"run: refunds.yaml, with: {ORDERS}, answers: [{{refund: approve}}], stub: {{mail: sent}}"
PRICE = "run: shop.py:price, with: {order: A-17}"
REFUND = "run: shop.py:refund, with: {order: A-17, euros: 40}"
NONE = "run: shop.py:price, with: {order: none}"
NOTE = "run: shop.py:note, with: {name: a.txt, text: two}"
CLERK = "run: clerk.yaml, with: what did A-17 cost?"

PASSED = "passed"
# fmt: off
CASES = [
    # What is run, and with what.
    (f"{PIPELINE}, expect: {{output: ['paid back 40 EUR for order A-17']}}", PASSED),
    ("run: shop.py:shout, with: hello, expect: {output: HELLO}", PASSED),
    ("run: calculator, with: 6 * 7, expect: {output: '42'}", PASSED),
    ("run: shop.py:shout", "it failed [invalid_arguments]: Missing required parameter(s): text"),
    (CLERK, PASSED),
    ("run: clerk.yaml, with: hello, model: 'scripted:other.yaml', expect: {output: Hello}", PASSED),
    # Output.
    (f"{PRICE}, expect: {{output: {{euros: 80, cents: 50}}}}", PASSED),
    (f"{PRICE}, expect: {{output: {{euros: 80}}}}", "output.cents is 50, and should not be there"),
    (f"{PRICE}, expect: {{output: {{euros: 80, cents: 50, tax: 1}}}}", "output.tax is missing, and should be 1"),
    (f"{PRICE}, expect: {{output: {{euros: 8, cents: 50}}}}", "output.euros is 80, not 8"),
    (f"{PRICE}, expect: {{output: {{euros: true, cents: 50}}}}", "output.euros is 80, not true"),
    (f"{PRICE}, expect: {{subset: {{euros: 80}}}}", PASSED),
    (f"{PRICE}, expect: {{subset: {{euros: 81}}}}", "output.euros is 80, not 81"),
    (f"{PIPELINE}, expect: {{output: []}}", 'output has 1 item, not 0: it also has "paid back 40 EUR for order A-17"'),
    (f"{PRICE}, expect: {{schema: {{type: object, required: [euros]}}}}", PASSED),
    (f"{PRICE}, expect: {{schema: {{properties: {{euros: {{maximum: 9}}}}}}}}", "output.euros is 80, which violates 'maximum': 9"),
    ("run: shop.py:shout, with: hello, expect: {matches: '^H.*O$'}", PASSED),
    ("run: shop.py:shout, with: hello, expect: {matches: '^h'}", "the output \"HELLO\" does not match '^h'"),
    (f"{PRICE}, expect: {{that: ['${{{{ result.euros == 80 }}}}', '${{{{ inputs.order == \"A-17\" }}}}', '${{{{ error == None }}}}']}}", PASSED),
    (f"{PRICE}, expect: {{that: '${{{{ result.euros > 80 }}}}'}}", "${{ result.euros > 80 }} is false, not true"),
    # Errors.
    (f"{NONE}, expect: {{error: no such order, code: not_found, exit: 1}}", PASSED),
    (f"{NONE}, expect: {{error: true}}", PASSED),
    (f"{NONE}, expect: {{exit: 1}}", PASSED),
    (NONE, "it failed [not_found]: there is no such order"),
    (f"{NONE}, expect: {{error: no order}}", 'the error is "there is no such order", without "no order"'),
    (f"{NONE}, expect: {{code: gone}}", 'the code of the error is "not_found", not "gone"'),
    (f"{NONE}, expect: {{exit: 3}}", "the exit code is 1, not 3"),
    (f"{PRICE}, expect: {{error: true}}", 'it should fail, but returned {"euros": 80, "cents": 50}'),
    (f"{PRICE}, expect: {{code: not_found}}", 'it should fail, but returned {"euros": 80, "cents": 50}'),
    # Questions and answers.
    (f"{REFUND}, answers: [{{refund: approve}}], expect: {{asked: [refund]}}", PASSED),
    (REFUND, "nobody foresaw the question about 'refund' with {\"order\": \"A-17\", \"euros\": 40}; add an answer"),
    (f"{PRICE}, answers: [{{price: approve}}]", "no question about 'price' was asked"),
    (f"{REFUND}, answers: [{{refund: approve}}, {{refund: approve}}]", "the answer to 'refund' was not needed"),
    (f"{REFUND}, answers: [{{refund: {{reject: too much}}}}], expect: {{error: too much, code: rejected, exit: 3, calls: [], not: [refund]}}", PASSED),
    (f"{REFUND}, answers: [{{refund: stop}}], expect: {{code: exit_early}}", PASSED),
    (f"{REFUND}, answers: [{{refund: {{edit: {{order: A-17, euros: 4}}}}}}], expect: {{calls: [{{refund: {{order: A-17, euros: 4}}}}]}}", PASSED),
    (f"{PIPELINE}, expect: {{asked: [{{refund: {{order: A-17, euros: 40}}}}]}}", PASSED),
    (f"{PIPELINE}, expect: {{asked: [{{refund: 'Pay back 2 orders?'}}]}}", PASSED),
    (f"{PIPELINE}, expect: {{asked: [{{refund: {{order: A-17, euros: 80}}}}]}}", "question 1: refund.euros is 40, not 80"),
    (f"{PIPELINE}, expect: {{asked: []}}", "'refund' was asked about, with {\"order\": \"A-17\", \"euros\": 40}"),
    ("run: refunds.yaml, with: {orders: [{id: a, euros: 2, damaged: true}, {id: b, euros: 4, damaged: true}]}, answers: [{refund: approve}, {refund: approve}], stub: {mail: sent}, expect: {asked: [refund]}", "'refund' was asked about once more, with {\"order\": \"b\", \"euros\": 2}"),
    (f"{PIPELINE}, expect: {{asked: [refund, mail]}}", "question 2, 'mail', is missing (there are 1: refund)"),
    # Calls.
    (f"{PIPELINE}, expect: {{calls: [{{refund: {{order: A-17, euros: 40}}}}, mail]}}", PASSED),
    (f"{PIPELINE}, expect: {{calls: [mail, refund]}}", "call 1 is 'refund', not 'mail' (all: refund, mail)"),
    (f"{PIPELINE}, expect: {{calls: [{{refund: {{order: A-17, euros: 4}}}}]}}", "call 1: refund.euros is 40, not 4"),
    (f"{PIPELINE}, expect: {{calls: [refund, refund]}}", "call 2, 'refund', is missing (there are 1: refund)"),
    (f"{REFUND}, answers: [{{refund: approve}}], expect: {{calls: []}}", PASSED),
    (f"{PIPELINE}, expect: {{calls: []}}", "'refund' was called, with {\"order\": \"A-17\", \"euros\": 40}"),
    (f"{CLERK}, expect: {{calls: []}}", "'price' was called, with {\"order\": \"A-17\"}"),
    (f"{CLERK}, expect: {{not: [clerk, price]}}", "'clerk' was called, with {\"task\": \"what did A-17 cost?\"}"),
    (f"{PIPELINE}, expect: {{not: [refund]}}", "'refund' was called, with {\"order\": \"A-17\", \"euros\": 40}"),
    (f"{CLERK}, expect: {{calls: [{{price: {{order: A-17}}}}]}}", PASSED),
    # Stubs.
    (f"{CLERK}, stub: {{price: {{euros: 3, cents: 0}}}}, expect: {{matches: '\"euros\":3'}}", PASSED),
    (f"{PIPELINE.replace('sent', '{error: no network, code: network}')}, expect: {{error: no network, code: network}}", PASSED),
    (f"{PIPELINE.replace('sent', '[sent]')}", PASSED),
    ("run: refunds.yaml, with: {orders: [{id: a, euros: 2, damaged: true}, {id: b, euros: 4, damaged: true}]}, answers: [{refund: approve}, {refund: approve}], stub: {mail: sent, refund: [one, two]}, expect: {output: [one, two]}", PASSED),
    ("run: refunds.yaml, with: {orders: [{id: a, euros: 2, damaged: true}, {id: b, euros: 4, damaged: true}]}, answers: [{refund: approve}, {refund: approve}], stub: {mail: sent, refund: [one]}", "it failed [stub]: item 2 of 2: the stub of 'refund' has no result for call 2"),
    # Files.
    (f"{NOTE}, files: {{head.txt: one}}, expect: {{files: {{a.txt: onetwo, b.txt: null}}}}", PASSED),
    (f"{NOTE}, files: {{head.txt: {{file: replies.yaml}}}}, expect: {{matches: written}}", PASSED),
    (f"{NOTE}, files: {{head.txt: one}}, expect: {{files: {{a.txt: one}}}}", "the file 'a.txt' is \"onetwo\", not \"one\""),
    (f"{NOTE}, files: {{head.txt: one}}, expect: {{files: {{b.txt: one}}}}", "there is no file 'b.txt'"),
    (f"{NOTE}, files: {{head.txt: one}}, expect: {{files: {{a.txt: null}}}}", "there is a file 'a.txt'"),
    # Events.
    (f"{PIPELINE}, expect: {{events: [pipeline_started, {{step_finished: {{path: paid, status: ok}}}}, {{tool_started: {{tool: mail}}}}]}}", PASSED),
    (f"{PIPELINE}, expect: {{events: [{{step_finished: {{path: paid, status: failed}}}}]}}", "event 1, 'step_finished', is missing: step_finished.status is \"ok\", not \"failed\""),
    (f"{PIPELINE}, expect: {{events: [pipeline_finished, pipeline_started]}}", "event 2, 'pipeline_started', is missing"),
    # Budgets.
    (f"{CLERK}, expect: {{within: {{time: 1m, tokens: 330, cost: 0.03}}}}", PASSED),
    (f"{CLERK}, expect: {{within: {{tokens: 329}}}}", "it used 330 tokens, more than 329"),
    (f"{CLERK}, expect: {{within: {{cost: 0.02}}}}", "it cost $0.03, more than $0.02"),
    ("run: shop.py:sleep, with: {seconds: 0.3}, expect: {error: true, within: {time: 10ms}}", "it took "),
]
BROKEN = [
    ("run: shop.py", "'{folder}/shop.py' contains 6 tools; a case runs one of them"),
    ("run: shop.py:refnd", "nothing is named 'refnd' in '{folder}/shop.py'"),
    (f"{PIPELINE.replace('{mail: sent}', '{male: sent, mail: sent}')}", "'refunds' calls no tool named 'male'"),
    (f"{PIPELINE}, expect: {{not: [mail, refnd]}}", "'refunds' calls no tool named 'refnd'"),
    (f"{REFUND}, answers: [{{refund: approve}}], expect: {{not: [refnd]}}", "'refund' calls no tool named 'refnd'"),
    (f"{CLERK}, stub: {{price: 3}}", "the stub of 'price' does not match its output schema: should be a valid object, not 3"),
    ("run: shop.py:refund, with: A-17", "'refund' has 2 parameters, so 'with' must be a mapping"),
    ("run: clerk.yaml, with: hello, model: 'scripted:nowhere.yaml'", "there is no file '{folder}/nowhere.yaml'"),
]
# fmt: on


@pytest.fixture
def run_cases(program, project):
    """Write cases, each in braces, run them, and return the status and the messages of each."""
    write_shop(project)
    (project / "other.yaml").write_text("turns: [Hello]\n", "utf-8")

    def run(cases, *options):
        lines = [f"  - {{name: case {at}, {text}}}" for at, text in enumerate(cases)]
        (project / "all.cases.yaml").write_text("\n".join(["cases:", *lines, ""]), "utf-8")
        finished = program("test", "all.cases.yaml", "--format", "json", *options)
        assert not finished.stderr
        return finished.returncode, json.loads(finished.stdout)["cases"]

    return run


def messages_of(case):
    return [problem["message"].removeprefix(f"{case['name']}: ") for problem in case["problems"]]


def test_every_expectation_passes_or_fails_with_the_smallest_difference(run_cases):
    exit_code, found = run_cases([text for text, _ in CASES])
    assert exit_code == 1
    shown = [(text, messages_of(one) or [PASSED]) for (text, _), one in zip(CASES, found, strict=True)]
    wrong = [
        (text, one, wanted) for (text, one), (_, wanted) in zip(shown, CASES, strict=True) if not fits(wanted, one)
    ]
    assert "\n".join(map(str, wrong)) == ""


def fits(wanted, found):
    return len(found) == 1 and (found[0].startswith(wanted) if wanted == "it took " else found[0] == wanted)


def test_several_processes_give_the_same_results(run_cases):
    cases = [text for text, wanted in CASES if wanted != "it took "]
    alone, several = run_cases(cases), run_cases(cases, "--jobs", "2")
    for one in (*alone[1], *several[1]):
        del one["seconds"]
    assert alone == several


def test_a_case_that_cannot_be_run_is_an_error_of_the_file(run_cases, project):
    exit_code, found = run_cases([text for text, _ in BROKEN])
    assert exit_code == 2
    shown = [(one["status"], messages_of(one)) for one in found]
    assert shown == [("broken", [wanted.format(folder=project)]) for _, wanted in BROKEN]


def test_a_stub_never_touches_the_tool_wherever_it_is_called(run_cases, project):
    (project / "inner.yaml").write_text(
        "description: Tell.\ntools: [shop.py]\ninputs: {text: {type: string}}\nsteps: [{use: mail, with: {text: '${{ inputs.text }}'}}]\n",
        "utf-8",
    )
    (project / "outer.yaml").write_text(
        "description: Tell twice.\nsteps:\n- parallel: {left: {use: ./inner.yaml}, right: {use: ./inner.yaml}}\n- set: done\n",
        "utf-8",
    )
    (project / "built.py").write_text(
        "from shop import mail\nfrom toolkit import Pipeline, from_function, load_tools\n\ntell = Pipeline.of(mail, name='tell')\n",
        "utf-8",
    )
    exit_code, found = run_cases(
        [
            "run: outer.yaml, with: hello, stub: {mail: sent}, expect: {output: done, calls: [mail, mail]}",
            "run: built.py:tell, with: hello, stub: {mail: sent}, expect: {output: sent}",
            "run: shop.py:mail, with: hello, stub: {mail: sent}, expect: {output: sent}",
            "run: shop.py:mail, with: hello",
        ]
    )
    assert (exit_code, [one["status"] for one in found]) == (1, ["passed", "passed", "passed", "failed"])
    assert messages_of(found[-1]) == ["it failed: RuntimeError: the world was touched"]


def test_a_function_may_call_tools_that_it_does_not_name(run_cases, project):
    (project / "caller.py").write_text(
        "from shop import shout\nfrom toolkit import ToolContext, from_function, tool\n\n\n"
        "@tool(read_only=True)\ndef twice(text: str, context: ToolContext) -> str:\n"
        '    """Return a text twice, in capital letters."""\n'
        "    return 2 * from_function(shout).run({'text': text}, context).output\n",
        "utf-8",
    )
    exit_code, found = run_cases(
        [
            "run: caller.py:twice, with: a, expect: {output: AA, not: [mail]}",
            "run: caller.py:twice, with: a, expect: {not: [shout]}",
        ]
    )
    assert (exit_code, *map(messages_of, found)) == (1, [], ['\'shout\' was called, with {"text": "a"}'])


DESK = '''
from toolkit import tool


@tool(read_only=True)
def shout(text: str) -> str:
    """Return a text in capital letters."""
    return text.upper()


@tool(destructive=True)
def refund(order: str) -> str:
    """Pay money back."""
    return order
'''
DESK_CASES = """\
cases:
  - {name: loud, run: desk.py:shout, with: {text: a}, expect: {output: B}}
  - {name: quiet, run: desk.py:shout, with: {text: ''}}
"""
FAILING = """\
# What the shop promises.
cases:
  - name: the price is known
    run: shop.py:price
    with: {order: A-17}
    expect:
      output:
        euros: 80
        cents: 5
        tax: {percent: 19, included: true}
  - name: a refund needs no question
    run: shop.py:refund
    with: {order: A-17, euros: 40}
"""
REPORT = """\
error[TK806]: the price is known: output.cents is 50, not 5
 --> all.cases.yaml:9:16
  |
9 |         cents: 5
  |                ^
  |
hint: also: output.tax is missing, and should be {"percent": 19, "included": true}

error[TK806]: a refund needs no question: nobody foresaw the question about 'refund' with {"order": "A-17", "euros": 40}; add an answer
  --> all.cases.yaml:11:11
   |
11 |   - name: a refund needs no question
   |           ^^^^^^^^^^^^^^^^^^^^^^^^^^
   |

2 failed, 0 passed (2 cases in 1 file)
"""


@pytest.fixture
def failing(project):
    write_shop(project)
    (project / "all.cases.yaml").write_text(FAILING, "utf-8")


def test_a_failure_is_shown_at_the_line_that_expects_something_else(program, failing):
    finished = program("test", "all.cases.yaml", env={"COLUMNS": "200"})
    assert (finished.returncode, finished.stdout, finished.stderr) == (1, REPORT, "")


def test_other_programs_get_one_result_for_each_case(program, failing):
    annotations = program("test", "all.cases.yaml", "--format", "github").stdout.splitlines()
    assert annotations[0].partition("::the ")[0] == (
        "::error file=all.cases.yaml,line=9,endLine=9,col=16,title=toolkit TK806"
    )
    assert len(annotations) == 2
    xml = program("test", "all.cases.yaml", "--format", "junit").stdout
    assert '<testsuites name="toolkit test" tests="2" failures="2" errors="0">' in xml
    assert '<testcase name="the price is known" classname="all.cases.yaml"><failure message=' in xml
    table = program("test", "all.cases.yaml", "--format", "markdown").stdout
    assert "| ❌ | TK806 | `all.cases.yaml:9:16` | the price is known: output.cents is 50, not 5" in table


def names_of(finished):
    return [one["name"] for one in json.loads(finished.stdout)["cases"]]


def test_cases_are_chosen_by_name_and_by_their_last_result(program, project, failing):
    first, second = "the price is known", "a refund needs no question"
    assert names_of(program("test", "all.cases.yaml", "-k", "PRICE", "--format", "json")) == [first]
    assert names_of(program("test", "all.cases.yaml", "--fail-fast", "--format", "json")) == [first]
    program("test", "all.cases.yaml")
    text = FAILING.replace("cents: 5\n", "cents: 50\n").replace("        tax: {percent: 19, included: true}\n", "")
    (project / "all.cases.yaml").write_text(text, "utf-8")
    again = program("test", "all.cases.yaml", "--last-failed", "--format", "json")
    assert names_of(again) == [first, second]
    again = program("test", "all.cases.yaml", "--last-failed", "--format", "json")
    assert names_of(again) == [second]
    assert names_of(program("test", "*.cases.yaml", "--last-failed", "--no-cache", "--format", "json")) == [
        first,
        second,
    ]


def test_cases_that_nothing_chooses_are_no_success(program, project, failing):
    misspelt = program("test", "all.cases.yaml", "-k", "refudn")
    assert (misspelt.returncode, misspelt.stdout) == (2, "")
    assert misspelt.stderr == "error: no case has 'refudn' in its name\nhint: without `-k`, all 2 cases run\n"
    (project / "none.cases.yaml").write_text("cases: []\n", "utf-8")
    empty = program("test", "none.cases.yaml")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert "error[TK602]: there are no cases" in empty.stderr


def test_options_that_would_have_no_effect_are_refused(program, failing):
    wrong = [
        program("test", "all.cases.yaml", "--approve", "refund"),
        program("test", "shop.py", "--update"),
        program("test", "nothing.cases.yaml"),
    ]
    assert [one.returncode for one in wrong] == [2, 2, 4]
    assert [one.stderr.splitlines()[0] for one in wrong] == [
        "error: --approve is for tools, and there are none among the targets",
        "error: --update is for cases, and there are none among the targets",
        f"error[TK001]: there is no file '{failing_file(wrong[2])}'",
    ]


SHOUT = """
from toolkit import tool


@tool(read_only=True)
def shout(text: str) -> str:
    'Return a text in capital letters.'
    return text.upper()
"""
READS = """
import sys
reads = []
is_read = lambda event, found: event == "open" and str(found[0]).endswith("toolkit.toml") and found[1] == "r"
sys.addaudithook(lambda event, found: is_read(event, found) and reads.append(found))
from toolkit_cli.main import main
try:
    main(["test"])
finally:
    print(len(reads))
"""


def test_configuration_is_read_once_if_there_is_no_target(project):
    (project / "toolkit.toml").write_text("sources = []\n", "utf-8")
    (project / "shop.py").write_text(SHOUT, "utf-8")
    (project / "shop.cases.yaml").write_text("cases: [{name: shouts, run: 'shop.py:shout', with: a}]\n", "utf-8")
    finished = subprocess.run([sys.executable, "-c", READS], capture_output=True, encoding="utf-8", check=False)
    assert finished.stdout.splitlines()[-2:] == ["1 passed (1 case in 1 file)", "1"]


TOGETHER = """\
TOOL    CALLS  OK  REFUSED  FAILED  SLOWEST  ~TOKENS  NOTE
shout   25     23  2        0       1 ms     75
refund  0                                             not called: marked as destructive

All checks passed! (1 tool, 25 calls; 1 not called)
Tools that may change something are called with --approve NAME; `--approve '*'` calls all.

error[TK806]: loud: output is "A", not "B"
 --> desk/all.cases.yaml:2:72
  |
2 |   - {name: loud, run: desk.py:shout, with: {text: a}, expect: {output: B}}
  |                                                                        ^
  |

1 failed, 1 passed (2 cases in 1 file)
"""


@pytest.fixture
def desk(project):
    write_shop(project)
    (project / "desk").mkdir()
    (project / "desk" / "desk.py").write_text(DESK, "utf-8")
    (project / "desk" / "all.cases.yaml").write_text(DESK_CASES, "utf-8")


def test_a_folder_is_tested_with_its_tools_and_its_cases(program, project, desk):
    finished = program("test", "desk", env={"COLUMNS": "200"})
    assert (finished.returncode, without_times(finished.stdout), finished.stderr) == (1, TOGETHER, "")
    named = program("test", "desk/desk.py", "desk/all.cases.yaml", env={"COLUMNS": "200"})
    assert (named.returncode, without_times(named.stdout), named.stderr) == (1, TOGETHER, "")
    record = json.loads(program("test", "desk", "--format", "json", "-k", "quiet").stdout)
    assert [one["name"] for one in record["tools"]] == ["shout", "refund"]
    assert [(one["name"], one["status"]) for one in record["cases"]] == [("quiet", "passed")]
    xml = program("test", "desk", "--format", "junit").stdout
    assert '<testsuites name="toolkit test" tests="4" failures="1" errors="0">' in xml
    assert [line.split('"')[1] for line in xml.splitlines() if "<testsuite " in line] == ["tools", "cases"]


@pytest.mark.parametrize("sources", ["", "sources = ['../other.py']\n"])
def test_without_a_target_the_folder_or_the_configured_sources_are_tested(program, project, desk, sources):
    (project / "desk" / "toolkit.toml").write_text(sources, "utf-8")
    (project / "other.py").write_text(DESK.replace("shout", "whisper"), "utf-8")
    record = json.loads(program("test", "--format", "json", cwd=project / "desk").stdout)
    assert [one["name"] for one in record["tools"]] == ["whisper" if sources else "shout", "refund"]
    assert [(one["name"], one["status"]) for one in record["cases"]] == [("loud", "failed"), ("quiet", "passed")]


def test_an_empty_folder_has_nothing_to_test(program, project):
    finished = program("test")
    assert (finished.returncode, finished.stderr) == (
        2,
        "error[TK004]: no tools were found in '.'\nhint: it contains no Python files, pipelines or agents\n",
    )


def without_times(report):
    return re.sub(r"\d+ ms ( *)", lambda found: f"1 ms{' ' * (len(found[0]) - 4)}", report)


def test_a_folder_with_cases_only_needs_no_tools(program, project, desk):
    (project / "desk" / "desk.py").rename(project / "desk.py")
    (project / "desk" / "all.cases.yaml").write_text(DESK_CASES.replace("desk.py", "../desk.py"), "utf-8")
    finished = program("test", "desk", "-k", "quiet", "--format", "json")
    assert (finished.returncode, list(json.loads(finished.stdout)), finished.stderr) == (
        0,
        ["cases", "figures", "definitions"],
        "",
    )


def test_a_terminal_shows_how_far_the_cases_are(project):
    write_shop(project)
    cases = ["with: {seconds: 0}", "with: {seconds: -1}", "with: {seconds: 600}"]
    lines = [f"  - {{name: case {at}, run: shop.py:sleep, {text}}}" for at, text in enumerate(cases)]
    (project / "slow.cases.yaml").write_text("\n".join(["cases:", *lines, ""]), "utf-8")
    terminal = Terminal(project, "test", "slow.cases.yaml")
    terminal.expect("2 of 3 cases, 1 failed")
    terminal.child.send("\x03")
    terminal.expect("interrupted")
    assert terminal.end() == 130


def failing_file(finished):
    return finished.stderr.splitlines()[0].split("'")[1]


def test_what_a_tool_prints_does_not_disturb_the_report(program, project):
    (project / "loud.py").write_text(
        'from toolkit import tool\n\n\n@tool(read_only=True)\ndef loud(text: str) -> str:\n    """Print."""\n    print("noise")\n    return text\n',
        "utf-8",
    )
    (project / "loud.cases.yaml").write_text("cases: [{name: a, run: loud.py, with: a}]\n", "utf-8")
    finished = program("test", "loud.cases.yaml", "--format", "json")
    assert json.loads(finished.stdout)["cases"][0]["status"] == "passed"
    assert finished.stderr == "noise\n"


def test_a_policy_counts_as_in_a_run(program, project, failing):
    (project / "toolkit.policy.yaml").write_text("deny: [{tool: refund, because: closed}]\n", "utf-8")
    text = "cases: [{name: a, run: shop.py:refund, with: {order: A, euros: 1}, expect: {error: closed, code: rejected, exit: 3, asked: []}}]\n"
    (project / "all.cases.yaml").write_text(text, "utf-8")
    assert program("test", "all.cases.yaml").returncode == 0


def test_case_files_are_no_tools(program, failing):
    assert "all.cases" not in program("list", ".").stdout
    finished = program("run", "all.cases.yaml")
    assert (finished.returncode, finished.stderr) == (
        2,
        "error[TK003]: 'all.cases.yaml' holds test cases, not tools\nhint: run them: toolkit test all.cases.yaml\n",
    )


def test_lint_reads_case_files_by_name_and_in_folders(program, project, failing):
    (project / "all.cases.yaml").write_text("cases: [{name: a, run: nowhere.py, wth: {}}]\n", "utf-8")
    for target in ("all.cases.yaml", "."):
        finished = program("lint", target, "--format", "json", "--static")
        found = [one for one in json.loads(finished.stdout) if one["location"]["file"] == "all.cases.yaml"]
        assert [(one["code"], one["message"]) for one in found] == [
            ("TK604", "there is no file 'nowhere.py'"),
            ("TK602", "unknown key 'wth' in a case"),
        ]
