"""TK313: a default that does not fit its type, or that a call changes."""

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.codes import DEFAULT_MISMATCH
from toolkit.documents.nodes import Mapping as MappingNode, Scalar
from toolkit.lint.clues.json_edits import replacing, without_entry
from toolkit.lint.clues.schema_values import misfit_of_value
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem, Severity
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.syntax_nodes import is_none

_CHANGING = {
    "add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault",
    "sort", "update",
}  # fmt: skip


class DefaultMismatch(Rule):
    '''A default does not match its parameter's type, or the function changes it.

    ## Why

    A model sees the default and sends a similar value. The call is then rejected, although the model followed the
    definition. An example is `None` as the default of a `str`. If a default is a list or dict and the function changes
    it, it stays changed for all later calls: data of one conversation appears in the next. FastMCP and the SDK of MCP
    copy the default for each call.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, days: int = "3", units: str = None, seen: list[str] = []) -> str:
        """Forecast the weather in a city."""
        seen.append(city)
        return f"sun in {city} for {days} days, in {units}; asked for so far: {seen}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, days: int = 3, units: str | None = None, seen: list[str] | None = None) -> str:
        """Forecast the weather in a city."""
        seen = [*(seen or []), city]
        return f"sun in {city} for {days} days, in {units}; asked for so far: {seen}"
    ```

    ## Source

    - PEP 484, [Union types](https://peps.python.org/pep-0484/#union-types): a default of `None` no longer makes a type
      optional (checked 2026-11-22)
    - Ruff, [mutable-argument-default](https://docs.astral.sh/ruff/rules/mutable-argument-default/) (checked 2026-11-22)
    '''

    code = DEFAULT_MISMATCH
    severity = "error"
    fix = "safe"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for parameter in tool.parameters:
            if reason := _misfit(tool, parameter):
                fix = self._allowing_none(tool, parameter) or self._in_json(tool, parameter)
                hint = "make the default a value of the type, or leave it out"
                if fix and fix.edits[0].text:
                    hint = f"write '{fix.edits[0].text}'"
                message = f"the default of {parameter.name!r} in {tool.name!r} does not fit its type: {reason}"
                severity: Severity = "warning" if _is_left_out(tool, parameter) else "error"
                yield self.problem(message, tool.place_of_default(parameter), hint=hint, severity=severity, fix=fix)

        yield from self._inside(tool)

    def _inside(self, tool: ToolDefinition) -> Iterator[Problem]:
        """Check the nested defaults of a handwritten schema: those of items, properties and definitions."""
        if tool.origin not in ("json", "object"):
            return
        for path, schema in tool.schemas():
            if "default" not in schema or (path[:1] == ("properties",) and len(path) == len(("properties", "name"))):
                continue
            if reason := _misfit_in(schema, schema["default"], tool.schema):
                message = f"a default inside the schema of {tool.name!r} does not fit its type: {reason}"
                hint = "make the default a value of the type, or leave it out"
                severity: Severity = "warning" if schema["default"] is None else "error"
                yield self.problem(message, tool.place(*path, "default"), hint=hint, severity=severity)

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        is_copied = function.written is not None and bool(function.written.marks.serves)
        mutable = [one for one in function.parameters if _is_mutable(one.default)] if not is_copied else []
        changed = set(_changed_names(function)) if mutable else ()
        for parameter in mutable:
            if parameter.name in changed:
                message = (
                    f"calls of {function.tool_name!r} change the default of {parameter.name!r} for all later calls"
                )
                hint = f"use None as the default, and begin with '{parameter.name} = {parameter.name} or …'"
                assert parameter.default is not None  # all in `mutable` have a default
                fix = self._creating_per_call(function, parameter)
                yield self.problem(message, function.file.location(parameter.default), hint=hint, fix=fix)

    def _allowing_none(self, tool: ToolDefinition, parameter: ParameterDefinition) -> Fix | None:
        """Return the fix that allows None for a parameter whose default is None."""
        python, function = parameter.python, tool.function
        if python is None or function is None or not is_none(python.default):
            return None
        annotation = _type_within(python.node.annotation, function)
        if annotation is None or isinstance(annotation, ast.Constant):
            return None
        written = f"{function.file.segment(annotation)} | None"
        return self.fixed_by(f"Write {written}", function.file.replacing(annotation, written))

    def _in_json(self, tool: ToolDefinition, parameter: ParameterDefinition) -> Fix | None:
        """Return the fix that replaces a quoted value with the intended one, or removes a default of null."""
        node = tool.node("properties", parameter.name)
        default = node.get("default") if isinstance(node, MappingNode) else None
        if not isinstance(node, MappingNode) or not isinstance(default, Scalar) or parameter.schema is None:
            return None
        if default.value is None:
            return self.fixed_by("Remove the default", without_entry(node, "default"))
        try:
            meant = json.loads(str(default.value).strip().lower() if isinstance(default.value, str) else "{")
        except ValueError:
            return None
        if _misfit_in(parameter.schema, meant, tool.schema):
            return None
        return self.fixed_by(f"Write {json.dumps(meant)}", replacing(default, meant))

    def _creating_per_call(self, function: PythonFunction, parameter: PythonParameter) -> Fix | None:
        """Return the fix that creates the default in each call, if the body begins on a separate line."""
        file, first, annotation = function.file, function.body[0], parameter.node.annotation
        start = file.index(first.lineno, first.col_offset)
        indentation = file.text[:start].rpartition("\n")[2]
        if indentation.strip() or parameter.default is None or isinstance(annotation, ast.Constant):
            return None
        made = f"{parameter.name} = {file.segment(parameter.default)} if {parameter.name} is None else {parameter.name}"
        edits = [file.replacing(parameter.default, "None"), file.edit(start, start, f"{made}\n{indentation}")]
        if annotation is not None:
            edits.append(file.replacing(annotation, f"{file.segment(annotation)} | None"))
        return self.fixed_by("Create it in each call", *edits, is_safe=False)


def _is_left_out(tool: ToolDefinition, parameter: ParameterDefinition) -> bool:
    """Return whether the default is None, which clients accept and know the meaning of."""
    if parameter.python is not None:
        return is_none(parameter.python.default)
    return tool.function is None and (parameter.schema or {}).get("default") is None


def _type_within(annotation: ast.expr | None, function: PythonFunction) -> ast.expr | None:
    """Return the type inside `Annotated`, outside of which some frameworks do not see its description."""
    match annotation:
        case ast.Subscript(value=outer, slice=ast.Tuple(elts=[inner, *_])) if (
            function.file.short_name(outer) == "Annotated"
        ):
            return inner
    return annotation


def _misfit(tool: ToolDefinition, parameter: ParameterDefinition) -> str | None:
    schema, root = parameter.schema, tool.schema
    if schema is None and parameter.python is not None and tool.function is not None:
        shape = tool.function.file.shape(parameter.python.node.annotation, parameter.python.default)
        schema = root = shape.if_exact
    if schema is None or root is None or "default" not in schema:
        return None
    return _misfit_in(schema, schema["default"], root)


def _misfit_in(schema: Mapping[str, Any], default: Any, root: Mapping[str, Any] | None) -> str | None:
    """Return why a schema would not accept a value as its default, or None."""
    return misfit_of_value(default, {key: value for key, value in schema.items() if key != "default"}, root or {})


def _is_mutable(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in {"list", "dict", "set"} and not node.args
    return isinstance(node, ast.List | ast.Dict | ast.Set)


def _changed_names(function: PythonFunction) -> Iterator[str]:
    """Yield the names of objects that the body changes in place, except names that it reassigns."""
    given = {node.id for node in function.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in function.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _CHANGING:
                found = name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found = name
            case _:
                continue
        if found not in given:
            yield found
