"""Check the tools of a server: whether it lists them, which are used, whom they fit, and whether one can be called."""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolkit.codes import DEFINITION_DRIFT, HIDDEN_UNICODE, NO_TOOLS
from toolkit.dialects.clients import CLIENTS
from toolkit.dialects.conformance import PROVIDERS, objections, request_objections
from toolkit.disclosure.denials import denial_of
from toolkit.disclosure.groups import matches
from toolkit.events import Event, ToolFinished, both
from toolkit.mcp.client.server_sessions import ServerUnreachable, reach
from toolkit.mcp.diagnosis.diagnoses import Diagnosis, HiddenTool, Step
from toolkit.mcp.settings.server_settings import McpServer
from toolkit.mcp.tools.remote import RemoteTool, left_out, place_of
from toolkit.problems import Problem, errors_among, first_names
from toolkit.running import in_thread

if TYPE_CHECKING:
    from toolkit.mcp.client.server_conversations import Listing

_MOST_REASONS: Final = 5


async def listed(found: Diagnosis) -> AsyncIterator[Step]:
    """List the tools of a server."""
    try:
        found.listing = await reach(found.link.listing())
    except ServerUnreachable as error:
        step = found.unreachable(error, "tools")
        if found.health is not None and not found.health.offers_tools:
            reason = "it offers no tools: its capabilities do not name them"
            fix = "check how it has to be started to offer tools"
            step = step._replace(reasons=(reason, *step.reasons), fix=fix, code=NO_TOOLS)
        yield step
        return
    yield Step("tools", "ok", (_count(found.listing),))


def _count(listing: "Listing") -> str:
    tools, pages = len(listing.tools) + len(listing.unreadable), listing.pages
    return f"{_some(tools, 'tool')} in {_some(pages, 'page')}"


def _some(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


async def usable(found: Diagnosis) -> AsyncIterator[Step]:
    """List the tools of a server, check that it then still runs, and find out which are used."""
    async for step in listed(found):
        if step.state == "failed" or found.listing is None:
            yield step
            return
        try:
            await reach(found.link.ping(restarts=False))
        except ServerUnreachable as error:
            lost = found.unreachable(error, "tools")
            reasons = (f"{step.reasons[0]}, but then it was pinged, and {lost.reasons[0]}", *lost.reasons[1:])
            yield lost._replace(reasons=reasons)
            return
        yield _selected(found, found.listing, step.reasons[0])


def _selected(found: Diagnosis, listing: "Listing", count: str) -> Step:
    server = found.server
    found.used, problems = found.circumstances.select(server, listing)
    found.hidden = list(_hidden(found, listing, problems))
    filters = [_filter_line(key, found.hidden) for key in ("tools", "exclude")]
    denied = [f"'{one.name}' is hidden from models: {one.reason}" for one in found.hidden if one.by == "policy"]
    twice = [name for name, times in Counter(tool.name for tool in listing.tools).items() if times > 1]
    faults = [*(f"several tools are called '{name}'; the last one is used" for name in twice), *_messages(problems)]
    reasons = (
        f"{count}, {len(found.used)} of them used",
        *filter(None, filters),
        *_first(denied),
        *_first(faults),
    )
    fix = next((one.hint for one in problems if one.hint), "the server's author has to fix it" if twice else "")
    if not found.used:
        return Step("tools", "failed", reasons, fix or "change its 'tools' and 'exclude'", NO_TOOLS)
    if grave := errors_among(problems):
        return Step("tools", "failed", reasons, grave[0].hint or fix, grave[0].code)
    return Step("tools", "warning" if faults else "ok", reasons, fix)


def _messages(problems: Sequence[Problem]) -> list[str]:
    return [one.message for one in sorted(problems, key=lambda one: one.severity != "error")]


def _first(lines: Sequence[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    more = len(lines) - _MOST_REASONS
    return [*lines[:_MOST_REASONS], *([f"and {more} more"] if more > 0 else [])]


def _filter_line(key: str, hidden: Sequence[HiddenTool]) -> str:
    names = [one.name for one in hidden if one.by == key]
    return f"hidden by '{key}' in its settings: {first_names(names)}" if names else ""


def left_out_tools(
    server: McpServer, listing: "Listing", used: Collection[str], problems: Sequence[Problem]
) -> Iterator[HiddenTool]:
    """Yield each tool that a server lists and that is not used, and why.

    Args:
        server: The server.
        listing: What it lists.
        used: The server's names for the tools that are used.
        problems: The problems of the others.
    """
    of_tool = {one.location: one for one in problems if one.code != HIDDEN_UNICODE}
    for one in listing.unreadable:
        yield HiddenTool(one.name, "invalid", left_out(server, one).message)
    for name in dict.fromkeys(tool.name for tool in listing.tools):
        problem = of_tool.get(place_of(server.name, name))
        if name in used:
            continue
        if any(matches(name, one) for one in server.exclude):
            yield HiddenTool(name, "exclude", f"exclude = {list(server.exclude)}")
        elif server.tools and not any(matches(name, one) for one in server.tools):
            yield HiddenTool(name, "tools", f"tools = {list(server.tools)}")
        elif problem is not None:
            yield HiddenTool(name, "lock" if problem.code == DEFINITION_DRIFT else "invalid", problem.message)


def _hidden(found: Diagnosis, listing: "Listing", problems: Sequence[Problem]) -> Iterator[HiddenTool]:
    """Yield each listed tool that is not used or not allowed, and why."""
    yield from left_out_tools(found.server, listing, {tool.wire_name for tool in found.used}, problems)
    gate = found.circumstances.context.gate
    for tool in found.used:
        verdict = denial_of(tool, gate.policy) if gate is not None else None
        if verdict is not None:
            yield HiddenTool(tool.wire_name, "policy", str(verdict.because or verdict.ground))


async def fitting(found: Diagnosis) -> AsyncIterator[Step]:
    """Check the names and schemas of the used tools against the limits of clients and providers."""
    examined = found.used[:_MOST_EXAMINED]
    unfit = [_refusal(*entry) for entry in (await in_thread(lambda: _unfit(examined))).items()]
    if len(found.used) > len(examined):
        unfit.append(f"only the first {len(examined)} tools were examined")
    if unfit:
        fix = f"`toolkit lint {found.server.name} --provider NAME` shows all of them"
        yield Step("limits", "warning", tuple(_first(unfit)), fix)
    else:
        yield Step("limits", "ok", (f"names and schemas fit all {len(_JUDGES)} clients and providers",))


_MOST_EXAMINED: Final = 500
"""Maximum number of tools that are examined, which takes some seconds."""

_JUDGES: Final = tuple(name for name in PROVIDERS if name != "portable" and not name.endswith("-strict"))
"""All clients and providers: `portable` stands for several of them, and nobody has to choose a strict mode."""


def _unfit(tools: Sequence[RemoteTool]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return what clients and providers refuse: the name of each and its message, by tool and code.

    Clients see the server's own names for its tools.
    """
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for judge in _JUDGES:
        specs = [replace(tool.spec, name=tool.wire_name) if judge in CLIENTS else tool.spec for tool in tools]
        refused = [("the list", one) for one in request_objections(specs, judge)]
        for tool, spec in zip(tools, specs, strict=True):
            refused += [(f"tool '{tool.wire_name}'", one) for one in objections(spec, judge)]
        for what, one in refused:
            if one.severity == "error":
                found.setdefault((what, one.code), []).append((judge, one.message))
    return found


def _refusal(key: tuple[str, str], refusals: Sequence[tuple[str, str]]) -> str:
    what, _ = key
    return f"{what} is refused by {first_names({judge for judge, _ in refusals})}: {refusals[0][1]}"


async def callable_tool(found: Diagnosis) -> AsyncIterator[Step]:
    """Call a tool that only reads and needs no arguments.

    What a server that is not trusted says about its tools does not count, so its tool is only called if the user wants
    that. Like every call, it passes the gate, which may ask, or refuse.
    """
    denied = {one.name for one in found.hidden if one.by == "policy"}
    tool = next((one for one in found.used if _is_harmless(one) and one.wire_name not in denied), None)
    if tool is None:
        yield Step("call", "skipped", ("no tool says that it only reads and needs no arguments",))
        return
    name = tool.wire_name
    if not (found.server.trusted or found.circumstances.may_call):
        reason = f"'{name}' says that it only reads, but its server is not trusted; --call calls it"
        yield Step("call", "skipped", (reason,))
        return
    context, times = found.circumstances.context, list[float]()

    def note_time(event: Event) -> None:
        if isinstance(event, ToolFinished):
            times.append(event.seconds)  # without the time that a person needs to answer

    result = await tool.call({}, context.replace(listener=both(note_time, context.listener)))
    seconds = sum(times)
    if result.succeeded:
        yield Step("call", "ok", (f"'{name}' answered with {_some(len(result.output), 'character')}",), seconds=seconds)
    elif result.error_code == "rejected":
        yield Step("call", "skipped", (f"'{name}' was not called: {result.error}",))
    else:
        reason = f"'{name}' failed: {result.error}"
        yield Step("call", "failed", (reason,), "see the server's own log", seconds=seconds)


def _is_harmless(tool: RemoteTool) -> bool:
    spec = tool.announced
    return bool(spec.read_only) and not spec.destructive and not spec.parameters.get("required")
