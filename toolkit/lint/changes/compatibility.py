"""Tells which providers accept which tools, with reasons, and how many tokens a definition costs."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from toolkit import dialects
from toolkit.dialects.clients import CLIENTS
from toolkit.lint.clues.provider_objections import objections_to, shared_exports, tokens_of
from toolkit.lint.configuration.settings import PROVIDERS
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import PORTABLE
from toolkit.problems import Severity

EVERYBODY = tuple(provider for provider in PROVIDERS if provider != PORTABLE and provider not in CLIENTS)
"""Every provider that a tool can be sent to."""


class Reason(NamedTuple):
    """A provider's objection to a tool, or to all of them together."""

    code: str
    severity: Severity
    message: str


class Verdict(NamedTuple):
    """A provider's objections to a tool, and the approximate number of tokens that it costs."""

    provider: str
    tokens: int
    reasons: tuple[Reason, ...] = ()

    @property
    def is_taken(self) -> bool:
        """Whether the provider accepts the tool: no objection is an error."""
        return all(reason.severity != "error" for reason in self.reasons)


class Row(NamedTuple):
    """A tool, or all tools together, with the verdict of each provider.

    Attributes:
        name: The name of the tool; None if it is only known at run time.
        verdicts: The verdict of each provider.
        is_whole: Whether the whole specification is known; if not, the verdicts are about what the source shows.
    """

    name: str | None
    verdicts: tuple[Verdict, ...]
    is_whole: bool = True


class Compatibility(NamedTuple):
    """The verdicts on each tool, and on all tools in one request."""

    rows: tuple[Row, ...]
    whole: Row


def compatibility_of(tools: Sequence[ToolDefinition], providers: Iterable[str] = EVERYBODY) -> Compatibility:
    """Return how compatible tools are with each provider; tools without a valid schema are omitted."""
    asked = tuple(dict.fromkeys(providers))
    known = [tool for one in tools if (tool := _with_specification(one)).spec is not None]
    rows = tuple(
        Row(tool.name if tool.is_named else None, tuple(_verdict(tool, one) for one in asked), tool.outline is None)
        for tool in known
    )
    on_all = tuple(_verdict_on_all(known, rows, one) for one in asked)
    return Compatibility(rows, Row("all together", on_all, all(row.is_whole for row in rows)))


def _with_specification(tool: ToolDefinition) -> ToolDefinition:
    """Return a tool with its outline in place of a specification, if only its source was read."""
    if tool.spec is not None or tool.outline is None:
        return tool
    return replace(tool, spec=tool.outline, schema=tool.outline.parameters, exports={})


def _verdict(tool: ToolDefinition, provider: str) -> Verdict:
    reasons = [Reason(one.code, one.severity, one.message) for one in objections_to(tool, provider)]
    reasons_shown = tuple(dict.fromkeys(reason for reason in reasons if reason.severity != "info"))
    return Verdict(provider, tokens_of(tool, provider), reasons_shown)


def _verdict_on_all(tools: Sequence[ToolDefinition], rows: Sequence[Row], provider: str) -> Verdict:
    specs = [tool.spec for tool in tools if tool.spec is not None]
    objections = dialects.request_objections(specs, provider, shared_exports(tools))
    reasons = tuple(Reason(one.code, one.severity, one.message) for one in objections)
    cost = sum(verdict.tokens for row in rows for verdict in row.verdicts if verdict.provider == provider)
    return Verdict(provider, cost, reasons)
