"""The tool `process` runs its command, and nothing that the command started outlives the call."""

import asyncio
import inspect
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from tests.processes import can_be_read, processes_with, survivors, wait_for_end
from toolkit import Edit, Reject, ToolContext
from toolkit.approvals import ScriptedReviewer
from toolkit.builtin import Process, ready_tools
from toolkit.errors import ConfigurationError
from toolkit.processes import warden  # private
from toolkit.processes.watching import end_without_warden, mark_environment, read_report, warden_command  # private

ROOT = Path(__file__).resolve().parents[2]
ON_LINUX = sys.platform.startswith("linux")
MEBIBYTE = 1024 * 1024
PATIENCE = 10
FOR_EVER = "import signal; signal.pause()"


def printing(text):
    """Return a command that reads its input and prints a text."""
    return ["sh", "-c", 'cat >/dev/null; printf "%s" "$0"', text]


def run(command, text="hello", **options):
    """Run a command once."""
    return Process(command, **options).run({"input": text})


# What it says and hears


def test_the_input_is_one_line_of_json():
    result = run(["sh", "-c", 'read -r line; printf "<%s>" "$line"; cat'], 'Å "quoted"\nand more\ud800')
    assert result.output == '<{"input": "\\u00c5 \\"quoted\\"\\nand more\\ud800"}>'


@pytest.mark.proof(everyday=8)
@pytest.mark.parametrize(
    ("written", "output", "structured"),
    [
        ("", "", None),
        ("  plain text \n", "plain text", None),
        ('{"output": "fine"}', "fine", None),
        ('{"output": "fine", "success": true, "structured": {"n": [1]}}', "fine", {"n": [1]}),
        ('{"output": "fine", "success": null, "structured": null}', "fine", None),
        ('{"output": 12.50}', "12.5", None),
        ('{"output": {"a": ["é"]}}', '{"a":["é"]}', None),
        ('{"output": [1, 2]}', "[1,2]", None),
        ('{"output": true}', "true", None),
        ('{"output": null}', "", None),
        ('{"output": "half \\ud800"}', "half ?", None),
        ('{"answer": 42}', '{"answer": 42}', None),
        ('{"structured": 42}', '{"structured": 42}', 42),
        ('{"output": "one"} {"output": "two"}', '{"output": "one"} {"output": "two"}', None),
        ('{"output": "one"', '{"output": "one"', None),
        ('{"output": NaN}', '{"output": NaN}', None),
        ('["output"]', '["output"]', None),
        ('"text"', '"text"', None),
        ("42", "42", None),
        ('{"a":' * 10_000, '{"a":' * 10_000, None),
        ('{"n": ' + "9" * 5000 + "}", '{"n": ' + "9" * 5000 + "}", None),
    ],
)
def test_an_answer_is_the_result(written, output, structured):
    result = run(printing(written))
    assert (result.error, result.output, result.structured) == (None, output, structured)


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize(
    ("written", "error"),
    [
        ('{"success": false, "error": "no such order"}', "no such order"),
        ('{"success": false, "output": "ignored"}', "Process returned success=false"),
        ('{"success": false, "error": {"code": 7}}', '{"code":7}'),
        ('{"success": false, "error": null}', "Process returned success=false"),
        ('{"success": "false"}', 'Process returned success="false"'),
        ('{"success": "no"}', 'Process returned success="no"'),
        ('{"success": 0}', "Process returned success=0"),
        ('{"success": 1}', "Process returned success=1"),
    ],
)
def test_what_does_not_say_that_it_succeeded_has_failed(written, error):
    result = run(printing(written))
    assert (result.error, result.output) == (error, "")


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("echo out; echo '  it broke  ' >&2; exit 3", "it broke"),
        ('echo \'{"output": "ignored"}\'; exit 7', "Process exited with code 7"),
        ("exit 1", "Process exited with code 1"),
        ("kill -SEGV $$", "Process was ended by SIGSEGV"),
        ("kill -KILL $$", "Process was ended by SIGKILL"),
        ("kill -TERM 0", "Process was ended by SIGTERM"),
        ("printf 'a\\377b' >&2; exit 1", "a\N{REPLACEMENT CHARACTER}b"),
    ],
)
def test_another_exit_is_a_failure(script, error):
    assert run(["sh", "-c", script]).error == error


def test_what_it_says_on_the_side_is_no_result():
    assert run(["sh", "-c", "echo careful >&2; echo done"]).output == "done"


def test_output_that_is_not_utf_8_is_kept_as_far_as_it_is_text():
    assert run(["sh", "-c", "printf 'a\\377b'"]).output == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.skipif(not ON_LINUX, reason="other systems have no signals without a name")
def test_a_signal_without_a_name_is_reported_by_its_number():
    assert run(["sh", "-c", "kill -35 $$"]).error == "Process was ended by signal 35"


def test_the_command_continues_the_trace_of_its_call():
    trace = pytest.importorskip("opentelemetry.trace")
    span = trace.SpanContext(0xABC, 0xDEF, is_remote=False, trace_flags=trace.TraceFlags.get_default())
    with trace.use_span(trace.NonRecordingSpan(span)):
        result = run(["sh", "-c", 'echo "$TRACEPARENT"'])
    assert result.output == f"00-{0xABC:032x}-{0xDEF:016x}-00"


def test_no_shell_sees_the_command():
    result = run([sys.executable, "-c", "import sys; print(sys.argv[1:])", "$HOME; `id`", "*", "-x", ""])
    assert result.output == "['$HOME; `id`', '*', '-x', '']"


def test_it_runs_where_it_is_told_with_the_environment_that_there_is(tmp_path, monkeypatch):
    monkeypatch.setenv("GREETING", "hej")
    assert run(["sh", "-c", 'pwd; echo "$GREETING"'], directory=tmp_path).output == f"{tmp_path.resolve()}\nhej"


def test_it_has_no_terminal_and_nothing_else_that_is_ours(tmp_path):
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        script = "import os; print(sorted(int(name) for name in os.listdir('/dev/fd')), end=''); open('/dev/tty')"
        result = run([sys.executable, "-c", script])
    assert "/dev/tty" in result.error


@pytest.mark.skipif(not ON_LINUX, reason="the system lists what is open in its own way")
def test_only_its_three_streams_are_open():
    result = run([sys.executable, "-S", "-c", "import os; print(len(os.listdir('/proc/self/fd')) - 1)"])
    assert result.output == "3"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (["no-such-program"], "Failed to start process: no such file or directory: 'no-such-program'"),
        (["/etc/passwd"], "Failed to start process: permission denied: '/etc/passwd'"),
        (["./missing"], "Failed to start process: no such file or directory: './missing'"),
    ],
)
def test_what_cannot_be_started_is_said(command, error):
    assert run(command).error == error


def test_a_directory_that_is_gone_is_said(tmp_path):
    result = run(["true"], directory=tmp_path / "gone")
    assert result.error == f"Failed to start process: no such file or directory: '{tmp_path / 'gone'}'"


# Streams


def test_much_in_and_much_out_at_once():
    text = "x" * (5 * MEBIBYTE)
    result = run(["cat"], text, max_bytes=10 * MEBIBYTE)
    assert result.output == json.dumps({"input": text})


def test_one_that_reads_nothing_is_no_obstacle():
    assert run(["echo", "done"], "x" * (5 * MEBIBYTE)).output == "done"
    assert run(["sh", "-c", "exec <&-; echo done"], "x" * (5 * MEBIBYTE)).output == "done"


@pytest.mark.proof
def test_the_time_holds_for_one_that_neither_reads_nor_ends():
    result = run([sys.executable, "-c", FOR_EVER], "x" * (5 * MEBIBYTE), timeout=0.3)
    assert (result.error, result.error_code) == (f"Process timed out after 0.3 seconds: {sys.executable}", "timeout")


@pytest.mark.parametrize(("size", "is_cut"), [(999, False), (1000, False), (1001, True), (300_000, True)])
def test_output_is_cut_where_it_says(size, is_cut):
    result = run(["sh", "-c", f"head -c {size} /dev/zero | tr '\\0' x"], max_bytes=1000)
    assert result.output == "x" * min(size, 1000) + ("\n[output truncated at 1000 bytes]" if is_cut else "")


@pytest.mark.proof
def test_a_flood_takes_no_memory():
    tool = Process(["sh", "-c", "yes & yes >&2"], timeout=1.0, max_bytes=MEBIBYTE)
    assert run(["true"]).succeeded  # what is imported is not counted
    tracemalloc.start()
    try:
        result = tool.run({"input": "x"})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    print(f"\nprocess: two floods of a second took {peak / MEBIBYTE:.1f} MiB, with 1 MiB kept of each")  # noqa: T201
    assert result.error_code == "timeout"
    assert peak < 8 * MEBIBYTE


# Nothing survives

FAMILIES = {
    "one": "up(); stay()",
    "deaf": "deaf(); up(); stay()",
    "with a child": "fork(lambda: stay()); up(); stay()",
    "with a child in a session of its own": "fork(lambda: (os.setsid(), deaf(), stay())); up(); stay()",
    "with a daemon": "fork(lambda: (os.setsid(), fork(lambda: (closed(), deaf(), up(), stay())), os._exit(0)))\nstay()",
    "with a daemon that holds its output": "fork(lambda: (os.setsid(), fork(lambda: (up(), stay())), "
    "os._exit(0)))\nstay()",
    "gone, with a daemon": "fork(lambda: (os.setsid(), fork(lambda: (closed(), up(), stay())), os._exit(0)))\n"
    "time.sleep(0.3)",
    "ten deep, each in a session of its own": "def deeper(n):\n    os.setsid() if n < 10 else None\n"
    "    fork(lambda: deeper(n - 1)) if n else up()\n    stay()\ndeeper(10)",
    "wide": "[fork(lambda: (deaf(), stay())) for _ in range(50)]; up(); stay()",
    "stopped": "fork(lambda: os.kill(os.getpid(), signal.SIGSTOP)); up(); os.kill(os.getpid(), signal.SIGSTOP)",
    "always starting another": "up()\nfor _ in range(400):\n    if os.fork():\n        time.sleep(0.02); os._exit(0)\n"
    "    os.setsid()\nstay()",
    "flooding": "fork(lambda: (os.setsid(), [os.write(1, b'x' * 65536) for _ in iter(int, 1)])); up(); stay()",
}
PRELUDE = """
import os, signal, sys, time

def up():
    open(sys.argv[1], "w").close()

def deaf():
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)

def stay():
    while True:
        signal.pause()

def closed():
    os.closerange(0, 100)

def fork(work):
    if os.fork() == 0:
        work()
        os._exit(0)

"""
EVERYDAY = {"one", "deaf", "wide", "with a daemon that holds its output"}
families = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
few_families = pytest.mark.parametrize(
    "family",
    [
        pytest.param(family, id=name, marks=[] if name in EVERYDAY else pytest.mark.proof)
        for name, family in FAMILIES.items()
    ],
)


@pytest.fixture
def household(tmp_path, monkeypatch):
    """Return a household whose members carry a mark in their environment, by which they are found wherever they go."""
    mark, sign = uuid.uuid4().hex, tmp_path / "up"
    monkeypatch.setenv("HOUSEHOLD", mark)
    os.mkfifo(sign)
    reader = os.open(sign, os.O_RDONLY | os.O_NONBLOCK)
    household = Household(mark, sign, reader)
    yield household
    for member in household.members():  # a test that fails leaves nobody either
        with suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)
    os.close(reader)


class Household:
    """Everything that a test starts; its last member opens and closes a named pipe when the family is complete."""

    def __init__(self, mark, sign, reader):
        self.mark = f"HOUSEHOLD={mark}"
        self.sign = sign
        self.reader = reader

    def command(self, family):
        return [sys.executable, "-S", "-c", PRELUDE + family, str(self.sign)]

    def members(self):
        """Return the processes that live and carry the mark, but for this one."""
        return processes_with(self.mark)

    def wait_until_up(self):
        assert can_be_read(self.reader, PATIENCE), "the family never came up"


def report(household, what):
    """Say how many survive and how long the last one took to go, and fail if one stays."""
    started = time.monotonic()
    found = survivors(household.mark, PATIENCE)
    print(f"\nprocess: {len(found)} survivors of {what}, {time.monotonic() - started:.2f} s after it")  # noqa: T201
    assert found == []


linux = pytest.mark.skipif(not ON_LINUX, reason="only Linux lets a warden adopt those who lose their parents")


@pytest.mark.proof(everyday=2)
@linux
@families
def test_nobody_survives_the_end_of_the_time(household, family):
    Process(household.command(family), timeout=0.6).run({"input": "x"})
    report(household, "the timeout")


@pytest.mark.proof(everyday=2)
@linux
@families
def test_nobody_survives_a_cancelled_call(household, family):
    async def cancelling():
        call = asyncio.ensure_future(Process(household.command(family), timeout=60).call({"input": "x"}))
        await asyncio.to_thread(household.wait_until_up)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancelling())
    report(household, "the cancelled call")


@pytest.mark.proof(everyday=1)
@linux
@families
def test_nobody_survives_our_own_death(household, family):
    program = (
        "import json, sys\nfrom toolkit.builtin import Process\n"
        "Process(json.loads(sys.argv[1]), timeout=60).run({'input': 'x'})"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    arguments = [sys.executable, "-c", program, json.dumps(household.command(family))]
    with subprocess.Popen(arguments, env=environment) as ours:
        household.wait_until_up()
        ours.kill()
    report(household, "our own death")


@pytest.mark.proof(everyday=1)
@linux
@few_families
@pytest.mark.usefixtures("cold_starts")  # whoever is started here counts as one of the family
def test_nobody_survives_ctrl_c(household, family, tmp_path):
    parts = ", ".join(json.dumps(part) for part in household.command(family))
    (tmp_path / "toolkit.toml").write_text(
        f'[builtin.family]\nkind = "process"\ntimeout = "60s"\ncommand = [{parts}]\n'
    )
    program = [sys.executable, "-m", "toolkit_cli", "run", "family", "x", "--yes", "--quiet"]
    with subprocess.Popen(
        program, cwd=tmp_path, process_group=0, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as ours:
        household.wait_until_up()
        os.killpg(ours.pid, signal.SIGINT)
        status = ours.wait(20)
    report(household, "Ctrl-C")
    assert status in {130, 0}  # one family is gone by then


@linux
def test_what_the_command_leaves_behind_ends_with_it(household):
    script = "setsid sleep 600 & nohup sleep 600 >/dev/null 2>&1 & echo done"
    assert Process(["sh", "-c", script]).run({"input": "x"}).output == "done"
    report(household, "the command's own end")


@linux
def test_a_killed_warden_is_noticed(household):
    result = Process(["sh", "-c", "kill -KILL $PPID; sleep 600"], timeout=60).run({"input": "x"})
    assert result.error == "Failed to start process: the process that supervises it was killed: 'sh'"
    report(household, "the killed warden")


@linux
def test_a_command_starts_only_when_its_number_is_known(household):
    """Otherwise it can kill its warden before anyone knows whom else to kill."""
    report_read, report_write = os.pipe()
    control_read, control_write = os.pipe()
    environment, mark = mark_environment(os.environ)
    filling = fill(report_write)
    command = warden_command(["sh", "-c", "kill -KILL $PPID; sleep 600"], report_write, control_read, environment)
    with subprocess.Popen(command, env=environment, pass_fds=(report_write, control_read)) as supervisor:
        os.close(report_write)
        wait_for_end(supervisor.pid, 1)
        with os.fdopen(report_read, "rb") as file:
            written = file.read()[filling:]
        assert supervisor.wait() == -signal.SIGKILL
    os.close(control_read)
    os.close(control_write)
    end_without_warden(read_report(written)["started"], mark)
    report(household, "a warden killed at once")


def fill(descriptor):
    """Fill a pipe, so that the next write waits; return how many bytes that took."""
    os.set_blocking(descriptor, False)
    size = 0
    with suppress(BlockingIOError):
        while True:
            size += os.write(descriptor, b" ")
    os.set_blocking(descriptor, True)
    return size


@linux
@pytest.mark.parametrize("deed", ["KILL", "STOP"])
def test_nobody_survives_where_the_command_harms_its_warden(household, deed):
    script = f"setsid sleep 600 & sleep 600 & kill -{deed} $PPID; sleep 600"
    Process(["sh", "-c", script], timeout=2).run({"input": "x"})
    report(household, f"SIG{deed} for the warden")


@linux
def test_stopped_warden_notices_the_end_of_its_command():
    assert Process(["sh", "-c", "kill -STOP $PPID; echo done"], timeout=60).run({"input": "x"}).output == "done"


@pytest.mark.proof
@linux
def test_nobody_survives_our_own_death_with_a_stopped_warden(household):
    program = (
        "import json, sys\nfrom toolkit.builtin import Process\n"
        "Process(json.loads(sys.argv[1]), timeout=60).run({'input': 'x'})"
    )
    family = "os.kill(os.getppid(), signal.SIGSTOP); fork(lambda: (os.setsid(), stay())); up(); stay()"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    arguments = [sys.executable, "-c", program, json.dumps(household.command(family))]
    with subprocess.Popen(arguments, env=environment) as ours:
        household.wait_until_up()
        ours.kill()
    report(household, "our own death with a stopped warden")


@pytest.mark.proof
def test_calls_side_by_side_do_not_mix():
    async def all_at_once():
        tool = Process(["sh", "-c", "sleep 0.1; cat"], timeout=60)
        return await asyncio.gather(*(tool.call({"input": str(number)}) for number in range(20)))

    results = asyncio.run(all_at_once())
    assert [json.loads(result.output)["input"] for result in results] == [str(number) for number in range(20)]


@pytest.mark.proof
def test_nothing_stays_open():
    run(["true"])
    before = len(list(Path("/dev/fd").iterdir()))
    for command in (["true"], ["no-such-program"], ["sleep", "600"]):
        run(command, timeout=0.2)
    assert len(list(Path("/dev/fd").iterdir())) == before


@pytest.mark.skipif(shutil.which("ps") is None, reason="there is no ps")
def test_processes_are_listed_alike_where_there_is_no_proc():
    with subprocess.Popen(["sleep", "600"]) as child:
        try:
            listings = [dict(warden._listed_by_ps())]
            listings += [dict(warden._listed_by_proc())] if ON_LINUX else []
            assert {listing[child.pid] for listing in listings} == {os.getpid()}
        finally:
            child.kill()


# Approval and settings


def test_the_question_shows_the_command_and_the_edit_is_what_runs(tmp_path):
    reviewer = ScriptedReviewer([Edit({"input": "better"})])
    tool = Process(["sh", "-c", "cat; echo 'it''s done'"], directory=tmp_path, requires_approval=True)
    result = tool.run({"input": "good"}, ToolContext(reviewer=reviewer))
    assert result.output == '{"input": "better"}\nits done'
    [request] = reviewer.requests
    assert request.preview == f"Execute command: sh -c 'cat; echo '\"'\"'it'\"'\"''\"'\"'s done'\"'\"''\nin {tmp_path}"
    assert request.arguments == {"input": "good"}


def test_the_question_names_no_folder_where_none_is_set():
    reviewer = ScriptedReviewer([Reject("not now")])
    Process(["wc", "-w"], requires_approval=True).run({"input": "x"}, ToolContext(reviewer=reviewer))
    assert [request.preview for request in reviewer.requests] == ["Execute command: wc -w"]


@pytest.mark.parametrize(("folder", "shown"), [(None, "the current folder"), ("/srv", "/srv")])
def test_it_shows_what_it_uses(folder, shown):
    uses = Process(["grep", "-c", "two words"], directory=folder, timeout=2.5).uses
    assert uses == {"command": "grep -c 'two words'", "folder": shown, "timeout": "2.5 s"}


def test_it_has_the_name_that_it_is_given_or_that_of_its_kind():
    assert [Process(["wc"]).name, Process(["wc"], name="count").name] == ["process", "count"]


def test_a_system_that_cannot_end_commands_refuses_it(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(ConfigurationError, match="the Python interpreter, which supervises commands, cannot be found"):
        Process(["wc"])


def test_its_marks_are_those_of_something_that_can_do_anything():
    spec = Process(["/usr/bin/wc", "-w"]).spec
    assert (spec.read_only, spec.destructive, spec.idempotent, spec.open_world) == (False, True, False, True)
    assert (
        spec.description
        == "Runs wc with the input and returns what it writes. Input: the text that the program expects."
    )


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("rm -rf x", {}, "'command' must be a list of strings"),
        ([], {}, "'command' must be a list of strings that begins with a program"),
        ([" "], {}, "'command' must be a list of strings that begins with a program"),
        (["a", 1], {}, "'command' must be a list of strings that begins with a program"),
        (["a", "b\0c"], {}, "'command' must not contain NUL"),
        (["a"], {"timeout": 0}, "'timeout' must be above zero"),
        (["a"], {"max_bytes": -1}, "'max_bytes' must be above zero"),
    ],
)
def test_wrong_settings_are_refused_when_it_is_made(command, options, message):
    with pytest.raises(ConfigurationError) as raised:
        Process(command, **options)
    assert [problem.message for problem in raised.value.problems] == [message]


def test_a_line_for_a_shell_is_refused_with_the_hint():
    with pytest.raises(
        ConfigurationError, match=re.escape('there is no shell to split it: write command = ["wc", "-w"]')
    ):
        Process("wc -w")


def test_it_is_built_of_a_configuration(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "hello.sh").write_text("echo hello")
    tool = ready_tools()["process"].build(
        tmp_path, {"command": ["sh", "hello.sh"], "directory": "scripts", "description": "Greets."}
    )
    assert (tool.description, tool.run({"input": "x"}).output) == ("Greets.", "hello")
    assert ready_tools()["process"].build(tmp_path, {"command": ["pwd"]}).run({"input": "x"}).output == str(
        tmp_path.resolve()
    )


def test_wrong_options_are_said_with_the_nearest(tmp_path):
    with pytest.raises(ConfigurationError) as raised:
        ready_tools()["process"].build(tmp_path, {"comand": ["true"], "shell": True})
    assert [(problem.message, problem.hint) for problem in raised.value.problems] == [
        ("unknown option 'comand'", "did you mean 'command'?"),
        (
            "unknown option 'shell'",
            "the options are command, description, directory, timeout, max_bytes, requires_approval",
        ),
        ("the option 'command' is missing", "write command = ['…']: the program and its arguments as a list"),
    ]


def test_the_options_are_those_of_the_class():
    parameters = set(inspect.signature(Process).parameters) - {"name"}
    assert {option.name for option in ready_tools()["process"].options} == parameters
