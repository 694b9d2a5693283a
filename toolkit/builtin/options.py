"""Options: what a ready tool can be told by its user, as data, and the one check of what it is told.

A ready tool's module has a tuple of options and makes the tool of what is given:

    OPTIONS = (
        Option("base", FOLDER, "the directory that it reads beneath", default="."),
        Option("max_bytes", COUNT, "how large a file may be", default=DEFAULT_LIMIT),
    )

    def build(base: Path, options: Mapping[str, Any]) -> FileRead:
        return FileRead(**{"base": base} | take_options(OPTIONS, options, base))
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.codes import BAD_CONFIGURATION
from toolkit.durations import parse_duration
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, did_you_mean

if TYPE_CHECKING:
    from toolkit.builtin.widening import Widening


class Kind(NamedTuple):
    """What an option's value has to be.

    Attributes:
        name: The same in a word or two, for a table.
        words: The same in words, which go after "must be".
        read: Makes the value of what was written, beneath a folder; `None` if it is none.
        example: How a right one is written.
    """

    name: str
    words: str
    read: Callable[[Any, Path], Any]
    example: str


class Option(NamedTuple):
    """One thing that a ready tool can be told.

    Attributes:
        name: The key in the tool's table, and the parameter of its class.
        kind: What its value has to be.
        meaning: What it does, for whoever sets it.
        default: What holds unless it is given, as it would be written; None if nothing does.
        required: Whether the tool cannot be made without it.
        widens: Says what a value of it reaches that a project's file cannot open without its user's consent.
    """

    name: str
    kind: Kind
    meaning: str
    default: Any = None
    required: bool = False
    widens: "Widening | None" = None


class Complaint(NamedTuple):
    """What is wrong with what a tool was told: the option's name, the message and the cure."""

    option: str
    message: str
    hint: str | None = None


def read_options(
    known: Sequence[Option], given: Mapping[str, Any], folder: Path, within: str = ""
) -> tuple[dict[str, Any], list[Complaint]]:
    """Return the values of what is given, and everything wrong with it; what is not given is not among them.

    Args:
        known: The options that there are.
        given: What was written, by name; values that were read once are taken again as they are.
        folder: What relative paths start from.
        within: What stands before an option's name in messages.
    """
    values: dict[str, Any] = {}
    complaints: list[Complaint] = []
    by_name = {option.name: option for option in known}
    for name, written in given.items():
        if (option := by_name.get(name)) is None:
            complaints.append(_unknown(name, by_name, within))
        elif (value := option.kind.read(written, folder)) is None:
            message = f"'{within}{name}' must be {option.kind.words}"
            complaints.append(Complaint(name, message, _cure(option, written)))
        else:
            values[name] = value
    missing = [option for option in known if option.required and option.name not in given]
    complaints += [_missing(option, within) for option in missing]
    return values, complaints


def take_options(known: Sequence[Option], given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the values of what is given.

    Raises:
        ConfigurationError: With everything that is wrong with it (`TK005`).
    """
    values, complaints = read_options(known, given, folder)
    if complaints:
        raise ConfigurationError(
            problems=[Problem(BAD_CONFIGURATION, each.message, hint=each.hint) for each in complaints]
        )
    return values


def one_of(*words: str) -> Kind:
    """Return the kind of a value that is one of a few words."""

    def read(written: Any, _: Path) -> str | None:
        return written if isinstance(written, str) and written in words else None

    quoted = [f"'{word}'" for word in words]
    return Kind(" | ".join(words), " or ".join(quoted), read, quoted[0])


def _text(written: Any, _: Path) -> str | None:
    return written if isinstance(written, str) and written.strip() else None


def _switch(written: Any, _: Path) -> bool | None:
    return written if isinstance(written, bool) else None


def _count(written: Any, _: Path) -> int | None:
    return written if type(written) is int and written > 0 else None


def _duration(written: Any, _: Path) -> float | None:
    seconds = parse_duration(written) if isinstance(written, str) else written
    return seconds if type(seconds) is float and seconds > 0 else None


def _folder(written: Any, folder: Path) -> Path | None:
    if not (isinstance(written, Path) or (_text(written, folder) and "\0" not in written)):
        return None
    try:
        return folder / Path(written).expanduser()
    except RuntimeError:  # `~name` of nobody
        return None


def _texts(written: Any, folder: Path) -> tuple[str, ...] | None:
    if isinstance(written, list | tuple) and written and all(_text(item, folder) for item in written):
        return tuple(written)
    return None


def _table(written: Any, _: Path) -> dict[str, str] | None:
    if isinstance(written, Mapping) and all(isinstance(value, str) for value in written.values()):
        return dict(written)
    return None


TEXT: Final = Kind("text", "a text that is not blank", _text, "'…'")
SWITCH: Final = Kind("true | false", "true or false", _switch, "true")
COUNT: Final = Kind("whole number", "a whole number above zero", _count, "1000")
DURATION: Final = Kind(
    "duration", "a duration such as '500ms', '30s' or '5m', above zero and at most 720h", _duration, "'30s'"
)
FOLDER: Final = Kind("folder", "a path to a folder", _folder, "'docs'")
TEXTS: Final = Kind("list of texts", "a list of texts", _texts, "['…']")
TABLE: Final = Kind("table of texts", "a table of texts", _table, "{ name = '…' }")


def _unknown(name: str, known: Iterable[str], within: str) -> Complaint:
    listed = ", ".join(f"'{each}'" for each in known)
    otherwise = f"the options are {listed}" if listed else "it has no options"
    return Complaint(name, f"unknown option '{within}{name}'", did_you_mean(name, known, otherwise=otherwise))


def _missing(option: Option, within: str) -> Complaint:
    hint = f"write {option.name} = {option.kind.example}: {option.meaning}"
    return Complaint(option.name, f"the option '{within}{option.name}' is missing", hint)


def _cure(option: Option, written: Any) -> str:
    if option.kind is DURATION and type(written) in {int, float} and written > 0:
        return f"write {option.name} = '{written}s' for seconds"
    return f"write {option.name} = {option.kind.example}"
