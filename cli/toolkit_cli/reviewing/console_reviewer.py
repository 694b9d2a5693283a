"""The console reviewer: the user answers each question on the terminal by typing a letter.

Only a line with exactly the letter shown, typed once the question is ready, approves a call. After any other line, the
question is asked again. The end of input and Ctrl-C end the run; without a terminal, every call is rejected.

The user can also choose a rule that answers such questions permanently, by typing its number.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TextIO

from toolkit.approvals.decisions import Continue, Decision, Edit, ExitEarly, Reject, ReviewRequest
from toolkit.approvals.policies import DescribedCall, flow_question
from toolkit.errors import ToolkitError
from toolkit.problems import Problem
from toolkit.settings.configuration import POLICY_FILE, Configuration
from toolkit.settings.configuration_search import own_policy_file
from toolkit_cli import console
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.question_texts import menu_lines, question_lines, text_question_lines, whole_lines
from toolkit_cli.rendering.styles import Line, cut, one_line, paint, wrap
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.mcp.sign_in.providers import SignInRequest
    from toolkit_cli.prompting import Flaw, Prompter, TypedLine
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
_FLAWS: "dict[Flaw, str]" = {
    "begun before": "you started typing before the question was ready, so this line is ignored",
    "pasted": "pasted text is ignored",
    "followed": "more text arrived together with this line, as when pasting, so it is ignored",
}
_MEANT = {
    "o": ("y", "yes", "ok"),
    "r": ("n", "no"),
    "q": ("x", "exit", "quit", "stop"),
}


def explanation_of(line: "TypedLine", letters: Mapping[str, str]) -> str | None:
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
        self, prompter: "Prompter", book: RuleBook, action: Action, offers: "Sequence[Offer]", *, colour: bool
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


class _Choice(NamedTuple):
    """An answer that the user can type.

    Attributes:
        letter: The letter to type.
        words: What the menu shows.
        decision: The decision, if it needs nothing else.
    """

    letter: str
    words: str
    decision: Decision | None = None


_CHOICES: Final = {
    "fill": _Choice("f", "fill in the form"),
    "once": _Choice("o", "once"),
    "edit": _Choice("e", "edit"),
    "reject": _Choice("r", "reject with a reason"),
    "same": _Choice("s", "same again this run", Continue(same_again=True)),
    "all": _Choice("t", "every call of this tool in this step, with any arguments", Continue(whole_step=True)),
    "always": _Choice("a", "always (remember it)", Continue(always=True)),
    "allow": _Choice("a", "always (choose a rule)"),
    "deny": _Choice("d", "deny always (choose a rule)"),
    "view": _Choice("v", "view all"),
    "stop": _Choice("q", "stop the run", ExitEarly("you stopped the run")),
}
"""The answers in the order of the menu."""
_UNLESS_FILLED: Final = {"once", "edit", "same", "all", "always"}
_BY_RULE: dict[str, Action] = {"allow": "allow", "deny": "deny"}
_FALLBACK_SIZE = (80, 24)


class ConsoleReviewer:
    """Asks on stderr and reads the answer from stdin; both must be terminals."""

    one_at_a_time = True

    def __init__(self, screen: Screen | None = None, book: RuleBook | None = None) -> None:
        """Create a reviewer.

        Args:
            screen: The screen for other output, which waits while a question is open.
            book: The policy files to which the user can add rules; without it, no rules are offered.
        """
        self._screen = screen or Screen()
        self._book = book

    @property
    def available(self) -> bool:
        """Whether questions can be asked on a terminal."""
        return console.can_ask()

    async def review(self, request: ReviewRequest) -> Decision:
        """Ask the user, and return the decision."""
        if not self.available:
            return Reject("there is no terminal to ask on")
        from toolkit_cli.prompting import Prompter  # few calls are asked about

        colour = console.stderr_has_colour()
        with self._screen.hold() as talk:
            question = _Question(Prompter.open(talk), talk, request, self._book, colour=colour)
            try:
                return await (question.ask_for_text() if request.answer_is_text else question.ask())
            except EOFError:
                return ExitEarly("the input ended while a question was open")
            except KeyboardInterrupt:
                return ExitEarly("interrupted while a question was open", interrupted=True)

    async def sign_in(self, request: "SignInRequest") -> str | None:
        """Let the user sign in to an MCP server in a browser; see `SignInPrompts`."""
        from toolkit_cli.reviewing.sign_in_prompts import SignInPrompts  # few runs need a sign-in

        return await SignInPrompts(self, self._screen).sign_in(request)

    def inform(self, problem: Problem) -> None:
        """Show a problem with the answer to a question."""
        from toolkit_cli.rendering.problem_texts import as_text  # few answers lead to one

        self._screen.say(as_text([problem], colour=console.stderr_has_colour(), width=console.width()))


class _Question:
    """An open question, which is shown again after edits until there is a decision."""

    def __init__(
        self, prompter: "Prompter", talk: TextIO, request: ReviewRequest, book: RuleBook | None, *, colour: bool
    ) -> None:
        self._prompter = prompter
        self._talk = talk
        self._request = request
        self._book = book
        self._colour = colour
        self._edited = False

    async def ask(self) -> Decision:
        self._show_question()
        while True:
            match await self._answer():
                case "fill":
                    await self._fill()
                case "edit":
                    await self._edit()
                case "view":
                    await self._view()
                case answer:
                    if (decision := await self._decide(answer)) is not None:
                        return decision

    async def _decide(self, answer: str) -> Decision | None:
        """Return the decision for an answer, or `None` to go back to the question."""
        match answer:
            case "once":
                return Edit(self._request.arguments) if self._edited else Continue()
            case "reject":
                reason = await self._reason()
                return None if reason is None else Reject(reason)
            case "allow" | "deny":
                return await self._by_rule(_BY_RULE[answer])
        return _CHOICES[answer].decision

    async def ask_for_text(self) -> Decision:
        """Ask for a text answer; return `Continue` if it is empty."""
        self._print(text_question_lines(self._request, width=self._size[0]))
        await self._prompter.settle()
        typed = await self._prompter.text("your answer:", qmark=_MARK)
        return Edit(typed) if typed.strip() else Continue()

    @property
    def _size(self) -> tuple[int, int]:
        try:
            columns, lines = os.get_terminal_size(self._talk.fileno())
        except OSError:
            return _FALLBACK_SIZE
        return columns or _FALLBACK_SIZE[0], lines or _FALLBACK_SIZE[1]

    @property
    def _choices(self) -> list[str]:
        """The available answers; after an edit, the call is no longer the one that was chosen, so some are missing."""
        missing = {"same", "all"} if self._edited else set()
        if not self._request.step_digest:
            missing.add("all")
        if not self._request.editable:
            missing.add("edit")
        missing |= {"fill"} if self._request.form is None else _UNLESS_FILLED if not self._edited else {"always"}
        missing.add("same" if self._request.may_be_remembered else "always")
        missing |= {action for action in _BY_RULE if self._edited or not self._can_offer(_BY_RULE[action])}
        return [answer for answer in _CHOICES if answer not in missing]

    async def _answer(self) -> str:
        while True:
            offered = {answer: _CHOICES[answer] for answer in self._choices}
            self._print(menu_lines([(choice.letter, choice.words) for choice in offered.values()], self._size[0]))
            line = await self._prompter.typed_line(_MARK)
            for answer, choice in offered.items():
                if line.decides_for(choice.letter):
                    return answer
            if explanation := explanation_of(line, {choice.letter: choice.words for choice in offered.values()}):
                self._prompter.say(f"{_MARGIN}{explanation}")

    def _can_offer(self, action: Action) -> bool:
        """Return whether there are rules that would answer this question in the future."""
        call = self._request.call
        return self._book is not None and call is not None and self._book.has_offers(call, action)

    async def _by_rule(self, action: Action) -> Decision | None:
        """Let the user choose a rule, add it, and return its decision; `None` to go back to the question."""
        assert self._book is not None  # without one, this answer is not offered
        assert self._request.call is not None
        offers = self._book.offers(self._request.call, action)
        choice = RuleChoice(self._prompter, self._book, action, offers, colour=self._colour)
        try:
            written = await choice.written(self._size[0])
        except KeyboardInterrupt:
            written = None
        if written is None:
            self._show_question()
            return None
        return Continue(rule=written) if action == "allow" else Reject(f"denied by a new rule, {written}")

    async def _reason(self) -> str | None:
        """Ask for a reason; return `None` if Ctrl-C goes back to the question."""
        try:
            return (await self._prompter.text("the reason, which the caller will see:")).strip()
        except KeyboardInterrupt:
            self._show_question()
            return None

    async def _fill(self) -> None:
        """Let the user fill in the form; Ctrl-C discards the input, and goes back to the question."""
        from toolkit_cli.reviewing.argument_edits import filled_form  # few questions are forms

        form = self._request.form or {}
        with suppress(KeyboardInterrupt):
            arguments = await filled_form(self._prompter, self._request, form)
            self._request = replace(self._request, arguments=arguments)
            self._edited = True
        self._show_question()

    async def _edit(self) -> None:
        from toolkit_cli.reviewing.argument_edits import edited_arguments  # few answers are edits

        try:
            arguments = await edited_arguments(self._prompter, self._request)
        except KeyboardInterrupt:
            arguments = None
        if arguments is not None:
            self._request = replace(self._request, arguments=arguments, preview=self._request.preview_of(arguments))
            self._edited = True
        self._show_question()

    async def _view(self) -> None:
        with suppress(KeyboardInterrupt):
            await self._page_through()
        self._show_question()

    async def _page_through(self) -> None:
        width, height = self._size
        lines = whole_lines(self._request, width=width)
        page = max(height - 3, 5)
        for start in range(0, len(lines), page):
            self._print(lines[start : start + page])
            left = len(lines) - start - page
            if left > 0 and (await self._prompter.text(f"Enter shows more ({left} lines) · q goes back")).strip():
                break

    def _show_question(self) -> None:
        width, height = self._size
        self._print(question_lines(self._request, width=width, height=height, edited=self._edited))

    def _print(self, lines: Sequence[Line]) -> None:
        self._prompter.say("\n".join(paint(line, colour=self._colour) for line in lines))
