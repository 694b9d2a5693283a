"""The Claude Agent SDK: `@tool`, and servers of such tools created by `create_sdk_mcp_server`."""
