"""Many files are checked in several processes, with the same reports as in one, and none is lost."""

import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from threading import Timer

import pytest

from toolkit.codes import DOES_NOT_IMPORT
from toolkit.lint import Limits
from toolkit.lint.configuration.settings import LintSettings  # private
from toolkit.lint.engine.caching import Cache  # private
from toolkit.lint.engine.checked_files import (  # private
    Instructions,  # private
    Judge,
    JudgePool,
    Task,
    useful_processes,
)
from toolkit.lint.engine.inspecting import Inspection  # private
from toolkit.lint.engine.reports import definition_record  # private
from toolkit.lint.engine.requests import Request, make_requests  # private
from toolkit.lint.rule import RuleSettings  # private
from toolkit.lint.rules import codes  # private
from toolkit.settings import Configuration

RULES = Path(__file__).parent / "rules"


def test_few_files_are_checked_in_this_process():
    assert useful_processes(1) == 0


@pytest.mark.proof
@pytest.mark.parametrize("is_static", [True, False])
def test_number_of_processes_changes_nothing_in_the_reports(tmp_path, monkeypatch, is_static):
    monkeypatch.chdir(shutil.copytree(RULES, tmp_path / "rules"))

    alone = reports_of(["."], is_static=is_static, processes=0)

    assert len(alone) >= 200
    assert reports_of(["."], is_static=is_static, processes=1) == alone
    assert reports_of(["."], is_static=is_static, processes=3) == alone


@pytest.mark.proof
def test_file_whose_process_ends_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(5):
        Path(f"tools_{number}.py").write_text("from toolkit import tool\n", "utf-8")

    found = inspection(is_static=True, processes=2, limits=Limits(memory=1)).reports(
        make_requests(["."], Path()).requests
    )

    assert [[problem.code for problem in report.problems] for report in found] == [[DOES_NOT_IMPORT]] * 5
    assert [str(report.problems[0].location) for report in found] == [
        str(tmp_path / f"tools_{number}.py") for number in range(5)
    ]


@pytest.mark.proof
def test_file_that_ends_its_process_hides_no_other_of_the_same_request(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(5):
        Path(f"tools_{number}.py").write_text("from toolkit import tool\n\n\n@tool\ndef send(): ...\n", "utf-8")
    endless = {"name": "endless", "parameters": {"properties": {"one": {"enum": list(range(1_500_000))}}}}
    Path("tools_2.json").write_text(json.dumps([endless]), "utf-8")

    found = inspection(is_static=True, processes=1, limits=Limits(seconds=3, grace=60)).reports(
        make_requests(["tools_2.json", "."], Path()).requests
    )

    given_up = [report.problems[0].message for report in found if report.problems[0].code == DOES_NOT_IMPORT]
    assert given_up == ["'tools_2.json' was not checked: checking it takes longer than 3 s"]
    assert [tool.name for report in found for tool in report.tools] == ["send"] * 5


@pytest.mark.proof
def test_time_that_other_programs_take_does_not_count(tmp_path):
    (tmp_path / "tools.json").write_text('[{"name": "send", "description": "Send it."}]', "utf-8")
    request = Request("tools.json", "", str(tmp_path / "tools.json"))
    with Judge(Instructions.of(codes(), RuleSettings(), Limits(seconds=1, grace=0))) as judge:
        process = judge.start()._process.pid  # private
        os.kill(process, signal.SIGSTOP)
        Timer(2, os.kill, (process, signal.SIGCONT)).start()
        [report] = judge.reports([Task(request, None)])
    assert [tool.name for tool in report.tools] == ["send"]


@pytest.mark.proof
def test_pool_that_is_left_early_leaves_nothing_running(tmp_path):
    (tmp_path / "tools.py").write_text("from toolkit import tool\n", "utf-8")
    [request] = make_requests([str(tmp_path / "tools.py")], Path()).requests
    instructions = Instructions.of(codes(), RuleSettings(), Limits())

    with JudgePool(instructions, 2) as pool:
        for _ in range(100):
            pool.give(Task(request, None))

    assert not any(member.is_alive() for member in pool._members)


def inspection(*, is_static, processes, limits=Limits()):  # noqa: B008 - a tuple never changes
    settings = LintSettings(is_static=is_static)
    return Inspection(codes, Configuration(), settings, limits, Cache(None), "user", processes)


def reports_of(targets, *, is_static, processes):
    """Return all that is reported, without the numbers by which one process knows its objects."""
    requests = make_requests(targets, Path()).requests
    found = inspection(is_static=is_static, processes=processes).reports(requests)
    return [
        report._replace(tools=[definition_record(without_objects(tool)) for tool in report.tools]) for report in found
    ]


def without_objects(tool):
    return replace(tool, identity=frozenset(key for key in tool.identity if key[0] != "object"))
