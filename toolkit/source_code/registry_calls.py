"""Reads what calls such as `register_tool("find", "Find an order.", {…}, find)` give to a registry of a project."""

import ast
from collections.abc import Sequence

from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import parts_by_key, placed

REGISTERING = ("register_tool", "registerTool", "add_tool", "addTool")
"""What the names of functions contain that register tools."""
SCHEMAS = (
    "parameters", "parameters_schema", "parameter_schema", "input_schema", "inputSchema", "schema", "args_schema",
)  # fmt: skip
"""What the schema of the parameters is called."""
_USUAL = {"tool_name": "name", **dict.fromkeys(SCHEMAS, "parameters")}
"""Maps other names of the parts of a definition to the usual ones."""
FUNCTION_PARTS = ("func", "function", "tool_function", "fn", "handler", "callback", "callable", "execute", "run")
"""What the function of a tool is called beside its name and its description."""
_TELLING = ("register", "tool", "__init__")
"""What other calls with a definition contain in their names."""
_PARAMETER = {"description", "type"}
_DEFINITION = {"name", "description", "parameters"}


def given_definition(node: ast.expr) -> ast.Dict | None:
    """Return the definition in a call of a function whose name says that it registers tools, or `None`.

    `Tool(…)`, `register(…)` and `super().__init__(…)` only count if the call gives every part by name, or begins with
    the name of the tool.
    """
    if not isinstance(node, ast.Call):
        return None
    made = last_name(node.func).lower()
    may_be = is_addition(node) or any(one in made for one in _TELLING)
    if not (is_registration(node) or (may_be and all(map(_is_text, node.args[:1])))):
        return None
    parts = registered_parts(node)
    if not parts.keys() >= _DEFINITION:
        return None
    return placed(ast.Dict([*map(ast.Constant, parts)], [*parts.values()]), node)


def registered_parts(call: ast.Call) -> dict[str, ast.expr]:
    """Return what a call gives to a registry, by its usual names; a function may give the tool its name."""
    parts = {**_by_position(call.args), **_by_name(call)}
    if is_registration(call):
        _name_after_function(parts)
    return parts


def is_registration(node: ast.expr) -> bool:
    """Return whether an expression is a call of a function such as `register_tool` or `addTool`."""
    return isinstance(node, ast.Call) and any(one in last_name(node.func) for one in REGISTERING)


def is_addition(node: ast.expr) -> bool:
    """Return whether an expression is a call such as `registry.add(…)`, which adds a tool if it is given a schema."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="add")):
            return "registry" in last_name(owner).lower()
    return False


def lists_properties(schema: ast.expr) -> bool:
    """Return whether an expression is a JSON Schema that lists the properties of an object, and so nothing else."""
    return isinstance(schema, ast.Dict) and {"type", "properties"} <= parts_by_key(schema).keys()


def maps_parameters(schema: ast.expr) -> bool:
    """Return whether an expression maps parameters to their types and descriptions, as for an agent of Bedrock."""
    parts = list(parts_by_key(schema).values()) if isinstance(schema, ast.Dict) and all(schema.keys) else []
    told = [parts_by_key(one).keys() for one in parts if isinstance(one, ast.Dict)]
    return (
        bool(told) and len(told) == len(parts) and all(_PARAMETER <= keys <= _PARAMETER | {"required"} for keys in told)
    )


def _by_name(call: ast.Call) -> dict[str, ast.expr]:
    return {_USUAL.get(one.arg, one.arg): one.value for one in call.keywords if one.arg is not None}


def _by_position(given: Sequence[ast.expr]) -> dict[str, ast.expr]:
    """Return the parts among arguments that show what they are, the first of each kind.

    These are texts, of which one in front is the name and the next one the description, a schema, and the function.
    """
    parts: dict[str, ast.expr] = {}
    for at, one in enumerate(given):
        if _is_text(one):
            parts.setdefault("description" if at else "name", one)
        elif lists_properties(one) or _is_empty(one) or _makes_schema(one):
            parts.setdefault("parameters", one)
        elif isinstance(one, ast.Name | ast.Attribute):
            parts.setdefault("function", one)
    return parts


def _name_after_function(parts: dict[str, ast.expr]) -> None:
    function = next((parts[one] for one in FUNCTION_PARTS if one in parts), None)
    if "name" not in parts and isinstance(function, ast.Name | ast.Attribute):
        parts["name"] = placed(ast.Attribute(function, "__name__", ast.Load()), function)


def _makes_schema(node: ast.expr) -> bool:
    """Whether an expression is a call of a function that makes a schema, such as `object_schema({…}, ["order"])`."""
    return isinstance(node, ast.Call) and last_name(node.func).lower().endswith("schema")


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and not node.keys


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
