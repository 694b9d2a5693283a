"""Engine names: what the engine calls us, our workflows and our queues."""

from typing import Final

APPLICATION: Final = "toolkit"
"""What the engine calls us in its tables, so that other programs may use the same database."""
WORKFLOW: Final = "toolkit.item"
SCHEDULED: Final = "toolkit.schedule"
POLLING: Final = 0.05
"""Seconds between two looks for work."""


def queue_of(tool: str) -> str:
    """Return the name of the queue that holds the items of a tool."""
    return f"tool:{tool}"


def schedules_of(tool: str) -> str:
    """Return the name of the queue that holds what schedules begin with a tool."""
    return f"schedules:{tool}"
