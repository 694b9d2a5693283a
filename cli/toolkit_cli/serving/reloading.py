"""Reloading: a server serves what the files say after each change of them; a broken edit changes nothing."""

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import ConfigurationError
from toolkit.sources.modules import imported_afresh, users_modules
from toolkit_cli import console
from toolkit_cli.failures import Failure, report

if TYPE_CHECKING:
    from toolkit.mcp.serving.server import ToolServer
    from toolkit.tools.base import Tool
    from toolkit_cli.serving.carrying import Watch

_INTERVAL = 0.3
_SUFFIXES = (".py", ".yaml", ".yml", ".toml")
_MOST_FILES = 5_000

Stamp = Mapping[str, tuple[int, int]]
"""What tells a version of each file from another: when it was written, and its size."""


def reloader(targets: Sequence[str], reopen: "Callable[[], dict[str, Tool]]") -> "Watch":
    """Return what looks after a server, and serves the tools anew when a file has changed.

    Args:
        targets: As they were typed: their folders are watched, and every file that was imported.
        reopen: Opens them again.
    """
    first = _stamp(targets)

    async def watch(server: "ToolServer") -> None:
        known = first
        while True:
            await asyncio.sleep(_INTERVAL)
            now = await asyncio.to_thread(_stamp, targets)
            if now == known:
                continue
            while now != (later := await asyncio.to_thread(_stamp_after_a_while, targets)):
                now = later  # somebody is still writing
            tools = await asyncio.to_thread(_reopened, reopen)
            # What is imported now may be more or less; an edit during the reload counts as one that is still to come.
            known = {file: now.get(file, stamp) for file, stamp in (await asyncio.to_thread(_stamp, targets)).items()}
            if tools is not None:
                await server.replace(tools)
                console.say(f"reloaded: {', '.join(tools)}")

    return watch


def _reopened(reopen: "Callable[[], dict[str, Tool]]") -> "dict[str, Tool] | None":
    """Return the tools as they are now, or tell what is wrong with them and return None."""
    try:
        with imported_afresh():
            return reopen()
    except (Failure, ConfigurationError) as error:
        report(error.problems)
    except KeyboardInterrupt:  # Ctrl-C arrives in another thread than this one
        console.say("error: a module raises KeyboardInterrupt while it is imported")
    console.say("the last good tools are still served")
    return None


def _stamp_after_a_while(targets: Sequence[str]) -> Stamp:
    from time import sleep  # noqa: PLC0415 - in a thread of its own

    sleep(_INTERVAL / 3)
    return _stamp(targets)


def _stamp(targets: Sequence[str]) -> Stamp:
    stamp = {}
    for count, file in enumerate(_files(targets)):
        if count >= _MOST_FILES:
            break
        try:
            status = os.stat(file)  # noqa: PTH116 - a Path a file costs more than the rest
        except OSError:
            continue
        stamp[file] = (status.st_mtime_ns, status.st_size)
    return stamp


def _files(targets: Sequence[str]) -> Iterator[str]:
    """Return the files whose changes count: what was imported, what stands beside the targets, the settings."""
    yield from (str(module.__file__) for module in users_modules().values())
    for name in ("toolkit.toml", "pyproject.toml"):
        yield str(Path.cwd() / name)
    for target in targets:
        path = Path(target if Path(target).exists() else target.rpartition(":")[0])
        if path.is_dir():
            yield from _files_in(path)
        elif path.is_file():
            yield from (str(file) for file in path.parent.iterdir() if file.suffix in _SUFFIXES)


def _files_in(folder: Path) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        yield from (os.path.join(place, name) for name in files if name.endswith(_SUFFIXES))  # noqa: PTH118
