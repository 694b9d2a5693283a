"""Renders the progress and the summary of a batch, each on one line."""

from toolkit.amounts import money
from toolkit_cli.rendering.events import spoken_seconds


def progress_words(
    *, done: int, failed: int, rate: float, cost: float | None, fraction: float | None, remaining: float | None
) -> str:
    """Return the progress of a batch on one line."""
    parts = [f"{done:,} items", f"{_rate(rate)}/s"]
    if fraction is not None:
        parts.insert(0, f"{fraction:.0%}")
    if failed:
        parts.append(f"{failed:,} failed")
    if cost is not None:
        parts.append(money(cost))
    if remaining is not None:
        parts.append(f"{spoken_seconds(remaining)} left")
    return " · ".join(parts)


def summary_line(*, done: int, failed: int, waiting: int, cost: float | None, requests: int, seconds: float) -> str:
    """Return the summary of a batch on one line."""
    parts = [f"{done:,} item{'s' if done != 1 else ''}", f"{done - failed - waiting:,} succeeded"]
    if failed:
        parts.append(f"{failed:,} failed")
    if waiting:
        parts.append(f"{waiting:,} wait{'s' if waiting == 1 else ''} for approval")
    if requests:
        parts.append(f"{requests:,} request{'s' if requests != 1 else ''} to models")
    if cost is not None:
        parts.append(money(cost))
    return " · ".join([*parts, spoken_seconds(seconds)])


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"  # noqa: PLR2004 - below ten, a decimal is useful
