"""The parent's side of the child processes that call tools: a few, each of which opens the tools once."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from toolkit.lint.configuration.interpreters import Interpreter
from toolkit.lint.engine.children import describe_status, place_of_ending, problem_of
from toolkit.lint.engine.requests import Limits
from toolkit.lint.engine.workers import Ending, RenewedWorker
from toolkit.problems import Location, Problem, read_problem
from toolkit.settings.configuration import Configuration
from toolkit.testing.outcomes import Outcome
from toolkit.tools.definition.spec import ToolSpec

_SECONDS_TO_OPEN: Final = 60.0
_MEMORY: Final = 2 * 1024**3


class Settings(NamedTuple):
    """What is tested, and how.

    Attributes:
        targets: The targets; without any, the configured sources.
        configuration: The settings of the project, with the options of the user.
        approve: Rules that approve calls, such as `tool(argument=glob)`.
        seed: Determines which combinations of values are tried.
        examples: The maximum number of valid inputs for each tool.
        seconds: The timeout of a call.
        interpreter: The Python that opens the tools; by default, the current one.
    """

    targets: tuple[str, ...]
    configuration: Configuration
    approve: tuple[str, ...] = ()
    seed: int = 0
    examples: int = 50
    seconds: float = 10.0
    interpreter: Interpreter | None = None

    @property
    def limits(self) -> Limits:
        """The limits for opening all tools; each call has its own timeout."""
        return Limits(_SECONDS_TO_OPEN, _MEMORY, grace=1.0)

    def setup(self) -> dict[str, Any]:
        """Return the setup of a child."""
        found = self.configuration
        return {
            "targets": self.targets,
            "approve": self.approve,
            "sources": found.sources,
            "user_sources": found.user_sources,
            "granted": sorted(found.granted),
            "consented": sorted(found.consented),
            "named_policy": found.named_policy and str(found.named_policy),
        }


class TestedTool(NamedTuple):
    """A tool that was opened: the name by which it is called, its definition, and where it is defined."""

    key: str
    spec: ToolSpec
    place: Location | None = None


class Catalog(NamedTuple):
    """The tools of all targets, the problems with the others, and the warnings of their modules."""

    tools: tuple[TestedTool, ...]
    problems: tuple[Problem, ...]
    files: Mapping[str, int]
    targets: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class CallingProcess(RenewedWorker):
    """A child process that calls tools; after one that ended it, the next call starts another."""

    def __init__(self, settings: Settings) -> None:
        """Prepare a child, without starting it."""
        super().__init__(settings.setup(), settings.limits, "testing.calling", settings.interpreter)
        self._settings = settings
        self._targets = settings.targets

    def open(self) -> Catalog:
        """Open the targets; one that ends the process is reported, and the others are opened."""
        found = self._opened()
        if not isinstance(found, Ending):
            return _catalog(found, (), self._targets)
        if not self._targets:
            return Catalog((), (problem_of(found, "the configured sources", self.limits),), {}, ())
        problems, kept = [], []
        for target in self._settings.targets:
            self._targets = (target,)
            answer = self._opened()
            if isinstance(answer, Ending):
                problems.append(problem_of(answer, target, self.limits))
            else:
                kept.append(target)
        return self._open_rest(tuple(kept), tuple(problems))

    def _open_rest(self, targets: tuple[str, ...], problems: tuple[Problem, ...]) -> Catalog:
        self._targets = targets
        answer = self._opened() if targets else None
        if answer is None or isinstance(answer, Ending):
            return Catalog((), problems, {}, ())
        return _catalog(answer, problems, targets)

    def use(self, targets: tuple[str, ...]) -> Self:
        """Open only these targets, once a call needs them."""
        self._targets = targets
        return self

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool; a call that ends the process, or has to be ended, has an outcome too."""
        if not self.is_running:
            self._opened()
        assert self.is_running
        answer = self.request({"call": name, "arguments": arguments, "seconds": self._settings.seconds})
        if not isinstance(answer, Ending):
            outcome = Outcome.read(answer)
            if outcome.kind == "MemoryError":
                self.close()
            return outcome
        place = place_of_ending(answer)
        if answer.is_late:
            seconds = self._settings.seconds
            return Outcome("hung", f"it does not end within {seconds:g} s", "", place, seconds)
        return Outcome("ended", f"it {describe_status(answer.status)[0]}", "", place)

    def _opened(self) -> dict[str, Any] | Ending:
        self.close()
        return self.request({"open": self._targets})


def _catalog(answer: Mapping[str, Any], problems: Sequence[Problem], targets: tuple[str, ...]) -> Catalog:
    tools = tuple(
        TestedTool(one["key"], ToolSpec.from_json(one["spec"]), one["place"] and Location(*one["place"]))
        for one in answer["tools"]
    )
    problems = (*problems, *map(read_problem, answer["problems"]))
    return Catalog(tools, problems, answer["files"], targets, warnings=tuple(answer["warnings"]))
