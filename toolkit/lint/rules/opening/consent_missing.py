"""TK011: a project's file sets something that waits for its user's consent."""

from toolkit.lint.rule import Rule


class ConsentMissing(Rule):
    """A project's file names an MCP server, or widens what tools reach, and its user has not agreed yet.

    ## Why

    A repository must not choose what runs on the machine of whoever clones it, which of their files are read, nor where
    the secrets of their environment go. So MCP servers wait for their user's consent, and so do settings that widen what
    tools reach: folders outside the project, private addresses, environment variables, commands, search services.

    A server that cannot be contacted is an error, since its tools are not known. A setting is a remark: everybody who
    uses the project is asked about it once, unless they agree beforehand.

    ## Example

    ```toml
    [tool.toolkit.mcp.time]
    command = "uvx"
    args = ["mcp-server-time"]

    [tool.toolkit.builtin.file_read]
    base = "../reports"
    ```

    ## Instead

    Agree, once you have read the setting: `--start time` or `--consent builtin.file_read` (`TOOLKIT_MCP_START` and
    `TOOLKIT_CONSENT` do the same), "always" where you are asked, or the same table in your own
    `~/.config/toolkit/config.toml`.

    ## Source

    - CVE-2025-59536, CVE-2025-61260: programs that ran what a repository named before anybody had agreed
    - this project's own (checked 2026-11-22)
    """

    code = "TK011"
    name = "consent-missing"
    severity = "error"
