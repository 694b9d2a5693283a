"""Print every message of the program with its location, one per line, to proofread them: `python -m docs.messages`.

A message is a text for people or models: the text of a problem, a failure, an exception or a hint, the help of a
command line option, or anything that is printed. Parts that are filled in at run time are in braces.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("toolkit", "cli/toolkit_cli")
WORDS = 3
"""Minimum number of words; shorter texts are names, keys or parts of messages."""


class Message(NamedTuple):
    """A message and its location."""

    file: str
    line: int
    text: str


def messages_of(file: Path) -> Iterator[Message]:
    """Yield the messages in a Python file, in no particular order."""
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
    """Return the ids of strings that are statements, such as docstrings."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _parts_of_texts(tree: ast.AST) -> set[int]:
    """Return the ids of the parts of f-strings, which are printed as a whole."""
    whole = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    return {id(part) for one in whole for part in ast.walk(one) if part is not one}


if __name__ == "__main__":
    for message in all_messages():
        print(f"{message.file}:{message.line}: {message.text}")
