"""Provides the values of a context in the forms in which frameworks pass dependencies or state to their tools."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, NoReturn

from toolkit.errors import ToolExecutionError
from toolkit.tools.context import ToolContext


class _MissingValueError(ToolExecutionError, AttributeError, LookupError):
    """Raised when a tool needs a value that the context does not have."""


class GivenValues(dict[str, Any]):
    """The values of a context, by name: `deps.tenant` and `deps["tenant"]` both return the value `tenant`.

    It replaces the dependencies, state or context of an agent, which only the program that runs the agent can create.
    """

    def __init__(self, values: Mapping[str, Any], tool: str, what: str, lacking: str | None = None) -> None:
        """Create the values for one tool.

        Args:
            values: The values by name.
            tool: The name of the tool that receives them.
            what: The framework's expression for them, such as `ctx.deps`.
            lacking: A missing value that prevented creating the object that the tool expects.
        """
        super().__init__(values)
        self.__dict__.update(_tool=tool, _what=what, _lacking=lacking)

    def __getattr__(self, name: str) -> Any:
        """Return a value; if it is missing, fail the call with an error that names it."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name] if name in self else self._lack(name, f"{self._what}.{name}")

    def __missing__(self, name: str) -> NoReturn:
        """Fail the call with an error that names the missing value."""
        self._lack(name, f"{self._what}[{name!r}]")

    def _lack(self, name: str, asked: str) -> NoReturn:
        raise missing_value_error(self._tool, asked, self._lacking or name)


def missing_value_error(tool: str, asked: str, name: str) -> ToolExecutionError:
    """Return the error for a tool that needs a value that the context does not have.

    Args:
        tool: The name of the tool.
        asked: The expression in the tool's code: `ctx.deps.db`.
        name: The name of the value.
    """
    message = f"tool {tool!r} needs '{asked}', which its agent would provide, but the context has no value {name!r}"
    return _MissingValueError(
        f"{message}; write ToolContext({{{name!r}: …}}), or --context {name}=… on the command line"
    )


def given(context: ToolContext, tool: str, what: str, wanted: Any = None) -> Any:
    """Return what a framework passes to a tool, such as the dependencies of its agent.

    This is the value of the context with that name; otherwise an object of the expected type, if that is a dataclass
    or a model and the context has the values it requires; otherwise all values.

    Args:
        context: The context of the call.
        tool: The name of the tool.
        what: The expression in the tool's code, such as `ctx.deps`; its last part is the name of the value.
        wanted: The type that the tool expects, if known.
    """
    name = what.rpartition(".")[2]
    if name in context:
        return context[name]
    needed = _needed_by(wanted)
    if needed is None or (lacking := first_missing_value(wanted, context)) is not None:
        return GivenValues(context.values, tool, what, None if needed is None else lacking)
    return wanted(**{one: context[one] for one in needed if one in context})


def first_missing_value(wanted: Any, context: ToolContext) -> str | None:
    """Return the first value that a dataclass or a model requires and the context lacks, or None."""
    needed = _needed_by(wanted) or {}
    return next((name for name, is_required in needed.items() if is_required and name not in context), None)


def _needed_by(cls: Any) -> dict[str, bool] | None:
    """Return the fields of a dataclass or a model, and whether each is required; None for any other type."""
    if not isinstance(cls, type):
        return None
    if is_dataclass(cls):
        own = [each for each in fields(cls) if each.init]
        return {each.name: each.default is MISSING and each.default_factory is MISSING for each in own}
    known = getattr(cls, "model_fields", None)
    return {name: field.is_required() for name, field in known.items()} if isinstance(known, dict) else None
