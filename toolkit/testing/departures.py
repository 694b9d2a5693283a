"""Notes the exception that leaves a tool's own code, whatever its framework does with the exception afterwards.

Servers turn exceptions into texts, and agents into messages. Whether a tool has crashed can only be seen where the
exception leaves its code.
"""

import sys
import threading
from collections.abc import Callable
from dis import opname
from types import CodeType, FrameType
from typing import Any, Final

_GOES_ON: Final = ("RETURN", "YIELD", "SEND")
"""The first words of the instructions with which a function returns, or waits."""


class Departures:
    """Follows the calls of this process into the tools' own code.

    Attributes:
        entered: Whether own code was called since `begin`.
        left: The exception that has left it, if one has.
    """

    def __init__(self, is_own: Callable[[str], bool]) -> None:
        """Create an observer; `start` makes it follow calls.

        Args:
            is_own: Whether a file belongs to the tools.
        """
        self._is_own = is_own
        self._known: dict[CodeType, bool] = {}
        self._raised: dict[int, BaseException] = {}
        self.entered = False
        self.left: BaseException | None = None

    def start(self) -> None:
        """Follow all calls in this thread and in those that start later."""
        others: set[CodeType] = set()
        is_other = others.__contains__

        def called(frame: FrameType, _event: str, _argument: Any) -> Any:
            if is_other(frame.f_code):  # nearly every call ends here, so this is all that it does
                return None
            if not self._owns(frame):
                others.add(frame.f_code)
                return None
            self.entered = True
            frame.f_trace_lines = False
            return self._inside

        threading.settrace(called)
        sys.settrace(called)

    def begin(self) -> None:
        """Forget the call before."""
        self._raised.clear()
        self.entered = False
        self.left = None

    def _inside(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception":
            self._raised[id(frame)] = argument[1]
        elif event == "return":
            error = self._raised.pop(id(frame), None)
            if error is not None and argument is None and not _is_left_normally(frame) and self._is_outermost(frame):
                self.left = error
        return self._inside

    def _owns(self, frame: FrameType) -> bool:
        code = frame.f_code
        known = self._known.get(code)
        if known is None:
            known = self._known[code] = self._is_own(code.co_filename)
        return known

    def _is_outermost(self, frame: FrameType) -> bool:
        outer = frame.f_back
        while outer is not None:
            if self._owns(outer):
                return False
            outer = outer.f_back
        return True


def _is_left_normally(frame: FrameType) -> bool:
    at = frame.f_lasti
    return at >= 0 and opname[frame.f_code.co_code[at]].startswith(_GOES_ON)
