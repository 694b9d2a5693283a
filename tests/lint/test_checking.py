"""Lint: every problem of many files, of which nobody's code runs in this process."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from toolkit.lint import Limits, LintSettings, check
from toolkit.settings import Configuration, find_configuration

GUARD = "move what a script does under `if __name__ == '__main__':`"
SAID = "Return a text of the shop as it is."
WORK = "this runs whenever the module is imported; move code that can fail into a tool"


class House:
    def write(self, name, text=""):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).removeprefix("\n"), "utf-8")
        return path

    def runs(self, name, text):
        """Write a file that lint imports, because its source defines a tool; none is ever made."""
        return self.write(name, f"{dedent(text)}\nif 0:\n    from toolkit import Tool\n\n    never = Tool()\n")

    def tool(self, name, tool, before=""):
        body = f'def {tool}(text: Annotated[str, "What is returned."]) -> str:\n    """{SAID}"""\n    return text\n'
        return self.write(name, f"{before}from typing import Annotated\nfrom toolkit import tool\n\n@tool\n{body}")

    def check(self, *targets, configuration=None, **limits):
        return [str(problem) for problem in self.found(*targets, configuration=configuration, **limits)]

    def found(self, *targets, configuration=None, **limits):
        return check(targets, configuration or Configuration(), limits=Limits(**limits))


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return House()


def test_good_files_have_no_problems(house):
    house.tool("tools.py", "forecast")
    house.write("p.yaml", "tools: [tools.py]\nsteps: [forecast]\ndescription: Say again what was said before.\n")
    assert house.check("tools.py", "p.yaml") == []
    assert house.check(".") == []


def test_ready_tool_that_a_file_makes_is_checked_though_no_function_defines_it(house):
    house.write("times.py", "from toolkit.builtin import DateTime\n\nclock = DateTime()\n")
    house.write(
        "offers.py", "from toolkit.builtin import Http\n\noffers = Http('https://api.example.com', name='offers')\n"
    )
    assert house.check("times.py", "offers.py") == []


def test_every_kind_of_problem_is_found_and_sorted_by_place(house):
    house.write(
        "b.py",
        '''
        from typing import Callable

        from toolkit import tool


        @tool
        def silent(text: str) -> str:
            return text


        @tool
        def taking(function: Callable[[int], int], text) -> str:
            """Takes what no model can give it.

            Args:
                function: What is done.
                text: With what it is done.
            """
            return function(text)


        @tool(name="get rates")
        def named(text: str) -> str:
            """Has a name that no model may use.

            Args:
                tetx: The currency.
            """
            return text


        @tool(read_olny=True)
        def optional() -> str:
            """Has an option that does not exist."""
            return "no"
        ''',
    )
    house.write(
        "a.yaml",
        "tools: [b.py]\nsteps: [silnt, calculator: {inptu: 1}]\ndescription: Say again what was said before.\n",
    )
    house.write("c.json", '[{"name": "pay", "description": "Pay a bill of the shop.", "parameters": []}]')
    found = house.found(".", "c.json")
    assert [(str(problem.location), problem.severity, problem.code) for problem in found] == [
        ("c.json:1:74", "error", "TK302"),
        ("a.yaml:2:9", "error", "TK604"),
        ("a.yaml:2:29", "error", "TK609"),
        ("b.py:7:5", "error", "TK201"),
        ("b.py:7:12", "warning", "TK204"),
        ("b.py:12:12", "error", "TK321"),
        ("b.py:12:44", "warning", "TK301"),
        ("b.py:23:5", "error", "TK101"),
        ("b.py:27:9", "error", "TK205"),
        ("b.py:33:5", "error", "TK323"),
    ]
    assert all(problem.hint for problem in found)


def test_tools_of_one_name_in_two_files_are_duplicates(house):
    house.tool("a.py", "forecast")
    house.tool("b.py", "forecast", before="# b\n")
    house.write("forecast.yaml", "tools: [a.py]\nsteps: [forecast]\ndescription: Say again what was said before.\n")
    found = house.found(".")
    assert [(str(problem.location), problem.code, problem.message) for problem in found] == [
        ("b.py:6:5", "TK103", "duplicate tool name 'forecast'"),
        ("forecast.yaml:1:1", "TK103", "duplicate tool name 'forecast'"),
    ]
    assert [[(str(place), what) for place, what in problem.related] for problem in found] == [
        [("a.py:5:5", "first defined here")]
    ] * 2


@pytest.mark.proof
def test_tool_that_two_files_hold_is_no_duplicate(house):
    house.tool("a.py", "forecast")
    house.write("b.py", "from a import forecast\n")
    house.runs("c.py", "import os\nos._exit(0)\n")
    house.write("d.py", "from a import forecast\n")
    assert [line.split(":")[0] for line in house.check(".")] == ["c.py"]


def test_helpers_without_tools_are_no_news_but_a_named_one_is(house):
    house.tool("tools/a.py", "forecast")
    house.write("tools/helper.py", "VALUE = 1\n")
    assert house.check("tools") == []
    assert house.check("tools/helper.py") == [
        (
            "tools/helper.py: warning[TK004]: no tools were found in 'tools/helper.py', so it was not imported "
            "(mark a function with `@tool`; `toolkit run tools/helper.py:NAME` calls one without a mark)"
        )
    ]
    Path("empty").mkdir()
    assert house.check("empty") == [
        "warning[TK004]: no tools were found in 'empty' (mark functions with `@tool`, or name the files that hold tools)"
    ]


def test_what_is_not_found_is_told_beside_the_rest(house):
    house.runs("tools.py", "1 / 0\n")
    assert house.check("tols.py", "calculatr", "tools.py") == [
        "error[TK001]: nothing is named 'calculatr' (did you mean 'calculator'?)",
        "error[TK001]: there is no file 'tols.py' (did you mean 'tools.py'?)",
        f"tools.py:1:1: error[TK002]: 'tools.py' cannot be imported: ZeroDivisionError: division by zero ({WORK})",
    ]


def test_names_modules_and_parts_of_files_can_be_checked(house):
    house.write("shop/__init__.py")
    house.tool("shop/prices.py", "price")
    house.write(
        "tools.py", "from toolkit import tool\n\n@tool\ndef silent() -> int:\n    return 1\n\ndef plain(): ...\n"
    )
    assert house.check("calculator", "shop.prices") == []
    assert [line.split(":")[:3] for line in house.check("tools.py:silent")] == [["tools.py", "4", "5"]]


def test_without_targets_the_configured_sources_are_checked(house):
    house.write("toolkit.toml", "sources = ['own']\n")
    house.runs("own/a.py", "1 / 0\n")
    house.runs("other/b.py", "1 / 0\n")
    configuration, problems = find_configuration()
    assert problems == []
    assert [line.split(":")[0] for line in house.check(configuration=configuration)] == ["own/a.py"]
    assert [line.split(":")[0] for line in house.check()] == ["other/b.py", "own/a.py"]


def test_pipelines_know_the_configured_tools(house):
    house.write("toolkit.toml", "sources = ['own']\n")
    house.tool("own/a.py", "forecast")
    house.write("p.yaml", "steps: [forecast]\ndescription: Say again what was said before.\n")
    configuration, _ = find_configuration()
    assert house.check("p.yaml", configuration=configuration) == []
    assert [line.split(":")[0] for line in house.check("p.yaml")] == ["p.yaml"]


# ---------------------------------------------------------------------------------------------------- files that misbehave

BROKEN = {
    "syntax": ("def f(:\n", ":1:7", "cannot be imported: SyntaxError: invalid syntax"),
    "indent": ("def f():\nreturn\n", ":2:1", ("cannot be imported: IndentationError: expected an indented block after "
               "function definition on line 1")),
    "null": ("x = '\0'\n", ":1:6", "cannot be imported: SyntaxError: source code string cannot contain null bytes"),
    "missing": ("import jsno\n", ":1:1", "cannot be imported: ModuleNotFoundError: No module named 'jsno'"),
    "wrong_name": ("from json import lods\n", ":1:1", ("cannot be imported: ImportError: cannot import name 'lods' from "
                   "'json'")),
    "raising": ("x = 1\n\nraise RuntimeError('no')\n", ":3:1", "cannot be imported: RuntimeError: no"),
    "recursing": ("def f(): f()\nf()\n", ":1:10", "cannot be imported: RecursionError: maximum recursion depth exceeded"),
    "exiting": ("import sys\nsys.exit(1)\n", ":2:1", "ends the program while it is imported: SystemExit: 1"),
    "leaving": ("import os\nos._exit(4)\n", ":2", "ended the process with exit status 4 while it was opened"),
    "leaving_well": ("import os\nos._exit(0)\n", ":2", "ended the process with exit status 0 while it was opened"),
    "killing": ("import os\nos.kill(os.getpid(), 9)\n", "", "was killed (SIGKILL) while it was opened"),
    "crashing": ("import ctypes\nctypes.string_at(0)\n", ":2", "crashed Python (SIGSEGV) while it was opened"),
    "aborting": ("import os\nos.abort()\n", ":2", "crashed Python (SIGABRT) while it was opened"),
    "looping": ("x = 0\nwhile True:\n    x += 1\n", None, "did not finish: importing it took longer than 3 s"),
    "huge": ("x = bytearray(1 << 40)\n", ":1:5", "cannot be imported: MemoryError"),
    "asking": ("input('name: ')\n", ":1:1", "cannot be imported: EOFError: EOF when reading a line"),
    "closing": ("import os\nos.closerange(3, 256)\n", "", "ended the process with exit status 1 while it was opened"),
    "moving": ("import os, sys\nos.chdir('/')\nsys.path.clear()\nsys.setrecursionlimit(60)\nraise KeyError('x')\n", ":5:1",
               "cannot be imported: KeyError: 'x'"),
    "interrupted": ("import os\nos.kill(os.getpid(), 15)\n", "", "was killed (SIGTERM) while it was opened"),
    "odd": ("class Odd(BaseException): ...\nraise Odd\n", ":2:1", "cannot be imported: Odd"),
}  # fmt: skip


@pytest.mark.proof
def test_broken_files_of_every_kind_hide_no_good_one(house, capfd):
    """Of eighty modules twenty are broken, each in its own way: 60 are linted whole, and 20 named."""
    for number in range(60):
        name = f"good_{number % 20:02}_{number:03}"
        house.tool(f"{name}.py", name, before="print('hello', flush=True)\n")
        with Path(f"{name}.py").open("a") as file:
            file.write(f"\n@tool\ndef silent_{number}() -> int:\n    return 1\n")
    house.write(
        "good.yaml", "tools: [good_00_000.py]\nsteps: [good_00_000]\ndescription: Say again what was said before.\n"
    )
    for name, (text, _, _) in BROKEN.items():
        house.runs(f"good_{len(name):02}_{name}.py", text)
    found = house.check(".", seconds=3, memory=2 * 1024**3)
    lines = [line.rpartition(" (")[0] for line in found if "TK406" not in line]  # the good ones print, too
    broken = {line.partition(".")[0]: line for line in lines if "TK002" in line}
    loop = broken.pop("good_07_looping")
    assert loop.split(": error")[0] in {"good_07_looping.py:2", "good_07_looping.py:3"}
    expected = {}
    for name, (_, place, message) in BROKEN.items():
        module = f"good_{len(name):02}_{name}"
        expected[module] = f"{module}.py{place}: error[TK002]: '{module}.py' {message}"
    assert broken == {name: line for name, line in expected.items() if "looping" not in name}
    linted = {line.rpartition("'silent_")[2].partition("'")[0] for line in lines if "TK201" in line}
    assert linted == {str(number) for number in range(60)}
    assert len(lines) == len(BROKEN) + len(linted) == 80
    assert capfd.readouterr().out == ""


SABOTAGE = {
    "builtins": "import builtins\nbuiltins.print = None\n",
    "channel": "import os\nfor number in range(3, 20):\n    try:\n        os.write(number, b'\\xff{}\\n')\n"
    "    except OSError:\n        pass\n",
    "clock": "import signal\nsignal.alarm(0)\n",
    "finders": "import sys\nsys.meta_path.clear()\n",
    "json": "import json\njson.dumps = json.loads = None\n",
    "marks": "import toolkit\ntoolkit.tool = None\n",
    "modules": "import sys\nsys.modules.clear()\n",
    "streams": "import sys\nsys.stdout = sys.stderr = None\n",
    "thread": "import threading\n\ndef run():\n    while True:\n        pass\n\nthreading.Thread(target=run).start()\n",
    "tools": "import toolkit.tools.kinds.function_tools as functions\nvars(functions).clear()\n",
    "writer": "import faulthandler\nfaulthandler.disable()\n",
}


def test_file_that_spoils_the_process_harms_itself_alone(house):
    for name, text in SABOTAGE.items():
        house.write(f"{name}_0.py", text)
        house.write(f"{name}_1.py", f"from toolkit import tool\n\n@tool\ndef after_{name}() -> int:\n    return 1\n")
    lines = house.check(".")
    told = [line for line in lines if "TK201" in line]
    assert [line.partition(":")[0] for line in told] == [f"{name}_1.py" for name in SABOTAGE]
    assert {line.partition(":")[0] for line in lines if line not in told} <= {f"{name}_0.py" for name in SABOTAGE}


@pytest.mark.proof
@pytest.mark.parametrize(
    "hiding",
    [
        pytest.param("import faulthandler\nfaulthandler.cancel_dump_traceback_later()\n", id="faulthandler"),
        pytest.param("import os\nos.closerange(3, 256)\n", id="descriptors"),
    ],
)
def test_file_that_switches_the_clock_off_is_ended_from_outside(house, hiding):
    house.runs("a.py", f"{hiding}while True:\n    pass\n")
    house.tool("b.py", "forecast")
    assert house.check("a.py", "b.py", seconds=1, grace=0.2) == [
        f"a.py: error[TK002]: 'a.py' did not finish: importing it took longer than 1 s ({GUARD})"
    ]


@pytest.mark.proof
def test_prints_of_users_files_go_to_standard_error(house):
    house.tool("tools.py", "forecast", before="import os\nprint('from print')\nos.system('echo from a shell')\n")
    program = (
        "from toolkit.lint.engine.checking import check; from toolkit.settings.configuration import Configuration; "
        "print([problem.code for problem in check(['tools.py'], Configuration())])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['TK406', 'TK406']\n"
    assert sorted(done.stderr.split("\n")) == ["", "from a shell", "from print"]


def test_users_files_run_in_another_process(house):
    house.runs("tools.py", "import os\nprint(os.getpid(), file=open('pid', 'w'))\n")
    house.check("tools.py")
    assert int(Path("pid").read_text()) != os.getpid()


def test_nothing_of_users_files_runs_on(house):
    house.runs(
        "tools.py",
        """
        import subprocess, sys, threading, time
        alive = open("alive", "w")
        print("yes", file=alive, flush=True)
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=alive)
        threading.Thread(target=time.sleep, args=(600,)).start()
        """,
    )
    os.mkfifo("alive")
    pipe = os.open("alive", os.O_RDONLY | os.O_NONBLOCK)
    house.check("tools.py")
    assert os.read(pipe, 10) == b"yes\n"
    readable, _, _ = select.select([pipe], [], [], 30)  # its end comes when the last process that holds it is gone
    assert (readable, os.read(pipe, 10)) == ([pipe], b"")
    os.close(pipe)


def test_child_that_users_file_forks_does_not_keep_us_waiting(house):
    house.runs("tools.py", "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n    os._exit(0)\nos._exit(3)\n")
    assert [line.partition(" (")[0] for line in house.check("tools.py")] == [
        "tools.py:5: error[TK002]: 'tools.py' ended the process with exit status 3 while it was opened"
    ]


@pytest.mark.proof
def test_file_that_ends_the_process_is_told_once_also_where_a_pipeline_uses_it(house):
    house.runs("leaving.py", "import os\nos._exit(4)\n")
    house.write("p.yaml", "tools: [leaving.py]\nsteps: [calculator]\ndescription: Say again what was said before.\n")
    house.write(
        "other.yaml", "tools: [nested/leaving.py]\nsteps: [calculator]\ndescription: Say again what was said before.\n"
    )
    house.runs("nested/leaving.py", "import os\n\nos._exit(5)\n")
    expected = [
        "leaving.py:2: error[TK002]: 'leaving.py' ended the process with exit status 4 while it was opened",
        "nested/leaving.py:3: error[TK002]: 'leaving.py' ended the process with exit status 5 while it was opened",
    ]
    assert [line.partition(" (")[0] for line in house.check(".")] == expected
    assert [line.partition(" (")[0] for line in house.check("p.yaml", "leaving.py")] == expected[:1]


def test_what_one_file_leaves_behind_is_not_blamed_on_the_next(house):
    house.runs("a.py", "import os, threading\nthreading.Timer(0.2, os._exit, [1]).start()\n")
    house.tool("b.py", "forecast", before="import time\ntime.sleep(0.5)\n")
    assert [line for line in house.check("a.py:threading", "b.py")[1:] if "TK406" not in line] == []
    assert [line for line in house.check("b.py", "a.py") if "b.py" in line and "TK406" not in line] == []


def test_file_after_one_that_leaves_a_thread_runs_only_once(house):
    house.runs(
        "a.py", "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
    )
    log = "with open('log', 'a') as stream:\n    stream.write('run\\n')\n"
    house.tool("b.py", "forecast", before=log)
    house.tool("c.py", "climate", before=log)
    house.check("a.py", "b.py", "c.py")
    assert Path("log").read_text("utf-8") == "run\nrun\n"


THREADS = {
    "busy": (1, "while True:\n        pass"),
    "moving": (1, "while True:\n        os.chdir('/')"),
    "waiting": (120, "time.sleep(600)"),
}


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(("count", "work"), THREADS.values(), ids=THREADS)
def test_threads_that_a_file_leaves_running_change_no_place_in_the_next(house, count, work):
    started = f"for _ in range({count}):\n    threading.Thread(target=run, daemon=True).start()\n"
    house.runs("a.py", f"import os, threading, time\ndef run():\n    {work}\n{started}")
    house.runs("b.py", "import time\n\ntime.sleep(600)\n")
    house.runs("c.py", "x = 1\nraise ValueError(x)\n")
    found = [line.partition(" (")[0] for line in house.check("a.py", "b.py", "c.py", seconds=2) if "TK406" not in line]
    assert found == [
        "a.py: warning[TK004]: no tools were found in 'a.py'",
        "b.py:3: error[TK002]: 'b.py' did not finish: importing it took longer than 2 s",
        "c.py:2:1: error[TK002]: 'c.py' cannot be imported: ValueError: 1",
    ]


def test_working_directory_with_modules_of_our_names_is_no_danger(house):
    for name in ("json.py", "toolkit.py", "typing.py", "yaml.py"):
        house.write(name, "print('run')\nraise RuntimeError('hidden')\n")
    house.tool("tools/a.py", "forecast")
    assert house.check("tools") == []


def test_secrets_in_the_context_and_in_local_values_stay_here(house):
    house.runs("tools.py", "def f(token):\n    raise ValueError\n\nf('hunter2')\n")
    house.runs("seen.py", "import sys\nprint(sys.argv, open('/proc/self/cmdline').read(), file=open('seen', 'w'))\n")
    configuration = Configuration(context={"token": "hunter2"})
    assert "hunter2" not in json.dumps(house.check("tools.py", "seen.py", configuration=configuration))
    assert "hunter2" not in Path("seen").read_text()


def test_suppressions_of_a_file_that_cannot_be_imported_are_not_called_unused(house):
    comment = "LIMIT = 3  # toolkit: ignore[TK308]\n"
    house.tool("whole.py", "forecast", before=comment)
    house.tool("broken.py", "outlook", before=f"{comment}raise RuntimeError('not today')\n")
    assert [line.partition(" (")[0] for line in house.check("whole.py", "broken.py")] == [
        "broken.py:2:1: error[TK002]: 'broken.py' cannot be imported: RuntimeError: not today",
        "whole.py:1:30: warning[TK010]: 'TK308' suppresses nothing here",
    ]


def test_file_that_cannot_be_read_and_speaks_of_no_tools_is_reported_only_where_it_is_named(house):
    house.write("samples/old.py", "print 'hello'\n")
    house.write("broken.py", "from toolkit import tool\n\nprint 'hello'\n")
    where = "check this line and the one before it; if the file needs a newer Python than "
    hint = f"{where}{sys.version_info[0]}.{sys.version_info[1]}, install toolkit for that version"
    mistake = "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?"
    lines = [
        f"broken.py:3:1: error[TK002]: 'broken.py' cannot be imported: {mistake} ({hint})",
        f"samples/old.py:1:1: error[TK002]: 'old.py' cannot be imported: {mistake} ({hint})",
    ]
    assert house.check(".") == lines[:1]
    assert house.check("samples/old.py") == lines[1:]
    as_read = LintSettings(is_static=True)
    assert [str(one) for one in check(["."], Configuration(), settings=as_read)] == [
        lines[0].replace("imported", "read")
    ]
