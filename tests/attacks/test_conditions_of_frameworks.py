"""Conditions of other frameworks that decide which calls need approval.

A condition can depend on earlier calls, raise, be async, or return something other than a bool. What it answers for one
call, or at another time, is no approval.
"""

import json
from pathlib import Path

import pytest

from tests.frameworks.conftest import environment  # noqa: F401 - a fixture

pytestmark = pytest.mark.proof

SCRIPT = Path(__file__).parent / "cases/framework_conditions.py"


@pytest.mark.parametrize(
    ("framework", "name"), [("pydantic_ai", "agents"), ("openai_agents", "agents"), ("google_adk", "others")]
)
def test_condition_decides_once_about_one_call(framework, name, environment, attacks, tmp_path):  # noqa: F811
    done = environment(name).run(SCRIPT, framework, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for one in json.loads(done.stdout):
        attacks.count(one["description"], held=one["held"])


@pytest.mark.parametrize(
    ("framework", "name"),
    [("langchain", "agents"), ("haystack", "others"), ("google_adk", "others"), ("crewai", "crewai")],
)
def test_agents_of_frameworks_ask_and_block_as_before(framework, name, environment, attacks, tmp_path):  # noqa: F811
    done = environment(name).run(SCRIPT.with_name("framework_guards.py"), framework, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for one in json.loads(done.stdout[done.stdout.index("[{") :]):
        attacks.count(one["description"], held=one["held"])
