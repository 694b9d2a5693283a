"""The plugin for pytest: collects case files as tests, and has fixtures for tests of tools.

pytest loads this module at every start, so it imports nothing until a case file is collected or a fixture is used.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from toolkit.agents.models.scripted import ScriptedModel
    from toolkit_cli.testing.case_fixtures import Reviewer, StubMaker, TargetRunner, ToolCalls
    from toolkit_cli.testing.case_items import CaseModule

_SUFFIXES = (".cases.yaml", ".cases.yml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting that turns off the collection of case files."""
    parser.addini("toolkit_cases", "Whether files named *.cases.yaml are collected.", type="bool", default=True)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "CaseModule | None":
    """Collect a case file."""
    if not file_path.name.endswith(_SUFFIXES) or not parent.config.getini("toolkit_cases"):
        return None
    from toolkit.sources.targets import has_cases
    from toolkit_cli.testing.case_items import CaseModule

    if not has_cases(file_path):
        return None
    return CaseModule.from_parent(parent, path=file_path)


@pytest.fixture
def reviewer() -> "Iterator[Reviewer]":
    """A reviewer with prepared answers: `reviewer.answer("refund", "approve")`, then `ToolContext(reviewer=reviewer)`.

    A question that nobody foresaw, or an answer that was not needed, fails the test.
    """
    from toolkit_cli.testing.case_fixtures import Reviewer

    made = Reviewer()
    yield made
    made.check()


@pytest.fixture
def tool_calls() -> "ToolCalls":
    """The calls that were made, as a list; it is a listener, too: `ToolContext(listener=tool_calls)`."""
    from toolkit_cli.testing.case_fixtures import ToolCalls

    return ToolCalls()


@pytest.fixture
def stubs() -> "StubMaker":
    """Replaces tools by stubs: `stubs(pipeline, mail="sent")` returns a pipeline that never calls `mail`."""
    from toolkit_cli.testing.case_fixtures import stubbed

    return stubbed


@pytest.fixture
def scripted_model() -> "type[ScriptedModel]":
    """Makes a model with prepared replies: `scripted_model(["It cost 80 euros."])`."""
    from toolkit.agents.models.scripted import ScriptedModel

    return ScriptedModel


@pytest.fixture
def run_target(request: pytest.FixtureRequest, reviewer: "Reviewer", tool_calls: "ToolCalls") -> "TargetRunner":
    """Runs what `toolkit run` runs, and returns what happened: `run_target("refunds.yaml", {…}, mail="sent")`.

    Paths are relative to the folder of the test. `reviewer` answers questions, and `tool_calls` receives the calls.
    """
    from toolkit_cli.testing.case_fixtures import TargetRunner

    return TargetRunner(request.path, reviewer, tool_calls)
