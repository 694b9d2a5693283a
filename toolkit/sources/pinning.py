"""Leave out tools of servers that are not what `toolkit.lock` pins.

Consent to a tool applies to its definition at that time. A changed definition could influence a model just by being
read, before any call needs approval, so the tool is not offered until the user agrees to the change. That applies to
every change, because a new parameter or a new default can instruct a model too, and to new tools of a pinned server.
"""

from collections.abc import Iterable
from pathlib import Path

from toolkit.codes import DEFINITION_DRIFT
from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.tools.remote import RemoteTool
from toolkit.pins.drifts import in_short
from toolkit.pins.lock_names import LOCK_FILE
from toolkit.pins.lockfile import changes_since, read_lock
from toolkit.problems import Problem, Severity
from toolkit.sources.collected import Collected


def as_pinned(server: McpServer, tools: Iterable[RemoteTool], directory: Path) -> Collected:
    """Return the tools of a server that match their pinned definitions, or all of them if none is pinned.

    If the lockfile cannot be read, no tool is used.

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
        changes = changes_since(locked, tool.announced)
        if not changes:
            kept.tools.append(tool)
            continue
        what = "has changed since it was locked, so it is not used" if tool.name in locked else "is not used"
        message = f"tool '{tool.address}' {what}: {in_short(changes)}"
        hint = f"`toolkit lock {server.name}` shows all changes; to accept them, run `toolkit lock --update`"
        severity: Severity = "error" if tool.wire_name in server.required else "warning"
        kept.problems.append(Problem(DEFINITION_DRIFT, message, tool.announced.location, severity, hint))
    return kept
