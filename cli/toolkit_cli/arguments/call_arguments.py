"""Collects the arguments of a call from the command line and stdin, and reports all problems with them."""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from toolkit.errors import Signal, ToolArgumentsError, ToolExecutionError
from toolkit.problems import Problem, did_you_mean
from toolkit.tools.base import Tool
from toolkit.tools.calls.foreign_values import describe_error
from toolkit.tools.calls.json_data import is_encodable, loads
from toolkit.tools.shapes.argument_schemas import unknown_members
from toolkit_cli.arguments.assignments import (
    USAGE,
    Assignment,
    Schemas,
    TextPlace,
    arguments_meant,
    read_assignment,
    read_text_file,
    text_place,
    with_file_read,
)

_MEMBER = re.compile(r"[.\[]")


class Given(NamedTuple):
    """The arguments on the command line, before parsing.

    Attributes:
        words: The words after the target.
        whole: The value of `--args`, if any: a JSON object, `@file`, or `-` for stdin.
        text: The value of `--input`, if any; `-` for stdin.
        piped: Reads stdin; `None` if nothing is piped in.
    """

    words: Sequence[str] = ()
    whole: str | None = None
    text: str | None = None
    piped: Callable[[], str | Problem] | None = None


class Gathered(NamedTuple):
    """The parsed arguments of a call.

    Attributes:
        arguments: The values by name.
        missing: Names of required arguments without a value.
        problems: Problems with the arguments.
        unread: Names of arguments whose value could not be read; they do not count as missing.
    """

    arguments: dict[str, Any]
    missing: list[str]
    problems: list[Problem]
    unread: set[str]

    @classmethod
    def nothing(cls, *problems: Problem) -> "Gathered":
        """Return an empty result with these problems."""
        return cls({}, [], [*problems], set())

    def refuse(self, name: str, problem: Problem) -> None:
        """Record a problem with an argument whose value could not be read."""
        self.unread.add(name)
        self.problems.append(problem)


class Objection(NamedTuple):
    """A tool's objection to an argument; the name is empty if it concerns all arguments."""

    argument: str
    problem: Problem


def gather_arguments(tool: Tool, given: Given) -> Gathered:
    """Collect the arguments of a call: first from `--args`, then from assignments, then from the text input."""
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
    """Return a Problem for each word that is not UTF-8; Python represents such bytes as lone surrogates."""
    return [
        Problem("", f"argument '{word.partition('=')[0]}' is not UTF-8 text")
        for word in (*given.words, given.whole, given.text)
        if word and not is_encodable(word)
    ]


def objections(tool: Tool, arguments: Mapping[str, Any]) -> list[Objection]:
    """Return the tool's objections to these arguments; missing arguments are not reported."""
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
    except BaseException as error:  # noqa: BLE001 - a custom tool class may raise anything
        return [Objection("", Problem("", f"tool {tool.name!r} cannot read its arguments: {describe_error(error)}"))]
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
    """Return the assignments by name, with files read, and the words that are not assignments."""
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
    """Add the arguments from `--args`; return whether they could be read."""
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
    """Return the value of an argument, or a Problem; repeated assignments make a list."""
    first, schema = several[0], schemas.of(name)
    if len(several) == 1:
        if first.form == "json" or (first.is_file and "string" not in schema.kinds()):
            return _json(first)
        return first.text if first.is_file else schemas.value(first.text, schema)
    if name in schemas.properties and "array" not in schema.kinds():
        return Problem("", f"argument '{first.name}' is given {len(several)} times, but is not a list")
    if any(assignment.form == "json" for assignment in several):
        return Problem("", f"argument '{first.name}' is given {len(several)} times; with :=, pass the whole list once")
    return schemas.items([assignment.text for assignment in several], schema)


def _json(assignment: Assignment) -> Any:
    try:
        return loads(assignment.text)
    except ValueError:
        hint = f"for plain text write {assignment.name}=…" if not assignment.is_file else None
        return Problem("", f"argument '{assignment.name}' is not JSON: {_why_no_json(assignment.text)}", hint=hint)


def _why_no_json(text: str) -> str:
    """Return why a text is not JSON, and where."""
    from toolkit.documents.json_reading import parse_json  # only mistakes need it

    _, [problem, *_] = parse_json(text, "")
    place = problem.location
    where = f", at line {place.line}, column {place.column}" if place is not None and place.line else ""
    return f"{problem.message.removeprefix('the JSON is broken: ')}{where}"


def _json_object(text: str, what: str) -> dict[str, Any] | Problem:
    try:
        value = loads(text)
    except ValueError:
        why = _why_no_json(text)
        return Problem("", f"{what} is not JSON: {why}", hint='it takes a JSON object, such as \'{"city": "Oslo"}\'')
    if not isinstance(value, dict):
        return Problem("", f"{what} is not a JSON object", hint='it takes a JSON object, such as \'{"city": "Oslo"}\'')
    return value


def _take_text(tool: Tool, schemas: Schemas, given: Given, texts: Sequence[str], gathered: Gathered) -> None:
    """Assign the text input, from a word, `--input` or stdin, to its parameter."""
    words = [*texts, *([given.text] if given.text is not None else [])]
    if len(words) > 1:
        listed = ", ".join(f"'{text}'" for text in words)
        hint = f"{USAGE}, or put text with spaces in quotes"
        gathered.problems.append(Problem("", f"expected one text as input, got {len(words)}: {listed}", hint=hint))
        return
    if texts and (meant := arguments_meant(texts[0], schemas.properties)) is not None:
        gathered.arguments.update(meant | gathered.arguments)
        return
    place = text_place(tool, schemas, gathered.arguments)
    if words:
        _put(tool, place, _input_text(given, words[0]), gathered)
    elif place.is_open and given.piped is not None and given.whole != "-" and (text := given.piped()):
        _put(tool, place, text, gathered)


def _input_text(given: Given, text: str) -> str | Problem:
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
        return Problem("", f"argument '{place.parameter}' is given twice", hint="pass it once")
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
    """Report unknown keys of nested objects, which the tool would ignore."""
    for one in unknown_members(tool.spec.parameters, arguments) if tool.ignores_unknown else ():
        if one.around:
            hint = one.meant or f"it takes {', '.join(one.known) or 'none'}"
            problems.append(Problem("", f"{tool.name} has no argument '{one.path}'", hint=hint))


def piped_text() -> Callable[[], str | Problem] | None:
    """Return a function that reads stdin, or `None` if stdin is a terminal or closed.

    Stdin is only read if the text is needed, since a pipe without a writer would block.
    """
    stdin = sys.stdin
    try:
        mode = os.fstat(stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # closed, or replaced in a test
        return None
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return None
    return _read


def _read() -> str | Problem:
    """Return the text on stdin without its last newline, which `echo` and most files add."""
    try:
        return sys.stdin.buffer.read().decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        return Problem("", f"stdin is not UTF-8 text (byte {error.start} is not)")
