"""The tool `human_input`: ask a person."""

from typing import Final

from toolkit.approvals.decisions import Edit, Reject
from toolkit.approvals.permissions import rejected
from toolkit.approvals.requests import DEFAULT_TIMEOUT
from toolkit.builtin.options import DURATION, Option
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult
from toolkit.tools.text import TextTool

NOBODY_THERE: Final = "No reviewer is available. Please proceed with your best judgment."
NO_WISHES: Final = "Understood. Please continue."

OPTIONS: Final = (Option("timeout", DURATION, "how long a question waits for its answer", default="5m"),)


class HumanInput(TextTool):
    """Asks the context's reviewer a question and returns the answer.

    A question guards nothing: when nobody is there, or nobody answers in time, the work goes on.
    A reviewer who ends the run ends it here too.
    """

    name = "human_input"
    description = (
        "Asks a person a question and waits for the answer. Use it when a decision, preference or fact is missing that "
        "only a person can give, and not for anything that you can find out yourself. Input: the question, in full "
        "and understandable by itself. Returns the person's answer, or says that nobody is available."
    )
    read_only = True
    destructive = False
    open_world = False
    source = "builtin"

    def __init__(self, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Keep how many seconds a question waits for its answer; with `None` it waits forever."""
        self._timeout = timeout

    async def execute(self, text: str, context: ToolContext) -> ToolResult:
        """Ask, and return the answer.

        Raises:
            ExitEarlyError: If the reviewer ends the run.
        """
        question = text.strip()
        if not question:
            return ToolResult.failure("Question must not be blank")
        if not context.can_ask:
            return ToolResult.success(NOBODY_THERE)
        decision = await context.request_approval_async(
            question, answer_is_text=True, timeout=self._timeout, on_timeout="continue"
        )
        match decision:
            case Edit(answer):
                return ToolResult.success(_words(answer))
            case Reject() as rejection:
                return ToolResult.failure(rejected(rejection).message, "rejected")
        return ToolResult.success(NO_WISHES)


def _words(answer: object) -> str:
    """Return the reviewer's words, which may come as the one argument of this tool."""
    if isinstance(answer, str):
        return answer
    return str(answer.get("input", "")) if isinstance(answer, dict) else ""
