"""Plays the commands of a session in one environment: each in a process of its own, forked from one that has imported
all of the program, and what the case imports, already. It is given the commands as JSON, and gives what they printed."""

import ast
import gc
import json
import os
import pkgutil
import runpy
import shlex
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path


def main():
    """Read commands from stdin, play them in the current folder, and write what they printed."""
    _import_program()
    for path in Path.cwd().glob("*.py"):
        _import_as(path.read_text("utf-8"))
    gc.freeze()
    json.dump([_played(shlex.split(command)) for command in json.load(sys.stdin)], sys.stdout)


def _import_program():
    """Import every module of the program that can be; a command would import most of them again."""
    for package in (import_module("toolkit"), import_module("toolkit_cli")):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                with suppress(ImportError):  # an extra, or a version of one that the framework does not allow
                    import_module(module.name)


def _import_as(source):
    """Import what a module of the case imports, name by name, since faces import what is behind them late."""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            with suppress(ImportError):  # another module of the case
                exec(compile(ast.Module([statement], []), "imports", "exec"), {})  # noqa: S102 - an import alone


def _played(words):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if (child := os.fork()) == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            _run(words)
        _, status = os.waitpid(child, 0)
        return [_text(out), _text(err), os.waitstatus_to_exitcode(status)]


def _run(words):
    code = 1
    try:
        sys.argv = words
        if words[0] == "toolkit":
            sys.modules["toolkit_cli.main"].main()
        else:
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_path(words[1], run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _text(file):
    file.seek(0)
    return file.read().decode()


if __name__ == "__main__":
    main()
