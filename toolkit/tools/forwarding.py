"""Forwards the hooks that a tool does not define itself to another tool."""

import inspect
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, TypeVar

from toolkit.tools.callees import Callee

_Kind = TypeVar("_Kind", bound=type[Callee])

_OWN = {"name", "description", "described", "hidden_parameters", "own_secrets", "veil", "call_logger", "result_of"} | {
    "files",
    "dotted_names",
    "passed_on_by",
    "owners",
    "pass_on",
    "result_of_nothing",
    "definition_hash",
    "own_flows",
    "flows",
    "reach",
    "work_at_once",
    "steps_at_once",
    "takes_short_way",
    "needs_no_question",
}
"""Hooks that are not forwarded, since every tool derives them itself."""

HOOKS = frozenset(
    name for name in {*vars(Callee), *Callee.__annotations__} if not name.startswith("_") and name not in _OWN
)
"""The hooks that can be forwarded."""


def forwards(
    hooks: Iterable[str], *, to: str, arguments: Callable[[Any], Any] | None = None
) -> Callable[[_Kind], _Kind]:
    """Return a class decorator that forwards hooks to another tool unless the class defines them.

    Args:
        hooks: The hooks to forward, from `HOOKS`.
        to: The attribute that contains the other tool.
        arguments: Converts the parsed arguments of this tool to those of the other, if they differ.
    """

    def complete(kind: _Kind) -> _Kind:
        for name in sorted(set(hooks) - vars(kind).keys()):
            is_of_calls = arguments is not None and _takes_parsed(name)
            setattr(kind, name, _call_of(name, to, arguments) if is_of_calls else property(attrgetter(f"{to}.{name}")))
        return kind

    return complete


def _takes_parsed(name: str) -> bool:
    hook = vars(Callee).get(name)
    return inspect.isfunction(hook) and "parsed" in inspect.signature(hook).parameters


def _call_of(name: str, to: str, arguments: Any) -> Callable[..., Any]:
    def hook(self: Any, parsed: Any, *rest: Any) -> Any:
        return getattr(getattr(self, to), name)(arguments(parsed), *rest)

    return hook
