"""Scripted models: scripts in files, and everything that is wrong with one at once."""

import asyncio

import pytest

from toolkit import ConfigurationError, ToolCall
from toolkit.agents import ModelReply, ScriptedModel, ToolMessage, Usage

SCRIPT = """\
turns:
  - say: I shall see.
    calls:
      - tool: calculator
        arguments: {expression: 6 * 7}
      - {tool: broken, arguments: "{not json", id: c2}
    usage: {input_tokens: 12, output_tokens: 3, cost: 0.5}
  - It is {calculator}, and {nobody} knows more.
"""


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "script.yaml"
        path.write_text(text, "utf-8")
        return path

    return write


def test_script_in_a_file_gives_its_turns_in_order(script):
    model = ScriptedModel.load(script(SCRIPT))
    first = asyncio.run(model.request([], []))
    calls = (ToolCall("calculator", '{"expression": "6 * 7"}'), ToolCall("broken", "{not json", "c2"))
    assert (model.name, first) == ("scripted:script.yaml", ModelReply("I shall see.", calls, Usage(12, 3, 0.5)))
    second = asyncio.run(model.request([first, ToolMessage(calls[0], "42")], []))
    assert second == ModelReply("It is 42, and {nobody} knows more.")


def test_everything_that_is_wrong_with_a_script_is_told_at_once_with_its_place(script):
    path = script("turns:\n  - sya: hello\n  - calls: [{arguments: {}}]\n  - usage: {cost: much}\nmore: 1\n")
    with pytest.raises(ConfigurationError) as caught:
        ScriptedModel.load(path)
    assert [(problem.location.line, problem.message, problem.hint) for problem in caught.value.problems] == [
        (2, "unknown key 'sya' in a turn", "did you mean 'say'?"),
        (3, "a call needs 'tool'", None),
        (4, "'cost' must be a number, not the text 'much'", None),
        (5, "unknown key 'more' in a script", "the keys are turns"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a script must be a mapping, not nothing"),
        ("turns: 3", "'turns' must be a list, not 3"),
        ("{}", "a script needs 'turns'"),
        ("turns: [[1]]", "a turn must be text or a mapping, not a list"),
        ("turns: [{say: [a]}]", "'say' must be text, not a list"),
    ],
)
def test_script_of_another_shape_is_refused(script, text, message):
    with pytest.raises(ConfigurationError) as caught:
        ScriptedModel.load(script(text))
    assert [problem.message for problem in caught.value.problems] == [message]


def test_script_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigurationError) as caught:
        ScriptedModel.load(tmp_path / "none.yaml")
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("name", ["math-orchestrator", "9lives", "server.tool", "calculator"])
def test_any_name_of_a_tool_in_braces_is_replaced_by_its_result(script, name):
    call = ToolCall(name, "{}")
    model = ScriptedModel.load(script(f'turns: ["It is {{{name}}}, {{not-called}}."]\n'))
    reply = asyncio.run(model.request([ToolMessage(call, "42")], []))
    assert reply.text == "It is 42, {not-called}."
