"""Asks on the terminal whether a command may go on, after it has shown what it would change."""

import sys

from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure


def confirm(question: str, *, hint: str) -> None:
    """Ask a yes-or-no question; Enter and the end of input mean no.

    Args:
        question: The question.
        hint: How to give the answer without a terminal.

    Raises:
        Failure: If the answer is no, or if there is no terminal to ask on.
    """
    if not console.can_ask():
        raise Failure(ExitCode.APPROVAL, "nothing was changed: there is no terminal to ask on", hint=hint)
    from toolkit_cli.prompting import Prompter  # few commands ask

    try:
        is_confirmed = Prompter.open(sys.stderr).confirmation_now(question)
    except EOFError:
        is_confirmed = False
    if not is_confirmed:
        raise Failure(ExitCode.APPROVAL, "nothing was changed")
