"""Where a part needs Unix: the page on platforms names it, and without it everything else still works."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "platforms.md").read_text("utf-8")
MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
KEYWORDS = {"dir_fd", "src_dir_fd", "start_new_session"}
NAMES = {"fork", "getegid", "geteuid", "getpgid", "getuid", "killpg", "register_at_fork", "setsid", "SIGHUP", "SIGKILL"}
WORDS = re.compile(rf"\b({'|'.join(MODULES | NAMES | KEYWORDS)})\b")

WITHOUT_UNIX = f"""
import importlib, os, pkgutil, signal, sys
import toolkit, toolkit_cli

def load_everything():
    for package in (toolkit, toolkit_cli):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if module.name not in ("toolkit.processes.warden", "toolkit_cli.__main__"):  # they are programs
                importlib.import_module(module.name)

load_everything()  # so that all that others offer is there: they have ways of their own on every system
for name in [name for name in sys.modules if name.partition(".")[0] in ("toolkit", "toolkit_cli")]:
    del sys.modules[name]
for name in {sorted(MODULES)}:
    sys.modules[name] = None
for name in {sorted(NAMES)} + ["O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_NOCTTY"]:
    for module in (os, signal):
        if hasattr(module, name):
            delattr(module, name)
import toolkit, toolkit_cli
load_everything()

from pathlib import Path
from toolkit_cli.main import main
for arguments in (["run", "calculator", "2^3^2"], ["schema", "tools.py"], ["run", "tools.py:greet", "name=Ada"],
                  ["run", "file_read", "path=tools.py"], ["lock", "tools.py"]):
    try:
        print(main(arguments))
    except SystemExit as ending:
        print(ending.code)
from toolkit.leftovers import temporary  # private
with temporary(Path("kept")):
    pass
"""

TOOLS = '''from toolkit import tool


@tool(read_only=True)
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello, {name}"
'''


def needs_unix(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=names):
            return any(alias.name in MODULES for alias in names)
        case ast.ImportFrom(module=module):
            return module in MODULES
        case ast.Attribute(value=ast.Name(id="os" | "signal"), attr=attribute):
            return attribute in NAMES
        case ast.keyword(arg=argument):
            return argument in KEYWORDS
    return False


def files_that_need_unix() -> set[str]:
    """Return the files of the program that use what only Unix has."""
    files = [*(ROOT / "toolkit").rglob("*.py"), *(ROOT / "cli" / "toolkit_cli").rglob("*.py")]
    texts = {file: file.read_text("utf-8") for file in files}
    return {
        str(file.relative_to(ROOT))
        for file, text in texts.items()
        if WORDS.search(text) and any(map(needs_unix, ast.walk(ast.parse(text))))
    }


@pytest.mark.proof
def test_page_on_platforms_names_every_file_that_uses_what_only_unix_has():
    assert set(re.findall(r"`((?:toolkit|cli)/[\w/]+\.py)`", PAGE)) == files_that_need_unix()


@pytest.mark.proof
def test_everything_loads_and_works_without_what_only_unix_has(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS)
    finished = subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    assert re.sub(r"(?s)^{$.*^}$", "{…}", finished.stdout, flags=re.MULTILINE).split("\n") == [
        *("512", "0"),
        *("{…}", "0"),
        *("Hello, Ada", "0"),
        "2",
        "4",
        "",
    ]
    assert finished.stderr == (
        "error[TK003]: the ready tool 'file_read' cannot be used here: this system cannot open files relative to a directory handle,"
        " so the file tools could not be confined to their directory; they need Linux, macOS or another Unix\n"
        "error[TK001]: there is no 'toolkit.lock'\nhint: `toolkit lock --update tools.py` writes it\n"
    )
