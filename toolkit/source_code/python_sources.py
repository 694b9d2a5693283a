"""The text and the syntax tree of a Python file, the meanings of its names, and the locations of its nodes."""

import ast
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from toolkit.documents.nodes import Source
from toolkit.problems import Edit, Location
from toolkit.source_code.annotation_schemas import AnnotationSchemas, Shape
from toolkit.source_code.literals import Literal
from toolkit.source_code.meanings import Defined
from toolkit.source_code.newer_syntax import parse_source
from toolkit.source_code.source_files import SourceFile
from toolkit.source_code.syntax_nodes import DEFINITIONS, FunctionNode, definitions_below, nodes_below, uncast
from toolkit.source_code.tool_reader import ToolReader
from toolkit.source_code.written_calls import argument_of, places_of

_KEYWORDS = {ast.FunctionDef: "def ", ast.AsyncFunctionDef: "async def ", ast.ClassDef: "class "}
_NAMED = (ast.arg, ast.keyword)
_LONG_TEXT = 100


class PythonSource(SourceFile):
    """The source of a Python file."""

    def __init__(self, file: str, text: str, tree: ast.Module | None = None, reader: ToolReader | None = None) -> None:
        """Parse the source.

        Args:
            file: The file name in the locations of problems.
            text: The source, with its original line ends.
            tree: The syntax tree of the source, if it was parsed before.
            reader: Finds tools and evaluates expressions; by default, a new one.

        Raises:
            SyntaxError: If the source is not valid Python.
        """
        self.file = file
        self.text = text.removeprefix("\ufeff")
        self.reader = reader or ToolReader()
        try:
            super().__init__(os.path.realpath(file), parse_source(self.text) if tree is None else tree)
        except (ValueError, RecursionError, MemoryError) as error:  # a null character; nested too deep
            raise SyntaxError(str(error)) from error
        self._source = Source(self.text, file)

    def is_read_from(self, text: str) -> bool:
        """Return whether the syntax tree was parsed from exactly this text."""
        return self.text == text.removeprefix("\ufeff")

    @cached_property
    def classes(self) -> Mapping[str, ast.ClassDef]:
        """The classes of the file, by name."""
        return {node.name: node for node, _ in self.definitions if isinstance(node, ast.ClassDef)}

    @cached_property
    def definitions(self) -> tuple[tuple[FunctionNode | ast.ClassDef, ast.ClassDef | None], ...]:
        """Every function and class of the file, each with the class that contains it, or None."""
        return tuple(definitions_below(self.tree, None))

    @cached_property
    def prompts(self) -> tuple[str, ...]:
        """The long texts of the file that are no docstrings, such as those for a model."""
        owners = [self.tree, *(node for node, _ in self.definitions)]
        docstrings = {id(one.body[0].value) for one in owners if one.body and isinstance(one.body[0], ast.Expr)}
        texts = (one for one in self.nodes if isinstance(one, ast.Constant) and id(one) not in docstrings)
        return tuple(one.value for one in texts if isinstance(one.value, str) and len(one.value) >= _LONG_TEXT)

    def branching(self, function: FunctionNode) -> ast.stmt | None:
        """Return the outermost statement at the top level whose branches exclude one another, around a function."""
        return self._branchings.get(function)

    @cached_property
    def _branchings(self) -> Mapping[FunctionNode, ast.stmt]:
        branching = (one for one in self.tree.body if isinstance(one, ast.If | ast.Try | ast.Match))
        return {node: one for one in branching for node in ast.walk(one) if isinstance(node, FunctionNode)}

    @cached_property
    def with_other_signatures(self) -> frozenset[str]:
        """The functions whose signatures the file replaces: `function.__signature__ = …`."""
        return self._with_other("__signature__")

    @cached_property
    def with_other_docstrings(self) -> frozenset[str]:
        """The functions whose docstrings the file replaces: `function.__doc__ = …`."""
        return self._with_other("__doc__")

    def _with_other(self, attribute: str) -> frozenset[str]:
        """Return the names of the functions whose attribute the file sets, also in a helper that receives them."""
        if attribute not in self.text:
            return frozenset()
        return _assigned_to(attribute, self.nodes).union(self._given_another(attribute))

    def _given_another(self, attribute: str) -> Iterator[str]:
        """Yield the names of what calls give to the functions of the file that set an attribute of a parameter."""
        functions = [node for node, _ in self.definitions if isinstance(node, FunctionNode)]
        setting = {one.name: (places_of(one), _assigned_to(attribute, nodes_below(one))) for one in functions}
        for node in self.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in setting:
                places, names = setting[node.func.id]
                given = (argument_of(node, places[one]) for one in names & places.keys())
                yield from (one.id for one in given if isinstance(one, ast.Name))

    def replaces_signature(self, decorator: ast.expr) -> bool:
        """Return whether a decorator is a function of the project that gives what it returns another signature."""
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = (one.node for one in self.reader.meanings.of(self, function) if isinstance(one, Defined))
        return any(isinstance(one, FunctionNode) and _assigned_to("__signature__", nodes_below(one)) for one in found)

    def value(self, node: ast.expr) -> Any:
        """Return the value of an expression, if the source shows it.

        Raises:
            UnknownValueError: If it does not.
        """
        return self.reader.constants.value(self, node)

    def shape(self, annotation: ast.expr | None, default: ast.expr | None = None, *, is_result: bool = False) -> Shape:
        """Return the schema of one parameter or result, together with the classes that it refers to."""
        reader = AnnotationSchemas(self.reader.constants, is_result=is_result)
        return reader.complete(reader.of(self, annotation, default))

    def text_of(self, node: ast.expr) -> str | None:
        """Return the string value of an expression; None if it is not a string, or not known from the source."""
        return self.reader.constants.text(self, node)

    def location(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> Location:
        """Return the location of a node; of a parameter or a keyword, that of its name."""
        if isinstance(node, _NAMED):
            start = self.index(node.lineno, node.col_offset)
            return self.between(start, start + len(node.arg or "**"))
        if isinstance(node, DEFINITIONS):
            start = self.index(node.lineno, node.col_offset) + len(_KEYWORDS[type(node)])
            return self.between(start, start + len(node.name))
        return self.between(*self.span(node))

    def between(self, start: int, end: int) -> Location:
        """Return the location of the characters between two indices."""
        return self._source.location(start, end)

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> tuple[int, int]:
        """Return the start and end index of a node, without decorators."""
        end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.index(node.lineno, node.col_offset), self.index(end_line, end_offset)

    def segment(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> str:
        """Return the source of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def index(self, line: int, offset: int) -> int:
        """Return the index of the character at a line and an offset in UTF-8 bytes, as in syntax trees."""
        starts = self._source.line_starts
        start, after = starts[line - 1], starts[line] if line < len(starts) else len(self.text)
        written = self.text[start:after]
        return start + (offset if written.isascii() else len(written.encode()[:offset].decode(errors="replace")))

    def edit(self, start: int, end: int, text: str) -> Edit:
        """Return the edit that replaces the characters between two indices."""
        return Edit(self.between(start, end), text)

    def replacing(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword, text: str) -> Edit:
        """Return the edit that replaces a node."""
        return self.edit(*self.span(node), text)

    def literal(self, node: ast.expr) -> Literal:
        """Return a string of the source with the positions of its characters."""
        return Literal(self.text, *self.span(node))


def _assigned_to(attribute: str, nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names of the objects whose attribute an assignment, or a call of `setattr`, sets."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=targets):
                owners = [one.value for one in targets if isinstance(one, ast.Attribute) and one.attr == attribute]
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=name), _]) if name == attribute:
                owners = [owner]
            case _:
                continue
        found |= {one.id for one in map(uncast, owners) if isinstance(one, ast.Name)}
    return frozenset(found)
