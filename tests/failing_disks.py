"""Disks that fail in the middle of a program: the kernel refuses a system call to every thread of it from then on."""

import ctypes
import platform
import sys

import pytest

_NUMBERS = {
    "x86_64": {"pwrite64": 18, "fsync": 74, "fdatasync": 75},
    "aarch64": {"pwrite64": 68, "fsync": 82, "fdatasync": 83},
}

needs_failing_disks = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in _NUMBERS or ctypes.sizeof(ctypes.c_void_p) != 8,
    reason="only the kernel of Linux refuses system calls on request, and their numbers are known for two processors",
)

FAILING = f"""
import ctypes, errno, platform, struct

_NUMBERS = {_NUMBERS!r}
_FILTER = {{"x86_64": 317, "aarch64": 277}}

def refuse(error, *calls):
    \"\"\"Let these system calls fail with an error, in all threads of this process and for good.\"\"\"
    machine = platform.machine()
    instructions = [(0x20, 0, 0, 0)]  # load the number of the call
    for place, call in enumerate(calls):
        instructions.append((0x15, len(calls) - place, 0, _NUMBERS[machine][call]))  # it is this one: go to the last
    instructions += [(0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050000 | getattr(errno, error))]  # allow; fail
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in instructions))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(instructions), ctypes.cast(code, ctypes.c_void_p))
    kernel = ctypes.CDLL(None, use_errno=True)
    assert kernel.prctl(38, 1, 0, 0, 0) == 0  # no new privileges
    assert kernel.syscall(_FILTER[machine], 1, 1, ctypes.byref(program)) == 0, ctypes.get_errno()
"""
"""Source text that defines `refuse(error, *calls)`, such as `refuse("ENOSPC", "pwrite64")`, for a program of a test."""
