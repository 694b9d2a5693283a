"""Calls the tools of the module, well and badly, and prints what each call gives."""

import sys

import tools

from toolkit import ToolContext, resolve_tools

NOBODY = ToolContext()

CALLS = [
    ("weather-forecast", {"city": "Oslo"}, NOBODY),
    ("weather-forecast", {"city": "Oslo", "days": 2}, NOBODY),
    ("weather-forecast", {"city": "Oslo", "days": "two"}, NOBODY),
    ("weather-forecast", {}, NOBODY),
    ("weather-forecast", {"city": "Atlantis"}, NOBODY),
    ("weather-stations", {"city": "Oslo"}, NOBODY),
]

found = resolve_tools([tools.plugin])
for name, arguments, context in CALLS:
    result = found[name].run(arguments, context)
    sys.stdout.write(f"{name} {arguments}\n  {result.text!r} {result.error_code}\n")
