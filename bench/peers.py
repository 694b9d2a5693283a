"""The same work done by other libraries, if they are installed (`requirements-peers.txt`)."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import reduce
from importlib.util import find_spec
from typing import Any

from bench.timing import Work

Function = Callable[..., Any]


def installed(package: str) -> bool:
    """Return whether a peer is installed, so that it can be measured."""
    return find_spec(package) is not None


def markers() -> Mapping[str, Function]:
    """Return how each peer marks a function as a tool."""
    found: dict[str, Function] = {}
    if installed("langchain_core"):
        from langchain_core.tools import tool

        found["langchain-core"] = tool
    if installed("fastmcp"):
        from fastmcp.tools import Tool

        found["fastmcp"] = Tool.from_function
    if installed("pydantic_ai"):
        from pydantic_ai import Tool as AgentTool

        found["pydantic-ai"] = AgentTool
    return found


def schemas() -> Mapping[str, Function]:
    """Return how each peer creates the schema of a function."""
    found: dict[str, Function] = {}
    if installed("langchain_core"):
        from langchain_core.tools import tool
        from langchain_core.utils.function_calling import convert_to_openai_tool

        found["langchain-core"] = lambda function: convert_to_openai_tool(tool(function))
    if installed("fastmcp"):
        from fastmcp.tools import Tool

        found["fastmcp"] = lambda function: Tool.from_function(function).to_mcp_tool()
    if installed("pydantic_ai"):
        from pydantic_ai import Tool as AgentTool

        found["pydantic-ai"] = lambda function: AgentTool(function).tool_def
    return found


def calls(function: Function, text: str) -> Mapping[str, Work]:
    """Return one call of a function with JSON arguments by each peer; async calls share an event loop."""
    found: dict[str, Work] = {}
    if installed("langchain_core"):
        from langchain_core.tools import tool

        langchain_tool = tool(function)
        found["langchain-core"] = lambda: langchain_tool.invoke(json.loads(text))
    if installed("fastmcp"):
        from fastmcp.tools import Tool

        fast_tool, runner = Tool.from_function(function), asyncio.Runner()
        found["fastmcp"] = lambda: runner.run(fast_tool.run(json.loads(text)))
    return found


def chains(steps: Sequence[Callable[[str], str]], text: str) -> Mapping[str, Work]:
    """Return a chain of text steps of each peer."""
    if not installed("langchain_core"):
        return {}
    from langchain_core.runnables import Runnable, RunnableLambda

    parts: list[Runnable[Any, Any]] = [RunnableLambda(step) for step in steps]
    chain = reduce(lambda left, right: left | right, parts)
    return {"langchain-core": lambda: chain.invoke(text)}


def async_calls(function: Function) -> Mapping[str, Callable[[int], Awaitable[object]]]:
    """Return an awaitable call with a number by each peer."""
    found: dict[str, Callable[[int], Awaitable[object]]] = {}
    if installed("langchain_core"):
        from langchain_core.tools import StructuredTool

        name = "func" if not asyncio.iscoroutinefunction(function) else "coroutine"
        structured = StructuredTool.from_function(**{name: function}, name="wait", description="Wait.")
        found["langchain-core"] = lambda number: structured.ainvoke({"number": number})
    if installed("fastmcp"):
        from fastmcp.tools import Tool

        fast_tool = Tool.from_function(function)
        found["fastmcp"] = lambda number: fast_tool.run({"number": number})
    return found
