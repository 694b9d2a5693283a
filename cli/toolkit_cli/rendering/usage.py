"""Renders the usage of models on one line."""

from collections.abc import Sequence

from toolkit.amounts import money
from toolkit.runs.records import ModelUse
from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.events import spoken_seconds


def usage_line(uses: Sequence[ModelUse]) -> str:
    """Return the number of requests, the models, tokens, cost (if known) and time of requests to models."""
    models = list(dict.fromkeys(one_line(use.model) for use in uses))
    named = " and ".join(filter(None, (", ".join(models[:-1]), *models[-1:]))) or "no model"
    parts = [f"{len(uses)} request{'s' if len(uses) != 1 else ''} to {named}"]
    sent, received = sum(use.input_tokens for use in uses), sum(use.output_tokens for use in uses)
    if sent or received:
        parts.append(f"{sent:,} tokens sent, {received:,} received")
    known = [use.cost for use in uses if use.cost is not None]
    if known:
        is_all = all(use.cost is not None or not use.tokens for use in uses)
        parts.append(money(sum(known), 6) + ("" if is_all else " plus an unknown amount"))
    return " · ".join([*parts, spoken_seconds(sum(use.seconds for use in uses))])
