"""TK407: a tool writes to standard output."""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase

from toolkit.codes import PRINTS_TO_STDOUT
from toolkit.lint.clues.effects import importing
from toolkit.lint.rule import Rule
from toolkit.problems import Edit, Fix, Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import FunctionNode, nodes_below
from toolkit.tools.foreign.source_marks import SourceMarks

_STREAMS = {"sys.stdout", "sys.__stdout__"}
_WRITING = {"write", "writelines"}


_OTHER_TRANSPORTS = {"sse", "http", "streamable-http", "streamable_http"}


class PrintsToStdout(Rule):
    '''A tool prints to standard output, where an MCP server talks to its client.

    ## Why

    Over stdio every line on standard output is a message. `toolkit serve` redirects what tools print, but other
    servers do not: one `print` there breaks the connection. Write messages for people to standard error, and return
    results for the model. Tools with `@tool` are checked with `--provider mcp`. Tools of MCP servers are always
    checked, unless the file or, if it starts no server itself, the project only uses other transports. If the file itself starts a server over stdio, its other
    functions are checked too, but only what may run while it serves: not what is printed before the process
    ends, after the server has ended or failed, where it uses another transport, after `KeyboardInterrupt`, or in a handler of a signal that
    then ends the process. `print(…, file=sys.stdout)` and `sys.stdout.write(…)` are reported as well; all of a
    function are one finding at the first of them.

    ## Example

    ```python
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("weather")


    @server.tool()
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        print("looking out of the window")
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    import sys

    from mcp.server.mcpserver import MCPServer

    server = MCPServer("weather")


    @server.tool()
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        print("looking out of the window", file=sys.stderr)
        return f"sun in {city}"
    ```

    ## Source

    - MCP 2025-11-25, [Transports](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports): "The server MUST NOT
      write anything to its stdout that is not a valid MCP message" (checked 2026-11-22)
    '''

    code = PRINTS_TO_STDOUT
    fixes_all = True
    fix = "unsafe"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        if function.written is None and "mcp" in self.settings.providers:
            yield from self._printing(function, f"tool {function.tool_name!r} prints to standard output")

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        """Check the tools of an MCP server and, if the file serves them over stdio, its other functions."""
        serving = serving_calls(module)
        if serving and not any(serving.values()):
            return
        every = (*module.framework_functions.values(), *module.outer_functions)
        tools = [one for one in every if one.written and one.written.marks.serves]
        found = [
            problem
            for function in tools
            for problem in self._printing(function, f"tool {function.tool_name!r} prints to standard output")
        ]
        if found and (serving or _may_be_served_over_stdio(module)):
            yield from found
        known = {function.node for function in tools}
        handlers = _of_signals(module)
        starting = _with_callers(module, serving)
        for function in module.functions if serving else ():
            if function.node not in known and not function.is_decorated:
                leaving = _outside_of_serving(function.node, starting)
                leaving |= _before_end(function.node) if function.name in handlers else set()
                message = f"{function.name!r} prints to standard output, where this file serves its tools"
                yield from self._printing(function, message, besides=leaving)

    def _printing(self, function: PythonFunction, message: str, besides: Collection[ast.AST] = ()) -> Iterator[Problem]:
        """Yield a problem for a function with calls that print, except the calls in `besides`; the first has its place."""
        found = [(node, self._fix(function.file, node, meaning)) for node, meaning in function.calls]
        prints = [(node, fix) for node, fix in found if fix is not None and node not in besides]
        if not prints:
            return
        (first, _), *others = prints = sorted(prints, key=lambda one: (one[0].lineno, one[0].col_offset))
        edits = dict.fromkeys(edit for _, fix in prints for edit in fix.edits)
        is_printed = _is_print(function.file.meaning(first.func) or "")
        hint = "write file=sys.stderr, or log it" if is_printed else "write to sys.stderr, or log it"
        last = function.file.location(others[-1][0]) if others else None
        related = [(last, f"{len(others)} more, the last one here")] if last else []
        fix = self.fixed_by("Print to standard error", *edits)
        yield self.problem(message, function.file.location(first), hint=hint, fix=fix, related=related)

    def _fix(self, file: PythonSource, node: ast.Call, meaning: str) -> Fix | None:
        """Return the fix for a call that writes to standard output; None for any other call."""
        stream = _stream_of(file, node, meaning)
        if stream is not None:
            edit = file.replacing(stream, "sys.stderr")
        elif _is_print(meaning) and not any(one.arg in {"file", None} for one in node.keywords):
            edit = _with_file(file, node)
        else:
            return None
        return self.fixed_by("Print to standard error", edit, *importing(file, "sys"))


def _with_callers(module: PythonFile, serving: Mapping[ast.Call, bool]) -> Mapping[ast.Call, bool]:
    """Return calls that start a server, also by calling a function of the file that does, such as `run(serve())`."""
    found = dict(serving)
    while True:
        starting: dict[str, bool] = {}
        for function in module.functions if found else ():
            for node in nodes_below(function.node):
                if isinstance(node, ast.Call) and node in found:
                    starting[function.name] = starting.get(function.name, False) or found[node]
        calls = (one for one in module.nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name))
        more = {
            one: starting[one.func.id] for one in calls if isinstance(one.func, ast.Name) and one.func.id in starting
        }
        if more.keys() <= found.keys():
            return found
        found = {**more, **found}


def _outside_of_serving(function: FunctionNode, serving: Mapping[ast.Call, bool]) -> set[ast.AST]:
    """Return all nodes of a function that do not run while a server uses standard output."""
    own = {node for node in nodes_below(function) if node in serving}
    if own and not any(serving[call] for call in own if isinstance(call, ast.Call)):
        return set(ast.walk(function))  # it serves over another transport only
    over_stdio = {call for call in own if isinstance(call, ast.Call) and serving[call]}
    found = _in_blocks(function, _leaves if own else _ends_process) | _after(function, own, over_stdio)
    return found | _for_other_transports(function) | _after_interruption(function)


def _in_blocks(function: FunctionNode, ends: Callable[[ast.stmt], bool]) -> set[ast.AST]:
    """Return all nodes in blocks that end in some way, such as in `print(version); return`; of a whole function too."""
    found: set[ast.AST] = set()
    for inner in ast.walk(function):
        for block in (getattr(inner, "body", None), getattr(inner, "orelse", None)):
            is_whole = inner is function and ends is _leaves
            if isinstance(block, list) and block and not is_whole and ends(block[-1]):
                found |= {node for statement in block for node in ast.walk(statement)}
    return found


def _after(function: FunctionNode, serving: Collection[ast.AST], over_stdio: Collection[ast.AST]) -> set[ast.AST]:
    """Return all nodes that run after a server has ended: behind its call, or in what handles its failure.

    In a block with several calls, what stands before the last one over stdio may still run before that server starts.
    """
    found: set[ast.AST] = set()
    for inner in ast.walk(function) if serving else ():
        later: list[ast.AST] = []
        for block in (getattr(inner, name, None) for name in ("body", "orelse", "finalbody")):
            statements = block if isinstance(block, list) else []
            starts = [at for at, one in enumerate(statements) if _has(one, serving)]
            uses_stdio = [at for at in starts if _has(statements[at], over_stdio)]
            last = uses_stdio[-1:] or starts[:1]
            later += statements[last[0] + 1 :] if last else []
        if isinstance(inner, ast.Try) and any(_has(one, serving) for one in inner.body):
            later += [*inner.handlers, *inner.orelse, *inner.finalbody]
        found |= {node for one in later for node in ast.walk(one)}
    return found


def _has(statement: ast.AST, calls: Collection[ast.AST]) -> bool:
    return any(node in calls for node in ast.walk(statement))


def _of_signals(module: PythonFile) -> set[str]:
    """Return the functions that the file calls when a signal arrives, such as when a user stops it."""
    return {
        last_name(node.args[1])
        for node in module.nodes
        if isinstance(node, ast.Call) and module.meaning(node.func) == "signal.signal" and len(node.args) > 1
    }


def _before_end(function: FunctionNode) -> set[ast.AST]:
    """Return all nodes of a function whose last statement ends the process or the function."""
    return set(ast.walk(function)) if _leaves(function.body[-1]) else set()


def _for_other_transports(function: ast.AST) -> set[ast.AST]:
    """Return all nodes that only run if the server does not use stdio: `if transport == "sse": …`."""
    found: set[ast.AST] = set()
    for inner in ast.walk(function):
        match inner:
            case ast.If(test=ast.Compare(ops=[ast.Eq() | ast.In()], comparators=[value]), body=body, orelse=orelse):
                named = {one.value for one in ast.walk(value) if isinstance(one, ast.Constant)}
                block = orelse if "stdio" in named else body if named & _OTHER_TRANSPORTS else []
            case ast.If(test=ast.Compare(ops=[ast.NotEq()], comparators=[ast.Constant(value="stdio")]), body=body):
                block = body
            case _:
                continue
        found |= {node for statement in block for node in ast.walk(statement)}
    return found


def _after_interruption(function: ast.AST) -> set[ast.AST]:
    """Return all nodes that only run when a user has stopped the server: `except KeyboardInterrupt: …`."""
    handlers = (one for one in ast.walk(function) if isinstance(one, ast.ExceptHandler) and one.type is not None)
    named = (one for one in handlers if _is_interruption(one.type))
    return {node for handler in named for node in ast.walk(handler)}


def _is_interruption(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return all(isinstance(one, ast.Name) and one.id in {"KeyboardInterrupt", "SystemExit"} for one in kinds)


def _leaves(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Return | ast.Raise) or _ends_process(statement)


def _ends_process(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name in {"exit", "_exit", "quit"}
    return False


def _is_print(meaning: str) -> bool:
    return meaning in {"print", "builtins.print"}


def _stream_of(file: PythonSource, node: ast.Call, meaning: str) -> ast.expr | None:
    """Return the expression for standard output in a call: of `file=sys.stdout` or `sys.stdout.write`."""
    if _is_print(meaning):
        named = [one.value for one in node.keywords if one.arg == "file"]
        return next((one for one in named if file.meaning(one) in _STREAMS), None)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _WRITING:
        stream = node.func.value
        if isinstance(stream, ast.Attribute) and stream.attr == "buffer":
            stream = stream.value
        return stream if file.meaning(stream) in _STREAMS else None
    return None


def _with_file(file: PythonSource, node: ast.Call) -> Edit:
    end = file.span(node)[1] - 1
    last: list[ast.expr] = [*node.args, *(one.value for one in node.keywords)]
    behind = max((file.span(one)[1] for one in last), default=end)
    return file.edit(behind, behind, ", file=sys.stderr" if last else "file=sys.stderr")


_STDIO = "stdio"
_HTTP = {"uvicorn.run", "hypercorn.asyncio.serve"}
_SHOWING_HTTP = ("streamable-http", "streamable_http", "sse_app", "http_app", 'transport="http"', 'transport="sse"')
_SHOWING_STDIO = ("stdio", ".run()")


def _may_be_served_over_stdio(module: PythonFile) -> bool:
    """Return whether the tools of a file that starts no server may use stdio: the project names no other transport only."""
    return module.reader.is_mentioned(module, _SHOWING_STDIO) or not module.reader.is_mentioned(module, _SHOWING_HTTP)


def serving_calls(module: PythonFile) -> dict[ast.Call, bool]:
    """Return the calls that start a server, and whether each may use standard output."""
    kinds = {tool.marks for tool in module.written if tool.marks.serves}
    if not kinds:
        return {}
    calls = [node for node in module.nodes if isinstance(node, ast.Call)]
    own = _objects_of_own_classes(module)
    found = {call: _may_be_stdio(module, call) for call in calls if any(_serves(call.func, marks) for marks in kinds)}
    serving = {call: may for call, may in found.items() if _owner(call.func) not in own}
    return serving | {call: False for call in calls if module.meaning(call.func) in _HTTP}


def _objects_of_own_classes(module: PythonSource) -> set[str]:
    """Return the variables with objects of this file's own classes, whose methods are unrelated to servers."""
    own = {node.name for node in module.tree.body if isinstance(node, ast.ClassDef) and not node.bases}
    return {
        target.id
        for node in module.nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id in own
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _owner(called: ast.expr) -> str | None:
    return called.value.id if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) else None


def _serves(called: ast.expr, marks: SourceMarks) -> bool:
    match called:
        case ast.Name(id=name):
            return name in marks.serves and name != "run"
        case ast.Attribute(value=receiver, attr=name) if name in marks.serves:
            owner = last_name(receiver)
            return any(fnmatchcase(owner, pattern) for pattern in marks.receivers)
    return False


def _may_be_stdio(module: PythonFile, call: ast.Call) -> bool:
    """Return whether a server may use stdio: no other transport is named, nor are streams passed to it."""
    named = [one.value for one in call.keywords if one.arg == "transport"]
    given = [*named, *call.args][:1]
    if given and (transport := module.text_of(given[0])) is not None:
        return transport == _STDIO
    match given:
        case [ast.Name() | ast.Subscript() | ast.Attribute()] if len(call.args) > 1:
            return False
    return True
