"""Scans an expression for quoted strings and brackets before it is parsed."""

import ast
import re

QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
TOKEN = re.compile(QUOTED + r"""|['"]|[][(){}]|\#""", re.DOTALL)
CLOSERS = {")": "(", "]": "[", "}": "{"}


def end_of_expression(text: str, start: int) -> int | None:
    """Return the index of the `}}` that ends an expression: the first one outside quotes and brackets.

    Args:
        text: A string with `${{ }}` in it.
        start: The index after the `${{`.

    Returns:
        The index of the first brace, or `None` if it is missing.
    """
    open_brackets: list[str] = []
    position = start
    while found := TOKEN.search(text, position):
        mark = found.group()
        if mark in CLOSERS:
            if mark == "}" and "{" not in open_brackets:
                if text.startswith("}}", found.start()):
                    return found.start()
            elif CLOSERS[mark] in open_brackets:
                while open_brackets.pop() != CLOSERS[mark]:
                    pass
        elif mark in CLOSERS.values():
            open_brackets.append(mark)
        position = found.end()
    return None


def comment_in(source: str) -> int | None:
    """Return the index of the first comment, or `None` if there is none."""
    return next((found.start() for found in TOKEN.finditer(source) if found.group() == "#"), None)


def without_strings(source: str) -> str:
    """Return the expression with spaces in place of its quoted strings."""
    return TOKEN.sub(lambda found: found.group() if len(found.group()) == 1 else " " * len(found.group()), source)


def span_of(node: ast.AST, source: str) -> tuple[int, int]:
    """Return the start and end of a node in characters. The syntax tree counts bytes."""
    start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
    if end is None:
        return 0, len(source)
    if source.isascii():
        return start, end
    data = source.encode()
    return len(data[:start].decode()), len(data[:end].decode())
