"""List the tools in files and folders from their source, without importing anything."""

import ast
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from toolkit.codes import DOES_NOT_IMPORT, NO_TOOLS
from toolkit.documents.nodes import many_nodes
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_bytes
from toolkit.source_code.registrations import OTHERS
from toolkit.source_code.source_files import FUNCTIONS, SourceFile
from toolkit.source_code.syntax_nodes import own_nodes
from toolkit.source_code.tool_hints import hint_of_unknown_mark, hint_of_use
from toolkit.source_code.tool_reader import ToolReader
from toolkit.source_code.unfollowed_calls import Unfollowed
from toolkit.source_code.written_tools import IN_LIST, OURS, WrittenTool
from toolkit.sources.targets import FilesTarget, parse_target
from toolkit.tools.foreign.frameworks import is_only_read, title_of


class WrittenList(NamedTuple):
    """The tools that were found, and the problems of files that cannot be read."""

    tools: list[WrittenTool]
    problems: list[Problem]


def list_written(targets: Iterable[str], base: Path, own_decorators: Collection[str] = ()) -> WrittenList:
    """Return the tools that the source of files, folders and globs defines.

    Args:
        targets: The targets, relative to `base`.
        base: The folder that relative paths start from.
        own_decorators: The project's decorators that register tools: their names, or dotted names.
    """
    found = WrittenList([], [])
    reader = ToolReader(own_decorators=own_decorators)
    with many_nodes():
        for text in targets:
            match parse_target(text, base):
                case Problem() as problem:
                    found.problems.append(problem)
                case FilesTarget(python=files):
                    _read(text, files, reader, found)
                case _:
                    message = f"'{text}' is not a file, and with '--static' nothing is imported to find it"
                    found.problems.append(Problem(NO_TOOLS, message, hint="leave out '--static', or name a file"))
    once = {_same(one): one for one in reversed(found.tools)}
    return found._replace(tools=[one for one in found.tools if once[_same(one)] is one])


def _same(tool: WrittenTool) -> object:
    """Return what is equal for registrations in several files that make the same tool of a function."""
    is_shown = tool.function is not None and tool.name is not None and tool.as_class is None
    is_shared = tool.kind == IN_LIST or tool.home != tool.path
    return (tool.framework, tool.function, tool.name) if is_shown and is_shared else tool


def unmade_tools(files: Iterable[Path]) -> str | None:
    """Return a hint about a function that would make tools, if importing these files made none; else `None`."""
    reader = ToolReader()
    for file in files:
        source = reader.meanings.source(os.path.realpath(file)) if _is_worth_reading(file, reader) else None
        if source is None:
            continue
        functions = [one for one in source.top_definitions() if isinstance(one, FUNCTIONS)]
        for tool in reader.tools_in(source):
            if tool.framework != OURS and is_only_read(tool.framework):
                command = f"toolkit list --static {quote(os.path.relpath(file))}"
                whose = "unknown frameworks" if tool.framework == OTHERS else tool.marks.title
                return f"tools of {whose} are only read in the source: `{command}`, and `toolkit lint` checks them"
            at = (tool.mark or tool.node).lineno
            maker = next((one for one in functions if one.lineno < at <= (one.end_lineno or 0)), None)
            if maker is not None and tool.path == source.path:
                return _how_to_make(tool, maker, file)
    return None


def _how_to_make(tool: WrittenTool, maker: ast.FunctionDef | ast.AsyncFunctionDef, file: Path) -> str:
    """Return a hint about a function that makes a tool."""
    what = "tools" if tool.framework == OURS else f"tools of {tool.marks.title}"
    made = f"the function '{maker.name}' in '{file.name}' makes {what}"
    returns = any(isinstance(node, ast.Return) and node.value is not None for node in own_nodes(maker.body))
    if returns and isinstance(maker, ast.FunctionDef):
        call = f"{'server' if tool.marks.serves else 'tools'} = {maker.name}()"
        return (
            f"{made}, and importing the file does not call it: "
            f"write `{call}` at the top level, or name a file that does this"
        )
    if tool.marks.serves:
        otherwise = f"call `{maker.name}()` at the top level, or " if _only_adds(maker) else "to call them, "
        return (
            f"{made} and does not return them: {otherwise}configure the command that starts the server, under "
            f"[mcp.NAME]; `lint` and `list --static` read the source"
        )
    return f"{made} and does not return them: define them at the top level; `lint` and `list --static` read the source"


def _read(text: str, files: Collection[Path], reader: ToolReader, found: WrittenList) -> None:
    before = len(found.tools), len(found.problems)
    unfollowed: list[tuple[SourceFile, Unfollowed]] = []
    for file in files:
        if not _is_worth_reading(file, reader):
            continue
        if (source := reader.meanings.source(str(file))) is not None:
            shown = reader.shown_in(source)
            found.tools.extend(shown.tools)
            unfollowed += [(source, one) for one in shown.unfollowed]
            found.problems.extend(shown.cuts_in(str(file)))
        if (failure := reader.meanings.failure(str(file))) is not None:
            found.problems.append(_unread(file, failure))
    calls = [(source, one) for source, one in unfollowed if not one.is_conversion]
    found.problems.extend(_not_shown(calls, found.tools, reader))
    if before == (len(found.tools), len(found.problems)):
        found.problems.extend(_not_shown(unfollowed, found.tools, reader))
    if before == (len(found.tools), len(found.problems)):
        message = f"no tools found in the source of '{text}'"
        found.problems.append(Problem(NO_TOOLS, message, severity="warning", hint=_hint_without_tools(files, reader)))


def _hint_without_tools(files: Collection[Path], reader: ToolReader) -> str:
    """Return a hint on files in which no tool was found: on an unknown decorator, or on frameworks that they import."""
    marks = (hint_of_unknown_mark(bounded_bytes(file), file.name) for file in files)
    if (unknown := next(filter(None, marks), None)) is not None:
        return unknown
    worth = [file for file in files if _is_worth_reading(file, reader)]
    sources = [(str(file), source) for file in worth if (source := reader.meanings.source(str(file))) is not None]
    found = [(file, [*map(title_of, reader.meanings.frameworks_in(source))]) for file, source in sources]
    if using := [(file, titles) for file, titles in found if titles]:
        return hint_of_use(using)
    return "toolkit looks for `@tool`, `@server.tool()`, and what other frameworks register"


def _not_shown(
    unfollowed: Iterable[tuple[SourceFile, Unfollowed]], tools: Iterable[WrittenTool], reader: ToolReader
) -> Iterator[Problem]:
    """Yield the first call in each file that registers tools which no source shows."""
    followed = {place for tool in tools for place in tool.followed}
    left = [(source, one) for source, one in unfollowed if (source.path, one.call.lineno) not in followed]
    for source, one in dict(reversed(left)).items():
        if followed.isdisjoint((file, 0) for file in reader.files_around(source)):
            yield one.problem_in(source.path)


def _is_worth_reading(file: Path, reader: ToolReader) -> bool:
    try:
        return reader.hints.may_have_tools(os.path.realpath(file), bounded_bytes(file))
    except OSError:
        return True  # reading it reports why it cannot be read


def _unread(file: Path, failure: BaseException) -> Problem:
    place = Location(os.path.realpath(file), getattr(failure, "lineno", None), getattr(failure, "offset", None))
    reason = getattr(failure, "msg", None) or str(failure)
    return Problem(
        DOES_NOT_IMPORT, f"'{file.name}' cannot be read: {type(failure).__name__}: {reason}", place, "warning"
    )


def _only_adds(maker: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function can be called as it is, and does not run a server, as far as its source says."""
    given = maker.args
    takes = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    runs = any(isinstance(node, ast.Attribute) and node.attr.startswith("run") for node in own_nodes(maker.body))
    return isinstance(maker, ast.FunctionDef) and not takes and not runs
