"""Coroutines that let others run, and a plain function that waits."""

import asyncio
import time
from pathlib import Path

from toolkit import tool


@tool
async def wait(seconds: float) -> str:
    """Wait for some seconds."""
    await asyncio.sleep(seconds)

    def slowly() -> None:
        time.sleep(seconds)

    await asyncio.to_thread(slowly)
    await asyncio.to_thread(lambda: time.sleep(seconds))
    return await asyncio.to_thread(Path("log").read_text)


@tool
def pause(seconds: float) -> str:
    """Pause for some seconds."""
    time.sleep(seconds)
    return "done"
