"""TK314: an example that the tool itself would reject."""

from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.codes import BAD_EXAMPLE
from toolkit.lint.clues.schema_values import misfit_of_arguments, misfit_of_value
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Location, Problem
from toolkit.schemas.schema import Schema


class BadExample(Rule):
    '''An example does not match its schema.

    ## Why

    Models copy examples, so an invalid example teaches them a call that is rejected. Anthropic rejects a whole request
    because of one invalid example.

    ## Example

    ```python
    from toolkit import tool


    @tool(examples=[{"town": "Oslo"}])
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool(examples=[{"city": "Oslo"}])
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Source

    - Anthropic, [Define tools](https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools): each example
      must be valid according to the tool's `input_schema`; invalid ones return a 400 error (checked 2026-11-22)
    '''

    code = BAD_EXAMPLE
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if tool.schema is None:
            return
        for index, example in enumerate(tool.spec.examples if tool.spec else ()):
            unknown = sorted(set(example) - {parameter.name for parameter in tool.parameters})
            reason = misfit_of_arguments(example, tool.schema)
            is_closed = (
                not tool.schema.get("additionalProperties") and not Schema.of(tool.schema).is_described_elsewhere
            )
            if unknown and reason is None and is_closed:
                reason = f"there is no parameter {unknown[0]!r}"
            if reason:
                message = f"an example of {tool.name!r} does not fit its parameters: {reason}"
                yield self.problem(message, _place(tool, index), hint="write the arguments of a valid call")
        for parameter in tool.parameters:
            examples = (parameter.schema or {}).get("examples", ())
            for index, value in enumerate(examples if isinstance(examples, list) else ()):
                if reason := misfit_of_value(value, parameter.schema or {}, tool.schema):
                    message = f"an example of {parameter.name!r} in {tool.name!r} does not fit its type: {reason}"
                    yield self.problem(message, tool.place("properties", parameter.name, "examples", index))
        if tool.origin in ("json", "object"):
            yield from self._inside(tool, tool.schema)

    def _inside(self, tool: ToolDefinition, root: Mapping[str, Any]) -> Iterator[Problem]:
        """Check the examples of a handwritten schema that are not those of a parameter: of items, of definitions, …"""
        for path, schema in tool.schemas():
            examples = schema.get("examples")
            if path[:1] == ("properties",) and len(path) == len(("properties", "name")):
                continue
            for index, value in enumerate(examples if isinstance(examples, list) else ()):
                if reason := misfit_of_value(value, schema, root):
                    message = f"an example inside the schema of {tool.name!r} does not fit its type: {reason}"
                    yield self.problem(message, tool.place(*path, "examples", index))


def _place(tool: ToolDefinition, index: int) -> Location | None:
    if index < len(tool.examples):
        return tool.examples[index]
    function = tool.function
    if function is None or (keyword := function.options.get("examples")) is None:
        return tool.location
    return function.file.location(keyword.value)
