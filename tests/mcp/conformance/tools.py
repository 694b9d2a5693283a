"""The tools that the conformance suite of the protocol calls."""

from toolkit import Tool, ToolContext, tool

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}},
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
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


def _tell(name: str = "nobody", address: dict[str, str] | None = None) -> str:
    return f"{name} lives at {address}"


json_schema_2020_12_tool = Tool.create("json_schema_2020_12_tool", "Take JSON Schema 2020-12", SCHEMA, _tell)
