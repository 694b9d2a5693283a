"""What a finding is worth: the bench asks models about tools before and after its fix."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chat_server import ChatServer
from toolkit import ToolCall
from toolkit.agents import ModelReply, ScriptedModel, Usage

ROOT = Path(__file__).parents[2]
FINDINGS = ROOT / "bench" / "findings"
LITERAL = r"""
import json
import re

from toolkit import ToolCall


def reply(messages, tools):
    asked, schema = messages[-1].text, tools[0].parameters["properties"]
    if "Thank" in asked:
        return "You are welcome."
    if tools[0].name == "set_delivery":
        speed = "standard" if "enum" in schema["speed"] else "usual"
        return ToolCall("set_delivery", json.dumps({"order": "A-17", "speed": speed, "slot": 2}))
    is_archived = "archive" in tools[1].description and re.search("broken|received|delivered", asked)
    name = "search_orders" if is_archived else "find_orders"
    return ToolCall(name, json.dumps({"customer": re.search(r"C-\d+", asked)[0]}))
"""
TABLE = """\
| finding | model | before | after | change | 95% |
| --- | --- | --- | --- | --- | --- |
| TK206 | scripted:model.py | 8/14 | 14/14 | +43% | +12% to +67% |
| TK325 | scripted:model.py | 0/10 | 2/10 | +20% | -11% to +51% |
"""


@pytest.fixture
def bench(tmp_path):
    """Run the bench on a copy of the findings, and return the exit code, the table, and what could not be judged."""
    shutil.copytree(FINDINGS, tmp_path / "findings")
    (tmp_path / "model.py").write_text(LITERAL, "utf-8")

    def run(*words):
        folders = sorted(map(str, (tmp_path / "findings").iterdir()))
        command = [sys.executable, "-m", "bench.finding_values", *folders, *words]
        paths = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "TOOLKIT_MODEL_KEY": "test"}
        finished = subprocess.run(command, cwd=tmp_path, env=paths, capture_output=True, encoding="utf-8", check=False)
        return finished.returncode, finished.stdout, finished.stderr

    return run


@pytest.mark.parametrize("code", sorted(one.name for one in FINDINGS.iterdir()))
def test_only_the_tools_before_the_fix_have_the_finding(program, code):
    found = {}
    for side in ("before", "after"):
        finished = program("lint", str(FINDINGS / code / side), "--profile", "all", "--format", "concise")
        found[side] = {line.partition("[")[2].partition("]")[0] for line in finished.stdout.splitlines()[:-1]}
    assert found == {"before": {code}, "after": set()}


def test_a_table_says_how_a_model_does_before_and_after_each_fix(bench):
    assert bench("--model", "scripted:model.py", "--repeat", "2") == (0, TABLE, "")


@pytest.mark.proof
def test_both_sides_are_recorded_in_one_cassette_and_what_is_missing_is_named(bench, tmp_path):
    def reply(messages, tools):
        return ModelReply("", (ToolCall(tools[0].name, "{}"),), Usage(10, 5))

    shutil.rmtree(tmp_path / "findings" / "TK206")
    with ChatServer.of_model(ScriptedModel(reply)) as server:
        words = ("--model", "chat:m", "--base-url", server.url, "--record")
        recorded, again = bench(*words), bench(*words)
        assert len(server.asked) == 10
    replayed, unrecorded = bench("--model", "chat:m"), bench("--model", "chat:other")
    row = "| TK325 | chat:m | 0/5 | 0/5 | +0% | -43% to +43% |\n"
    assert recorded == again == replayed == (0, "".join(TABLE.splitlines(keepends=True)[:2]) + row, "")
    code, table, names = unrecorded
    assert (code, table) == (2, "".join(TABLE.splitlines(keepends=True)[:2]))
    assert len(names.splitlines()) == 10
    assert names.splitlines()[0] == (
        "TK325: before: as usual: no reply of 'chat:other' to this request is recorded, only replies of chat:m"
    )
