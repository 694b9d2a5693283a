"""Calls that end."""

import subprocess
import urllib.request as web
from socket import create_connection

from toolkit import tool

OPTIONS = {"timeout": 5}


@tool(read_only=True)
def fetch(city: str) -> str:
    """Fetch the weather of a city."""
    page = web.urlopen(f"https://weather.example/{city}", None, 10)
    date = subprocess.run(["date"], check=True, **OPTIONS)
    return f"{page} {date} {create_connection(('weather.example', 80), 5)}"
