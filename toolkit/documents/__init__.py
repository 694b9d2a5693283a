"""Documents: YAML read into plain data that remembers the line and column of every node.

The only room that imports PyYAML, and only when a document is read.
"""

from toolkit.documents.nodes import Entry, Mapping, Node, Scalar, Sequence, is_agent, plain
from toolkit.documents.reading import parse_document, read_document
from toolkit.documents.traps import find_traps, trap_of

__all__ = [
    "Entry",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "find_traps",
    "is_agent",
    "parse_document",
    "plain",
    "read_document",
    "trap_of",
]
