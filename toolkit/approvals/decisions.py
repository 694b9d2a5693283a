"""The possible decisions of a reviewer.

Only `Continue` and `Edit` let a call run. Any other return value of a reviewer, including `None`, does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolkit.errors import ExitEarlyError


@dataclass(frozen=True, slots=True)
class Continue:
    """Run the call as it was shown.

    Attributes:
        same_again: Do not ask again in this run about the same tool with the same arguments.
        whole_step: Do not ask again in this run about any call of this tool in this step, whatever its arguments. Has
            an effect only if the request has a `step_digest`.
        always: Do not ask again in any run. Has an effect only if the request has `may_be_remembered`.
        rule: The rule that the reviewer wrote so that such calls need no question in the future; for the record.
        by: The person who decided, if not the one who runs the program; for the record.
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
        arguments: All new arguments; for a tool that takes one text, the text is enough.
        by: The person who decided, if not the one who runs the program; for the record.
    """

    arguments: Mapping[str, Any] | str
    by: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Reject:
    """Reject this call; its caller receives the reason and can continue.

    Attributes:
        reason: The reason for the rejection.
        by: The person who decided, if not the one who runs the program; for the record.
    """

    reason: str = ""
    by: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class ExitEarly:
    """End the whole run, keeping the results so far.

    Attributes:
        reason: The reason for ending the run.
        timed_out: Whether the reason is a timeout rather than an answer.
        interrupted: Whether the reason is an interruption, such as Ctrl-C, rather than an answer.
    """

    reason: str = ""
    timed_out: bool = False
    interrupted: bool = False

    def signal(self) -> ExitEarlyError:
        """Return the exception that ends the run."""
        reason = self.reason or "The reviewer ended the run"
        return ExitEarlyError(reason, timed_out=self.timed_out, interrupted=self.interrupted)


Decision = Continue | Edit | Reject | ExitEarly
"""The decision of a reviewer."""
