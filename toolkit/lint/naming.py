"""Naming: the words that a name is made of, and what the first of them says that a tool does."""

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

DESTROYING = frozenset(
    {"delete", "remove", "drop", "destroy", "erase", "wipe", "purge", "truncate", "uninstall", "unlink", "rmdir", "rm",
     "overwrite", "terminate", "kill", "shutdown", "reboot", "revoke"}
)  # fmt: skip
"""Verbs of what cannot be undone."""

SENDING = frozenset({"send", "pay", "refund", "transfer", "deploy", "publish", "exec", "execute", "purchase", "charge"})
"""Verbs of what reaches others, or costs money, or runs anything at all."""

READING = frozenset(
    {"get", "list", "read", "find", "search", "show", "look", "lookup", "count", "fetch", "query", "describe", "check",
     "view", "browse", "is", "has", "preview", "estimate", "explain", "compare", "calculate", "parse", "format"}
)  # fmt: skip
"""Verbs of what changes nothing."""


def words_of(name: str) -> list[str]:
    """Return the words of a name in small letters: `deleteOldFiles2` is delete, old, files, 2."""
    return [word.lower() for word in _WORD.findall(name)]
