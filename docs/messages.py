"""Every message of the program, one a line with its place, to be read in one go: `python -m docs.messages`.

A message is a text that a person or a model may read: what a problem, a failure, an exception or a hint says, what a
command line option explains, and what is printed. Parts that are filled in when the program runs stand in braces.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("toolkit", "cli/toolkit_cli")
WORDS = 3
"""A text of fewer words is a name, a key or a piece of a message."""


class Message(NamedTuple):
    """A text and where it stands."""

    file: str
    line: int
    text: str


def messages_of(file: Path) -> Iterator[Message]:
    """Yield the messages in a Python file, in the order in which they stand."""
    tree = ast.parse(file.read_text("utf-8"))
    silent = _docstrings(tree) | _parts_of_texts(tree)
    for node in ast.walk(tree):
        if id(node) not in silent and (text := _text_of(node)) is not None and len(text.split()) >= WORDS:
            yield Message(str(file.relative_to(ROOT)), node.lineno, " ".join(text.split()))  # type: ignore[attr-defined]  # texts have lines


def all_messages() -> list[Message]:
    """Return every message of the program."""
    files = sorted(file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return [message for file in files for message in sorted(messages_of(file), key=lambda one: one.line)]


def _text_of(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_part_of(part) for part in parts)
    return None


def _part_of(part: ast.expr) -> str:
    if isinstance(part, ast.FormattedValue):
        return f"{{{ast.unparse(part.value)}}}"
    return _text_of(part) or ""


def _docstrings(tree: ast.AST) -> set[int]:
    """Return the texts that stand alone as a statement."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _parts_of_texts(tree: ast.AST) -> set[int]:
    """Return the constants inside of formatted texts, which are read as a whole."""
    whole = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    return {id(part) for one in whole for part in ast.walk(one) if part is not one}


if __name__ == "__main__":
    for message in all_messages():
        print(f"{message.file}:{message.line}: {message.text}")
