"""A server as the documentation of FastMCP writes it, and in the shapes of real projects."""

from functools import wraps
from typing import TYPE_CHECKING

import fastmcp
from fastmcp import FastMCP
from fastmcp.tools import Tool, tool

if TYPE_CHECKING:
    from fastmcp import FastMCP as Server

mcp = FastMCP("forecasts")


@mcp.tool
def plain(city: str) -> str:
    return city


@mcp.tool()
def called(city: str) -> str:
    return city


@mcp.tool("first_argument")
async def named_by_position(city: str) -> str:
    return city


@mcp.tool(
    name="keyword",
    description=plain.__doc__,
)
@wraps(plain)
def under_other_decorators(city: str) -> str:
    return city


@mcp.tool(name=f"computed_{called('x')}")
def with_a_computed_name() -> None: ...


@tool
def standalone() -> None: ...


def by_call(city: str) -> str:
    return city


mcp.tool(by_call)
mcp.tool(name="renamed")(by_call)
mcp.add_tool(by_call)
mcp.add_tool(Tool.from_function(by_call, name="from_function"))
for one in (plain, called):
    mcp.add_tool(one)


def create_server() -> fastmcp.FastMCP:
    server = FastMCP("inner")

    @server.tool
    def inside_a_function() -> None: ...

    return server


made = create_server()


@made.tool
def of_a_made_server() -> None: ...


def register(server: "Server", other):
    @server.tool
    def typed_parameter() -> None: ...

    @other.tool
    def no_tool_of_an_unknown_parameter() -> None: ...


def register_untyped(mcp):
    @mcp.tool
    def untyped_parameter() -> None: ...


class Handlers:
    def __init__(self, mcp: FastMCP | None):
        self.server = mcp
        self.server.tool(name="of_a_method")(self.handle)

        @self.server.tool
        def in_a_constructor() -> None: ...

    def handle(self, city: str) -> str:
        return city

    def register_all(self):
        for name in dir(self):
            self.server.add_tool(getattr(self, name))


class Bigger(FastMCP): ...


bigger = Bigger("x")


@bigger.tool
def of_a_derived_server() -> None: ...


def own_tool(**options):
    def decorate(function):
        return mcp.tool(**options)(function)

    return decorate


@own_tool(description="x")
def by_an_own_decorator() -> None: ...


TEXT = """
@mcp.tool
def in_a_text(): ...
"""
