"""Commands in lists, queries with placeholders, and text that nobody changes."""

import ast
import re
import sqlite3
import subprocess

import yaml
from langchain_core.tools import tool as langchain_tool

from toolkit import tool

TABLE = "people"
COLUMNS = "name, age"


@tool(read_only=True)
def history(branch: str) -> str:
    """Tell what was done in a branch."""
    subprocess.run("git fetch && git status", shell=True, check=False, timeout=9)
    return subprocess.run(["git", "log", branch], capture_output=True, text=True, timeout=9).stdout


@tool(read_only=True)
def find(name: str) -> str:
    """Find somebody by name."""
    with sqlite3.connect("people.db") as connection:
        rows = connection.execute(f"SELECT {COLUMNS} FROM {TABLE} WHERE name = ?", [name])
        more = connection.execute("SELECT * FROM " + TABLE)
    return f"{rows} {more}"


@tool(read_only=True)
def settings(text: str) -> str:
    """Read settings."""
    return f"{yaml.load(text, Loader=yaml.SafeLoader)} {yaml.safe_load(text)}"


@tool(read_only=True)
def compute(formula: str) -> str:
    """Compute a formula."""
    return f"{ast.literal_eval(formula)} {eval('1 + 1')}"


@tool(read_only=True)
def status(names: str) -> str:
    """Return the state of the repository."""
    found = [subprocess.run(["git", "log", "--", name], check=True, timeout=9) for name in names.split()]
    return f"{found} {subprocess.run('git status --short'.split(), check=True, timeout=9)}"


@tool(read_only=True)
def look_at(part: str) -> str:
    """Look at a part of the machine."""
    commands = {"disk": "df -h && mount", "memory": "free -h | head -3"}
    command = commands[part]
    return subprocess.check_output(command, shell=True, text=True, timeout=9)


@tool(read_only=True)
def orders(name: str) -> str:
    """Find the orders of a customer."""
    marks = ", ".join("?" for _ in name.split())
    query = f"SELECT * FROM orders WHERE customer IN ({marks})"
    return str(sqlite3.connect("shop.db").execute(query, name.split()).fetchall())


COLUMNS_OF = {"name": "customers.name", "date": "orders.placed"}
TABLES = ("orders", "invoices")


class Shop:
    TABLE = "orders"


@tool(destructive=True)
def change(order: str, status: str = "", price: float | None = None, text: str | None = None) -> str:
    """Change an order."""
    updates = {}
    if status:
        updates["status"] = status
    if price is not None:
        updates["price"] = price
    columns = []
    for column, value in updates.items():
        columns.append(f"{column} = ?")
    for column, value in [("text", text), ("price", price)]:
        if value is not None:
            columns.append(column + " = ?")
    given = [*updates.values(), order]
    connection = sqlite3.connect("shop.db")
    connection.execute(f"UPDATE orders SET {', '.join(columns)} WHERE number = ?", given)
    connection.execute(f"UPDATE {Shop.TABLE} SET {', '.join(f'{key} = ?' for key in updates)} WHERE number = ?", given)
    return order


@tool(read_only=True)
def search(name: str, sort: str, table: str, limit: int | None = 10, numbers: list[int] | None = None) -> str:
    """Search the orders of a customer."""
    if table not in TABLES:
        raise ValueError(table)
    query = f"SELECT * FROM {table} WHERE customer = ?"
    given = [name]
    if numbers:
        query += f" AND number IN ({','.join('?' * len(numbers))})"
    query += f" ORDER BY {COLUMNS_OF[sort]} LIMIT {limit}"
    connection = sqlite3.connect("shop.db")
    rows = connection.execute(query, given)
    where, values = conditions(name)
    return f"{rows} {connection.execute(f'SELECT * FROM orders WHERE {where}', values)}"


def conditions(name):
    return "customer = ?", [name]


ALLOWED = set("0123456789+-*/.() ")
FORMULA = re.compile(r"^[\d\s+*/().-]+$")


@langchain_tool
def calculate(formula: str, other: str, third: str, fourth: str) -> str:
    """Calculate formulas of numbers."""
    if not all(character in ALLOWED for character in formula):
        raise ValueError(formula)
    if not FORMULA.match(other) or set(third) - ALLOWED:
        raise ValueError(other)
    found = re.search(r"[\d\s\+\-\*\/\(\)\.]+", fourth)
    part = found.group().replace(" ", "") if found else "0"
    return f"{eval(formula)} {eval(other)} {eval(third)} {eval(part)}"


@langchain_tool
def compute_nodes(formula: str) -> str:
    """Compute a formula whose nodes are all allowed."""
    tree = ast.parse(formula, mode="eval")
    if not all(isinstance(node, ast.Expression | ast.BinOp | ast.Constant | ast.operator) for node in ast.walk(tree)):
        raise ValueError(formula)
    return str(eval(compile(tree, "formula", "eval")))
