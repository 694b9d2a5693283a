"""Given values: what a caller's context holds, in the forms in which frameworks hand such things to their tools."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, NoReturn

from toolkit.errors import ToolExecutionError
from toolkit.tools.context import ToolContext


class _MissingValueError(ToolExecutionError, AttributeError, LookupError):
    """A tool wants a value that the context does not have."""


class GivenValues(dict[str, Any]):
    """The values of a context, by name: `deps.tenant` and `deps["tenant"]` are both its value `tenant`.

    It stands for the dependencies, the state or the context of an agent, which only the program of the agent makes.
    """

    def __init__(self, values: Mapping[str, Any], tool: str, what: str, lacking: str | None = None) -> None:
        """Keep the values.

        Args:
            values: What there is.
            tool: The name of the tool that receives it.
            what: What the framework calls it: `ctx.deps`.
            lacking: The value without which the object that the tool wants cannot be made.
        """
        super().__init__(values)
        self.__dict__.update(_tool=tool, _what=what, _lacking=lacking)

    def __getattr__(self, name: str) -> Any:
        """Return a value; one that is not there is a failure of the call, which names it."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name] if name in self else self._lack(name, f"{self._what}.{name}")

    def __missing__(self, name: str) -> NoReturn:
        """Fail the call, and name the value that is not there."""
        self._lack(name, f"{self._what}[{name!r}]")

    def _lack(self, name: str, asked: str) -> NoReturn:
        raise nothing_given(self._tool, asked, self._lacking or name)


def nothing_given(tool: str, asked: str, name: str) -> ToolExecutionError:
    """Return the failure of a call whose tool wants a value that the context does not have.

    Args:
        tool: The name of the tool.
        asked: What it asked for, as it stands in its code: `ctx.deps.db`.
        name: The name of the value.
    """
    message = f"tool {tool!r} needs '{asked}', which its agent would give it, but the context has no value {name!r}"
    return _MissingValueError(
        f"{message}; write ToolContext({{{name!r}: …}}), or --context {name}=… on the command line"
    )


def given(context: ToolContext, tool: str, what: str, wanted: Any = None) -> Any:
    """Return what a framework hands to a tool, such as the dependencies of its agent.

    It is the context's own value of that name, or an object of the type that the tool wants, if the values are what a
    dataclass or a model needs; or else all values.

    Args:
        context: What the caller hands in.
        tool: The name of the tool.
        what: Where the tool finds it: `ctx.deps`; the context's own value is called by the last part of that.
        wanted: The type that the tool wants, if it has one.
    """
    name = what.rpartition(".")[2]
    if name in context:
        return context[name]
    needed = _needed_by(wanted)
    if needed is None or (lacking := lacking_for(wanted, context)) is not None:
        return GivenValues(context.values, tool, what, None if needed is None else lacking)
    return wanted(**{one: context[one] for one in needed if one in context})


def lacking_for(wanted: Any, context: ToolContext) -> str | None:
    """Return the first value that a dataclass or a model needs and the context does not have; None if it has all."""
    needed = _needed_by(wanted) or {}
    return next((name for name, is_required in needed.items() if is_required and name not in context), None)


def _needed_by(cls: Any) -> dict[str, bool] | None:
    """Return the fields of a dataclass or a model, and whether each must be given; None for any other type."""
    if not isinstance(cls, type):
        return None
    if is_dataclass(cls):
        own = [each for each in fields(cls) if each.init]
        return {each.name: each.default is MISSING and each.default_factory is MISSING for each in own}
    known = getattr(cls, "model_fields", None)
    return {name: field.is_required() for name, field in known.items()} if isinstance(known, dict) else None
