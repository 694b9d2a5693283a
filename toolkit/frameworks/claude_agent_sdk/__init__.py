"""The Claude Agent SDK: `@tool`, and the servers that `create_sdk_mcp_server` makes of such tools."""
