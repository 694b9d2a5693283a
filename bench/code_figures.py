"""Print how large the code is and how it hangs together: `python -m bench.code_figures`.

Code lines are lines without blanks, comments and docstrings. The question is one before a destructive tool, answered on
a terminal by `toolkit run tools.py:wipe path=x`.
"""

import ast
import os
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pexpect

ROOT = Path(__file__).parents[1]
PACKAGES = ("toolkit", "cli/toolkit_cli")
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}
TOOL = '''
from toolkit import tool


@tool(destructive=True)
def wipe(path: str) -> str:
    """Wipe a file."""
    return f"wiped {path}"
'''
PROBE = """
import atexit, sys
from toolkit_cli.main import main
atexit.register(lambda: open("seen.txt", "w").write("\\n".join(sys.modules)))
sys.exit(main())
"""


def main() -> None:
    """Print one figure per line."""
    files = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    trees = {file: ast.parse(file.read_text("utf-8")) for file in files}
    sizes = {file: len(code_lines(file, tree)) for file, tree in trees.items()}
    names = Counter(file.stem for file in files if not file.stem.startswith("__"))
    figures = {
        "modules": len(files),
        "code lines": sum(sizes.values()),
        "code lines of the median module": sorted(sizes.values())[len(sizes) // 2],
        "noqa": sum(file.read_text("utf-8").count("# noqa") for file in files),
        "late imports": sum(len(late_imports(tree)) for tree in trees.values()),
        "module names that occur twice or more": sum(1 for times in names.values() if times > 1),
        "modules executed by a run with a question": len(executed()),
    }
    for name, figure in figures.items():
        print(f"{figure:>7,}  {name}")


def code_lines(file: Path, tree: ast.Module) -> set[int]:
    """Return the numbers of the lines with code."""
    with file.open("rb") as source:
        tokens = [token for token in tokenize.tokenize(source.readline) if token.type not in NO_CODE]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    return lines - {line for text in docstrings(tree) for line in range(text.lineno, (text.end_lineno or 0) + 1)}


def docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield every string that is a statement of its own."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text


def late_imports(tree: ast.Module) -> set[ast.stmt]:
    """Return the imports inside functions."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node for one in functions for node in ast.walk(one) if isinstance(node, ast.Import | ast.ImportFrom)}


def executed() -> list[str]:
    """Return the modules of ours that a run with one question has imported when it ends."""
    with TemporaryDirectory() as folder:
        Path(folder, "tools.py").write_text(TOOL, "utf-8")
        variables = {name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")}
        quiet = {"PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm", "XDG_STATE_HOME": f"{folder}/state"}
        words = ["-c", PROBE, "run", "tools.py:wipe", "path=x"]
        child = pexpect.spawn(sys.executable, words, cwd=folder, env=variables | quiet, encoding="utf-8", timeout=60)
        child.expect_exact("stop the run")
        child.expect_exact("     >")
        child.send("o\r")
        child.expect_exact("wiped x")
        child.expect(pexpect.EOF)
        child.close()
        loaded = Path(folder, "seen.txt").read_text("utf-8").splitlines()
    return [name for name in loaded if name.partition(".")[0] in {"toolkit", "toolkit_cli"}]


if __name__ == "__main__":
    main()
