"""What several tests of file tools need: another process that swaps links in while a tool works."""

import subprocess
import sys
from contextlib import contextmanager

import pytest

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
