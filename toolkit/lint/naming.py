"""Naming: what the first word of a tool's name reveals about it."""

DESTROYING = frozenset(
    {"delete", "remove", "drop", "destroy", "erase", "wipe", "purge", "truncate", "uninstall", "unlink", "rmdir", "rm",
     "overwrite", "terminate", "kill", "shutdown", "reboot", "revoke"}
)  # fmt: skip
"""Verbs of what cannot be undone."""

SENDING = frozenset({"send", "pay", "refund", "transfer", "deploy", "publish", "exec", "execute", "purchase", "charge"})
"""Verbs of what reaches others, or costs money, or runs anything at all."""

EXECUTING = frozenset({"exec", "execute"})
"""Verbs that say nothing of what is run."""

QUERIES = frozenset({"query", "queries", "search", "select"})
"""What only reads when it is run."""

TELLING = frozenset(
    {"help", "guide", "guidance", "instructions", "docs", "documentation", "status", "history", "preview"}
)
"""Last words of a name that speaks of an action and does not take it, such as `deploy_help`."""

READING = frozenset(
    {"get", "list", "read", "find", "search", "show", "look", "lookup", "count", "fetch", "query", "describe", "check",
     "view", "browse", "is", "has", "preview", "estimate", "explain", "compare", "calculate", "parse", "format"}
)  # fmt: skip
"""Verbs of what changes nothing."""
