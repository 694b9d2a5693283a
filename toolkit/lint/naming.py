"""Naming: what the first word of a name says that a tool does."""

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
