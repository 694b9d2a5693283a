"""The page on tools of other frameworks says from which version on each of them is supported."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import toolkit.frameworks

PAGE = Path(__file__).parents[2] / "docs" / "tools-of-other-frameworks.md"


def test_page_has_the_least_version_of_every_framework():
    modules = [
        importlib.import_module(f"toolkit.frameworks.{one.name}")
        for one in pkgutil.iter_modules(toolkit.frameworks.__path__)
    ]
    supported = {module.VERSIONS for module in modules if hasattr(module, "VERSIONS")}
    written = re.findall(r"^\| [^|]+ \| `([a-z-]+)` ([\d.]+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(written) == sorted((one.distribution, ".".join(map(str, one.first))) for one in supported)


@pytest.mark.proof
@pytest.mark.parametrize("name", ["fastmcp2", "fastmcp3", "mcp1"])
@pytest.mark.parametrize("words", [("serve", "shop.py"), ("mcp", "list"), ("run", "zoo.price", "--start", "zoo")])
def test_real_older_sdk_is_refused_with_the_needed_version(environment, tmp_path, name, words):
    (tmp_path / "shop.py").write_text(
        'from toolkit import tool\n\n\n@tool\ndef price() -> int:\n    """Cost."""\n    return 3\n'
    )
    (tmp_path / "toolkit.toml").write_text('[mcp.zoo]\ncommand = "python"\nargs = ["server.py"]\n')
    done = environment(name).run("-m", "toolkit_cli", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"(need|needs) the MCP SDK 2\.3 or newer, and mcp 1\.[\d.]+ is installed\nhint: ", done.stderr)
