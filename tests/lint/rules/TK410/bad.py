"""Calls that may wait for ever."""

import subprocess
import urllib.request as web
from socket import create_connection

from toolkit import tool


@tool(read_only=True)
def fetch(city: str) -> str:
    """Fetch the weather of a city."""
    page = web.urlopen(f"https://weather.example/{city}", None)
    date = subprocess.run(["date"], check=True, timeout=None)
    return f"{page} {date} {create_connection(('weather.example', 80))}"
