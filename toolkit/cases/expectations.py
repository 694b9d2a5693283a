"""Compares what happened in a case with what it expects."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolkit.amounts import format_duration, money
from toolkit.cases.case import NO_BUDGETS, NO_SKILL, Case, Expected, Named, Written
from toolkit.cases.data_differences import DataDifference, Matcher, differences, in_words, short
from toolkit.codes import FAILED_CASE
from toolkit.documents.nodes import Mapping as MappingNode, Node, Sequence as SequenceNode, Word
from toolkit.errors import ToolExecutionError
from toolkit.pipelines.templated_data import Value
from toolkit.problems import Location, Problem

_MOST_OTHERS: Final = 5
_GRAVE: Final = -1
"""The size of a difference that explains the others: an error that was not expected, a question nobody foresaw."""


class Made(NamedTuple):
    """A call that was made, or a question that was asked.

    Attributes:
        tool: The tool.
        arguments: Its arguments.
        text: What a question shows.
        fault: Why a call that a model chose could not be made, if so.
        defaults: The defaults of its parameters: leaving one out and passing its default is the same.
        is_known: Whether there is such a tool.
    """

    tool: str
    arguments: Any = None
    text: str = ""
    fault: str = ""
    defaults: Mapping[str, Any] = {}
    is_known: bool = True


class Happened(NamedTuple):
    """What happened in a case, as plain data.

    Attributes:
        target: The name of the tool that was run.
        output: The output: structured data if there is any, or else the text.
        text: The output as text.
        error: The error message, if the target failed.
        code: The code of the error.
        failure: The error as it is shown to people, and the line that raised it.
        exit_code: The exit code of the same `toolkit run`.
        inputs: The arguments.
        calls: The calls that were made, in the order in which they ended.
        asked: The questions.
        unforeseen: The questions that the case has no answer to.
        unused: The tools whose answers were not needed.
        files: The texts of the expected files; None for one that does not exist.
        events: The events.
        seconds: The time without waiting for answers.
        tokens: The tokens of models.
        cost: The cost of models in US dollars.
        rankings: The names of the tools that each search finds, best match first.
        skills: The skills that a model has loaded.
    """

    target: str = ""
    output: Any = None
    text: str = ""
    error: str | None = None
    code: str | int | None = None
    failure: Problem | None = None
    exit_code: int = 0
    inputs: Any = None
    calls: tuple[Made, ...] = ()
    asked: tuple[Made, ...] = ()
    unforeseen: tuple[Made, ...] = ()
    unused: tuple[str, ...] = ()
    files: Mapping[str, str | None] = {}
    events: tuple[Mapping[str, Any], ...] = ()
    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    rankings: Mapping[str, Sequence[str]] = {}
    skills: tuple[str, ...] = ()


class Difference(NamedTuple):
    """One difference.

    Attributes:
        place: Where something else is expected.
        words: What is different.
        size: How much differs.
        raised: The line that raised the error, if any.
        grade: Which grade of a choice it fails, if any.
    """

    place: Location
    words: str
    size: int
    raised: Location | None = None
    grade: str = ""


def faults_of(case: Case, happened: Happened) -> tuple[str, ...]:
    """Return the grades that a choice fails."""
    return tuple(sorted({one.grade for one in differences_of(case, happened)} - {""}))


def failure_of(case: Case, happened: Happened) -> Problem | None:
    """Return how a case fails, with the smallest difference first, or `None` if it passes."""
    found = list(differences_of(case, happened))
    if not found:
        return None
    found.sort(key=lambda one: one.size)
    first, *others = found
    lines = [f"also: {one.words}" for one in others[:_MOST_OTHERS]]
    if len(others) > _MOST_OTHERS:
        lines.append(f"and {len(others) - _MOST_OTHERS} more differences")
    message, hint = f"{case.title}: {first.words}", "\n".join(lines) or None
    related = () if first.raised is None else ((first.raised, "raised here"),)
    return Problem(FAILED_CASE, message, first.place, hint=hint, related=related)


def differences_of(case: Case, happened: Happened) -> Iterator[Difference]:
    """Yield every difference between a case and what happened."""
    expect = case.expect
    if expect.found is not None:
        yield from _of_rankings(expect, happened)
        return
    if case.answers or happened.unforeseen:
        yield from _of_questions(case, happened)
    yield from _of_ending(case, happened)
    yield from _of_calls(case, happened)
    if expect.skill is not None:
        yield from _of_skills(expect.skill, happened.skills)
    if happened.error is None:
        yield from _of_output(case, happened)
    for value in expect.that:
        yield from _of_expression(value, happened)
    if expect.files:
        yield from _of_files(expect.files, happened)
    if expect.events:
        yield from _of_events(expect.events, happened)
    if expect.within is not NO_BUDGETS:
        yield from _of_budgets(case, happened)


def _of_rankings(expect: Expected, happened: Happened) -> Iterator[Difference]:
    most = 0 if expect.found is None else expect.found.data
    for one in expect.calls or ():
        for search, names in happened.rankings.items():
            place = names.index(one.name.text) + 1 if one.name.text in names else 0
            if not place:
                yield Difference(one.name.location, f"{search} does not find '{one.name.text}'", 0)
            elif place > most:
                before = ", ".join(names[: min(place - 1, _MOST_OTHERS)])
                words = f"{search} finds '{one.name.text}' at place {place}, not among the first {most}: after {before}"
                yield Difference(one.name.location, words, place)


def _of_questions(case: Case, happened: Happened) -> Iterator[Difference]:
    for one in happened.unforeseen:
        words = f"nobody foresaw the question about '{one.tool}' with {short(one.arguments)}"
        yield Difference(case.name.location, f"{words}; add an answer", _GRAVE)
    for name, count in Counter(happened.unused).items():
        places = [one.tool.location for one in case.answers if one.tool.text == name]
        words = f"the answer to '{name}' was not needed" if happened.asked else f"no question about '{name}' was asked"
        yield Difference(places[-count], words, 0)


def _of_ending(case: Case, happened: Happened) -> Iterator[Difference]:
    expect, error = case.expect, happened.error
    if error is not None and not expect.may_fail and not happened.unforeseen:
        code = "" if happened.code in {None, "error"} else f" [{happened.code}]"
        shown = happened.failure or Problem("", error)
        yield Difference(case.run.location, f"it failed{code}: {shown.message}", _GRAVE, shown.location)
    if error is None and (expect.error is not None or expect.code is not None):
        yield Difference(_place_of_error(case), f"it should fail, but returned {short(happened.output)}", _GRAVE)
    if error is not None and not isinstance(expect.error, bool | None) and expect.error.text not in error:
        words = f"the error is {short(error)}, without {short(expect.error.text)}"
        yield Difference(expect.error.location, words, len(error))
    if error is not None and expect.code is not None:
        yield from _of_data("the code of the error", expect.code, happened.code)
    if expect.exit is not None:
        yield from _of_data("the exit code", expect.exit, happened.exit_code)


def _place_of_error(case: Case) -> Location:
    expect = case.expect
    if expect.error is not None and not isinstance(expect.error, bool):
        return expect.error.location
    return case.run.location if expect.code is None else expect.code.node.location


def _of_output(case: Case, happened: Happened) -> Iterator[Difference]:
    expect = case.expect
    if expect.output is not None:
        yield from _of_data("output", expect.output, happened.output)
    elif case.snapshot is not None:
        words = f"the output has no snapshot yet; it is {short(happened.output)}"
        yield Difference(case.snapshot, f"{words}; write it with `toolkit test --update`", 0)
    if expect.subset is not None:
        yield from _of_data("output", expect.subset, happened.output, partly=True)
    if expect.schema is not None:
        validator, place = expect.schema
        for one in validator.misfits(happened.output):
            words = f"{in_words(one.path, 'output')} is {short(one.value)}, which violates '{one.keyword}'"
            yield Difference(place, f"{words}: {short(one.limit)}", len(short(one.value)))
    if expect.matches is not None and not re.search(expect.matches.text, happened.text):
        words = f"the output {short(happened.text)} does not match {expect.matches.text!r}"
        yield Difference(expect.matches.location, words, len(happened.text))


def _of_data(what: str, wanted: Written, found: Any, *, partly: bool = False) -> Iterator[Difference]:
    for one in differences(wanted.data, found, partly=partly):
        yield _placed(what, wanted.node, one)


def _placed(what: str, node: Node, one: DataDifference) -> Difference:
    return Difference(_innermost(node, one.path).location, f"{in_words(one.path, what)} {one.words}", one.size)


def _innermost(node: Node, path: Sequence[str | int]) -> Node:
    """Return the node at a path, or the last one on the way there."""
    for step in path:
        if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        elif isinstance(node, MappingNode) and step in node.entries:
            node = node.entries[str(step)].value
        else:
            break
    return node


def _of_expression(value: Value, happened: Happened) -> Iterator[Difference]:
    error = None if happened.error is None else {"message": happened.error, "code": happened.code}
    roots = {"result": happened.output, "inputs": happened.inputs, "error": error}
    source = getattr(value.node, "text", "").strip()
    try:
        found = value.render(roots)
    except ToolExecutionError as failed:
        yield Difference(value.node.location, f"{source} cannot be evaluated: {failed}", len(source))
        return
    if found is not True:
        yield Difference(value.node.location, f"{source} is {short(found)}, not true", len(source))


def _of_calls(case: Case, happened: Happened) -> Iterator[Difference]:
    expect = case.expect
    possible = _fitting(expect.calls or (), happened.calls).values() if case.specs else ()
    for call in (one for at, one in enumerate(happened.calls) if one.fault and at not in possible):
        yield Difference(case.name.location, call.fault, _GRAVE, grade="valid" if call.is_known else "tool")
    for word in expect.no_calls:
        if (one := next((made for made in happened.calls if made.tool == word.text), None)) is not None:
            yield Difference(word.location, f"'{word.text}' was called, with {short(one.arguments)}", 0, grade="tool")
    if case.is_choice and expect.calls is not None:
        yield from _of_choice(expect.calls, happened.calls, case)
    elif expect.calls is not None:
        named = {one.name.text for one in expect.calls}
        made = [one for one in happened.calls if (one.tool in named if named else one.tool != happened.target)]
        yield from _of_sequence("call", "was called", expect.calls, made, case)
    if expect.asked is not None:
        yield from _of_sequence("question", "was asked about", expect.asked, happened.asked, case)


def _of_choice(wanted: Sequence[Named], made: Sequence[Made], case: Case) -> Iterator[Difference]:
    """Compare the calls of one reply, which have no order unless the case says so."""
    pairs = _fitting(wanted, made)
    if case.expect.ordered and len(pairs) == len(wanted) == len(made):
        for at, (one, other) in enumerate(zip(wanted, made, strict=True)):
            if one.name.text != other.tool or any(_of_chosen(one, other)):
                words = f"call {at + 1} is '{other.tool}' with {short(other.arguments)}, so the order is another one"
                yield Difference(one.name.location, words, 0, grade="tool")
                break
    missing = [one for at, one in enumerate(wanted) if at not in pairs]
    extra = [one for at, one in enumerate(made) if at not in pairs.values()]
    for one in list(missing):
        same = next((other for other in extra if other.tool == one.name.text), None)
        if same is not None:
            missing.remove(one)
            extra.remove(same)
            yield from _of_chosen(one, same)
    for one, other in zip(missing, extra, strict=False):
        yield Difference(one.name.location, f"'{other.tool}' is called, not '{one.name.text}'", 0, grade="tool")
    for one in missing[len(extra) :]:
        yield Difference(one.name.location, f"'{one.name.text}' is not called", 0, grade="tool")
    for other in extra[len(missing) :]:
        place = wanted[-1].name.location if wanted else case.name.location
        words = f"'{other.tool}' is called needlessly, with {short(other.arguments)}"
        yield Difference(place, words, 0, grade="needless")


def _of_skills(wanted: Word, loaded: Sequence[str]) -> Iterator[Difference]:
    others = [one for one in dict.fromkeys(loaded) if one != wanted.text]
    if wanted.text not in (NO_SKILL, *loaded):
        words = f"the skill '{others.pop(0)}' is loaded, not '{wanted.text}'" if others else ""
        yield Difference(wanted.location, words or f"the skill '{wanted.text}' is not loaded", 0, grade="tool")
    for one in others:
        yield Difference(wanted.location, f"the skill '{one}' is loaded needlessly", 0, grade="needless")


def _of_chosen(wanted: Named, made: Made) -> Iterator[Difference]:
    if wanted.value is None:
        return
    arguments, written = made.arguments, wanted.value.data or {}
    if isinstance(arguments, dict) and isinstance(written, dict):
        optional = {name for name, one in written.items() if isinstance(one, Matcher) and one.may_be_missing}
        all_of = {name: value for name, value in made.defaults.items() if name not in optional} | arguments
        arguments = {
            name: value for name, value in all_of.items() if name in written or made.defaults.get(name, ...) != value
        }
    for found in _of_data(made.tool, wanted.value, arguments):
        yield found._replace(grade="arguments")


def _fitting(wanted: Sequence[Named], made: Sequence[Made]) -> dict[int, int]:
    """Return a call for as many of the expected ones as possible, by their positions."""
    fits = [
        [at for at, call in enumerate(made) if call.tool == one.name.text and not any(_of_chosen(one, call))]
        for one in wanted
    ]
    owners: dict[int, int] = {}

    def place(one: int, seen: set[int]) -> bool:
        for at in fits[one]:
            if at not in seen:
                seen.add(at)
                if at not in owners or place(owners[at], seen):
                    owners[at] = one
                    return True
        return False

    for one in range(len(wanted)):
        place(one, set())
    return {one: at for at, one in owners.items()}


def _of_sequence(
    what: str, verb: str, wanted: Sequence[Named], made: Sequence[Made], case: Case
) -> Iterator[Difference]:
    for at, one in enumerate(wanted):
        tool = one.name.text
        if at < len(made) and made[at].tool == tool:
            if one.value is not None:
                yield from _of_made(f"{what} {at + 1}: {tool}", one.value, made[at])
            continue
        listed = ", ".join(other.tool for other in made) or "none"
        if at >= len(made):
            words = f"{what} {at + 1}, '{tool}', is missing (there are {len(made)}: {listed})"
        else:
            words = f"{what} {at + 1} is '{made[at].tool}', not '{tool}' (all: {listed})"
        yield Difference(one.name.location, words, 0)
    for extra in made[len(wanted) :]:
        place, more = (wanted[-1].name.location, " once more") if wanted else (case.name.location, "")
        yield Difference(place, f"'{extra.tool}' {verb}{more}, with {short(extra.arguments)}", 0)


def _of_made(what: str, wanted: Written, made: Made) -> Iterator[Difference]:
    if isinstance(wanted.data, str):
        if wanted.data not in made.text:
            words = f"{what} shows {short(made.text)}, without {short(wanted.data)}"
            yield Difference(wanted.node.location, words, len(made.text))
        return
    yield from _of_data(what, wanted, made.arguments)


def _of_files(files: Mapping[str, Written], happened: Happened) -> Iterator[Difference]:
    for name, wanted in files.items():
        found, place = happened.files.get(name), wanted.node.location
        if found is None and wanted.data is not None:
            yield Difference(place, f"there is no file '{name}'", 0)
        elif found is not None and wanted.data is None:
            yield Difference(place, f"there is a file '{name}'", 0)
        elif found is not None:
            yield from _of_data(f"the file '{name}'", wanted, found)


def _of_events(events: Sequence[Named], happened: Happened) -> Iterator[Difference]:
    left = iter(happened.events)
    for at, one in enumerate(events):
        if not any(_fits(one, event) for event in left):
            nearest = _nearest(one, happened.events)
            yield Difference(one.name.location, f"event {at + 1}, '{one.name.text}', is missing{nearest}", 0)
            return


def _fits(wanted: Named, event: Mapping[str, Any]) -> bool:
    if event["event"] != wanted.name.text:
        return False
    return wanted.value is None or not any(differences(wanted.value.data, event, partly=True))


def _nearest(wanted: Named, events: Iterable[Mapping[str, Any]]) -> str:
    """Describe the event of the same kind that differs least."""
    of_kind = [event for event in events if event["event"] == wanted.name.text]
    if wanted.value is None or not of_kind:
        return ""
    found = min((list(differences(wanted.value.data, event, partly=True)) for event in of_kind), key=len)
    return f": {in_words(found[0].path, wanted.name.text)} {found[0].words}" if found else ", or comes too early"


def _of_budgets(case: Case, happened: Happened) -> Iterator[Difference]:
    limits, place = case.expect.within, case.name.location
    if limits.time is not None and happened.seconds > limits.time:
        words = f"it took {happened.seconds:.3g} s, more than {format_duration(limits.time)}"
        yield Difference(place, words, 0)
    if limits.tokens is not None and happened.tokens > limits.tokens:
        yield Difference(place, f"it used {happened.tokens} tokens, more than {limits.tokens}", 0)
    if limits.cost is not None and happened.cost > limits.cost:
        yield Difference(place, f"it cost {money(happened.cost)}, more than {money(limits.cost)}", 0)
