"""The command with which hints suggest to install packages."""

from toolkit.problems import how_to_install  # private

INSTALL = how_to_install().rstrip()
"""The beginning of the command for this interpreter, which has pip, or leaves that to uv."""
