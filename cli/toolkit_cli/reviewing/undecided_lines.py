"""Explains why a typed line is not an answer to a question, and what to type instead."""

from collections.abc import Mapping

from toolkit_cli.rendering.escaping import cut, one_line
from toolkit_cli.typed_lines import Flaw, TypedLine

_LONGEST_QUOTED = 30
_FLAWS: dict[Flaw, str] = {
    "begun before": "you started typing before the question was ready, so this line is ignored",
    "pasted": "pasted text is ignored",
    "followed": "more text arrived together with this line, as when pasting, so it is ignored",
}
_MEANT = {
    "o": ("y", "yes", "ok"),
    "r": ("n", "no"),
    "q": ("x", "exit", "quit", "stop"),
}


def explanation_of(line: TypedLine, letters: Mapping[str, str]) -> str | None:
    """Return why a line is not an answer, and what to type instead; `None` if it is empty.

    Args:
        line: The typed line.
        letters: The letters that are answers, each with its meaning.
    """
    if line.flaw is not None:
        return f"{_FLAWS[line.flaw]}; type one letter, then Enter"
    if not line.text:
        return None
    quoted = f"'{cut(one_line(line.text), _LONGEST_QUOTED)}' is not an answer"
    letter = _letter_meant(line.text.strip().casefold(), letters)
    if letter is not None:
        return f"{quoted}; type {letter} alone for: {letters[letter]}"
    return f"{quoted}; type one of the letters {', '.join(letters)}, then Enter"


def _letter_meant(typed: str, letters: Mapping[str, str]) -> str | None:
    """Return the letter that the user probably meant, if it is an available answer."""
    for letter, words in letters.items():
        if typed in {letter, words, words.split(" ", 1)[0], *_MEANT.get(letter, ())}:
            return letter
    return None
