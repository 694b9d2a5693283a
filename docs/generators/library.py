"""Generates the tables of `docs/library.md`: every public name with the first sentence of its documentation."""

import ast
import pkgutil
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import toolkit
from docs.generators.regions import with_region

ROOMS = sorted(f"toolkit.{module.name}" for module in pkgutil.iter_modules(toolkit.__path__) if module.ispkg)
PUBLIC_MODULES = ["toolkit.errors", "toolkit.events", "toolkit.problems"]
FACES = ["toolkit", *sorted([*ROOMS, *PUBLIC_MODULES])]
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


def pages() -> dict[str, str]:
    """Return the page with the current public names, by its path in the docs."""
    sections = map(_section, FACES)
    return {"library.md": with_region("library.md", "the public names", "\n".join(sections))}


def homes_of(face: str) -> dict[str, str]:
    """Return the module that defines each public name of a face, from the imports for type checkers."""
    if face in PUBLIC_MODULES:
        return dict.fromkeys(import_module(face).__all__, face)
    [choice] = [node for node in _tree_of(face).body if isinstance(node, ast.If)]
    imports = [node for node in choice.body if isinstance(node, ast.ImportFrom)]
    return {str(alias.asname): str(node.module) for node in imports for alias in node.names}


def _section(face: str) -> str:
    rows = [f"| `{name}` | {_first_sentence(definition_of(home, name)[1])} |" for name, home in public_names(face)]
    lead = _first_sentence(documentation_of(face))
    return "\n".join([f"### `{face}`", "", lead, "", "| name | what it is |", "| --- | --- |", *rows, ""])


def public_names(face: str) -> list[tuple[str, str]]:
    """Return the public names of a face with their modules; names of `toolkit` appear only there."""
    own = [name for name in homes_of(face) if face == "toolkit" or not hasattr(toolkit, name)]
    homes = homes_of(face)
    return [(name, homes[name]) for name in sorted(own, key=str.lower) if name != "__version__"]


def documentation_of(face: str) -> str:
    """Return the docstring of a package or module."""
    return ast.get_docstring(_tree_of(face)) or ""


def definition_of(home: str, name: str) -> tuple[Definition, str]:
    """Return the definition of a name with its docstring, which for a constant is the string below it."""
    body = _tree_of(home).body
    for node, below in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node.name == name:
                text = ast.get_docstring(node)
            case ast.Assign() | ast.AnnAssign() if _assigned(node) == name:
                text = _text_of(below)
            case _:
                continue
        if text:  # overloads have no docstring
            return node, text
    raise LookupError(f"{home}.{name} is public and has no documentation")


def _text_of(node: ast.stmt | None) -> str | None:
    match node:
        case ast.Expr(ast.Constant(str(text))):
            return text
    return None


def _assigned(node: ast.Assign | ast.AnnAssign) -> str | None:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return target.id if isinstance(target, ast.Name) else None


@cache
def _tree_of(module: str) -> ast.Module:
    spec = find_spec(module)
    return ast.parse(Path(str(spec and spec.origin)).read_text("utf-8"))


def _first_sentence(text: str) -> str:
    """Return the first sentence of a docstring, for a cell of a table."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z`])", paragraph)[0]
    return sentence.rstrip(":").replace("|", "\\|")
