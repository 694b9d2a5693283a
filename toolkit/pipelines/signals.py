"""Signals that end more than one pipeline."""

from toolkit.errors import Signal


class GateRefused(Signal):
    """Approval was refused in a pipeline inside another one, so the whole run has to end.

    The signal passes through everything between the two pipelines, such as an agent. The outer pipeline then ends as if
    one of its own approvals had been refused.
    """
