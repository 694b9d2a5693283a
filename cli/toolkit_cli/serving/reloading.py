"""Reloading: a server serves what the files say after each change of them; a broken edit changes nothing."""

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
    """Return what looks after a server, and serves the tools anew when a file has changed.

    Args:
        targets: As they were typed: their folders are watched, and every file that was imported.
        reopen: Opens them again.
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
                now = later  # somebody is still writing
            tools = await asyncio.to_thread(_reopened, reopen)
            # What is imported now may be more or less; an edit during the reload counts as one that is still to come.
            known = {file: now.get(file, stamp) for file, stamp in (await asyncio.to_thread(stamp_of, targets)).items()}
            if tools is not None:
                await server.replace(tools)
                console.say(f"reloaded: {', '.join(tools)}")

    return watch


def _reopened(reopen: "Callable[[], dict[str, Tool]]") -> "dict[str, Tool] | None":
    """Return the tools as they are now, or report what is wrong with them and return None."""
    try:
        with imported_afresh():
            return reopen()
    except (Failure, ConfigurationError) as error:
        report(error.problems)
    except KeyboardInterrupt:  # Ctrl-C arrives in another thread than this one
        console.say("error: importing a module raised KeyboardInterrupt")
    console.say("the last good tools are still served")
    return None
