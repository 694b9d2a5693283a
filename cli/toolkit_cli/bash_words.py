"""Completion in bash, which splits `file.py:name` and `name=value` into several words.

The words are joined again before completion. Bash then replaces only what follows the last `:` or `=`, so the
completions leave out everything before it.
"""

import os
from collections.abc import Sequence

from typer._click.shell_completion import CompletionItem, add_completion_class, split_arg_string
from typer._completion_classes import BashComplete

_SIGNS = (":", "=", ":=")


class _Bash(BashComplete):
    _replaced = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        words = split_arg_string(os.environ["COMP_WORDS"])
        place = int(os.environ["COMP_CWORD"])
        arguments, begun = words[1:place], words[place] if place < len(words) else ""
        if arguments and (begun in _SIGNS or (begun and arguments[-1] in _SIGNS)):
            *arguments, begun = joined([*arguments, begun])
            self._replaced = begun[: max(begun.rfind(sign) for sign in ":=") + 1]
        return joined(arguments), begun

    def format_completion(self, item: CompletionItem) -> str:
        return str(super().format_completion(item)).removeprefix(self._replaced)


def joined(words: Sequence[str]) -> list[str]:
    """Join words that bash has split at `:` or `=`."""
    typed: list[str] = []
    is_open = False
    for word in words:
        if typed and (is_open or word in _SIGNS):
            typed[-1] += word
        else:
            typed.append(word)
        is_open = word in _SIGNS
    return typed


def complete_in_bash() -> None:
    """Use this completion for bash."""
    add_completion_class(_Bash, "bash")
