"""Recognizes variables, parameters, headers and keys that usually hold a secret, by the words in their names."""

import re

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
