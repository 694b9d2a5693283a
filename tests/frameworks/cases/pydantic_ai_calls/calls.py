"""Calls every tool of the module, well and badly, and prints what each call gives."""

import sys

import tools

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
ADA = ToolContext({"customer": "Ada"})
YES = ToolContext({"customer": "Ada"}, reviewer=Answers(Continue()))
NO = ToolContext({"customer": "Ada"}, reviewer=Answers(Reject("too much")))
CALLS = [
    ("greet", {}, ADA),
    ("greet", {}, ToolContext({"deps": tools.Bank("Bo")})),
    ("greet", {}, NOBODY),
    ("balance", {"account": "12"}, NOBODY),
    ("balance", {"account": ["12"]}, NOBODY),
    ("balance", {}, NOBODY),
    ("close_account", {"account": "12"}, NOBODY),
    ("close_account", {"account": "12"}, YES),
    ("close_account", {"account": "12"}, NO),
    ("pay", {"amount": 50}, YES),
    ("pay", {"amount": 500}, YES),
    ("pay", {"amount": 500}, NO),
    ("pay", {"amount": 500}, ADA),
    ("sign", {"document": "contract"}, NOBODY),
    ("rate", {"currency": "XXX"}, NOBODY),
    ("history", {"account": "12"}, NOBODY),
    ("monthly", {"amount": 20, "to": "Bo"}, NOBODY),
    ("monthly", {"amount": 0, "to": "Bo"}, NOBODY),
    ("monthly", {"amount": 25, "to": "Bo"}, NOBODY),
    ("statement", {"year": 2025}, NOBODY),
    ("card", {"number": 1}, NOBODY),
    ("audit", {"year": 2025}, NOBODY),
    ("audit", {"year": 2025}, ToolContext({"staff": True})),
    ("old_statement", {"year": 2025}, NOBODY),
    ("old_statement", {"year": 1999}, YES),
    ("old_statement", {"year": 1999}, NO),
    ("old_statement", {"year": 1999}, NOBODY),
]

found = resolve_tools([tools.agent, tools.monthly, tools.papers, tools.asked_papers])
for name, arguments, context in CALLS:
    say(f"{name} {arguments}")
    try:
        result = found[name].run(arguments, context)
        say(f"  {result.text!r} {result.error_code or result.artifact!r}")
    except ConfigurationError as error:
        say(f"  ConfigurationError: {error}")
