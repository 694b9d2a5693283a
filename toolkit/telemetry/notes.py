"""Notes: what happens in the middle of a span, and is an event of it."""

from typing import Any

from toolkit.events import ApprovalDecided, Event, ItemFinished, StepRetried


def note_of(event: Event) -> tuple[str, dict[str, Any]] | None:
    """Return the name and the attributes of the note that an event makes, if it makes one; no content is in it."""
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
