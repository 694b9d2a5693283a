"""Opens the tools to serve, and turns the options of the command into options of the server."""

import logging
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from toolkit.approvals.decisions import DEFAULT_TIMEOUT
from toolkit.approvals.policies import DescribedCall, Risk
from toolkit.approvals.rules import GroupFit
from toolkit.codes import SERVER_UNREACHABLE
from toolkit.disclosure.groups import is_plain, matches
from toolkit.disclosure.offering import folded_tools
from toolkit.mcp.serving.calls import DEFAULT_LIMIT, Rules
from toolkit.mcp.serving.server import Options
from toolkit.mcp.serving.token_scopes import Scopes
from toolkit.mcp.shared_context import allow_keys
from toolkit.problems import did_you_mean
from toolkit.settings.policy_settings import group_fits
from toolkit.skills.skill_folders import skills_in
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.sessions import Session, seconds_of, timed

if TYPE_CHECKING:
    from pathlib import Path

    from toolkit.approvals.decisions import ReviewRequest
    from toolkit.mcp.settings.server_settings import McpServer
    from toolkit.redactors.redactor import Redactor
    from toolkit.settings.configuration import Configuration
    from toolkit.tools.base import Tool


_FORMATTER = logging.Formatter()


def open_served(targets: Sequence[str], session: Session, timeout: str | None) -> "dict[str, Tool]":
    """Return the tools to serve, by name; toolboxes are represented by their facade.

    A server that cannot be reached is a warning, unless it is the only one.

    Args:
        targets: The targets as typed; if empty, the configured sources.
        session: The session of the command.
        timeout: The time limit for a call as typed; if `None`, the configured limit applies to single calls.

    Raises:
        Failure: If a target is missing or broken, or there are no tools.
        InvalidTools: If two tools have the same name.
    """
    opened = session.open(targets, tolerated={SERVER_UNREACHABLE})
    if not opened:
        hint = "name a file, a folder or a tool; or add `sources` to toolkit.toml"
        raise Failure(ExitCode.USAGE, "there are no tools to serve", hint=hint)
    seconds = session.configuration.timeout if timeout is None else None
    return {name: timed(tool, None, seconds) for name, tool in folded_tools(opened.values()).items()}


class TypedOptions(NamedTuple):
    """The options of the command that become options of the server.

    Attributes:
        name: The name of the server.
        meta: The keys of `_meta` to pass to tools.
        timeout: The time limit for a call as typed.
    """

    name: str
    meta: Sequence[str]
    timeout: str | None


def make_options(session: Session, typed: TypedOptions, token: str | None, servers: "Sequence[McpServer]") -> "Options":
    """Return the options of the server; secrets are redacted from log messages from now on.

    Args:
        session: The session of the command.
        typed: The options as typed.
        token: The bearer token, if any.
        servers: The MCP servers behind.

    Raises:
        Failure: If an option is invalid.
        ConfigurationError: If a key of `_meta` is not allowed.
    """
    name, meta, timeout = typed
    allow_keys(*meta)
    configuration, context = session.configuration, session.context
    limit = None if timeout is None else seconds_of("--timeout", timeout)
    rules = Rules(
        policy=session.answers.policy(),
        why_not=_why_not,
        approval_timeout=configuration.approval_timeout or DEFAULT_TIMEOUT,
        limit=limit or max(DEFAULT_LIMIT, configuration.timeout or 0.0),
        values=context.values,
        memory_id=context.memory_id,
        meta=frozenset(meta),
        audit=session.gate.audit,
        reviewer=configuration.webhook.reviewer() if configuration.webhook is not None else None,
        listener=context.listener,
        limiter=context.limiter,
        result_tokens=configuration.result_tokens,
    )
    redactor = console.redactor()
    redactor.learn(*([token] if token else []))
    _keep_out_of_logs(redactor)
    skills, scopes = skills_of(configuration), _scopes_of(configuration)
    return Options(name, rules=rules, redactor=redactor, skills=skills, scopes=scopes, servers=servers)


def skills_of(configuration: "Configuration") -> "Sequence[Path]":
    """Return the folders of the skills that the configuration names."""
    folders = skill_folders_of(configuration)
    return skills_in(folders, configuration.directory) if folders else ()


def skill_folders_of(configuration: "Configuration") -> "list[Path]":
    """Return the folders in which the configuration says that there are skills."""
    return [configuration.directory / folder for folder in configuration.skills]


def _scopes_of(configuration: "Configuration") -> Scopes:
    """Return the tools that the scopes of access tokens allow."""
    if configuration.serve is None or configuration.serve.auth is None:
        return Scopes()
    groups = group_fits(configuration.groups, configuration.directory)
    written = configuration.serve.auth.scopes
    return Scopes({scope: partial(_is_covered, choices, groups) for scope, choices in written.items()})


def _is_covered(choices: Sequence[str], groups: Mapping[str, GroupFit], risk: Risk) -> bool:
    return any(groups[one](risk) == "yes" if one in groups else matches(risk.tool, one) for one in choices)


def warn_of_unknown_tools(configuration: "Configuration", served: Collection[str]) -> None:
    """Warn about names in the scopes of access tokens that no served tool and no group has."""
    auth = configuration.serve.auth if configuration.serve is not None else None
    known = {*served, *configuration.groups}
    for scope, choices in (auth.scopes if auth is not None else {}).items():
        for name in choices:
            if is_plain(name) and name not in known:
                hint = did_you_mean(name, known, otherwise="no client sees it")
                console.say(f"warning: scope '{scope}' allows '{name}', which is not served; {hint}")


def _keep_out_of_logs(redactor: "Redactor") -> None:
    """Redact secrets from log messages of the library, and of other loggers without handlers."""
    last = [logging.lastResort] if logging.lastResort is not None else []
    for handler in [*logging.getLogger("toolkit").handlers, *last]:
        handler.addFilter(_Redacting(redactor))


class _Redacting(logging.Filter):
    """Redacts secrets from log records and their tracebacks."""

    def __init__(self, redactor: "Redactor") -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._redactor.text(record.getMessage()), None
        if record.exc_info:
            record.exc_text = self._redactor.text(_FORMATTER.formatException(record.exc_info))
            record.exc_info = None
        return True


def _why_not(request: "ReviewRequest") -> str:
    """Return why a call is rejected without a question, and the flag that allows it."""
    from toolkit_cli.running.approval_flags import flag_for  # only a rejection needs it

    flag = flag_for(request.call or DescribedCall(request.risk, "model", None, request.arguments, unknown=None))
    asked_by = f" ({request.asked_by})" if request.asked_by else ""
    refusal = f"this call needs approval{asked_by}, and this client cannot ask for it"
    return refusal if flag is None else f"{refusal}; {flag.advice('to allow it, start the server with')}"
