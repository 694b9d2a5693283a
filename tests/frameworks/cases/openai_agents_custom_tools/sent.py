"""Prints the tools whose names and descriptions the framework sends in another form."""

import sys

import tools

from toolkit import resolve_tools

for name, tool in resolve_tools([tools.agent]).items():
    sent = next(one.tool_config for one in tools.agent.tools if one.name == name)
    same = (sent["type"], sent["name"], sent["description"]) == ("custom", name, tool.description)
    sys.stdout.write(f"{name}: {same}\n")
