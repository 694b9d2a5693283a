"""Lesson 10: a pipeline is served over MCP, and called back through the client, as a step of another pipeline.

    python sample_pipelines/over_mcp.py

The server is this very library in a process of its own, as an editor would start it. It could be anybody's.
"""

import sys

from toolkit import Pipeline, Tool, from_function, tool

SERVE = ("-m", "toolkit_cli", "serve", "sample_pipelines/order_totals.yaml", "--yes", "--quiet")


@tool(read_only=True)
def thank(text: str) -> str:
    """Thank a customer for an order and say what it comes to; use it when the totals are known.

    Args:
        text: What the order comes to.
    """
    return f"Thank you! {text}."


def confirmation() -> Tool:
    """Return a pipeline whose first step is a tool of the server."""
    from toolkit.mcp import McpTools, StdioServer

    orders = McpTools(StdioServer("orders", sys.executable, SERVE, trusted=True))
    return Pipeline.of(orders.required_tool("order_totals"), from_function(thank), name="confirmation")


if __name__ == "__main__":
    sys.stdout.write(f"{confirmation().run().text}\n")
