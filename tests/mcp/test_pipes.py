"""A line is written at once only where that surely blocks nobody, and no line ends up inside of another."""

import asyncio
import json
import os
import select
import socket
from contextlib import suppress

import pytest

from tests.mcp.raw import HELLO, message
from toolkit import Tool
from toolkit.mcp.serving.over_stdio import serve_stdio  # private
from toolkit.mcp.serving.server import ToolServer  # private
from toolkit.processes.watching import write_cannot_block  # private

pytestmark = pytest.mark.skipif(not hasattr(select, "poll"), reason="this system cannot tell")


@pytest.fixture
def pipe():
    source, target = os.pipe()
    yield source, target
    os.close(source)
    os.close(target)


def test_empty_pipe_takes_a_short_line_at_once(pipe):
    _, target = pipe
    assert write_cannot_block(target, 100)
    assert write_cannot_block(target, select.PIPE_BUF)


def test_no_pipe_takes_a_long_line_at_once(pipe):
    _, target = pipe
    assert not write_cannot_block(target, select.PIPE_BUF + 1)


def test_full_pipe_takes_nothing_until_somebody_reads(pipe):
    source, target = pipe
    os.set_blocking(target, False)
    written = _fill(target)

    assert not write_cannot_block(target, 1)
    while written:
        written -= len(os.read(source, written))
    assert write_cannot_block(target, 1)


def _fill(target):
    """Write until a pipe takes no more, and return how many bytes it has taken."""
    written = 0
    with suppress(BlockingIOError):
        while True:
            written += os.write(target, b"x" * select.PIPE_BUF)
    return written


def test_every_line_that_a_pipe_write_cannot_block_is_written_without_waiting(pipe):
    _, target = pipe
    os.set_blocking(target, False)  # so that a write which would have to wait fails
    taken = 0
    while write_cannot_block(target, 1_000):
        taken += os.write(target, b"x" * 1_000)

    assert taken >= select.PIPE_BUF
    assert taken % 1_000 == 0


def test_of_a_socket_or_a_file_it_is_not_known(tmp_path):
    ours, theirs = socket.socketpair()
    with ours, theirs, (tmp_path / "file").open("wb") as file:
        assert not write_cannot_block(ours.fileno(), 1)
        assert not write_cannot_block(file.fileno(), 1)


def test_pipe_that_nobody_reads_any_more_is_written_to_and_fails():
    source, target = os.pipe()
    os.close(source)
    try:
        assert write_cannot_block(target, 1)
        with pytest.raises(BrokenPipeError):
            os.write(target, b"x")
    finally:
        os.close(target)


def test_answer_whose_call_is_cancelled_while_it_is_written_is_not_torn_apart_by_others():
    tool = Tool.create("fill", "Return a long text.", {"type": "object"}, lambda: "x" * 2_000_000, read_only=True)
    ours, theirs = os.pipe(), os.pipe()
    pings, received = range(1, 301), b""

    def send(*messages):
        os.write(ours[1], b"".join(json.dumps(one).encode() + b"\n" for one in messages))

    async def talk():
        nonlocal received
        serving = asyncio.create_task(serve_stdio(ToolServer({"fill": tool}), ours[0], theirs[1]))
        send(message("initialize", 0, **HELLO), message("notifications/initialized"))
        send(message("tools/call", "long", name="fill"))
        received += await asyncio.to_thread(_read_until, theirs[0], b"xxx")
        send(message("notifications/cancelled", requestId="long"), *(message("ping", number) for number in pings))
        received += await asyncio.to_thread(_read_until, theirs[0], b'"id":300', b"\n")
        os.close(ours[1])
        await serving

    try:
        asyncio.run(talk())
    finally:
        for one in (ours[0], *theirs):
            os.close(one)
    assert [json.loads(line)["id"] for line in received.splitlines()] == [0, "long", *pings]


def test_messages_of_a_file_are_answered_like_those_of_a_pipe(tmp_path):
    pings = range(1, 31)
    messages = [message("initialize", 0, **HELLO), *(message("ping", number) for number in pings)]
    (tmp_path / "messages").write_text("\n".join(map(json.dumps, messages)), "utf-8")
    source, theirs = os.open(tmp_path / "messages", os.O_RDONLY), os.pipe()
    try:
        asyncio.run(_serve(source, theirs[1]))
        os.close(theirs[1])
        with os.fdopen(theirs[0], "rb") as received:
            assert [json.loads(line)["id"] for line in received] == [0, *pings]
    finally:
        os.close(source)


async def _serve(source, sink):
    await serve_stdio(ToolServer({}), source, sink)


def _read_until(source, text, ends=b""):
    """Read from a pipe until a text has come, and what has come ends as it should."""
    received = b""
    while text not in received or not received.endswith(ends):
        received += os.read(source, select.PIPE_BUF)
    return received
