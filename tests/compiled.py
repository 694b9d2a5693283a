"""Compiled code: what the everyday run starts reads the code that has been compiled once.

Where nothing is compiled yet, as in a new clone, or where Python is not to keep compiled code, every worker of the run
and every program that its tests start would otherwise compile all of the program, and every worker all of the tests.
"""

import compileall
import importlib
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ("toolkit", "cli")
LARGEST = ("dbos", "mcp", "openai", "pydantic_ai", "sqlalchemy")
VARIABLE = "PYTHONDONTWRITEBYTECODE"


def keep_compiled_code() -> None:
    """Let this process, and what it starts, keep what they compile."""
    sys.dont_write_bytecode = False
    os.environ.pop(VARIABLE, None)


def compile_program() -> None:
    """Compile the modules of the program that have changed."""
    for folder in PROGRAM:
        compileall.compile_dir(ROOT / folder, quiet=2, workers=0)


@contextmanager
def packages_compiled(importing: int) -> Iterator[None]:
    """Meanwhile, compile what the program imports of packages that nobody has compiled.

    A process for each processor imports all of the program, and in another order, so that each compiles another part.

    Args:
        importing: How many processes import all of it already, from its beginning on.
    """
    count = 0 if _is_compiled(Path(sysconfig.get_path("purelib"))) else os.cpu_count() or 1
    code = "from tests.warm.interpreter import import_from; import_from({})"
    commands = [[sys.executable, "-c", code.format(number / count)] for number in range(importing, count)]
    processes = [subprocess.Popen(command, cwd=ROOT) for command in commands]
    yield
    for process in processes:
        process.wait()


def _is_compiled(packages: Path) -> bool:
    """Return whether the largest packages have been compiled, by pip or in an earlier run."""
    installed = [packages / name for name in LARGEST if (packages / name).exists()]
    return all((folder / "__pycache__").exists() for folder in installed)


def import_tests(folders: Sequence[Path], worker: int, workers: int) -> None:
    """Import tests, from another place on than the other workers, so that each compiles another part of them.

    Args:
        folders: Where the tests are.
        worker: The number of this worker, from 0 on.
        workers: How many there are.
    """
    files = sorted(file for folder in folders for file in folder.rglob("test_*.py"))
    first = len(files) * worker // workers
    for file in [*files[first:], *files[:first]]:
        # What is wrong with a module is reported where it is collected.
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
