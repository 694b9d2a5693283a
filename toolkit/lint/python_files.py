"""Python files as rules see them: the source, its syntax tree, and the functions in it that are tools.

Nothing is run: a tool is recognised by its decorator, `@tool` or `@toolkit.tool`, under whatever name it was imported.
"""

import ast
import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from toolkit.documents.sources import Source
from toolkit.lint.literals import Literal
from toolkit.lint.written_values import UnknownValueError, written_value
from toolkit.problems import Edit, Location
from toolkit.tools.docstrings import Docstring, read_docstring
from toolkit.tools.frameworks import framework_of
from toolkit.tools.source_marks import is_among

if TYPE_CHECKING:
    from toolkit.sources.source_files import SourceFile
    from toolkit.sources.written_tools import WrittenTool

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_KEYWORDS = {ast.FunctionDef: "def ", ast.AsyncFunctionDef: "async def ", ast.ClassDef: "class "}
_MARKS = {"toolkit.tool", "toolkit.tools.marking.tool"}
_OUR_CALL = "from_function("
# Each pattern begins with a text, for which a file is searched ten times as fast as for the beginning of a line.
_OTHER_DECORATOR = re.compile(r"\n[ \t]*@(?!tool\b|toolbox\b|toolkit\b)[\w.]*tool\b")
_OTHER_CALL = re.compile(r"\.tool\((?<!\btoolkit\.tool\()")


class PythonParameter(NamedTuple):
    """One parameter as it is written.

    Attributes:
        node: Its name and annotation.
        default: Its default, if it has one.
        kind: How it is passed.
    """

    node: ast.arg
    default: ast.expr | None
    kind: str

    @property
    def name(self) -> str:
        return self.node.arg

    @property
    def is_variadic(self) -> bool:
        """Whether it is `*args` or `**kwargs`."""
        return self.kind.startswith("*")


class Reader(Protocol):
    """What finds the tools of other frameworks in a parsed file."""

    def tools_in(self, source: "SourceFile") -> tuple["WrittenTool", ...]:
        """Return the tools, in the order of their places."""


class PythonFile:
    """The source of a Python file."""

    def __init__(self, file: str, text: str, reader: "Reader | None" = None, tree: ast.Module | None = None) -> None:
        """Parse the source.

        Args:
            file: How the file is called in the places of problems.
            text: The source, with the line ends that it has.
            reader: What finds the tools of other frameworks; without it there are none.
            tree: The syntax tree of the source, if that was parsed before.

        Raises:
            SyntaxError: If it is not Python.
        """
        self.file = file
        self.text = text.removeprefix("\ufeff")
        try:
            self.tree = ast.parse(self.text) if tree is None else tree
        except (ValueError, RecursionError, MemoryError) as error:  # a null character; nested too deep
            raise SyntaxError(str(error)) from error
        self._source = Source(self.text)
        self._reader = reader

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """What the imported names stand for, by name: `np` for `numpy`, `tool` for `toolkit.tool`."""
        names: dict[str, str] = {}
        for node in self.statements:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    names[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom):
                package = "." * node.level + (node.module or "")
                names |= {alias.asname or alias.name: f"{package}.{alias.name}" for alias in node.names}
        return names

    @cached_property
    def statements(self) -> tuple[ast.AST, ...]:
        """Every statement of the file, and the blocks that hold some, outer ones first."""
        return tuple(_statements(self.tree))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the file, outer ones first, without the marks of how names are used."""
        return tuple(nodes_below(self.tree))

    def meaning(self, node: ast.expr) -> str | None:
        """Return the dotted name that a name or an attribute stands for through the imports, such as `time.sleep`.

        A name that is not imported stands for itself; anything else, such as a call, for None.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return ".".join([self.imports.get(node.id, node.id), *parts])

    @cached_property
    def functions(self) -> tuple["PythonFunction", ...]:
        """Every function in the file, methods and inner ones too, in the order in which they stand."""
        return tuple(
            PythonFunction(self, node, owner) for node, owner in self._definitions if isinstance(node, FunctionNode)
        )

    @cached_property
    def tools(self) -> tuple["PythonFunction", ...]:
        """The functions that are marked as our tools, and those that a call of `from_function` makes tools of."""
        marked = (function for function in self.functions if function.mark is not None)
        made = _OUR_CALL in self.text and self._found
        return (*marked, *(self._made(one) for one in made or () if one.framework == "toolkit" and self._is_made(one)))

    @property
    def may_hold_others(self) -> bool:
        """Whether the file may define tools of other frameworks: it imports one, or has a mark that is not ours."""
        return bool(self.frameworks or _OTHER_DECORATOR.search(f"\n{self.text}") or _OTHER_CALL.search(self.text))

    @cached_property
    def frameworks(self) -> tuple[str, ...]:
        """The other frameworks that the file imports."""
        return tuple(dict.fromkeys(filter(None, map(framework_of, self.imports.values()))))

    @cached_property
    def written(self) -> tuple["WrittenTool", ...]:
        """The tools of other frameworks that the file defines."""
        found = self._found if self.may_hold_others else ()
        return tuple(tool for tool in found if tool.framework != "toolkit")

    @cached_property
    def _found(self) -> tuple["WrittenTool", ...]:
        if self._reader is None:
            return ()
        from toolkit.sources.source_files import SourceFile  # noqa: PLC0415 - only tools of frameworks need it

        return self._reader.tools_in(SourceFile(os.path.realpath(self.file), self.tree))

    def _is_made(self, tool: "WrittenTool") -> bool:
        is_here = tool.home == os.path.realpath(self.file)
        return tool.kind == "from_function" and is_here and isinstance(tool.function, FunctionNode)

    def _made(self, tool: "WrittenTool") -> "PythonFunction":
        own = next(function for function in self.functions if function.node is tool.function)
        return PythonFunction(self, own.node, own.owner, made_by=tool.mark)

    @cached_property
    def framework_functions(self) -> Mapping["WrittenTool", "PythonFunction"]:
        """The functions in this file that tools of other frameworks run."""
        if not self.written:
            return {}
        own = {function.node: function.owner for function in self.functions}
        here = os.path.realpath(self.file)
        return {
            tool: PythonFunction(self, tool.function, own.get(tool.function), tool)
            for tool in self.written
            if tool.home == here and isinstance(tool.function, FunctionNode)
        }

    @cached_property
    def classes(self) -> Mapping[str, ast.ClassDef]:
        """The classes of the file, by their names."""
        return {node.name: node for node, _ in self._definitions if isinstance(node, ast.ClassDef)}

    @cached_property
    def _definitions(self) -> tuple[tuple[FunctionNode | ast.ClassDef, ast.ClassDef | None], ...]:
        return tuple(_definitions(self.tree, None))

    @cached_property
    def assigned(self) -> Mapping[str, ast.expr]:
        """The values that the top level of the file gives to names, if it does so exactly once."""
        given: dict[str, list[ast.expr | None]] = {}
        for node in self.tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    given.setdefault(name, []).append(value)
                case ast.AnnAssign(target=ast.Name(id=name), value=value):
                    given.setdefault(name, []).append(value)
                case ast.AugAssign(target=ast.Name(id=name)):
                    given.setdefault(name, []).append(None)
        return {name: values[0] for name, values in given.items() if len(values) == 1 and values[0] is not None}

    def resolved(self, node: ast.expr | None) -> ast.expr | None:
        """Return the value of a name that the top level of the file defines; any other expression as it is."""
        return self.assigned.get(node.id, node) if isinstance(node, ast.Name) else node

    def value(self, node: ast.expr) -> Any:
        """Return what an expression is worth as far as the source shows it.

        Raises:
            UnknownValueError: If it does not.
        """
        return written_value(node, self)

    def text_of(self, node: ast.expr) -> str | None:
        """Return the text that an expression is worth; None where the source does not show it, or it is not a text."""
        try:
            value = self.value(node)
        except UnknownValueError:
            return None
        return value if isinstance(value, str) else None

    def location(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> Location:
        """Return the place of a node; of a parameter or a keyword, that of its name."""
        if isinstance(node, _NAMED):
            start = self.index(node.lineno, node.col_offset)
            return self.between(start, start + len(node.arg or "**"))
        if isinstance(node, _DEFINITIONS):
            start = self.index(node.lineno, node.col_offset) + len(_KEYWORDS[type(node)])
            return self.between(start, start + len(node.name))
        return self.between(*self.span(node))

    def between(self, start: int, end: int) -> Location:
        """Return the place of the characters from an index up to another."""
        return self._source.location(self.file, start, end)

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> tuple[int, int]:
        """Return the indices at which a node begins and ends, decorators not included."""
        end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.index(node.lineno, node.col_offset), self.index(end_line, end_offset)

    def segment(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> str:
        """Return a node as it is written."""
        start, end = self.span(node)
        return self.text[start:end]

    def index(self, line: int, offset: int) -> int:
        """Return the index of a character that the syntax tree knows by its line and its offset in UTF-8 bytes."""
        starts = self._source.line_starts
        start, after = starts[line - 1], starts[line] if line < len(starts) else len(self.text)
        written = self.text[start:after]
        return start + (offset if written.isascii() else len(written.encode()[:offset].decode(errors="replace")))

    def edit(self, start: int, end: int, text: str) -> Edit:
        """Return the edit that puts a text in the place of the characters from an index up to another."""
        return Edit(self.between(start, end), text)

    def replacing(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword, text: str) -> Edit:
        """Return the edit that puts a text in the place of a node."""
        return self.edit(*self.span(node), text)

    def literal(self, node: ast.expr) -> Literal:
        """Return a string of the source with the places of its characters."""
        return Literal(self.text, *self.span(node))


class PythonFunction:
    """A function of a Python file: its name, its parameters, its docstring, its mark and its body."""

    def __init__(
        self,
        file: PythonFile,
        node: FunctionNode,
        owner: ast.ClassDef | None = None,
        written: "WrittenTool | None" = None,
        made_by: ast.expr | None = None,
    ) -> None:
        """Keep a function.

        Args:
            file: Where it stands.
            node: What is written.
            owner: The class that it is a method of.
            written: The tool of another framework that it is.
            made_by: The call that makes it a tool of ours.
        """
        self.file = file
        self.node = node
        self.owner = owner
        self.written = written
        self._made_by = made_by

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.node.name

    @property
    def location(self) -> Location:
        """The place of its name."""
        return self.file.location(self.node)

    @property
    def first_line(self) -> int:
        """The line that it begins in, its decorators included, as its code object has it."""
        return min([self.node.lineno, *(decorator.lineno for decorator in self.node.decorator_list)])

    @cached_property
    def mark(self) -> ast.expr | None:
        """The decorator that makes it a tool, `@tool` or `@tool(…)`, or another mark; None if it has none."""
        if self.written is not None:
            return self.written.mark
        if self._made_by is not None:
            return self._made_by
        for decorator in self.node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.file.meaning(called) in _MARKS:
                return decorator
        return None

    @cached_property
    def options(self) -> Mapping[str, ast.keyword]:
        """The options of our mark, by name."""
        if self.written is not None or not isinstance(self.mark, ast.Call):
            return {}
        return {keyword.arg: keyword for keyword in self.mark.keywords if keyword.arg}

    def option(self, name: str) -> Any:
        """Return the value of an option as far as the source shows it; None if it is not there, or is not shown."""
        keyword = self.options.get(name)
        try:
            return None if keyword is None else self.file.value(keyword.value)
        except UnknownValueError:
            return None

    @property
    def tool_name(self) -> str:
        if self.written is not None and self.written.as_class is not None and self.written.name is None:
            return self.written.as_class.node.name
        name = self.option("name") if self.written is None else self.written.name
        return name if isinstance(name, str) and name else self.name

    @cached_property
    def parameters(self) -> tuple[PythonParameter, ...]:
        """What a call may carry: no `self` or `cls`, nothing that the context gives, no `*args` and no `**kwargs`."""
        bound = self.owner is not None and not self._is_static
        given = self._all_parameters[1 if bound else 0 :]
        if self.written is None:
            return tuple(one for one in given if not self._is_injected(one) and not one.is_variadic)
        return tuple(one for at, one in enumerate(given) if not (self._is_kept(one, at) or one.is_variadic))

    @property
    def all_parameters(self) -> tuple[PythonParameter, ...]:
        """Every parameter in the order in which they are written."""
        return tuple(self._all_parameters)

    @cached_property
    def _all_parameters(self) -> list[PythonParameter]:
        given = self.node.args
        positional = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
        found = [PythonParameter(*pair, "positional") for pair in zip(positional, defaults, strict=True)]
        found += [PythonParameter(given.vararg, None, "*")] if given.vararg else []
        found += [
            PythonParameter(node, default, "keyword")
            for node, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        ]
        return found + ([PythonParameter(given.kwarg, None, "**")] if given.kwarg else [])

    @cached_property
    def docstring_node(self) -> ast.Constant | None:
        """The docstring as it is written."""
        match self.node.body:
            case [ast.Expr(value=ast.Constant(value=str()) as constant), *_]:
                return constant
        return None

    @cached_property
    def docstring(self) -> Docstring:
        """The docstring's description of the whole and of each parameter."""
        return read_docstring(ast.get_docstring(self.node))

    @cached_property
    def docstring_literal(self) -> Literal | None:
        """The docstring with the places of its characters."""
        return None if self.docstring_node is None else self.file.literal(self.docstring_node)

    @property
    def body(self) -> list[ast.stmt]:
        """What it does: its body without the docstring."""
        return self.node.body[1:] if self.docstring_node is not None else self.node.body

    def walk(self) -> Iterator[ast.AST]:
        """Yield every node of the body, inner functions included."""
        return iter(self._nodes)

    @cached_property
    def _nodes(self) -> tuple[ast.AST, ...]:
        return tuple(node for statement in self.body for node in nodes_below(statement))

    @cached_property
    def own_nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the body without those of functions inside it, in the order in which they are written."""
        waiting: list[ast.AST] = list(reversed(self.body))
        found = []
        while waiting:
            node = waiting.pop()
            found.append(node)
            if not isinstance(node, _SCOPES):
                waiting += reversed(_children(node))
        return tuple(found)

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Yield every call in the body of something that has a name, and that name through the imports."""
        return iter(self._calls)

    @cached_property
    def _calls(self) -> tuple[tuple[ast.Call, str], ...]:
        calls = (node for node in self._nodes if isinstance(node, ast.Call))
        return tuple((node, meaning) for node in calls if (meaning := self.file.meaning(node.func)))

    @property
    def is_async(self) -> bool:
        """Whether it is a coroutine function."""
        return isinstance(self.node, ast.AsyncFunctionDef)

    @property
    def is_stub(self) -> bool:
        """Whether it does nothing of its own: `...`, `pass`, or only an exception."""
        return all(_is_nothing(statement) for statement in self.body)

    @property
    def takes_call(self) -> bool:
        """Whether the class that it overrides passes it a call as a whole, so that its signature is not the tool's."""
        kind = self.written.as_class.kind if self.written and self.written.as_class else None
        return kind is not None and kind.takes_call

    @property
    def is_decorated(self) -> bool:
        """Whether something besides the mark stands round it and is called in its place."""
        others = [one for one in self.node.decorator_list if one is not self.mark]
        return any(getattr(one, "id", "") not in {"staticmethod", "classmethod"} for one in others)

    @property
    def is_strict(self) -> bool:
        """Whether a framework makes the strict form of a schema of it, and nothing turns that off."""
        option = self.written.marks.demands.strict_unless if self.written else None
        if self.written is None or option is None or self.written.kind not in {"decorator", "call"}:
            return False
        strict = self.written.argument((option,))
        return strict is None or (isinstance(strict, ast.Constant) and strict.value is True)

    def is_context(self, parameter: PythonParameter) -> bool:
        """Whether the type of a parameter shows that a framework fills it with its context."""
        return parameter.node.annotation is not None and self._is_kept(parameter, -1)

    @property
    def _is_static(self) -> bool:
        return any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in self.node.decorator_list)

    def _is_kept(self, parameter: PythonParameter, position: int) -> bool:
        """Whether a framework keeps a parameter to itself: it fills it, and no model sees it."""
        if self.written is None:
            return False
        injected, registration = self.written.marks.injected, self.written.registration
        gives_first = registration is not None and any(
            one.endswith(injected.is_first) for one in registration.names if injected.is_first
        )
        if (
            parameter.name in injected.names
            or parameter.name in self._filled_by_mark
            or (gives_first and not position and parameter.node.annotation is None)
        ):
            return True
        parts = (*self._names_in(parameter.node.annotation), *self._names_in(parameter.default))
        return any(is_among(self.file.meaning(one) or "", injected.types) for one in parts)

    @cached_property
    def _filled_by_mark(self) -> frozenset[str]:
        """The parameters that an argument of the mark names as those that the framework fills."""
        given = self.written and self.written.argument(self.written.marks.injected.mappings)
        values = given.values if isinstance(given, ast.Dict) else ()
        return frozenset(filter(None, map(self.file.text_of, values)))

    def _names_in(self, node: ast.expr | None) -> Iterator[ast.expr]:
        """Yield the names in an annotation or a default, also those in a text."""
        for one in ast.walk(node) if node is not None else ():
            if isinstance(one, ast.Name | ast.Attribute):
                yield one
            elif isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.isidentifier():
                yield ast.Name(one.value)

    def _is_injected(self, parameter: PythonParameter) -> bool:
        annotation = parameter.node.annotation
        return annotation is not None and any(
            (isinstance(node, ast.Name) and node.id in _INJECTED)
            or (isinstance(node, ast.Attribute) and node.attr in _INJECTED)
            or (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in _INJECTED)
            for node in nodes_below(annotation)
        )


_INJECTED = {"ToolContext", "MemoryId"}
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMED = (ast.arg, ast.keyword)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_NO_NODES = {"ctx", "id", "attr", "kind", "type_comment", "lineno", "level"}
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
_BLOCKS_IN: dict[type[ast.AST], tuple[str, ...]] = {}


def _definitions(
    parent: ast.AST, owner: ast.ClassDef | None
) -> Iterator[tuple[FunctionNode | ast.ClassDef, ast.ClassDef | None]]:
    for node in _inner_statements(parent):
        if isinstance(node, _DEFINITIONS):
            yield node, owner
            yield from _definitions(node, node if isinstance(node, ast.ClassDef) else None)
        elif _blocks_in(type(node)):
            yield from _definitions(node, owner)


def _statements(parent: ast.AST) -> list[ast.AST]:
    """Return every statement below a node, without a look at the expressions in it."""
    waiting, found = _inner_statements(parent)[::-1], []
    while waiting:
        node = waiting.pop()
        found.append(node)
        if inner := _inner_statements(node):
            waiting += reversed(inner)
    return found


def _inner_statements(node: ast.AST) -> list[ast.AST]:
    return [one for block in _blocks_in(type(node)) for one in getattr(node, block)]


def _blocks_in(kind: type[ast.AST]) -> tuple[str, ...]:
    if kind not in _BLOCKS_IN:
        _BLOCKS_IN[kind] = tuple(name for name in _BLOCKS if name in kind._fields)
    return _BLOCKS_IN[kind]


def nodes_below(node: ast.AST) -> list[ast.AST]:
    """Return a node and all below it, the outer ones first, without the marks of how names are used."""
    found = [node]
    for one in found:
        found += _children(one)
    return found


def _children(node: ast.AST) -> list[ast.AST]:
    kind = type(node)
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(name for name in node._fields if name not in _NO_NODES)
    found: list[ast.AST] = []
    for name in _FIELDS[kind]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def _is_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False
