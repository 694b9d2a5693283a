"""Reads files of the Berkeley Function-Calling Leaderboard as cases: a request, the tools, and all possible answers.

A file has one question on each line. Its answers are in the file with the same name in the folder `possible_answer`
beside it; a file of irrelevant tools has none, and no tool should be called. Some possible answers do not fit the
schemas of the same file, and are right nevertheless.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from toolkit.cases.case import Case, CaseFile, Expected, Named, Written
from toolkit.cases.matchers import PossibleAnswers
from toolkit.codes import BROKEN_DOCUMENT
from toolkit.documents.nodes import Scalar, Word
from toolkit.errors import InvalidTools
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_bytes
from toolkit.tools.definition.spec import ToolSpec

_LARGEST: Final = 256 * 1024 * 1024
_ANSWERS: Final = "possible_answer"
_NO_ANSWERS: Final = "irrelevance"
_TYPES: Final = {"dict": "object", "float": "number", "tuple": "array", "any": None}
"""The types of these files that JSON Schema names in another way."""


def read_bfcl(path: Path) -> tuple[CaseFile | None, list[Problem]]:
    """Read the questions of a file as cases, or return what is wrong."""
    reading = path
    try:
        questions = _lines(path)
        answers = {}
        if _NO_ANSWERS not in path.name:
            reading = path.parent / _ANSWERS / path.name
            answers = {one["id"]: one["ground_truth"] for one in _lines(reading)}
        cases = [
            _case(one, Location(str(path), at + 1), at, answers.get(one["id"], [])) for at, one in enumerate(questions)
        ]
    except OSError as error:
        return None, [Problem(BROKEN_DOCUMENT, f"'{reading}' cannot be read: {error.strerror}", Location(str(path)))]
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, InvalidTools) as error:
        message = f"it does not have the format of the leaderboard: {type(error).__name__}: {error}"
        return None, [Problem(BROKEN_DOCUMENT, message, Location(str(reading)))]
    return CaseFile(path, tuple(cases)), []


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bounded_bytes(path, most=_LARGEST).decode().split("\n") if line.strip()]


def _case(question: Mapping[str, Any], place: Location, position: int, answers: list[dict[str, Any]]) -> Case:
    calls = tuple(
        Named(Word(_name(name), place), _written(arguments, place))
        for answer in answers
        for name, arguments in answer.items()
    )
    specs = (
        ToolSpec(_name(one["name"]), one["description"], _schema(one["parameters"])) for one in question["function"]
    )
    request = "\n\n".join(said["content"] for said in question["question"][0])
    return Case(
        name=Word(question["id"], place),
        run=Word(request, place),
        location=place,
        position=position,
        specs=tuple(specs),
        expect=Expected(calls=calls),
    )


def _name(name: str) -> str:
    """Return a name that providers accept, as the leaderboard does."""
    return name.replace(".", "_")


def _written(arguments: Mapping[str, list[Any]], place: Location) -> Written:
    possible = {name: PossibleAnswers(values) for name, values in arguments.items()}
    return Written(possible, Scalar(None, "", plain=True, place=place))


def _schema(part: Any) -> Any:
    """Return a schema with the types of JSON Schema."""
    if isinstance(part, list):
        return [_schema(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {name: _schema(value) for name, value in part.items()}
    kind = found.get("type")
    if isinstance(kind, str) and kind in _TYPES:
        found |= {"type": _TYPES[kind]}
    return {name: value for name, value in found.items() if not (name == "type" and value is None)}
