"""Runs another Python that opens users' modules with its packages, so that this package can be installed separately."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Collection, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolkit.codes import BAD_CONFIGURATION
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.releases import numbers_of
from toolkit.tools.foreign.frameworks import all_packages, package_of

OLDEST: Final = (3, 11)
"""The oldest Python that this package supports."""

_MODULES: Final[Mapping[str, str]] = {
    "annotated_types": "annotated-types",
    "anyio": "anyio",
    "idna": "idna",
    "pydantic": "pydantic",
    "pydantic_core": "pydantic-core",
    "typing_extensions": "typing-extensions",
    "typing_inspection": "typing-inspection",
    "yaml": "pyyaml",
}
"""The modules that opening a user's module requires besides this package, with their names on PyPI."""

_NO_MORE: Final[Mapping[str, str]] = {}
_COMPILED: Final = "pydantic-core"
_START: Final = Path(__file__).parents[1] / "engine" / "interpreter_start.py"
_SECONDS: Final = 30
_INSTEAD: Final = "or only read the source, with --static"

# This also runs on Python versions that we do not support, and imports nothing from the working directory.
_PROBE: Final = """
import sys
sys.path[:] = [entry for entry in sys.path if entry]
import json
def answer(distributions, packages):
    if sys.version_info < (3, 8):
        return {}
    import sysconfig
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec
    def installed(name):
        try:
            return version(name)
        except PackageNotFoundError:
            return None
    def is_there(name):
        try:
            return find_spec(name) is not None
        except (ImportError, ValueError):
            return False
    return {
        "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
        "path": sys.path,
        "places": [sysconfig.get_path(name) for name in ("purelib", "platlib")],
        "installed": {name: installed(name) for name in distributions},
        "packages": [name for name in packages if is_there(name)],
    }
found = answer(*json.loads(sys.argv[1]))
found["numbers"], found["version"] = list(sys.version_info[:2]), sys.version
print("\\n" + json.dumps(found))
"""


class Interpreter(NamedTuple):
    """A Python that opens users' modules.

    Attributes:
        executable: Its path.
        version: Its version.
        path: Its `sys.path`.
        places: The folders of its installed packages.
        packages: The packages of frameworks that are installed.
    """

    executable: str
    version: str
    path: tuple[str, ...]
    places: tuple[str, ...]
    packages: tuple[str, ...]

    def has(self, module: str) -> bool:
        """Return whether the package of a module's framework is installed."""
        return package_of(module) in self.packages

    def command(self, work: str, dependencies: Mapping[str, str] = _NO_MORE) -> list[str]:
        """Return the command that runs the `main` function of a module with this interpreter.

        Its own packages come first. The package of the module and this one are always the current ones; missing
        dependencies are added. Arguments that follow the command are those of the work.

        Args:
            work: The full name of the module.
            dependencies: Modules that the work requires besides those that opening a user's module requires, with
                their names on PyPI.
        """
        ours = {name: _folder_of(name) for name in ("toolkit", work.partition(".")[0])}
        needed = {**_MODULES, **dependencies}
        wanted = {
            "work": work,
            "ours": ours,
            "folders": {name: folder for name in needed if (folder := _folder_of(name))},
            "distributions": [*dict.fromkeys(needed.values())],
        }
        return [self.executable, "-P", str(_START), json.dumps(wanted)]


def is_started_by_another() -> bool:
    """Return whether this process runs such a command."""
    return str(_START) in sys.orig_argv


def find_interpreter(named: str, dependencies: Mapping[str, str] = _NO_MORE) -> Interpreter:
    """Return the interpreter for a path, the path of an environment, or the name of a command.

    Args:
        named: What the user wrote.
        dependencies: Modules that the work requires besides those that opening a user's module requires, with their
            names on PyPI.

    Raises:
        ConfigurationError: If it is not an interpreter that can open modules, with the reason and a fix.
    """
    executable = executable_of(named)
    needed = {*_MODULES.values(), *dependencies.values()}
    found = _probed(executable, named, needed)
    if (numbers := tuple(found["numbers"])) < OLDEST:
        raise _refusal(
            f"'{named}' is Python {_dotted(numbers)}, and toolkit opens modules with {_dotted(OLDEST)} or newer",
            f"choose a newer one, {_INSTEAD}",
        )
    _refuse_packages(named, executable, found, needed)
    return Interpreter(
        executable, found["version"], tuple(found["path"]), tuple(found["places"]), tuple(found["packages"])
    )


def executable_of(named: str) -> str:
    """Return the path of an interpreter that is named by its path, by its environment, or as a command.

    Raises:
        ConfigurationError: If there is none.
    """
    path = Path(named).expanduser()
    if path.is_dir():
        inside = [path / place for place in ("bin/python", "Scripts/python.exe", "python.exe")]
        path = next((one for one in inside if one.is_file()), path)
    if path.is_file():
        return os.path.abspath(path)  # noqa: PTH100 - the target of the link is outside of the environment
    if os.sep not in named and (command := shutil.which(named)):
        return command
    raise _refusal(
        f"there is no Python '{named}'",
        f"name the interpreter that your modules run with, such as --python .venv/bin/python; looked in '{Path.cwd()}'",
    )


def _probed(executable: str, named: str, distributions: Collection[str]) -> dict[str, Any]:
    wanted = json.dumps([[*distributions], [*all_packages()]])
    try:
        ended = subprocess.run(  # noqa: S603 - the user chose the command
            [executable, "-c", _PROBE, wanted],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
        )
        found = json.loads(ended.stdout.splitlines()[-1])
        return {**found, "version": found["version"]}
    except subprocess.TimeoutExpired as error:
        raise _refusal(
            f"'{named}' did not start in {_SECONDS} s", "name the interpreter that your modules run with"
        ) from error
    except OSError as error:
        raise _refusal(
            f"'{named}' cannot be run: {error.strerror}", "name the interpreter that your modules run with"
        ) from error
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise _refusal(f"'{named}' is not a Python interpreter", "name the one that your modules run with") from error


def _refuse_packages(named: str, executable: str, found: Mapping[str, Any], needed: Collection[str]) -> None:
    """Raise an error if the interpreter's packages are incompatible."""
    for distribution, least in _least_versions(needed):
        installed = found["installed"].get(distribution)
        if installed is not None and numbers_of(installed) < numbers_of(least):
            raise _refusal(
                f"'{named}' has {distribution} {installed}, and toolkit opens modules with {least} or newer",
                f"upgrade it: {executable} -m pip install '{distribution}>={least}', {_INSTEAD}",
            )
    is_missing = found["installed"].get(_COMPILED) is None
    if is_missing and found["suffix"] != sysconfig.get_config_var("EXT_SUFFIX"):
        theirs, own = _dotted(found["numbers"]), _dotted(sys.version_info[:2])
        raise _refusal(
            f"'{named}' is Python {theirs} without pydantic, and the one of toolkit works with Python {own} only",
            f"install it there: {executable} -m pip install pydantic, {_INSTEAD}",
        )


def _least_versions(needed: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the oldest supported version of each dependency, according to this package's metadata."""
    try:
        written = requires("toolkit-cli") or ()
    except PackageNotFoundError:
        return
    for one in written:
        found = re.match(r"([\w.-]+?)\s*\(?>=([\d.]+)", one)
        if found and found[1].lower() in needed and "extra ==" not in one:
            yield found[1].lower(), found[2]


def _folder_of(module: str) -> str | None:
    """Return the folder that contains a module of this process."""
    spec = find_spec(module)
    if spec is None:
        return None
    if spec.submodule_search_locations:  # a package, perhaps without a file of its own
        return str(Path(next(iter(spec.submodule_search_locations))).parent)
    return str(Path(spec.origin).parent) if spec.origin else None


def _dotted(numbers: tuple[int, ...] | list[int]) -> str:
    return ".".join(map(str, numbers))


def _refusal(message: str, hint: str) -> ConfigurationError:
    return ConfigurationError(problems=[Problem(BAD_CONFIGURATION, message, hint=hint)])
