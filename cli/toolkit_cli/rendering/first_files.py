"""First files: what `toolkit new` writes, whole and working, to be changed into what is wanted."""

_TOOL = '''\
"""Tools for language models: a model sees their names, types and texts."""

from typing import Annotated, Literal

from toolkit import tool


@tool(read_only=True)
def {name}(
    who: Annotated[str, "The name of the person to greet, such as 'Ada'"],
    language: Annotated[Literal["en", "fr"], "The language of the greeting"] = "en",
) -> str:
    """Greet somebody by name. Use it when a person introduces themselves."""
    return f"{{'Hello' if language == 'en' else 'Bonjour'}}, {{who}}!"
'''

_TEST = '''\
"""A marked function is still a function; as a tool it takes what a model sends."""

from toolkit import from_function

from {name} import {name}


def test_function_is_called_as_any_other():
    assert {name}("Ada", language="fr") == "Bonjour, Ada!"


def test_tool_takes_json():
    assert from_function({name}).run('{{"who": "Ada"}}').output == "Hello, Ada!"


def test_tool_names_what_is_missing():
    result = from_function({name}).run("{{}}")
    assert not result.succeeded
    assert "who" in str(result.error)
'''

_PIPELINE = """\
# yaml-language-server: $schema={schema}
toolkit: 1
name: {name}
description: Work out the price of an order, with tax.
inputs:
  price: {{type: number, description: The price of one piece, default: 12.5}}
  pieces: {{type: integer, description: How many pieces, default: 4, minimum: 1}}
steps:
  - id: net
    use: calculator
    with: {{input: "${{{{ inputs.price }}}} * ${{{{ inputs.pieces }}}}"}}
  - id: gross
    use: calculator
    with: {{input: "${{{{ steps.net.text }}}} * 1.2"}}
output: "net ${{{{ steps.net.text }}}}, gross ${{{{ steps.gross.text }}}}"
"""

_AGENT = """\
# yaml-language-server: $schema={schema}
agent: simple
name: {name}
description: Work out what a text asks for, and explain it.
# Scripted replies, to try it without a model; then name a model, or leave the line out and say --model.
model: scripted:{name}_script.yaml
instructions: Work out every figure with a tool, never in your head.
tools: [calculator]
max_turns: 10
"""

_SCRIPT = """\
turns:
  - say: I shall work that out.
    calls:
      - tool: calculator
        arguments: {{input: 4 * 12.50 * 1.2}}
  - It comes to {{calculator}}.
"""

SCHEMA_FILE = "pipeline.schema.json"
"""The file beside a pipeline from which editors know the format."""

AGENT_SCHEMA_FILE = "agent.schema.json"
"""The file beside an agent from which editors know the format."""


def tool_files(name: str) -> dict[str, str]:
    """Return a module with one tool and its test: the text of each file by its name."""
    return {f"{name}.py": _TOOL.format(name=name), f"test_{name}.py": _TEST.format(name=name)}


def pipeline_file(name: str) -> dict[str, str]:
    """Return a pipeline: the text of the file by its name."""
    return {f"{name}.yaml": _PIPELINE.format(name=name, schema=f"./{SCHEMA_FILE}")}


def agent_files(name: str) -> dict[str, str]:
    """Return an agent and the script of its model: the text of each file by its name."""
    agent = _AGENT.format(name=name, schema=f"./{AGENT_SCHEMA_FILE}")
    return {f"{name}.yaml": agent, f"{name}_script.yaml": _SCRIPT.format(name=name)}
