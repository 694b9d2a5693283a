"""Tools over exchange rates."""

import socket
from decimal import ROUND_HALF_EVEN, Decimal

from toolkit import tool


@tool(read_only=True, idempotent=True, open_world=True)
def fetch_rates(host: str, port: int) -> str:
    """Fetch today's exchange rates, as JSON, from the server that has them.

    Args:
        host: The name of the server.
        port: Its port.
    """
    with socket.create_connection((host, port), timeout=2) as connection:
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode()


@tool(read_only=True, idempotent=True)
def convert(amount: Decimal, rate: Decimal) -> str:
    """Convert an amount by an exchange rate, rounded to two places.

    Args:
        amount: The amount.
        rate: What one of it is worth.
    """
    return str((amount * rate).quantize(Decimal("0.01"), ROUND_HALF_EVEN))
