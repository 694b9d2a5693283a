"""No modules import one another in a circle: not late, not for type checkers alone, and not by way of a package."""

from graphlib import CycleError, TopologicalSorter

import pytest
from grimp import build_graph

CIRCLES = {
    "late": ("from circular import second\n", "def late():\n    from circular import first\n    return first\n"),
    "for type checkers": (
        "from circular import second\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from circular import first\n",
    ),
    "by way of the package": ("from circular import NAME\n", ""),
}
FACE = "NAME = 1\ndef __getattr__(name):\n    from circular import first\n    return first\n"


def circle_in(*packages):
    """Return the modules of a circle of imports, whatever kind of imports they are, or nothing."""
    graph = build_graph(*packages, exclude_type_checking_imports=False, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_one_another_in_a_circle():
    assert circle_in("toolkit", "toolkit_cli") == []


@pytest.mark.parametrize("kind", CIRCLES)
def test_every_kind_of_circle_is_found(kind, tmp_path, monkeypatch):
    first, second = CIRCLES[kind]
    package = tmp_path / "circular"
    package.mkdir()
    (package / "__init__.py").write_text(FACE if "package" in kind else "", "utf-8")
    (package / "first.py").write_text(first, "utf-8")
    (package / "second.py").write_text(second, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    others = {"circular"} if "package" in kind else {"circular.second"}
    assert set(circle_in("circular")) == {"circular.first"} | others
