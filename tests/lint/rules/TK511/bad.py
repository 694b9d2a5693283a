"""Commands, queries and code that are put together from text."""

import os
import pickle
import re
import shlex
import sqlite3
import subprocess

import yaml
from langchain_core.tools import tool as langchain_tool

from toolkit import tool

PROGRAM = "git"


@tool(read_only=True)
def history(branch: str) -> str:
    """Tell what was done in a branch."""
    os.system("git fetch " + branch)
    return subprocess.run(f"{PROGRAM} log {branch}", shell=True, capture_output=True, text=True, timeout=9).stdout


@tool(read_only=True)
def find(name: str, table: str) -> str:
    """Find somebody by name."""
    with sqlite3.connect("people.db") as connection:
        rows = connection.execute(f"SELECT * FROM people WHERE name = '{name}'")
        more = connection.execute("SELECT * FROM %s" % table)
        most = connection.execute("SELECT * FROM people WHERE name = '{}'".format(name))
    return f"{rows} {more} {most}"


@tool(read_only=True)
def compute(formula: str, state: bytes) -> str:
    """Compute a formula."""
    return f"{eval(formula)} {pickle.loads(state)}"


@tool(read_only=True)
def settings(text: str) -> str:
    """Read settings."""
    return f"{yaml.load(text, Loader=yaml.Loader)} {yaml.load(text, yaml.UnsafeLoader)} {yaml.unsafe_load(text)}"


@tool(read_only=True)
def execute(command: str, options: str) -> str:
    """Run a command."""
    subprocess.run(shlex.split(command), check=True, timeout=9)
    subprocess.run(["git", "log", *options.split()], check=True, timeout=9)
    words = f"git {options}".split()
    subprocess.check_output(words, timeout=9)
    return subprocess.run(command.split(), capture_output=True, text=True, timeout=9).stdout


@tool(read_only=True)
def orders(name: str) -> str:
    """Find the orders of a customer."""
    query = f"SELECT * FROM orders WHERE customer = '{name}'"
    return str(sqlite3.connect("shop.db").execute(query).fetchall())


@tool(destructive=True)
def change(order: str, updates: dict[str, str], status: str = "") -> str:
    """Change an order."""
    columns = []
    for column in updates:
        columns.append(f"{column} = ?")
    query = "SELECT * FROM orders WHERE number = ?"
    query += f" AND status = '{status}'"
    connection = sqlite3.connect("shop.db")
    connection.execute(f"UPDATE orders SET {', '.join(columns)} WHERE number = ?", [*updates.values(), order])
    return str(connection.execute(query, [order]))


@langchain_tool
def guess(formula: str, other: str) -> str:
    """Calculate formulas that may have names in them."""
    if not all(character in "abcdefghijklmnopqrstuvwxyz0123456789_.()" for character in formula):
        raise ValueError(formula)
    if not re.match(r"[\d+]", other):
        raise ValueError(other)
    return f"{eval(formula, {'__builtins__': {}})} {eval(other)}"


@langchain_tool
def rows(table: str, name: str) -> str:
    """Return rows of a table."""
    connection = sqlite3.connect("shop.db")
    connection.execute(f'SELECT * FROM "{table}" LIMIT 3')
    return str(connection.execute(f"SELECT * FROM {table} WHERE name = '{name}'"))
