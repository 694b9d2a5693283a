"""Commands in lists, queries with placeholders, and text that nobody changes."""

import ast
import sqlite3
import subprocess

import yaml

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
