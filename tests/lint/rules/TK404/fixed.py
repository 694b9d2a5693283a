"""Coroutines that stand still."""

import asyncio
import subprocess
import time
from urllib import request

from toolkit import tool


@tool
async def wait(seconds: float) -> str:
    """Wait for some seconds."""
    await asyncio.sleep(seconds)
    return "done"


@tool(read_only=True)
async def fetch(url: str) -> str:
    """Fetch a page from the web."""
    page = await asyncio.to_thread(request.urlopen, url)
    status = (await asyncio.to_thread(subprocess.run, ["date"], capture_output=True, text=True, timeout=5)).stdout
    with open("log") as log:
        return f"{page} {status} {log.read()}"
