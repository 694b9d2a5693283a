"""Limited calls: the limits of the configuration hold for the calls that a context is handed to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.tools.limits import Limit, Limiter


def limiter_of(limits: "Mapping[str, Limit]") -> "Limiter | None":
    """Return what bounds the calls of this process; `None` where nothing is limited."""
    if not limits:
        return None
    from toolkit.tools.local_limits import LocalLimits  # noqa: PLC0415 - few projects have limits

    return LocalLimits(limits)
