"""Lists words in tool names that suggest what a tool does."""

DESTROYING = frozenset(
    {"delete", "remove", "drop", "destroy", "erase", "wipe", "purge", "truncate", "uninstall", "unlink", "rmdir", "rm",
     "overwrite", "terminate", "kill", "shutdown", "reboot", "revoke"}
)  # fmt: skip
"""Verbs of actions that cannot be undone."""

SENDING = frozenset({"send", "pay", "refund", "transfer", "deploy", "publish", "exec", "execute", "purchase", "charge"})
"""Verbs of actions that reach other people, cost money, or run arbitrary code."""

EXECUTING = frozenset({"exec", "execute"})
"""Verbs that do not reveal what is run."""

QUERIES = frozenset({"query", "queries", "search", "select"})
"""Words for things that only read when they are run."""

TELLING = frozenset(
    {"help", "guide", "guidance", "instructions", "docs", "documentation", "status", "history", "preview"}
)
"""Last words of names that mention an action without taking it, such as `deploy_help`."""

READING = frozenset(
    {"get", "list", "read", "find", "search", "show", "look", "lookup", "count", "fetch", "query", "describe", "check",
     "view", "browse", "is", "has", "preview", "estimate", "explain", "compare", "calculate", "parse", "format"}
)  # fmt: skip
"""Verbs of actions that change nothing."""
