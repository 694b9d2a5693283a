"""Fills LangChain's injected parameters, which no model sees, with values of the context.

In an agent they come from the state, the store and the context of its graph. Here the values of the context replace
all of these. See `langchain_core/tools/base.py`, and `langgraph/prebuilt/tool_node.py` of langgraph-prebuilt 1.1.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

from toolkit.frameworks.given_values import first_missing_value, given, missing_value_error
from toolkit.tools.calls.foreign_values import bases_of_class, call_safely, has_base
from toolkit.tools.context import ToolContext


def injected(tool: Any, context: ToolContext, call_id: str) -> dict[str, Any]:
    """Return the arguments for the injected parameters of a tool.

    Raises:
        ToolExecutionError: If the context lacks a required value.
    """
    filled: dict[str, Any] = {}
    for name, annotations in _annotations_of(tool).items():
        for marker in annotations:
            if _is(marker, "ToolRuntime"):
                filled[name] = _runtime(marker, tool.name, name, context, call_id)
            elif _is(marker, "InjectedToolArg") and not _is(marker, "InjectedToolCallId"):
                filled |= _value(marker, tool, name, context)
    return filled


def config_of(context: ToolContext) -> dict[str, Any]:
    """Return the values of the context as a run configuration, where LangChain's tools look for such values."""
    return {"configurable": dict(context.values)}


def _annotations_of(tool: Any) -> Mapping[str, tuple[Any, ...]]:
    """Return the type and metadata of each parameter of a tool, from its schema or else from its function."""
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None) or _own_method(tool)
    nothing: dict[str, Any] = {}
    hints = call_safely(lambda: get_type_hints(function, include_extras=True), nothing) if function else {}
    annotations = {name: (getattr(hint, "__origin__", hint), hint, *_metadata(hint)) for name, hint in hints.items()}
    return annotations | {name: (field.annotation, *field.metadata) for name, field in _fields_of(tool).items()}


def _metadata(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__metadata__", ())


def _fields_of(tool: Any) -> Mapping[str, Any]:
    fields_of_schema: Mapping[str, Any] = getattr(tool.args_schema, "model_fields", {})
    return fields_of_schema


def _own_method(tool: Any) -> Any:
    """Return the `_run` or `_arun` method of a user's subclass, or None."""
    methods = (vars(base).get(name) for base in bases_of_class(type(tool)) for name in ("_run", "_arun"))
    return next((method for method in methods if method is not None), None)


def _is(marker: Any, name: str) -> bool:
    """Return whether an annotation is a class with this name, or an instance of one."""
    bare = get_origin(marker) or marker
    return has_base(bare if isinstance(bare, type) else type(bare), name)


def _runtime(marker: Any, tool: str, parameter: str, context: ToolContext, call_id: str) -> Any:
    """Return a `ToolRuntime` with state, context and store from the context."""
    cls = get_origin(marker) or marker
    known = {
        "state": given(context, tool, f"{parameter}.state"),
        "context": _context_of_graph(marker, tool, f"{parameter}.context", context),
        "config": config_of(context),
        "stream_writer": lambda _: None,
        "tool_call_id": call_id,
        "store": context.get("store"),
    }
    return cls(**{each.name: known[each.name] for each in fields(cls) if each.name in known})


def _context_of_graph(marker: Any, tool: str, what: str, context: ToolContext) -> Any:
    """Return the context of the graph; LangChain warns if it is not of the type that the tool declares."""
    wanted = next(iter(get_args(marker)), None)
    if wanted is None and not context.values:
        return None
    if "context" not in context and (lacking := first_missing_value(wanted, context)) is not None:
        raise missing_value_error(tool, what, lacking)
    return given(context, tool, what, wanted)


def _value(marker: Any, tool: Any, parameter: str, context: ToolContext) -> dict[str, Any]:
    """Return the value of a parameter; nothing if the context has none and the parameter has a default."""
    if _is(marker, "InjectedState") and not getattr(marker, "field", None):
        return {parameter: given(context, tool.name, parameter)}
    name = "store" if _is(marker, "InjectedStore") else getattr(marker, "field", None) or parameter
    if name in context:
        return {parameter: context[name]}
    field = _fields_of(tool).get(parameter)
    if field is not None and not field.is_required():
        return {}
    raise missing_value_error(tool.name, parameter, name)
