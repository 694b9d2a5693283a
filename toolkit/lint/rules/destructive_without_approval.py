"""TK506: a tool that destroys or sends something without a mark."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.codes import DESTRUCTIVE_WITHOUT_APPROVAL
from toolkit.lint.clues.effects import Effect, effects_of, leading_text, with_option
from toolkit.lint.clues.guards import carriers_of, carries
from toolkit.lint.clues.mocks import is_mock, is_simulation
from toolkit.lint.clues.refusals import only_overwrites
from toolkit.lint.clues.wording import CODE, DESTROYING, EXECUTING, EXECUTORS, QUERIES, READING, SENDING, TELLING
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import FUNCTIONS, last_name
from toolkit.source_code.syntax_nodes import FunctionNode
from toolkit.tools.definition.names import words_of

_OF_ANY_TOOL = {"name", "tool_name", "description"}
_ASKING = {"confirm", "confirmed", "confirmation", "approve", "approved", "dry"}
_RUNNING = {"eval", "exec", "os.system", "os.popen", "asyncio.create_subprocess_shell"}
_STARTING = {
    "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
    "asyncio.create_subprocess_exec",
}  # fmt: skip
_SANDBOX = re.compile(r"sandbox", re.IGNORECASE)
_SHELLS = {"bash", "shell", "powershell", "terminal"}
_IN_FULL = dict.fromkeys(("del", "hdel", "lrem", "srem", "zrem", "xdel", "flushdb", "flushall"), "delete")
_CACHES = {"cache", "cached", "caches"}
_CARTS = {"cart", "basket"}
_ITEM_OF_ORDER = {"remove", "item", "order"}
_OF_FILES = {"os.remove", "os.unlink", ".unlink()"}
_PAYING = {"pay", "refund", "purchase", "charge"}
_REPORTING = {"print", "debug", "info", "warning", "error", "exception", "report_progress", "dumps", "append", "get"}
_LOSS = re.compile(r"\b(?:delete|remove|drop|destroy|erase|purge|cancel|terminate|kill|truncate)", re.IGNORECASE)
_RUNS = {
    "task", "tasks", "job", "jobs", "run", "execution", "operation", "generation", "benchmark", "build", "workflow",
}  # fmt: skip
_PLANNED = {"scheduled", "planned", "recurring"}
_LINKS = {"to", "from", "in", "into", "of"}
_ANYWHERE = (DESTROYING | SENDING) - {"charge", "drop", "exec", "execute", "kill", "publish", "transfer"}
"""The verbs that are hardly ever nouns, and so may follow another word."""


class _Reason(NamedTuple):
    """Why a tool is dangerous: in the words of the message, and either a verb in its name or an effect of its body."""

    text: str
    verb: str = ""
    effect: Effect | None = None


class DestructiveWithoutApproval(Rule):
    '''A tool destroys, sends or runs something, but is not marked as destructive.

    ## Why

    A tool marked `destructive=True` or `requires_approval=True` runs only after the call was approved: on the command
    line, in a pipeline, over MCP and in an agent. A tool without a mark runs whenever a model chooses it, and what it
    deletes is gone. The rule reports tools whose name begins with a verb such as `delete` or `send`, and tools whose
    body deletes files, database rows, or something on a server (`httpx.delete`, `Request(url, method="DELETE")`). If
    nothing can be lost, declare it: `destructive=False`, `read_only=True`, or any value of `requires_approval`.

    In tools of other frameworks, it is an error only if the framework has a mark that somebody reads, such as the
    annotations of an MCP server, and the code shows the loss; otherwise, it is an `info`. The code shows it if a name such as `delete_page` goes
    with a body that calls or passes on something such as `client.delete_page` or `"DELETE"`, and if a body deletes files,
    rows or something on a server, and the name or the description says so. It is an error too if a tool whose name says
    that it runs code does so itself, with `eval`, a shell or a program that the source does not name, and if a tool is called `pay`, `refund`,
    `purchase` or `charge`. To send, transfer, publish or deploy something is always an `info`, and so is to execute a query.

    It is also an `info` if the tool has a parameter such as `confirm` or `dry_run`, and for a name
    alone if nothing lasting is lost: in a simulation, which only changes variables of its file; for an
    entry of a cache; for a task or a job that is cancelled
    while it runs; for an item of a shopping cart; and for what another function of the file puts back with the same arguments,
    such as `add_stopword` beside `remove_stopword`. It is an `info` too if files are only deleted where a parameter
    `overwrite`, `False` by default, is set, and in samples and old copies, such as a file `server_legacy.py`.

    ## Example

    ```python
    import shutil

    from toolkit import tool


    @tool
    def delete_project(name: str) -> str:
        """Delete a project with all its files."""
        shutil.rmtree(name)
        return "deleted"
    ```

    ## Instead

    ```python
    import shutil

    from toolkit import tool


    @tool(destructive=True)
    def delete_project(name: str) -> str:
        """Delete a project with all its files."""
        shutil.rmtree(name)
        return "deleted"
    ```

    ## Source

    - MCP 2025-11-25, [Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools): "there SHOULD always be
      a human in the loop with the ability to deny tool invocations" (checked 2026-11-22)
    - OWASP, [Excessive Agency](https://genai.owasp.org/llmrisk/llm062025-excessive-agency/): high-impact actions need
      approval (checked 2026-11-22)
    '''

    code = DESTRUCTIVE_WITHOUT_APPROVAL
    severity = "error"
    fix = "unsafe"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        function = tool.function
        if function is None or tool.origin != "python" or _is_declared(tool, function):
            return
        if function.mark is None and tool.framework is None:
            return
        reason = _reason(tool.name if tool.is_named else "", function)
        if reason:
            message = f"tool {tool.name!r} {reason.text}, but is not marked as destructive or as requiring approval"
            severity = "info" if _is_mild(tool, function, reason) else self.severity
            fix = self._marking(tool, function)
            yield self.problem(message, tool.location, hint=_hint(tool), fix=fix, severity=severity)

    def _marking(self, tool: ToolDefinition, function: PythonFunction) -> Fix | None:
        if tool.framework is not None or function.mark is None:
            return None
        return self.fixed_by("Mark it as destructive", with_option(function, function.mark, "destructive=True"))


def _hint(tool: ToolDefinition) -> str:
    if tool.terms is None:
        return "write @tool(destructive=True), or destructive=False if nothing can be lost"
    ways = [way for way in (tool.terms.approval, tool.terms.effects) if way]
    choices = " or ".join(way.replace("NAME", tool.name) for way in ways)
    return f"write {choices}" if choices else "ask a person for approval in your program before such a call"


def _is_mild(tool: ToolDefinition, function: PythonFunction, reason: _Reason) -> bool:
    return tool.framework is not None and (
        not _has_mark(tool)
        or _is_guarded(tool)
        or _is_harmless(tool, function, reason)
        or not _is_shown(tool, function, reason)
        or (reason.effect is not None and only_overwrites(function))
    )


def _has_mark(tool: ToolDefinition) -> bool:
    """Whether the framework of a tool has a mark for what is dangerous, which its servers or agents read."""
    return tool.terms is not None and bool(tool.terms.approval or tool.terms.effects)


def _is_shown(tool: ToolDefinition, function: PythonFunction, reason: _Reason) -> bool:
    """Whether both the body of another framework's tool and its name or description say that something is lost.

    A name alone may mean an inactive draft, a handover to a person or an answer to the user; a file that is deleted by
    a tool whose name does not say so is nearly always one that the tool has made, unless a parameter has its path.
    """
    is_called_so = bool(DESTROYING.intersection(words_of(tool.name if tool.is_named else function.name)))
    if reason.effect is not None:
        is_said = _LOSS.search(tool.description or "") is not None and not _is_own_file(function, reason.effect)
        return is_called_so or is_said
    if reason.verb in EXECUTING:
        return any(_runs_anything(node, meaning) for node, meaning in function.calls)
    return reason.verb in _PAYING or (reason.verb not in SENDING and _mentions_loss(function))


def _runs_anything(node: ast.Call, meaning: str) -> bool:
    """Whether a call runs code, a shell command, or a program that the source does not name."""
    if meaning not in _STARTING:
        return meaning in _RUNNING
    given = node.args[0] if node.args else None
    first = given.elts[0] if isinstance(given, ast.List | ast.Tuple) and given.elts else given
    return not isinstance(first, ast.Constant)


def _is_own_file(function: PythonFunction, effect: Effect) -> bool:
    """Whether a single file is deleted whose path no parameter contains, such as one that the tool has made before."""
    if effect.what not in _OF_FILES:
        return False
    given = effect.node.args[0] if effect.node.args else getattr(effect.node.func, "value", effect.node.func)
    return not any(carries(given, carriers_of(function, one.name)) for one in function.parameters)


def _mentions_loss(function: PythonFunction) -> bool:
    """Whether a body calls or passes on something whose name, or the text that it receives, says that it destroys."""
    for node in function.nodes:
        match node:
            case ast.Delete(targets=[ast.Subscript(), *_]):
                return True
            case ast.Attribute(attr=name) | ast.Name(id=name) if isinstance(node.ctx, ast.Load):
                if DESTROYING.intersection(words_of(name)):
                    return True
            case ast.Call(func=called, args=args) if not _only_reports(last_name(called)):
                if any(_LOSS.search(leading_text(one)) for one in args):
                    return True
    return False


def _only_reports(name: str) -> bool:
    return name in _REPORTING or name[:1].isupper() or "log" in words_of(name)


def _is_guarded(tool: ToolDefinition) -> bool:
    """Whether a tool of another framework asks by itself, such as with a parameter `confirm` or `dry_run`."""
    return tool.framework is not None and any(_ASKING.intersection(words_of(one.name)) for one in tool.parameters)


def _is_harmless(tool: ToolDefinition, function: PythonFunction, reason: _Reason) -> bool:
    """Whether only the name of another framework's tool says that it does harm: a mock, or one that runs code in a sandbox."""
    if reason.effect is not None:
        return False
    if reason.verb == "execute":
        runs_here = any(meaning in _RUNNING for _, meaning in function.calls)
        return not runs_here and _SANDBOX.search(f"{tool.name} {tool.description}") is not None
    return is_mock(function) or is_simulation(function) or _loses_nothing(words_of(tool.name), function)


def _loses_nothing(words: list[str], function: PythonFunction) -> bool:
    """Whether a name says that an action concerns an entry of a cache or a running task, or can be undone."""
    if not DESTROYING.intersection(words):
        return False
    if "cancel" in words:
        return bool(_RUNS.intersection(words)) and not _PLANNED.intersection(words)
    return (
        bool((_CACHES | _CARTS).intersection(words))
        or set(words) >= _ITEM_OF_ORDER
        or ("remove" in words and _can_be_undone(words, function))
    )


def _can_be_undone(words: list[str], function: PythonFunction) -> bool:
    """Whether a function of the file adds what this one removes, and requires nothing that this one does not receive."""
    given = {one.name for one in function.all_parameters}
    object_of = _without_links(words, "remove")
    return any(
        _without_links(words_of(one.name), "add") == object_of and _required_by(one) <= given
        for one in ast.walk(function.file.tree)
        if isinstance(one, FUNCTIONS) and "add" in words_of(one.name)
    )


def _without_links(words: list[str], verb: str) -> list[str]:
    return sorted(word.rstrip("s") for word in words if word not in {verb, *_LINKS})


def _required_by(function: FunctionNode) -> set[str]:
    """Return the names of the parameters without defaults, except those that a framework fills."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    required = positional[: len(positional) - len(given.defaults)]
    required += [one for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return {one.arg for one in required} - {"self", "cls", "ctx", "context"}


def _says_more(mark: ast.expr | None) -> bool:
    return any(keyword.arg not in _OF_ANY_TOOL for keyword in getattr(mark, "keywords", ()))


def _is_declared(tool: ToolDefinition, function: PythonFunction) -> bool:
    if {"destructive", "requires_approval", "read_only"} & set(function.options):
        return True
    if tool.terms and function.written and function.written.argument(tool.terms.declared) is not None:
        return True
    if function.written and function.written.registry and _says_more(function.mark):
        return True  # the project's registry may have terms of its own, such as an action
    return any(keyword.arg is None for keyword in getattr(function.mark, "keywords", ())) or (
        tool.spec is not None and (tool.spec.requires_approval or tool.spec.destructive is not None)
    )


def _reason(name: str, function: PythonFunction) -> _Reason | None:
    for effect in effects_of(function):
        if effect.kind == "destroy":
            return _Reason(f"uses '{effect.what}'", effect=effect)
    words = words_of(name)
    if words and (verb := _verb(words)) and not (function.is_stub or _only_reads(words)):
        verb = _IN_FULL.get(verb, verb)
        return _Reason(f"has a name that says it can {verb} something", verb)
    return None


def _verb(words: list[str]) -> str | None:
    """Return the verb of a dangerous action: the first word, or one after the name of a service or at the end."""
    if words[:2] == ["transfer", "to"]:
        return None  # it hands the conversation over to a person or an agent
    if words[0] in DESTROYING | SENDING:
        return words[0]
    runs_code = "repl" in words or (EXECUTORS.intersection(words) and CODE.intersection(words))
    if runs_code or set(words) - {"tool"} <= _SHELLS:
        return "execute"
    if READING.intersection(words):
        return None
    return next((word for word in (*words[1:2], words[-1]) if word in _ANYWHERE), None)


def _only_reads(words: list[str]) -> bool:
    """Whether a name shows that nothing is changed: `execute_log_query`, `deploy_status`."""
    *_, last = words
    return last in TELLING or (words[0] in EXECUTING and last in QUERIES)
