"""Scripts in Python files: turns, a generator of them, or a function; and everything that can be wrong with one."""

import asyncio

import pytest

from toolkit import ConfigurationError, ToolCall
from toolkit.agents import ModelError, ModelReply, ScriptedModel, UserMessage, open_model


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "script.py"
        path.write_text(text, "utf-8")
        return path

    return write


def replies(model, count):
    said: list[ModelReply] = []
    for _ in range(count):
        said.append(asyncio.run(model.request([UserMessage("go"), *said], [])))
    return said


@pytest.mark.parametrize(
    "text",
    [
        "turns = ['hello', ToolCall('look'), lambda messages, tools: f'{len(messages)} said']",
        "def turns():\n    yield 'hello'\n    yield [ToolCall('look')]\n    yield '3 said'",
        "def reply(messages, tools):\n    return ['hello', ToolCall('look'), '3 said'][len(messages) - 1]",
        "async def reply(messages, tools):\n    return ['hello', ToolCall('look'), '3 said'][len(messages) - 1]",
    ],
    ids=["list", "generator", "function", "async function"],
)
def test_script_in_python_gives_its_turns(script, text):
    path = script(f"from toolkit.tools.calls.results import ToolCall\n\n{text}\n")
    model = open_model(f"scripted:{path}")
    assert model.name == "scripted:script.py"
    assert replies(model, 3) == [ModelReply("hello"), ModelReply(calls=(ToolCall("look"),)), ModelReply("3 said")]


def test_script_may_have_dataclasses_of_its_own(script):
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n"
        "@dataclass\nclass Town:\n    name: str\n\nturns = [Town('Oslo').name]\n"
    )
    assert replies(ScriptedModel.load(script(text)), 1) == [ModelReply("Oslo")]


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("turn = []", None, "a script needs 'turns' or a function 'reply', but 'script.py' has neither", "did you mean 'turns'?"),
        ("", None, "a script needs 'turns' or a function 'reply', but 'script.py' has neither", "write `turns = [...]`, or `def reply(messages, tools):`"),
        ("x = 1\nturns = [1 / 0]", 2, "the script 'script.py' cannot be run: ZeroDivisionError: division by zero", None),
        ("x = 1\nturns = [", 2, "the script 'script.py' cannot be run: SyntaxError: '[' was never closed", None),
        ("import sys\nsys.exit(3)", 2, "the script 'script.py' cannot be run: SystemExit: 3", None),
        ("turns = 3", None, "the script 'script.py' cannot be run: TypeError: 'int' object is not iterable", None),
        ("def turns():\n    yield 1 / 0", 2, "the script 'script.py' cannot be run: ZeroDivisionError: division by zero", None),
        ("from itertools import repeat\nturns = repeat('more')", None, "'turns' in 'script.py' has more than 10,000 turns", "a function `reply(messages, tools)` can return any number of turns"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_script_in_python_is_told_with_its_place(script, text, line, message, hint):
    with pytest.raises(ConfigurationError) as caught:
        ScriptedModel.load(script(text))
    [problem] = caught.value.problems
    assert (problem.location.line, problem.message, problem.hint) == (line, message, hint)


def test_script_in_python_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigurationError) as caught:
        ScriptedModel.load(tmp_path / "none.py")
    assert [problem.code for problem in caught.value.problems] == ["TK001"]


@pytest.mark.parametrize(("turn", "kind"), [(None, "NoneType"), (3, "int"), ([], "list"), (["a"], "list")])
def test_turn_that_is_none_is_a_failure_of_the_model(turn, kind):
    model = ScriptedModel(lambda messages, tools: turn, "mine")
    with pytest.raises(ModelError, match=f"a turn of 'mine' is of type {kind}, not text, ToolCalls or a ModelReply"):
        asyncio.run(model.request([], []))
