"""TK410: a call that may wait forever."""

import ast
from collections.abc import Iterator
from pathlib import Path

from toolkit.codes import NO_TIMEOUT
from toolkit.lint.clues.effects import leading_text
from toolkit.lint.clues.guards import carriers_of, carries, only_value
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.syntax_nodes import is_none

_REQUESTS = {f"requests.{method}" for method in ("get", "post", "put", "patch", "delete", "head", "options", "request")}
_PROCESSES = {"subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output"}
_REMOTE = frozenset(
    {"apt", "apt-get", "aws", "az", "brew", "curl", "docker", "gcloud", "gh", "kubectl", "npm", "npx", "pip", "pip3", "rsync",
     "scp", "sftp", "ssh", "sudo", "terraform", "uv", "uvx", "wget", "yarn"}
)  # fmt: skip
"""Programs that wait for a server or a person."""
_REMOTE_GIT = frozenset({"clone", "fetch", "ls-remote", "pull", "push", "submodule"})
_TIMEOUT_AT = {"urllib.request.urlopen": 2, "socket.create_connection": 1}


class NoTimeout(Rule):
    '''A tool waits for a server or a process without a time limit.

    ## Why

    If the server does not answer, the tool waits, and so do the model and the person. `requests` and `urlopen` have
    no timeout by default, and a plain function cannot be stopped from outside: its thread keeps running.

    In tools of other frameworks, only what waits for a server or was chosen by the model is a warning: a request,
    `curl`, `git push`, or a command that a parameter contains. Any other program, such as `git status` or `ffmpeg`, is an
    `info`, since it ends by itself.

    ## Example

    ```python
    from urllib.request import urlopen

    from toolkit import tool


    @tool(read_only=True)
    def fetch(city: str) -> str:
        """Fetch the weather of a city."""
        return urlopen(f"https://weather.example/{city}").read().decode()
    ```

    ## Instead

    ```python
    from urllib.request import urlopen

    from toolkit import tool


    @tool(read_only=True)
    def fetch(city: str) -> str:
        """Fetch the weather of a city."""
        return urlopen(f"https://weather.example/{city}", timeout=10).read().decode()
    ```

    ## Source

    - Requests, [Timeouts](https://requests.readthedocs.io/en/latest/user/advanced/#timeouts): "requests do not time out unless a
      timeout value is set explicitly" (checked 2026-11-22)
    '''

    code = NO_TIMEOUT

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for node, meaning in function.calls:
            if _may_wait(meaning, node):
                message = f"tool {function.tool_name!r} waits for '{meaning}' without a timeout"
                is_process = meaning in _PROCESSES
                is_mild = function.written is not None and is_process and _ends_by_itself(function, node)
                hint = "set one, longer than the program may take: timeout=60" if is_process else "set one: timeout=10"
                place = function.file.location(node)
                yield self.problem(message, place, hint=hint, severity="info" if is_mild else self.severity)


def _ends_by_itself(function: PythonFunction, call: ast.Call) -> bool:
    """Whether a tool starts a program of its choice that, as far as the source shows, waits for no server."""
    given = call.args[0] if call.args else None
    if given is None:
        return False
    command = only_value(function, given)
    first = command.elts[0] if isinstance(command, ast.List | ast.Tuple) and command.elts else command
    program, *others = leading_text(first).split() or [""]
    if not program:
        return not any(carries(command, carriers_of(function, one.name)) for one in function.parameters)
    if isinstance(command, ast.List | ast.Tuple):
        others = [leading_text(one) for one in command.elts[1:]]
    name = Path(program).name
    return _REMOTE_GIT.isdisjoint(others) if name == "git" else name not in _REMOTE


def _may_wait(meaning: str, node: ast.Call) -> bool:
    if any(one.arg == "timeout" and not is_none(one.value) for one in node.keywords):
        return False
    if any(one.arg is None for one in node.keywords) or any(isinstance(one, ast.Starred) for one in node.args):
        return False
    if meaning in _TIMEOUT_AT:
        return len(node.args) <= _TIMEOUT_AT[meaning]
    return meaning in _REQUESTS | _PROCESSES
