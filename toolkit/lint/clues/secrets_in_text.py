"""Recognizes keys, tokens and passwords in a text by their formats."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.redactors.secret_names import TOKEN_FORMATS, compiled, token_spans

_PLACEHOLDER = re.compile(
    r"example|placeholder|your|dummy|sample|password|secret|(.)\1{5}|\.\.\.|[<>{}$*]", re.IGNORECASE
)
_FEWEST_CHARACTERS = 8
_STAR = "*"
_NAMED = re.compile(
    r"""(?:auth|cookie|[\w-]key|token|secret|password|credential)[\w-]{0,40}["']?\s{0,4}(?::[^=\n"']{0,60}=|[:=])\s{0,4}\[?\s{0,4}(["'])(?P<value>.{6,}?)\1""",
    re.IGNORECASE,
)
_NAMED_WITHOUT_QUOTES = re.compile(
    r"""(?:auth|cookie|[\w-]key|token|secret|password|credential)[\w-]{0,40}["']?\s{0,4}[:=]\s{0,4}\[?\s{0,4}"""
    r"""(?P<value>(?=[^,\]}\n]*[0-9]|[^,\]}\n]{12})[^\s"'\[\]{}<>|&*!$#][^,\]}\n]{5,})""",
    re.IGNORECASE,
)


def is_placeholder(text: str) -> bool:
    """Return whether a text is a placeholder for a secret, such as `<your key>` or `changeme...`."""
    return bool(_PLACEHOLDER.search(text))


class FoundSecret(NamedTuple):
    """A secret: its kind, and its position in the text."""

    what: str
    start: int
    length: int


_BY_HINT = [(hint, kind) for kind in TOKEN_FORMATS for hint in kind.hints]


def secrets_in(text: str) -> Iterator[FoundSecret]:
    """Yield the first secret of each kind in a text, ignoring placeholders as used in documentation."""
    for kind in dict.fromkeys([kind for hint, kind in _BY_HINT if hint in text]):
        found = next((one for one in compiled(kind.pattern).finditer(text) if _is_real(one)), None)
        if found is not None:
            yield FoundSecret(kind.what, found.start(), len(found[0]))


def starred(line: str, *, is_code: bool = True) -> str:
    """Return a line with each character of a secret replaced by a star; secrets are found by format or by name.

    Args:
        line: A line of a file.
        is_code: Whether it is a line of Python, in which only strings can be secrets.
    """
    characters = list(line)
    named = [*_NAMED.finditer(line), *(() if is_code else _NAMED_WITHOUT_QUOTES.finditer(line))]
    for start, end in (*token_spans(line), *(found.span("value") for found in named)):
        if "${" not in line[start:end]:
            characters[start:end] = _STAR * (end - start)
    return "".join(characters)


_KEY = re.compile(r"-----BEGIN [A-Z ]*-----(?:\\[rn]|\s)*(?:[A-Za-z0-9+/]{32}|Proc-Type:)")


def _is_real(found: re.Match[str]) -> bool:
    """Return whether it is neither a placeholder nor just the first line of a private key."""
    secret = found[0]
    if secret.startswith("-----"):
        return _KEY.match(found.string, found.start()) is not None
    return not _PLACEHOLDER.search(secret) and len(set(secret)) >= _FEWEST_CHARACTERS and any(map(str.isdigit, secret))
