"""Opens the tools to serve, and turns the options of the command into options of the server."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.requests import DEFAULT_TIMEOUT
from toolkit.disclosure.offering import folded_tools
from toolkit.events import Listener
from toolkit.mcp.serving.calls import DEFAULT_LIMIT, Rules
from toolkit.mcp.serving.server import Options
from toolkit.mcp.shared_context import allow_keys
from toolkit.tools.base import innermost
from toolkit.wrappers.timing import TimedTool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.opened_tools import open_all
from toolkit_cli.rendering.tools import is_facade, pipeline_in
from toolkit_cli.running.answer_sources import Answers
from toolkit_cli.running.audits import audit_of
from toolkit_cli.running.context_values import seconds_of
from toolkit_cli.running.tool_calls import limiter_of

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.approvals.requests import ReviewRequest
    from toolkit.redactors.redactor import Redactor
    from toolkit.sources.configuration import Configuration
    from toolkit.tools.base import Tool


_FORMATTER = logging.Formatter()


class ServeSettings(NamedTuple):
    """The parsed options of the command.

    Attributes:
        name: The name of the server.
        answers: How approval questions are answered in advance.
        meta: The keys of `_meta` to pass to tools.
        values: Context values to pass to tools.
        memory_id: The memory id for the tools.
        timeout: The time limit for a call as typed.
    """

    name: str
    answers: Answers
    meta: Sequence[str]
    values: Mapping[str, Any]
    memory_id: str | None
    timeout: str | None


def open_served(
    targets: Sequence[str], configuration: "Configuration", gate: "Gate", timeout: str | None, *, warn: bool
) -> "dict[str, Tool]":
    """Return the tools to serve, by name; toolboxes are represented by their facade.

    Args:
        targets: The targets as typed; if empty, the configured sources.
        configuration: The configuration, in which names are looked up.
        gate: Asks for consent before an MCP server of the project is contacted.
        timeout: The time limit for a call as typed; if `None`, the configured limit applies to single calls.
        warn: Whether to report warnings.

    Raises:
        Failure: If a target is missing or broken, or there are no tools.
        InvalidTools: If two tools have the same name.
    """
    opened = open_all(targets, configuration, gate)
    end_at_errors(opened.problems)
    if warn:
        report(opened.problems)
    if not opened.tools:
        hint = "name a file, a folder or a tool; or add `sources` to toolkit.toml"
        raise Failure(ExitCode.USAGE, "there are no tools to serve", hint=hint)
    folded = folded_tools(opened.tools.values())
    return {name: _timed(tool, configuration.timeout if timeout is None else None) for name, tool in folded.items()}


def make_options(
    settings: ServeSettings, configuration: "Configuration", token: str | None, listener: Listener | None = None
) -> "Options":
    """Return the options of the server; secrets are redacted from log messages from now on.

    Args:
        settings: The options of the command.
        configuration: The configuration.
        token: The bearer token, if any.
        listener: Receives the events of every call.

    Raises:
        Failure: If an option is invalid.
        ConfigurationError: If a key of `_meta` is not allowed.
    """
    allow_keys(*settings.meta)
    limit = None if settings.timeout is None else seconds_of("--timeout", settings.timeout)
    rules = Rules(
        policy=settings.answers.policy(),
        why_not=_why_not,
        approval_timeout=configuration.approval_timeout or DEFAULT_TIMEOUT,
        limit=limit or max(DEFAULT_LIMIT, configuration.timeout or 0.0),
        values={**configuration.context, **settings.values},
        memory_id=settings.memory_id,
        meta=frozenset(settings.meta),
        audit=audit_of(configuration, always=True),
        reviewer=configuration.webhook.reviewer() if configuration.webhook is not None else None,
        listener=listener,
        limiter=limiter_of(configuration.limits),
    )
    redactor = console.redactor()
    redactor.learn(*([token] if token else []))
    _keep_out_of_logs(redactor)
    return Options(settings.name, rules=rules, redactor=redactor)


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


def _timed(tool: "Tool", seconds: float | None) -> "Tool":
    """Return the tool with the configured time limit, which applies only to single calls."""
    is_single = pipeline_in(tool) is None and not is_facade(tool) and not getattr(innermost(tool), "is_agent", False)
    return TimedTool(tool, seconds) if seconds is not None and is_single else tool


def _why_not(request: "ReviewRequest") -> str:
    """Return why a call is rejected without a question, and the flag that allows it."""
    from toolkit_cli.running.approval_flags import flag_for  # only a rejection needs it

    flag = flag_for(request.call or DescribedCall(request.risk, "model", None, request.arguments, unknown=None))
    asked_by = f" ({request.asked_by})" if request.asked_by else ""
    refusal = f"this call needs approval{asked_by}, and this client cannot ask for it"
    return refusal if flag is None else f"{refusal}; {flag.advice('to allow it, start the server with')}"
