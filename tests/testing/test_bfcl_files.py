"""Files in the format of the Berkeley Function-Calling Leaderboard are cases: possible answers pass, others do not."""

import json
from typing import Any

import pytest

CLIMB = {
    "name": "hut.book",
    "description": "Book beds in a hut.",
    "parameters": {
        "type": "dict",
        "properties": {
            "hut": {"type": "string", "description": "The name of the hut."},
            "beds": {"type": "float", "description": "How many."},
            "days": {"type": "array", "items": {"type": "integer"}, "default": "every day"},
            "meals": {"type": "dict", "properties": {"kind": {"type": "string"}, "late": {"type": "boolean"}}},
        },
        "required": ["hut", "beds"],
    },
}
SKY = {
    "name": "sky",
    "description": "Forecast the weather.",
    "parameters": {"type": "dict", "properties": {"peak": {"type": "string"}}, "required": ["peak"]},
}
MEALS = {"kind": ["plain", "rich"], "late": [True, ""]}
BOOK = {
    "hut.book": {"hut": ["St. Mary's-hut", "Mary"], "beds": [2, 3.0, "N/A"], "days": [[3, 4], ""], "meals": [MEALS, ""]}
}
LOOK = {"sky": {"peak": ["Monte Rosa"]}}
FILES: dict[str, Any] = {
    "simple": ([CLIMB], [BOOK]),
    "multiple": ([SKY, CLIMB], [BOOK]),
    "parallel": ([SKY, CLIMB], [LOOK, BOOK, LOOK]),
    "irrelevance": ([SKY], None),
}
MODEL = """
import json

from toolkit import ToolCall
from toolkit.agents import ModelReply

CALLS = {calls!r}


def reply(messages, tools):
    return ModelReply("", tuple(ToolCall(name, json.dumps(arguments)) for name, arguments in CALLS))
"""
GOOD = [
    ("hut_book", {"hut": "st_mary's hut", "beds": 2}),
    ("hut_book", {"hut": "st. mary's-hut", "beds": 3, "days": [3, 4], "meals": {"kind": "Rich"}}),
]
SEEN = ("sky", {"peak": "monte-rosa"})
RIGHT = {"simple": GOOD[:1], "multiple": GOOD[1:], "parallel": [GOOD[0], SEEN, SEEN], "irrelevance": []}
WRONG: dict[str, Any] = {
    "simple": [
        [("hut_book", {"hut": "Martha", "beds": 2})],
        [("hut_book", {"hut": "Mary", "beds": 4})],
        [("hut_book", {"hut": "Mary", "beds": 2, "days": [4, 3]})],
        [("hut_book", {"hut": "Mary", "beds": 2, "days": [3]})],
        [("hut_book", {"hut": "Mary", "beds": 2, "meals": {"late": True}})],
        [("hut_book", {"hut": "Mary", "beds": 2, "meals": {"kind": "plain", "late": False}})],
        [("hut_book", {"hut": "Mary", "beds": 2, "dogs": 1})],
        [("hut_book", {"hut": "Mary"})],
        [],
    ],
    "multiple": [[SEEN], [GOOD[0], SEEN]],
    "parallel": [[GOOD[0], SEEN], [GOOD[0], SEEN, GOOD[0]]],
    "irrelevance": [[SEEN]],
}


@pytest.fixture
def passes(project, program):
    """Return whether a model with some calls passes the case of a file."""

    def run(kind, calls, *options):
        tools, answers = FILES[kind]
        question = {"id": f"{kind}_0", "question": [[{"role": "user", "content": "Beds!"}]], "function": tools}
        (project / f"BFCL_v4_{kind}.json").write_text(json.dumps(question) + "\n", "utf-8")
        if answers is not None:
            (project / "possible_answer").mkdir(exist_ok=True)
            answer = json.dumps({"id": f"{kind}_0", "ground_truth": answers})
            (project / "possible_answer" / f"BFCL_v4_{kind}.json").write_text(answer + "\n", "utf-8")
        (project / "model.py").write_text(MODEL.format(calls=calls), "utf-8")
        words = ("test", f"BFCL_v4_{kind}.json", "--model", "scripted:model.py", "--format", "json", "--no-cache")
        finished = program(*words, *options)
        [case] = json.loads(finished.stdout)["cases"]
        assert (finished.returncode, finished.stderr) == (0 if case["status"] == "passed" else 1, "")
        return case["status"] == "passed"

    return run


def test_a_possible_answer_that_does_not_fit_its_schema_passes(passes):
    assert passes("simple", [("hut_book", {"hut": "Mary", "beds": "N/A"})])
    assert not passes("simple", [("hut_book", {"hut": "Mary", "beds": "none"})])


def test_a_parameter_without_any_possible_answer_never_passes(passes, monkeypatch):
    # In version 4 of the data, two questions of `live_simple` (106-63-0 and 112-68-0) have `[]` instead of `[[]]`.
    monkeypatch.setitem(FILES, "simple", ([CLIMB], [{"hut.book": {"hut": ["Mary"], "beds": [2], "days": []}}]))
    assert not passes("simple", [("hut_book", {"hut": "Mary", "beds": 2, "days": []})])
    assert not passes("simple", [("hut_book", {"hut": "Mary", "beds": 2})])


@pytest.mark.parametrize("kind", FILES)
def test_possible_answers_pass(passes, kind):
    assert passes(kind, RIGHT[kind])


@pytest.mark.parametrize(("kind", "calls"), [(kind, calls) for kind, wrong in WRONG.items() for calls in wrong])
def test_other_answers_do_not_pass(passes, kind, calls):
    assert not passes(kind, calls)


def test_a_file_without_its_answers_is_an_error(project, program):
    (project / "BFCL_v4_simple.json").write_text("{}\n", "utf-8")
    finished = program("test", "BFCL_v4_simple.json", "--no-cache")
    message = f"'{project}/possible_answer/BFCL_v4_simple.json' cannot be read: No such file or directory"
    assert (finished.returncode, finished.stderr.splitlines()[0]) == (2, f"error[TK601]: {message}")
