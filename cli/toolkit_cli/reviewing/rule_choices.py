"""Lets the user choose a rule that answers a question permanently, by typing its number."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toolkit.approvals.policies import DescribedCall, flow_question
from toolkit.errors import ToolkitError
from toolkit.settings.configuration import POLICY_FILE, Configuration
from toolkit.settings.configuration_search import own_policy_file
from toolkit_cli.prompting import Flaw, Prompter, TypedLine
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.question_texts import menu_lines
from toolkit_cli.rendering.styles import Line, cut, one_line, paint, wrap

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit_cli.reviewing.rule_writing import Offer


Action = Literal["allow", "deny"]


class RuleBook:
    """The policy files of a run, to which rules can be added.

    Attributes:
        listener: Called with the new policy after a rule was added.
    """

    def __init__(self, configuration: Configuration, targets: Sequence[str]) -> None:
        """Create a rule book, without reading any files.

        Args:
            configuration: The configuration, with the policy files.
            targets: The targets on the command line.
        """
        self._configuration = configuration
        self._targets = tuple(targets)
        self.listener: Callable[[FilePolicy], object] = lambda _: None

    @property
    def own_file(self) -> Path:
        """The user's own policy file, which may not exist."""
        return self._configuration.own_policy or own_policy_file(os.environ)

    @property
    def project_file(self) -> Path:
        """The project's policy file: the nearest one, or a new one next to its configuration."""
        files = self._configuration.policy_files
        return files[0] if files else Path.cwd() / self._configuration.directory / POLICY_FILE

    def has_offers(self, call: DescribedCall, action: Action) -> bool:
        """Return whether rules would decide a call like this one; without policy files, no rule has to be read."""
        is_certain = not self._configuration.has_policy and _is_plain(call) and flow_question(call) is None
        return is_certain or bool(self.offers(call, action))

    def offers(self, call: DescribedCall, action: Action) -> "list[Offer]":
        """Return rules that would decide a call like this one, narrowest first."""
        from toolkit_cli.reviewing.rule_writing import offers_for  # few questions end with a rule

        return offers_for(call, action, self._configuration, self._targets)

    def write(self, offer: "Offer", file: Path) -> str:
        """Add a rule to a policy file, put it into effect, and return its location.

        Raises:
            ConfigurationError: If the file cannot be written, or the resulting policy is invalid.
        """
        from toolkit_cli.reviewing.rule_writing import write_offer  # as above

        owner: Literal["user", "project"] = "user" if file == self.own_file else "project"
        written = write_offer(offer, file, owner, self._configuration, self._targets)
        self._configuration = written.configuration
        self.listener(written.policy)
        return written.place


def _is_plain(call: DescribedCall) -> bool:
    """Return whether a call is one of a tool in a Python file that is as it was, which a rule can always name."""
    risk = call.risk
    return call.kind == "call" and not risk.has_changed and (risk.source or "").endswith(".py")


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
        self, prompter: Prompter, book: RuleBook, action: Action, offers: "Sequence[Offer]", *, colour: bool
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

    def _write(self, offer: "Offer") -> str | None:
        try:
            place = self._book.write(offer, self._file)
        except ToolkitError as error:
            self._prompter.say(f"{_MARGIN}{one_line(str(error))}")
            return None
        self._prompter.say(f"{_MARGIN}written to {one_line(place)}")
        return place

    def _print(self, lines: Sequence[Line]) -> None:
        self._prompter.say("\n".join(paint(line, colour=self._colour) for line in lines))
