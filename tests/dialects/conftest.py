"""A tool with a little of everything."""

import pytest

from toolkit import ToolSpec


@pytest.fixture
def forecast():
    """A tool with a parameter of most kinds."""
    return ToolSpec(
        "forecast",
        "Tell the weather.",
        {
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 2, "description": "Where."},
                "days": {"type": "integer", "exclusiveMinimum": 0, "maximum": 5, "default": 3},
                "unit": {"type": "string", "enum": ["c", "f"]},
                "place": {"$ref": "#/$defs/Place", "description": "Where exactly"},
            },
            "required": ["city"],
            "$defs": {
                "Place": {
                    "type": "object",
                    "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
                    "required": ["lat", "lon"],
                }
            },
        },
        read_only=True,
        open_world=True,
        return_behavior="immediate",
        category="weather",
        output_schema={"type": "object", "properties": {"sun": {"type": "boolean"}}},
        examples=({"city": "Oslo"},),
        metadata={"anthropic": {"cache_control": {"type": "ephemeral"}}, "mcp": {"title": "Forecast"}},
    )
