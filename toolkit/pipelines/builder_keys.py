"""The keyword arguments of the builder's steps, for type checkers.

They are the same keys as in a file and are described in `step_keys`. `None` means that the key is not set.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class StepKeys(TypedDict, total=False):
    """The keys of every step."""

    id: str | None
    when: str | bool | None
    on_error: Literal["fail", "continue"] | Mapping[str, Any] | None


class ParallelKeys(StepKeys, total=False):
    """The keys of a step with branches."""

    adapt: Any
    timeout: str | float | None


class SetKeys(StepKeys, total=False):
    """The keys of a step that computes a value."""

    for_each: str | Sequence[Any] | None
    max_parallel: int | None
    on_item_error: Literal["fail", "skip"] | None
    adapt: Any


class UseKeys(SetKeys, total=False):
    """The keys of a step that calls a tool."""

    arguments: Mapping[str, Any] | None
    pipe: str | None
    retry: int | Mapping[str, Any] | None
    timeout: str | float | None
    approve: bool | str | Mapping[str, Any] | None
