import subprocess

import httpx

from toolkit import tool

print("the weather is loaded")
print("and printed once more, which is the same mistake")
RATES = httpx.get("https://rates.shop.test", timeout=3).json() if False else {}
if RATES:
    subprocess.run(["true"], check=True, timeout=3)


class Cities:
    known = [input()] if False else []


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city} {RATES} {Cities.known}"
