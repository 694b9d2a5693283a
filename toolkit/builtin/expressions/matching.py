"""Matching: a program of `expressions` is run on text in time that grows with the text and no faster.

Whether a line matches is told by an automaton whose states are made when they are first reached. Where in a text
something matches is told by all ways through the program at once, the preferred ones first.
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal

from toolkit.builtin.expressions.nodes import Assertion, Characters, Look, is_word
from toolkit.builtin.expressions.programs import Program, Split, Step

Around = Literal["edge", "line", "word", "other"]
"""What stands before or behind a place: an end of the text, a line's, a part of a word, or anything else."""

_MAX_STATES = 2_000
_STEPS_BETWEEN_LOOKS = 500


class StoppedError(Exception):
    """There was no time to finish."""


class _State(dict[str, "_State"]):
    """Where all ways through the program stand, and the state behind each character that came so far."""

    __slots__ = ("before", "ends_well", "ways")

    def __init__(self, ways: frozenset[int], before: Around) -> None:
        self.ways = ways
        self.before = before
        self.ends_well: bool | None = None


_FOUND = _State(frozenset(), "edge")


class LineMatcher:
    """Tells which lines an expression matches somewhere."""

    def __init__(self, program: Program, goes_on: Callable[[], bool]) -> None:
        """Keep the program.

        Args:
            program: What is looked for.
            goes_on: Whether there is still time.
        """
        self._program = program
        self._goes_on = goes_on
        self._end = len(program.instructions)
        self._states: dict[tuple[frozenset[int], Around], _State] = {}
        self._start = self._state(frozenset(), "edge")
        self._steps = 0

    def lines(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the lines of a text that match, with their numbers from 1.

        Raises:
            StoppedError: There was no time to look at all.
        """
        for count, (number, line) in enumerate(self._candidates(text)):
            if count % _STEPS_BETWEEN_LOOKS == 0 and not self._goes_on():
                raise StoppedError
            if self.matches(line):
                yield number, line

    def _candidates(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the lines that may match, since they have what every match has."""
        needed = self._program.needed
        searched = text.casefold() if self._program.folded else text
        if not needed or len(searched) != len(text):
            yield from enumerate(lines_within(text), start=1)
            return
        number, position = 1, 0
        while (found := searched.find(needed, position)) >= 0:
            number += text.count("\n", position, found)
            start = max(text.rfind("\n", position, found) + 1, position)
            end = text.find("\n", found)
            yield number, text[start : len(text) if end < 0 else end].removesuffix("\r")
            if end < 0:
                return
            position, number = end + 1, number + 1

    def matches(self, line: str) -> bool:
        """Return whether a line matches somewhere.

        Raises:
            StoppedError: There was no time to tell.
        """
        state = self._start
        for character in line:
            following = state.get(character)
            state = self._follow(state, character) if following is None else following
            if state is _FOUND:
                return True
        if state.ends_well is None:
            state.ends_well = self._end in self._places(state, "edge")
        return state.ends_well

    def _follow(self, state: _State, character: str) -> _State:
        """Make the state behind a character."""
        self._steps += 1
        if self._steps % _STEPS_BETWEEN_LOOKS == 0 and not self._goes_on():
            raise StoppedError
        after: Around = "word" if is_word(character) else "other"
        places = self._places(state, after)
        if self._end in places:
            following = _FOUND
        else:
            ways = (place + 1 for place in places if _takes(self._program.instructions[place], character))
            following = self._state(frozenset(ways), after)
        state[character] = following
        return following

    def _places(self, state: _State, after: Around) -> set[int]:
        seen: set[int] = set()
        return {place for way in (*state.ways, 0) for place in _reached(self._program, way, state.before, after, seen)}

    def _state(self, ways: frozenset[int], before: Around) -> _State:
        if len(self._states) >= _MAX_STATES:
            for state in self._states.values():
                state.clear()
            self._states.clear()
        return self._states.setdefault((ways, before), _State(ways, before))


def lines_within(text: str) -> list[str]:
    """Return the lines of a text without their ends."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def find_spans(program: Program, text: str, goes_on: Callable[[], bool]) -> Iterator[tuple[int, int]]:
    """Yield where in a text something matches, one place behind the other; `^` and `$` are at every line's ends.

    Raises:
        StoppedError: There was no time to finish.
    """
    position = 0
    while position <= len(text) and (span := _find_span(program, text, position, goes_on)) is not None:
        yield span
        position = span[1] + (span[0] == span[1])


def _find_span(program: Program, text: str, position: int, goes_on: Callable[[], bool]) -> tuple[int, int] | None:
    """Return the first place from a position on, as backtracking would choose it."""
    ways: dict[int, int] = {}  # where each way through the program stands, and where it started; the preferred first
    found: tuple[int, int] | None = None
    while position <= len(text):
        if position % _STEPS_BETWEEN_LOOKS == 0 and not goes_on():
            raise StoppedError
        if found is None:
            ways.setdefault(0, position)
        character = text[position : position + 1]
        following: dict[int, int] = {}
        before, after, seen = _before(text, position), _after(text, position), set[int]()
        for way, start in ways.items():
            for place in _reached(program, way, before, after, seen):
                if place == len(program.instructions):
                    found = start, position
                    break
                if character and _takes(program.instructions[place], character):
                    following.setdefault(place + 1, start)
            else:
                continue
            break  # whatever is less preferred than what has matched does not count
        if found is not None and not following:
            return found
        ways = following
        position += 1
    return found


def _reached(program: Program, way: int, before: Around, after: Around, seen: set[int]) -> Iterator[int]:
    """Yield the instructions that take a character, and the end, as far as they are reached without one."""
    waiting = [way]
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        instruction = program.instructions[place] if place < len(program.instructions) else None
        match instruction:
            case Split(first, second):
                waiting += (second, first)
            case Step(Look(assertion)):
                if _LOOKS[assertion](before, after):
                    waiting.append(place + 1)
            case _:
                yield place


def _takes(instruction: Split | Step, character: str) -> bool:
    return (
        isinstance(instruction, Step) and isinstance(instruction.what, Characters) and instruction.what.has(character)
    )


def _before(text: str, position: int) -> Around:
    if position == 0:
        return "edge"
    return _kind(text[position - 1])


def _after(text: str, position: int) -> Around:
    if position == len(text):
        return "edge"
    return _kind(text[position])


def _kind(character: str) -> Around:
    if character == "\n":
        return "line"
    return "word" if is_word(character) else "other"


_LOOKS: Final[dict[Assertion, Callable[[Around, Around], bool]]] = {
    "line start": lambda before, _: before in {"edge", "line"},
    "line end": lambda _, after: after in {"edge", "line"},
    "text start": lambda before, _: before == "edge",
    "text end": lambda _, after: after == "edge",
    "boundary": lambda before, after: (before == "word") is not (after == "word"),
    "no boundary": lambda before, after: (before == "word") is (after == "word"),
}
