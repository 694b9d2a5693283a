"""Data flows: what a tool's name and marks say about the data that it moves, for rules and for questions.

The words are this project's own. Where a mark says the opposite, the mark counts.
"""

from collections.abc import Sequence

from toolkit.tools.base import Tool, innermost
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


def reads_private(spec: ToolSpec) -> bool:
    """Return whether a tool reads what its user keeps to themselves, as far as its name says."""
    words = words_of(spec.name)
    return _reads(words) and not _PRIVATE.isdisjoint(words)


def brings_in_texts(spec: ToolSpec) -> bool:
    """Return whether a tool reads what strangers have written."""
    words = words_of(spec.name)
    return spec.open_world is not False and _reads(words) and (spec.open_world is True or not _OPEN.isdisjoint(words))


def sends(spec: ToolSpec) -> bool:
    """Return whether a tool is made to send something out."""
    words = words_of(spec.name)
    return spec.open_world is not False and not spec.read_only and bool(words) and words[0] in _SENDING


def reads_files(tool: Tool) -> bool:
    """Return whether a tool, under whatever name, reads files of its user or something as private."""
    inner = innermost(tool)
    return inner.reads_files or reads_private(tool.spec) or reads_private(inner.spec)


def is_way_out(tool: Tool) -> bool:
    """Return whether a tool changes nothing, and yet what is written into its arguments leaves this machine.

    So it is with a GET: the address and its parameters reach whoever answers it.
    """
    spec = tool.spec
    if not spec.read_only or spec.open_world is False or not spec.properties:
        return False
    return spec.open_world is True or not _OPEN.isdisjoint(words_of(spec.name))


def _reads(words: Sequence[str]) -> bool:
    return bool(words) and (words[0] in _READING or words[-1] in _READING)
