"""Answer sources: how the questions of a run are answered: by flags beforehand, by a person, or by nobody."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import AllowAll, Policy
from toolkit.approvals.requests import DEFAULT_TIMEOUT
from toolkit.approvals.reviewers import RefusingReviewer, Reviewer
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.tools.base import Tool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.clearance import problem_of, questions_of

if TYPE_CHECKING:
    from toolkit.approvals.allowances import Allowance
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.sources.configuration import Configuration
    from toolkit.webhooks.setting_keys import WebhookSettings
    from toolkit_cli.options import AskingOptions
    from toolkit_cli.reviewing.rule_books import RuleBook
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
        files: The policy of the files; `None` where there is none.
        webhook: Who is asked where there is no terminal; `None` where nobody is.
        waits: Whether questions about calls of a run that is kept wait for answers that come later.
        book: Where a person may write rules at a question; `None` where they cannot.
    """

    yes: bool = False
    no_input: bool = False
    approve: Sequence[str] = ()
    files: Policy | None = None
    webhook: "WebhookSettings | None" = None
    book: "RuleBook | None" = None
    waits: bool = False

    @classmethod
    def of_options(cls, asking: "AskingOptions") -> "Answers":
        return cls(asking.yes, asking.no_input, asking.approve or ())

    def under(self, configuration: "Configuration", targets: Sequence[str]) -> "Answers":
        """Return the same under the policy of a project and its user, which a person may add rules to.

        Args:
            configuration: What the user and the project say.
            targets: What the user has named on the command line.

        Raises:
            ConfigurationError: With everything that is wrong in the policy files.
        """
        answers = self._replace(files=policy_of_files(configuration, targets), webhook=configuration.webhook)
        if not self.may_ask:
            return answers
        from toolkit_cli.reviewing.rule_books import RuleBook  # noqa: PLC0415 - only where somebody can be asked

        return answers._replace(book=RuleBook(configuration, targets))

    @property
    def may_ask(self) -> bool:
        """Whether a person can be asked."""
        return not self.no_input and console.can_ask()

    @property
    def asks_elsewhere(self) -> bool:
        """Whether a webhook is asked, since nobody at a terminal can be."""
        return self.webhook is not None and not self.no_input and not console.can_ask()

    @property
    def why_not(self) -> str:
        """Why nobody can be asked, where nobody can."""
        return _NO_INPUT if self.no_input else _NO_TERMINAL

    @property
    def rules(self) -> "list[Allowance]":
        """The rules of `--approve`.

        Raises:
            Failure: If one cannot be read.
        """
        return [_rule(text) for text in self.approve]

    def policy(self) -> Policy | None:
        """Return the policy that the files and the flags make, or `None` for the usual one.

        Raises:
            Failure: If a rule is invalid.
        """
        policy = self.files
        if self.approve:
            from toolkit.approvals.allowances import Allowances  # noqa: PLC0415 - few runs have rules

            policy = Allowances(self.rules, policy)
        return AllowAll("--yes", policy) if self.yes else policy


def _rule(text: str) -> "Allowance":
    from toolkit.approvals.allowances import Allowance  # noqa: PLC0415 - few runs have rules

    try:
        return Allowance.parse(text)
    except ValueError as error:
        raise Failure(ExitCode.USAGE, f"--approve: {error}") from error


def policy_of_files(configuration: "Configuration", targets: Sequence[str] = ()) -> "FilePolicy | None":
    """Return the policy that the files of the user and the project make; `None` where there are none.

    Args:
        configuration: What the user and the project say.
        targets: What the user has named on the command line.

    Raises:
        ConfigurationError: With everything that is wrong in them: what cannot be read lets no call run.
    """
    if not configuration.has_policy:
        return None
    from toolkit.sources.policies import configured_policy  # noqa: PLC0415 - most projects have no rules

    policy, problems = configured_policy(configuration, targets)
    raise_errors(ConfigurationError, problems)
    return policy


def waits_for_answers(on_approval: str, asking: "AskingOptions", journal: bool | None) -> bool:  # noqa: FBT001 - as it was typed
    """Return whether questions wait for answers that come later.

    Args:
        on_approval: The option: `ask` or `wait`.
        asking: The other options of questions.
        journal: Whether a journal keeps them, if set.

    Raises:
        Failure: If they cannot wait, or must not.
    """
    if on_approval != "wait":
        return False
    if asking.no_input:
        raise Failure(ExitCode.USAGE, "--no-input refuses every question, and --on-approval wait keeps it open")
    if journal is False:
        hint = "leave out --no-journal"
        raise Failure(ExitCode.USAGE, "--on-approval wait needs a journal, which keeps the question", hint=hint)
    return True


def make_gate(answers: Answers, screen: "Screen", timeout: float | None) -> Gate:
    """Return the gate of a run, with a person behind it if there is one to ask."""
    reviewer: Reviewer
    if answers.may_ask:
        from toolkit_cli.reviewing.reviewer import ConsoleReviewer  # noqa: PLC0415 - only where somebody can be asked

        reviewer = ConsoleReviewer(screen, answers.book)
    elif answers.asks_elsewhere and answers.webhook is not None:
        reviewer = answers.webhook.reviewer()
    else:
        reviewer = RefusingReviewer(answers.why_not)
    if answers.waits:
        from toolkit.approvals.waiting import WaitingReviewer  # noqa: PLC0415 - few runs wait

        reviewer = WaitingReviewer(reviewer)
    gate = Gate(reviewer, answers.policy(), timeout=DEFAULT_TIMEOUT if timeout is None else timeout)
    if answers.book is not None:
        answers.book.listener = lambda files: _follow(gate, answers._replace(files=files))
    return gate


def _follow(gate: Gate, answers: Answers) -> None:
    """Let a gate judge by what the files say now."""
    gate.policy = answers.policy() or gate.policy


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
    denied = [each for each in questions if each.verdict.action == "deny" and not each.verdict.may_be_allowed]
    hopeless = (
        denied
        if answers.may_ask or answers.asks_elsewhere or answers.waits
        else [each for each in questions if not each.verdict.may_be_allowed]
    )
    if hopeless:
        problems = [problem_of(question, answers.why_not) for question in hopeless]
        raise Failure(ExitCode.APPROVAL, problems=problems)
