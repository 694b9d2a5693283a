"""A line is written at once only where that surely blocks nobody."""

import os
import select
import socket
from contextlib import suppress

import pytest

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
