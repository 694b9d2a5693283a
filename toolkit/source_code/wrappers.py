"""Find the functions that wrappers copy: what they return has the name and the parameters of what they are given."""

import ast
from collections.abc import Iterator

from toolkit.source_code.source_files import Definition, last_name
from toolkit.source_code.syntax_nodes import FunctionNode, statements_below
from toolkit.source_code.written_calls import places_of


def wrapped_by(function: Definition) -> ast.expr | None:
    """Return the function whose name and parameters another one copies with `functools.wraps`, or `None`."""
    calls = (one for one in function.decorator_list if isinstance(one, ast.Call))
    return next((one.args[0] for one in calls if one.args and last_name(one.func) == "wraps"), None)


def given_to_wrapper(call: ast.Call, called: FunctionNode) -> ast.expr | None:
    """Return the function that a call gives to a wrapper: `find` in `logged(find)` and `logged("files")(find)`.

    Args:
        call: The call.
        called: The function that it calls first, which may return the wrapper.

    Returns:
        The argument, or `None` if the called function does not wrap anything.
    """
    wrappers = _functions_in(called) if isinstance(call.func, ast.Call) else [called]
    for wrapper in wrappers:
        places = places_of(wrapper)
        for copied in _copied_by(wrapper):
            for place in places.get(copied.id, ()) if isinstance(copied, ast.Name) else ():
                if isinstance(place, int) and place < len(call.args):
                    return call.args[place]
    return None


def _copied_by(wrapper: FunctionNode) -> Iterator[ast.expr]:
    """Yield what the functions copy that a wrapper returns, which are made inside it."""
    inner = {one.name: one for one in _functions_in(wrapper)}
    for one in statements_below(wrapper):
        match one:
            case ast.Return(value=ast.Name(id=name)) if name in inner:
                copied = wrapped_by(inner[name])
            case ast.Return(value=ast.Call(func=ast.Name(id=name)) as call) if name in inner:
                copied = given_to_wrapper(call, inner[name])
            case _:
                copied = None
        if copied is not None:
            yield copied


def _functions_in(function: FunctionNode) -> Iterator[FunctionNode]:
    return (one for one in statements_below(function) if isinstance(one, FunctionNode))
