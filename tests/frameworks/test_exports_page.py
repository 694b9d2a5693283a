"""What the page about other frameworks shows happens with the real ones."""

import re
from pathlib import Path

import pytest

from tests.test_docs import ROOT, blocks_of

pytestmark = pytest.mark.proof

BLOCKS = blocks_of(ROOT / "docs/other-frameworks.md")
EXAMPLES = [
    (found[1], block, BLOCKS[position + 1])
    for position, block in enumerate(BLOCKS)
    if (found := re.search(r"environment: (\w+)", block.mark))
]


@pytest.mark.parametrize(("name", "block", "shown"), EXAMPLES, ids=[f"line {block.line}" for _, block, _ in EXAMPLES])
def test_example_prints_what_is_shown(name, block, shown, environment, tmp_path):
    Path(tmp_path, "example.py").write_text(block.text, "utf-8")
    ended = environment(name).run("example.py", cwd=tmp_path)
    assert (ended.stdout, ended.stderr) == (shown.text, "")
