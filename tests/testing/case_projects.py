"""A shop whose tools, pipeline and agent the tests of cases run."""

TOOLS = '''
from pathlib import Path

from toolkit import ToolExecutionError, tool


@tool(destructive=True)
def refund(order: str, euros: int) -> str:
    """Pay money back for an order."""
    return f"paid back {euros} EUR for order {order}"


@tool(open_world=True)
def mail(text: str) -> str:
    """Send a mail."""
    raise RuntimeError("the world was touched")


@tool(read_only=True)
def price(order: str) -> dict[str, int]:
    """Look up what an order cost."""
    if order == "none":
        raise ToolExecutionError("there is no such order", code="not_found")
    return {"euros": 80, "cents": 50}


@tool(read_only=True)
def shout(text: str) -> str:
    """Return a text in capital letters."""
    return text.upper()


@tool
def note(name: str, text: str) -> str:
    """Write a note."""
    Path(name).write_text(Path("head.txt").read_text() + text)
    return "written"


@tool(read_only=True)
def sleep(seconds: float) -> str:
    """Wait."""
    import time

    time.sleep(seconds)
    return "awake"
'''
PIPELINE = """\
description: Pay back half of the price of damaged orders.
tools: [shop.py]
inputs:
  orders: {type: array, items: {type: object}}
steps:
  - id: paid
    use: refund
    for_each: ${{ [order for order in inputs.orders if order.damaged] }}
    with: {order: "${{ item.id }}", euros: "${{ int(item.euros / 2) }}"}
    approve: {message: "Pay back ${{ len(inputs.orders) }} orders?", edit: true}
  - use: mail
    with: {text: "${{ json(steps.paid.output) }}"}
output: ${{ steps.paid.output }}
"""
AGENT = """\
agent: simple
description: Answers questions about orders.
model: scripted:replies.yaml
tools: [shop.py]
"""
SCRIPT = """\
turns:
  - calls: [{tool: price, arguments: {order: A-17}}]
    usage: {input_tokens: 100, output_tokens: 20, cost: 0.01}
  - say: "It cost {price}."
    usage: {input_tokens: 200, output_tokens: 10, cost: 0.02}
"""
FILES = {"shop.py": TOOLS, "refunds.yaml": PIPELINE, "clerk.yaml": AGENT, "replies.yaml": SCRIPT}


def write_shop(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
