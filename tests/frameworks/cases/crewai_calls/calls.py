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
    ("forecast", {"city": "Atlantis", "days": 1}, NOBODY),
    ("stations", {"city": "Oslo"}, NOBODY),
    ("bobs_converter", {"degrees": -300}, NOBODY),
    ("bobs_converter", {"degrees": 20}, NOBODY),
    ("bobs_converter", {"degrees": 20}, NOBODY),
]

found = resolve_tools([tools.forecast, tools.stations, tools.convert])
for name, arguments, context in CALLS:
    result = found[name].run(arguments, context)
    sys.stdout.write(f"{name} {arguments}\n  {result.text!r} {result.error_code}\n")
