"""Decisions: what a reviewer may answer.

Only `Continue` and `Edit` let a call run. Anything else a reviewer returns, `None` included, never does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolkit.errors import ExitEarlyError


@dataclass(frozen=True, slots=True)
class Continue:
    """Run the call as it was shown.

    Attributes:
        same_again: Do not ask again in this run for this very call: the same tool with the same arguments.
        whole_step: Do not ask again in this run about any call of this tool in this step, whatever its arguments; only
            a request with a `step_digest` takes it so.
        always: Do not ask again at all; only a request that can be remembered takes it so.
        rule: The rule that the reviewer has written, so that nobody is asked again; for the record.
        by: Who decided, where that was not the person who runs the program; for the record.
    """

    same_again: bool = False
    whole_step: bool = field(default=False, kw_only=True)
    always: bool = False
    rule: str = field(default="", kw_only=True)
    by: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Edit:
    """Run the call with other arguments, which are validated again.

    Attributes:
        arguments: The whole new arguments; for a tool that takes one text, the text will do.
        by: Who decided, where that was not the person who runs the program; for the record.
    """

    arguments: Mapping[str, Any] | str
    by: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Reject:
    """Fail this call; its caller receives the reason and may continue.

    Attributes:
        reason: Why.
        by: Who decided, where that was not the person who runs the program; for the record.
    """

    reason: str = ""
    by: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class ExitEarly:
    """End the whole run, with what was done so far.

    Attributes:
        reason: Why.
        timed_out: Whether it was the clock, and no answer.
        interrupted: Whether it was an interruption, such as Ctrl-C, and no answer.
    """

    reason: str = ""
    timed_out: bool = False
    interrupted: bool = False

    def signal(self) -> ExitEarlyError:
        """Return what ends the run."""
        reason = self.reason or "The reviewer ended the run"
        return ExitEarlyError(reason, timed_out=self.timed_out, interrupted=self.interrupted)


Decision = Continue | Edit | Reject | ExitEarly
"""The answer of a reviewer."""
