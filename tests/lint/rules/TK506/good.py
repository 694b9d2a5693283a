"""Tools that say what they do, or do no harm."""

import glob
import os
import shutil
import sqlite3
import tempfile
import urllib.request
from pathlib import Path

from toolkit import tool


@tool(destructive=True)
def delete_project(name: str) -> str:
    """Delete a project with all its files."""
    return name


@tool(requires_approval=True)
def send_mail(text: str) -> str:
    """Send a mail to the office."""
    return text


@tool(destructive=False)
def remove_accents(text: str) -> str:
    """Remove the accents from a text."""
    return text


@tool(read_only=True)
def drop_first(items: list[str]) -> list[str]:
    """Return a list without its first item."""
    return items[1:]


@tool
def list_deleted(folder: str) -> str:
    """List what was deleted in a folder."""
    with sqlite3.connect("files.db") as connection:
        rows = connection.execute("SELECT name FROM deleted WHERE folder = ?", [folder])
    return str([*rows])


@tool
def note(text: str) -> str:
    """Keep a note for later."""
    Path("note.txt").write_text(text)
    return "noted"


def remove_all(name: str) -> None:
    Path(name).unlink()


@tool
def count_pages(url: str) -> int:
    """Count the pages of a document."""
    with tempfile.NamedTemporaryFile(delete=False) as stream:
        stream.write(url.encode())
    copy = Path(stream.name)
    try:
        return len(copy.read_bytes())
    finally:
        copy.unlink()


def unpacked(archive: str) -> str:
    folder = tempfile.mkdtemp()
    shutil.unpack_archive(archive, folder)
    return folder


@tool
def count_files(archive: str) -> int:
    """Count the files in an archive."""
    tmp_folder = unpacked(archive)
    found = len(os.listdir(tmp_folder))
    shutil.rmtree(tmp_folder)
    return found


@tool
def look_up(number: str) -> str:
    """Look an order of the shop up."""
    request = urllib.request.Request(f"https://shop.example/{number}", method="GET")
    return str(urllib.request.urlopen(request, timeout=5))


@tool
def execute_query(text: str) -> str:
    """Run a query of the shop's metrics and return its rows."""
    return text


@tool
def deploy_help(topic: str) -> str:
    """Explain how the shop is deployed."""
    return topic


def register(server, names):
    for name in names:

        @server.tool(name=name)
        def execute_tool(text: str) -> str:
            """Do what the entry of the table says."""
            return text


@tool
def get_send_queue(name: str) -> str:
    """Return what waits to be sent."""
    return name


@tool
def storage_charge(name: str) -> str:
    """Return what a shelf costs."""
    return name


@tool
def run_report(name: str) -> str:
    """Add up the sales of a day."""
    return name


@tool
def subtitles(film: str) -> str:
    """Read the subtitles of a film."""
    files = glob.glob(f"/tmp/film-{film}*.vtt")
    for file in files:
        os.unlink(file)
    parts = []
    parts.append(tempfile.mktemp())
    for part in parts:
        os.remove(part)
    return film
