"""TK710: a requirement allows a version without a module that the file imports."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from toolkit.codes import REMOVED_MODULE
from toolkit.lint.clues.guarded_imports import alternative_to, is_only_for_types
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.releases import numbers_of
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.requirements import is_locked_below, unbounded_requirement
from toolkit.tools.foreign.source_marks import Demands


class RemovedModule(Rule):
    '''A requirement allows a version without a module that the file imports.

    ## Why

    A fresh install gets the newest version. If the requirement has no upper bound, that version lacks the module, and
    the server fails at startup on every newly installed machine. One line fixes it, so each requirement is
    reported once for each module, at the first file that imports it. It is an `info` if a lock file of the project has an
    older version, or if the project also requires a package whose newest release needs one, such as `mcp-use`, or pins a
    version of another package that is too old for the newest one, such as `pydantic==2.9.2`. So it is if the
    `except ImportError` of the import defines a class in its place. It is not reported if the same `try` imports a
    replacement, or if only type checkers read the import. A file without tools counts if it makes a server.

    ## Example

    ```python
    # /// script
    # dependencies = ["mcp>=1.2"]
    # ///
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("weather")


    @server.tool()
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    # /// script
    # dependencies = ["mcp>=1.2,<2"]
    # ///
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("weather")


    @server.tool()
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Source

    - mcp 2.3.0, `mcp/server/fastmcp.py`: "This is mcp 2.x, where FastMCP was renamed to MCPServer … or pin 'mcp<2'" (checked 2026-11-22)
    '''

    code = REMOVED_MODULE
    severity = "error"
    checks_servers = True

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        demands = _demands_on(module)
        for node in module.statements if demands else ():
            if not (isinstance(node, ast.ImportFrom) and node.module and not node.level):
                continue
            for demand in demands:
                for name, package, version in demand.removed:
                    found = unbounded_requirement(module, package) if _is_within(node.module, name) else None
                    other = alternative_to(node, module.tree) if found is not None else None
                    if found is None or other == "import" or not _matters(node, module):
                        continue
                    is_held = any(_holds_back(one, found.others) for one in demand.held_back_by)
                    is_mild = is_held or other is not None or is_locked_below(module, package, version)
                    yield self.problem(
                        f"{name!r} was removed in {package} {version}, which {found.text!r} in '{found.file}' allows",
                        module.location(node),
                        hint=f"write '{package}<{version}', or use its replacement",
                        severity="info" if is_mild else self.severity,
                        related=[(found.place, _THERE)],
                    )


def _demands_on(module: PythonFile) -> set[Demands]:
    """Return what the frameworks of a file's tools, and those that it imports, require."""
    marks = {tool.marks for tool in module.written} | set(filter(None, map(marks_of, module.frameworks)))
    return {one.demands for one in marks if one.demands.removed}


def _matters(imported: ast.ImportFrom, module: PythonFile) -> bool:
    """Return whether an import runs, and is of a file that defines tools or makes a server."""
    return not is_only_for_types(imported, module.tree) and (bool(module.written) or _is_called(imported, module))


def _is_called(imported: ast.ImportFrom, module: PythonFile) -> bool:
    """Return whether a file calls something that it imports, such as the class of a server."""
    names = {one.asname or one.name for one in imported.names}
    calls = (one.func for one in module.nodes if isinstance(one, ast.Call))
    return any(isinstance(one, ast.Name) and one.id in names for one in calls)


_THERE = "the requirement"


def once_a_requirement(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems; those of one requirement and one module become one, which counts the other files."""
    found: dict[object, list[Problem]] = {}
    for problem in problems:
        is_one = problem.code == REMOVED_MODULE and problem.location is not None and problem.related
        key = (problem.message, problem.severity, problem.related) if is_one else id(problem)
        found.setdefault(key, []).append(problem)
    return [_counted(same) if len(same) > 1 else same[0] for same in found.values()]


def _counted(problems: Sequence[Problem]) -> Problem:
    first = min(problems, key=lambda one: one.location or ("",))
    files = {one.location.file for one in problems if one.location} - {first.location.file if first.location else ""}
    if not files:
        return first
    more = f"{len(files)} more file{'s' if len(files) > 1 else ''} with tools or a server, such as '{min(files)}'"
    return replace(first, related=((first.related[0][0], f"{_THERE}; {more}, import the module"),))


def _holds_back(entry: str, required: Mapping[str, str]) -> bool:
    """Return whether a project requires a package, or for an entry such as `pydantic<2.12`, only older versions."""
    name, _, bound = entry.partition("<")
    allowed = required.get(name)
    if not bound or not allowed:
        return allowed is not None and not bound
    most = numbers_of(allowed.removeprefix("<"))
    return most <= numbers_of(bound) if allowed.startswith("<") else most < numbers_of(bound)


def _is_within(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")
