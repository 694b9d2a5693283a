"""Finds the source of a syntax node in an expression."""

import ast


def span_of(node: ast.AST, source: str) -> tuple[int, int]:
    """Return the start and end of a node in characters. The syntax tree counts bytes."""
    start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
    if end is None:
        return 0, len(source)
    if source.isascii():
        return start, end
    data = source.encode()
    return len(data[:start].decode()), len(data[:end].decode())
