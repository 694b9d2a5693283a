"""One trace through a store: what a worker does belongs to the run that submitted it."""

import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("dbos", reason="the extra `durable` is not installed")

STORE = "sqlite:///runs.db"


@pytest.mark.proof
def test_items_that_a_worker_does_belong_to_the_run_that_submitted_them(observed, project, receiver):
    words = [sys.executable, "-m", "toolkit_cli", "worker", "--store", STORE, "--tools", "tools.py"]
    variables = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
    with subprocess.Popen(words, cwd=project, env=variables, stdin=-3, stdout=-3, stderr=-1, text=True) as worker:
        assert worker.stderr.readline().startswith("working on ")
        ended = observed("run", "tools.py:greet", "--each", "items.jsonl", "--store", STORE, "--jobs", "0", "--quiet")
        worker.send_signal(signal.SIGINT)
        worker.communicate()
    assert ended.returncode == 1
    item = ("item greet", [("execute_tool greet", [])])
    assert receiver.tree() == [("run tools.py:greet", [item, item])]
    assert len(receiver.traces()) == 1
