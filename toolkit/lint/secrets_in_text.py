"""Secrets: keys, tokens and passwords that stand in a text, told by their forms."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_KINDS = {
    "a key of OpenAI or Anthropic": r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}",
    "a key of AWS": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a token of GitHub": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    "a token of Slack": r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "a key of Google": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "a private key": r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----",
    "a signed token": r"\beyJ[A-Za-z0-9_-]{10,400}\.eyJ[A-Za-z0-9_-]{10,400}\.[A-Za-z0-9_-]{10,}",
    "a password in an address": r"\b[a-z][a-z0-9+.-]{0,20}://(?P<value>[^\s/:@]+:[^\s/:@]{6,})@[\w.-]+",
}
_SECRETS = {what: re.compile(pattern) for what, pattern in _KINDS.items()}
_PLACEHOLDER = re.compile(
    r"example|placeholder|your|dummy|sample|password|secret|(.)\1{5}|\.\.\.|[<>{}$*]", re.IGNORECASE
)
_FEWEST_CHARACTERS = 8
_STAR = "*"
_NAMED = re.compile(
    r"""(?:auth|cookie|[\w-]key|token|secret|password|credential)[\w-]{0,40}["']?\s{0,4}[:=]\s{0,4}(["'])(?P<value>.{6,}?)\1""",
    re.IGNORECASE,
)
_USER_AND_PASSWORD = re.compile(r"://(?P<value>[^\s/@\"']+:[^\s/@\"']+)@")


class FoundSecret(NamedTuple):
    """A secret: what it is, and where in the text it stands."""

    what: str
    start: int
    length: int


def secrets_in(text: str) -> Iterator[FoundSecret]:
    """Yield the first secret of each kind in a text, without the placeholders that documentation is full of."""
    for what, pattern in _SECRETS.items():
        found = pattern.search(text)
        if found is not None and _is_real(found[0]):
            yield FoundSecret(what, found.start(), len(found[0]))


def starred(line: str) -> str:
    """Return a line of a file with a star for each character of a secret: told by its form, or by what it is named."""
    characters = list(line)
    for pattern in (*_SECRETS.values(), _USER_AND_PASSWORD, _NAMED):
        for found in pattern.finditer(line):
            start, end = found.span(pattern.groupindex.get("value", 0))
            if "${" not in line[start:end]:
                characters[start:end] = _STAR * (end - start)
    return "".join(characters)


def _is_real(secret: str) -> bool:
    """Whether it is none of the placeholders that documentation is full of."""
    return secret.startswith("-----") or (
        not _PLACEHOLDER.search(secret) and len(set(secret)) >= _FEWEST_CHARACTERS and any(map(str.isdigit, secret))
    )
