"""A tool as the documentation of the framework would write it."""

from typing import Any

from claude_agent_sdk import tool


@tool("forecast", "Forecast tomorrow's weather in a city.", {"city": str})
async def forecast(args: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": f"{args['city']}: sunny"}]}
