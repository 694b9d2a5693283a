"""`toolkit test`: what it calls, what it reports and keeps, and what it refuses."""

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

FAILING = '''
from toolkit import tool


@tool(read_only=True)
def first_word(text: str) -> str:
    """Return the first word of a text."""
    return text.split()[0]


@tool
def rename(name: str) -> str:
    """Rename everything."""
    open("renamed.txt", "a").write(name + "\\n")
    return name
'''
SOUND = '''
from toolkit import tool


@tool(read_only=True)
def length(text: str) -> int:
    """Return the length of a text."""
    return len(text)
'''
REPORT = """\
error[TK801]: 'first_word' crashes: IndexError: list index out of range
 --> words.py:8:12
  |
8 |     return text.split()[0]
  |            ^^^^^^^^^^^^^^^
  |
hint: the smallest input: {"text": ""}
      to refuse an input, raise an exception with a message
      reproduce it: toolkit run words.py:first_word --args '{"text": ""}'
      as a case: {"name": "first_word takes this input", "run": "words.py:first_word", "with": {"text": ""}}

TOOL        CALLS  OK  REFUSED  FAILED  SLOWEST  ~TOKENS  NOTE
first_word  25     21  2        2       1 ms     75
rename      0                                             not called: not marked read-only

Found 1 error in 1 file. (1 tool, 25 calls; 1 not called)
Tools that may change something are called with --approve NAME; `--approve '*'` calls all.
"""
HAVOC = '''
import os
import subprocess
import sys
import time

from toolkit import tool


@tool(read_only=True)
def forks(number: int) -> str:
    """Fork, and stay."""
    if os.fork() == 0:
        time.sleep(300)
    return "ok"


@tool(read_only=True)
def starts(number: int) -> str:
    """Start a program."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    return "ok"


@tool(read_only=True)
def prints(text: str) -> str:
    """Print a lot."""
    print("{}" * 10_000)
    os.write(1, b"raw output")
    os.write(2, b"raw errors")
    return "ok"


@tool(read_only=True)
def closes(number: int) -> str:
    """Close every file."""
    os.closerange(0, 100)
    return "ok"


@tool(read_only=True)
def leaves(number: int) -> str:
    """End the process."""
    os._exit(5)


@tool(read_only=True)
def kills(number: int) -> str:
    """Kill the process."""
    os.kill(os.getpid(), 9)
    return ""


@tool(read_only=True)
def interrupts(number: int) -> str:
    """Interrupt."""
    raise KeyboardInterrupt


@tool(read_only=True)
def hangs(number: int) -> str:
    """Hang."""
    while True:
        pass


@tool(read_only=True)
def eats(number: int) -> str:
    """Eat memory."""
    return "x" * 10**11


@tool(read_only=True)
def stays(text: str) -> str:
    """Stay the same."""
    return "ok"
'''


@pytest.fixture
def words(project):
    (project / "words.py").write_text(FAILING, "utf-8")


def tools_in(printed):
    return {tool["name"]: tool for tool in json.loads(printed)["tools"]}


def without_times(text):
    return re.sub(r"\d+ ms", "1 ms", text)


def test_a_failing_tool_is_shown_with_its_line_its_smallest_input_and_a_command(program, project, words):
    finished = program("test", "words.py", env={"COLUMNS": "100"})
    shown, expected = (" ".join(without_times(text).split()) for text in (finished.stdout, REPORT))
    assert shown == expected
    assert (finished.stderr, finished.returncode) == ("", 1)
    assert not (project / "renamed.txt").exists()


def test_the_command_of_a_finding_shows_the_same_defect(program, words):
    [finding] = tools_in(program("test", "words.py", "--format", "json").stdout)["first_word"]["findings"]
    assert finding["command"] == 'toolkit run words.py:first_word --args \'{"text": ""}\''
    finished = program("run", "words.py:first_word", "--args", '{"text": ""}')
    assert "IndexError: list index out of range" in finished.stderr


def test_the_case_of_a_finding_can_be_pasted_into_a_case_file(program, project, words):
    shown = program("test", "words.py").stdout
    case = shown.partition("as a case: ")[2].partition("\n")[0]
    (project / "words.cases.yaml").write_text(f"cases:\n  - {case}\n", "utf-8")
    finished = program("test", "words.cases.yaml")
    assert (finished.returncode, finished.stdout.splitlines()[-1]) == (1, "1 failed, 0 passed (1 case in 1 file)")
    assert "it failed: IndexError: list index out of range" in finished.stdout


def test_sound_tools_pass(program, project):
    (project / "sound.py").write_text(SOUND, "utf-8")
    finished = program("test", "sound.py")
    assert finished.stdout.splitlines()[-1] == "All checks passed! (1 tool, 25 calls)"
    assert (finished.stderr, finished.returncode) == ("", 0)


def test_a_note_says_which_tools_gave_one_result_only(program, project):
    (project / "desk.py").write_text(DESK, "utf-8")
    finished = program("test", "desk.py", env={"COLUMNS": "200"})
    rows = finished.stdout.splitlines()[1:4]
    shown = {row.split()[0]: row.endswith("all results are the same: add examples") for row in rows}
    assert (finished.returncode, shown) == (0, {"price": True, "echo": False, "now": False})
    record = json.loads(program("test", "desk.py", "--format", "json").stdout)
    assert {one["name"]: one["different_results"] == 1 for one in record["tools"]} == {
        "price": True,
        "echo": False,
        "now": True,
    }


DESK = '''
from toolkit import tool


@tool(read_only=True)
def price(order: str) -> str:
    """Look up what an order cost."""
    try:
        raise ConnectionError("no database")
    except ConnectionError as error:
        return f"sorry: {error}"


@tool(read_only=True)
def echo(text: str) -> str:
    """Return a text."""
    return text


@tool(read_only=True)
def now() -> str:
    """Return the time, which stands still."""
    return "12:00"
'''


def test_a_failing_input_is_tried_first_the_next_time(program, project, words):
    program("test", "words.py")
    kept = json.loads((project / ".toolkit_cache" / "failing-inputs.json").read_text("utf-8"))
    assert list(kept["inputs"].values()) == [[{"text": ""}]]
    assert (project / ".toolkit_cache" / ".gitignore").read_text("utf-8") == "*\n"
    again = tools_in(program("test", "words.py", "--examples", "1", "--format", "json").stdout)["first_word"]
    assert [finding["arguments"] for finding in again["findings"]] == [{"text": ""}]
    other = tools_in(program("test", "words.py", "--examples", "1", "--no-cache", "--format", "json").stdout)
    assert other["first_word"]["findings"] == []
    (project / "words.py").write_text(FAILING.replace("text.split()[0]", "text"), "utf-8")
    assert program("test", "words.py").returncode == 0
    assert json.loads((project / ".toolkit_cache" / "failing-inputs.json").read_text("utf-8"))["inputs"] == {}


@pytest.mark.parametrize("content", ["", "[]", '{"format": 1, "inputs": {"words.py:first_word": 3}}', "{" * 5000])
def test_a_damaged_file_of_failing_inputs_is_ignored(content, program, project, words):
    (project / ".toolkit_cache").mkdir()
    (project / ".toolkit_cache" / "failing-inputs.json").write_text(content, "utf-8")
    finished = program("test", "words.py")
    assert (finished.stderr, finished.returncode) == ("", 1)


def test_two_tests_give_the_same_result(program, project, words):
    def result():
        printed = program("test", "words.py", "--no-cache", "--format", "json", "--seed", "7").stdout
        return [{**tool, "slowest_seconds": 0} for tool in json.loads(printed)["tools"]]

    assert result() == result()


def test_only_approved_calls_are_made(program, project, words):
    finished = program("test", "words.py:rename", "--format", "json")
    assert tools_in(finished.stdout)["rename"]["not_called"] == "not marked read-only"
    assert finished.returncode == 3
    assert not (project / "renamed.txt").exists()
    finished = program("test", "words.py:rename", "--approve", "rename(name=a*)", "--format", "json")
    names = (project / "renamed.txt").read_text("utf-8").splitlines()
    assert names
    assert [name for name in names if not name.startswith("a")] == []
    (project / "renamed.txt").unlink()
    finished = program("test", "words.py:rename", "--approve", "rename", "--format", "json")
    assert finished.returncode == 0
    assert len((project / "renamed.txt").read_text("utf-8").splitlines()) >= 20


def test_a_policy_decides_too(program, project, words):
    policy = project / "own.yaml"
    policy.write_text("toolkit: 1\nallow: [{tool: rename}]\ndeny: [{tool: first_word}]\n", "utf-8")
    tools = tools_in(program("test", "words.py", "--policy", "own.yaml", "--format", "json").stdout)
    assert tools["rename"]["ok"] >= 20
    assert tools["first_word"]["calls"] == 0
    assert "own.yaml" in tools["first_word"]["not_called"]
    denied = program("test", "words.py:first_word", "--policy", "own.yaml", "--approve", "first_word")
    assert denied.returncode == 3


def test_a_project_cannot_loosen_what_is_called(program, project, words):
    (project / "toolkit.policy.yaml").write_text("toolkit: 1\nallow: [{tool: rename}]\n", "utf-8")
    (project / "toolkit.toml").write_text("[[policy.allow]]\ntool = 'rename'\n", "utf-8")
    finished = program("test", "words.py:rename")
    assert not (project / "renamed.txt").exists()
    assert finished.returncode == 3


@pytest.mark.proof
def test_a_tool_that_wreaks_havoc_ends_its_own_check_only(program, project):
    (project / "havoc.py").write_text(HAVOC, "utf-8")
    finished = program("test", "havoc.py", "--timeout", "3s", "--format", "json", "--examples", "10")
    tools = tools_in(finished.stdout)
    failed = {name: [one["kind"] for one in tool["findings"]] for name, tool in tools.items() if tool["findings"]}
    assert failed == {
        "closes": ["exit"],
        "eats": ["crash"],
        "hangs": ["hang"],
        "interrupts": ["crash"],
        "kills": ["exit"],
        "leaves": ["exit"],
    }
    assert {name for name, tool in tools.items() if tool["ok"] >= 9} == {"forks", "starts", "prints", "stays"}
    assert (finished.stderr, finished.returncode) == ("", 1)
    left = [path for path in Path("/proc").glob("[0-9]*/environ") if belongs_to(path, project)]
    assert left == []


def belongs_to(environ, project):
    """Return whether a process works in a folder; the test itself does not count."""
    try:
        return (environ.parent / "cwd").readlink() == project and int(environ.parent.name) != os.getpid()
    except OSError:
        return False


def test_a_module_that_does_not_open_does_not_hide_the_others(program, project, words):
    (project / "broken.py").write_text("import os\nfrom toolkit import tool\nos._exit(3)\n", "utf-8")
    (project / "wrong.py").write_text("from toolkit import tool\n1 / 0\n", "utf-8")
    finished = program("test", "broken.py", "wrong.py", "words.py", "--format", "json")
    assert list(tools_in(finished.stdout)) == ["first_word", "rename"]
    problems = json.loads(finished.stderr)["problems"]
    assert [(one["code"], one["location"]["file"]) for one in problems] == [
        ("TK002", "broken.py"),
        ("TK002", "wrong.py"),
    ]
    assert finished.returncode == 1


def test_configured_sources_are_tested_without_a_target(program, project, words):
    (project / "toolkit.toml").write_text('sources = ["words.py"]\n', "utf-8")
    assert list(tools_in(program("test", "--format", "json").stdout)) == ["first_word", "rename"]


def test_junit_has_a_case_for_each_tool(program, words, project):
    (project / "sound.py").write_text(SOUND, "utf-8")
    root = ET.fromstring(program("test", "words.py", "sound.py", "--format", "junit").stdout)  # noqa: S314
    assert (root.get("name"), root.get("tests"), root.get("failures")) == ("toolkit test", "3", "1")
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {"TK801 words.py:8:12": ["failure"], "length": [], "rename": ["skipped"]}


NOTES_PROCESS = """
@tool(read_only=True)
def read_{number}(text: str, part: int = 1) -> str:
    'Read a part of a text.'
    with open("processes.txt", "a") as file:
        file.write(f"{{os.getpid()}}\\n")
    return text * (part % 3)
"""


def test_calls_of_all_tools_share_a_few_processes(program, project):
    tools = "".join(NOTES_PROCESS.format(number=number) for number in range(40))
    (project / "many.py").write_text(f"import os\n\nfrom toolkit import tool\n{tools}", "utf-8")
    finished = program("test", "many.py", "--format", "json", "--examples", "10")
    calls = sum(one["calls"] for one in json.loads(finished.stdout)["tools"])
    processes = set((project / "processes.txt").read_text().split())
    assert finished.returncode == 0
    assert calls > 400
    assert len(processes) <= os.cpu_count()


def test_github_gets_annotations(program, words):
    printed = program("test", "words.py", "--format", "github").stdout
    start = "::error file=words.py,line=8,endLine=8,col=12,title=toolkit TK801::'first_word' crashes"
    assert printed.startswith(start)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.py"], 4, "nowhere.py"),
        (["words.py:nothing"], 4, "nothing"),
        (["words.py", "--approve", "a b("], 2, "--approve"),
        (["words.py", "--timeout", "soon"], 2, "'soon' is not a duration"),
        (["words.py", "--examples", "0"], 2, "--examples"),
        (["words.py", "--seed", "x"], 2, "--seed"),
        (["words.py", "--format", "html"], 2, "--format"),
        (["words.py", "--policy", "missing.yaml"], 2, "missing.yaml"),
        (["words.py", "--python", "./no-python"], 2, "no-python"),
        (["empty.py"], 2, "no tools were found"),
    ],
)
def test_misuse_is_explained(arguments, code, message, program, project, words):
    (project / "empty.py").write_text("", "utf-8")
    finished = program("test", *arguments)
    assert message in finished.stderr
    assert finished.returncode == code
    assert "Traceback" not in finished.stderr


SLOW = '''
import time

from toolkit import tool


@tool(read_only=True)
def slow(number: int) -> int:
    """Double a number after a while."""
    time.sleep(0.9)
    return 2 * number


@tool(read_only=True)
def find(name: str) -> str:
    """Find a file by its name."""
    return "Error: no file has this name" if name != "a" else "a file"


@tool(read_only=True)
def count(name: str) -> dict[str, str]:
    """Count the lines of a file."""
    return {"error": "no file has this name"}
'''


@pytest.mark.proof
def test_tool_whose_calls_take_long_is_called_with_fewer_inputs(project, program):
    (project / "slow.py").write_text(SLOW, "utf-8")
    finished = program("test", "slow.py:slow", "--timeout", "1.3s")
    assert "its calls take long: the other inputs were left out" in " ".join(finished.stdout.split())
    assert (finished.returncode, finished.stderr) == (0, "")


def test_errors_that_are_told_like_results_are_no_successes(project, program):
    (project / "slow.py").write_text(SLOW, "utf-8")
    tools = json.loads(program("test", "slow.py:find", "slow.py:count", "--format", "json").stdout)["tools"]
    assert [(one["name"], one["ok"], one["refused"] == one["told"] + 2) for one in tools] == [
        ("find", 1, True),
        ("count", 0, True),
    ]
    shown = program("test", "slow.py:count").stdout
    assert "errors are returned like results: raise them" in " ".join(shown.split())
