"""No modules import one another in a circle: not late, and not by way of a package.

Only within a room may two modules need each other's names for type checkers; nothing of that is imported at run time.
"""

from graphlib import CycleError, TopologicalSorter

import pytest
from grimp import build_graph

CIRCLES = {
    "at the top": ("from circular import second\n", "from circular import first\n"),
    "late": ("from circular import second\n", "def late():\n    from circular import first\n    return first\n"),
    "by way of the package": ("from circular import NAME\n", ""),
}
FOR_TYPES = (
    "from circular import second\n",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from circular import first\n",
)
FACE = "NAME = 1\ndef __getattr__(name):\n    from circular import first\n    return first\n"


def circle_in(imports):
    """Return what imports itself in a circle, or nothing."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def imports_of(*packages, with_types=False):
    """Return the modules that each module imports."""
    graph = build_graph(*packages, exclude_type_checking_imports=not with_types, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def imports_among_siblings(imports):
    """Return the members of each package that each member of it imports, with all that is below either."""
    siblings = {}
    for importer, imported in imports.items():
        for other in imported:
            here, there = importer.split("."), other.split(".")
            shared = next(
                (depth for depth, names in enumerate(zip(here, there, strict=False)) if names[0] != names[1]), None
            )
            if shared:  # otherwise one is the package of the other, or they have nothing in common
                mine, its = (".".join(names[: shared + 1]) for names in (here, there))
                siblings.setdefault(mine, set()).add(its)
    return siblings


def test_no_modules_import_one_another_in_a_circle():
    assert circle_in(imports_of("toolkit", "toolkit_cli")) == []


def test_no_rooms_import_one_another_in_a_circle():
    assert circle_in(imports_among_siblings(imports_of("toolkit", "toolkit_cli"))) == []


def test_modules_need_one_another_for_type_checkers_only_within_a_room():
    imports = imports_of("toolkit", "toolkit_cli", with_types=True)
    across = {
        module: {other for other in others if other.rpartition(".")[0] != module.rpartition(".")[0]}
        for module, others in imports.items()
    }
    assert circle_in(imports_among_siblings(across)) == []


@pytest.mark.parametrize("kind", CIRCLES)
def test_every_kind_of_circle_is_found(kind, tmp_path, monkeypatch):
    circular_package(tmp_path, monkeypatch, CIRCLES[kind], FACE if "package" in kind else "")
    others = {"circular"} if "package" in kind else {"circular.second"}
    assert set(circle_in(imports_of("circular"))) == {"circular.first"} | others


def test_a_circle_for_type_checkers_is_found_where_they_are_counted(tmp_path, monkeypatch):
    circular_package(tmp_path, monkeypatch, FOR_TYPES)
    assert circle_in(imports_of("circular")) == []
    assert set(circle_in(imports_of("circular", with_types=True))) == {"circular.first", "circular.second"}


def test_a_circle_of_packages_is_found_where_no_modules_are_in_one(tmp_path, monkeypatch):
    for name, text in {
        "one/__init__": "",
        "one/upper": "from circular.two import middle\n",
        "one/lower": "",
        "two/__init__": "",
        "two/middle": "from circular.one import lower\n",
    }.items():
        (tmp_path / "circular" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "circular" / f"{name}.py").write_text(text, "utf-8")
    (tmp_path / "circular" / "__init__.py").write_text("", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    imports = imports_of("circular")
    assert circle_in(imports) == []
    assert set(circle_in(imports_among_siblings(imports))) == {"circular.one", "circular.two"}


def circular_package(folder, monkeypatch, modules, face=""):
    package = folder / "circular"
    package.mkdir()
    for name, text in zip(("__init__", "first", "second"), (face, *modules), strict=True):
        (package / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(folder)
