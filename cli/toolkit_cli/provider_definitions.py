"""Tool definitions in the dialect of a provider: what changes in them, and what the provider would reject."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.dialects.conformance import objections, request_objections
from toolkit.dialects.deferring import DEFERRING, can_defer, deferred_request
from toolkit.dialects.providers import export, request_tools
from toolkit.problems import Location, Problem
from toolkit.tools.base import Tool
from toolkit.tools.origins import place_of_tool
from toolkit_cli.failures import ExitCode, Failure

if TYPE_CHECKING:
    from toolkit.dialects import Change, Objection


class Definitions(NamedTuple):
    """Tools as a provider receives them.

    Attributes:
        sent: The value of `tools` in a request.
        changes: What the dialect changes in each tool, by its name.
        problems: What the provider would reject.
    """

    sent: list[dict[str, Any]]
    changes: Mapping[str, Sequence["Change"]]
    problems: list[Problem]


def definitions_in(tools: Sequence[Tool], dialect: str, *, loaded: int | None = None) -> Definitions:
    """Return the definitions of tools in a dialect.

    Args:
        tools: The tools.
        dialect: The name of the dialect.
        loaded: The number of tokens up to which definitions stay loaded, if the others are deferred.

    Raises:
        Failure: If tools are to be deferred in a dialect without deferred tools.
    """
    if loaded is not None and not can_defer(dialect):
        hint = f"add --dialect {' or --dialect '.join(DEFERRING)}"
        raise Failure(ExitCode.USAGE, f"'{dialect}' has no deferred tools", hint=hint)
    specs = [tool.spec for tool in tools]
    exports = [export(spec, dialect) for spec in specs]
    if loaded is None:
        sent = request_tools(exports, dialect)
    else:
        sent = deferred_request(specs, exports, dialect, loaded=loaded)
    pairs = list(zip(tools, exports, strict=True))
    problems = [
        *(
            _problem(one, f"tool {tool.name!r}: ", place_of_tool(tool))
            for tool, made in pairs
            for one in objections(tool.spec, dialect, made)
        ),
        *(_problem(one, "", None) for one in request_objections(specs, dialect)),
    ]
    return Definitions(sent, {tool.name: made.changes for tool, made in pairs}, problems)


def _problem(objection: "Objection", about: str, location: Location | None) -> Problem:
    hint = "; ".join(filter(None, [objection.hint, f"see {objection.limit.source.place}"]))
    return Problem(objection.code, f"{about}{objection.message}", location, objection.severity, hint)
