"""Asks on the terminal whether a command may go on, after it has shown what it would change."""

import sys

from toolkit.running import run_in_loop
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure

_YES = ("y", "yes")


def confirm(question: str, *, hint: str) -> None:
    """Ask a yes-or-no question; everything but a typed yes means no, also Enter, pasted text and the end of input.

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
        answer = run_in_loop(Prompter.open(sys.stderr).typed_line(f"{question} (y/N)"))
    except EOFError:
        answer = None
    if answer is None or not any(map(answer.decides_for, _YES)):
        raise Failure(ExitCode.APPROVAL, "nothing was changed")
