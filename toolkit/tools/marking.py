"""Marking: `@tool` says that a function is a tool, `@toolbox` that a class holds some; both return what they mark.

Nothing is registered and nothing is built: importing a module has no effect, the function can be called in a unit
test, and every mistake is found where tools are collected, all of them at once.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, overload

from toolkit.tools.spec import ReturnBehavior

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

_MARK = "__toolkit_tool__"
_BOX = "__toolkit_box__"


@overload
def tool(function: F, /) -> F: ...


@overload
def tool(
    *,
    name: str | None = ...,
    description: str | None = ...,
    return_behavior: ReturnBehavior = ...,
    category: str | None = ...,
    requires_approval: bool = ...,
    read_only: bool | None = ...,
    destructive: bool | None = ...,
    idempotent: bool | None = ...,
    open_world: bool | None = ...,
    strict: bool | None = ...,
    metadata: Mapping[str, Any] = ...,
    examples: Sequence[Mapping[str, Any]] = ...,
) -> Callable[[F], F]: ...


def tool(function: Any = None, /, **options: Any) -> Any:
    """Mark a function or method as a tool: `@tool`, or `@tool(name=…, read_only=True)`.

    Its name, its docstring and its annotations make the specification; the options say what they cannot.

    Args:
        function: What is marked: a function, a method, a static method, an `async def`.
        **options: Any of `name`, `description`, `return_behavior` (`to_model`, `immediate` or `immediate_if_last`),
            `category`, `requires_approval`, `read_only`, `destructive`, `idempotent`, `open_world`, `strict`,
            `metadata` (a mapping for each provider's name) and `examples` (arguments that make sense).
            What is wrong with them is a problem of the tool, found where tools are collected.

    Returns:
        The very function, marked.

    Raises:
        TypeError: If something is marked that is no function.
    """
    if function is None:
        return lambda decorated: _mark(decorated, options)
    return _mark(function, options)


def mark_of(candidate: object) -> Mapping[str, Any] | None:
    """Return the options that a function was marked with, or `None` if it was not."""
    mark = _attribute(candidate, _MARK)
    return mark if isinstance(mark, dict) else None


def toolbox(*, name: str | None = None, description: str | None = None) -> Callable[[C], C]:
    """Mark a class as a set of tools that belong together: its marked methods have its name as their category.

    Args:
        name: What the set is called; the class's name unless it is given.
        description: What the tools are for; the class's docstring unless it is given.
    """

    def mark(cls: C) -> C:
        setattr(cls, _BOX, {"name": name or cls.__name__, "description": description or cls.__doc__ or ""})
        return cls

    return mark


def box_of(candidate: object) -> Mapping[str, str] | None:
    """Return the name and the description of the set that a class or its object was marked as, or `None`."""
    box = _attribute(candidate, _BOX)
    return box if isinstance(box, dict) else None


def _attribute(candidate: object, name: str) -> Any:
    """Return an attribute of anything at all, or `None`; some things fail to say what they have, such as proxies."""
    try:
        return getattr(candidate, name, None)
    except Exception:  # noqa: BLE001 - what is looked at is foreign code
        return None


def _mark(function: Any, options: dict[str, Any]) -> Any:
    target = getattr(function, "__func__", function)  # what a static or class method wraps
    if not callable(target) or isinstance(target, type):
        message = f"@tool marks functions and methods, not {function!r}; for options write @tool(name=…, description=…)"
        raise TypeError(message)
    setattr(target, _MARK, options)
    return function
