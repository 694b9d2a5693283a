"""Operations as tests need them, with what a document says by default."""

from toolkit import ToolSpec
from toolkit.openapi import Operation, OperationTool, Parameter, ServerAccess

STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}


def parameter(name, place="query", style=None, *, explode=None, argument=None, schema=None, **more):
    """Return a parameter in the default style of its place."""
    style = style or STYLES[place]
    exploded = style in {"form", "cookie"} if explode is None else explode
    return Parameter(argument or name, name, place, schema or {}, False, style, exploded, **more)


def operation(path="/pets", *parameters, method="GET", body=None, answers=None, security=(), definitions=None):
    """Return an operation."""
    return Operation(
        id="op",
        name="op",
        method=method,
        path=path,
        servers=("/",),
        summary="",
        description="",
        tags=(),
        parameters=parameters,
        body=body,
        answers=answers or {},
        security=security,
        is_deprecated=False,
        extensions={},
        definitions=definitions or {},
    )


def tool_for(made, base, *, spec=None, **access):
    """Return the tool of an operation, which reaches a server on this machine."""
    anything = {"type": "object", "properties": {one.argument: {} for one in made.parameters}}
    options = {"allow_private": True, **access}
    return OperationTool(
        spec or ToolSpec("op", "An operation", anything), made, ServerAccess(name="shop", base=base, **options)
    )


def recording(requests, *answers):
    """Return what answers requests one after another, the last answer again and again, and adds them to a list."""

    def answer(asked):
        requests.append(asked)
        return answers[min(len(requests), len(answers)) - 1] if answers else (200, {}, b"")

    return answer
