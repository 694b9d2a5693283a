"""Traps: text that YAML 1.1 reads in another way than it looks."""

from toolkit.documents.nodes import Node, Scalar
from toolkit.problems import Problem


def trap_of(scalar: Scalar) -> Problem | None:
    """Return the warning about one scalar."""
    return None


def find_traps(node: Node) -> list[Problem]:
    """Return the warnings about all values of a document."""
    return []
