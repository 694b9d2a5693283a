from typing import Literal
from urllib.parse import urlsplit

import httpx

from toolkit import tool


@tool(read_only=True)
def fetch(url: str) -> str:
    """Fetch the text of a page of the shop."""
    if urlsplit(url).hostname != "shop.example":
        raise ValueError("this is not a page of the shop")
    return httpx.get(url, timeout=10).text


@tool(read_only=True)
def rates(endpoint: Literal["today", "tomorrow"]) -> str:
    """Fetch the rates of a day."""
    return httpx.get(f"https://rates.example/{endpoint}", timeout=10).text


@tool(read_only=True)
def shorten(url: str) -> str:
    """Return a short form of an address."""
    return url[:20]


@tool(read_only=True)
def visit(page: str, link: str, text: str) -> str:
    """Visit a page of the shop."""
    first = httpx.get(f"https://shop.example/{page}", timeout=3).text
    return first + httpx.post(f"https://shop.example/{link}", content=text, timeout=3).text


@tool(read_only=True)
def weather(place: str) -> str:
    """Fetch the weather at a place."""
    url = f"https://weather.example/current?at={place}"
    return httpx.get(url, timeout=3).text


@tool(read_only=True)
async def orders(path: str, answers: dict[str, str], url: str) -> str:
    """Fetch what the shop says."""
    async with httpx.AsyncClient(base_url="https://shop.example", timeout=9) as client:
        answer = await client.get(path)
    return answer.text + answers.get(url, "")


@tool(read_only=True)
def status(url: str) -> str:
    """Fetch the status of one of the shop's services."""
    url = SERVICES.get(url)
    return httpx.get(url, timeout=3).text


@tool(read_only=True)
def health(service: str) -> str:
    """Fetch the health of one of the shop's services."""
    url = SERVICES[service]
    return httpx.get(url, timeout=3).text


@tool(read_only=True)
def page(url: str) -> str:
    """Fetch a page of the shop."""
    url = validated_url(url)
    return httpx.get(url, timeout=3).text
