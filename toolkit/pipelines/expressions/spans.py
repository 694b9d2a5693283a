"""Spans: where a part of an expression stands in its text."""

import ast


def span_of(node: ast.AST, source: str) -> tuple[int, int]:
    """Return the offsets between which a node stands; the syntax tree counts bytes, we count characters."""
    start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
    if end is None:
        return 0, len(source)
    if source.isascii():
        return start, end
    data = source.encode()
    return len(data[:start].decode()), len(data[:end].decode())
