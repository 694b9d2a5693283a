"""TK511: a command, a query or code that is built from text."""

import ast
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise

from toolkit.codes import SHELL_STRING
from toolkit.lint.clues.arithmetic import is_arithmetic
from toolkit.lint.clues.effects import leading_text
from toolkit.lint.clues.guards import carriers_of, carries, only_value
from toolkit.lint.clues.query_parts import QueryParts, Source, parts_of
from toolkit.lint.clues.wording import CODE, EXECUTING, EXECUTORS
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.names import words_of

_PROCESSES = {
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
}
_SHELLS = {
    "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell",
}  # fmt: skip
_SPLIT_RUNNERS = {*_PROCESSES, "asyncio.create_subprocess_exec"}
_CODE = {"eval", "exec", "builtins.eval", "builtins.exec"}
_REVIVING = {
    "pickle.loads", "pickle.load", "marshal.loads", "marshal.load", "dill.loads", "dill.load", "shelve.open", "yaml.unsafe_load",
    "yaml.unsafe_load_all",
}  # fmt: skip
_YAML = {"yaml.load", "yaml.load_all"}
_OPEN_LOADERS = {f"yaml.{name}" for name in ("Loader", "CLoader", "UnsafeLoader", "CUnsafeLoader")}
_EXECUTING = {"execute", "executemany", "executescript"}
_ACCEPTED = re.compile(r"#\s*(?:noqa:[^#\n]*\bS\d|nosec\b)")
_SQL = re.compile(r"\s*(?:select|insert|update|delete|drop|create|alter|replace|truncate|with)\b", re.IGNORECASE)

_BEFORE_NAME = re.compile(r"""\b(?:from|join|into|update|table|exists|order\s+by)\s+["'`\[]?$""", re.IGNORECASE)
_VALUES = "write placeholders, and pass the values separately"
_NAMES_ONLY = "compare the name with those that the database has; placeholders are only for values"


class ShellString(Rule):
    '''A tool builds a shell command, a query or code from text that it receives.

    ## Why

    What a model sends may come from anywhere: from a web page that it read, or from an e-mail. In a shell, `;` and
    `$()` start another command. In SQL, a quote ends the string. `eval` and `pickle` run whatever they receive, and
    `command.split()` lets the text choose the program or add options. Quoting by hand fails sooner or later; arguments
    in a list and placeholders in a query cannot be misinterpreted.

    In tools of other frameworks, a call with a comment such as `# noqa: S307` or `# nosec` is an `info`: somebody looked
    at it. So is a query that only gets names of tables from text, for which no placeholder can stand. Text that is
    compared with the characters of formulas before `eval`, or whose syntax tree is checked, is not reported.

    ## Example

    ```python
    import subprocess

    from toolkit import tool


    @tool(read_only=True)
    def history(branch: str) -> str:
        """Tell what was done in a branch."""
        return subprocess.run(f"git log {branch}", shell=True, capture_output=True, text=True).stdout
    ```

    ## Instead

    ```python
    import subprocess

    from toolkit import tool


    @tool(read_only=True)
    def history(branch: str) -> str:
        """Tell what was done in a branch."""
        command = ["git", "log", "--end-of-options", branch]
        return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
    ```

    ## Source

    - CWE-78, [OS command injection](https://cwe.mitre.org/data/definitions/78.html), CWE-89 and CWE-95 (checked 2026-11-22)
    - CVE-2025-53107, a git server for MCP that put its arguments into a shell (checked 2026-11-22)
    '''

    code = SHELL_STRING
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        if function.written is not None and _says_that_it_runs_code(function):
            return  # that is reported once, as a tool without approval
        calls = [node for node in function.nodes if isinstance(node, ast.Call) and node.args]
        fixed = _constants(function) if any(_may_run(function, node) for node in calls) else set()
        for node in calls:
            if found := _find(function, node, fixed):
                message, hint = found
                message = f"tool {function.tool_name!r} {message}"
                is_mild = _is_accepted(function, node) or (function.written is not None and hint == _NAMES_ONLY)
                severity = "info" if is_mild else self.severity
                yield self.problem(message, function.file.location(node), hint=hint, severity=severity)


def _is_accepted(function: PythonFunction, node: ast.Call) -> bool:
    """Whether a comment for a security linter accepts a call in a tool of another framework."""
    lines = function.file.text.splitlines()[node.lineno - 1 : node.end_lineno]
    return function.written is not None and any(map(_ACCEPTED.search, lines))


def _says_that_it_runs_code(function: PythonFunction) -> bool:
    """Whether a tool's name says that it runs any code or command, such as `execute_code` or `bash`."""
    words = set(words_of(function.tool_name))
    return bool(words & CODE) and (words - {"tool"} <= CODE or bool(words & (EXECUTORS | EXECUTING)))


def _may_run(function: PythonFunction, node: ast.Call) -> bool:
    """Whether a call may run its first argument, so that it matters whether that is constant."""
    is_query = isinstance(node.func, ast.Attribute) and node.func.attr in _EXECUTING
    runners = {*_SHELLS, *_SPLIT_RUNNERS, *_CODE, *_REVIVING, *_YAML}
    return is_query or (function.file.meaning(node.func) or "") in runners


def _find(function: PythonFunction, node: ast.Call, fixed: set[str]) -> tuple[str, str] | None:
    meaning = function.file.meaning(node.func) or ""
    given = node.args[0] if node.args else None
    if given is None or _is_fixed(given, fixed):
        return None
    if meaning in _SHELLS or (meaning in _PROCESSES and _has_shell(node) and not isinstance(given, ast.List)):
        return (
            f"passes a shell command to '{meaning}'",
            "pass the program and its arguments as a list, without a shell",
        )
    if meaning in _SPLIT_RUNNERS and _is_split_text(function, given):
        return (
            f"splits text into a command for '{meaning}', so the text chooses the program or its options",
            "write the program's name, and pass each argument as a separate list item",
        )
    if meaning in _CODE:
        hint = "parse it: `json` for data, `ast.literal_eval` for values, and `ast.parse` for formulas, of which you compute what you allow"
        is_harmless = function.written is not None and is_arithmetic(function, given)
        return None if is_harmless else (f"runs text as code with '{meaning.removeprefix('builtins.')}'", hint)
    if meaning in _REVIVING or (meaning in _YAML and _has_open_loader(function, node)):
        return f"deserialises objects with '{meaning}', which can run code in them", "keep the data as JSON"
    is_query = isinstance(node.func, ast.Attribute) and node.func.attr in _EXECUTING
    query = only_value(function, given)
    if is_query and _SQL.match(leading_text(query)) and _is_decided_elsewhere(function, node):
        return "builds a query from text", _NAMES_ONLY if _has_only_names(query) else _VALUES
    return None


def _is_decided_elsewhere(function: PythonFunction, call: ast.Call) -> bool:
    """Whether a parameter decides on a part of a query, or nobody knows what does, and no values are passed."""
    query = only_value(function, call.args[0])
    known = QueryParts(function)
    sources = {source for part in parts_of(query) for source in known.of(part)}
    if query is not call.args[0]:
        sources = (sources | known.of(call.args[0])) - {Source.UNKNOWN}
    return Source.PARAMETER in sources or (Source.UNKNOWN in sources and len(call.args) == 1 and not call.keywords)


def _has_only_names(query: ast.expr) -> bool:
    """Whether a query only gets names of tables and columns, which no placeholder can stand for."""
    parts = query.values if isinstance(query, ast.JoinedStr) else []
    before = [leading_text(one) for one, after in pairwise(parts) if isinstance(after, ast.FormattedValue)]
    return bool(before) and all(map(_BEFORE_NAME.search, before))


def _is_split_text(function: PythonFunction, given: ast.expr) -> bool:
    """Whether a command is the text of a parameter, split at spaces."""
    parts = [given.value] if isinstance(given, ast.Starred) else [given]
    parts = [part for one in parts for part in (one.elts if isinstance(one, ast.List) else [one])]
    texts = [text for part in parts if (text := _split_text(function, part)) is not None]
    return any(_carries_any(function, text) for text in texts)


def _carries_any(function: PythonFunction, text: ast.expr) -> bool:
    """Whether an expression contains the text of a parameter."""
    return any(carries(text, carriers_of(function, parameter.name)) for parameter in function.parameters)


def _split_text(function: PythonFunction, part: ast.expr) -> ast.expr | None:
    """Return what an expression splits: `text` in `text.split()`, `*text.split()` or `shlex.split(text)`."""
    part = part.value if isinstance(part, ast.Starred) else part
    part = only_value(function, part)
    match part:
        case ast.Call(func=ast.Attribute(attr="split"), args=[text, *_]) if (
            function.file.meaning(part.func) == "shlex.split"
        ):
            return text
        case ast.Call(func=ast.Attribute(value=text, attr="split")):
            return text
        case ast.Call(func=ast.Name(), args=[text, *_]) if function.file.meaning(part.func) == "shlex.split":
            return text
    return None


def _has_open_loader(function: PythonFunction, node: ast.Call) -> bool:
    """Whether YAML is read by a loader that can create any object."""
    named = [one.value for one in node.keywords if one.arg == "Loader"]
    return any(function.file.meaning(one) in _OPEN_LOADERS for one in [*node.args[1:2], *named])


def _has_shell(node: ast.Call) -> bool:
    return any(
        one.arg == "shell" and not (isinstance(one.value, ast.Constant) and not one.value.value)
        for one in node.keywords
    )


def _is_fixed(node: ast.expr, fixed: set[str]) -> bool:
    """Whether an expression consists only of constants and of names that the file sets to constants."""
    names = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    if any(isinstance(one, ast.Call) and getattr(one.func, "attr", "") != "format" for one in ast.walk(node)):
        return False
    return all(one.id in fixed for one in names)


def _constants(function: PythonFunction) -> set[str]:
    """Return the names that are only set to constants, in the file and in the function, without its parameters."""
    given: dict[str, list[ast.expr]] = {}
    for node in [*function.file.tree.body, *function.nodes]:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name) and node.value:
            given.setdefault(node.target.id, []).append(node.value)
    own = {parameter.name for parameter in function.all_parameters}
    return {
        name
        for name, values in given.items()
        if name not in own and all(_is_constant(value, given, own) for value in values)
    }


def _is_constant(value: ast.expr, given: Mapping[str, Sequence[ast.expr]], own: Container[str]) -> bool:
    """Whether a value is a constant, or any item of a dictionary or list of constants."""
    match value:
        case ast.Constant():
            return True
        case ast.Subscript(value=ast.Name(id=name)) if name not in own:
            tables = given.get(name, ())
            return bool(tables) and all(_holds_constants(table) for table in tables)
    return False


def _holds_constants(table: ast.expr) -> bool:
    match table:
        case ast.Dict(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
            return all(isinstance(value, ast.Constant) for value in values)
    return False
