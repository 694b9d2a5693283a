"""The console reviewer: the user answers each question on the terminal by typing a letter.

Only a line with exactly the letter shown, typed once the question is ready, approves a call. After any other line, the
question is asked again. The end of input and Ctrl-C end the run; without a terminal, every call is rejected.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple, TextIO

from toolkit.approvals.decisions import Continue, Decision, Edit, ExitEarly, Reject, ReviewRequest
from toolkit.problems import Problem
from toolkit_cli import console
from toolkit_cli.prompting import Prompter
from toolkit_cli.rendering.question_texts import menu_lines, question_lines, text_question_lines, whole_lines
from toolkit_cli.rendering.styles import Line, paint
from toolkit_cli.reviewing.rule_choices import Action, RuleBook, RuleChoice, explanation_of
from toolkit_cli.screen import Screen


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
_MARGIN = "     "
_MARK = f"{_MARGIN}>"
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
        colour = console.stderr_has_colour()
        with self._screen.hold() as talk:
            question = _Question(Prompter.open(talk), talk, request, self._book, colour=colour)
            try:
                return await (question.ask_for_text() if request.answer_is_text else question.ask())
            except EOFError:
                return ExitEarly("the input ended while a question was open")
            except KeyboardInterrupt:
                return ExitEarly("interrupted while a question was open", interrupted=True)

    def inform(self, problem: Problem) -> None:
        """Show a problem with the answer to a question."""
        from toolkit_cli.rendering.problem_texts import as_text  # few answers lead to one

        self._screen.say(as_text([problem], colour=console.stderr_has_colour(), width=console.width()))


class _Question:
    """An open question, which is shown again after edits until there is a decision."""

    def __init__(
        self, prompter: Prompter, talk: TextIO, request: ReviewRequest, book: RuleBook | None, *, colour: bool
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
