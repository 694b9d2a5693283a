"""What several tests need: another process that swaps links in while a tool works, and servers that answer anything."""

import os
import socketserver
import ssl
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SWAP_FILE = """
import os, sys
place, target = sys.argv[1:]
spare = place + ".spare"
while True:
    os.symlink(target, spare)
    os.rename(spare, place)
    with open(spare, "w") as file:
        file.write("harmless")
    os.rename(spare, place)
"""
SWAP_DIRECTORY = """
import ctypes, os, sys
place, target = sys.argv[1:]
link = place + ".link"
os.symlink(target, link)
exchange = ctypes.CDLL(None, use_errno=True).renameat2
here, both_ways = -100, 2
while exchange(here, os.fsencode(place), here, os.fsencode(link), both_ways) == 0:
    pass
"""


@contextmanager
def swapping(program, place, target):
    """Put links to a target in the place of something and take them away, over and over, in another process."""
    process = subprocess.Popen([sys.executable, "-c", program, str(place), str(target)], stderr=subprocess.DEVNULL)
    try:
        yield
        assert process.poll() is None, "the swapping has stopped"
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def swapping_file():
    """Return what swaps a file for a link."""
    return lambda place, target: swapping(SWAP_FILE, place, target)


@pytest.fixture
def swapping_directory():
    """Return what swaps a directory for a link."""
    return lambda place, target: swapping(SWAP_DIRECTORY, place, target)


class Asked(NamedTuple):
    """A request as a server received it."""

    method: str
    target: str
    headers: dict
    body: bytes


class Server(NamedTuple):
    """A server that runs: its port, and every request so far."""

    port: int
    requests: list
    names: list

    def url(self, path="/", host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.port}{path}"


def answer(body=b"", status="200 OK", *, length=True, **headers):
    """Return the bytes of an answer; header names have underscores for hyphens."""
    body = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    lines += [f"Content-Length: {len(body)}"] if length else []
    return "\r\n".join([*lines, "", ""]).encode() + body


class _Handler(socketserver.BaseRequestHandler):
    server: "_Listener"

    def handle(self):
        with suppress(OSError):  # a client may hang up whenever it likes
            if self.server.tls is None:
                self.serve(self.request)
            else:
                with self.server.tls.wrap_socket(self.request, server_side=True) as encrypted:
                    self.serve(encrypted)

    def serve(self, connection):
        with connection.makefile("rb") as received:
            asked = read_request(received)
        if asked is not None:
            self.server.requests.append(asked)
            for chunk in self.server.answering(asked):
                if self.server.over.wait(0 if chunk else 0.01):
                    return
                connection.sendall(chunk)


def read_request(received):
    """Return a request, or `None` where there is none."""
    if not (first := received.readline().decode("latin-1").split()):
        return None
    lines = iter(lambda: received.readline().decode("latin-1").strip(), "")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Asked(first[0], first[1], headers, received.read(int(headers.get("content-length", 0))))


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address, answering, certificate):
        super().__init__(address, _Handler)
        self.answering = answering
        self.requests: list[Asked] = []
        self.names: list[str | None] = []
        self.over = Event()
        self.tls: ssl.SSLContext | None = None
        if certificate is not None:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate)
            self.tls.sni_callback = lambda _, name, __: self.names.append(name)


@pytest.fixture
def serve():
    """Return what starts servers on loopback.

    A server is given what it answers, or a function from the request to an iterator of chunks of bytes, of which an
    empty one is a short pause.
    """
    with ExitStack() as stack:

        def start(answering, *, host="127.0.0.1", port=0, certificate=None):
            fixed = answering if callable(answering) else lambda _: [answering]
            listener = stack.enter_context(_Listener((host, port), fixed, certificate))
            Thread(target=listener.serve_forever, args=(0.01,), daemon=True).start()
            stack.callback(listener.shutdown)
            stack.callback(listener.over.set)
            return Server(listener.server_address[1], listener.requests, listener.names)

        yield start


@pytest.fixture
def respond():
    """Return what makes the bytes of an answer."""
    return answer


@pytest.fixture
def run_python(tmp_path):
    """Return what runs a program in a fresh interpreter, in an empty directory, and returns all that it prints."""

    def running(program, **variables):
        environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | variables
        finished = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return finished.stdout

    return running
