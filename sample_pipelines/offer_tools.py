"""A ready tool, set up for one server: what a supplier offers today."""

import os

from toolkit.builtin import Http

PORT = os.environ.get("OFFERS_PORT", "8471")

fetch_offers = Http(
    f"http://127.0.0.1:{PORT}/offers.json",
    name="fetch_offers",
    description="Fetches what the supplier offers today. Input: nothing. Returns JSON with a list of offers.",
    method="GET",
    timeout=5,
    allow_private=True,  # it is this very machine; without this no such address is ever called
)
