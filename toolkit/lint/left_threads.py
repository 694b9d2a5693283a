"""Finds out whether a file has started threads that still run and may affect the next file."""

import sys
import threading
from types import FrameType

from toolkit.source_code.module_files import is_installed


def leaves_threads() -> bool:
    """Return whether another thread is running the user's code; threads of libraries do not count."""
    own = threading.get_ident()
    others = (frame for thread, frame in sys._current_frames().items() if thread != own)  # noqa: SLF001 - documented
    return any(_is_in_own_code(frame) for frame in others)


def _is_in_own_code(frame: FrameType | None) -> bool:
    while frame is not None:
        if not is_installed(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False
