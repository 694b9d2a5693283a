"""The format of a case file: its keys, which are read into cases, and its JSON Schema for editors."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from toolkit.approvals.decisions import ANSWERS, Decision
from toolkit.cases.case import Answer, Budgets, Case, CaseFile, Expected, Named, Stub, Written
from toolkit.cases.matchers import ExpressionMatcher
from toolkit.codes import BAD_EXPRESSION, DUPLICATE_KEY, NOT_FOUND, UNKNOWN_TOOL
from toolkit.documents.document_reader import Document, read_document, read_text
from toolkit.documents.keys import (
    REPORTED,
    VERSION,
    Key,
    Kind,
    Schema,
    as_written,
    is_number,
    is_text,
    names_of,
    one_or_more,
    schema_of,
    whole_number,
)
from toolkit.documents.node_keys import (
    DRAFT,
    DURATION,
    DURATION_SCHEMA,
    TEXT,
    WORD,
    NodeSpot,
    mapping_of,
    node,
    read_mapping,
    reference,
    spot_of,
    words,
)
from toolkit.documents.nodes import BoundedProblems, Mapping, Scalar, Sequence, TooManyProblems, Word, plain
from toolkit.documents.scalars import find_traps
from toolkit.events import Event
from toolkit.pipelines.step_keys import CONDITION
from toolkit.pipelines.templated_data import OPENING, expressions_in
from toolkit.problems import Problem, did_you_mean, errors_among, in_order
from toolkit.schemas.validation import Validator
from toolkit.sources.targets import Target, parse_target

_READABLE: Final = ("result", "inputs", "error")
"""What the expressions of a case can read."""
_MATCHES: Final = ("item",)
"""What the expressions in the arguments of a call can read."""
_ONLY_OF_CHOICES: Final = ("loop", "skills", "found", "ordered", "skill")
_OF_CHOICES: Final = {
    "name", "ask", "tools", "model", "expect", "calls", "not", "matches", "within", *_ONLY_OF_CHOICES
}  # fmt: skip
"""The keys of a case that asks a model, and of what it expects."""
_NEVER_OF_CHOICES: Final = {"run", "with", "snapshot"}
"""The keys that it never has; all others, it has with `loop`."""
_MOST_TURNS: Final = 20
"""The same as the default limit of agents."""
_SAYS: Final = {"edit": "arguments", "answer": "text"}
"""What follows the word of an answer; after the others, it is the reason."""


# --------------------------------------------------------------------------------------------------- answers and stubs


def _answer(spot: NodeSpot) -> Answer | None:
    tool = _only(spot, "{refund: approve}")
    if tool is None:
        return None
    decision = _decision(tool)
    return None if decision is None else Answer(tool.name_word, decision)


def _decision(spot: NodeSpot) -> Decision | None:
    spot = spot._replace(words=f"the answer to {spot.name_word.text!r}")
    word, said = spot.text, None
    if isinstance(spot.node, Mapping) and (inner := _only(spot, "{reject: reason}")) is not None:
        word, said = inner.name_word.text, plain(inner.at)
    if word not in ANSWERS:
        listed = ", ".join(ANSWERS)
        spot.report(f"{spot.words} must be one of {listed}", did_you_mean(word, ANSWERS))
        return None
    found = _decided(word, said)
    if found is None:
        spot.report(f"{spot.words} lacks its {_SAYS[word]}", f"write {{{word}: …}}")
    return found


def _decided(word: str, said: Any) -> Decision | None:
    known = ANSWERS.get(word)
    return None if known is None else known.read({} if said is None else {_SAYS.get(word, "reason"): said})


def decision_in(data: Any) -> Decision:
    """Return the decision in an answer as plain data: `approve`, or `{"reject": "too much"}`.

    Raises:
        ValueError: If it is not an answer.
    """
    [(word, said)] = data.items() if isinstance(data, dict) and len(data) == 1 else [(data, None)]
    found = _decided(word, said) if isinstance(word, str) else None
    if found is None:
        message = f"{data!r} is not an answer; the answers are {', '.join(ANSWERS)}"
        raise ValueError(message)
    return found


def _only(spot: NodeSpot, example: str) -> NodeSpot | None:
    """Return the position of the only value of a mapping, or report that it is not such a mapping."""
    if isinstance(spot.node, Mapping) and len(spot.node.entries) == 1:
        return spot.inner[0]
    spot.wrong("a mapping with one key", f"write {example}")
    return None


def _answers(written: Any, spot: NodeSpot) -> tuple[Answer, ...] | None:
    if not isinstance(written, list):
        return None
    return tuple(found for one in spot.items("an answer") if (found := _answer(one)) is not None)


def _stubs(_: Any, spot: NodeSpot) -> tuple[Stub, ...] | None:
    return tuple(map(_stub, spot.inner)) if isinstance(spot.node, Mapping) else None


def _stub(spot: NodeSpot) -> Stub:
    if isinstance(spot.node, Sequence):
        if not spot.node.items:
            spot.report(f"the stub of {spot.name_word.text!r} has no results", "list a result for each call")
        return Stub(spot.name_word, tuple(map(plain, spot.node.items)), in_turn=True)
    return Stub(spot.name_word, (plain(spot.at),))


# --------------------------------------------------------------------------------------------------- texts and values


def _written(_: Any, spot: NodeSpot) -> Written:
    return Written.of(spot.at)


def _arguments(written: Any, spot: NodeSpot) -> Any:
    if isinstance(spot.node, Mapping):
        return plain(spot.node)
    return written if isinstance(written, str) else None


def _files(_: Any, spot: NodeSpot) -> dict[str, str] | None:
    """Read the files of a case: the text of each, or the path of a file with the text."""
    if not isinstance(spot.node, Mapping):
        return None
    found = {one.name_word.text: _file(one) for one in spot.inner if _is_inside(one)}
    return {name: text for name, text in found.items() if text is not None}


def _file(spot: NodeSpot) -> str | None:
    if isinstance(spot.node, Scalar):
        return spot.text
    path = (read_mapping(spot, _FILE, "the text, or {file: path}") or {}).get("file")
    if path is None:
        return None
    text = read_text(Path(spot.location.file).parent / path, path)
    if isinstance(text, Problem):
        spot.report(text.message, text.hint)
        return None
    return text


def _expected_files(_: Any, spot: NodeSpot) -> dict[str, Written] | None:
    if not isinstance(spot.node, Mapping):
        return None
    found = {}
    for one in spot.inner:
        if not isinstance(one.node, Scalar):
            one.wrong("the text of the file, or null if there is none")
        elif _is_inside(one):
            found[one.name_word.text] = Written(None if one.is_nothing else one.text, one.at)
    return found


def _is_inside(spot: NodeSpot) -> bool:
    path = PurePosixPath(spot.name_word.text)
    if path.is_absolute() or ".." in path.parts or path == PurePosixPath():
        spot.report_key(f"the file {str(path)!r} is not inside the folder of the case", "write a relative path")
        return False
    return True


def _error(written: Any, spot: NodeSpot) -> Any:
    return spot.word if is_text(written) else True if written is True else None


def _turns(written: Any, _: NodeSpot) -> int | None:
    if written is True:
        return _MOST_TURNS
    return written if type(written) is int and written > 0 else None


def _code(written: Any, spot: NodeSpot) -> Written | None:
    return Written.of(spot.at) if is_text(written) or type(written) is int else None


def _pattern(written: Any, spot: NodeSpot) -> Any:
    if not isinstance(written, str):
        return None
    try:
        re.compile(written)
    except re.error as error:
        spot.report(f"{spot.words} is not a regular expression: {error}")
        return REPORTED
    return spot.word


def _schema(_: Any, spot: NodeSpot) -> Any:
    if not isinstance(spot.node, Mapping):
        return None
    try:
        return Validator(plain(spot.node)), spot.place_of_key
    except ValueError as error:
        spot.report(f"{spot.words} is not a JSON Schema: {error}")
        return REPORTED


def _expression(written: Any, spot: NodeSpot, readable: tuple[str, ...] = _READABLE) -> Any:
    value = CONDITION.read(written, spot)
    for located in expressions_in(None if value is REPORTED else value):
        for one in located.expression.references:
            if one.root not in readable:
                message, hint = f"a case cannot read '{one.root}'", f"it can read {', '.join(readable)}"
                spot.origin.problems.append(Problem(BAD_EXPRESSION, message, located.locate(one), hint=hint))
    return value


# ------------------------------------------------------------------------------------------- calls, questions, events


def _matched(spot: NodeSpot) -> Any:
    """Return expected data in which expressions have become matchers."""
    if isinstance(spot.node, Mapping):
        return {one.name_word.text: _matched(one) for one in spot.inner}
    if isinstance(spot.node, Sequence):
        return [_matched(one) for one in spot.items("an item")]
    if not (isinstance(spot.written, str) and spot.written.lstrip().startswith(OPENING)):
        return plain(spot.at)
    value = _expression(spot.written, spot, _MATCHES)
    return None if value is REPORTED else ExpressionMatcher(value)


def _named(
    words_of_item: str,
    example: str,
    *,
    known: tuple[str, ...] = (),
    value: Callable[[NodeSpot], Any] = lambda spot: plain(spot.at),
) -> Kind:
    """Return the kind of a list of names, each alone or with what else is expected."""

    def read_one(spot: NodeSpot) -> Named | None:
        if is_text(spot.written):
            found = Named(spot.word)
        elif (inner := _only(spot, example)) is not None:
            found = Named(inner.name_word, None if inner.is_nothing else Written(value(inner), inner.at))
        else:
            return None
        if known and found.name.text not in known:
            hint = did_you_mean(found.name.text, known)
            spot.report(f"there is no {words_of_item.partition(' ')[2]} '{found.name.text}'", hint)
            return None
        return found

    def read(written: Any, spot: NodeSpot) -> tuple[Named, ...] | None:
        if not isinstance(written, list):
            return None
        return tuple(found for one in spot.items(words_of_item) if (found := read_one(one)) is not None)

    item = {"anyOf": [{"type": "string"}, {"type": "object", "minProperties": 1, "maxProperties": 1}]}
    return node("a list", read, {"type": "array", "items": item}, f"[{example}]")


_EVENTS: Final = tuple(kind.kind for kind in Event.__subclasses__())


# ---------------------------------------------------------------------------------------------------------------- keys

_LARGEST_EXIT: Final = 255
_ANY: Final = node("any value", _written, {})
_TRUE: Final = as_written("true", "true", {"const": True}, lambda one: one is True)
_COUNT: Final = whole_number(0, words="a whole number, zero or more")
_MONEY: Final = as_written(
    "number", "a number", {"type": "number", "minimum": 0}, lambda one: is_number(one) and one >= 0
)
_EXIT: Final = as_written(
    "whole number",
    "a whole number from 0 to 255",
    {"type": "integer"},
    lambda one: type(one) is int and 0 <= one <= _LARGEST_EXIT,
)
_ONE_OR_MORE: Final = {"type": "integer", "minimum": 1}
_CHOICE: Final = {"required": ["ask", "expect"], "anyOf": [{"required": ["tools"]}, {"required": ["skills"]}]}
_TEXTS_OF_FILES: Final = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}}
_CONDITION: Final = replace(CONDITION, read=_expression, schema={"type": ["string", "boolean"]})
# fmt: off
_FILE: Final = (Key("file", TEXT, "the path of a file with the text, relative to the case file", required=True),)
WITHIN: Final = (
    Key("time", DURATION, "time, not counting time spent waiting for an answer; a call that takes longer is ended"),
    Key("tokens", _COUNT, "tokens of models, sent and received"),
    Key("cost", _MONEY, "the cost of models in US dollars"),
)
EXPECT: Final = (
    Key("output", _ANY, "the whole output"),
    Key("subset", _ANY, "a part of the output: a mapping may have more keys; all items of a list count"),
    Key("schema", node("a JSON Schema", _schema, {"type": "object"}), "the JSON Schema of the output"),
    Key("matches", node("a regular expression", _pattern, {"type": "string"}, advice=TEXT.advice),
        "a regular expression that matches somewhere in the output's text"),
    Key("that", one_or_more(_CONDITION, "expressions"),
        "expressions that are true, such as `${{ len(result) == 2 }}`; they read `result`, `inputs` and `error`"),
    Key("error", node("a part of the message, or true", _error, {"type": ["string", "boolean"]}),
        "a part of the error message, or `true` for any error"),
    Key("code", node("text or a whole number", _code, {"type": ["string", "integer"]}), "the code of the error"),
    Key("exit", _EXIT, "the exit code that `toolkit run` would have", take=_written),
    Key("calls", _named("a call", "{refund: {order: A-17}}", value=_matched),
        "all calls of the tools that are named here, in order: names, or `{name: {arguments}}`, where an argument "
        "can be an expression that reads it as `item`; `[]`: `run` calls no other tool. With `ask`, all calls, in any "
        "order"),
    Key("ordered", _TRUE, "with `ask`: whether the calls have to be in this order"),
    Key("not", words("a tool"), "tools that are not called; a name that `run` cannot call is an error",
        field="no_calls"),
    Key("asked", _named("a question", "{refund: {order: A-17}}"),
        "all questions, in order: the tool, with its arguments or a text that is shown, if you like"),
    Key("files", node("a mapping", _expected_files, _TEXTS_OF_FILES),
        "the texts of files in the folder of the case; `null` if the file must not exist"),
    Key("events", _named("an event", "{step_finished: {path: mail}}", known=_EVENTS),
        "events that happen in this order, with some of their fields; others may happen in between"),
    Key("within",
        mapping_of(WITHIN, lambda values: Budgets(**values), example="{time: 2s}", schema=reference("within")),
        "what the case may spend: `time`, `tokens` and `cost`"),
    Key("skill", WORD, "with `skills`: the skill that is loaded, or `none`"),
    Key("found", whole_number(1, words="a whole number, one or more"),
        "with `ask`, and without a model: each search for tools finds those in `calls` among so many of the first",
        take=_written),
)
CASE: Final = (
    Key("name", WORD, "what the case shows", required=True),
    Key("run", WORD, "what is run, as in `toolkit run`; paths are relative to this file"),
    Key("ask", WORD, "instead of `run`: what a model is asked, whose calls are compared, and without `loop` not made"),
    Key("tools", words("a target", or_one=True), "with `ask`: the tools that it is offered: files, modules or names"),
    Key("skills", words("a folder", or_one=True),
        "with `ask`: the folders of skills whose names and descriptions it is offered"),
    Key("loop", node("true, or a whole number, one or more", _turns, {"anyOf": [{"const": True}, _ONE_OR_MORE]}),
        "with `ask`: whether the whole conversation is judged, whose calls are made or stubbed; or how many replies it "
        f"may have ({_MOST_TURNS})", field="turns"),
    Key("with", node("a mapping, or text", _arguments, {"type": ["object", "string"]}),
        "the arguments; a text for a tool with one parameter", field="arguments"),
    Key("model", WORD, "the model of agents, or the one that is asked, such as `scripted:replies.yaml`"),
    Key("answers", node("a list", _answers, {"type": "array", "items": {"type": "object"}}, "[{refund: approve}]"),
        "the answers to questions, by tool: `approve`, `reject`, `stop`, `{edit: {arguments}}` or `{answer: text}`; "
        "every one must be needed, and a question without an answer fails the case"),
    Key("stub", node("a mapping", _stubs, {"type": "object"}, "{mail: sent}"),
        "tools that are not called, and what they return: a value, `{error: message, code: code}`, or a list of these, "
        "one for each call", field="stubs"),
    Key("files", node("a mapping", _files, {"type": "object"}),
        "the files of an empty folder in which the case runs: texts, or `{file: path}`; without it, the case runs in "
        "the folder of this file"),
    Key("snapshot", _TRUE,
        "whether `toolkit test --update` may rewrite the expected `output`",
        take=lambda _, spot: spot.place_of_key),
    Key("expect",
        mapping_of(EXPECT, lambda values: Expected(**values), example="{output: …}", schema=reference("expect")),
        "what is expected; without `error`, `code` and `exit`, success"),
)
# fmt: on
CASE_KEYS: Final = names_of(CASE)
_KEYS_BY_FIELD: Final = {key.field: key.name for key in (*CASE, *EXPECT) if key.field}


def _cases(written: Any, spot: NodeSpot) -> tuple[Case, ...] | None:
    if not isinstance(written, list):
        return None
    if not written:
        spot.report("there are no cases", "write a case: {name: …, run: …}")
    found = [_case(one, at) for at, one in enumerate(spot.items("a case"))]
    cases = tuple(one for one in found if one is not None)
    first: dict[str, Word] = {}
    for case in cases:
        before = first.setdefault(case.name.text, case.name)
        if before is not case.name:
            related = ((before.location, "the first one"),)
            message = f"two cases are called {case.name.text!r}"
            spot.origin.problems.append(Problem(DUPLICATE_KEY, message, case.name.location, related=related))
    spot.origin.problems.extend(_wrong_targets(case.run for case in cases if not (case.tools or case.skills)))
    return cases


def _wrong_targets(words: Iterable[Word]) -> Iterator[Problem]:
    """Yield a problem for each target that does not exist; many cases have the same target."""
    known: dict[str, Target | Problem] = {}
    for word in words:
        if word.text not in known:
            known[word.text] = parse_target(word.text, Path(word.location.file).parent)
        if isinstance(found := known[word.text], Problem):
            code = UNKNOWN_TOOL if found.code == NOT_FOUND else found.code
            yield replace(found, code=code, location=word.location)


def _case(spot: NodeSpot, position: int) -> Case | None:
    values = read_mapping(spot, CASE, "{name: …, run: …}")
    if not values or "name" not in values or _is_no_kind(spot, values):
        return None
    if "ask" in values:
        return Case(location=spot.location, position=position, run=values.pop("ask"), **values)
    expect = values.get("expect", Expected())
    if expect.output is not None and expect.subset is not None:
        spot._replace(node=expect.subset.node).report("'output' already is all of it", "remove 'subset' or 'output'")
    return Case(location=spot.location, position=position, **values)


def _is_no_kind(spot: NodeSpot, values: dict[str, Any]) -> bool:
    """Report if a case is neither something to run nor a complete choice, and return whether it is none."""
    expect = values.get("expect", Expected())
    given = {_KEYS_BY_FIELD.get(name, name) for name in (*values, *_given(expect))}
    if "ask" not in values:
        only = [name for name in _ONLY_OF_CHOICES if name in given]
        if only:
            spot.report(f"'{only[0]}' is only for a case with 'ask'", f"remove '{only[0]}'")
        elif "tools" in values:
            spot.report("'tools' are offered to a model that is asked", "add 'ask', or remove 'tools'")
        elif "run" not in values:
            spot.report("a case needs 'run'", "write {name: …, run: …} or {name: …, ask: …, tools: […]}")
        return bool(only) or "run" not in values or "tools" in values
    is_loop = "turns" in values
    others = sorted(given & _NEVER_OF_CHOICES if is_loop else given - _OF_CHOICES)
    if others:
        hint = f"remove '{others[0]}'" if others[0] in _NEVER_OF_CHOICES else "add 'loop: true'"
        spot.report(f"'{others[0]}' is not for a case that asks a model", hint)
    elif not (values.get("tools") or values.get("skills")):
        spot.report("a case with 'ask' needs 'tools'", "add tools: [file.py], or skills: [folder]")
    elif "skill" in given and "skills" not in given:
        spot.report("'skill' needs 'skills', from which the model chooses", "add skills: [folder]")
    elif not _given(expect):
        spot.report("a case with 'ask' expects nothing", "add expect: {calls: […]}")
    elif expect.found is not None and not (
        expect.calls and _given(expect) == {"found", "calls"} and given.isdisjoint({"loop", "skills"})
    ):
        spot.report("'found' needs 'calls', which names the tools that are looked for, and nothing else")
    else:
        return False
    return True


def _given(expect: Expected) -> set[str]:
    return {name for name, one in zip(expect._fields, expect, strict=True) if one != Expected._field_defaults[name]}


TOP: Final = (
    Key("toolkit", VERSION, "the version of the format; optional"),
    Key(
        "cases",
        node("a list", _cases, {"type": "array", "items": reference("case")}, "[…]"),
        "the cases",
        required=True,
    ),
)


def read_cases(path: Path, document: Document | None = None) -> tuple[CaseFile | None, list[Problem]]:
    """Read the cases of a file.

    Args:
        path: The file.
        document: The file's document, if it has been read already.

    Returns:
        The cases, or `None` if any problem is an error, and all problems in the order of their locations.
    """
    root, found = document or read_document(path)
    if root is None:
        return None, found
    problems = BoundedProblems(found)
    try:
        problems += find_traps(root)
        values = read_mapping(spot_of(root, "a case file", problems), TOP, "'cases:' followed by a list") or {}
    except TooManyProblems:
        return None, in_order(problems.closed(str(path)))
    file = None if errors_among(problems) else CaseFile(path, values.get("cases", ()))
    return file, in_order(problems)


def case_schema() -> Schema:
    """Return the JSON Schema (draft-07) of case files."""
    return {
        "$schema": DRAFT,
        "title": "Cases",
        "description": "What tools, pipelines and agents should do; `toolkit test` and pytest run them.",
        **schema_of(TOP),
        "definitions": {
            "case": schema_of(CASE) | {"oneOf": [{"required": ["run"]}, _CHOICE]},
            "expect": schema_of(EXPECT),
            "within": schema_of(WITHIN),
            "duration": DURATION_SCHEMA,
        },
    }
