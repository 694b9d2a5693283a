"""Scanning: texts and brackets of an expression, before anything is parsed."""

import re

QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
TOKEN = re.compile(QUOTED + r"""|['"]|[][(){}]|\#""", re.DOTALL)
CLOSERS = {")": "(", "]": "[", "}": "{"}


def end_of_expression(text: str, start: int) -> int | None:
    """Return where the `}}` stands that ends an expression: the first one outside quotes and brackets.

    Args:
        text: A text with `${{ }}` in it.
        start: Where the expression begins, behind the `${{`.

    Returns:
        The index of the first brace, or None if it is missing.
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
    """Return where a comment begins, or None where there is none."""
    return next((found.start() for found in TOKEN.finditer(source) if found.group() == "#"), None)


def without_texts(source: str) -> str:
    """Return the expression with blanks for the characters of its texts, for a look at the rest."""
    return TOKEN.sub(lambda found: found.group() if len(found.group()) == 1 else " " * len(found.group()), source)
