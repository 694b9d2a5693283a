"""The keys of the configuration, except those of lint, and the kinds of their values.

To add a key, add a row here and a field with the same name to `Configuration`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from toolkit.amounts import AGE_EXAMPLES, AGE_PATTERN, parse_age
from toolkit.builtin.catalog import ReadyTool, ready_tools
from toolkit.builtin.options import one_of, read_options
from toolkit.dialects.registry import DIALECTS
from toolkit.disclosure.groups import PERMISSIONS, read_choices, unknown_permission
from toolkit.documents.keys import (
    DURATION,
    FLAG,
    SWITCH,
    TEXTS,
    Key,
    Kind,
    Schema,
    Spot,
    is_number,
    read_table,
    schema_of,
    table_kind,
    table_of,
    table_of_tables,
    tables_kind,
    tables_of,
    text,
    whole_number,
)
from toolkit.problems import did_you_mean
from toolkit.settings.configuration import GroupSettings, ReadySettings
from toolkit.tools.calls.call_limits import Limit, parse_rate
from toolkit.tools.definition.names import name_problem

if TYPE_CHECKING:
    from toolkit.agents.models.named_models import Price
    from toolkit.approvals.policy_keys import PolicyFile
    from toolkit.mcp.settings.server_settings import McpServer
    from toolkit.mcp.settings.serving_keys import ServingSettings
    from toolkit.openapi.api_settings import ApiSettings
    from toolkit.webhooks.webhook_keys import WebhookSettings


PLAIN: Final = "plain"
"""No dialect: name, description and parameters, unchanged."""

VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def unknown_dialect(name: str) -> str | None:
    """Return a hint if a dialect does not exist."""
    known = (PLAIN, *DIALECTS)
    return None if name in known else did_you_mean(name, known, otherwise=f"the dialects are {', '.join(known)}")


def _dialect(written: Any, _: Spot) -> str | None:
    return written if isinstance(written, str) and not unknown_dialect(written) else None


def _near_dialect(written: Any, _: Spot) -> str | None:
    return unknown_dialect(written) if isinstance(written, str) else "write dialect = 'openai'"


def _dollars(written: Any, _: Spot) -> float | None:
    return float(written) if is_number(written) and 0 <= written < float("inf") else None


WORDS: Final = text(test=lambda _: True)
NAMES: Final = replace(
    TEXTS, schema={"type": "array", "items": {"type": "string", "pattern": f"^{VARIABLE_NAME.pattern}$"}}
)
DOLLARS: Final = Kind(
    "number", "US dollars per million tokens, such as 0.15", _dollars, "", {"type": "number", "minimum": 0}
)
DIALECT: Final = Kind(
    "name",
    "the name of a dialect",
    read=_dialect,
    example="",
    schema={"enum": [PLAIN, *DIALECTS]},
    advice=_near_dialect,
)
MODEL: Final = text(
    "the name of a model",
    {"type": "string", "pattern": "^[^:]+:.", "not": {"pattern": r"^scripted:.*\.[pP][yY]\s*$"}},
    test=lambda written: all(written.partition(":")),
    example="'openai-chat:gpt-6-luna', or 'chat:NAME'",
    name="name",
)
COUNT: Final = whole_number(1, words="a whole number above zero")
AGE: Final = text(
    f"an age, such as {AGE_EXAMPLES}",
    {"type": "string", "pattern": AGE_PATTERN},
    test=lambda written: parse_age(written) is not None,
    example="'30d'",
    name="age",
)
RATE: Final = Kind(
    "rate",
    "a number of calls and a period, such as '10/1m'",
    lambda written, _: parse_rate(written) if isinstance(written, str) else None,
    "'10/1m'",
    {"type": "string", "pattern": r"^\s*[1-9]\d*\s*/\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$"},
)


def _variables(names: tuple[str, ...], spot: Spot) -> tuple[str, ...] | None:
    if all(VARIABLE_NAME.fullmatch(name) for name in names):
        return names
    spot.wrong("a list of names of environment variables")
    return None


def _model(name: str, spot: Spot) -> str | None:
    from toolkit.agents.models.scripted import runs_code  # few projects set a model

    if not runs_code(name):
        return name
    hint = "write the script in YAML, or name it yourself: --model, or TOOLKIT_MODEL"
    spot.report(f"the script of '{spot.name}' would run as code, which a file may not request", hint)
    return None


def _price(values: dict[str, Any]) -> "Price":
    from toolkit.agents.models.named_models import Price  # few projects set prices

    return Price(**values)


def _limit(values: dict[str, Any]) -> Limit:
    rate, seconds = values.get("rate", (None, 1.0))
    return Limit(values.get("concurrency"), rate, seconds)


def _servers(tables: Mapping[str, Any], spot: Spot) -> "dict[str, McpServer]":
    from toolkit.mcp.settings.server_tables import read_servers  # few projects have servers

    return read_servers(tables, spot)


def _apis(tables: Mapping[str, Any], spot: Spot) -> "dict[str, ApiSettings]":
    from toolkit.openapi.api_settings import read_apis  # few projects have APIs

    return read_apis(tables, spot)


def _serving(written: Mapping[str, Any], spot: Spot) -> "ServingSettings":
    from toolkit.mcp.settings.serving_keys import read_serving  # few projects are served to others

    return read_serving(written, spot)


def _audit(written: bool, spot: Spot) -> bool | None:  # noqa: FBT001 - called with the value of a key
    if written or spot.origin.owner == "user":
        return written
    spot.report(f"'{spot.name}' can only be switched on by a project", "remove it, or set it in your own configuration")
    return None


def _keep_runs(written: str, spot: Spot) -> str | None:
    if spot.origin.owner == "user":
        return written
    hint = f"set it in your own configuration, or run `toolkit runs prune --older-than {quote(written)}`"
    spot.report(f"'{spot.name}' cannot be set by a project, because your journal holds the runs of all projects", hint)
    return None


def _webhook(written: Mapping[str, Any], spot: Spot) -> "WebhookSettings | None":
    from toolkit.webhooks.webhook_keys import read_webhook  # few users have a webhook

    return read_webhook(written, spot)


def _policy(written: Mapping[str, Any], spot: Spot) -> "PolicyFile":
    from toolkit.settings.policy_settings import read_settings_policy  # few projects have rules there

    groups = table_of_tables(spot.beside.get("groups")) or {}
    silent = spot._replace(origin=spot.origin._replace(problems=[]))  # reported when the groups are read
    known = {name: GroupSettings(**read_table(each, GROUP, silent)) for name, each in groups.items()}
    return read_settings_policy(written, spot, known)


def _groups(tables: Mapping[str, Mapping[str, Any]], spot: Spot) -> dict[str, GroupSettings]:
    for name in tables:
        if not VARIABLE_NAME.fullmatch(name):
            hint = "a name is made of letters, digits and underscores"
            spot.below(name).report(f"'{name}' is not a valid name for a group", hint)
    return {name: _group(written, spot.below(name)) for name, written in tables.items()}


def _group(written: Mapping[str, Any], spot: Spot) -> GroupSettings:
    settings = GroupSettings(**read_table(written, GROUP, spot))
    if not settings.sources and not settings.tools:
        hint = "write tools = ['name', 'prefix_*'], or sources = ['tools.py']"
        spot.report(f"group '{spot.path[-1]}' chooses no tools", hint)
    read_choices((*settings.tools, *settings.exclude), spot)
    return settings


def _permissions(names: tuple[str, ...], spot: Spot) -> tuple[str, ...]:
    for name in names:
        if name not in PERMISSIONS:
            problem = unknown_permission(name)
            spot.report(problem.message, problem.hint)
    return names


DEFINITION = "ready_tool"
"""The name of the shared definition in the JSON Schema of a configuration."""

_KIND = "kind"
"""The key with the ready tool that a table with another name configures."""


def read_ready_settings(tables: Mapping[str, Any], spot: Spot) -> dict[str, ReadySettings]:
    """Return the settings in the tables, by the names of the tools, and report all problems.

    Args:
        tables: A table for each tool.
        spot: The location of the tables.
    """
    settings = {}
    for name, table in tables.items():
        here = spot.below(name)
        if not isinstance(table, dict):
            here.wrong("a table", f"write [{here.name}]")
        elif (tool := _ready_tool_of(table, here)) is not None:
            settings[name] = _ready_settings(tool, table, here)
    return settings


def _ready_tool_of(table: Mapping[str, Any], spot: Spot) -> ReadyTool | None:
    name = spot.path[-1]
    ready, kind = ready_tools(), table.get(_KIND, name)
    if _KIND in table and (problem := name_problem(name)):
        spot.report(problem.message, problem.hint)
    if isinstance(kind, str) and kind in ready:
        return ready[kind]
    if _KIND in table:
        names = ", ".join(f"'{name}'" for name in ready)
        hint = did_you_mean(str(kind), ready, otherwise=f"ready tools: {names}")
        spot.below(_KIND).wrong("the name of a ready tool", hint)
    else:
        otherwise = f"to use your own name, set the ready tool: kind = '{next(iter(ready))}'"
        spot.report(f"unknown ready tool '{spot.name}'", did_you_mean(name, ready, otherwise=otherwise))
    return None


def _ready_settings(tool: ReadyTool, table: Mapping[str, Any], spot: Spot) -> ReadySettings:
    given = {name: written for name, written in table.items() if name != _KIND}
    values = read_options(tool.options, given, spot)
    return ReadySettings(
        tool.name, {name: _with_links_resolved(value) for name, value in values.items()}, spot.origin.owner
    )


def _with_links_resolved(value: Any) -> Any:
    """Return a folder with links resolved, so that the folder that was checked is the one that is used."""
    if not isinstance(value, Path):
        return value
    try:
        return value.resolve()
    except (OSError, RuntimeError):  # circular links, which are reported when it is opened
        return value


def ready_schema() -> Schema:
    """Return the JSON Schema of the tables of ready tools; `DEFINITION` stands for `any_ready_schema`."""
    of_another_name: Schema = {"$ref": f"#/$defs/{DEFINITION}"}
    named = {name: {"anyOf": [schema_of(tool.options), of_another_name]} for name, tool in ready_tools().items()}
    return {"type": "object", "properties": named, "additionalProperties": of_another_name}


def any_ready_schema() -> Schema:
    """Return the JSON Schema of a table with the key `kind`."""
    return {"anyOf": [schema_of((_kind_of(tool), *tool.options)) for tool in ready_tools().values()]}


def _kind_of(tool: ReadyTool) -> Key:
    return Key(_KIND, one_of(tool.name), "the ready tool that the table configures", required=True)


# ------------------------------------------------------------------------------------------------- the tables


def _permission_schema() -> Schema:
    return {"type": "array", "items": {"enum": [*PERMISSIONS]}}


def _group_schema() -> Schema:
    return schema_of(GROUP, anyOf=[{"required": ["tools"]}, {"required": ["sources"]}])


def _policy_schema() -> Schema:
    from toolkit.approvals.policy_keys import settings_policy_schema  # few projects have rules there

    return settings_policy_schema()


def _webhook_schema() -> Schema:
    from toolkit.webhooks.webhook_keys import webhook_schema  # few users have a webhook

    return webhook_schema()


def _servers_schema() -> Schema:
    from toolkit.mcp.settings.server_tables import servers_schema  # few projects have servers

    return servers_schema()


def _apis_schema() -> Schema:
    from toolkit.openapi.api_settings import apis_schema  # few projects have APIs

    return apis_schema()


def _serving_schema() -> Schema:
    from toolkit.mcp.settings.serving_keys import serving_schema  # few projects are served to others

    return serving_schema()


DEFAULTS: Final = (
    Key("timeout", DURATION, "timeout of a call"),
    Key("approval_timeout", DURATION, "timeout of a question", "5m"),
    Key("result_tokens", COUNT, "maximum number of tokens of a result, for tools without a limit of their own"),
    Key("model_timeout", DURATION, "how long a model can send nothing before it times out", "5m"),
    Key("journal", SWITCH, "whether runs of pipelines keep a journal; batches always do", False),
    Key("dialect", DIALECT, "the dialect that `toolkit schema` prints", PLAIN),
    Key("model", MODEL, "the model that agents use; its server's URL cannot be set in a file", take=_model),
)
GROUP: Final = (
    Key("description", WORDS, "what the tools of the group are for"),
    Key("provider", WORDS, "who provides the tools"),
    Key(
        "permissions",
        replace(TEXTS, schema=_permission_schema),
        "the permissions that the tools need",
        take=_permissions,
    ),
    Key("sources", TEXTS, "targets to choose tools from; all tools that the project knows by name by default"),
    Key("tools", TEXTS, "tools to choose: names, patterns or /regular expressions/; all by default"),
    Key("exclude", TEXTS, "tools to leave out, in the same form"),
    Key("required", TEXTS, "names of tools that must exist; a missing one is an error"),
)
PRICES: Final = (
    Key("input", DOLLARS, "US dollars per million input tokens"),
    Key("output", DOLLARS, "US dollars per million output tokens"),
)
LIMITS: Final = (
    Key("concurrency", COUNT, "maximum number of calls at the same time, across all workers of a store"),
    Key("rate", RATE, "maximum number of calls that begin within a period, across all workers of a store"),
)
KEYS: Final = (
    Key("sources", TEXTS, "targets, relative to this file, whose tools are known by name"),
    Key("skills", TEXTS, "folders of agent skills in this project, which `toolkit serve` offers to clients"),
    Key(
        "env", NAMES, "environment variables that expressions in pipelines can read, with your consent", take=_variables
    ),
    Key("secrets", TEXTS, "names of variables, parameters and keys whose values are always masked"),
    Key(
        "defaults",
        table_of(DEFAULTS, example="{ timeout = '30s' }"),
        "defaults for calls",
    ),
    Key(
        "context",
        table_kind("{ tenant = 'acme' }", {"type": "object"}),
        "values in the context of every call",
    ),
    Key(
        "builtin",
        table_kind("{ file_read = { base = 'docs' } }", ready_schema),
        "options of ready tools, with a table for each tool",
        take=read_ready_settings,
    ),
    Key(
        "groups",
        tables_kind("{ web = { tools = ['fetch'] } }", _group_schema),
        "sets of tools, with a table for each group",
        take=_groups,
    ),
    Key(
        "mcp",
        table_kind("{ time = { command = 'uvx', args = ['mcp-server-time'] } }", _servers_schema),
        "MCP servers, with a table for each server, and `files`, a list of editors' files with servers",
        take=_servers,
    ),
    Key(
        "openapi",
        table_kind("{ shop = { document = 'openapi.yaml' } }", _apis_schema),
        "APIs whose operations are tools, with a table for each",
        take=_apis,
    ),
    Key(
        "serve",
        table_kind("{ auth = { issuer = 'https://login.example' } }", _serving_schema),
        "settings of `toolkit serve`: whose access tokens it accepts over HTTP",
        take=_serving,
    ),
    Key(
        "prices",
        tables_of(PRICES, _price, example="{ 'chat:qwen3' = { input = 0.1, output = 0.3 } }"),
        "prices of models, with a table for each model",
    ),
    Key(
        "limits",
        tables_of(LIMITS, _limit, example="{ price = { concurrency = 4, rate = '10/1m' } }"),
        "how many calls can run at the same time or begin within a period, with a table for each tool or pipeline",
    ),
    Key(
        "audit",
        FLAG,
        "whether to record decisions about calls; by default for agents, servers and in CI",
        take=_audit,
    ),
    Key(
        "keep_runs",
        AGE,
        "the age up to which `toolkit runs prune` keeps runs; only in your own configuration",
        "30d",
        take=_keep_runs,
    ),
    Key(
        "webhook",
        table_kind("{ url = 'https://…', secret = 'APPROVALS_SECRET' }", _webhook_schema),
        "the webhook that answers questions if there is no terminal; only in your own configuration",
        take=_webhook,
    ),
    Key(
        "policy",
        table_kind("{ deny = [{ tool = 'file_*', where = { path = { outside = '.' } } }] }", _policy_schema),
        "which calls are allowed, need approval or are denied, as in `toolkit.policy.yaml`",
        take=_policy,
    ),
    Key("lint", table_kind("{ ignore = ['TK202'] }", {"type": "object"}), "settings of `toolkit lint`"),
)
USERS_OWN: Final = ("mcp", "openapi", "builtin", "env", "audit", "keep_runs", "webhook")
"""The keys of a user's own configuration, which applies to all projects."""
