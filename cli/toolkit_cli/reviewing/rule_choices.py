"""Lets the user choose a rule that answers a question permanently, by typing its number."""

from collections.abc import Mapping, Sequence

from toolkit.errors import ToolkitError
from toolkit_cli.prompting import Prompter
from toolkit_cli.rendering.escaping import cut, one_line, wrap
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.question_texts import menu_lines
from toolkit_cli.rendering.styles import Line, paint
from toolkit_cli.reviewing.rule_books import Action, Offer, RuleBook
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


_MARGIN = "     "
_MARK = f"{_MARGIN}>"
_INDENT = 4
_BACK, _ELSEWHERE = "b", "p"


class RuleChoice:
    """The rules to choose from, and the file to add one to: by default, the user's own."""

    def __init__(
        self, prompter: Prompter, book: RuleBook, action: Action, offers: Sequence[Offer], *, colour: bool
    ) -> None:
        self._prompter = prompter
        self._book = book
        self._action = action
        self._offers = offers
        self._colour = colour
        self._file = book.own_file

    async def written(self, width: int) -> str | None:
        """Let the user choose and add a rule; return its location, or `None` to go back to the question."""
        while True:
            answers = self._answers()
            self._print([*self._lines(width), *menu_lines(answers.items(), width)])
            line = await self._prompter.typed_line(_MARK)
            chosen = next((letter for letter in answers if line.decides_for(letter)), None)
            if chosen is None:
                if explanation := explanation_of(line, answers):
                    self._prompter.say(f"{_MARGIN}{explanation}")
            elif chosen == _BACK:
                return None
            elif chosen == _ELSEWHERE:
                is_own = self._file == self._book.own_file
                self._file = self._book.project_file if is_own else self._book.own_file
            elif (place := self._write(self._offers[int(chosen) - 1])) is not None:
                return place

    def _answers(self) -> dict[str, str]:
        numbers = {str(number): f"write rule {number}" for number in range(1, len(self._offers) + 1)}
        is_own = self._file == self._book.own_file
        other = {_ELSEWHERE: f"write to {'the project' if is_own else 'your own file'} instead"}
        return numbers | (other if self._action == "deny" else {}) | {_BACK: "back"}

    def _lines(self, width: int) -> list[Line]:
        lines: list[Line] = [[], [("plain", f"{_MARGIN}{self._action}, in {one_line(shown_path(str(self._file)))}:")]]
        for number, offer in enumerate(self._offers, 1):
            shown = wrap(one_line(offer.line), max(width - len(_MARGIN) - _INDENT, 20))
            for index, part in enumerate(shown):
                lead = f"{number}" if index == 0 else ""
                lines.append([("strong", f"{_MARGIN}{lead:{_INDENT}}"), ("plain", part)])
        return lines

    def _write(self, offer: Offer) -> str | None:
        try:
            place = self._book.write(offer, self._file)
        except ToolkitError as error:
            self._prompter.say(f"{_MARGIN}{one_line(str(error))}")
            return None
        self._prompter.say(f"{_MARGIN}written to {one_line(place)}")
        return place

    def _print(self, lines: Sequence[Line]) -> None:
        self._prompter.say("\n".join(paint(line, colour=self._colour) for line in lines))
