"""Finds out what a file does if one of its imports fails."""

import ast
from collections.abc import Iterable, Iterator
from typing import Literal

from toolkit.source_code.source_files import Definition, last_name

_FAILURES = {"ImportError", "ModuleNotFoundError"}
_ANY_FAILURE = {*_FAILURES, "Exception"}


def may_expect_failures(text: str) -> bool:
    """Return whether the text of a file names the errors of imports."""
    return any(failure in text for failure in _FAILURES)


def is_for_imports(handler: ast.ExceptHandler) -> bool:
    """Return whether an `except` names the errors of imports."""
    return not _FAILURES.isdisjoint(_kinds(handler))


def alternative_to(imported: ast.ImportFrom, tree: ast.Module) -> Literal["import", "definition"] | None:
    """Return how a `try` of a file gets one of the imported names if an import fails, or `None` if it does not.

    The import itself may stand in the `try` or in its `except`.
    """
    names = {one.asname or one.name for one in imported.names}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Try):
            continue
        guards = [one for one in node.handlers if one.type is None or not _ANY_FAILURE.isdisjoint(_kinds(one))]
        inside, failed = [*_statements(node.body)], [one for guard in guards for one in _statements(guard.body)]
        others = failed if imported in inside else inside if imported in failed else []
        if not names.isdisjoint(_imported_by(others)):
            return "import"
        if not names.isdisjoint(one.name for one in others if isinstance(one, Definition)):
            return "definition"
    return None


def is_only_for_types(imported: ast.ImportFrom, tree: ast.Module) -> bool:
    """Return whether an import never runs, since only type checkers read it: `if TYPE_CHECKING:`."""
    return any(
        isinstance(node, ast.If) and last_name(node.test) == "TYPE_CHECKING" and imported in _statements(node.body)
        for node in ast.walk(tree)
    )


def _kinds(handler: ast.ExceptHandler) -> set[str]:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {last_name(kind) for kind in kinds if kind is not None}


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    return (one for statement in body for one in ast.walk(statement))


def _imported_by(nodes: Iterable[ast.AST]) -> set[str]:
    imports = (one for one in nodes if isinstance(one, ast.Import | ast.ImportFrom))
    return {name.asname or name.name for one in imports for name in one.names}
