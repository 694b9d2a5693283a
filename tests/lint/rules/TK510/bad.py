from urllib.request import urlopen

import httpx
import requests

from toolkit import tool


@tool(read_only=True)
def fetch(url: str) -> str:
    """Fetch the text of a page."""
    return httpx.get(url, timeout=10).text


@tool(read_only=True)
async def fetch_all(base_url: str, number: int) -> str:
    """Fetch the text of a page by its number."""
    async with httpx.AsyncClient(base_url=f"{base_url}/pages") as client:
        return (await client.get(str(number))).text


@tool(read_only=True)
def look(link: str) -> str:
    """Look at a page."""
    return urlopen(link, timeout=3).read().decode()


@tool(read_only=True)
def visit(address: str, page: str = "") -> str:
    """Visit a page."""
    return urlopen(f"{address}/{page}", timeout=3).read().decode()


@tool(read_only=True)
def ask(server: str) -> str:
    """Ask a server how it is."""
    where = server + "/health"
    return httpx.request("GET", where, timeout=3).text


@tool(read_only=True)
def greet(shop_url: str) -> str:
    """Fetch the welcome page of a shop."""
    page = f"https://{shop_url}/welcome"
    return httpx.get(page, timeout=10).text


@tool(read_only=True)
async def stroll(page_url: str) -> str:
    """Fetch the text of a page later."""
    async with httpx.AsyncClient(timeout=9) as client:
        answer = await client.get(page_url)
    return answer.text


SESSION = requests.Session()


@tool(read_only=True)
def roam(place: str) -> str:
    """Fetch the text of a place."""
    return SESSION.get(place, timeout=9).text
