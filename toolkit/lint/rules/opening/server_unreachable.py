"""TK012: an MCP server cannot be started or reached, or does not speak the protocol."""

from toolkit.lint.rule import Rule


class ServerUnreachable(Rule):
    """An MCP server cannot be started or reached, or does not speak the protocol.

    ## Why

    Its tools are not known, so nothing about them was checked. Other servers, and other tools, are not affected.

    ## Example

    ```toml
    [tool.toolkit.mcp.time]
    command = "no-such-program"
    ```

    ## Instead

    `toolkit mcp ping time` tells the reason, with the last line that the server has written.

    ## Source

    - this project's own (checked 2026-11-22)
    """

    code = "TK012"
    name = "server-unreachable"
    severity = "error"
