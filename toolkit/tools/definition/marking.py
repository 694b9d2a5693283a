"""The decorators `@tool`, for functions, and `@toolbox`, for classes, and the methods that they have marked."""

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from toolkit.tools.calls.foreign_values import bases_of_class, call_safely, is_text, members_of_class

if TYPE_CHECKING:
    from typing import Unpack

    from toolkit.tools.definition.spec_fields import MarkOptions


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

    The specification comes from its name, docstring and annotations; the options add what these cannot express.

    Example:
        >>> from toolkit import tool
        >>> @tool(read_only=True)
        ... def add(first: int, second: int) -> int:
        ...     '''Add two numbers.'''
        ...     return first + second
        >>> add(1, 2)  # the function still works as before
        3

    Args:
        function: A function, method, static method or class method, sync or async.
        **options: Any of `name`, `description`, `return_behavior` (`to_model`, `immediate` or `immediate_if_last`),
            `result_tokens` (the most tokens of a result for a model), `category`, `requires_approval`, `read_only`,
            `destructive`, `idempotent`, `open_world`,
            `flow` (what it does with data: `reads_untrusted`, `reads_private`, `writes`, `sends`), `strict`,
            `metadata` (a mapping for each provider's name) and `examples` (example arguments).
            Invalid options are reported when the tools are collected.

    Returns:
        The same function, marked.

    Raises:
        TypeError: If the marked object is not a function.
    """
    if function is None:
        return lambda decorated: _mark(decorated, options)
    return _mark(function, options)


def mark_of(candidate: object) -> Mapping[str, Any] | None:
    """Return the options with which a function was marked, or `None` if it was not marked."""
    mark = _attribute(candidate, _MARK)
    return mark if type(mark) is dict else None


class ToolboxMark(NamedTuple):
    """The options of a class marked with `@toolbox`.

    Attributes:
        name: The name of the toolbox.
        description: What its tools are for.
        usage_notes: How to use the tools together.
        category_parameter: The name of the parameter that selects a category, if its tools have categories.
        exclusive: Whether all other tools are hidden when a model opens the toolbox.
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
    """Mark a class as a set of tools that belong together; its name becomes the category of its marked methods.

    A model sees the set as one tool, which reveals the others when it is called.

    Example:
        >>> from toolkit import from_object, tool, toolbox
        >>> @toolbox(name="accounts", description="Looks after accounts.")
        ... class Accounts:
        ...     @tool(read_only=True)
        ...     def balance(self, owner: str) -> str:
        ...         '''Return the balance of an account.'''
        ...         return f"{owner} has 12 euros"
        >>> [(each.name, each.spec.category) for each in from_object(Accounts())]
        [('balance', 'accounts')]

    Args:
        name: The name of the set; the name of the class by default.
        description: What the tools are for; the docstring of the class by default.
        usage_notes: How to use the tools together; a model sees this with the tools.
        category_parameter: The name of the parameter that selects a category of its methods.
        exclusive: Whether all other tools are hidden when a model opens the set.
    """

    def mark(cls: C) -> C:
        text = description or inspect.cleandoc(cls.__doc__ or "")
        setattr(cls, _BOX, ToolboxMark(name or cls.__name__, text, usage_notes, category_parameter, exclusive))
        return cls

    return mark


def box_of(candidate: object) -> ToolboxMark | None:
    """Return the mark of a class, or of the class of an object, or `None` if there is none."""
    box = _attribute(candidate, _BOX)
    return box if type(box) is ToolboxMark else None


def _attribute(candidate: object, name: str) -> Any:
    """Return an attribute of any object, or `None` if that fails, as it can for proxies."""
    return call_safely(lambda: getattr(candidate, name, None), None)


def _mark(function: Any, options: dict[str, Any]) -> Any:
    target = getattr(function, "__func__", function)  # the function inside a static or class method
    if not callable(target) or isinstance(target, type):
        message = f"@tool marks functions and methods, not {function!r}; for options write @tool(name=…, description=…)"
        raise TypeError(message)
    setattr(target, _MARK, options)
    return function


def marked_methods(cls: type) -> list[str]:
    """Return the names of a class's marked methods, including inherited and private ones, in order of definition.

    A method that overrides a marked one is a tool only if it is marked itself.
    """
    members: dict[str, Any] = {}
    for base in reversed(bases_of_class(cls)):
        if base is not object:
            members.update(members_of_class(base))
    return [name for name, member in members.items() if is_text(name) and mark_of(_function_in(member)) is not None]


def _function_in(member: Any) -> Any:
    return getattr(member, "__func__", member) if issubclass(type(member), staticmethod | classmethod) else member


def category_from_class(candidate: Any, method: Any) -> dict[str, str]:
    """Return the category that a method gets from its class, unless it sets its own."""
    box = box_of(candidate)
    return {"category": box.name} if box and not (mark_of(method) or {}).get("category") else {}
