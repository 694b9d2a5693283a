"""A description that is a manual."""

from toolkit import tool

MANUAL = "Search the catalogue of the shop. " + "A word in quotes is looked for as it stands. " * 30


@tool(description=MANUAL)
def search(words: str) -> str:
    return words


@tool
def look(words: str) -> str:
    """Look for words.

    Line 01 of a docstring that is far too long for any model to read with care.
    Line 02 of a docstring that is far too long for any model to read with care.
    Line 03 of a docstring that is far too long for any model to read with care.
    Line 04 of a docstring that is far too long for any model to read with care.
    Line 05 of a docstring that is far too long for any model to read with care.
    Line 06 of a docstring that is far too long for any model to read with care.
    Line 07 of a docstring that is far too long for any model to read with care.
    Line 08 of a docstring that is far too long for any model to read with care.
    Line 09 of a docstring that is far too long for any model to read with care.
    Line 10 of a docstring that is far too long for any model to read with care.
    Line 11 of a docstring that is far too long for any model to read with care.
    Line 12 of a docstring that is far too long for any model to read with care.
    Line 13 of a docstring that is far too long for any model to read with care.
    Line 14 of a docstring that is far too long for any model to read with care.
    Line 15 of a docstring that is far too long for any model to read with care.
    """
    return words
