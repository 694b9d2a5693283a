"""Coroutines that nobody waits for."""

import asyncio

from toolkit import tool


async def deliver(text: str) -> None:
    """Deliver a text."""
    print(text)


@tool(destructive=True)
async def send(text: str) -> str:
    """Send a message to the office."""
    deliver(text)
    asyncio.sleep(1)
    return "sent"


@tool(destructive=True)
def send_plainly(text: str) -> str:
    """Send a message to the office, not in a hurry."""
    deliver(text)
    return "sent"


class Office:
    """An office that gets messages."""

    @tool(destructive=True)
    async def call(self, text: str) -> str:
        """Call the office."""
        self.ring(text)
        asyncio.run(self.ring(text))
        return "called"

    async def ring(self, text: str) -> None:
        """Let it ring."""
        print(text)


office = Office()


@tool(destructive=True)
async def send_again(text: str) -> str:
    """Send a message once more if it did not work."""
    try:
        print(text)
    except RuntimeError:
        asyncio.run(deliver(text))
    return "sent"
