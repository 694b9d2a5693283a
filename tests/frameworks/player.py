"""Plays the commands of a session in one environment: each in a process of its own, forked from one that has imported
the program, and what the case imports, already. It is given the commands as JSON, and gives what they printed."""

import json
import os
import re
import runpy
import shlex
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path

_IMPORTED = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)


def main():
    """Read commands from stdin, play them in the current folder, and write what they printed."""
    import_module("toolkit_cli.main")
    for path in Path.cwd().glob("*.py"):
        for package in _IMPORTED.findall(path.read_text("utf-8")):
            with suppress(ImportError):
                import_module(package)
    json.dump([_played(shlex.split(command)) for command in json.load(sys.stdin)], sys.stdout)


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
