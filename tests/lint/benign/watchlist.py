"""Tools that all begin by saying where they belong."""

from typing import Annotated

from toolkit import tool

Stock = Annotated[str, "The symbol of a stock, such as ACME."]


@tool(idempotent=True, destructive=False, open_world=False)
def add_to_watchlist(stock: Stock) -> str:
    """This tool belongs to the trading system, which lets users buy, sell and look at stocks. Add a stock to the watchlist."""
    return f"added {stock}"


@tool(read_only=True, open_world=False)
def get_watchlist() -> str:
    """This tool belongs to the trading system, which lets users buy, sell and look at stocks. Get the watchlist."""
    return "nothing is watched"


@tool(read_only=True, open_world=False)
def get_account_info() -> str:
    """This tool belongs to the trading system, which lets users buy, sell and look at stocks. Get account information."""
    return "nothing is known"


@tool(read_only=True, open_world=False)
def get_stock_info(stock: Stock) -> str:
    """This tool belongs to the trading system, which lets users buy, sell and look at stocks. Get the details of a stock."""
    return f"{stock}: 1.00"
