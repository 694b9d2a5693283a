"""`run --each` applies a tool to every item of a file: a line for each, in order, whatever becomes of the others."""

import json
import os
import select
import signal
import subprocess
import sys

import pytest
from pyarrow import Table, parquet

from tests.installers import INSTALL
from tests.peaks import PEAK, needs_peaks
from tests.terminals import Terminal
from tests.volumes import items_of

TOOLS = '''
import asyncio
from typing import Any
from toolkit import ToolContext, tool

@tool(read_only=True)
def double(n: int, note: str = "", tags: list[str] | None = None) -> dict[str, Any]:
    """Double a number."""
    if n < 0:
        raise ValueError("it is negative")
    return {"twice": 2 * n, "note": note, "tags": tags or []}

@tool(read_only=True)
def shout(text: str) -> str:
    """Put a text into capitals."""
    return text.upper()

@tool(read_only=True)
def keys(record: dict[str, Any]) -> str:
    """List the keys of a record."""
    return " ".join(sorted(record))

@tool(destructive=True)
def wipe(path: str) -> str:
    """Wipe a path."""
    return f"wiped {path}"

@tool(read_only=True)
async def late(n: int) -> int:
    """Take the longer the smaller the number is."""
    for _ in range(50 - n):
        await asyncio.sleep(0)
    return n

@tool(read_only=True)
async def stuck(n: int) -> int:
    """Stay at work with the third."""
    if n == 3:
        print("at work", flush=True)
        await asyncio.Event().wait()
    return n

@tool(read_only=True)
def login(user: str, password: str) -> str:
    """Log in."""
    return f"{user} logged in with {password}"
'''
PIPELINE = """
name: report
description: Shout about a text, twice.
tools: [./tools.py]
steps:
  - shout
  - set: "${{ prev }}!"
"""

SUMS = """
tools: [./tools.py]
inputs: {n: {type: number}, note: {type: string, default: none}}
steps:
  - {id: one, use: double, with: {n: "${{ inputs.n }}", note: "${{ inputs.note }}"}}
  - {use: double, with: {n: "${{ prev.twice - 3 }}", tags: ["${{ prev.note }}"]}}
  - {use: shout, with: {text: "${{ prev.tags[0] }} ${{ steps.one.output.twice }}"}}
"""


@pytest.fixture(autouse=True)
def tools(project, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "report.yaml").write_text(PIPELINE, "utf-8")
    return project


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def numbers(count):
    return "".join(f'{{"n": {n}}}\n' for n in range(1, count + 1))


def test_each_line_of_json_becomes_a_call_and_a_failed_one_a_record_with_its_place(project, program):
    items = '{"n": 1, "note": "a"}\n\n{"n": -2}\n{"m": 3}\n{"n": "x"}\n{"n": 4\n5\n[6]\n'
    (project / "items.jsonl").write_text(items, "utf-8")
    finished = program("run", "tools.py:double", "--each", "items.jsonl")
    assert lines(finished.stdout) == [
        {"item": 1, "output": {"twice": 2, "note": "a", "tags": []}},
        {"item": 2, "error": "ValueError: it is negative", "error_code": "error", "at": "items.jsonl:3"},
        {
            "item": 3,
            "error": "double has no argument 'm' (it takes n, note, tags)",
            "error_code": "invalid_item",
            "at": "items.jsonl:4",
        },
        {
            "item": 4,
            "error": "Invalid parameter 'n': must be a whole number, not \"x\"",
            "error_code": "invalid_arguments",
            "at": "items.jsonl:5",
        },
        {
            "item": 5,
            "error": "it is not JSON: Expecting ',' delimiter: line 1 column 8 (char 7)",
            "error_code": "invalid_item",
            "at": "items.jsonl:6",
        },
        {"item": 6, "output": {"twice": 10, "note": "", "tags": []}},
        {
            "item": 7,
            "error": "Invalid parameter 'n': must be a whole number, not an array",
            "error_code": "invalid_arguments",
            "at": "items.jsonl:8",
        },
    ]
    *failures, summary = finished.stderr.splitlines()
    assert failures == [
        "items.jsonl:3: ValueError: it is negative",
        "items.jsonl:4: double has no argument 'm' (it takes n, note, tags)",
        "items.jsonl:5: Invalid parameter 'n': must be a whole number, not \"x\"",
        "items.jsonl:6: it is not JSON: Expecting ',' delimiter: line 1 column 8 (char 7)",
        "items.jsonl:8: Invalid parameter 'n': must be a whole number, not an array",
    ]
    assert summary.startswith("7 items · 2 succeeded · 5 failed · ")
    assert finished.returncode == 1


def test_only_a_store_needs_its_extra(project, program):
    (project / "sitecustomize.py").write_text("import sys\nsys.modules.update(dbos=None, sqlalchemy=None)\n", "utf-8")
    (project / "items.jsonl").write_text(numbers(1), "utf-8")
    hidden = {"PYTHONPATH": str(project)}
    batch = ("run", "tools.py:double", "--each", "items.jsonl")
    finished = program(*batch, "--quiet", env=hidden)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert lines(finished.stdout) == [{"item": 1, "output": {"twice": 2, "note": "", "tags": []}}]
    missing = "error: a store needs 'toolkit-cli[durable]', which is not installed"
    for command in (batch, ("worker", "--tools", "tools.py")):
        finished = program(*command, "--store", "sqlite:///runs.db", env=hidden)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert finished.stderr == f"{missing}\nhint: {INSTALL} 'toolkit-cli[durable]'\n"


def test_cells_of_a_table_are_typed_by_the_tool_and_an_empty_one_leaves_an_argument_out(project, program):
    (project / "items.csv").write_bytes(
        b'\xef\xbb\xbfn,note,tags\n1,"a\nb","x,y"\n\n2,,\nz,,\n3,c\n4,\xff,\n',
    )
    finished = program("run", "tools.py:double", "--each", "items.csv", "--quiet")
    assert lines(finished.stdout) == [
        {"item": 1, "output": {"twice": 2, "note": "a\nb", "tags": ["x", "y"]}},
        {"item": 2, "output": {"twice": 4, "note": "", "tags": []}},
        {
            "item": 3,
            "error": "Invalid parameter 'n': must be a whole number, not \"z\"",
            "error_code": "invalid_arguments",
            "at": "items.csv:6",
        },
        {
            "item": 4,
            "error": "it has 2 cells, but the first line has 3",
            "error_code": "invalid_item",
            "at": "items.csv:7",
        },
        {
            "item": 5,
            "error": "it is not UTF-8 text (byte 2 is not)",
            "error_code": "invalid_item",
            "at": "items.csv:8",
        },
    ]
    assert (finished.stderr, finished.returncode) == ("", 1)


def test_lines_are_the_text_that_a_tool_or_a_pipeline_works_on(project, program):
    (project / "names.txt").write_text("ada\r\n\n12\n", "utf-8")
    for target, end in (("tools.py:shout", ""), ("report.yaml", "!")):
        finished = program("run", target, "--each", "names.txt")
        assert lines(finished.stdout) == [{"item": 1, "output": f"ADA{end}"}, {"item": 2, "output": f"12{end}"}]
        assert finished.returncode == 0
    assert lines(program("run", "tools.py:double", "--each", "lines:-", input="3\n").stdout)[0]["output"]["twice"] == 6


def test_items_come_from_stdin_and_arguments_for_all_of_them_from_the_command_line(program):
    finished = program("run", "tools.py:double", "note=all", "--each", "-", input='{"n": 1}\n{"n": 2, "note": "own"}\n')
    assert [line["output"]["note"] for line in lines(finished.stdout)] == ["all", "own"]


def test_a_record_is_the_one_argument_of_a_tool_that_takes_nothing_else(program):
    finished = program("run", "tools.py:keys", "--each", "-", input='{"b": 1, "a": 2}\n{"record": 1}\n')
    assert [line["output"] for line in lines(finished.stdout)] == ["a b", "record"]


def test_results_of_items_side_by_side_are_in_the_order_of_the_items(project, program):
    (project / "items.jsonl").write_text(numbers(40), "utf-8")
    alone = program("run", "tools.py:late", "--each", "items.jsonl")
    many = program("run", "tools.py:late", "--each", "items.jsonl", "--jobs", "16")
    assert lines(alone.stdout) == [{"item": n, "output": n} for n in range(1, 41)]
    assert many.stdout == alone.stdout


@pytest.mark.proof
def test_plain_calls_one_after_another_give_the_lines_that_calls_side_by_side_give(project, program):
    (project / "sums.yaml").write_text(SUMS, "utf-8")
    items = [
        '{"n": 1}',
        '{"n": -1}',
        '{"n": "no"}',
        "[]",
        "{",
        " ",
        '{"n": 3, "note": "ä\\u200b"}',
        '{"n": 1.0}',
        '{"m": 1}',
    ]
    (project / "items.jsonl").write_text("\n".join(items), "utf-8")
    for target in ("tools.py:double", "sums.yaml", "tools.py:shout"):
        short = program("run", target, "--each", "items.jsonl", "--no-journal")
        whole = program("run", target, "--each", "items.jsonl", "--no-journal", "--jobs", "2")
        assert [line["item"] for line in lines(short.stdout)] == [1, 2, 3, 4, 5, 6, 7, 8]
        assert (short.stdout, short.returncode) == (whole.stdout, whole.returncode)


@pytest.mark.proof
def test_far_more_items_than_are_kept_wait_for_a_slow_one(project, program):
    (project / "items.jsonl").write_text("".join(f'{{"n": {n > 0:d}}}\n' for n in range(400)), "utf-8")
    finished = program("run", "tools.py:late", "--each", "items.jsonl", "--jobs", "2", "--out", "results.jsonl")
    assert finished.stdout == ""
    found = lines((project / "results.jsonl").read_text("utf-8"))
    assert found == [{"item": n + 1, "output": int(n > 0)} for n in range(400)]


def test_a_failed_item_ends_the_batch_or_is_left_out_where_that_is_said(program):
    items = '{"n": 1}\n{"n": -1}\n{"n": 3}\n'
    ended = program("run", "tools.py:double", "--each", "-", "--on-item-error", "fail", input=items)
    assert [line["item"] for line in lines(ended.stdout)] == [1, 2]
    assert ended.stderr.splitlines()[1] == "error: item 2: ValueError: it is negative"
    assert ended.stderr.splitlines()[2].startswith("1 item done; continue with: toolkit runs resume ")
    assert ended.returncode == 1
    left_out = program("run", "tools.py:double", "--each", "-", "--on-item-error", "skip", input=items)
    assert [line["item"] for line in lines(left_out.stdout)] == [1, 3]
    assert left_out.stderr.splitlines()[0] == "stdin:2: ValueError: it is negative"
    assert left_out.returncode == 0


def test_nothing_is_approved_by_being_in_a_batch(program):
    items = '{"path": "a1"}\n{"path": "b1"}\n'
    refused = program("run", "tools.py:wipe", "--each", "-", input=items)
    assert (refused.stdout, refused.returncode) == ("", 3)
    assert refused.stderr == (
        "error: 'wipe' needs approval (the tool is destructive), and there is no terminal to ask on\n"
        "hint: --approve wipe allows every call of 'wipe'\n"
    )
    some = program("run", "tools.py:wipe", "--each", "-", "--approve", "wipe(path=a*)", input=items)
    assert [(line.get("output"), line.get("error_code")) for line in lines(some.stdout)] == [
        ("wiped a1", None),
        (None, "rejected"),
    ]
    assert len(lines(program("run", "tools.py:wipe", "--each", "-", "--yes", input=items).stdout)) == 2


def test_a_question_names_the_item_and_may_be_answered_for_all_of_them(project):
    (project / "paths.txt").write_text("a\nb\nc\n", "utf-8")
    terminal = Terminal(project, "run", "tools.py:wipe", "--each", "paths.txt", "--out", "r.jsonl")
    terminal.answer("o")
    terminal.answer("t")
    assert terminal.end() == 0
    assert "item 2 · paths.txt" in terminal.seen
    assert [line["output"] for line in lines((project / "r.jsonl").read_text())] == ["wiped a", "wiped b", "wiped c"]


@pytest.mark.proof
def test_rejected_item_is_a_failure_and_stopping_the_run_ends_the_batch(project):
    (project / "paths.txt").write_text("a\nb\nc\n", "utf-8")
    terminal = Terminal(project, "run", "tools.py:wipe", "--each", "paths.txt", "--out", "r.jsonl")
    terminal.answer("r")
    terminal.expect("the reason")
    terminal.child.send("not this\r")
    terminal.answer("q")
    assert terminal.end() == 3
    [rejected] = lines((project / "r.jsonl").read_text())
    assert rejected["error_code"] == "rejected"


def test_a_terminal_shows_how_far_a_batch_is(project):
    (project / "items.jsonl").write_text(numbers(5), "utf-8")
    terminal = Terminal(project, "run", "tools.py:stuck", "--each", "items.jsonl", "--out", "r.jsonl")
    terminal.expect("at work")
    terminal.expect("60% · 2 items · ")
    terminal.child.send("\x03")
    terminal.expect("2 items · 2 succeeded · ")
    terminal.expect("error: interrupted")
    assert terminal.end() == 130


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_an_interrupted_batch_keeps_what_is_done(project, jobs):
    (project / "items.jsonl").write_text(numbers(5), "utf-8")
    words = ["run", "tools.py:stuck", "--each", "items.jsonl", "--jobs", jobs]
    with subprocess.Popen(
        [sys.executable, "-m", "toolkit_cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "80"},
        text=True,
    ) as batch:
        while "at work" not in batch.stderr.readline():
            pass
        batch.send_signal(signal.SIGINT)
        output, talk = batch.communicate()
    done = [line["item"] for line in lines(output)]
    assert done[:2] == [1, 2]
    assert 3 not in done
    assert talk.splitlines()[-2] == "error: interrupted"
    assert talk.splitlines()[-1].startswith(f"{len(done)} items done; continue with: toolkit runs resume ")
    assert batch.returncode == 130


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_a_result_is_written_before_the_next_item_arrives(project, jobs):
    words = ["run", "tools.py:shout", "--each", "lines:-", "--jobs", jobs, "--quiet"]
    with subprocess.Popen(
        [sys.executable, "-m", "toolkit_cli", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as batch:
        assert batch.stdin
        assert batch.stdout
        found = []
        for text in (b"one", b"two", b"three"):  # from the second one on, a result arrives soon after another
            batch.stdin.write(text + b"\n")
            assert select.select([batch.stdout], [], [], 60)[0], "the result is held back"
            found.append(json.loads(batch.stdout.readline())["output"])
        batch.stdin.close()
        assert found == ["ONE", "TWO", "THREE"]
    assert batch.returncode == 0


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_cell_can_be_long(project, program, suffix):
    separator = {"csv": ",", "tsv": "\t"}[suffix]
    long = "x" * 200_000
    (project / f"items.{suffix}").write_text(f"n{separator}note\n1{separator}{long}\n2{separator}short\n", "utf-8")
    finished = program("run", "tools.py:double", "--each", f"items.{suffix}")
    assert [line["output"]["note"] for line in lines(finished.stdout)] == [long, "short"]
    (project / f"items.{suffix}").write_text(f"n{separator}{long}\n1{separator}\n", "utf-8")
    finished = program("run", "tools.py:double", "--each", f"items.{suffix}")
    assert "cannot be read" not in finished.stderr


def test_secrets_of_items_are_in_no_result(program):
    items = '{"user": "ada", "password": "correct-horse-9"}\n'
    finished = program("run", "tools.py:login", "--each", "-", input=items)
    assert lines(finished.stdout) == [{"item": 1, "output": "ada logged in with **********"}]


def test_a_dry_run_checks_every_item_and_calls_nothing(program):
    finished = program("run", "tools.py:double", "--each", "-", "--dry-run", input='{"n": -1}\n{"n": "x"}\n{"k": 1}\n')
    assert finished.stdout == ""
    assert finished.stderr == (
        "stdin:2: Invalid parameter 'n': must be a whole number, not \"x\"\n"
        "stdin:3: double has no argument 'k' (it takes n, note, tags)\n"
        "3 items checked, 2 invalid; nothing was called\n"
    )
    assert finished.returncode == 1


@pytest.mark.proof(everyday=4)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--jobs", "2"], "error: --jobs works only with --each"),
        (
            ["--each", "items.json"],
            "error: 'items.json' is a single JSON document, but a batch reads one item per line",
        ),
        (["--each", "items.md"], "error: the format of 'items.md' is unknown;"),
        (["--each", "gone.jsonl"], "error: cannot read 'gone.jsonl': no such file or directory"),
        (["--each", "-"], "error: --each - reads items from stdin, and nothing is piped into it"),
        (["--each", "a.jsonl", "--format", "json"], "error: --each writes one line of JSON for each item"),
        (
            ["--each", "a.jsonl", "--input", "x"],
            "error: --input cannot be combined with --each: the items are the input",
        ),
        (
            ["--each", "a.jsonl", "--out", "a.jsonl"],
            "error: --out 'a.jsonl' would overwrite the file that --each reads",
        ),
        (["--each", "twice.csv"], "error: the first line names the column 'n' twice"),
        (["--each", "a.jsonl", "k=1"], "error: double has no argument 'k'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(project, program, words, message):
    (project / "a.jsonl").write_text('{"n": 1}\n', "utf-8")
    (project / "twice.csv").write_text("n,n\n1,2\n", "utf-8")
    finished = program("run", "tools.py:double", *words)
    shown = json.loads(finished.stderr)["problems"][0]["message"] if "json" in words else finished.stderr
    assert message.removeprefix("error: " if "json" in words else "") in shown
    assert (finished.stdout, finished.returncode) == ("", 2)


def test_parquet_is_read_row_by_row(project, program):
    rows = Table.from_pylist([{"n": 1, "note": "a"}, {"n": 2, "note": "b"}])
    parquet.write_table(rows, project / "items.parquet")
    finished = program("run", "tools.py:double", "--each", "items.parquet")
    assert [line["output"]["twice"] for line in lines(finished.stdout)] == [2, 4]


@pytest.mark.proof
def test_without_pyarrow_the_extra_is_named(project):
    (project / "items.parquet").write_bytes(b"")
    without = "import sys; sys.modules['pyarrow'] = None; from toolkit_cli.main import main; main()"
    command = [sys.executable, "-c", without, "run", "tools.py:double", "--each", "items.parquet"]
    finished = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert finished.stderr == (
        "error: reading Parquet needs 'toolkit-cli[parquet]', which is not installed\n"
        f"hint: {INSTALL} 'toolkit-cli[parquet]'\n"
    )


@needs_peaks
@pytest.mark.proof
def test_many_items_take_no_more_memory_than_a_thousand(project, figure):
    def peak(count):
        with (project / "items.jsonl").open("w") as file:
            file.writelines(f'{{"text": "item {n}"}}\n' for n in range(count))
        program = (
            f"{PEAK}\n"
            "import sys; from toolkit_cli.main import main\n"
            "try: main()\n"
            "finally: print(peak(), file=sys.stderr)\n"
        )
        words = ["run", "tools.py:shout", "--each", "items.jsonl", "--out", "results.jsonl", "--quiet", "--no-journal"]
        finished = subprocess.run(
            [sys.executable, "-c", program, *words],
            capture_output=True,
            text=True,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        with (project / "results.jsonl").open() as results:
            assert sum(1 for _ in results) == count
        return int(finished.stderr.split()[-1]) / 1024

    number = items_of(1_000_000)
    few, many = peak(1_000), peak(number)
    figure(f"peak memory of a batch: {few:.0f} MiB for 1,000 items, {many:.0f} MiB for {number:,}")
    assert many < few + 8
