"""About a hundred mistakes, and all that the program says about each: what is wrong, where, and how to fix it.

The files that the commands are about are in `mistakes/`, and what they print is in `mistakes.txt`.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

FILES = Path(__file__).with_name("mistakes")
TEXT = Path(__file__).with_name("mistakes.txt").read_text("utf-8")
SAID = dict(re.findall(r"^\$ (.+)\n((?:.*\n)*?\[\d+\]\n)", TEXT, re.MULTILINE))


def test_there_are_a_hundred_mistakes():
    assert len(SAID) >= 100


@pytest.mark.proof(everyday=12)
@pytest.mark.parametrize("line", SAID)
def test_mistake_is_explained(project, invoke, monkeypatch, line):
    shutil.copytree(FILES, project, dirs_exist_ok=True)
    words = shlex.split(line)
    if words[0] == "cd":
        monkeypatch.chdir(words[1])
        words = words[words.index("&&") + 1 :]
    done = invoke(*words[1:])
    said = (done.stdout + done.stderr).replace(str(project), "FOLDER").replace(sys.prefix, "ENVIRONMENT")
    assert f"{said}[{done.exit_code}]\n" == SAID[line]
