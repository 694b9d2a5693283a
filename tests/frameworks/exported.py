"""Tools of ours, and what a client of a server with them prints."""

import json
import sys

from toolkit import Pipeline, Reject, ToolContext, from_function
from toolkit.tools import Attachment


def forecast(city: str, days: int = 1) -> dict[str, object]:
    """Tell the weather."""
    return {"city": city, "days": days}


async def fail(city: str) -> str:
    """Fail."""
    raise ValueError(f"nobody knows {city}")


def wipe(path: str) -> str:
    """Remove a file."""
    return f"removed {path}"


def draw(city: str) -> list[Attachment]:
    """Draw a map."""
    return [Attachment("image", "image/png", b"PNG")]


class Reviewer:
    async def review(self, request):
        say(f"asked about {request.risk.tool} {request.arguments}")
        return Reject("keep it")


def say(text):
    sys.stdout.write(f"{text}\n")


def show(name, answer):
    said = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {key: said[key] for key in ("content", "structuredContent", "isError") if key in said}
    say(f"{name} {json.dumps(kept)}")


TOOLS = [
    from_function(forecast, read_only=True),
    from_function(fail, read_only=True),
    from_function(wipe, destructive=True),
    from_function(draw, read_only=True),
    Pipeline.of(from_function(wipe, name="first"), from_function(wipe, name="then")),
]
CONTEXT = ToolContext(reviewer=Reviewer())
CALLS = [
    ("forecast", {"city": "Oslo", "days": 2}),
    ("forecast", {"city": "Oslo", "days": "many"}),
    ("fail", {"city": "Atlantis"}),
    ("wipe", {"path": "notes.txt"}),
    ("draw", {"city": "Oslo"}),
    ("first_then_then", {"input": "a"}),
]
