"""Phrases in texts for models, and words in names, that rules look for."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolkit.lint.definitions.tool_definitions import ToolDefinition


class Phrase:
    """A case-insensitive pattern, with words one of which occurs in every match."""

    def __init__(self, pattern: str, *words: str) -> None:
        """Create a phrase from its pattern and its words in lower case."""
        self._written = pattern
        self.words = words

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern; compiled late, since that takes a thousand times as long as finding a word."""
        return re.compile(self._written, re.IGNORECASE)

    def may_match(self, text: str) -> bool:
        """Return whether a text contains a word of the phrase, or may do so with non-ASCII letters."""
        return may_have_one_of(self.words, text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches of the phrase in a text."""
        return self.pattern.finditer(text) if self.may_match(text) else iter(())

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match of the phrase in a text, or None."""
        return self.pattern.search(text) if self.may_match(text) else None


def may_have_one_of(words: Iterable[str], text: str) -> bool:
    """Return whether a text contains one of the words, ignoring case, or may do so with non-ASCII letters."""
    small = _lowered(text)
    if small is None:
        return True
    for word in words:  # noqa: SIM110 - the overhead of `any` is larger than the search
        if word in small:
            return True
    return False


@lru_cache(maxsize=64)  # all phrases are searched for in the same texts in turn
def _lowered(text: str) -> str | None:
    return text.lower() if text.isascii() else None


_TO_MODELS: Final = Phrase(
    r"\b(?:the user|assistants?|(?:language|AI) (?:models?|agents?)|LLMs?|chatbots?|system prompt|this tool"
    r"|(?:previous|prior|earlier|above|other) instructions|conversation so far)\b"
    r"|<\s*/?\s*(?:important|system|hidden|instructions?|critical|admin)\s*>",
    "user", "assistant", "model", "agent", "llm", "chatbot", "prompt", "this tool", "instructions", "so far", "<",
)  # fmt: skip


def may_instruct(tool: "ToolDefinition", text: str) -> bool:
    """Return whether a text of a tool may instruct a model; an API speaks to programmers unless it mentions a model."""
    return tool.origin != "openapi" or _TO_MODELS.search(text) is not None


DESTROYING = frozenset(
    {"delete", "remove", "drop", "destroy", "erase", "wipe", "purge", "truncate", "uninstall", "unlink", "rmdir", "rm",
     "overwrite", "terminate", "kill", "shutdown", "reboot", "revoke", "cancel", "del", "hdel", "lrem", "srem", "zrem",
     "xdel", "flushdb", "flushall"}
)  # fmt: skip
"""Verbs of actions that cannot be undone."""

SENDING = frozenset({"send", "pay", "refund", "transfer", "deploy", "publish", "exec", "execute", "purchase", "charge"})
"""Verbs of actions that reach other people, cost money, or run arbitrary code."""

EXECUTORS = frozenset({"executor", "run", "eval", "evaluate"})
"""Words that mean that code is run, if it is named next to them."""

CODE = frozenset({"bash", "code", "command", "javascript", "python", "repl", "script", "shell", "sql"})
"""Words for what can do anything if it is run."""

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
