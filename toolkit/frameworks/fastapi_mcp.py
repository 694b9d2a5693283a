"""FastAPI-MCP: the routes of an app as tools; see `fastapi_mcp/server.py` of 0.4.

Which routes these are, and their names, only the running app shows, so that lint says where it makes them.
"""

from toolkit.tools.foreign.source_marks import Registration, SourceMarks

MARKS = SourceMarks(
    title="FastAPI-MCP",
    packages=("fastapi_mcp",),
    registrations=(Registration(("fastapi_mcp.*FastApiMCP",), "routes"),),
    serves=("mount", "mount_http", "mount_sse"),
)
