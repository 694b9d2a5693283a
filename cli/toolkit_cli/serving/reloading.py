"""Reloads the tools of a server when files change; if that fails, the server keeps the old tools."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from toolkit.errors import ConfigurationError
from toolkit.sources.modules import imported_afresh
from toolkit_cli import console
from toolkit_cli.failures import Failure, report
from toolkit_cli.file_stamps import INTERVAL, stamp_after_a_while, stamp_of

if TYPE_CHECKING:
    from toolkit.mcp.serving.server import ToolServer
    from toolkit.tools.base import Tool
    from toolkit_cli.serving.transports import Watch


def reloader(targets: Sequence[str], reopen: "Callable[[], dict[str, Tool]]") -> "Watch":
    """Return a task that reloads the tools of a server whenever a file has changed.

    Args:
        targets: The targets as typed; their folders and all imported files are watched.
        reopen: Opens the tools again.
    """
    first = stamp_of(targets)

    async def watch(server: "ToolServer") -> None:
        known = first
        while True:
            await asyncio.sleep(INTERVAL)
            now = await asyncio.to_thread(stamp_of, targets)
            if now == known:
                continue
            while now != (later := await asyncio.to_thread(stamp_after_a_while, targets)):
                now = later  # the files are still being written
            tools = await asyncio.to_thread(_reopened, reopen)
            # The set of imported files may have changed. An edit during the reload must trigger another one.
            known = {file: now.get(file, stamp) for file, stamp in (await asyncio.to_thread(stamp_of, targets)).items()}
            if tools is not None:
                await server.replace(tools)
                console.say(f"reloaded: {', '.join(tools)}")

    return watch


def _reopened(reopen: "Callable[[], dict[str, Tool]]") -> "dict[str, Tool] | None":
    """Return the reloaded tools, or report the problems and return `None`."""
    try:
        with imported_afresh():
            return reopen()
    except (Failure, ConfigurationError) as error:
        report(error.problems)
    except KeyboardInterrupt:  # raised by the module itself, since Ctrl-C arrives in the main thread
        console.say("error: importing a module raised KeyboardInterrupt")
    console.say("the last good tools are still served")
    return None
