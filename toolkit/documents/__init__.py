"""Reads YAML, JSON and TOML into nodes that know their line and column.

What a table in a file can contain is declared once, as keys with kinds of values: in plain data (`keys`), or in nodes,
whose problems have exact places (`node_keys`). Only this package imports PyYAML, and only when a document is read.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.documents.document_reader import parse_document as parse_document, read_document as read_document
    from toolkit.documents.dumping import as_yaml as as_yaml
    from toolkit.documents.json_reading import parse_json as parse_json, read_json as read_json
    from toolkit.documents.nodes import (
        Entry as Entry,
        Mapping as Mapping,
        Node as Node,
        Scalar as Scalar,
        Sequence as Sequence,
        is_agent as is_agent,
        plain as plain,
    )
    from toolkit.documents.scalars import find_traps as find_traps, trap_of as trap_of
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "document_reader": "parse_document read_document",
            "dumping": "as_yaml",
            "json_reading": "parse_json read_json",
            "nodes": "Entry is_agent Mapping Node plain Scalar Sequence",
            "scalars": "find_traps trap_of",
        },
    )
