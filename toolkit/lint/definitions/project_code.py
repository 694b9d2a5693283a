"""What the code of a project says about its package: its name, its version, and the environment that it reads."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from toolkit.problems import Location
from toolkit.regular_files import bounded_text
from toolkit.source_code.module_files import PYTHON
from toolkit.source_code.project_files import files_below
from toolkit.source_code.source_files import last_name

_MOST = 4 * 1024 * 1024
_OTHER_PROGRAMS = frozenset({"bench", "benchmarks", "docs", "eval", "evals", "examples", "samples", "scripts"})
_OF_SETTINGS = re.compile(r"\b(?:BaseSettings|env_prefix|envvar_prefix|auto_envvar_prefix|Dynaconf|environ\.Env)\b")


class Variable(NamedTuple):
    """An environment variable that code reads.

    Attributes:
        name: The name.
        location: Where it is first read.
        is_required: Whether the code fails without it.
        has_default: Whether the code names a value to use instead.
    """

    name: str
    location: Location
    is_required: bool
    has_default: bool


class ProjectCode:
    """The Python code around a `pyproject.toml`; what examples, scripts and tests read is left out."""

    def __init__(self, folder: Path | None) -> None:
        """Create it for the folder of a project; without one, it is empty."""
        self.folder = folder

    @classmethod
    def around(cls, folder: Path) -> "ProjectCode":
        """Return the code of the nearest project around a folder, within its repository."""
        for one in (folder, *folder.parents):
            if (one / "pyproject.toml").is_file():
                return cls(one)
            if (one / ".git").exists():
                break
        return cls(None)

    @cached_property
    def metadata(self) -> Mapping[str, Any]:
        """The table `project` of `pyproject.toml`."""
        try:
            table = tomllib.loads(bounded_text(self.folder / "pyproject.toml", most=_MOST)) if self.folder else {}
        except (OSError, ValueError):
            return {}
        found = table.get("project", {})
        return found if isinstance(found, dict) else {}

    @cached_property
    def readme(self) -> str | None:
        """The text of the project's description, if it is in a file."""
        named = self.metadata.get("readme")
        file = named.get("file") if isinstance(named, dict) else named
        try:
            return bounded_text(self.folder / file, most=_MOST) if self.folder and isinstance(file, str) else None
        except (OSError, ValueError):
            return None

    @property
    def _files(self) -> list[Path]:
        """The files of the package: in `src`, or in the folder with its name, if there is one."""
        if self.folder is None:
            return []
        package = re.sub(r"[-.]", "_", str(self.metadata.get("name")))
        root = next((one for name in ("src", package) if (one := self.folder / name).is_dir()), self.folder)
        return [*files_below(root, (PYTHON,)), *(sorted(self.folder.glob(f"*{PYTHON}")) if root != self.folder else ())]

    @cached_property
    def sources(self) -> dict[str, str]:
        """The text of each Python file."""
        found = {}
        for file in self._files:
            if _OTHER_PROGRAMS.isdisjoint(file.relative_to(self.folder or "").parent.parts):
                try:
                    found[str(file)] = bounded_text(file, most=_MOST)
                except (OSError, ValueError):
                    continue
        return found

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The environment variables that the code reads by constant names; a use that requires one counts first."""
        found: dict[str, Variable] = {}
        for file, text in self.sources.items():
            if "environ" in text or "getenv" in text:
                for one in _variables_in(file, text):
                    known = found.get(one.name)
                    if known is None or one.is_required > known.is_required:
                        found[one.name] = one
        return found

    def mentions(self, variable: str) -> bool:
        """Return whether the code may read a variable: by its name, or as a field of settings with a prefix."""
        if any(variable in text for text in self.sources.values()):
            return True
        settings = [text for text in self.sources.values() if _OF_SETTINGS.search(text)]
        words = variable.lower().split("_")
        fields = ["_".join(words[start:]) for start in range(len(words))]
        return any(re.search(rf"\b{re.escape(field)}\b", text.lower()) for field in fields for text in settings)

    def says(self, text: str) -> bool:
        """Return whether a text is a whole string of the code."""
        return any(f'"{text}"' in source or f"'{text}'" in source for source in self.sources.values())


def _variables_in(file: str, text: str) -> Iterator[Variable]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name)), ctx=ast.Load()) if _is_environ(value):
                yield Variable(name, _place(file, node), is_required=True, has_default=False)
            case ast.Call(func=ast.Attribute(attr="get", value=value), args=[ast.Constant(value=str(name)), *rest]) if (
                _is_environ(value)
            ):
                yield Variable(name, _place(file, node), is_required=False, has_default=bool(rest or node.keywords))
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *rest]) if (
                last_name(function) == "getenv"
            ):
                yield Variable(name, _place(file, node), is_required=False, has_default=bool(rest or node.keywords))


def _is_environ(node: ast.expr) -> bool:
    return last_name(node) == "environ"


def _place(file: str, node: ast.expr) -> Location:
    return Location(file, node.lineno, node.col_offset + 1)
