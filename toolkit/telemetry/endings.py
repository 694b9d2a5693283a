"""What a finish event adds to the span that it ends and to its metrics."""

from typing import Any, Final, NamedTuple

from toolkit.events import (
    AgentFinished,
    BatchItemFinished,
    Event,
    ModelFinished,
    PipelineFinished,
    RunFinished,
    StepFinished,
    ToolFinished,
)
from toolkit.telemetry.beginnings import text_of

_WELL: Final = {"success", "ok", "skipped"}


class Ending(NamedTuple):
    """The end of a span.

    Attributes:
        seconds: Duration, excluding the time spent waiting for a person.
        attributes: Attributes to add to the span.
        error_type: Type of the error, or `None` on success.
        message: The error message; only with content.
    """

    seconds: float
    attributes: dict[str, Any]
    error_type: str | None = None
    message: str | None = None


def ending_of(event: Event, *, content: bool) -> Ending | None:
    """Return the end of the span that an event ends, or `None` if it ends none.

    Args:
        event: The event, with secrets already masked.
        content: Whether to include results, messages and error messages.
    """
    match event:
        case ToolFinished(outcome=outcome, error_code=code, output=output, error=error, seconds=seconds):
            more = {"gen_ai.tool.call.result": output} if content and error is None else {}
            return _ended(seconds, more, outcome, code, error if content else None)
        case BatchItemFinished(outcome=outcome, error_code=code, error=error, seconds=seconds):
            return _ended(seconds, {}, outcome, code, error if content else None)
        case StepFinished(status=status, error_code=code, attempts=attempts, error=error, seconds=seconds):
            known = {"toolkit.step.status": status, "toolkit.step.attempts": attempts}
            return _ended(seconds, known, status, code, error if content else None)
        case ModelFinished():
            return _of_model(event, content=content)
        case PipelineFinished() | AgentFinished() | RunFinished():
            return _ended(event.seconds, {}, event.outcome, None, event.error if content else None)
    return None


def _of_model(event: ModelFinished, *, content: bool) -> Ending:
    known: dict[str, Any] = {}
    if event.input_tokens or event.output_tokens:
        known = {
            "gen_ai.usage.input_tokens": event.input_tokens,
            "gen_ai.usage.output_tokens": event.output_tokens,
        }
    if event.cost is not None:
        known["toolkit.usage.cost"] = event.cost
    if content and event.text:
        known["gen_ai.output.messages"] = text_of([_message(event)])
    return _ended(event.seconds, known, event.outcome, None, event.error if content else None)


def _message(event: ModelFinished) -> dict[str, Any]:
    """Return a model's reply in the message format of the semantic conventions."""
    reason = "length" if event.cut else "tool_call" if event.calls else "stop"
    return {"role": "assistant", "parts": [{"type": "text", "content": event.text}], "finish_reason": reason}


def _ended(
    seconds: float, attributes: dict[str, Any], outcome: str, code: str | int | None, message: str | None
) -> Ending:
    if outcome in _WELL:
        return Ending(seconds, attributes)
    return Ending(seconds, attributes, str(outcome if code is None else code), message)
