"""Calls that may wait for ever."""

import subprocess
import urllib.request as web
from socket import create_connection

from langchain_core.tools import tool as langchain_tool

from toolkit import tool


@tool(read_only=True)
def fetch(city: str) -> str:
    """Fetch the weather of a city."""
    page = web.urlopen(f"https://weather.example/{city}", None)
    date = subprocess.run(["date"], check=True, timeout=None)
    return f"{page} {date} {create_connection(('weather.example', 80))}"


@langchain_tool
def publish(folder: str, command: str) -> str:
    """Publish what is in a folder."""
    encode = ["ffmpeg", "-i", folder, "film.mp4"]
    subprocess.run(encode, check=True)
    subprocess.run(["git", "-C", folder, "commit", "-m", "film"], check=True)
    subprocess.run(["git", "-C", folder, "push"], check=True)
    subprocess.run(f"curl https://shop.example/{folder}", shell=True, check=True)
    return str(subprocess.run(command, shell=True, check=True))
