"""Our server as its clients meet it: started as a process, spoken to by the SDK's own client."""

import asyncio
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

_NOWHERE: Any = subprocess.DEVNULL  # the SDK hands it to `subprocess`
PROGRAM = [sys.executable, "-m", "toolkit_cli", "serve"]


def environment(**more):
    """Return an environment without settings from outside, in which nothing is recorded."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")}
    return inherited | {"NO_COLOR": "1", "COLUMNS": "100", "TOOLKIT_AUDIT": "0"} | more


def over_stdio(folder, *arguments, errlog=None, **options):
    """Return a client of a server that it starts itself."""
    parameters = StdioServerParameters(
        command=PROGRAM[0], args=[*PROGRAM[1:], *arguments], cwd=str(folder), env=environment()
    )
    return Client(stdio_client(parameters, errlog=errlog or _NOWHERE), **options)


@contextmanager
def over_http(folder, *arguments, **more):
    """Start a server over HTTP; give its process and its URL, and end it."""
    process = subprocess.Popen(
        [*PROGRAM, *arguments, "--http", "0"],
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        said = ""
        while not (found := re.search(r"http://\S+/mcp", said)):
            line = process.stderr.readline()
            assert line, said
            said += line
        yield process, found[0]
    finally:
        process.terminate()
        process.communicate(timeout=20)


@asynccontextmanager
async def in_this_process(tools, era="legacy", options=None, **more):
    """Serve tools in this process; give the server and a client of it."""
    from toolkit.disclosure import folded_tools
    from toolkit.mcp import ToolServer

    server = ToolServer(folded_tools(tools), options)
    try:
        async with Client(server.protocol, mode=era, **more) as client:
            yield server, client
    finally:
        await asyncio.to_thread(server.close)


async def until(is_so):
    """Wait until something that other tasks or threads do is done; a test that hangs here has failed."""
    with anyio.fail_after(20):
        while True:
            if is_so():
                return
            await anyio.sleep(0.01)
