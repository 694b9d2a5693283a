"""The `human_input` tool, which asks a person a question."""

from typing import Final

from toolkit.approvals.decisions import DEFAULT_TIMEOUT, Edit, Reject, rejected
from toolkit.builtin.options import DURATION, Option
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.kinds.class_tools import TextTool

NO_REVIEWER: Final = "No reviewer is available. Please proceed with your best judgment."
NO_PREFERENCE: Final = "Understood. Please continue."

OPTIONS: Final = (Option("timeout", DURATION, "how long to wait for an answer", default="5m"),)


class HumanInput(TextTool):
    """Asks the context's reviewer a question and returns the answer.

    A question is not an approval: if there is no reviewer, or no answer in time, the run continues. A reviewer can
    also end the run.
    """

    name = "human_input"
    description = (
        "Asks a person a question and waits for the answer. Use it when you need a decision, preference or fact that "
        "only a person can give, but not for anything that you can find out yourself. Input: the complete question, "
        "understandable without context. Returns the person's answer, or a note that nobody is available."
    )
    read_only = True
    destructive = False
    open_world = False
    source = "builtin"

    def __init__(self, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Create the tool.

        Args:
            timeout: How long to wait for an answer, in seconds; `None` waits forever.
        """
        self._timeout = timeout

    async def execute(self, text: str, context: ToolContext) -> ToolResult:
        """Ask the question and return the answer.

        Raises:
            ExitEarlyError: If the reviewer ends the run.
        """
        question = text.strip()
        if not question:
            return ToolResult.failure("Question must not be blank")
        if not context.can_ask:
            return ToolResult.success(NO_REVIEWER)
        decision = await context.request_approval_async(
            question, answer_is_text=True, timeout=self._timeout, on_timeout="continue"
        )
        match decision:
            case Edit(answer):
                return ToolResult.success(_words(answer))
            case Reject() as rejection:
                return ToolResult.failure(rejected(rejection).message, "rejected")
        return ToolResult.success(NO_PREFERENCE)


def _words(answer: object) -> str:
    """Return the text of an answer, which can also be the arguments of this tool."""
    if isinstance(answer, str):
        return answer
    return str(answer.get("input", "")) if isinstance(answer, dict) else ""
