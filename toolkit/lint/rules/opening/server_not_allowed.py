"""TK011: an MCP server that the project names may not be started, or contacted, yet."""

from toolkit.lint.rule import Rule


class ServerNotAllowed(Rule):
    """An MCP server that the project names may not be started, or contacted, yet.

    ## Why

    A repository must not choose what runs on the machine of whoever clones it, nor where the secrets of their
    environment go. So the server of a project's file waits for its user's leave.

    ## Example

    ```toml
    [tool.toolkit.mcp.time]
    command = "uvx"
    args = ["mcp-server-time"]
    ```

    ## Instead

    Give leave, once you have looked at the command line: `--start time`, `TOOLKIT_MCP_START=time`, "always" where you
    are asked, or the same table in your own `~/.config/toolkit/config.toml`.

    ## Source

    - CVE-2025-59536, CVE-2025-61260: programs that ran what a repository named before anybody had agreed
    - this project's own (checked 2026-11-22)
    """

    code = "TK011"
    name = "server-not-allowed"
    severity = "error"
