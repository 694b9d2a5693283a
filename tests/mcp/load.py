"""Many clients at once against one server over HTTP: every call has its own answer, and memory stays flat.

By hand, with the number of clients, of calls of each, and the length of each text:

    python -m tests.mcp.load 64 1600 200
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.mcp.raw import PATIENCE, message
from tests.mcp.serving import Listening

TOOLS = '''
"""What is called, over and over."""

from toolkit import tool


@tool(read_only=True)
def echo(text: str) -> str:
    """Say a text again."""
    return text
'''


class Load(NamedTuple):
    """What came of it."""

    calls: int
    lost: int
    seconds: float
    before: int
    after: int

    @property
    def growth(self) -> float:
        """Mebibytes that the server has grown by since the first portion of the calls."""
        return (self.after - self.before) / 2**20

    def __str__(self) -> str:
        """Return it in words."""
        return (
            f"{self.calls} calls, {self.lost} lost, {self.calls / self.seconds:.0f} a second; "
            f"the server holds {self.after / 2**20:.0f} MiB, {self.growth:+.1f} since the first quarter"
        )


PORTIONS = 4
"""The first of them is what memory needs to settle."""


def put_on(server: Listening, clients: int, calls: int, size: int, tell=lambda load: None) -> Load:
    """Have clients make calls, each on a connection and in a session of its own.

    They do it in portions; what came of it so far is told after each, and the server's growth counts from the first on.
    """
    with ThreadPoolExecutor(clients) as pool:
        shaken = list(pool.map(lambda _: server.client().shake_hands(), range(clients)))
        right, before, began = 0, 0, time.perf_counter()
        load = Load(0, 0, 0, 0, 0)
        for portion in range(PORTIONS):
            turns = range(portion * calls // PORTIONS, (portion + 1) * calls // PORTIONS)
            right += sum(pool.map(partial(_right_answers, turns=turns, size=size), shaken, range(clients)))
            now, done = _resident(server.process.pid), turns.stop * clients
            before = before or now
            load = Load(done, done - right, time.perf_counter() - began, before, now)
            tell(load)
    return load


def _right_answers(client, number, turns, size):
    connection = HTTPConnection(client.host, client.port, timeout=PATIENCE)
    right = 0
    for turn in turns:
        text = f"{number} {turn} ".ljust(size, "x")
        said = json.dumps(message("tools/call", turn, name="echo", arguments={"text": text})).encode()
        connection.request("POST", client.path, said, client.headers)
        answer = client.answer_of(connection.getresponse())
        right += answer["id"] == turn and answer["result"]["content"][0]["text"] == text
    connection.close()
    return right


def _resident(pid):
    """Return the bytes of memory that a process holds, as far as this system tells."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:")), 0)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        Path(folder, "tools.py").write_text(TOOLS)
        serving = Listening(Path(folder))
        try:
            clients, calls, size = map(int, sys.argv[1:])
            put_on(serving, clients, calls, size, tell=print)
        finally:
            serving.close()
