import json
from anthropic import beta_tool, beta_async_tool
from anthropic.lib.tools import ToolError
@beta_tool
def get_weather(location: str, unit: str = "c") -> str:
    """Lookup the weather.

    Args:
        location: The city and state, e.g. San Francisco, CA
    """
    if location == "X":
        raise ToolError("no such place")
    return json.dumps({"location": location, "unit": unit})
@beta_async_tool
async def slow(n: int) -> list:
    """Be slow."""
    return [{"type": "text", "text": str(n)}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "UE5H"}}]
