"""What the fixtures for pytest return."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

from toolkit.approvals.decisions import Decision
from toolkit.cases.case import Answer, Case, Stub
from toolkit.cases.case_format import decision_in
from toolkit.cases.expectations import Happened, Made
from toolkit.cases.stubs import with_stubs
from toolkit.documents.nodes import Word
from toolkit.errors import InvalidTools, raise_errors
from toolkit.events import Event, ToolStarted
from toolkit.problems import Location
from toolkit.tools.base import Tool
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import Failure
from toolkit_cli.testing.case_runs import CaseRunner, ForeseenAnswers
from toolkit_cli.testing.process_exits import ProcessExit

_HERE = Location("")


class Reviewer(ForeseenAnswers):
    """Answers questions as a test has prepared it."""

    def answer(self, tool: str, *decisions: "Decision | str | Mapping[str, Any]") -> None:
        """Prepare the answers to the next questions about a tool.

        Args:
            tool: The name of the tool.
            *decisions: An answer for each question, as in a case file (`"approve"`, `{"reject": "too much"}`), or a
                decision.

        Raises:
            ValueError: If one of them is not an answer.
        """
        self.left += [
            Answer(Word(tool, _HERE), one if isinstance(one, Decision) else decision_in(one)) for one in decisions
        ]

    def check(self) -> None:
        """Fail the test if a question had no answer, or an answer had no question."""
        if self.unforeseen:
            pytest.fail(f"nobody foresaw the question about {self.unforeseen[0].risk.tool!r}", pytrace=False)
        if self.left:
            pytest.fail(f"the answer to {self.left[0].tool.text!r} was not needed", pytrace=False)


class ToolCalls(list[Made]):
    """The calls that were made, each with its `tool` and `arguments`; a listener for a context."""

    def __call__(self, event: Event) -> None:
        """Add a call that starts."""
        if isinstance(event, ToolStarted):
            self.append(Made(event.tool, event.arguments))

    @property
    def names(self) -> list[str]:
        """The names of the tools, in order."""
        return [one.tool for one in self]


class StubMaker(Protocol):
    """Returns a tool that calls stubs; see the fixture `stubs`."""

    def __call__(self, tool: Tool, /, **results: Any) -> Tool:
        """Return the tool with stubs."""


def stubbed(tool: Tool, /, **results: Any) -> Tool:
    """Return a tool that calls stubs instead of the tools with these names; a list has a result for each call.

    Raises:
        InvalidTools: If a stub does not fit.
    """
    found, problems = with_stubs(tool, _stubs(results))
    raise_errors(InvalidTools, problems)
    return found


def _stubs(results: Mapping[str, Any]) -> tuple[Stub, ...]:
    return tuple(
        Stub(Word(name, _HERE), tuple(one) if isinstance(one, list) else (one,), in_turn=isinstance(one, list))
        for name, one in results.items()
    )


class TargetRunner:
    """Runs targets for a test; see the fixture `run_target`."""

    def __init__(self, test: Path, reviewer: Reviewer, calls: ToolCalls) -> None:
        """Create the runner for the test in a file."""
        self._place = Location(str(test), 1, 1)
        self._reviewer = reviewer
        self._calls = calls

    def __call__(self, target: str, arguments: "Mapping[str, Any] | str | None" = None, /, **stubs: Any) -> Happened:
        """Run a target, and return what happened.

        Args:
            target: What is run, as in `toolkit run`.
            arguments: The arguments; a text for a tool with one parameter.
            **stubs: The results of tools that are not called.
        """
        case = Case(
            Word(target, self._place),
            Word(target, self._place),
            self._place,
            0,
            arguments=dict(arguments) if isinstance(arguments, Mapping) else arguments,
            stubs=_stubs(stubs),
        )
        try:
            happened = CaseRunner(load_configuration()).happened(case, answers=self._reviewer)
        except (Failure, ProcessExit) as failure:
            pytest.fail(str(failure), pytrace=False)
        self._calls += happened.calls
        return happened
