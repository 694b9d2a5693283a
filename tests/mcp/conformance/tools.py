"""The tools that the conformance suite of the protocol calls."""

import logging

from toolkit import Tool, ToolContext, tool

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        },
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
MIRRORED = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}


@tool(read_only=True)
def test_simple_text() -> str:
    """Return a simple text."""
    return "This is a simple text response for testing."


@tool(read_only=True)
def test_error_handling() -> str:
    """Fail, always."""
    message = "This tool intentionally returns an error for testing"
    raise ValueError(message)


@tool(read_only=True)
def test_tool_with_progress(context: ToolContext) -> str:
    """Tell how far the work is."""
    for done in (0, 50, 100):
        context.progress("working", done, 100)
    return "done"


@tool(requires_approval=True)
def test_elicitation(message: str) -> str:
    """Do what a person must allow."""
    return f"User response: {message}"


@tool(requires_approval=True)
def test_streaming_elicitation() -> str:
    """Do what a person must allow."""
    return "done"


@tool(requires_approval=True)
def test_input_required_result_elicitation() -> str:
    """Do what a person must allow."""
    return "done"


@tool(requires_approval=True)
def test_input_required_result_request_state() -> str:
    """Do what a person must allow."""
    return "state-ok"


@tool(requires_approval=True)
def test_input_required_result_tampered_state() -> str:
    """Do what a person must allow."""
    return "done"


@tool(read_only=True)
def test_input_required_result_multi_round(context: ToolContext) -> str:
    """Ask a person twice."""
    for question in ("What is your name?", "What is your favorite color?"):
        context.request_approval(question, answer_is_text=True)
    return "done"


@tool(read_only=True)
def test_logging_tool() -> str:
    """Log something."""
    logging.getLogger(__name__).warning("logged")
    return "logged"


def _tell(**told: object) -> str:
    return f"told: {told}"


json_schema_2020_12_tool = Tool.create("json_schema_2020_12_tool", "Take JSON Schema 2020-12", SCHEMA, _tell)
tell_region = Tool.create(
    "tell_region",
    "Tell a region, which a header of the request mirrors",
    MIRRORED,
    lambda region: region,
    read_only=True,
)
