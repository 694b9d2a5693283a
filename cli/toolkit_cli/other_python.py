"""Continues a command with another Python, whose packages the user's modules need."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_OWN: Final = "toolkit-cli"
_EXTRAS: Final = "all,tools"
_SUFFIXES: Final = frozenset({".py", ".so", ".pyd"})

Python = Annotated[
    str | None,
    typer.Option(
        "--python",
        metavar="PYTHON",
        help="Run with this interpreter, and import modules with its packages, such as .venv/bin/python.",
        show_default=False,
    ),
]


def continue_with(python: str | None) -> None:
    """Start the whole command again with another Python in place of this process, unless that has happened.

    The other Python uses its own packages, and ours where it has none.

    Args:
        python: The interpreter, the folder of an environment, or the name of a command; None for the current one.

    Raises:
        ConfigurationError: If it is not an interpreter that can run this program.
    """
    if python is None:
        return
    from toolkit.lint.configuration import interpreters  # few commands use another one

    if interpreters.is_started_by_another():
        return
    modules = _needed_modules()
    found = interpreters.find_interpreter(python, modules)
    command = [*found.command("toolkit_cli.main", modules), *sys.argv[1:]]
    console.give_back_stdout()
    if os.name == "nt":  # there, `exec` returns to the shell at once
        sys.exit(subprocess.run(command, check=False).returncode)  # noqa: S603 - the user chose the command
    os.execv(command[0], command)  # noqa: S606 - as above


def _needed_modules() -> Mapping[str, str]:
    """Return the modules of all distributions that this program requires, with the name of their distribution."""
    from importlib.metadata import PackageNotFoundError, distribution  # few commands use another Python

    modules: dict[str, str] = {}
    wanted, seen = [f"{_OWN}[{_EXTRAS}]"], set()
    while wanted:
        requirement = wanted.pop()
        if requirement in seen:
            continue
        seen.add(requirement)
        name, _, extras = requirement.partition("[")
        try:
            found = distribution(name)
        except PackageNotFoundError:  # for another platform, or not installed
            continue
        if name != _OWN:
            modules |= dict.fromkeys(_modules_in(found), name)
        wanted += _requirements(found.requires or (), extras.rstrip("]").split(","))
    return modules


def _requirements(written: Iterable[str], extras: Sequence[str]) -> Iterator[str]:
    """Yield each requirement without its versions and markers, but for those of other extras."""
    for one in written:
        of_extra = re.search(r"extra\s*==\s*[\"']([^\"']+)", one)
        found = re.match(r"[\w.-]+(\[[^\]]*\])?", one)
        if found and (of_extra is None or of_extra[1] in extras):
            yield found[0].replace(" ", "").lower()


def _modules_in(found: "Distribution") -> set[str]:
    """Return the modules and packages that a distribution has at the top."""
    tops = {file.parts[0] for file in found.files or () if file.suffix in _SUFFIXES}
    return {top.partition(".")[0] for top in tops if top.partition(".")[0].isidentifier()}


def absolute_python(python: str) -> str:
    """Return the absolute path of an interpreter that the user named.

    Raises:
        ConfigurationError: If there is none.
    """
    from toolkit.lint.configuration.interpreters import executable_of  # few commands use another one

    return executable_of(python)


def refuse_python(python: str | None, why: str) -> None:
    """Check that no other Python was named.

    Args:
        python: The value of the option.
        why: Why it has no effect.

    Raises:
        Failure: If one was.
    """
    if python is not None:
        raise Failure(ExitCode.USAGE, f"{why}, so '--python' has no effect", hint="leave out one of them")
