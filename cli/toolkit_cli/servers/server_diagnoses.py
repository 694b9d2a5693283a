"""Diagnoses MCP servers and shows what was found."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from toolkit.codes import BAD_CONFIGURATION, CONSENT_MISSING, SERVER_UNREACHABLE
from toolkit.problems import Problem
from toolkit.settings.setting_consents import consents_for
from toolkit.sources.servers import ConfiguredServers, unreachable_problem
from toolkit_cli import console
from toolkit_cli.failures import ExitCode
from toolkit_cli.rendering.server_steps import diagnosis_lines, diagnosis_record
from toolkit_cli.rendering.styles import print_lines

if TYPE_CHECKING:
    from toolkit.mcp.diagnosis.diagnoses import Diagnosis
    from toolkit.mcp.settings.server_settings import McpServer
    from toolkit.tools.context import ToolContext
    from toolkit_cli.running.sessions import Session
    from toolkit_cli.screen import Live

_CODES: Final[Mapping[str, ExitCode]] = {
    BAD_CONFIGURATION: ExitCode.USAGE,
    CONSENT_MISSING: ExitCode.APPROVAL,
    SERVER_UNREACHABLE: ExitCode.NOT_FOUND,
}
"""The exit codes for failed steps; that of any other is 1."""


def diagnose(servers: Sequence["McpServer"], session: "Session", *, may_call: bool, as_json: bool) -> int:
    """Diagnose servers, show each diagnosis, and return the exit code: that of the gravest failure.

    The user is asked for missing consents first, server by server.

    Args:
        servers: The servers.
        session: The session, whose gate judges calls.
        may_call: Whether a tool of a server that is not trusted may be called.
        as_json: Whether to write JSON.
    """
    if not servers:
        return ExitCode.SUCCESS
    from toolkit.mcp.diagnosis.examinations import everything_about, examine  # it imports the SDK

    opened = ConfiguredServers(session.configuration, consents_for(session.configuration, session.gate))
    refusals = refusals_of(servers, opened)
    found = diagnoses_of(servers, session.context, opened, refusals, may_call=may_call)

    bar = _bar(found) if console.stderr_is_terminal() else None

    def show(one: "Diagnosis") -> None:
        session.screen.show(None)
        lines = diagnosis_lines(one, console.data_width())
        print_lines(lines if one is found[0] else [[], *lines])
        session.screen.show(None if one is found[-1] else bar)

    session.screen.show(bar)
    examine(found, everything_about, (lambda _: None) if as_json else show)
    session.screen.show(None)
    if as_json:
        console.write_json([diagnosis_record(one) for one in found])
    failures = (one.failure for one in found)
    return max((_CODES.get(one.code, ExitCode.FINDINGS) for one in failures if one), default=ExitCode.SUCCESS)


def refusals_of(servers: Sequence["McpServer"], opened: ConfiguredServers) -> dict[str, Problem]:
    """Return why servers must not be contacted, by name. If necessary and possible, the user is asked for each."""
    return {server.name: refused for server in servers if (refused := opened.refusal(server)) is not None}


def diagnoses_of(
    servers: Sequence["McpServer"],
    context: "ToolContext",
    opened: ConfiguredServers,
    refusals: Mapping[str, Problem] | None = None,
    *,
    may_call: bool = False,
) -> list["Diagnosis"]:
    """Return a diagnosis of each server, which has no steps yet."""
    from toolkit.mcp.diagnosis.diagnoses import Circumstances, Diagnosis  # it imports the SDK

    circumstances = Circumstances(context, refusals or {}, opened.select, may_call)
    return [Diagnosis(server, circumstances) for server in servers]


def _bar(found: Sequence["Diagnosis"]) -> "Live":
    """Return a bar that shows which step of each server is still running."""
    from toolkit.mcp.diagnosis.examinations import steps_left  # it imports the SDK
    from toolkit_cli.rendering.live import BatchBar  # rich is heavy, and only terminals have a bar

    def words() -> str:
        return ", ".join(f"{one.server.name}: {left[0]}" for one in found if (left := steps_left(one)))

    return BatchBar(words, lambda: sum(not steps_left(one) for one in found) / len(found))


def problem_with(found: "Diagnosis") -> Problem | None:
    """Return why a server cannot be used, or `None`."""
    if found.error is None:
        return None
    if found.failure is not None and found.failure.code == BAD_CONFIGURATION:
        return Problem(BAD_CONFIGURATION, str(found.error), found.server.place)
    return unreachable_problem(found.server, str(found.error))


def show_ping(found: "Diagnosis", *, as_json: bool) -> None:
    """Write the answer of a server to a ping, if it has answered."""
    if found.health is None or found.failure is not None:
        return
    milliseconds = round((found.steps[-1].seconds or 0) * 1000, 1)
    name, protocol = found.server.name, found.health.protocol
    if as_json:
        record = {"name": name, "protocol": protocol, "title": found.health.title, "milliseconds": milliseconds}
        console.write_json(record, indent=None)
    else:
        console.write_data(f"{name} answers in {milliseconds:g}ms ({protocol})\n")
