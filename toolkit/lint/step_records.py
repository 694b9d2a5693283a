"""Records of steps: what the child says of each step of a plan, as plain data by name."""

from typing import Any, NamedTuple

from toolkit.problems import Location


class StepRecord(NamedTuple):
    """One step of a plan. The names are those of `PipelineStep`, which the parent makes of it.

    Attributes:
        path: The labels that lead to it, as in `compare/left/summarize`.
        kind: What it does.
        location: Where it stands.
        tool: The record of the tool that it calls, if it calls one.
        feed: The parameter that the previous output fills, if it fills one.
        asks: Whether it has `approve`.
        attempts: How often it is tried; None if it has no `retry`.
        timeout: Its timeout in seconds, the default's included; None without one.
        max_parallel: How many items run at a time; None if it has no `for_each`.
        on_error: What happens after it has failed.
        is_concurrent: Whether it stands in a branch that runs beside others.
        taints: The arguments of its call that have words from outside.
    """

    path: str
    kind: str
    location: Location
    tool: dict[str, Any] | None
    feed: str | None
    asks: bool
    attempts: int | None
    timeout: float | None
    max_parallel: int | None
    on_error: str
    is_concurrent: bool
    taints: tuple[Any, ...]
