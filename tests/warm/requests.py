"""Requests: what a warm interpreter is asked to become, and how it is told."""

import json
import os
from collections.abc import Mapping
from socket import MSG_WAITALL, recv_fds, send_fds, socket
from typing import NamedTuple

NUMBERS_OF_CLONE = {"x86_64": 56, "aarch64": 220}
"""The number of the system call that starts copies, by the kind of machine; elsewhere every program starts cold."""
MOST_HANDED = 2
LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")
"""The variables of which the first one that is set decides how Python writes text."""


class Start(NamedTuple):
    """A program to start.

    Attributes:
        arguments: What stands on Python's command line after its own name.
        environment: All variables of the new process.
        folder: Its working directory.
        umask: The permissions that its files do not get.
        group: The process group that it joins, 0 for one of its own, or -1 for that of its parent.
        has_session: Whether it starts a session of its own.
        has_terminal: Whether its standard input becomes the terminal of that session.
        handed: Which descriptors of whoever asks it also has, under the same numbers.
        streams: Descriptors of its standard input, output and error, and then those that it is handed.
    """

    arguments: list[str]
    environment: Mapping[str, str]
    folder: str
    umask: int
    group: int
    has_session: bool
    has_terminal: bool
    handed: tuple[int, ...]
    streams: tuple[int, ...]


def send(channel: socket, start: Start) -> None:
    """Ask for a program."""
    text = json.dumps(start._replace(streams=())).encode("ascii")
    send_fds(channel, [len(text).to_bytes(4)], start.streams)
    channel.sendall(text)


def receive(channel: socket) -> Start | None:
    """Return the next program that is asked for, or None where nobody asks any more."""
    head, streams, _, _ = recv_fds(channel, 4, 3 + MOST_HANDED)
    if not head:
        return None
    text = channel.recv(int.from_bytes(head), MSG_WAITALL)
    return Start(*json.loads(text))._replace(streams=tuple(streams))


def read_number(channel: socket) -> int:
    """Return the identity of the process that was started.

    Raises:
        ConnectionResetError: If the warm interpreter has come to an end.
    """
    number = channel.recv(4, MSG_WAITALL)
    if not number:
        raise ConnectionResetError
    return int.from_bytes(number)


def texts(values: Mapping[bytes, bytes] | Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment as text."""
    return {os.fsdecode(name): os.fsdecode(value) for name, value in values.items()}


def locale_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that decide how Python writes text."""
    return {name: environment[name] for name in LOCALE if environment.get(name)}
