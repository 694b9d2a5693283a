"""Calls the tools of the module, well and badly, and prints what each call gives."""

import sys

import tools

from toolkit import Continue, ToolContext, resolve_tools
from toolkit.errors import ConfigurationError


class Answers:
    async def review(self, request):
        sys.stdout.write(f"  asked about {request.risk.tool} {request.arguments}: {request.asked_by}\n")
        return Continue()


NOBODY = ToolContext()
ADA = ToolContext({"customer": "Ada"})
YES = ToolContext(reviewer=Answers())

CALLS = [
    ("forecast", {"city": "Oslo"}, NOBODY),
    ("forecast", {"city": "Oslo", "days": 2}, NOBODY),
    ("forecast", {"city": "Oslo", "days": "two"}, NOBODY),
    ("forecast", {}, NOBODY),
    ("forecast", {"city": "Atlantis"}, NOBODY),
    ("greet", {"words": "Hei"}, ADA),
    ("pay", {"amount": 50}, YES),
    ("pay", {"amount": 500}, YES),
    ("pay", {"amount": 500}, NOBODY),
    ("cancel", {"order": 3}, YES),
    ("cancel", {"order": 3}, NOBODY),
    ("close_account", {}, YES),
    ("close_account", {}, NOBODY),
]

found = resolve_tools([tools.root_agent])
for name, arguments, context in CALLS:
    sys.stdout.write(f"{name} {arguments}\n")
    try:
        result = found[name].run(arguments, context)
        sys.stdout.write(f"  {result.text!r} {result.error_code}\n")
    except ConfigurationError as error:
        sys.stdout.write(f"  ConfigurationError: {error}\n")
