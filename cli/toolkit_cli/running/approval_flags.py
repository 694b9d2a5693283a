"""Suggests the flag `--approve` that allows one call and no other; a flag that allows more is described as such."""

import json
from collections.abc import Sequence
from glob import escape
from shlex import quote
from typing import Any, NamedTuple

from toolkit.approvals.allowances import Allowance
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.rule_offers import declared_type, exact_arguments
from toolkit.json_texts import json_text
from toolkit_cli import console
from toolkit_cli.rendering.styles import is_plain

_LONGEST_VALUE = 80
_BACKSLASH = "\\"
_SCALARS = (bool, int, float)


class Flag(NamedTuple):
    """A rule for `--approve`.

    Attributes:
        text: The rule.
        tool: The name of the tool.
        open: What calls that the flag allows can differ in, in words; empty if it allows exactly one call.
        wider: A rule that allows every call, if a model chose this one, and the tool is not marked as dangerous; its
            next call will have other arguments.
    """

    text: str
    tool: str
    open: str
    wider: str = ""

    def advice(self, verb: str) -> str:
        """Return how to use the flag, and what else it allows.

        Args:
            verb: The words before an exact flag, such as `allow it with`.
        """
        option = f"--approve {quote(self.text)}"
        advice = f"{option} {self.open}" if self.open else f"{verb} {option}"
        return f"{advice}, or every call of the tool with --approve {quote(self.wider)}" if self.wider else advice


def flag_for(call: DescribedCall) -> Flag | None:
    """Return the narrowest flag that allows a call, based on its known arguments; `None` if none can name the tool."""
    tool = escape(call.risk.tool)
    exact = exact_arguments(call)
    pairs = {name: pair for name, value in exact.values.items() if (pair := _pair(name, value, tool, call)) is not None}
    text = f"{tool}({', '.join(pairs.values())})" if pairs else tool
    if not (_covers(text, call) and _is_shown_whole(text)):
        text = tool
    if not (_covers(text, call) and _is_shown_whole(text)):
        return None
    left = (*(name for name in exact.values if name not in pairs), *exact.missing)
    if text == tool and (left or exact.may_be_more):
        return Flag(text, tool, f"allows every call of '{call.risk.tool}'")
    return Flag(text, tool, _open_words(left, may_be_more=exact.may_be_more), _wider(text, tool, call))


def _wider(text: str, tool: str, call: DescribedCall) -> str:
    is_harmless = not call.risk.destructive and not call.risk.requires_approval
    offers = text != tool and is_harmless and call.chosen_by == "model"
    return tool if offers and _covers(tool, call) and _is_shown_whole(tool) else ""


def _open_words(left: Sequence[str], *, may_be_more: bool) -> str:
    if not left:
        return "allows it, and such calls with more arguments" if may_be_more else ""
    names = [f"'{name}'" for name in dict.fromkeys(left)]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"allows it, whatever {listed} {'is' if len(names) == 1 else 'are'}"


def _pair(name: str, value: Any, tool: str, call: DescribedCall) -> str | None:
    """Return a pattern that only this value matches, and that can be copied from a screen, or `None`."""
    if not name.isidentifier() or console.redactor().data(value) is not value:  # a pattern may hide a secret
        return None
    text = value if isinstance(value, str) else json_text(value)
    plain = f"{name}={escape(text).replace(_BACKSLASH, f'[{_BACKSLASH}]')}"
    exact = f"{name}:={json_text(value)}"
    for pair in [plain, exact] if _is_clear(name, value, call) else [exact]:
        if len(pair) <= len(name) + _LONGEST_VALUE and _is_shown_whole(pair) and _reads_as(pair, tool, call):
            return pair
    return None


def _is_shown_whole(text: str) -> bool:
    """Return whether a text is shown without escapes and masks, either of which would change what the flag allows."""
    return is_plain(text) and console.redactor().text(text) == text


def _is_clear(name: str, value: Any, call: DescribedCall) -> bool:
    """Return whether the text of a value stands for no other value that the parameter accepts."""
    if isinstance(value, str):
        return declared_type(name, call) == "string" or not _is_json(value)
    return isinstance(value, _SCALARS) and declared_type(name, call) in {"integer", "number", "boolean"}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _reads_as(pair: str, tool: str, call: DescribedCall) -> bool:
    """Return whether a pair is read as one pair, also between others, and matches the argument of the call."""
    try:
        return len(Allowance.parse(f"{tool}(a=, {pair}, b=)").arguments) == 3 and _covers(f"{tool}({pair})", call)  # noqa: PLR2004
    except ValueError:
        return False


def _covers(text: str, call: DescribedCall) -> bool:
    try:
        return Allowance.parse(text).covers(call)
    except ValueError:
        return False
