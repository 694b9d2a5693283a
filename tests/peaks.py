"""The peak memory of a program that a test starts.

`getrusage` is of no use for this: a new program begins with the peak of the process that started it, and pytest needs
more memory than most of what it starts.
"""

from pathlib import Path

import pytest

STATUS = Path("/proc/self/status")
needs_peaks = pytest.mark.skipif(not STATUS.exists(), reason="only Linux states the peak of one program")

PEAK = f"""
def peak():
    \"\"\"Return the most memory that this program has used so far, in KiB.\"\"\"
    with open("{STATUS}") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
"""
"""Source text that defines `peak()`, to begin a program with."""

ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
"""Variables for a program with threads: otherwise its peak grows with the number of cores, as each thread that runs at the
same time as others fills free lists of its own, however little the program holds."""
