"""Recognizes variables, parameters, headers and keys that usually hold a secret, by the words in their names."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_WORDS = frozenset({
    "apikey", "auth", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "creds", "jwt",
    "passphrase", "passwd", "password", "passwords", "privatekey", "pwd", "secret", "secrets", "secretkey", "token",
})  # fmt: skip
_SHORT_WORDS = frozenset({"dsn", "pass", "pat", "sk"})
"""Words that suggest a secret in the name of a variable, but not in that of a parameter."""
_SECRET_ENDINGS = ("apikey", "passphrase", "passwd", "password", "secret", "token")
_KEYS = frozenset({
    "access", "account", "admin", "api", "app", "auth", "client", "encryption", "license", "master", "private",
    "secret", "service", "session", "shared", "signing", "ssh",
})  # fmt: skip
"""Words before `key` that suggest a secret: `api_key` is one, `primary_key` and `sort_key` are not."""
_PLACES = frozenset({
    "count", "dir", "directory", "enabled", "endpoint", "expiry", "file", "filename", "folder", "format", "header",
    "host", "id", "length", "limit", "method", "name", "names", "path", "prefix", "scope", "scopes", "size", "sock",
    "ttl", "type", "uri", "url", "version",
})  # fmt: skip
"""Last words of names that describe a secret or its location, but do not hold it."""
_STORES = frozenset({
    "amqp", "broker", "database", "db", "mongo", "mongodb", "mysql", "postgres", "postgresql", "redis", "sentry",
})  # fmt: skip
_CURSORS = frozenset({"continuation", "cursor", "next", "page", "sync"})
_FOLDERS = frozenset({"PWD", "OLDPWD"})
"""Variables that every shell sets: the working directory and the previous one."""


def names_secret(name: str) -> bool:
    """Return whether a parameter or key with this name usually holds a secret."""
    words = _words(name)
    if not words or words[-1] in _PLACES or (words[-1] == "token" and not _CURSORS.isdisjoint(words)):
        return False
    if words[-1] in ("key", "keys"):
        return not _KEYS.isdisjoint(words[:-1])
    return _has_secret_word(words)


def names_secret_variable(name: str) -> bool:
    """Return whether an environment variable or header with this name usually holds a secret: any `…_KEY` does."""
    words = _words(name)
    if not words or name in _FOLDERS:
        return False
    if "webhook" in words or ("key" in words and words[-1] not in _PLACES - {"id"}):
        return True
    if words[-1] in ("url", "uri"):
        return not _STORES.isdisjoint(words)
    if words[-1] in _PLACES:
        return False
    return _has_secret_word(words) or not _SHORT_WORDS.isdisjoint(words) or words[-1].endswith("pass")


def _has_secret_word(words: list[str]) -> bool:
    return any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) for word in words)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


class TokenFormat(NamedTuple):
    """The format of one kind of secret.

    Attributes:
        what: The name of the secret, for messages.
        hints: Strings, one of which occurs in every such secret; searching for them is fast.
        pattern: A regular expression; if it has a group `value`, only that group is the secret.
    """

    what: str
    hints: tuple[str, ...]
    pattern: str


TOKEN_FORMATS = (
    TokenFormat("an OpenAI or Anthropic key", ("sk-",), r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}"),
    TokenFormat("a Stripe key", ("_live_", "_test_"), r"\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    TokenFormat("an AWS key", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    TokenFormat(
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    ),
    TokenFormat("a GitLab token", ("glpat-",), r"\bglpat-[A-Za-z0-9_-]{20,}"),
    TokenFormat("a Slack token", ("xox",), r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    TokenFormat(
        "a Slack webhook", ("hooks.slack.com",), r"https://hooks\.slack\.com/services/(?P<value>[A-Za-z0-9/_-]{10,})"
    ),
    TokenFormat("a Google key", ("AIza",), r"\bAIza[0-9A-Za-z_-]{35}\b"),
    TokenFormat(
        "a private key",
        ("PRIVATE KEY-----",),
        r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\]{0,20000}-----END (?:[A-Z]+ )?PRIVATE KEY-----)?",
    ),
    TokenFormat(
        "a signed token", ("eyJ",), r"\beyJ[A-Za-z0-9_-]{10,400}\.eyJ[A-Za-z0-9_-]{10,400}\.[A-Za-z0-9_-]{10,}"
    ),
    TokenFormat(
        "a password in a URL",
        ("://",),
        r"\b[a-z][a-z0-9+.-]{0,20}://(?P<value>[^\s/:@\"'<>${}]{0,200}:[^\s/:@\"'<>${}]{3,200})@[\w.\[-]",
    ),
)  # fmt: skip

_IN_RUNNING_TEXT = (
    TokenFormat(
        "a token in the query of a URL",
        ("token=", "key=", "secret=", "password=", "passwd=", "auth=", "sig=", "signature="),
        r"[?&](?:access_token|api[_-]?key|auth|client_secret|key|passwd|password|secret|sig|signature|token)="
        r"(?P<value>[^\s&#\"'<>${}*]{6,})",
    ),
    TokenFormat(
        "an authorization header",
        ("earer ", "asic "),
        r"\b(?:[Bb]earer|[Bb]asic) +(?P<value>(?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{12,})",
    ),
)
"""Secrets that are redacted, but not reported in definitions, where they are usually examples."""


_BY_HINT = [(hint, kind.pattern) for kind in (*TOKEN_FORMATS, *_IN_RUNNING_TEXT) for hint in kind.hints]


SHORTEST_TOKEN = len("a://:abc@b")
"""The least number of characters of a text with a token in it."""


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the position of everything in a text that is formatted like a token."""
    if len(text) < SHORTEST_TOKEN:
        return
    hinted = [wanted for hint, wanted in _BY_HINT if hint in text]
    for wanted in dict.fromkeys(hinted) if hinted else ():
        pattern = compiled(wanted)
        group = pattern.groupindex.get("value", 0)
        yield from (found.span(group) for found in pattern.finditer(text))


def may_begin_token(word: str) -> bool:
    """Return whether an incomplete word may turn out to be a token."""
    hints = [hint for kind in TOKEN_FORMATS for hint in kind.hints]
    return any(
        hint in word or word == hint[0] or any(word.endswith(hint[:length]) for length in range(2, len(hint)))
        for hint in hints
    )


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a compiled pattern; each is compiled once, when it is first needed."""
    return re.compile(pattern)
