"""Tools made by hand: a JSON Schema, and a function that takes the arguments by keyword."""

from collections.abc import Callable, Mapping
from functools import partial
from types import CoroutineType
from typing import Any

from toolkit.errors import InvalidTools
from toolkit.problems import Location, Problem
from toolkit.running import drive_or_run, in_thread, loop_is_running
from toolkit.tools.arguments import read_arguments
from toolkit.tools.base import Arguments, Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.functions import injected
from toolkit.tools.names import name_problem
from toolkit.tools.options import option_problems
from toolkit.tools.places import place_of
from toolkit.tools.schema_shapes import shape_of_schema
from toolkit.tools.shapes import Shape
from toolkit.tools.showing import plain_data
from toolkit.tools.signatures import read_signature
from toolkit.tools.spec import ToolSpec


class HandmadeTool(Tool):
    """A function behind a JSON Schema that was written by hand."""

    def __init__(
        self, name: str, description: str, parameters: Mapping[str, Any], function: Callable[..., Any], **options: Any
    ) -> None:
        """Build it; see `Tool.create`.

        Raises:
            InvalidTools: With every problem at once.
        """
        place = place_of(function)
        problems = [*filter(None, [name_problem(name, place)]), *option_problems(options, place)]
        if parameters.get("type") != "object":
            message = f"the parameters of {name!r} must be a JSON Schema of type 'object'"
            problems.append(Problem("TK302", message, place))
        shape = _shape(parameters, place, problems)
        if shape is None or problems:
            raise InvalidTools(problems=problems)
        self.function = function
        self._shape = shape
        self._signature, _ = read_signature(function)
        self.suspends = self._signature.is_async
        self.uses_context = bool(self._signature.injected)
        options["examples"] = tuple(options.get("examples", ()))
        self.spec = ToolSpec(name, description, dict(parameters), location=place, **options)
        self._optional = frozenset(self.spec.properties) - frozenset(self.spec.required)

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments by name, held against the schema."""
        return read_arguments(self._shape, arguments, self._optional)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data."""
        return plain_data(parsed)

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Call the function; inside a running loop a plain one goes to a thread, where it blocks nobody."""
        given = {**parsed, **injected(self.name, self._signature, context)}
        if self._signature.is_async:
            return await self.function(**given)
        value = await in_thread(partial(self.function, **given)) if loop_is_running() else self.function(**given)
        return await drive_or_run(value) if isinstance(value, CoroutineType) else value


def _shape(parameters: Mapping[str, Any], place: Location | None, problems: list[Problem]) -> Shape | None:
    try:
        return shape_of_schema(parameters)
    except ValueError as error:
        problems.append(Problem("TK302", str(error), place))
        return None
