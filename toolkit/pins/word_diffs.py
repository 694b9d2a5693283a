"""Shows which words of a long text were removed and added, with a few words around each change.

The notation is that of GNU wdiff: `[-removed-]` and `{+added+}`.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from toolkit.visibility import visible_json

_CONTEXT = 4
"""Number of unchanged words to show before and after a change."""
_MOST_COMPARED = 2_000
"""Maximum number of words on each side to compare one by one; longer texts count as a single change."""
_MOST_SHOWN = 40
"""Maximum number of words to show of one change."""
_ELLIPSIS = "…"


class _Part(NamedTuple):
    """Words that are in both texts, or words of one that replace those of the other."""

    removed: Sequence[str]
    added: Sequence[str]
    kept: Sequence[str]


def word_diff(before: str, now: str) -> str:
    """Return the changes between two texts on one line, with invisible characters as escapes."""
    old, new = _words(before), _words(now)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle = list(_compare(old[start : len(old) - end], new[start : len(new) - end]))
    parts = [_kept(old[:start]), *middle, _kept(old[len(old) - end :])]
    return " ".join(word for index, part in enumerate(parts) for word in _show(part, index, len(parts) - 1))


def by_its_ends(text: str) -> str:
    """Return a text on one line, with invisible characters as escapes; of a long one, only its first and last words."""
    return _in_short(_words(text))


def _words(text: str) -> list[str]:
    """Return the words between single spaces, with invisible characters as escapes."""
    return [visible_json(word)[1:-1].replace('\\"', '"') for word in text.split(" ")]


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    return next(
        (index for index, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )


def _compare(old: Sequence[str], new: Sequence[str]) -> Iterator[_Part]:
    if max(len(old), len(new)) > _MOST_COMPARED:
        yield _Part(old, new, ())
        return
    for operation, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield _kept(old[i:j]) if operation == "equal" else _Part(old[i:j], new[k:m], ())


def _kept(words: Sequence[str]) -> _Part:
    return _Part((), (), words)


def _show(part: _Part, index: int, last: int) -> Iterator[str]:
    if part.removed:
        yield f"[-{_in_short(part.removed)}-]"
    if part.added:
        yield f"{{+{_in_short(part.added)}+}}"
    before = part.kept[-_CONTEXT:] if index < last else ()
    after = part.kept[:_CONTEXT] if index > 0 else ()
    if len(part.kept) <= len(before) + len(after):
        yield from part.kept
        return
    yield from after
    yield _ELLIPSIS
    yield from before


def _in_short(words: Sequence[str]) -> str:
    if len(words) <= _MOST_SHOWN:
        return " ".join(words)
    half = _MOST_SHOWN // 2
    return (
        f"{' '.join(words[:half])} {_ELLIPSIS} {len(words) - _MOST_SHOWN} words {_ELLIPSIS} {' '.join(words[-half:])}"
    )
