"""A program that starts warm is the same process as one that starts cold."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.warm.requests import LOCALE
from tests.warm.starts import FOLLOWED, WORKER, installed
from toolkit.builtin import Process

PROBE = """
import json, os, signal, sys, threading  # as in: from toolkit.lint.engine.collecting import main
streams = [[one.name, one.mode, one.encoding, one.errors, one.line_buffering] for one in (sys.stdin, sys.stdout, sys.stderr)]
found = {
    "arguments": sys.argv, "streams": streams, "folder": os.getcwd(), "environment": dict(os.environ), "umask": os.umask(0),
    "main": __name__, "threads": threading.active_count(), "input": sys.stdin.read(), "path": sys.path, "parent": os.getppid(),
    "leads its session": os.getsid(0) == os.getpid(), "open": sorted(os.listdir("/proc/self/fd"))[:-1],
    "signals": [str(signal.getsignal(n)) for n in sorted(signal.valid_signals()) if n not in (signal.SIGKILL, signal.SIGSTOP)],
}
print(json.dumps(found, sort_keys=True))
print("to stderr", file=sys.stderr)
"""
ENDINGS = {
    "its end": "pass",
    "exit with a number": "sys.exit(300)",
    "exit with a word": "sys.exit('no')",
    "a signal": "os.kill(os.getpid(), signal.SIGTERM)",
    "an interruption": "os.kill(os.getpid(), signal.SIGINT)",
    "an exit at once": "os._exit(3)",
    "work at its exit": "import atexit; atexit.register(print, 'last words')",
    "a thread that works on": "threading.Timer(0.1, lambda: print('later')).start()",
    "a stream that cannot be written": "os.close(1)",
}
IS_WARM = "print('toolkit_cli.application' in sys.modules)"

pytestmark = pytest.mark.skipif(installed() is None, reason="everything starts cold")


def started(code, folder, without=()):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(without)} | {"ONE": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROBE + code, "an argument"],
        input="é\r\n",
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        umask=0o027,
        env=environment,
        start_new_session=True,
        check=False,
    )
    found, _, more = done.stdout.partition("\n")
    told = [line for line in done.stderr.splitlines() if not line.startswith("  ")]  # a traceback begins elsewhere
    return done.returncode, json.loads(found or "{}"), more, told


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_warm_start_is_like_a_cold_one(ending, tmp_path):
    warm = started(ending, tmp_path)
    with installed().paused():
        assert warm == started(ending, tmp_path)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("without", [LOCALE, FOLLOWED, (*LOCALE, *FOLLOWED)], ids=["locale", "buffers", "both"])
def test_warm_start_follows_its_environment(without, tmp_path):
    warm = started("print(sys.dont_write_bytecode)", tmp_path, without)
    assert started(IS_WARM, tmp_path, without)[2] == "True\n"
    with installed().paused():
        assert warm == started("print(sys.dont_write_bytecode)", tmp_path, without)


def under_a_warden(file):
    result = Process([sys.executable, str(file), "an argument"]).run({"input": "x"})
    if not result.succeeded:
        return result.error_code, [line for line in result.text.splitlines() if not line.startswith("  ")]
    found, _, more = result.text.partition("\n")
    found = json.loads(found)
    del found["parent"], found["environment"]["TOOLKIT_WARDEN"]
    return found, more


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_warm_start_under_a_warden_is_like_a_cold_one(ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "probe.py"
    file.write_text(PROBE + ending)
    warm = under_a_warden(file)
    with installed().paused():
        assert warm == under_a_warden(file)


def test_what_a_warden_starts_is_warm(tmp_path):
    (tmp_path / "probe.py").write_text(f"import sys\n{IS_WARM}")
    process = Process([sys.executable, str(tmp_path / "probe.py")])
    assert process.run({"input": "x"}).output == "True"
    with installed().paused():
        assert process.run({"input": "x"}).output == "False"


def test_warm_process_is_a_copy_of_one_that_has_imported_the_program(tmp_path):
    assert started(IS_WARM, tmp_path)[2] == "True\n"
    with installed().paused():
        assert started(IS_WARM, tmp_path)[2] == "False\n"


def output_of_a_worker(code):
    """Return what code prints that a worker of pytest-xdist is sent."""
    command = [sys.executable, *WORKER]
    return subprocess.run(command, input=f"{code!r}\n", stdout=subprocess.PIPE, text=True, check=True).stdout


def test_worker_of_the_tests_is_a_copy_and_so_is_what_it_starts(tmp_path):
    file = tmp_path / "probe.py"
    file.write_text(f"import sys\n{IS_WARM}")
    code = f"{IS_WARM}; import subprocess; subprocess.run([sys.executable, {str(file)!r}], check=True)"
    installed().warm_up()
    assert output_of_a_worker(code) == "True\nTrue\n"
    with installed().paused():
        assert output_of_a_worker(code) == "False\nFalse\n"


@pytest.mark.proof
def test_interpreter_that_was_killed_is_started_again(tmp_path):
    assert started(IS_WARM, tmp_path)[2] == "True\n"
    os.kill(installed()._interpreter.pid, signal.SIGKILL)
    assert started(IS_WARM, tmp_path)[2] == "True\n"
