"""Marking: `@tool` marks a function as a tool, `@toolbox` a class that holds some; both return what they mark.

Nothing is registered and nothing is built: importing a module has no effect, the function can be called in a unit
test, and every mistake is found where tools are collected, all of them at once.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

if TYPE_CHECKING:
    from typing import Unpack

    from toolkit.tools.options import MarkOptions

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

_MARK = "__toolkit_tool__"
_BOX = "__toolkit_box__"


@overload
def tool(function: F, /) -> F: ...


@overload
def tool(**options: "Unpack[MarkOptions]") -> Callable[[F], F]: ...


def tool(function: Any = None, /, **options: Any) -> Any:
    """Mark a function or method as a tool: `@tool`, or `@tool(name=…, read_only=True)`.

    Its name, its docstring and its annotations make the specification; the options say what they cannot.

    Example:
        >>> from toolkit import tool
        >>> @tool(read_only=True)
        ... def add(first: int, second: int) -> int:
        ...     '''Add two numbers.'''
        ...     return first + second
        >>> add(1, 2)  # it stays the function that it was
        3

    Args:
        function: What is marked: a function, a method, a static method, an `async def`.
        **options: Any of `name`, `description`, `return_behavior` (`to_model`, `immediate` or `immediate_if_last`),
            `category`, `requires_approval`, `read_only`, `destructive`, `idempotent`, `open_world`,
            `flow` (what it does with data: `reads_untrusted`, `reads_private`, `writes`, `sends`), `strict`,
            `metadata` (a mapping for each provider's name) and `examples` (arguments that make sense).
            What is wrong with them is a problem of the tool, found where tools are collected.

    Returns:
        The very function, marked.

    Raises:
        TypeError: If the marked object is not a function.
    """
    if function is None:
        return lambda decorated: _mark(decorated, options)
    return _mark(function, options)


def mark_of(candidate: object) -> Mapping[str, Any] | None:
    """Return the options that a function was marked with, or `None` if it was not."""
    mark = _attribute(candidate, _MARK)
    return mark if type(mark) is dict else None


class ToolboxMark(NamedTuple):
    """The options of a class marked with `@toolbox`.

    Attributes:
        name: What the set is called.
        description: What its tools are for.
        usage_notes: How they are to be used together.
        category_parameter: What the parameter is called that chooses among categories, where its tools have some.
        exclusive: Whether all other tools make way when a model looks into it.
    """

    name: str
    description: str
    usage_notes: str | None = None
    category_parameter: str = "category"
    exclusive: bool = False


def toolbox(
    *,
    name: str | None = None,
    description: str | None = None,
    usage_notes: str | None = None,
    category_parameter: str = "category",
    exclusive: bool = False,
) -> Callable[[C], C]:
    """Mark a class as a set of tools that belong together: its marked methods have its name as their category.

    A model is offered the set as one tool, which reveals the others when it is called.

    Example:
        >>> from toolkit import from_object, tool, toolbox
        >>> @toolbox(name="accounts", description="Looks after accounts.")
        ... class Accounts:
        ...     @tool(read_only=True)
        ...     def balance(self, owner: str) -> str:
        ...         '''Tell how much somebody has.'''
        ...         return f"{owner} has 12 euros"
        >>> [(each.name, each.spec.category) for each in from_object(Accounts())]
        [('balance', 'accounts')]

    Args:
        name: What the set is called; the class's name unless it is given.
        description: What the tools are for; the class's docstring unless it is given.
        usage_notes: How the tools are to be used together; a model reads it when it sees them.
        category_parameter: What the parameter is called that chooses among the categories of its methods.
        exclusive: Whether all other tools make way when a model looks into the set.
    """

    def mark(cls: C) -> C:
        text = description or inspect.cleandoc(cls.__doc__ or "")
        setattr(cls, _BOX, ToolboxMark(name or cls.__name__, text, usage_notes, category_parameter, exclusive))
        return cls

    return mark


def box_of(candidate: object) -> ToolboxMark | None:
    """Return what a class, or the class of an object, was marked with, or `None` if it was not."""
    box = _attribute(candidate, _BOX)
    return box if type(box) is ToolboxMark else None


def _attribute(candidate: object, name: str) -> Any:
    """Return an attribute of anything at all, or `None`; some things fail to say what they have, such as proxies."""
    try:
        return getattr(candidate, name, None)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - what is looked at is foreign code, which may even exit
        return None


def _mark(function: Any, options: dict[str, Any]) -> Any:
    target = getattr(function, "__func__", function)  # what a static or class method wraps
    if not callable(target) or isinstance(target, type):
        message = f"@tool marks functions and methods, not {function!r}; for options write @tool(name=…, description=…)"
        raise TypeError(message)
    setattr(target, _MARK, options)
    return function
