"""Span events: what happens between the start and the end of a span."""

from typing import Any

from toolkit.events import ApprovalDecided, Event, ItemFinished, StepRetried


def note_of(event: Event) -> tuple[str, dict[str, Any]] | None:
    """Return the name and attributes of the span event for an event, or `None`; they contain no content."""
    match event:
        case StepRetried(attempt=attempt, delay=delay):
            return "retry", {"toolkit.step.attempt": attempt, "toolkit.step.delay": delay}
        case ItemFinished(index=index, status=status):
            return "item", {"toolkit.item.index": index, "toolkit.item.status": status}
        case ApprovalDecided(tool=tool, decision=decision, seconds=seconds):
            return "approval", {
                "gen_ai.tool.name": tool,
                "toolkit.approval.decision": decision,
                "toolkit.approval.seconds": seconds,
            }
    return None
