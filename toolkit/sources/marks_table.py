"""The marks of all kinds of tools, ours and those of frameworks; a framework's are loaded when a file names it."""

from collections.abc import Iterator, Sequence
from functools import cache

from toolkit.tools.frameworks import framework_of, part_of
from toolkit.tools.source_marks import OUR_MARKS, SourceMarks, is_among

MARKS: tuple[SourceMarks, ...] = (OUR_MARKS,)


class MarksTable:
    """What a dotted name of a known package means to us."""

    def __init__(self, own: Sequence[SourceMarks] = MARKS) -> None:
        """Know the marks of some kinds by heart, and those of frameworks where they are needed."""
        self._own = {package: marks for marks in own for package in marks.packages}
        self._are_known: dict[str, bool] = {}

    def is_known(self, module: str) -> bool:
        """Whether a module, or what is in it, belongs to a package that has marks."""
        if module not in self._are_known:
            self._are_known[module] = module.partition(".")[0] in self._own or framework_of(module) is not None
        return self._are_known[module]

    def of(self, name: str) -> SourceMarks | None:
        """Return the marks of the package that a dotted name belongs to."""
        if own := self._own.get(name.partition(".")[0]):
            return own
        framework = framework_of(name)
        return None if framework is None else marks_of(framework)

    def is_package(self, name: str) -> bool:
        """Whether a dotted name is a known package itself."""
        marks = self.of(name)
        return marks is not None and name in marks.packages

    def is_decorator(self, name: str) -> bool:
        """Whether a dotted name marks the function or class below it."""
        return self._is_among(name, "decorators")

    def is_class(self, name: str) -> bool:
        """Whether a class made from one of this name is a tool or holds some, and so its objects."""
        return self._is_among(name, "classes")

    def is_maker(self, name: str) -> bool:
        """Whether a call of a dotted name returns a tool, or something that holds some."""
        return self._is_among(name, "makers")

    def _is_among(self, name: str, kind: str) -> bool:
        marks = self.of(name)
        return marks is not None and is_among(name, _names(marks, kind))


@cache
def marks_of(framework: str) -> SourceMarks | None:
    """Return the marks of a framework; None where its source shows nothing to us."""
    part = part_of(framework, "marks")
    return None if part is None else part.MARKS


@cache
def _names(marks: SourceMarks, kind: str) -> tuple[str, ...]:
    match kind:
        case "decorators":
            return (*marks.decorators, *_registered(marks, "mark"))
        case "makers":
            return (*marks.makers, *_registered(marks, "function"))
    return marks.classes


def _registered(marks: SourceMarks, way: str) -> Iterator[str]:
    return (name for one in marks.registrations if one.way == way for name in one.names)
