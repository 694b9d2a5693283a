"""What pages show of other frameworks happens with the real ones.

A page is played once in each environment that its blocks name, `<!-- not run: it needs LangChain; environment: agents -->`,
in a folder that has the page's files (`<!-- file: NAME -->`). Of such blocks, what a `python` block prints is the next block;
a `console` block is typed.
"""

import re
import shlex
from pathlib import Path

import pytest

from tests.test_docs import PAGES, blocks_of, commands_of, same

pytestmark = pytest.mark.proof

ENVIRONMENT = re.compile(r"; environment: (\w+)$")
WORDS = {"python": [], "toolkit": ["-m", "toolkit_cli"]}


def environments_of(page):
    """Return the names of the environments that the blocks of a page need."""
    found = (ENVIRONMENT.search(block.mark) for block in blocks_of(page))
    return sorted({match[1] for match in found if match})


PLAYED = [(page, name) for page in PAGES for name in environments_of(page)]


@pytest.mark.parametrize(("page", "name"), PLAYED, ids=[f"{page.name}-{name}" for page, name in PLAYED])
def test_page_shows_what_happens_with_the_framework(page, name, environment, tmp_path, monkeypatch):
    for variable in ("LLM_USER_PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    blocks = blocks_of(page)
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        kind, _, file = block.mark.partition(": ")
        found = ENVIRONMENT.search(block.mark)
        if kind == "file":
            Path(tmp_path, file).write_text(block.text, "utf-8")
        elif found and found[1] == name:
            commands = [("python example.py", following.text)] if block.language == "python" else commands_of(block)
            Path(tmp_path, "example.py").write_text(block.text, "utf-8")
            for command, shown in commands:
                printed = printed_by(command, environment(name), tmp_path)
                assert same(shown, printed), f"line {block.line}: $ {command}\nprints\n{printed}"


def printed_by(command, environment, folder):
    """Return what a command prints in an environment: messages first, then results."""
    program, *arguments = shlex.split(command)
    ended = environment.run(*WORDS.get(program, ["-m", program]), *arguments, cwd=folder)
    return ended.stderr + ended.stdout
