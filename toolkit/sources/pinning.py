"""Pinning: a tool of a server that is no longer what `toolkit.lock` pins is not used until somebody has agreed to it.

Agreeing to a tool is agreeing to its definition at that time. What a model has read of a changed one may have worked
before any question about a call could be asked, so it is not offered at all.
"""

from collections.abc import Iterable
from pathlib import Path

from toolkit.codes import DEFINITION_DRIFT
from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.tools.remote import RemoteTool
from toolkit.pins.drifts import changes_between, in_short
from toolkit.pins.lock_names import LOCK_FILE
from toolkit.pins.lockfile import entry_of, read_lock
from toolkit.problems import Problem, Severity
from toolkit.sources.collected import Collected


def as_pinned(server: McpServer, tools: Iterable[RemoteTool], directory: Path) -> Collected:
    """Return the tools of a server that are what the lockfile pins, or that it does not pin.

    Nobody has to agree to a change that only lets more calls through. Of a lockfile that cannot be read
    nobody knows what it pins: no tool is used.

    Args:
        server: The server.
        tools: Its tools.
        directory: Where the lockfile lies, if there is one.
    """
    locked = read_lock(directory / LOCK_FILE)
    if isinstance(locked, Problem):
        return Collected([*tools], []) if locked.location is None else Collected.nothing(locked)
    kept = Collected([], [])
    for tool in tools:
        pinned = locked.get(tool.name)
        changes = [] if pinned is None else changes_between(pinned, entry_of(tool.announced))
        if all(change.kind == "compatible" for change in changes):
            kept.tools.append(tool)
            continue
        message = f"tool '{tool.address}' has changed since it was locked, and is not used: {in_short(changes)}"
        hint = (
            f"`toolkit lock {server.name}` shows all; if you agree to it, `toolkit lock --update` pins what it is now"
        )
        severity: Severity = "error" if tool.wire_name in server.required else "warning"
        kept.problems.append(Problem(DEFINITION_DRIFT, message, tool.announced.location, severity, hint))
    return kept
