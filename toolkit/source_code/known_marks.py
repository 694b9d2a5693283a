"""The marks of tools in source code, ours and those of frameworks, which are loaded when a file imports them."""

from collections.abc import Iterator, Sequence
from functools import cache

from toolkit.tools.foreign.frameworks import data_frameworks, framework_of, support_for
from toolkit.tools.foreign.source_marks import OUR_MARKS, SourceMarks, is_among

MARKS: tuple[SourceMarks, ...] = (OUR_MARKS,)


class MarksTable:
    """Classifies the dotted names of known packages."""

    def __init__(self, own: Sequence[SourceMarks] = MARKS) -> None:
        self._own = {package: marks for marks in own for package in marks.packages}
        self._are_known: dict[str, bool] = {}

    def is_known(self, module: str) -> bool:
        """Whether a module, or a name in it, belongs to a package with marks."""
        if module not in self._are_known:
            self._are_known[module] = module.partition(".")[0] in self._own or framework_of(module) is not None
        return self._are_known[module]

    def of(self, name: str) -> SourceMarks | None:
        """Return the marks of the package of a dotted name, or `None`."""
        if own := self._own.get(name.partition(".")[0]):
            return own
        framework = framework_of(name)
        return None if framework is None else marks_of(framework)

    def is_package(self, name: str) -> bool:
        """Whether a dotted name is a known package."""
        marks = self.of(name)
        return marks is not None and name in marks.packages

    def is_decorator(self, name: str) -> bool:
        """Whether a dotted name is a decorator that marks tools."""
        return self._is_among(name, "decorators")

    def is_class(self, name: str) -> bool:
        """Whether subclasses of the class with a dotted name are tools or have tools."""
        return self._is_among(name, "classes")

    def is_maker(self, name: str) -> bool:
        """Whether a call of a dotted name returns a tool, or an object with tools."""
        return self._is_among(name, "makers")

    def _is_among(self, name: str, kind: str) -> bool:
        marks = self.of(name)
        return marks is not None and is_among(name, _names(marks, kind))


@cache
def marks_of(framework: str) -> SourceMarks | None:
    """Return the marks of a framework, or `None` if its tools cannot be recognized in source code."""
    marks: SourceMarks | None = getattr(support_for(framework), "MARKS", None)
    return marks


def framework_with(marks: SourceMarks) -> str | None:
    """Return the framework that has some marks, or `None` for ours."""
    if marks.packages:
        return framework_of(marks.packages[0])
    return next((one for one in data_frameworks() if marks_of(one) is marks), None)


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
