"""Coroutines that are awaited, or kept for later."""

import asyncio

from toolkit import tool


async def deliver(text: str) -> None:
    """Deliver a text."""
    print(text)


@tool(destructive=True)
async def send(text: str) -> str:
    """Send a message to the office."""
    await deliver(text)
    task = asyncio.create_task(deliver(text))
    await asyncio.gather(deliver(text), task)
    return "sent"


@tool(destructive=True)
def send_plainly(text: str) -> str:
    """Send a message to the office, not in a hurry."""
    asyncio.run(deliver(text))
    return "sent"


@tool(destructive=True)
def send_otherwise(text: str) -> str:
    """Send a message in another way."""

    def deliver(text: str) -> None:
        print(text)

    deliver(text)
    return "sent"


@tool
async def check(text: str) -> str:
    """Check a text, in a loop of its own if there is none."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(deliver(text))
    return await deliver(text)
