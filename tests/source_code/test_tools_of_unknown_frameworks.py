"""One sign of a framework that we do not know is enough for a file to be read."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

HEAD = '''
import strange
from strange.parts import Host, ShopTool, StructuredTool


def find(order: str) -> str:
    """Find an order."""
    return order


'''


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("made = StructuredTool.from_function(find)\n", ["find"]),
        ("made = ShopTool(handler=find, name='look_up', description='Look up.')\n", ["look_up"]),
        ("for _, tools in [('a', [find])]:\n    Host().start(tools=tools)\n", ["find"]),
        ("made = ShopTool(name='tap', description='Tap.', callback=find)\n", []),
        ("made = ShopTool(name='row', description='A row.', function='find', parameters=None)\n", []),
    ],
)
def test_file_with_one_sign_is_read(text, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(HEAD + text, "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "shop.py"])
    assert [one["name"] for one in json.loads(result.stdout or "[]")] == names
