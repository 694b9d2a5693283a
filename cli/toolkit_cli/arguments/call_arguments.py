"""All arguments of one call on the command line, put together and judged at once."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from toolkit.errors import Signal, ToolArgumentsError, ToolExecutionError
from toolkit.problems import Problem, did_you_mean
from toolkit.tools.base import Tool
from toolkit.tools.exact_numbers import loads
from toolkit.tools.foreign_values import words_of
from toolkit.tools.json_data import is_encodable
from toolkit.tools.shapes.unknown_members import unknown_members
from toolkit_cli.arguments.assignments import Assignment, read_assignment, read_text_file, with_file_read
from toolkit_cli.arguments.conversion import Schemas
from toolkit_cli.arguments.json_words import arguments_meant
from toolkit_cli.arguments.text_places import USAGE, TextPlace, text_place

_MEMBER = re.compile(r"[.\[]")


class Given(NamedTuple):
    """What the command line gives.

    Attributes:
        words: The words after the target.
        whole: The text of `--args`, if it was used: a JSON object, `@file`, or `-` for stdin.
        text: The text of `--input`, if it was used; `-` for stdin.
        piped: Reads what was piped into stdin; `None` if nothing was.
    """

    words: Sequence[str] = ()
    whole: str | None = None
    text: str | None = None
    piped: Callable[[], str | Problem] | None = None


class Gathered(NamedTuple):
    """What is known of the arguments of a call.

    Attributes:
        arguments: Those that are known.
        missing: The names of those that are still missing.
        problems: What is wrong.
        unread: The names of those that were given, but cannot be read: they are not missing.
    """

    arguments: dict[str, Any]
    missing: list[str]
    problems: list[Problem]
    unread: set[str]

    @classmethod
    def nothing(cls, *problems: Problem) -> "Gathered":
        """Return that nothing is known yet, and what is wrong."""
        return cls({}, [], [*problems], set())

    def refuse(self, name: str, problem: Problem) -> None:
        """Keep that an argument was given and cannot be read."""
        self.unread.add(name)
        self.problems.append(problem)


class Objection(NamedTuple):
    """A tool's objection to one argument; the name is empty if it is about them all."""

    argument: str
    problem: Problem


def gather_arguments(tool: Tool, given: Given) -> Gathered:
    """Put the arguments of a call together: `--args` first, then the words, then the text where it belongs."""
    if undecoded := _undecoded(given):
        return Gathered.nothing(*undecoded)
    schemas = Schemas(tool.spec.parameters)
    gathered = Gathered.nothing()
    assignments, texts = _sorted_words(given.words, schemas, gathered)
    whole_is_known = given.whole is None or _take_whole(given, gathered)
    _take_assignments(assignments, schemas, gathered)
    _take_text(tool, schemas, given, texts, gathered)
    _refuse_unknown(tool, dict.fromkeys([*gathered.arguments, *assignments]), gathered.problems)
    _refuse_unknown_inside(tool, gathered.arguments, gathered.problems)
    if whole_is_known:
        known = gathered.unread.union(gathered.arguments)
        gathered.missing.extend(name for name in tool.spec.required if name not in known)
    return gathered


def _undecoded(given: Given) -> list[Problem]:
    """Return a Problem for each word whose bytes are not UTF-8: Python hands them on as halves of characters."""
    return [
        Problem("", f"argument '{word.partition('=')[0]}' is not UTF-8 text")
        for word in (*given.words, given.whole, given.text)
        if word and not is_encodable(word)
    ]


def objections(tool: Tool, arguments: Mapping[str, Any]) -> list[Objection]:
    """Return the tool's objections to these arguments, each by itself; missing ones are not among them."""
    try:
        tool.describe(tool.parse(arguments))
    except (ToolArgumentsError, ToolExecutionError) as error:
        if not isinstance(error, ToolArgumentsError) or not error.faults:
            text = str(error)
            return [Objection("", Problem("", text[:1].lower() + text[1:]))]
        schemas = Schemas(tool.spec.parameters)
        return [_objection(path, reason, arguments, schemas) for path, reason in error.wrong.items()]
    except (Signal, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - a tool of a class of one's own may raise anything
        return [Objection("", Problem("", f"tool {tool.name!r} cannot read its arguments: {words_of(error)}"))]
    return []


def _objection(path: str, reason: str, arguments: Mapping[str, Any], schemas: Schemas) -> Objection:
    name, hint = _MEMBER.split(path, maxsplit=1)[0], None
    if isinstance(value := arguments.get(name), str):
        choices = [choice for choice in schemas.choices(schemas.of(name)) if isinstance(choice, str)]
        hint = did_you_mean(value, choices) if choices else None
    message = f"invalid parameter {path!r}: {reason}" if path else f"invalid arguments: {reason}"
    return Objection(name, Problem("", message, hint=hint))


def _sorted_words(
    words: Iterable[str], schemas: Schemas, gathered: Gathered
) -> tuple[dict[str, list[Assignment]], list[str]]:
    """Return the assignments by name, with their files read, and the words that assign nothing."""
    assignments: dict[str, list[Assignment]] = {}
    texts: list[str] = []
    for word in words:
        assignment = read_assignment(word, schemas.properties)
        if assignment is None:
            texts.append(word)
            continue
        read = with_file_read(assignment)
        if isinstance(read, Problem):
            gathered.refuse(assignment.name, read)
        else:
            assignments.setdefault(read.name, []).append(read)
    return assignments, texts


def _take_whole(given: Given, gathered: Gathered) -> bool:
    """Take the arguments that `--args` gives; return whether they could be read."""
    text: str | Problem = given.whole or ""
    if given.whole == "-":
        text = (
            given.piped()
            if given.piped
            else Problem("", "--args - reads a JSON object from stdin, but nothing is piped in")
        )
    elif given.whole and given.whole.startswith("@"):
        text = read_text_file(given.whole[1:], "--args")
    value = text if isinstance(text, Problem) else _json_object(text, "--args")
    if isinstance(value, Problem):
        gathered.problems.append(value)
        return False
    gathered.arguments.update(value)
    return True


def _take_assignments(assignments: Mapping[str, list[Assignment]], schemas: Schemas, gathered: Gathered) -> None:
    for name, several in assignments.items():
        value = _assigned(several, name, schemas)
        if isinstance(value, Problem):
            gathered.refuse(name, value)
        else:
            gathered.arguments[name] = value


def _assigned(several: Sequence[Assignment], name: str, schemas: Schemas) -> Any:
    """Return the value of one argument, or the Problem with it; a repeated one makes a list."""
    first, schema = several[0], schemas.of(name)
    if len(several) == 1:
        if first.form == "json" or (first.is_file and "string" not in schema.kinds()):
            return _json(first)
        return first.text if first.is_file else schemas.value(first.text, schema)
    if name in schemas.properties and "array" not in schema.kinds():
        return Problem("", f"argument '{first.name}' is given {len(several)} times, but does not take a list")
    if any(assignment.form == "json" for assignment in several):
        return Problem("", f"argument '{first.name}' is given {len(several)} times; as JSON, give the whole list once")
    return schemas.items([assignment.text for assignment in several], schema)


def _json(assignment: Assignment) -> Any:
    try:
        return loads(assignment.text)
    except ValueError as error:
        hint = f"for plain text write {assignment.name}=…" if not assignment.is_file else None
        return Problem("", f"argument '{assignment.name}' is not JSON: {error}", hint=hint)


def _json_object(text: str, what: str) -> dict[str, Any] | Problem:
    try:
        value = loads(text)
    except ValueError as error:
        return Problem("", f"{what} is not JSON: {error}", hint='it takes a JSON object, such as \'{"city": "Oslo"}\'')
    if not isinstance(value, dict):
        return Problem("", f"{what} is not a JSON object", hint='it takes one, such as \'{"city": "Oslo"}\'')
    return value


def _take_text(tool: Tool, schemas: Schemas, given: Given, texts: Sequence[str], gathered: Gathered) -> None:
    """Put the text that the tool works on where it belongs: given as a word, by `--input`, or piped."""
    words = [*texts, *([given.text] if given.text is not None else [])]
    if len(words) > 1:
        listed = ", ".join(f"'{text}'" for text in words)
        hint = f"{USAGE}, or put a text of several words in quotes"
        gathered.problems.append(
            Problem("", f"only one text can be the input, but there are {len(words)}: {listed}", hint=hint)
        )
        return
    if texts and (meant := arguments_meant(texts[0], schemas.properties)) is not None:
        gathered.arguments.update(meant | gathered.arguments)
        return
    place = text_place(tool, schemas, gathered.arguments)
    if words:
        _put(tool, place, _said_text(given, words[0]), gathered)
    elif place.is_open and given.piped is not None and given.whole != "-" and (text := given.piped()):
        _put(tool, place, text, gathered)


def _said_text(given: Given, text: str) -> str | Problem:
    if given.text != "-":
        return text
    return given.piped() if given.piped else Problem("", "--input - reads text from stdin, but nothing is piped in")


def _put(tool: Tool, place: TextPlace, text: str | Problem, gathered: Gathered) -> None:
    if isinstance(text, Problem):
        gathered.problems.append(text)
    elif place.takes_object and isinstance(whole := _json_object(text, "the input"), dict):
        gathered.arguments.update(whole | gathered.arguments)
    elif place.parameter is not None and place.parameter not in gathered.arguments:
        gathered.arguments[place.parameter] = text
    else:
        gathered.problems.append(_misplaced(tool, place, text))


def _misplaced(tool: Tool, place: TextPlace, text: str) -> Problem:
    if place.parameter is not None:
        return Problem("", f"argument '{place.parameter}' is given twice", hint="give it once")
    if tool.pipe == "json" and isinstance(wrong := _json_object(text, "the input"), Problem):
        return wrong
    return Problem("", f"{tool.name} takes no text: '{text}'", hint=place.hint)


def _refuse_unknown(tool: Tool, names: Iterable[str], problems: list[Problem]) -> None:
    parameters = tool.spec.parameters
    if parameters.get("additionalProperties"):
        return
    known = list(tool.spec.properties)
    for name in names:
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            hint = did_you_mean(name, known, otherwise=takes)
            problems.append(Problem("", f"{tool.name} has no argument '{name}'", hint=hint))


def _refuse_unknown_inside(tool: Tool, arguments: Mapping[str, Any], problems: list[Problem]) -> None:
    """Report the keys of records, at any depth, that the tool would drop."""
    for one in unknown_members(tool.spec.parameters, arguments) if tool.ignores_unknown else ():
        if one.around:
            hint = one.meant or f"it takes {', '.join(one.known) or 'none'}"
            problems.append(Problem("", f"{tool.name} has no argument '{one.path}'", hint=hint))
