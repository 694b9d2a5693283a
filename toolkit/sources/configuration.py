"""Configuration: the settings of a project, from `toolkit.toml`, `[tool.toolkit]` in `pyproject.toml` and `TOOLKIT_*`.

    [tool.toolkit]
    sources = ["tools.py", "pipelines/"]    # targets, relative to this file; `toolkit list` shows their tools
    env = ["REPORT_DIR"]                    # environment variables that expressions of pipelines may read
    secrets = ["SHOP_PIN"]                  # variables and parameters whose values are never shown

    [tool.toolkit.defaults]
    timeout = "30s"                         # of a call
    approval_timeout = "5m"                 # of a question
    dialect = "openai-strict"               # that `toolkit schema` prints
    journal = true                          # that keeps the steps of pipelines
    model = "openai-chat:gpt-6-luna"        # that agents ask
    model_timeout = "5m"                    # that a model may be silent

    [tool.toolkit.context]
    tenant = "acme"                         # values that tools receive with every call

    [tool.toolkit.builtin.file_read]
    base = "docs"                           # options of the ready tools, a table each

    [tool.toolkit.groups.web]
    tools = ["fetch", "search_*"]           # a set of tools that has a name of its own

    [tool.toolkit.prices."chat:qwen3"]
    input = 0.10                            # US dollars for a million tokens
    output = 0.30

    [tool.toolkit.limits.fetch_page]
    concurrency = 4                         # items of a batch in a store, on all workers together
    rate = "10/1m"

    [tool.toolkit.mcp.time]
    command = "uvx"                         # an MCP server: its tools are `time.now` and the like
    args = ["mcp-server-time"]

    [[tool.toolkit.policy.deny]]
    tool = "file_*"                         # which calls run, are asked about, or are denied
    where = { path = { outside = "." } }

    [tool.toolkit.lint]
    ignore = ["TK202"]                      # settings of `toolkit lint`

In `toolkit.toml` the same keys stand at the top level.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from toolkit.agents.models.prices import Price
    from toolkit.approvals.policy_keys import PolicyFile
    from toolkit.mcp.settings.servers import McpServer
    from toolkit.tools.limits import Limit
    from toolkit.webhooks.setting_keys import WebhookSettings

OWN_FILE = "toolkit.toml"
PROJECT_FILE = "pyproject.toml"
POLICY_FILE = "toolkit.policy.yaml"


def keys_before(file: Path) -> tuple[str, ...]:
    """Return the keys that our settings stand beneath in a file."""
    return () if file.name == OWN_FILE else ("tool", "toolkit")


class ReadySettings(NamedTuple):
    """The settings of a ready tool in a table.

    Attributes:
        kind: The ready tool that it is.
        options: The values of its options; relative paths are joined to the file's folder, and links are resolved.
        owner: Whose file the table stands in. Of a project's, what widens waits for the user's consent.
    """

    kind: str
    options: Mapping[str, Any] = MappingProxyType({})
    owner: Literal["user", "project"] = "project"


class GroupSettings(NamedTuple):
    """The settings of a group of tools in a table.

    Attributes:
        description: What its tools are for.
        provider: Who makes them available.
        permissions: What they need: `internet_access`, `host_access`.
        sources: The targets that it chooses among; without any, everything that the project knows by name.
        tools: What it chooses: names, patterns, or regular expressions between slashes; all by default.
        exclude: What it excludes, written alike.
        required: The names of tools without which it is of no use.
    """

    description: str = ""
    provider: str = ""
    permissions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


class Configuration(NamedTuple):
    """The settings of a project.

    Attributes:
        directory: The folder that `sources` are relative to.
        file: Where the settings stand; None if no file has any.
        sources: The targets whose tools are known by name.
        user_sources: Those of the sources that the user named, with an option or a variable, and no file.
        timeout: Seconds that a call may take; None if not set.
        approval_timeout: Seconds that a question waits for its answer; None if not set.
        dialect: The dialect that tools are printed in; None if not set.
        journal: Whether runs of pipelines keep a journal, unless their user chooses otherwise.
        model: The model that agents ask unless they name another; None if not set.
        chosen_model: The model that the user wants asked, whatever agents name; None if no option named one.
        model_url: Where the server of a `chat:NAME` model is. A project's file cannot set it: keys are sent there.
        model_timeout: Seconds that a model may be silent; None if not set.
        prices: What models cost, by their names.
        limits: What bounds the calls of runs and batches, by the names of tools and pipelines.
        env: The names of the environment variables that expressions may read.
        own_env: Those of them that the user has listed, and not only a project's file.
        secrets: The names of variables, parameters and keys whose values are secrets, beside those that sound like it.
        context: Values that every call's context carries.
        builtin: The settings of the ready tools, by their names in the configuration.
        groups: The settings of groups of tools, by their names.
        mcp: The MCP servers, by their names.
        start: The names of servers of the project that a flag or a variable lets be reached.
        consented: The names of settings of the project that a flag or a variable gives consent for: `builtin.http`.
        holds_pins: Whether a tool of a server is used only as `toolkit.lock` pins it; not so where that is looked at.
        granted: The permissions that the user grants to groups; a project's file cannot.
        audit: Whether decisions are recorded; None if not set.
        webhook: Who answers questions where there is no terminal; None where nobody does.
        policy: The policy in the project's configuration.
        policy_files: The policy files of the project, the nearest first.
        own_policy: The user's own policy file; None if there is none.
        named_policy: The policy file that the user names, with an option or a variable.
        lint: The settings of lint, unread; lint reads them.
    """

    directory: Path = Path()
    file: Path | None = None
    sources: tuple[str, ...] = ()
    user_sources: tuple[str, ...] = ()
    timeout: float | None = None
    approval_timeout: float | None = None
    dialect: str | None = None
    journal: bool = False
    model: str | None = None
    chosen_model: str | None = None
    model_url: str | None = None
    model_timeout: float | None = None
    prices: "Mapping[str, Price]" = MappingProxyType({})
    limits: "Mapping[str, Limit]" = MappingProxyType({})
    env: tuple[str, ...] = ()
    own_env: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = ()
    context: Mapping[str, Any] = MappingProxyType({})
    builtin: Mapping[str, ReadySettings] = MappingProxyType({})
    groups: Mapping[str, GroupSettings] = MappingProxyType({})
    mcp: "Mapping[str, McpServer]" = MappingProxyType({})
    start: frozenset[str] = frozenset()
    consented: frozenset[str] = frozenset()
    holds_pins: bool = True
    granted: frozenset[str] = frozenset()
    audit: bool | None = None
    webhook: "WebhookSettings | None" = None
    policy: "PolicyFile | None" = None
    policy_files: tuple[Path, ...] = ()
    own_policy: Path | None = None
    named_policy: Path | None = None
    lint: Mapping[str, Any] = MappingProxyType({})

    @property
    def has_policy(self) -> bool:
        """Whether a file has rules; without any, calls are judged by risk."""
        return bool(self.policy_files or self.policy or self.own_policy or self.named_policy)
