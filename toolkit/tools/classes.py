"""Classes as tools: a name, a description and options in the class, and the work in `execute`."""

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from types import CoroutineType
from typing import Any

from toolkit.codes import NOT_A_TOOL, ROOT_NOT_OBJECT, UNFIT_PARAMETER
from toolkit.errors import InvalidTools
from toolkit.problems import Location, Problem
from toolkit.running import drive_or_run, in_thread, loop_is_running
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.docstrings import read_docstring
from toolkit.tools.injections import injected
from toolkit.tools.names import name_problem
from toolkit.tools.options import OPTIONS, option_problems
from toolkit.tools.places import place_of
from toolkit.tools.signatures import Signature, read_signature
from toolkit.tools.spec import ToolSpec


class ExecutingTool(Tool):
    """A tool whose work is its method `execute`, plain or async, with the context as an optional second parameter.

    Every option of `ToolSpec` may stand in the class or be set in `__init__`, before the tool is first looked at.
    """

    name: str = ""  # type: ignore[assignment,unused-ignore]  # here it is given, elsewhere it is read off the specification
    description: str = ""  # type: ignore[assignment,unused-ignore]
    source: str | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Take the description from the docstring of a class that does work and has none."""
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        if "description" not in own and own.get("__doc__") and callable(getattr(cls, "execute", None)):
            cls.description = read_docstring(cls.__doc__).description

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of what a call must carry."""
        raise NotImplementedError

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema of what it returns, where that is known."""
        return None

    @cached_property
    def spec(self) -> ToolSpec:  # type: ignore[override,unused-ignore]  # cached: it never changes
        """The options of the class.

        Raises:
            InvalidTools: With everything that is wrong with it.
        """
        place = self.place if self.source is None else None
        given = {option: getattr(self, option) for option in OPTIONS if hasattr(self, option)}
        problems = option_problems(given, place)
        name, description = given.pop("name"), given.pop("description")
        if trouble := name_problem(name, place):
            problems.append(trouble)
        if not callable(getattr(self, "execute", None)):
            hint = "write def execute(self, …) in its class"
            raise InvalidTools(
                problems=[*problems, Problem(NOT_A_TOOL, f"tool {name!r} has no 'execute'", place, hint=hint)]
            )
        problems += self._injection_problems()
        parameters = self.parameters
        if parameters.get("type") != "object":
            problems.append(
                Problem(ROOT_NOT_OBJECT, f"the input of {name!r} must be an object with named fields", place)
            )
        if problems:
            raise InvalidTools(problems=problems)
        return ToolSpec(
            name,
            description,
            parameters,
            output_schema=self.output_schema,
            source=self.source or (place.file if place else None),
            location=place,
            **given,
        )  # fmt: skip

    @property
    def written_as(self) -> type | Callable[..., Any]:
        """The class or function that the author wrote: where the tool is."""
        return type(self)

    @property
    def place(self) -> Location | None:
        """Where it was written."""
        return place_of(self.written_as)

    @cached_property
    def suspends(self) -> bool:  # type: ignore[override,unused-ignore]
        """Whether `execute` is async."""
        return inspect.iscoroutinefunction(self.execute)

    @cached_property
    def uses_context(self) -> bool:  # type: ignore[override,unused-ignore]
        """Whether `execute` takes something from the context."""
        return bool(self._signature.injected)

    @cached_property
    def _signature(self) -> Signature:
        """What `execute` wants; a second parameter that nobody fills takes the context, whatever its type."""
        signature = read_signature(self.execute)[0]
        others = list(inspect.signature(self.execute).parameters.values())[1:]
        named = [other.name for other in others if other.name == "context" or other.default is other.empty]
        free = [name for name in named if name not in signature.injected]
        if "context" in signature.injected.values() or not free:
            return signature
        return signature._replace(injected={**signature.injected, free[0]: "context"})

    def _injection_problems(self) -> list[Problem]:
        """Return a problem for each marker in the parameters of `execute` that the context cannot fill."""
        try:
            signature = self._signature
        except (ValueError, TypeError) as error:
            return [Problem(UNFIT_PARAMETER, f"the signature of 'execute' cannot be read: {error}", self.place)]
        first = next(iter(inspect.signature(self.execute).parameters), "")
        if first not in signature.injected:
            return list(signature.misplaced)
        message = f"parameter {first!r} of 'execute' is the input, which the context does not fill"
        hint = "let what the context fills follow the input"
        return [*signature.misplaced, Problem(UNFIT_PARAMETER, message, place_of(self.execute, first), hint=hint)]

    execute: Any

    @cached_property
    def work_at_once(self) -> Callable[[Any], Any] | None:  # type: ignore[override,unused-ignore]
        """To execute, unless that is async, or takes something from the context, or a class does more."""
        if self.suspends or self.uses_context or type(self).perform is not ExecutingTool.perform:
            return None
        return lambda text: self.execute(text)  # noqa: PLW0108 - it may be another one by then

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Execute; inside a running loop a plain method goes to a thread, where it blocks nobody."""
        given = injected(self.name, self._signature.injected, context) if self.uses_context else None
        execute = partial(self.execute, **given) if given else self.execute
        if self.suspends:
            return await execute(parsed)
        value = await in_thread(partial(execute, parsed)) if loop_is_running() else execute(parsed)
        return await drive_or_run(value) if isinstance(value, CoroutineType) else value
