"""Check whether a server may be started or contacted, and whether it speaks the protocol."""

from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter

from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.codes import BAD_CONFIGURATION, SERVER_UNREACHABLE
from toolkit.errors import ConfigurationError
from toolkit.mcp.client.failure_reasons import StepName, fault_of_command
from toolkit.mcp.client.server_sessions import ServerUnreachable, connection_to, reach
from toolkit.mcp.diagnosis.diagnoses import Diagnosis, Step
from toolkit.mcp.settings.server_settings import HttpServer, StdioServer, access_to, expand, texts_of
from toolkit.problems import place_from


async def configured(found: Diagnosis) -> AsyncIterator[Step]:
    """Find where a server is configured, and the values of all variables that it refers to."""
    server = found.server
    try:
        found.connection = connection_to(server, found.circumstances.context.values)
        for text in texts_of(server):
            expand(text, f"MCP server '{server.name}'", found.circumstances.context.values)
    except ConfigurationError as error:
        found.error = error
        fix = "set it, or write a default into the settings: ${NAME:-text}"
        yield Step("configuration", "failed", (_place_of(found), str(error)), fix, BAD_CONFIGURATION)
        return
    yield Step("configuration", "ok", (_place_of(found),))


def _place_of(found: Diagnosis) -> str:
    place = found.server.place
    owner = "your own server" if found.server.owner == "user" else "a server of this project"
    return f"{place_from(Path.cwd(), place)}, {owner}" if place is not None else owner


async def permitted(found: Diagnosis) -> AsyncIterator[Step]:
    """Check that the user has consented to a server of the project."""
    refusal = found.circumstances.refusals.get(found.server.name)
    if refusal is not None:
        yield Step("consent", "failed", (refusal.message,), refusal.hint or "", refusal.code)
        return
    yield Step("consent", "ok", ("not needed" if access_to(found.server) is None else "given",))


async def startable(found: Diagnosis) -> AsyncIterator[Step]:
    """Check that the command of a server can be found."""
    server = found.server
    assert isinstance(server, StdioServer)  # only these are started
    if (fault := fault_of_command(server)) is not None:
        yield Step("command", "failed", (fault.text,), fault.fix, SERVER_UNREACHABLE)
        return
    yield Step("command", "ok", (str(server.program),))


async def opened(found: Diagnosis) -> AsyncIterator[Step]:
    """Start or contact a server, and agree on a version of the protocol."""
    server, begun = found.server, perf_counter()
    first: StepName = "process" if isinstance(server, StdioServer) else "authorization"
    try:
        found.health = await reach(found.link.health())
    except ServerUnreachable as error:
        started = error.log.started if error.log is not None else None
        if error.reason.step in {first, "command"}:
            yield found.unreachable(error, first)
            return
        yield Step(first, "skipped") if started is None else _reached(found, started - begun)
        yield found.unreachable(error, "protocol")
        return
    log = found.link.log
    yield _reached(found, (log.started if log is not None and log.started is not None else begun) - begun)
    era = "stateless" if found.health.protocol in MODERN_PROTOCOL_VERSIONS else "handshake"
    reasons = (f"{found.health.protocol} ({era}), {found.health.title or 'which does not say what it is'}",)
    if log is not None and log.strays:
        yield Step("protocol", "warning", (*reasons, log.strays), "it has to print to its standard error instead")
    else:
        yield Step("protocol", "ok", reasons)


def _reached(found: Diagnosis, seconds: float) -> Step:
    """Return the step of a started process, or of an HTTP server that has answered."""
    match found.server:
        case StdioServer():
            return Step("process", "ok", ("started",), seconds=seconds)
        case HttpServer() as server:
            is_sent = found.link.sends_token or not server.signs_in
            what = "the credentials were not refused" if is_sent else "no sign-in was asked for"
            return Step("authorization", "ok", (what,), seconds=seconds)


async def answering(found: Diagnosis) -> AsyncIterator[Step]:
    """Ping a server."""
    try:
        await reach(found.link.ping())
    except ServerUnreachable as error:
        yield found.unreachable(error, "ping")
        return
    yield Step("ping", "ok")
