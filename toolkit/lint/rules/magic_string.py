"""TK312: choices that a description lists and the type does not."""

import ast
import json
import re
from collections.abc import Iterator

from toolkit.codes import MAGIC_STRING
from toolkit.documents.nodes import Mapping as MappingNode
from toolkit.lint.clues.effects import importing
from toolkit.lint.clues.json_edits import with_entry
from toolkit.lint.clues.parameter_uses import uses_of
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem

_QUOTED = r"(?:`[\w.+-]+`|'[\w.+-]+'|\"[\w.+-]+\")"
_LIST = rf"({_QUOTED}(?:\s*(?:,|/|\||,?\s*\bor\b|,?\s*\band\b)\s*{_QUOTED})+)"
_CHOICE = re.compile(
    r"\b(?:one of|either|any of|must be|can be|may be|(?:allowed|valid|possible|accepted) (?:values?|options?)(?: are)?"
    rf"|choose (?:from|between))(?: the following| these)?\s*[:=(]?\s*{_LIST}",
    re.IGNORECASE,
)
_MORE = re.compile(r"\s*,?\s*(?:\betc\b|\band so on\b|\bor (?:any|another|some|a )|\.\.\.|…)", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:commas?|separated|delimited|one or more|any (?:number|combination) of)\b", re.IGNORECASE)
_ANY_CASE = re.compile(r"\b(?:case[- ]insensitive|(?:any|either) case|ignor\w+ case)\b", re.IGNORECASE)
_BARE = {"type", "description", "title", "default"}


class MagicString(Rule):
    '''A description lists the allowed values of a string, but the type does not.

    ## Why

    A model usually follows a list in prose, but not always: it writes `Celsius` instead of `celsius`. If the type lists
    the values, strict modes enforce them, and other values are rejected before the tool runs, with a message that lists
    the valid ones.

    If the code changes the case of the value (`.lower()`) or strips it, or if the description says that the case does not
    matter, a type with the values would refuse what works today; such a finding is not recommended.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, units: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city.
            units: The units of the answer, one of `metric` or `imperial`.
        """
        return f"sun in {city}, in {units} units"
    ```

    ## Instead

    ```python
    from typing import Literal

    from toolkit import tool


    @tool
    def forecast(city: str, units: Literal["metric", "imperial"]) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city.
            units: The units of the answer.
        """
        return f"sun in {city}, in {units} units"
    ```

    ## Source

    - OpenAI, [function calling](https://developers.openai.com/api/docs/guides/function-calling): "use enums and object
      structure to make invalid states unrepresentable" (checked 2026-11-22)
    '''

    code = MAGIC_STRING
    fix = "unsafe"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for parameter in tool.parameters:
            values = choices_in(parameter.description or "") if _is_plain_text(parameter) else []
            if values and not {one.name for one in tool.parameters}.issuperset(values):
                listed = ", ".join(map(repr, values))
                message = (
                    f"parameter {parameter.name!r} of {tool.name!r} accepts any string, but its description"
                    f" lists {listed}"
                )
                hint = f"write the type as Literal[{listed}]" if tool.function else f'add "enum": {json.dumps(values)}'
                fix = self._fix(tool, parameter, values)
                yield self.problem(
                    message,
                    tool.place("properties", parameter.name),
                    hint=hint,
                    fix=fix,
                    is_minor=_accepts_variants(tool, parameter, values),
                )

    def _fix(self, tool: ToolDefinition, parameter: ParameterDefinition, values: list[str]) -> Fix | None:
        listed = ", ".join(f'"{value}"' for value in values)
        if (node := tool.node("properties", parameter.name)) is not None:
            entry = with_entry(node, "enum", values) if isinstance(node, MappingNode) else None
            return None if entry is None else self.fixed_by("Enumerate the values", entry)
        annotation = parameter.python.node.annotation if parameter.python is not None else None
        if tool.function is None or not isinstance(annotation, ast.Name) or annotation.id != "str":
            return None
        file = tool.function.file
        edits = [file.replacing(annotation, f"Literal[{listed}]"), *importing(file, "typing", "Literal")]
        return self.fixed_by(f"Write the type as Literal[{listed}]", *edits)


def _accepts_variants(tool: ToolDefinition, parameter: ParameterDefinition, values: list[str]) -> bool:
    """Return whether other spellings of the values are accepted, which a type with the values would refuse."""
    text = parameter.description or ""
    written = {quoted[1:-1] for quoted in re.findall(_QUOTED, text)} - set(values)
    if _ANY_CASE.search(text) or not {one.lower() for one in values}.isdisjoint(one.lower() for one in written):
        return True
    return tool.function is not None and uses_of(tool.function, parameter.name).is_folded


def choices_in(description: str) -> list[str]:
    """Return the values that a description lists, if it lists two or more, lists them all, and asks for one of them."""
    found = _CHOICE.search(description)
    if found is None or _SEVERAL.search(description) or _MORE.match(description, found.end()):
        return []
    values = [quoted[1:-1] for quoted in re.findall(_QUOTED, found[1])]
    return list(dict.fromkeys(values)) if len(set(values)) > 1 else []


def _is_plain_text(parameter: ParameterDefinition) -> bool:
    if parameter.schema is not None:
        return parameter.schema.get("type") == "string" and set(parameter.schema) <= _BARE
    annotation = parameter.python.node.annotation if parameter.python is not None else None
    return isinstance(annotation, ast.Name) and annotation.id == "str"
