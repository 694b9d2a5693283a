"""Finds the differences between expected and actual data, each at the smallest part that differs."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolkit.json_texts import as_plain, json_text
from toolkit.schemas.places import MAPPINGS
from toolkit.schemas.validation import same_data

_LISTS: Final = (list, tuple)
_SCALARS: Final = (str, int, bool)
_LONGEST: Final = 120

Path = tuple[str | int, ...]


class DataDifference(NamedTuple):
    """One difference.

    Attributes:
        path: The keys and indexes that lead to the part that differs.
        words: What is different, to follow the name of the part: `is 60, not 40`.
        size: How much text differs.
    """

    path: Path
    words: str
    size: int


class Matcher:
    """A part of expected data that more than one value fits.

    Attributes:
        shown: How it is shown, as plain data.
        may_be_missing: Whether the part may be left out.
    """

    shown: Any = None
    may_be_missing = False

    def objection(self, found: Any) -> str | None:
        """Return why a value does not fit, to follow the name of the part, or `None` if it does."""
        raise NotImplementedError


def differences(wanted: Any, found: Any, path: Path = (), *, partly: bool = False) -> Iterator[DataDifference]:
    """Yield every difference.

    Args:
        wanted: The expected data.
        found: The actual data.
        path: The keys and indexes that lead to both.
        partly: Whether mappings may have more keys than expected.
    """
    if isinstance(wanted, Matcher):
        if (objection := wanted.objection(found)) is not None:
            yield DataDifference(path, objection, len(shown(found)))
    elif isinstance(wanted, MAPPINGS) and isinstance(found, MAPPINGS):
        yield from _of_mappings(wanted, found, path, partly=partly)
    elif isinstance(wanted, _LISTS) and isinstance(found, _LISTS):
        yield from _of_lists(wanted, found, path, partly=partly)
    elif not same_data(wanted, found):
        yield DataDifference(path, _words(wanted, found), len(shown(wanted)) + len(shown(found)))


def _of_mappings(wanted: Any, found: Any, path: Path, *, partly: bool) -> Iterator[DataDifference]:
    for name, value in wanted.items():
        if name in found:
            other = found[name]
            if type(value) is not type(other) or type(value) not in _SCALARS or value != other:
                yield from differences(value, other, (*path, name), partly=partly)
        elif not (isinstance(value, Matcher) and value.may_be_missing):
            yield DataDifference((*path, name), f"is missing, and should be {short(value)}", len(shown(value)))
    for name in () if partly else [name for name in found if name not in wanted]:
        yield DataDifference(
            (*path, name), f"is {short(found[name])}, and should not be there", len(shown(found[name]))
        )


def _of_lists(wanted: Any, found: Any, path: Path, *, partly: bool) -> Iterator[DataDifference]:
    for at, (one, other) in enumerate(zip(wanted, found, strict=False)):
        yield from differences(one, other, (*path, at), partly=partly)
    if len(wanted) != len(found):
        more = wanted[len(found) :] or found[len(wanted) :]
        what = "lacks" if len(wanted) > len(found) else "also has"
        counts = f"has {len(found)} item{'' if len(found) == 1 else 's'}, not {len(wanted)}"
        listed = ", ".join(map(short, more[:3])) + (", …" if len(more) > 3 else "")  # noqa: PLR2004 - a few of them
        yield DataDifference(path, f"{counts}: it {what} {listed}", sum(len(shown(one)) for one in more))


def _words(wanted: Any, found: Any) -> str:
    if isinstance(wanted, str) and isinstance(found, str) and ("\n" in wanted or "\n" in found):
        lines, others = wanted.split("\n"), found.split("\n")
        pairs = enumerate(zip(lines, others, strict=False))
        at = next((at for at, (one, other) in pairs if one != other), min(len(lines), len(others)))
        of = [short(side[at]) if at < len(side) else "missing" for side in (others, lines)]
        return f"differs in line {at + 1}, which is {of[0]}, not {of[1]}"
    return f"is {short(found)}, not {short(wanted)}"


def shown(data: Any) -> str:
    """Return data as JSON on one line."""
    return json_text(data, default=_plain)


def _plain(data: Any) -> Any:
    return data.shown if isinstance(data, Matcher) else as_plain(data)


def short(data: Any) -> str:
    """Return data as JSON on one line, cut off if it is long."""
    text = shown(data)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def in_words(path: Path, start: str) -> str:
    """Return the name of a part, such as `output[0].euros`."""
    return start + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
