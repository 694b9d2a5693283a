"""Tools of ours for the runners of the Anthropic SDK."""

import asyncio

from anthropic.lib.tools import ToolError
from exported import CALLS, CONTEXT, TOOLS, say

from toolkit.frameworks import to_anthropic_sdk

plain = {tool.name: to_anthropic_sdk(tool, CONTEXT) for tool in TOOLS}
for_async = {tool.name: to_anthropic_sdk(tool, CONTEXT, is_async=True) for tool in TOOLS}
for one in plain.values():
    say(one.to_dict())
for name, arguments in CALLS:
    for kind in (plain, for_async):
        try:
            answer = kind[name].call(arguments)
            say(f"{name} {asyncio.run(answer) if kind is for_async else answer}")
        except ToolError as error:
            say(f"{name} failed: {error.content}")
