"""Calls every tool of the module, well and badly, and prints what each call gives."""

import sys

import tools
from langchain_core.tools import BaseTool

from toolkit import ToolContext, resolve_tools

NOBODY = ToolContext()
ADA = ToolContext({"customer": "Ada", "items": "bread"})
CALLS = [
    ("stock", {"product": "bread"}, NOBODY),
    ("stock", {"product": "bread", "store": 7}, NOBODY),
    ("stock", {}, NOBODY),
    ("sales", {"days": 3}, NOBODY),
    ("sales", {"days": "three"}, NOBODY),
    ("discount", {"percent": 20}, NOBODY),
    ("discount", {"percent": 21}, NOBODY),
    ("discount", {"percent": 95}, NOBODY),
    ("convert", {"amount": 2}, NOBODY),
    ("search", {"__arg1": "bread"}, NOBODY),
    ("refund", {"order": 3}, NOBODY),
    ("cancel", {"order": 3}, NOBODY),
    ("ship", {"order": 3}, NOBODY),
    ("my_orders", {}, ADA),
    ("my_orders", {}, NOBODY),
    ("greet", {"words": "Hei"}, ADA),
    ("greet", {"words": "Hei"}, NOBODY),
    ("configured", {}, ADA),
    ("configured", {}, NOBODY),
    ("basket", {}, ADA),
    ("basket", {}, ToolContext({"customer": "Ada"})),
    ("remember", {"words": "bread"}, NOBODY),
    ("confirm", {"question": "sure?"}, NOBODY),
    ("picture", {"product": "bread"}, NOBODY),
    ("euros", {"amount": 100}, NOBODY),
]

found = resolve_tools([*(thing for thing in vars(tools).values() if isinstance(thing, BaseTool)), tools.shelf])
for name, arguments, context in CALLS:
    result = found[name].run(arguments, context)
    sys.stdout.write(f"{name} {arguments}\n  {result.text!r} {result.error_code or result.artifact!r}\n")
