"""Answer sources: how the questions of a run are answered: by flags beforehand, by a person, or by nobody."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import AllowAll, Allowance, Allowances, Policy
from toolkit.approvals.requests import DEFAULT_TIMEOUT
from toolkit.approvals.reviewers import RefusingReviewer, Reviewer
from toolkit.tools.base import Tool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.clearance import problem_of, questions_of

if TYPE_CHECKING:
    from toolkit_cli.running.clearance import ForeseenCall
    from toolkit_cli.screen import Screen

_NO_TERMINAL = "there is no terminal to ask on"
_NO_INPUT = "--no-input forbids asking"


class Answers(NamedTuple):
    """What the flags say about questions.

    Attributes:
        yes: Every question is answered with yes.
        no_input: Nobody is asked.
        approve: The rules of `--approve`, as they were written.
    """

    yes: bool = False
    no_input: bool = False
    approve: Sequence[str] = ()

    @property
    def may_ask(self) -> bool:
        """Whether a person can be asked."""
        return not self.no_input and console.can_ask()

    @property
    def why_not(self) -> str:
        """Why nobody can be asked, where nobody can."""
        return _NO_INPUT if self.no_input else _NO_TERMINAL

    @property
    def rules(self) -> list[Allowance]:
        """The rules of `--approve`.

        Raises:
            Failure: If one cannot be read.
        """
        return [_rule(text) for text in self.approve]

    def may_allow(self, foreseen: "ForeseenCall") -> bool:
        """Return whether a rule may turn out to allow a call whose arguments are computed later."""
        asks = foreseen.verdict.action == "ask"
        return asks and any(rule.may_cover(foreseen.call, foreseen.unknown) for rule in self.rules)

    def policy(self) -> Policy | None:
        """Return the policy that the flags make, or `None` for the usual one.

        Raises:
            Failure: If a rule is none.
        """
        policy: Policy | None = None
        if self.approve:
            policy = Allowances(self.rules)
        return AllowAll("--yes", policy) if self.yes else policy


def _rule(text: str) -> Allowance:
    try:
        return Allowance.parse(text)
    except ValueError as error:
        raise Failure(ExitCode.USAGE, f"--approve: {error}") from error


def make_gate(answers: Answers, screen: "Screen", timeout: float | None) -> Gate:
    """Return the gate of a run, with a person behind it if there is one to ask."""
    reviewer: Reviewer
    if answers.may_ask:
        from toolkit_cli.reviewing.reviewer import ConsoleReviewer  # noqa: PLC0415 - only where somebody can be asked

        reviewer = ConsoleReviewer(screen)
    else:
        reviewer = RefusingReviewer(answers.why_not)
    return Gate(reviewer, answers.policy(), timeout=DEFAULT_TIMEOUT if timeout is None else timeout)


def refuse_what_nobody_can_answer(tool: Tool, arguments: Mapping[str, Any], gate: Gate, answers: Answers) -> None:
    """End here, before any work, if something would have to be asked and nobody can be.

    Raises:
        Failure: Naming every question and the flag that would answer it.
    """
    refuse_hopeless(questions_of(tool, arguments, gate), answers)


def refuse_hopeless(calls: "Sequence[ForeseenCall]", answers: Answers) -> None:
    """End here if one of the calls is denied, or would have to be asked about and nobody can be.

    Raises:
        Failure: Naming every question and the flag that would answer it.
    """
    questions = [call for call in calls if call.verdict.action != "allow"]
    denied = [question for question in questions if question.verdict.action == "deny"]
    hopeless = denied if answers.may_ask else [each for each in questions if not answers.may_allow(each)]
    if hopeless:
        problems = [problem_of(question, answers.why_not) for question in hopeless]
        raise Failure(ExitCode.APPROVAL, problems=problems)
