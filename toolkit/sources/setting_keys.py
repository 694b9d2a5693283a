"""Setting keys: a row for everything that a configuration may say; lint adds its own.

A new key is a row here, and a field of `Configuration` of the same name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolkit.disclosure.choices import read_choices
from toolkit.documents.kinds import table_of_tables
from toolkit.documents.tables import Key, Schema, Spot, read_table, schema_of
from toolkit.problems import did_you_mean
from toolkit.sources.configuration import GroupSettings, ReadySettings
from toolkit.sources.setting_kinds import (
    COUNT,
    DIALECT,
    DOLLARS,
    DURATION,
    FLAG,
    MODEL,
    NAMES,
    PLAIN,
    RATE,
    SWITCH,
    TEXTS,
    VARIABLE_NAME,
    WORDS,
    table_kind,
    tables_kind,
)
from toolkit.tools.limits import Limit

if TYPE_CHECKING:
    from toolkit.agents.models.prices import Price
    from toolkit.approvals.policy_keys import PolicyFile
    from toolkit.mcp.settings.servers import McpServer
    from toolkit.webhooks.setting_keys import WebhookSettings


def read_settings_table(written: Mapping[str, Any], keys: Sequence[Key], spot: Spot) -> dict[str, Any]:
    """Return the good values of a table of the configuration."""
    return read_table(written, keys, spot, advice=_near)


def _near(name: str, known: Sequence[str]) -> str | None:
    return did_you_mean(name, known, otherwise=f"the keys are {_listed(known)}")


def _listed(names: Iterable[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def _variables(names: tuple[str, ...], spot: Spot) -> tuple[str, ...] | None:
    if all(VARIABLE_NAME.fullmatch(name) for name in names):
        return names
    spot.wrong("a list of names of environment variables")
    return None


def _defaults(written: Mapping[str, Any], spot: Spot) -> dict[str, Any]:
    return read_settings_table(written, DEFAULTS, spot)


def _model(name: str, spot: Spot) -> str | None:
    from toolkit.agents.models.script_names import runs_code  # noqa: PLC0415 - few projects name a model

    if not runs_code(name):
        return name
    hint = "write the script in YAML, or name it yourself: --model, or TOOLKIT_MODEL"
    spot.report(f"the script of '{spot.name}' would run as code, which a file may not request", hint)
    return None


def _prices(tables: Mapping[str, Mapping[str, Any]], spot: Spot) -> "dict[str, Price]":
    from toolkit.agents.models.prices import Price  # noqa: PLC0415 - few projects say any

    return {name: Price(**read_settings_table(written, PRICES, spot.below(name))) for name, written in tables.items()}


def _limits(tables: Mapping[str, Mapping[str, Any]], spot: Spot) -> dict[str, Limit]:
    return {name: _limit(written, spot.below(name)) for name, written in tables.items()}


def _limit(written: Mapping[str, Any], spot: Spot) -> Limit:
    values = read_settings_table(written, LIMITS, spot)
    rate, seconds = values.get("rate", (None, 1.0))
    return Limit(values.get("concurrency"), rate, seconds)


def _ready(tables: Mapping[str, Any], spot: Spot) -> dict[str, ReadySettings]:
    from toolkit.sources.ready_settings import read_ready_settings  # noqa: PLC0415 - it imports those tools

    return read_ready_settings(tables, spot)


def _servers(tables: Mapping[str, Any], spot: Spot) -> "dict[str, McpServer]":
    from toolkit.mcp.settings.server_tables import read_servers  # noqa: PLC0415 - few projects have servers

    return read_servers(tables, spot)


def _audit(written: tuple[bool], spot: Spot) -> bool | None:
    if written[0] or spot.setting.owner == "user":
        return written[0]
    spot.report(f"'{spot.name}' can only be switched on by a project", "leave it out, or write it in your own file")
    return None


def _webhook(written: Mapping[str, Any], spot: Spot) -> "WebhookSettings | None":
    from toolkit.webhooks.setting_keys import read_webhook  # noqa: PLC0415 - few users have a webhook

    return read_webhook(written, spot)


def _policy(written: Mapping[str, Any], spot: Spot) -> "PolicyFile":
    from toolkit.sources.policies import read_settings_policy  # noqa: PLC0415 - few projects have rules there

    groups = table_of_tables(spot.beside.get("groups"), spot.setting.folder) or {}
    unheard = spot._replace(setting=spot.setting._replace(take=lambda _: None))  # the groups report what is wrong
    known = {name: GroupSettings(**read_settings_table(each, GROUP, unheard)) for name, each in groups.items()}
    return read_settings_policy(written, spot, known)


def _groups(tables: Mapping[str, Mapping[str, Any]], spot: Spot) -> dict[str, GroupSettings]:
    for name in tables:
        if not VARIABLE_NAME.fullmatch(name):
            hint = "a name is made of letters, digits and underscores"
            spot.below(name).report(f"'{name}' is not a valid name for a group", hint)
    return {name: _group(written, spot.below(name)) for name, written in tables.items()}


def _group(written: Mapping[str, Any], spot: Spot) -> GroupSettings:
    settings = GroupSettings(**read_settings_table(written, GROUP, spot))
    if not settings.sources and not settings.tools:
        hint = "write tools = ['name', 'prefix_*'], or sources = ['tools.py']"
        spot.report(f"group '{spot.path[-1]}' names no tools", hint)
    read_choices((*settings.tools, *settings.exclude), spot)
    return settings


def _permissions(names: tuple[str, ...], spot: Spot) -> tuple[str, ...]:
    from toolkit.disclosure.groups import PERMISSIONS, unknown_permission  # noqa: PLC0415 - few projects have groups

    for name in names:
        if name not in PERMISSIONS:
            problem = unknown_permission(name)
            spot.report(problem.message, problem.hint)
    return names


# ------------------------------------------------------------------------------------------------- the tables


def _permission_schema() -> Schema:
    from toolkit.disclosure.groups import PERMISSIONS  # noqa: PLC0415 - few projects have groups

    return {"type": "array", "items": {"enum": [*PERMISSIONS]}}


def _group_schema() -> Schema:
    return schema_of(GROUP, anyOf=[{"required": ["tools"]}, {"required": ["sources"]}])


def _ready_schema() -> Schema:
    from toolkit.sources.ready_settings import ready_schema  # noqa: PLC0415 - it imports those tools

    return ready_schema()


def _policy_schema() -> Schema:
    from toolkit.approvals.policy_keys import settings_policy_schema  # noqa: PLC0415 - few projects have rules there

    return settings_policy_schema()


def _webhook_schema() -> Schema:
    from toolkit.webhooks.setting_keys import webhook_schema  # noqa: PLC0415 - few users have a webhook

    return webhook_schema()


def _servers_schema() -> Schema:
    from toolkit.mcp.settings.server_tables import servers_schema  # noqa: PLC0415 - few projects have servers

    return servers_schema()


DEFAULTS: Final = (
    Key("timeout", DURATION, "how long a call may take"),
    Key("approval_timeout", DURATION, "how long a question waits for its answer", "5m"),
    Key("model_timeout", DURATION, "how long a model may be silent", "5m"),
    Key("journal", SWITCH, "whether runs of pipelines keep a journal; batches do", False),
    Key("dialect", DIALECT, "the dialect that `toolkit schema` prints", PLAIN),
    Key("model", MODEL, "the model that agents use; its server's URL cannot be set in a file", take=_model),
)
GROUP: Final = (
    Key("description", WORDS, "what the tools of the group are for"),
    Key("provider", WORDS, "who provides the tools"),
    Key("permissions", replace(TEXTS, schema=_permission_schema), "what they need", take=_permissions),
    Key("sources", TEXTS, "the targets that it chooses among; everything that the project knows by name by default"),
    Key("tools", TEXTS, "names, patterns, or /regular expressions/; all by default"),
    Key("exclude", TEXTS, "what to leave out, in the same form"),
    Key("required", TEXTS, "tools that must exist, by name; a missing one is an error"),
)
PRICES: Final = (
    Key("input", DOLLARS, "US dollars for a million tokens that the model reads"),
    Key("output", DOLLARS, "US dollars for a million tokens that it writes"),
)
LIMITS: Final = (
    Key("concurrency", COUNT, "how many items run at the same time, on all workers together"),
    Key("rate", RATE, "how many items begin in some time, on all workers together"),
)
KEYS: Final = (
    Key("sources", TEXTS, "targets, relative to this file, whose tools are known by name"),
    Key(
        "env", NAMES, "environment variables that expressions of pipelines may read, with your consent", take=_variables
    ),
    Key("secrets", TEXTS, "names of variables, parameters and keys whose values are always masked"),
    Key(
        "defaults",
        table_kind("{ timeout = '30s' }", partial(schema_of, DEFAULTS)),
        "defaults for calls",
        take=_defaults,
    ),
    Key(
        "context",
        table_kind("{ tenant = 'acme' }", {"type": "object"}),
        "values that tools receive with every call",
    ),
    Key(
        "builtin",
        table_kind("{ file_read = { base = 'docs' } }", _ready_schema),
        "options of the ready tools, a table each",
        take=_ready,
    ),
    Key(
        "groups",
        tables_kind("{ web = { tools = ['fetch'] } }", _group_schema),
        "sets of tools, a table each",
        take=_groups,
    ),
    Key(
        "mcp",
        table_kind("{ time = { command = 'uvx', args = ['mcp-server-time'] } }", _servers_schema),
        "MCP servers, a table each, and `files` of editors that name some",
        take=_servers,
    ),
    Key(
        "prices",
        tables_kind("{ 'chat:qwen3' = { input = 0.1, output = 0.3 } }", partial(schema_of, PRICES)),
        "prices of models, a table each",
        take=_prices,
    ),
    Key(
        "limits",
        tables_kind("{ price = { concurrency = 4, rate = '10/1m' } }", partial(schema_of, LIMITS)),
        "how many calls run at the same time, or begin in some time, a table for each tool or pipeline",
        take=_limits,
    ),
    Key(
        "audit",
        FLAG,
        "whether decisions about calls are recorded; by default for agents, servers and in CI",
        take=_audit,
    ),
    Key(
        "webhook",
        table_kind("{ url = 'https://…', secret = 'APPROVALS_SECRET' }", _webhook_schema),
        "who answers questions if there is no terminal; only in your own configuration",
        take=_webhook,
    ),
    Key(
        "policy",
        table_kind("{ deny = [{ tool = 'file_*', where = { path = { outside = '.' } } }] }", _policy_schema),
        "which calls run, need approval, or are denied, as in `toolkit.policy.yaml`",
        take=_policy,
    ),
    Key("lint", table_kind("{ ignore = ['TK202'] }", {"type": "object"}), "settings of `toolkit lint`"),
)
USERS_OWN: Final = ("mcp", "builtin", "env", "audit", "webhook")
"""What a user's own configuration may say, which holds in every project."""
