"""The settings of a project, from `toolkit.toml`, `[tool.toolkit]` in `pyproject.toml` and `TOOLKIT_*` variables.

    [tool.toolkit]
    sources = ["tools.py", "pipelines/"]    # targets, relative to this file; `toolkit list` shows their tools
    env = ["REPORT_DIR"]                    # environment variables that expressions in pipelines can read
    secrets = ["SHOP_PIN"]                  # variables and parameters whose values are never shown

    [tool.toolkit.defaults]
    timeout = "30s"                         # timeout of a call
        approval_timeout = "5m"                 # timeout of a question
        result_tokens = 20000                   # the most tokens of a result for a model
        dialect = "openai-strict"               # the dialect of `toolkit schema`
        journal = true                          # keep a journal of pipelines
        model = "openai-chat:gpt-6-luna"        # the model of agents
        model_timeout = "5m"                    # how long a model can send nothing

    [tool.toolkit.context]
    tenant = "acme"                         # values in the context of every call

    [tool.toolkit.builtin.file_read]
    base = "docs"                           # options of a ready tool

    [tool.toolkit.groups.web]
    tools = ["fetch", "search_*"]           # a named set of tools

    [tool.toolkit.prices."chat:qwen3"]
    input = 0.10                            # US dollars per million tokens
    output = 0.30

    [tool.toolkit.limits.fetch_page]
    concurrency = 4                         # calls at the same time, across all workers of a store
    rate = "10/1m"

    [tool.toolkit.mcp.time]
    command = "uvx"                         # an MCP server; its tools are named `time.now` etc.
    args = ["mcp-server-time"]

    [tool.toolkit.openapi.shop]
    document = "openapi.yaml"               # an API; its tools are named `shop.getOrder` etc.
    include = ["tag:orders"]

    [tool.toolkit.serve.auth]
    issuer = "https://login.example"        # whose access tokens `toolkit serve --http` accepts
    scopes = { "shop.read" = ["order"] }

    [[tool.toolkit.policy.deny]]
    tool = "file_*"                         # which calls are allowed, need approval or are denied
    where = { path = { outside = "." } }

    [tool.toolkit.lint]
    ignore = ["TK202"]                      # settings of `toolkit lint`

In `toolkit.toml`, the same keys are at the top level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolkit.codes import BAD_CONFIGURATION
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_bytes

if TYPE_CHECKING:
    from toolkit.agents.models.named_models import Price
    from toolkit.approvals.policy_keys import PolicyFile
    from toolkit.documents import Mapping as MappingNode
    from toolkit.mcp.settings.server_settings import McpServer
    from toolkit.mcp.settings.serving_keys import ServingSettings
    from toolkit.openapi.api_settings import ApiSettings
    from toolkit.tools.calls.call_limits import Limit
    from toolkit.webhooks.webhook_keys import WebhookSettings


OWN_FILE = "toolkit.toml"
PROJECT_FILE = "pyproject.toml"
POLICY_FILE = "toolkit.policy.yaml"


def keys_before(file: Path) -> tuple[str, ...]:
    """Return the path of keys under which a file contains our settings."""
    return () if file.name == OWN_FILE else ("tool", "toolkit")


class ReadySettings(NamedTuple):
    """The settings of a ready tool in a table.

    Attributes:
        kind: The name of the ready tool.
        options: The values of its options; paths are absolute, with links resolved.
        owner: Whose file contains the table. In a project's file, options that widen access need the user's consent.
    """

    kind: str
    options: Mapping[str, Any] = MappingProxyType({})
    owner: Literal["user", "project"] = "project"


class GroupSettings(NamedTuple):
    """The settings of a group of tools in a table.

    Attributes:
        description: What its tools are for.
        provider: Who provides them.
        permissions: The permissions that they need: `internet_access`, `host_access`.
        sources: The targets to choose tools from; all tools that the project knows by name by default.
        tools: The tools to choose: names, patterns, or regular expressions between slashes; all by default.
        exclude: The tools to leave out, in the same form.
        required: Names of tools that must exist.
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
        file: The file with the settings, or `None` if there is none.
        sources: The targets whose tools are known by name.
        skills: The folders of skills that are served to MCP clients.
        user_sources: The sources that the user named with an option or a variable, rather than in a file.
        timeout: Timeout of a call in seconds, or `None` if not set.
        approval_timeout: Timeout of a question in seconds, or `None` if not set.
        result_tokens: Maximum number of tokens of a result, for tools without a limit of their own, or `None`.
        dialect: The dialect in which tools are printed, or `None` if not set.
        journal: Whether runs of pipelines keep a journal by default.
        model: The default model of agents, or `None` if not set.
        chosen_model: The model that the user chose with an option, which overrides the agents' own, or `None`.
        model_url: URL of the server for `chat:NAME` models. A project's file cannot set it: keys are sent there.
        model_timeout: Maximum time in seconds for which a model can send nothing, or `None` if not set.
        prices: The prices of models, by their names.
        limits: The limits for calls of runs and batches, by the names of tools and pipelines.
        env: The names of environment variables that expressions can read.
        own_env: The variables in `env` that the user has listed, not only a project's file.
        secrets: Names of variables, parameters and keys that contain secrets, in addition to names that suggest it.
        context: The context values of every call.
        builtin: The settings of ready tools, by their names in the configuration.
        groups: The settings of groups of tools, by their names.
        mcp: The MCP servers, by their names.
        openapi: The APIs that OpenAPI documents describe, by their names.
        serve: The settings of `toolkit serve`, or `None` if not set.
        start: The names of the project's servers for which a flag or a variable gives consent.
        consented: The names of the project's settings for which a flag or a variable gives consent: `builtin.http`.
        holds_pins: Whether tools of a server can only be used as `toolkit.lock` pins them.
        granted: The permissions that the user grants to groups; a project's file cannot grant any.
        audit: Whether to record decisions, or `None` if not set.
        keep_runs: The age up to which `runs prune` keeps runs, such as `30d`.
        webhook: The webhook that answers questions without a terminal, or `None`.
        policy: The policy in the project's configuration.
        policy_files: The policy files of the project, nearest first.
        own_policy: The user's own policy file, or `None`.
        named_policy: The policy file that the user named with an option or a variable, or `None`.
        lint: The settings of lint, which lint parses itself.
    """

    directory: Path = Path()
    file: Path | None = None
    sources: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    user_sources: tuple[str, ...] = ()
    timeout: float | None = None
    approval_timeout: float | None = None
    result_tokens: int | None = None
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
    openapi: "Mapping[str, ApiSettings]" = MappingProxyType({})
    serve: "ServingSettings | None" = None
    start: frozenset[str] = frozenset()
    consented: frozenset[str] = frozenset()
    holds_pins: bool = True
    granted: frozenset[str] = frozenset()
    audit: bool | None = None
    keep_runs: str = "30d"
    webhook: "WebhookSettings | None" = None
    policy: "PolicyFile | None" = None
    policy_files: tuple[Path, ...] = ()
    own_policy: Path | None = None
    named_policy: Path | None = None
    lint: Mapping[str, Any] = MappingProxyType({})

    @property
    def has_policy(self) -> bool:
        """Whether there is a policy; without one, the risk of a call decides."""
        return bool(self.policy_files or self.policy or self.own_policy or self.named_policy)


_LARGEST = 1024 * 1024


class TomlDocument:
    """The content of a TOML file; the locations of keys are found on demand."""

    def __init__(self, data: dict[str, Any], text: str, file: str) -> None:
        self.data = data
        self.text = text
        self.file = file

    def place(self, path: Sequence[str]) -> Location:
        """Return the location of the key at a path, or of the last existing key on the path."""
        from toolkit.documents.nodes import place_of

        found = place_of(self._root, path)
        return Location(self.file, found.line, found.column) if found else Location(self.file)

    @cached_property
    def _root(self) -> "MappingNode":
        from toolkit.documents.toml_reading import nodes_of

        return nodes_of(self.data, self.text, self.file)


def text_of(file: Path) -> str | Problem:
    """Return the text of a configuration file, or the problem that it cannot be read."""
    try:
        return bounded_bytes(file, most=_LARGEST).decode("utf-8")
    except OSError as error:
        reason = f"the configuration cannot be read: {(error.strerror or str(error)).lower()}"
    except UnicodeDecodeError:
        reason = "the configuration is not UTF-8 text"
    return Problem(BAD_CONFIGURATION, reason, Location(str(file)))


def document_in(text: str, file: Path) -> TomlDocument | Problem:
    """Return the parsed document, or the problem that the text is not valid TOML."""
    from toolkit.documents.toml_reading import read_data  # only needed for files with our settings

    data = read_data(text, str(file))
    return replace(data, code=BAD_CONFIGURATION) if isinstance(data, Problem) else TomlDocument(data, text, str(file))


def place_in_configuration(configuration: Configuration, path: Sequence[str], word: str = "") -> Location | None:
    """Return the location of a key in the configuration file, or `None` if it comes from a variable or option.

    Args:
        configuration: The configuration with the file.
        path: The path of the key.
        word: A text that the file must contain, too.
    """
    file = configuration.file
    if file is None or isinstance(text := text_of(file), Problem) or word not in text:
        return None
    document = document_in(text, file)
    if isinstance(document, Problem):
        return None
    place = document.place([*keys_before(file), *path])
    return None if place.line is None else place
