"""Coroutines that stand still."""

import subprocess
import time
from urllib import request

from toolkit import tool


@tool
async def wait(seconds: float) -> str:
    """Wait for some seconds."""
    time.sleep(seconds)
    return "done"


@tool(read_only=True)
async def fetch(url: str) -> str:
    """Fetch a page from the web."""
    page = request.urlopen(url)
    status = subprocess.run(["date"], capture_output=True, text=True, timeout=5).stdout
    with open("log") as log:
        return f"{page} {status} {log.read()}"
