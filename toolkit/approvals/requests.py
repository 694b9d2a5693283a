"""Review requests: everything that a reviewer is shown, and the proof of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolkit.approvals.pending import Binding
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.risks import Risk

OnTimeout = Literal["reject", "exit_early", "raise", "continue"]
"""What an unanswered question does; `continue` is for questions that guard nothing, as `human_input` asks."""

DEFAULT_TIMEOUT = 300.0
"""Seconds that a question waits for its answer, by default."""


def _nothing_to_say(_: Mapping[str, Any] | str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """One question to a reviewer.

    Attributes:
        text: What is asked, in one or a few lines.
        risk: The tool that would run, and its marks.
        arguments: The whole arguments as plain JSON data; what is shown is what runs.
        defaults: The values of the arguments that the call omits; some may be among `arguments` too.
        uses: What the call uses besides its arguments, by label, such as a folder, a command or an address.
        asked_by: The mark, step or rule that wants the question.
        place: Where in a run it arises, such as `step 3/5 · pipeline report`.
        preview: What the call would do, such as a unified diff, if the tool has one. A `Preview` also knows the state
            that it was worked out from.
        show: More to show, as plain data; a step's `approve` may name it.
        timeout: Seconds to wait for the answer; `None` waits forever.
        on_timeout: What happens when the time is over.
        answer_is_text: The reviewer's own words are wanted (as `Edit`), not approval to run something.
        form: A JSON Schema of what is to be filled in, where no call is asked about; the answer is an `Edit`.
        editable: Whether the arguments may be edited.
        may_be_remembered: Whether approval can be given permanently.
        call: The call as a policy judges it, without secrets; `None` where no rule could answer the question.
        digest: A digest of the tool and of all that was sent to it: two calls that a reviewer sees alike may differ in
            what is not shown, such as a password, or in the tool behind a name. A question without one is bound to no
            call, so no answer to it holds for another.
        step_digest: A digest of the tool and of the step that calls it for one item after another; empty where there is
            no such step. An answer may hold for all calls of this tool in this step, whatever their arguments.
        binding: What binds an answer to the call that comes later; `None` where the call cannot wait for one.
        may_be_alike: Whether the answer may be one for all questions of its step that are alike.
        objection: Returns why edited arguments would be refused, or `None` if they are valid.
        preview_of: Returns what the call would do with edited arguments, if the tool has a preview.
    """

    text: str
    risk: Risk
    arguments: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    uses: Mapping[str, str] = field(default_factory=dict)
    asked_by: str = ""
    place: str | None = None
    preview: str | None = None
    show: Any = None
    timeout: float | None = DEFAULT_TIMEOUT
    on_timeout: OnTimeout = "reject"
    answer_is_text: bool = False
    form: Mapping[str, Any] | None = None
    editable: bool = True
    may_be_remembered: bool = False
    call: DescribedCall | None = None
    digest: str = ""
    step_digest: str = ""
    binding: Binding | None = None
    may_be_alike: bool = True
    objection: Callable[[Mapping[str, Any] | str], str | None] = _nothing_to_say
    preview_of: Callable[[Mapping[str, Any] | str], str | None] = _nothing_to_say

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the tool and its arguments: two requests with the same one are the same call."""
        return fingerprint(self.risk.tool, self.arguments)

    @property
    def question(self) -> tuple[str, str, str]:
        """What makes it the same question as another one: the words, the call, and whatever of both is not shown."""
        return self.text, fingerprint(self.risk.tool, {"arguments": self.arguments, "show": self.show}), self.digest


def fingerprint(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the hexadecimal SHA-256 of a tool's name and its arguments as canonical JSON."""
    import json  # noqa: PLC0415 - only a question needs them
    from hashlib import sha256  # noqa: PLC0415

    canonical = json.dumps([tool, arguments], sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=repr)
    return sha256(canonical.encode()).hexdigest()
