"""Leave out tools of servers that have changed since they were pinned in `toolkit.lock`.

Consent to a tool applies to its definition at that time. A changed definition could influence a model just by being
read, before any call needs approval, so the tool is not offered until the user agrees to the change.
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
    """Return the tools of a server that the lockfile does not pin, or that match their pinned definitions.

    Changes that only allow more calls are accepted. If the lockfile cannot be read, no tool is used.

    Args:
        server: The server.
        tools: Its tools.
        directory: The folder of the lockfile, if there is one.
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
        message = f"tool '{tool.address}' has changed since it was locked, so it is not used: {in_short(changes)}"
        hint = f"`toolkit lock {server.name}` shows all changes; to accept them, run `toolkit lock --update`"
        severity: Severity = "error" if tool.wire_name in server.required else "warning"
        kept.problems.append(Problem(DEFINITION_DRIFT, message, tool.announced.location, severity, hint))
    return kept
