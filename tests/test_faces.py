"""Rooms have faces: what docs, samples and other people's code import, so that what is behind them may move.

A test that is about the inside of a room marks that import with `# private`.
"""

import ast
import doctest
import inspect
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from docs.generators import library

ROOT = Path(__file__).resolve().parents[1]
FACES = ["toolkit", *library.ROOMS]
PUBLIC_MODULES = ["toolkit.codes", *library.PUBLIC_MODULES, "toolkit_cli.main"]
READERS = sorted(
    file
    for pattern in ("*.md", "docs/**/*.md", "docs/**/*.py", "sample_pipelines/**/*.*", "bench/*.py", "tests/**/*.py")
    for file in ROOT.glob(pattern)
    if file.suffix in {".md", ".py", ".yaml"} and file.parent != ROOT / "docs" / "api"
)
IMPORT = re.compile(
    r"^[ \t]*(?:>>> |\.\.\. )?"  # in a program, or in a session that a page shows
    r"(?:from (?P<module>toolkit(?:_cli)?(?:\.\w+)*) import (?P<names>\([^)]*\)[^\n]*|[^\n]*)"
    r"|import (?P<whole>toolkit(?:_cli)?(?:\.\w+)*)(?P<rest>[^\n]*))",
    re.MULTILINE,
)


class Import(NamedTuple):
    """What one statement imports from us."""

    line: int
    module: str
    names: list[str]
    is_marked: bool


def imports_in(text):
    """Return what a text imports from us: a program, the blocks of a page, or a program within a test."""
    for match in IMPORT.finditer(text):
        names = re.findall(r"(\w+)(?: as \w+)?", re.sub(r"#[^\n]*", "", match["names"] or ""))
        written = (match["names"] or "") + (match["rest"] or "")
        line = text.count("\n", 0, match.start()) + 1
        yield Import(line, match["module"] or match["whole"], names, "# private" in written)


def is_public(module, name):
    """Return whether a name is one that others may import from a module."""
    if module in FACES + library.PUBLIC_MODULES:
        return name in {*import_module(module).__all__, "__version__"} or f"{module}.{name}" in FACES + PUBLIC_MODULES
    return module in PUBLIC_MODULES and not name.startswith("_")


def is_private(found):
    """Return whether an import reaches behind a face."""
    if not found.names:
        return found.module not in [*FACES, *PUBLIC_MODULES, "toolkit_cli"]
    return not all(is_public(found.module, name) for name in found.names)


def test_readers_import_from_faces_only():
    wrong = []
    for file in READERS:
        for found in imports_in(file.read_text("utf-8")):
            may_be_private = found.is_marked and file.suffix == ".py"
            if is_private(found) != may_be_private:
                wrong.append(f"{file.relative_to(ROOT)}:{found.line}: {found.module} {' '.join(found.names)}")
    assert wrong == []


def test_examples_in_docstrings_import_from_faces_only():
    wrong = []
    for file in sorted((ROOT / "toolkit").rglob("*.py")):
        examples = "\n".join(line for line in file.read_text("utf-8").splitlines() if line.lstrip().startswith(">>> "))
        wrong += [f"{file.relative_to(ROOT)}: {found.module}" for found in imports_in(examples) if is_private(found)]
    assert wrong == []


def table_of(face):
    """Return the table of a face, as programs read it."""
    tree = ast.parse(inspect.getsource(import_module(face)))
    [choice] = [node for node in tree.body if isinstance(node, ast.If)]
    [table] = [node for half in choice.orelse for node in ast.walk(half) if isinstance(node, ast.Dict)]
    return ast.literal_eval(table)


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("face", FACES)
def test_type_checkers_read_what_programs_import(face):
    imported = {name: f"{face}.{home}" for home, names in table_of(face).items() for name in names.split()}
    assert library.homes_of(face) == imported


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("face", FACES)
def test_every_public_name_can_be_imported_and_is_no_module_too(face):
    module = import_module(face)
    modules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    assert modules & set(module.__all__) == set()
    assert [name for name in module.__all__ if getattr(module, name, None) is None] == []
    assert set(dir(module)) >= set(module.__all__)


def test_a_name_is_public_in_one_face_only():
    faces = [import_module(face) for face in FACES]
    named = [(name, face.__name__, getattr(face, name)) for face in faces for name in face.__all__]
    homes = {(name, id(value)): face for name, face, value in named}
    twice = [(name, face) for name, face, value in named if homes[name, id(value)] != face]
    assert twice == []


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("face", FACES)
def test_public_functions_and_classes_are_documented_in_sentences(face):
    module = import_module(face)
    values = [getattr(module, name) for name in module.__all__]
    documented = [value for value in values if inspect.isroutine(value) or inspect.isclass(value)]
    bare = [value for value in documented if not re.match(r"[A-Z@`].*[.:]", inspect.getdoc(value) or "", re.DOTALL)]
    assert bare == []


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("home", sorted({home for face in FACES for home in library.homes_of(face).values()}))
def test_what_docstrings_show_is_so(home):
    assert doctest.testmod(import_module(home)).failed == 0


def test_faces_import_nothing_before_a_name_is_used():
    program = f"import sys, {', '.join(FACES)}\nprint(*(name for name in sys.modules if name.startswith('toolkit')))"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {*finished.stdout.split()} - {*FACES} <= {"toolkit.faces", "toolkit.releases", "toolkit._version"}


def test_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match=r"module 'toolkit.tools' has no attribute 'Abacus'"):
        import_module("toolkit.tools").Abacus  # noqa: B018
