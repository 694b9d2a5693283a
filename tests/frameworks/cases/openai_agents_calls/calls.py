"""Calls every tool of the module, well and badly, and prints what each call gives."""

import sys

import tools
from agents import FunctionTool

from toolkit import Continue, Reject, ToolContext, resolve_tools
from toolkit.errors import ConfigurationError


class Answers:
    def __init__(self, decision):
        self.decision = decision

    async def review(self, request):
        say(f"  asked about {request.risk.tool} {request.arguments}: {request.asked_by}")
        return self.decision


def say(text):
    sys.stdout.write(f"{text}\n")


NOBODY = ToolContext()
YES = ToolContext(reviewer=Answers(Continue()))
NO = ToolContext(reviewer=Answers(Reject("too long")))
CALLS = [
    ("greet", {"words": "Hei"}, ToolContext({"name": "Ada"})),
    ("greet", {"words": "Hei"}, ToolContext({"context": tools.Guest("Bo")})),
    ("greet", {"words": "Hei"}, NOBODY),
    ("rooms", {"beds": 2}, NOBODY),
    ("rooms", {"beds": "two"}, NOBODY),
    ("rooms", {}, NOBODY),
    ("described", {"number": 12}, NOBODY),
    ("cancel", {"number": 12}, NOBODY),
    ("cancel", {"number": 12}, YES),
    ("cancel", {"number": 12}, NO),
    ("book", {"nights": 2}, NO),
    ("book", {"nights": 9}, NO),
    ("book", {"nights": 9}, YES),
    ("book", {"nights": 9}, NOBODY),
    ("clean", {"number": 12}, NOBODY),
    ("open_door", {"number": 12}, NOBODY),
    ("close_door", {"number": 12}, NOBODY),
    ("wait_for", {"number": 12}, NOBODY),
    ("revenue", {"year": 2025}, NOBODY),
    ("revenue", {"year": 2025}, ToolContext({"staff": True})),
    ("who", {"name": "boss"}, NOBODY),
    ("who", {"name": "Ada"}, NOBODY),
    ("who", {"name": "Eve"}, NOBODY),
    ("who", {"name": "Bo"}, NOBODY),
    ("picture", {"number": 12}, NOBODY),
    ("by_hand", {"x": 1}, NOBODY),
]

found = resolve_tools([thing for thing in vars(tools).values() if isinstance(thing, FunctionTool)])
for name, arguments, context in CALLS:
    say(f"{name} {arguments}")
    try:
        result = found[name].run(arguments, context)
        say(f"  {result.text!r} {result.error_code or result.artifact!r}")
    except ConfigurationError as error:
        say(f"  ConfigurationError: {error}")
say(f"desk has {', '.join(resolve_tools([tools.desk]))}")
