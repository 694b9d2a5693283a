"""Shell completion for targets, arguments, rules and other names, without running users' code."""

import ast
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from typer._click.shell_completion import CompletionItem, add_completion_class, split_arg_string
from typer._completion_classes import BashComplete

from toolkit.regular_files import bounded_bytes
from toolkit.settings.configuration_search import find_configuration

_SIGNS = (":", "=", ":=")


class _Bash(BashComplete):
    _replaced = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        words = split_arg_string(os.environ["COMP_WORDS"])
        place = int(os.environ["COMP_CWORD"])
        arguments, begun = words[1:place], words[place] if place < len(words) else ""
        if arguments and (begun in _SIGNS or (begun and arguments[-1] in _SIGNS)):
            *arguments, begun = joined([*arguments, begun])
            self._replaced = begun[: max(begun.rfind(sign) for sign in ":=") + 1]
        return joined(arguments), begun

    def format_completion(self, item: CompletionItem) -> str:
        return str(super().format_completion(item)).removeprefix(self._replaced)


def joined(words: Sequence[str]) -> list[str]:
    """Join words that bash has split at `:` or `=`."""
    typed: list[str] = []
    is_open = False
    for word in words:
        if typed and (is_open or word in _SIGNS):
            typed[-1] += word
        else:
            typed.append(word)
        is_open = word in _SIGNS
    return typed


def complete_in_bash() -> None:
    """Use this completion for bash."""
    add_completion_class(_Bash, "bash")


_GIVEN = ("ToolContext", "MemoryId")
_LARGEST = 1_000_000
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def tools_in(file: str) -> list[str]:
    """Return the names of the marked functions in a Python file, or of all public functions if none is marked."""
    return [function.name for function in _functions_in(file)]


def arguments_of(target: str) -> list[str]:
    """Return the names of a target's arguments: of a built-in tool, a pipeline, an agent, or a function."""
    file, _, name = target.partition(":")
    if file.endswith((".yaml", ".yml")):
        return _inputs_of(file)
    if not file.endswith(".py"):
        return _arguments_of_ready_tool(target)
    functions = _functions_in(file)
    meant = [function for function in functions if function.name == name] if name else functions
    return _parameters_of(meant[0]) if len(meant) == 1 else []


def _functions_in(file: str) -> list[_Function]:
    functions = [one for one in _public_functions(_parse(file)) if isinstance(one, _Function)]
    return [one for one in functions if any(map(_is_mark, one.decorator_list))] or functions


def _public_functions(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, _Function) and not statement.name.startswith("_"):
            yield statement
        elif isinstance(statement, ast.ClassDef):
            marked = (one for one in statement.body if isinstance(one, _Function))
            yield from (one for one in marked if any(map(_is_mark, one.decorator_list)))


def _is_mark(decorator: ast.expr) -> bool:
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")) == "tool"


def _parameters_of(function: _Function) -> list[str]:
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [one.arg for one in parameters if one.arg not in ("self", "cls") and not _is_given(one)]


def _is_given(parameter: ast.arg) -> bool:
    """Return whether toolkit passes the parameter itself."""
    written = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    return any(name in written for name in _GIVEN)


def _parse(file: str) -> Sequence[ast.stmt]:
    try:
        return ast.parse(bounded_bytes(file, most=_LARGEST)).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _inputs_of(file: str) -> list[str]:
    from toolkit.documents.document_reader import read_document
    from toolkit.documents.nodes import is_agent, plain  # few completions need it

    document, _ = read_document(Path(file))
    if document is None:
        return []
    written: Any = plain(document)
    inputs = written.get("inputs") if isinstance(written, Mapping) else None
    named = [str(name) for name in inputs] if isinstance(inputs, Mapping) else []
    if is_agent(document):
        return named if isinstance(written, Mapping) and "prompt" in written else ["task", *named]
    return named if isinstance(inputs, Mapping) else ["input"]


def _arguments_of_ready_tool(name: str) -> list[str]:
    from toolkit.builtin.catalog import ready_tools  # most completions are of targets

    ready = ready_tools().get(name)
    if ready is None:
        return []
    try:
        return list(ready.build().spec.properties)
    except (OSError, ValueError):
        return []


_SUFFIXES = (".py", ".yaml", ".yml")


def complete_target(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete a target: a built-in tool, a group, a server, a folder, or a Python or YAML file."""
    file, colon, _ = incomplete.partition(":")
    names = (f"{file}:{name}" for name in tools_in(file)) if colon else _candidates(incomplete)
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def complete_argument(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of an argument of the target, with its `=`."""
    taken = {word.partition("=")[0].removesuffix(":") for word in context.params.get("words") or ()}
    return [
        f"{name}="
        for name in arguments_of(context.params.get("target") or "")
        if name.startswith(incomplete) and name not in taken
    ]


def complete_rule(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the code of a rule or of a group of rules."""
    from toolkit.lint.rule import NAMES  # only completion and lint need rules

    groups = sorted({code[:3] for code in NAMES})
    return [code for code in ("ALL", *groups, *sorted(NAMES)) if code.startswith(incomplete.upper())]


def complete_group(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of a configured group."""
    return [name for name in _configured_names()[0] if name.startswith(incomplete)]


def complete_server(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of a configured MCP server."""
    return [name for name in _configured_names()[1] if name.startswith(incomplete)]


def complete_client(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of an MCP client."""
    from toolkit.mcp.settings.clients import CLIENTS

    return [name for name in CLIENTS if name.startswith(incomplete)]


def complete_consent(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of a project setting that needs consent."""
    from toolkit.settings.setting_consents import names_to_consent_to

    return [name for name in names_to_consent_to(find_configuration()[0]) if name.startswith(incomplete)]


def _candidates(incomplete: str) -> Iterator[str]:
    from toolkit.builtin.catalog import ALL_READY
    from toolkit.sources.ready import FOR_AGENTS, ready_names  # only completion needs names

    groups, servers = _configured_names()
    yield from (ALL_READY, *ready_names(), *groups, *servers, *FOR_AGENTS)
    folder, slash, _ = incomplete.rpartition("/")
    try:
        entries = sorted(Path(folder + slash or ".").iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() and not entry.name.startswith((".", "__")):
            yield f"{folder}{slash}{entry.name}/"
        elif entry.suffix in _SUFFIXES:
            yield f"{folder}{slash}{entry.name}"


def _configured_names() -> tuple[list[str], list[str]]:
    """Return the names of the configured groups and servers; problems are ignored here."""
    configuration, _ = find_configuration()
    return list(configuration.groups), list(configuration.mcp)
