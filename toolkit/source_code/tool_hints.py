"""Decide from their text which Python files may define tools, which is much faster than parsing all of them."""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.described_functions import TOLD_PARTS
from toolkit.source_code.own_packages import names_in_frameworks
from toolkit.source_code.registry_calls import FUNCTION_PARTS, REGISTERING
from toolkit.source_code.source_files import Imported
from toolkit.tools.foreign.frameworks import FRAMEWORK_OF_VARIABLE, all_packages, suggests_tools

_IMPORTS = re.compile(
    rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)|^[ \t]*import[ \t]+([^\n#;]+)", re.MULTILINE
)
_USES = re.compile(
    rb"^[ \t]*class[ \t]+\w+[ \t]*\(([^)]*)\)|^[ \t]*@[ \t]*(\w+)|\b(\w+)\.\w*tool\w*[ \t]*\(|\b(\w+)\(", re.MULTILINE
)
_UNKNOWN_MARK = re.compile(rb"^[ \t]*@([\w.]*tool)\b", re.MULTILINE)
_DECLARES = re.compile(rb"\binput_?[sS]chema\b")
LISTS_OF_TOOLS = ("TOOLS", "ALL_TOOLS", "AVAILABLE_TOOLS", "all_tools")
"""What lists of functions are called that something unknown takes from a file."""
_MAPS = re.compile(rb"""["']parameters["'][ \t]*:[ \t]*\{\s*["']\w+["'][ \t]*:[ \t]*\{""")
"""Where a definition maps its parameters to their types and descriptions; see `maps_parameters`."""
_OF_OTHERS = re.compile(
    rb"\btools(?:[ \t]*=[ \t]*\[|=[^\W\d])|Tool(?:\.from_function\(|\(\s*\w+[ \t]*=)"
    rb"|^[ \t]*class[ \t]+\w+[ \t]*\([^)]*Tool\b" + rf"|^(?:{'|'.join(LISTS_OF_TOOLS)})\b[^=\n]*=".encode(),
    re.MULTILINE,
)
_BELOW_TOOL = re.compile(rb"^[ \t]*class[ \t]+\w+[ \t]*\([^)]*Tool", re.MULTILINE)
_SCHEMA = re.compile(rb"\b(?:parameters|input_?[sS]chema)\b[\"']?[ \t]*[:=]")
_NAMES_ITSELF = re.compile(rb"""["']name["'][ \t]*:[ \t]*(?:self|cls)\.|\bname[ \t]*=[ \t]*(?:self|cls)\.""")
_NAMES_FUNCTION = re.compile(rb"""\w\.__name__\b|["']__name__["'],""")
_QUOTED = (b'"function"', b"'function'", b'"properties"', b"'properties'")
_FORMS = (
    b"FunctionDeclaration",
    b"unction_declarations",
    b"unctionDeclarations",
    b"toolSpec",
    *(one.encode() for one in REGISTERING),
)
_ENTRY = rf"""["'](?:{"|".join(FUNCTION_PARTS)})["'][ \t]*:[ \t]*[^\W\d]"""
_CALL = r"""(?:Tool\w*|\.register|registry\.add)\(\s*(?:(?:name|description)[ \t]*=|["'])"""
_TELLS = rf"""["'](?:{"|".join(TOLD_PARTS)})["'][ \t]*:[ \t]*\{{\s*["']\w+["'][ \t]*:[ \t]*["']"""
_DESCRIBED = re.compile(f"{_ENTRY}|{_CALL}|{_TELLS}".encode())
"""An entry of a table with a function or texts about parameters, or a call that begins with a tool's name or text."""
_COMMENT = re.compile(rb"#[^\n]*")
_WORD = re.compile(rb"[^\W\d]\w*")


def mentions_framework(text: bytes) -> bool:
    """Whether the text of a Python file imports a known package, or has the mark or the method of a tool."""
    return _hint_of_tools(with_broad=True).search(text) is not None


def is_about_tools(text: bytes) -> bool:
    """Whether the same is true without packages that most programs use for something else, such as `openai`."""
    return _hint_of_tools(with_broad=False).search(text) is not None


def imports_framework(text: bytes, *, with_broad: bool) -> bool:
    """Whether the text of a Python file imports a known package, or one that most programs use for tools."""
    return _import_of_frameworks(with_broad=with_broad).search(text) is not None


@cache
def _import_of_frameworks(*, with_broad: bool) -> "re.Pattern[bytes]":
    return re.compile(import_of(sorted(_first_names(with_broad=with_broad))).encode(), re.MULTILINE)


def _first_names(*, with_broad: bool) -> set[str]:
    named = [package for package, one in all_packages().items() if with_broad or suggests_tools(one)]
    return {package.partition(".")[0] for package in (*named, "toolkit")}


@cache
def _hint_of_tools(*, with_broad: bool) -> "re.Pattern[bytes]":
    """Return a pattern for the text of files that may define tools. It uses top-level package names only.

    For example, `from google import adk` imports the package `google.adk`.
    """
    imported = import_of(sorted(_first_names(with_broad=with_broad)))
    return re.compile(
        rf"{imported}|\.(?:(?:add_)?tool|bind_tools)\b|^[ \t]*@[\w.]*tool".encode()
        + rb"|^[ \t]+(?:async )?def execute\("
        + "".join(f"|^{name}\\b" for name in FRAMEWORK_OF_VARIABLE).encode(),
        re.MULTILINE,
    )


def import_of(packages: Iterable[str]) -> str:
    """Return a pattern, for the starts of lines, of imports of some packages, such as `import sys, package`."""
    named = "|".join(map(re.escape, packages))
    return rf"^[ \t]*(?:from[ \t]+|import[ \t]+(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*)(?:{named})\b"


def hint_of_unknown_mark(text: bytes, file: str) -> str | None:
    """Return a hint on a decorator in a file without tools that may register some, given by its name; else None."""
    found = _UNKNOWN_MARK.search(text)
    if found is None:
        return None
    name = found[1].decode(errors="replace")
    return (
        f"'@{name}' in '{file}' is not a mark of a known framework; if it registers tools, name it in 'tool-decorators'"
    )


def hint_of_use(using: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return a hint on files without tools, each with the titles of the frameworks that it imports."""
    return f"nothing that registers a tool was found in files that import a framework: {shown_files(using)}"


def shown_files(using: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return the first files, such as `'a.py' (CrewAI), 'b.py'`, and the number of the others."""
    shown = ", ".join(
        f"'{file}'" + (f" ({', '.join(titles)})" if titles else "") for file, titles in using[:_MOST_FILES]
    )
    return f"{shown} and {len(using) - _MOST_FILES} more" if len(using) > _MOST_FILES else shown


_MOST_FILES = 5


class ToolHints:
    """Decides about files; a file that others import is read once."""

    def __init__(
        self, files_of: Callable[[str, Imported], Iterable[str]], own_decorators: Collection[str] = ()
    ) -> None:
        """Create an empty cache.

        Args:
            files_of: Returns the files in the project that an import of a file may read.
            own_decorators: The project's decorators that register tools: their names, or dotted names.
        """
        self._files_of = files_of
        self._own_decorators = {name.rpartition(".")[2].encode() for name in own_decorators}
        self._known: dict[tuple[str, str], bool] = {}

    def may_have_tools(self, file: str, text: bytes) -> bool:
        """Whether a file, given by its real path and its text, may define a tool.

        It imports a framework, has a mark or the key of a schema, is part of a framework's package and has the classes
        of tools, or takes a base class, a decorator or a function from a file that may.
        """
        if any(name in text for name in self._own_decorators) or _DECLARES.search(text) or _has_form(text):
            return True
        if _BELOW_TOOL.search(text) and any(names_in_frameworks(file, "Tool")):
            return True
        return _may_define(text) or self._takes_from_others(file, text, _used_in(text))

    def _takes_from_others(self, file: str, text: bytes, names: Collection[str]) -> bool:
        taken = (imported for name, imported in _imports_in(text) if name in names or name == "*")
        return any(self._leads_to_tools(other, one.name or "*") for one in taken for other in self._files_of(file, one))

    def _leads_to_tools(self, file: str, name: str) -> bool:
        """Whether a name in a file may come from a framework."""
        if (file, name) not in self._known:
            self._known[file, name] = False  # during the lookup, which ends cycles
            with suppress(OSError):
                text = bounded_bytes(file)
                known = _may_define(text) or self._takes_from_others(file, text, {name, *_used_in(text)})
                self._known[file, name] = known
        return self._known[file, name]


def _may_define(text: bytes) -> bool:
    """Whether the text imports a framework, has a mark, or makes definitions; see `own_bases` and `describers`."""
    if mentions_framework(text):
        return True
    names = _NAMES_ITSELF.search(text) or _NAMES_FUNCTION.search(text)
    return names is not None and _SCHEMA.search(text) is not None


def _has_form(text: bytes) -> bool:
    """Whether the text may have a definition of a tool that only its form shows; see `data_forms`."""
    is_function = b"parameters" in text and (any(one in text for one in _QUOTED) or b"functions=" in text)
    if is_function or any(one in text for one in _FORMS) or _OF_OTHERS.search(text) or _MAPS.search(text):
        return True
    return _describes_functions(text)


def _describes_functions(text: bytes) -> bool:
    """Whether the text may have a table of functions or objects that are tools; see `described_functions`."""
    return (b"tool" in text or b"TOOL" in text or b"Tool" in text) and _DESCRIBED.search(text) is not None


def _used_in(text: bytes) -> set[str]:
    """Return the names from which the text takes base classes and decorators, and those that it calls."""
    parts = (part for found in _USES.finditer(text) for part in found.groups() if part)
    return {name.decode(errors="replace") for part in parts for name in _WORD.findall(part)}


def _imports_in(text: bytes) -> Iterator[tuple[str, Imported]]:
    """Yield the imports of modules that are not part of Python, each with the name that it binds."""
    for dots, module, names, modules in (found.groups(b"") for found in _IMPORTS.finditer(text)):
        source = module.decode(errors="replace")
        if modules:
            for part in modules.split(b","):
                name, _, alias = part.decode(errors="replace").strip().partition(" as ")
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names:
                    yield (alias.strip() or top), Imported(name if alias else top)
        elif dots or source.partition(".")[0] not in sys.stdlib_module_names:
            for part in _COMMENT.sub(b"", names).strip(b"() \t\r\n").split(b","):
                name, _, alias = part.decode(errors="replace").strip().partition(" as ")
                if name:
                    yield (alias.strip() or name), Imported(source, len(dots), name)
