#!/usr/bin/env python3
"""A browser that opens a page and follows where it leads, without a person."""

import sys
from urllib.request import urlopen

with urlopen(sys.argv[1]) as page:  # noqa: S310 - a page of a test on the loopback interface
    page.read()
