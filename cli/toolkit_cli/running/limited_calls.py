"""Applies the configured limits to the calls of a process."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.tools.limits import Limit, Limiter


def limiter_of(limits: "Mapping[str, Limit]") -> "Limiter | None":
    """Return the limiter for calls of this process; `None` if there are no limits."""
    if not limits:
        return None
    from toolkit.tools.local_limits import LocalLimits  # noqa: PLC0415 - few projects have limits

    return LocalLimits(limits)
