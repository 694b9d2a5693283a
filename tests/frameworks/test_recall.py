"""How many tools are found in the source of public repositories, where others have counted them.

    git clone https://github.com/awslabs/mcp FOLDER/awslabs+mcp
    TOOLKIT_CHECKOUTS=FOLDER pytest --proofs tests/frameworks/test_recall.py

The counts are those of the commits that are named; newer ones have more. What it took is printed under "figures".
"""

import json
import os
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.proof


class Counted(NamedTuple):
    """How many tools a repository has.

    Attributes:
        commit: Where they were counted.
        tools: Their number.
        kind: The framework and the kind of registration that are counted; all of them unless it is given.
    """

    commit: str
    tools: int
    kind: tuple[str, str] | None = None


COUNTED = {
    "awslabs/mcp": Counted("100b55b6d92f", 928),
    "modelcontextprotocol/servers": Counted("76d64c822f51", 15, ("mcp_sdk", "Tool")),
    "sooperset/mcp-atlassian": Counted("436b37e4854a", 98),
}


@pytest.mark.parametrize("repository", COUNTED)
def test_every_tool_that_others_have_counted_is_found(repository, figure):
    counted = COUNTED[repository]
    found, seconds = list_tools(checkout_of(repository))
    kinds = Counter((tool["framework"], tool["kind"]) for tool in found)
    files = {tool["path"] for tool in found}
    figure(f"{repository}: {len(found)} tools in {len(files)} files, {seconds:.1f} s of processor time")
    assert (len(found) if counted.kind is None else kinds[counted.kind]) >= counted.tools
    assert all(isinstance(tool["line"], int) and tool["name"] != "" for tool in found)


def checkout_of(repository):
    """Return the checkout of a repository, or skip the test and say how to have it."""
    folder = os.environ.get("TOOLKIT_CHECKOUTS") or "nowhere"
    found = Path(folder) / repository.replace("/", "+")
    if not found.is_dir():
        pytest.skip(f"{repository} is not here: clone it to FOLDER/{found.name}, and set TOOLKIT_CHECKOUTS=FOLDER")
    return found


def list_tools(folder):
    """Return the tools that the command finds in a folder, and how many seconds of processor time that took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "toolkit_cli", "list", "--static", "--format", "json", "."]
    listed = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(listed.stdout), seconds
