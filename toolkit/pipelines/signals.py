"""Signals: what ends more than one pipeline."""

from toolkit.errors import Signal


class GateRefused(Signal):
    """A gate of a pipeline within another was refused: the reviewer wants the whole run to end, not a part.

    It passes through everything between the two, such as an agent, and the outer pipeline ends as its own gate would
    end it.
    """
