"""TK410: a call that may wait forever."""

import ast
from collections.abc import Iterator
from pathlib import Path

from toolkit.codes import NO_TIMEOUT
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.syntax_nodes import is_none

_REQUESTS = {f"requests.{method}" for method in ("get", "post", "put", "patch", "delete", "head", "options", "request")}
_PROCESSES = {"subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output"}
_REMOTE = frozenset(
    {"apt", "apt-get", "aws", "az", "brew", "curl", "docker", "ffmpeg", "gcloud", "gh", "git", "kubectl", "npm", "npx", "pip",
     "pip3", "rsync", "scp", "sftp", "ssh", "sudo", "terraform", "uv", "uvx", "wget", "yarn"}
)  # fmt: skip
"""Programs that wait for a server or a person, or take long."""
_TIMEOUT_AT = {"urllib.request.urlopen": 2, "socket.create_connection": 1}


class NoTimeout(Rule):
    '''A tool waits for a server or a process without a time limit.

    ## Why

    If the server does not answer, the tool waits, and so do the model and the person. `requests` and `urlopen` have
    no timeout by default, and a plain function cannot be stopped from outside: its thread keeps running.

    In tools of other frameworks, a program such as `say`, which is named in the code and uses no network, is only an
    `info`.

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
                severity = "info" if _ends_by_itself(function, meaning, node) else self.severity_of(function)
                place = function.file.location(node)
                yield self.problem(message, place, hint="set one: timeout=10", severity=severity)


def _ends_by_itself(function: PythonFunction, meaning: str, node: ast.Call) -> bool:
    """Whether a tool of another framework starts a program that it names, and that uses no network."""
    match node.args:
        case [ast.List(elts=[ast.Constant(value=str() as program), *_]), *_]:
            return function.written is not None and meaning in _PROCESSES and Path(program).name not in _REMOTE
    return False


def _may_wait(meaning: str, node: ast.Call) -> bool:
    if any(one.arg == "timeout" and not is_none(one.value) for one in node.keywords):
        return False
    if any(one.arg is None for one in node.keywords) or any(isinstance(one, ast.Starred) for one in node.args):
        return False
    if meaning in _TIMEOUT_AT:
        return len(node.args) <= _TIMEOUT_AT[meaning]
    return meaning in _REQUESTS | _PROCESSES
