"""The files that `toolkit new` creates: complete, working examples to start from."""

_TOOL = '''\
"""Tools for language models: a model sees their names, types and descriptions."""

from typing import Annotated, Literal

from toolkit import tool


@tool(read_only=True)
def {name}(
    who: Annotated[str, "The name of the person to greet, such as 'Ada'"],
    language: Annotated[Literal["en", "fr"], "The language of the greeting"] = "en",
) -> str:
    """Greet a person by name. Use it when somebody introduces themselves."""
    return f"{{'Hello' if language == 'en' else 'Bonjour'}}, {{who}}!"
'''

_TEST = '''\
"""A marked function can still be called directly; as a tool, it accepts JSON from a model."""

from toolkit import from_function

from {name} import {name}


def test_function_can_be_called_directly():
    assert {name}("Ada", language="fr") == "Bonjour, Ada!"


def test_tool_accepts_json():
    assert from_function({name}).run('{{"who": "Ada"}}').output == "Hello, Ada!"


def test_tool_reports_missing_argument():
    result = from_function({name}).run("{{}}")
    assert not result.succeeded
    assert "who" in str(result.error)
'''

_PIPELINE = """\
# yaml-language-server: $schema={schema}
toolkit: 1
name: {name}
description: Calculate the price of an order, with tax.
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
description: Calculate what a text asks for, and explain the result.
# Scripted replies, to try it without a model. Then set a model here, or remove this line and use --model.
model: scripted:{name}_script.yaml
instructions: Calculate every number with a tool, never in your head.
tools: [calculator]
max_turns: 10
"""

_SCRIPT = """\
turns:
  - say: I will calculate that.
    calls:
      - tool: calculator
        arguments: {{input: 4 * 12.50 * 1.2}}
  - It comes to {{calculator}}.
"""

SCHEMA_FILE = "pipeline.schema.json"
"""The JSON Schema file next to a pipeline, for editors."""

AGENT_SCHEMA_FILE = "agent.schema.json"
"""The JSON Schema file next to an agent, for editors."""


def tool_files(name: str) -> dict[str, str]:
    """Return the text of a module with a tool, and of its test, by file name."""
    return {f"{name}.py": _TOOL.format(name=name), f"test_{name}.py": _TEST.format(name=name)}


def pipeline_file(name: str) -> dict[str, str]:
    """Return the text of a pipeline, by file name."""
    return {f"{name}.yaml": _PIPELINE.format(name=name, schema=f"./{SCHEMA_FILE}")}


def agent_files(name: str) -> dict[str, str]:
    """Return the text of an agent, and of the script for its model, by file name."""
    agent = _AGENT.format(name=name, schema=f"./{AGENT_SCHEMA_FILE}")
    return {f"{name}.yaml": agent, f"{name}_script.yaml": _SCRIPT.format(name=name)}
