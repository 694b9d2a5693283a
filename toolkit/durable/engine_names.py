"""The names that the engine (DBOS) uses for our application, workflows and queues."""

from typing import Final

APPLICATION: Final = "toolkit"
"""Our application name in the engine's tables, so that other programs can use the same database."""
WORKFLOW: Final = "toolkit.item"
SCHEDULED: Final = "toolkit.schedule"
POLLING: Final = 0.05
"""Polling interval of the queues in seconds."""


def queue_of(tool: str) -> str:
    """Return the name of the queue that holds the items of a tool."""
    return f"tool:{tool}"


def schedules_of(tool: str) -> str:
    """Return the name of the queue for scheduled runs of a tool."""
    return f"schedules:{tool}"
