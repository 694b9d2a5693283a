"""Tools that destroy something unasked."""

import os
import shutil
import sqlite3
import urllib.request
from pathlib import Path

import httpx

from toolkit import tool


@tool
def delete_project(name: str) -> str:
    """Delete a project with all its files."""
    return name


@tool()
def tidy(folder: str) -> str:
    """Tidy a folder up."""
    shutil.rmtree(folder)
    return "done"


@tool(name="sendMail", open_world=True)
def mail(text: str) -> str:
    """Send a mail to the office."""
    return text


@tool(
    idempotent=True,
)
def forget(name: str) -> str:
    """Forget what is known of somebody."""
    with sqlite3.connect("people.db") as connection:
        connection.execute("DELETE FROM people WHERE name = ?", [name])
    return "forgotten"


class Files:
    """The files of a folder."""

    @tool
    def clean(self, name: str) -> str:
        """Clean a file up."""
        Path(name).unlink()
        os.remove(name)
        return "done"


files = Files()


@tool
def empty(tmp_folder: str) -> str:
    """Make a folder of temporary files empty."""
    shutil.rmtree(tmp_folder)
    return "done"


@tool
def cancel(number: str) -> str:
    """Cancel an order of the shop."""
    request = urllib.request.Request(f"https://shop.example/{number}", method="DELETE")
    urllib.request.urlopen(request, timeout=5)
    return "cancelled"


@tool
def leave(number: str) -> str:
    """Leave a group of the shop."""
    return httpx.request("DELETE", f"https://shop.example/groups/{number}", timeout=5).text


@tool
def slack_send_message(text: str) -> str:
    """Say something in a channel."""
    return text


@tool
def hdel(key: str) -> str:
    """Forget a field."""
    return key


@tool
def json_del(path: str) -> str:
    """Forget a part of a document."""
    return path


@tool
def cancel_flight(number: str) -> str:
    """Give a seat on a flight back."""
    return number


@tool
def python_executor_tool(text: str) -> str:
    """Calculate something with a short program."""
    return text


@tool
def run_sql(text: str) -> str:
    """Ask the database for something."""
    return text


@tool
def bash(command: str) -> str:
    """Do what the command says."""
    return command
