"""Python functions as rules see them: parameters, docstring, decorator and body in the source."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from pathlib import PurePath
from typing import Any, NamedTuple

from toolkit.problems import Location
from toolkit.source_code.constants import UnknownValueError
from toolkit.source_code.literals import Literal
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.registry_calls import SCHEMAS
from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import FunctionNode, nodes_below, own_nodes, parts_by_key, placed
from toolkit.source_code.written_calls import call_with_options
from toolkit.source_code.written_tools import OURS, WrittenTool
from toolkit.tools.definition.docstrings import Docstring, read_docstring
from toolkit.tools.foreign.source_marks import is_among

_INJECTED = {"ToolContext", "MemoryId"}
_RECEIVERS = {"self", "cls", "_self", "self_", "this"}
_MOST_BASES = 4
_PLACEHOLDER = re.compile(r"\b__[A-Z][A-Za-z]*__")
"""A word in place of a name; names of Python with two underscores are in lower case."""


class PythonParameter(NamedTuple):
    """One parameter in the source.

    Attributes:
        node: Its name and annotation.
        default: Its default, or None.
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


class PythonFunction:
    """A function in a Python file: its name, parameters, docstring, mark and body."""

    def __init__(
        self,
        file: PythonSource,
        node: FunctionNode,
        owner: ast.ClassDef | None = None,
        registered: WrittenTool | None = None,
    ) -> None:
        """Create it from a function's syntax tree.

        Args:
            file: The file that contains it.
            node: Its syntax tree.
            owner: The class, if it is a method.
            registered: The tool that it implements, if any.
        """
        self.file = file
        self.node = node
        self.owner = owner
        self.registered = registered

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.node.name

    @property
    def location(self) -> Location:
        """The location of its name."""
        return self.file.location(self.node)

    @property
    def first_line(self) -> int:
        """The line in which it begins, including its decorators, as in its code object."""
        return min([self.node.lineno, *(decorator.lineno for decorator in self.node.decorator_list)])

    @property
    def written(self) -> WrittenTool | None:
        """The tool of another framework that it implements, if any."""
        return self.registered if self.registered is not None and self.registered.framework != OURS else None

    @property
    def is_foreign(self) -> bool:
        """Whether it is a tool of another framework, or a lookalike."""
        return self.written is not None or self.is_lookalike

    @property
    def is_lookalike(self) -> bool:
        """Whether its class is a tool by its attributes alone, in a file that imports nothing of this package."""
        cls = None if self.registered is None else self.registered.as_class
        return cls is not None and not cls.kind.bases and not self.file.imports_package(OURS)

    @property
    def is_local(self) -> bool:
        """Whether it is a tool of a framework without servers, which runs in the program of whoever asks the model."""
        return self.written is not None and not self.written.marks.serves

    @property
    def mark(self) -> ast.expr | None:
        """The decorator or call that makes it a tool, such as `@tool` or `@tool(…)`, or None."""
        return None if self.registered is None else self.registered.mark

    @property
    def has_own_mark(self) -> bool:
        """Whether its mark is that of a package, rather than a function of the project that applies one."""
        return self.registered is not None and not self.registered.is_wrapped

    @cached_property
    def options(self) -> Mapping[str, ast.keyword]:
        """The options of our mark, by name."""
        call = None if self.written is not None or not self.has_own_mark else call_with_options(self.mark)
        return {} if call is None else {keyword.arg: keyword for keyword in call.keywords if keyword.arg}

    def option(self, name: str) -> Any:
        """Return the value of an option; None if it is missing, or if the source does not show it."""
        keyword = self.options.get(name)
        try:
            return None if keyword is None else self.file.value(keyword.value)
        except UnknownValueError:
            return None

    @property
    def tool_name(self) -> str:
        if self.written is not None and self.written.as_class is not None and self.written.name is None:
            return self.written.as_class.node.name
        return (self.registered and self.registered.name) or self.name

    @property
    def is_named(self) -> bool:
        """Whether the source shows the name of the tool."""
        return self.registered is None or self.registered.name is not None

    @cached_property
    def parameters(self) -> tuple[PythonParameter, ...]:
        """The parameters that callers can set: without `self`, `cls`, injected ones, `*args` and `**kwargs`."""
        if self.has_other_signature or (self.takes_call and self.written is None):
            return ()
        bound = self.owner is not None and not self._is_static and self._has_receiver
        given = self.all_parameters[1 if bound else 0 :]
        if self.written is None:
            return tuple(one for one in given if not self._is_injected(one) and not one.is_variadic)
        return tuple(one for at, one in enumerate(given) if not (self._is_hidden(one, at) or one.is_variadic))

    @cached_property
    def all_parameters(self) -> tuple[PythonParameter, ...]:
        """Every parameter in the order of the source."""
        given = self.node.args
        positional = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
        found = [PythonParameter(*pair, "positional") for pair in zip(positional, defaults, strict=True)]
        found += [PythonParameter(given.vararg, None, "*")] if given.vararg else []
        found += [
            PythonParameter(node, default, "keyword")
            for node, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        ]
        return (*found, PythonParameter(given.kwarg, None, "**")) if given.kwarg else tuple(found)

    @cached_property
    def docstring_node(self) -> ast.Constant | None:
        """The docstring's node in the syntax tree."""
        match self.node.body:
            case [ast.Expr(value=ast.Constant(value=str()) as constant), *_]:
                return constant
        return None

    @cached_property
    def docstring_text(self) -> str | None:
        """The docstring without its indentation."""
        return ast.get_docstring(self.node)

    @cached_property
    def docstring(self) -> Docstring:
        """The descriptions in the docstring: of the function, and of each parameter."""
        return read_docstring(self.docstring_text)

    @cached_property
    def docstring_literal(self) -> Literal | None:
        """The docstring with the positions of its characters."""
        return None if self.docstring_node is None else self.file.literal(self.docstring_node)

    @property
    def body(self) -> list[ast.stmt]:
        """Its body without the docstring."""
        return self.node.body[1:] if self.docstring_node is not None else self.node.body

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the body, inner functions included."""
        return tuple(node for statement in self.body for node in nodes_below(statement))

    @cached_property
    def own_nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the body without those of inner functions, in the order of the source."""
        return tuple(own_nodes(self.body))

    @cached_property
    def calls(self) -> tuple[tuple[ast.Call, str], ...]:
        """Every call of a named function in the body, with the full name according to the imports."""
        calls = (node for node in self.nodes if isinstance(node, ast.Call))
        return tuple((node, meaning) for node in calls if (meaning := self.file.meaning(node.func)))

    @property
    def is_async(self) -> bool:
        """Whether it is a coroutine function."""
        return isinstance(self.node, ast.AsyncFunctionDef)

    @property
    def is_stub(self) -> bool:
        """Whether it does nothing: its body is `...`, `pass`, or `raise NotImplementedError`."""
        return all(_is_nothing(statement) for statement in self.body)

    @property
    def takes_call(self) -> bool:
        """Whether it receives a call as a single object, so that its signature is not that of the tool."""
        tool = self.registered
        if tool is not None and tool.as_class is not None:
            return tool.as_class.kind.takes_call
        made = None if tool is None else tool.registration
        return tool is not None and made is not None and (made.takes_call or tool.argument(made.whole) is not None)

    @property
    def is_decorated(self) -> bool:
        """Whether it has another decorator besides the mark, which may replace it."""
        others = [one for one in self.node.decorator_list if one is not self.mark]
        return any(getattr(one, "id", "") not in {"staticmethod", "classmethod"} for one in others)

    @property
    def has_other_signature(self) -> bool:
        """Whether the file replaces its signature: `function.__signature__ = …`."""
        return self.name in self.file.with_other_signatures

    @cached_property
    def may_hide_parameters(self) -> bool:
        """Whether a decorator of the project replaces its signature, so that models may not see all its parameters."""
        others = (one for one in self.node.decorator_list if one is not self.mark)
        return any(map(self.file.replaces_signature, others))

    @property
    def is_in_template(self) -> bool:
        """Whether a generator makes other files of its file: in a folder for templates, with names as `__Package__`."""
        folders = PurePath(self.file.path).parent.parts
        return any("template" in one.lower() for one in folders) and _PLACEHOLDER.search(self.file.text) is not None

    @property
    def is_strict(self) -> bool:
        """Whether its framework makes the schema strict by default, and no option turns that off.

        A function of the project that makes the tool may turn it off, so that nothing is known then.
        """
        option = self.written.marks.demands.strict_unless if self.written else None
        if self.written is None or option is None or self.written.kind not in {"decorator", "call"}:
            return False
        if self.written.registration not in self.written.marks.registrations:
            return False
        strict = self.written.argument((option,))
        return strict is None or (isinstance(strict, ast.Constant) and strict.value is True)

    def is_context(self, parameter: PythonParameter) -> bool:
        """Return whether the type of a parameter shows that a framework injects its context."""
        return parameter.node.annotation is not None and self._is_hidden(parameter, -1)

    @property
    def _is_static(self) -> bool:
        return any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in self.node.decorator_list)

    @property
    def _has_receiver(self) -> bool:
        """Whether the first parameter is the object: some frameworks make tools of plain functions in a class."""
        first = next(iter(self.all_parameters), None)
        if first is None or first.name in _RECEIVERS:
            return first is not None
        return first.node.annotation is None and not (self.written is not None and self.written.kind == "decorator")

    def _is_hidden(self, parameter: PythonParameter, position: int) -> bool:
        """Return whether a framework injects a parameter, so that no model sees it."""
        if self.written is None:
            return False
        injected, registration = self.written.marks.injected, self.written.registration
        gives_first = registration is not None and any(
            one.endswith(injected.is_first) for one in registration.names if injected.is_first
        )
        if (
            parameter.name in injected.names
            or parameter.name in self._filled_by_mark
            or (self._listed_by_mark is not None and parameter.name not in self._listed_by_mark)
            or (gives_first and not position and parameter.node.annotation is None)
            or (self._is_handler and parameter.name in injected.usual and parameter.node.annotation is None)
        ):
            return True
        parts = [*self._names_in(parameter.node.annotation), *self._names_in(parameter.default)]
        if any(is_among(name, injected.types) for one in parts for name in self._types_behind(one)):
            return True
        classes = {one.rpartition(".")[2].lstrip("*") for one in injected.types}
        return any(last_name(one) in classes and self._is_undefined(one) for one in parts)

    def _is_undefined(self, name: ast.expr) -> bool:
        """Whether nothing in the file defines a name, as in a snippet without imports."""
        file = self.file
        known = (file.imported_names, file.classes, file.assigned, file.bindings)
        return isinstance(name, ast.Name) and not file.stars and not any(name.id in one for one in known)

    @property
    def _is_handler(self) -> bool:
        """Whether a definition says what the parameters are, and the framework calls the function in its own way."""
        registration = None if self.written is None else self.written.registration
        return registration is not None and registration.way == "definition"

    def _types_behind(self, name: ast.expr, depth: int = 0) -> Iterator[str]:
        """Yield what a type is: itself, what it is an alias of, and the bases of a class, also in other files."""
        yield self.file.meaning(name) or ""
        meanings = self.file.reader.meanings
        for meaning in meanings.of(self.file, name):
            yield from meanings.made_from(meaning)
        short = name.id if isinstance(name, ast.Name) and depth < _MOST_BASES else ""
        cls, alias = self.file.classes.get(short), self.file.assigned.get(short)
        for base in [*(cls.bases if cls else ()), *([alias] if alias else ())]:
            for one in self._names_in(base):
                yield from self._types_behind(one, depth + 1)

    @cached_property
    def _filled_by_mark(self) -> frozenset[str]:
        """The parameters that an argument of the mark lists as injected."""
        mark = self.written
        given = None if mark is None else self.file.resolved(mark.argument(mark.marks.injected.mappings))
        values = given.values if isinstance(given, ast.Dict) else getattr(given, "elts", ())
        return frozenset(filter(None, map(self.file.text_of, values)))

    @cached_property
    def _listed_by_mark(self) -> Collection[str] | None:
        """The parameters in the JSON Schema that a decorator of the project is given, or `None`.

        The project passes any others itself.
        """
        if self.written is None or self.written.kind != "decorator" or not self.written.followed:
            return None
        schema = self.file.resolved(self.written.argument(SCHEMAS))
        listed = parts_by_key(schema).get("properties") if isinstance(schema, ast.Dict) else None
        return parts_by_key(listed) if isinstance(listed, ast.Dict) and all(listed.keys) else None

    def _names_in(self, node: ast.expr | None) -> Iterator[ast.expr]:
        """Yield the names in an annotation or a default, including those in strings."""
        for one in nodes_below(node) if node is not None else ():
            if isinstance(one, ast.Name | ast.Attribute):
                yield one
            elif isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.isidentifier():
                yield placed(ast.Name(one.value), one)

    def _is_injected(self, parameter: PythonParameter) -> bool:
        return any(last_name(one) in _INJECTED for one in self._names_in(parameter.node.annotation))


def _is_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False
