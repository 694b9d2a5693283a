"""Keeps a tool that calls `os._exit` from ending the process that runs its case, and with it all other cases."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from toolkit.codes import FAILED_CASE
from toolkit.problems import Location, Problem


class ProcessExit(Exception):
    """A case has tried to end the process."""

    def __init__(self, status: int, place: Location) -> None:
        """Create the exception.

        Args:
            status: The exit code.
            place: Where `os._exit` was called.
        """
        super().__init__(f"it ends the process with os._exit({status})")
        self.place = place

    def problem(self, name: str, location: Location) -> Problem:
        """Return the failure of the case with a name and a location."""
        return Problem(FAILED_CASE, f"{name}: {self}", location, related=((self.place, "called here"),))


@contextmanager
def caught_exits() -> Iterator[None]:
    """Turn `os._exit` into an exception, in this process only: a process that a tool has forked may end itself.

    Raises:
        ProcessExit: If it was called, even if the tool has survived it.
    """
    leave, own, found = os._exit, os.getpid(), list[ProcessExit]()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != own:
            leave(status)
        caller = sys._getframe(1)  # noqa: SLF001 - an exception would only show this function
        found.append(ProcessExit(status, Location(caller.f_code.co_filename, caller.f_lineno)))
        raise SystemExit(status)

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = leave
        if found:
            raise found[0]
