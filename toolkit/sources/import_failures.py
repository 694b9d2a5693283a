"""Convert an exception while importing a user's module to a problem with a location and a hint."""

import builtins
import os
import pkgutil
import re
import sys
from collections.abc import Iterable
from errno import EACCES, EFBIG
from pathlib import Path
from types import ModuleType
from typing import TypeGuard

from toolkit.codes import DOES_NOT_IMPORT, HIDDEN_MODULE
from toolkit.errors import ConfigurationError
from toolkit.problems import Location, Problem, did_you_mean, set_missing_locations
from toolkit.regular_files import bounded_bytes, bounded_text
from toolkit.source_imports import compiled_files_of
from toolkit.tools.calls.foreign_values import describe_error
from toolkit.tools.calls.results import place_of_raise, traces_of

_MAX_TEXT = 300
_OURS = "toolkit"
_BEHIND_A_GUARD = "move what a script does under `if __name__ == '__main__':`"


def import_problems(error: BaseException, root: str, module: str, file: Location | None) -> list[Problem]:
    """Return the problems of a module that raised an exception while it was imported.

    Args:
        error: The exception.
        root: The folder with the user's own code; the location is that of the innermost call in it.
        module: The name of the module, for messages.
        file: The location to use if the exception has none in the user's own code.

    Returns:
        One problem, or those of the exception, all with a location.
    """
    place = _place_of(error, root) or (_place_of_null(file) if isinstance(error, SyntaxError) and file else file)
    if isinstance(error, ConfigurationError) and error.problems:
        return set_missing_locations(error.problems, place)
    if hidden := _hidden_by_our_package(error, root, place):
        return hidden
    return [Problem(DOES_NOT_IMPORT, _message(error, module), place, hint=_hint_for(error, root))]


def hidden_module(name: str, root: str, place: Location | None) -> list[Problem] | None:
    """Return the problem that our package hides a module of the user with the same name, or `None` if it does not."""
    top, _, below = name.partition(".")
    if top != _OURS or not below:
        return None
    ours = Path(__file__).parents[1]
    folder = next((own for own in _own_namesakes(root) if own.resolve() != ours.resolve() and _holds(own, below)), None)
    if folder is None:
        return None
    return [
        Problem(
            HIDDEN_MODULE,
            f"'{name}' is looked for in the installed package '{_OURS}', which hides your own '{folder.name}'",
            place,
            hint=f"rename '{folder}'; inside it, relative imports (`from .{below} import …`) work too",
            related=((Location(str(folder)), "yours, hidden"), (Location(str(ours)), "the installed package")),
        )
    ]


def _hidden_by_our_package(error: BaseException, root: str, place: Location | None) -> list[Problem] | None:
    """Detect `import toolkit.mine`, `from toolkit import mine` and `toolkit.mine` that found our package instead."""
    match error:
        case ModuleNotFoundError(name=str(name)):
            return hidden_module(name, root, place)
        case ImportError(name=str(module)) if module.partition(".")[0] == _OURS:
            found = re.match(r"cannot import name '(\w+)'", str(error))
            return hidden_module(f"{module}.{found[1]}", root, place) if found else None
        case AttributeError(name=str(name), obj=ModuleType(__name__=module)) if module == _OURS:
            return hidden_module(f"{module}.{name}", root, place)
    return None


def _own_namesakes(root: str) -> list[Path]:
    """Return the user's own `toolkit/` and `toolkit.py`, next to their module and in the working directory."""
    candidates = [Path(folder, name) for folder in (root, Path.cwd()) for name in (_OURS, f"{_OURS}.py")]
    return [candidate for candidate in candidates if candidate.exists()]


def _holds(own: Path, below: str) -> bool:
    """Whether the user's own package may define a name: as a module, or in its own source."""
    first = below.partition(".")[0]
    if (own / first).exists() or (own / f"{first}.py").exists():
        return True
    text = own / "__init__.py" if own.is_dir() else own
    return text.is_file() and re.search(rf"\b{first}\b", bounded_text(text)) is not None


def _message(error: BaseException, name: str) -> str:
    if isinstance(error, SystemExit):
        return f"'{name}' ends the program while it is imported: {exception_text(error)}"
    if isinstance(error, SyntaxError):
        return f"'{name}' cannot be imported: {type(error).__name__}: {_shorten(error.msg or 'invalid syntax')}"
    if _is_unreadable(error):
        return f"'{name}' cannot be read: {str(error.strerror).lower()}"
    return f"'{name}' cannot be imported: {exception_text(error)}"


def _is_unreadable(error: BaseException) -> TypeGuard[OSError]:
    """Return whether a Python file is too large, or the user may not read it."""
    return isinstance(error, OSError) and error.errno in {EACCES, EFBIG} and str(error.filename).endswith(".py")


def exception_text(error: BaseException) -> str:
    """Return the type and message of an exception in one short line, or only the type if it has no message."""
    text = describe_error(error)
    return text.removesuffix(f" ({error.path})") if isinstance(error, ImportError) and error.path else text


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_TEXT else f"{line[:_MAX_TEXT]}…"


def _hint_for(error: BaseException, root: str) -> str:
    return _special_hint(error, root) or _general_hint(error)


def syntax_hint() -> str:
    """Return the hint for a file with a syntax error."""
    version = ".".join(map(str, sys.version_info[:2]))
    return (
        "check this line and the one before it; "
        f"if the file needs a newer Python than {version}, install toolkit for that version"
    )


def _general_hint(error: BaseException) -> str:
    match error:
        case SyntaxError():
            return syntax_hint()
        case ImportError():
            return "check the spelling and the installed version"
        case NameError():
            return "define it or import it first"
        case OSError() if _is_unreadable(error):
            return "move its data to a file of its own" if error.errno == EFBIG else "check the permissions of the file"
    return "this runs whenever the module is imported; move code that can fail into a tool"


def _special_hint(error: BaseException, root: str) -> str | None:
    match error:
        case SystemExit():
            return _BEHIND_A_GUARD
        case ModuleNotFoundError(name=str(name)):
            return _missing_module_hint(name, root)
        case ImportError(name=str(module)):
            return _missing_name_hint(error, module)
        case NameError(name=str(name)) | AttributeError(name=str(name)):
            return did_you_mean(name, _names_in_sight(error))
        case MemoryError():
            return "load big data when a tool is called, not when its module is imported"
        case EOFError():
            return f"it reads input; {_BEHIND_A_GUARD}"
        case SyntaxError(msg=str(message)) if "null bytes" in message or "codec can't decode" in message:
            return "save it as UTF-8 text"
    return None


def _missing_module_hint(name: str, root: str) -> str:
    if "." in name and (parent := sys.modules.get(name.rpartition(".")[0])):
        last = name.rpartition(".")[2]
        siblings = [module.name for module in pkgutil.iter_modules(getattr(parent, "__path__", []))]
        if last in siblings:  # it is there, and its message says why it is not what it was
            return f"install the version of '{name.partition('.')[0]}' that this file was written for"
        return did_you_mean(last, siblings) or f"'{parent.__name__}' has no module '{last}'"
    if compiled := compiled_files_of(name, [root]):
        file = os.path.relpath(compiled[0])
        return f"'{file}' is compiled, and modules in a project are imported from their source: add '{name}.py'"
    known = [*sys.stdlib_module_names, *(module.name for module in pkgutil.iter_modules([root, *sys.path]))]
    near = did_you_mean(name, sorted({one for one in known if not one.startswith("_")}))
    return f"{near.removesuffix('?')}, or is it not installed?" if near else f"install it into {sys.prefix}"


def _missing_name_hint(error: ImportError, module: str) -> str | None:
    found = re.match(r"cannot import name '(\w+)'", str(error))
    if not found:
        return None
    if "circular import" in str(error):
        return "two modules import each other; move what both need into a third"
    return did_you_mean(found[1], dir(sys.modules.get(module)))


def _names_in_sight(error: NameError | AttributeError) -> Iterable[str]:
    if isinstance(error, AttributeError):
        return vars(error.obj) if isinstance(error.obj, ModuleType) else ()
    frames = [trace.tb_frame for trace in traces_of(error)]
    return [*frames[-1].f_locals, *frames[-1].f_globals, *vars(builtins)]


def _place_of(error: BaseException, root: str) -> Location | None:
    """Return the innermost location in the user's own code: the syntax error, or the call that raised."""
    if isinstance(error, SyntaxError) and error.filename and _is_own(error.filename, root):
        return _place_of_syntax(error, error.filename)
    return place_of_raise(error, lambda name: _is_own(name, root))


def _place_of_syntax(error: SyntaxError, file: str) -> Location:
    if not error.lineno:
        return Location(file, 1)  # the encoding is declared, or missing, at the beginning of the file
    column = error.offset or None
    end = error.end_offset if error.end_offset and error.end_offset > 0 and error.end_lineno else None
    return Location(file, error.lineno, column, error.end_lineno if end else None, end)


def _place_of_null(file: Location) -> Location:
    """Return the location of the first null byte, since Python only reports that there is one."""
    before, found, _ = bounded_bytes(file.file).partition(b"\0")
    return file._replace(line=before.count(b"\n") + 1, column=len(before) - before.rfind(b"\n")) if found else file


def _is_own(file: str, root: str) -> bool:
    if file.startswith("<"):  # code without a file, such as the import system's own
        return False
    real = Path(os.path.realpath(file))
    return real.is_relative_to(root) and "site-packages" not in real.parts
