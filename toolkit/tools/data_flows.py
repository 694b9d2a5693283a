"""Determines from a tool's marks and name what it does with data, for rules and questions.

The word lists are this project's own. Marks take precedence over them, and `flow`, if the author of a tool sets it,
over both.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from toolkit.approvals.risks import Flow, Risk, server_of
from toolkit.tools.names import words_of
from toolkit.tools.spec import ToolSpec

_READING = frozenset(
    {"get", "list", "read", "find", "search", "lookup", "fetch", "query", "view", "browse", "load", "export", "scrape"}
)
_SENDING = frozenset({"send", "post", "publish", "upload", "forward", "submit", "reply", "transmit", "broadcast"})
_MAIL = frozenset({"email", "emails", "mail", "mails", "inbox"})
_PRIVATE = _MAIL | {
    "contacts", "customer", "customers", "patient", "patients", "employee", "employees", "salary", "payroll",
    "credentials", "secret", "secrets", "password", "passwords", "calendar", "file", "files", "document", "documents",
}  # fmt: skip
_OPEN = _MAIL | {"web", "webpage", "website", "url", "internet"}
_ABOUT = frozenset(
    {"template", "templates", "setting", "settings", "configuration", "config", "domain", "domains", "server",
     "servers", "provider", "providers", "schema", "schemas", "type", "types", "format", "formats", "policy",
     "policies", "customization", "customizations", "default", "preference", "preferences", "theme", "themes"}
)  # fmt: skip
"""Words after which a name is about configuration and not about data, such as in `list_email_templates`."""

READINGS: Final[frozenset[Flow]] = frozenset({"reads_untrusted", "reads_private"})
"""The flows that are about reading."""


def flow_of(spec: ToolSpec) -> frozenset[Flow]:
    """Return what a tool does with data; a tool without marks may write and send."""
    if spec.flow is not None:
        return frozenset(spec.flow)
    found: dict[Flow, bool] = {
        "reads_untrusted": is_from_outside(spec) or brings_in_texts(spec),
        "reads_private": reads_private(spec),
        "writes": not spec.read_only,
        "sends": is_way_out(spec) if spec.read_only else spec.open_world is not False,
    }
    return frozenset(flow for flow, is_so in found.items() if is_so)


def risk_of(spec: ToolSpec) -> Risk:
    """Return the risk of a tool, including what it does with data."""
    return replace(spec.risk, flow=flow_of(spec))


def is_from_outside(spec: ToolSpec) -> bool:
    """Return whether a tool returns data from outside; as in MCP, this is the default for tools of a server."""
    if spec.flow is not None:
        return "reads_untrusted" in spec.flow
    is_remote = server_of(spec.source) is not None
    return not spec.destructive and (spec.open_world is True or (is_remote and spec.open_world is None))


def reads_private(spec: ToolSpec) -> bool:
    """Return whether a tool reads the user's private data, according to its marks or name."""
    if spec.flow is not None:
        return "reads_private" in spec.flow
    words = _words_in(spec.name)
    return _reads(words) and _names(words, _PRIVATE)


def brings_in_texts(spec: ToolSpec) -> bool:
    """Return whether a tool reads untrusted text, according to its marks or name."""
    if spec.flow is not None:
        return "reads_untrusted" in spec.flow
    words = _words_in(spec.name)
    return spec.open_world is not False and _reads(words) and (spec.open_world is True or _names(words, _OPEN))


def sends(spec: ToolSpec) -> bool:
    """Return whether the purpose of a tool is to send data, according to its marks or name."""
    if spec.flow is not None:
        return "sends" in spec.flow
    words = _words_in(spec.name)
    return spec.open_world is not False and not spec.read_only and bool(words) and words[0] in _SENDING


def is_way_out(spec: ToolSpec) -> bool:
    """Return whether a read-only tool sends its arguments to another machine.

    A GET request does so: its URL, including the query parameters, reaches the server.
    """
    if not spec.read_only or not spec.properties or spec.open_world is False:
        return False
    if spec.flow is not None:
        return "sends" in spec.flow
    return spec.open_world is True or not _OPEN.isdisjoint(words_of(spec.name))


@lru_cache(maxsize=4096)  # each of these functions is called for every tool
def _words_in(name: str) -> tuple[str, ...]:
    return tuple(words_of(name))


def _names(words: Sequence[str], things: frozenset[str]) -> bool:
    """Return whether a name is about certain things, and not about their configuration."""
    return any(word in things and after not in _ABOUT for word, after in zip_longest(words, words[1:]))


def _reads(words: Sequence[str]) -> bool:
    return bool(words) and (words[0] in _READING or words[-1] in _READING)
