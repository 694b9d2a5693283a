"""Calls the tools of the module, well and badly, and prints what each call gives."""

import sys

import tools

from toolkit import ToolContext, resolve_tools

NOBODY = ToolContext()

CALLS = [
    ("forecast", {"city": "Oslo"}, NOBODY),
    ("forecast", {"city": "Oslo", "days": 2}, NOBODY),
    ("forecast", {"city": "Oslo", "days": "two"}, NOBODY),
    ("forecast", {}, NOBODY),
    ("forecast", {"city": "Atlantis"}, NOBODY),
    ("convert", {"degrees": 20}, NOBODY),
]

found = resolve_tools([tools.forecast, tools.convert])
for name, arguments, context in CALLS:
    result = found[name].run(arguments, context)
    sys.stdout.write(f"{name} {arguments}\n  {result.text!r} {result.error_code}\n")
