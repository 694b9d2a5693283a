"""Decide from its source whether a Python file defines tools, so that other files need not be imported.

The marks of all frameworks say what defines a tool. Names are resolved through imports and assignments, in the file and
in the files that it imports from. No code is run, so tools that the source does not show are not found.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from toolkit.source_code.known_marks import MARKS, MarksTable
from toolkit.source_code.meanings import CALLED, UNREADABLE, Defined, Meaning, Meanings, is_partial
from toolkit.source_code.module_files import PACKAGE, is_installed as is_part_of_python
from toolkit.source_code.source_files import FUNCTIONS, Binding, Definition, Imported, SourceFile
from toolkit.source_code.syntax_nodes import parts_of
from toolkit.tools.foreign.frameworks import framework_of
from toolkit.tools.foreign.source_marks import SourceMarks

_TEXT_TOOL = {"name", "execute"}


class Recogniser:
    """Decides whether files define tools; files are parsed once, and answers are cached."""

    def __init__(self, marks: Sequence[SourceMarks] = MARKS) -> None:
        """Create an empty cache.

        Args:
            marks: What defines a tool.
        """
        self._marks = MarksTable(marks)
        self.meanings = Meanings(self._marks.is_known)
        self._answers: dict[tuple[object, ...], bool] = {}
        self._known_members: dict[tuple[str, ast.ClassDef], set[str]] = {}

    def defines_tools(self, file: str) -> bool:
        """Return whether a file defines tools; a file that cannot be parsed does not."""
        return self._decide("defines", file, lambda source: any(self._tools_in(source)))

    def may_define_tools(self, file: str) -> bool:
        """Return whether a file defines tools, or could do so in a way that its source does not show.

        It is enough that the file imports something that defines tools, or has a class that looks like a text tool.
        """
        return self.defines_tools(file) or self._decide("speaks", file, self._may_define_any)

    def has_tool_class(self, file: str, name: str) -> bool:
        """Return whether a name in a file refers to a class with tools."""
        return self._decide(f"class {name}", file, lambda source: self._is_class(source, ast.Name(name)))

    def line_of(self, file: str, name: str) -> int | None:
        """Return the line of the top-level function or class with a name, or `None`."""
        source = self.meanings.source(file)
        lines = [one.lineno for one in source.top_definitions() if one.name == name] if source is not None else []
        return lines[-1] if lines else None

    def lacks_framework(self, file: str, is_installed: Callable[[str], bool]) -> bool:
        """Return whether a file defines tools with a framework that is not installed, and does not use our library.

        Args:
            file: The file.
            is_installed: Returns whether the framework that a dotted name belongs to is installed.
        """
        named = self._packages_in(file)
        if not named and self.defines_tools(file):  # through other files, such as the one with the base class
            others = sorted(self.meanings.files_behind(file) - {file})
            named = [name for other in others if not is_part_of_python(other) for name in self._packages_in(other)]
        if any(framework_of(name) is None for name in named):
            return False
        return any(self._means_tools(name) and not is_installed(name) for name in named)

    def _packages_in(self, file: str) -> list[str]:
        """Return what a file imports from packages with marks."""
        source = self.meanings.source(file)
        return [one.full_name for one in (source.imports if source else ()) if self._marks.is_known(one.module)]

    def may_define(self, file: str, name: str) -> bool:
        """Return whether a file may define a tool with a name: it defines tools, and the name appears in it."""
        source = self.meanings.source(file)
        if source is None or not self.defines_tools(file):
            return False
        return bool(source.stars) or name in source.bindings or name in source.words

    def _decide(self, question: str, file: str, answer: Callable[[SourceFile], bool]) -> bool:
        source = self.meanings.source(file)
        try:
            return source is not None and self._once(question, source, "", lambda: answer(source))
        except RecursionError:
            return False

    # ------------------------------------------------------------------------------------------------ what a file gives

    def _tools_in(self, source: SourceFile) -> Iterator[bool]:
        """Yield for each top-level object, call and import of a file whether it defines a tool."""
        yield self._is_definition(source)
        for definition in source.top_definitions():
            yield self._is_tool(source, definition)
        for call in source.calls:
            yield self._is_marking(source, call)
        for value in source.values:
            yield not isinstance(value, ast.Name | ast.Attribute) and self._is_tool(source, value)
        for name, bindings in source.bindings.items():
            for one in bindings:
                if isinstance(one, Imported) and self._is_offered(source, name, one):
                    yield self._is_tool_by_name(source, name)
        for star in source.stars if source.path.endswith(PACKAGE) or source.only_gathers else ():
            for other in self.meanings.modules(source, star._replace(name=None)):
                yield any(self._is_tool_by_name(other.source, name) for name in list(other.source.bindings))

    def _is_definition(self, source: SourceFile) -> bool:
        """Whether the whole file is a tool, because a variable in it contains a tool's definition."""
        taken = (self._marks.of(one.module) for one in source.imports)
        variables = {marks.spec_variable for marks in taken if marks is not None and marks.spec_variable}
        return any(isinstance(value, ast.Dict) for name in variables for value in source.bindings.get(name, ()))

    @staticmethod
    def _is_offered(source: SourceFile, name: str, imported: Imported) -> bool:
        """Whether a file reexports an import."""
        is_package = source.path.endswith(PACKAGE)
        return is_package or imported.is_exported or name in source.offered or source.only_gathers

    def _may_define_any(self, source: SourceFile) -> bool:
        if any(self._means_tools(one.full_name.removesuffix(".*")) for one in source.imports):
            return True
        classes = (one for one in source.top_definitions() if isinstance(one, ast.ClassDef))
        return any(self._members(source, one) >= _TEXT_TOOL for one in classes)

    def _means_tools(self, name: str) -> bool:
        """Whether a dotted name is something that defines tools."""
        marks = self._marks
        return marks.is_package(name) or marks.is_decorator(name) or marks.is_class(name) or marks.is_maker(name)

    # ------------------------------------------------------------------------------------------------ marks and classes

    def _is_mark(self, source: SourceFile, node: ast.expr) -> bool:
        """Whether an expression is a decorator that marks tools: one from the table, or a function that uses one."""
        while isinstance(node, ast.Call):
            if is_partial(node):
                return self._is_mark(source, node.args[0])
            node = node.func
        for meaning in self.meanings.of(source, node):
            match meaning:
                case str() if any(map(self._marks.is_decorator, _spellings(meaning))):
                    return True
                case Defined(node=ast.FunctionDef()) if self._about("mark", meaning, self._has_mark_within):
                    return True
        return False

    def _has_mark_within(self, source: SourceFile, function: Definition) -> bool:
        used = (node for node in ast.walk(function) if isinstance(node, ast.Name | ast.Attribute))
        return any(self._is_mark(source, node) for node in used)

    def _is_marking(self, source: SourceFile, call: ast.Call) -> bool:
        """Whether a call marks a function: `tool(function)` or `tool(name="…")(function)`."""
        return bool(call.args) and self._is_mark(source, call.func)

    def _is_class(self, source: SourceFile, node: ast.expr) -> bool:
        """Whether an expression is a class with tools, or whose instances are tools."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            with suppress(*UNREADABLE):
                return self._is_class(source, ast.parse(node.value, mode="eval").body)
            return False
        if isinstance(node, ast.BinOp):
            return self._is_class(source, node.left) or self._is_class(source, node.right)
        for meaning in self.meanings.of(source, node):
            match meaning:
                case str() if self._marks.is_class(meaning):
                    return True
                case Defined(node=ast.ClassDef()) if self._about("class", meaning, self._holds_tools):
                    return True
        return False

    def _holds_tools(self, source: SourceFile, cls: Definition) -> bool:
        if not isinstance(cls, ast.ClassDef):
            return False
        if any(self._is_mark(source, one) for one in cls.decorator_list):
            return True
        if any(self._is_class(source, base) for base in cls.bases):
            return True
        for member in cls.body:
            if isinstance(member, Definition) and self._is_tool(source, member):
                return True
            value = member.value if isinstance(member, ast.Assign) else None
            if isinstance(value, ast.Call) and self._is_marking(source, value):
                return True
        members = self._members(source, cls)
        return members >= _TEXT_TOOL and ("description" in members or self._uses_packages(source))

    def _members(self, source: SourceFile, cls: ast.ClassDef) -> set[str]:
        """Return the names of a class's members, including attributes that its methods assign to `self`."""
        found = set()
        for member in cls.body:
            match member:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    found.add(member.name)
                case ast.Assign(targets=targets):
                    found |= {target.id for target in targets if isinstance(target, ast.Name)}
                case ast.AnnAssign(target=ast.Name(id=name)):
                    found.add(name)
        stored = (node for node in ast.walk(cls) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
        found |= {node.attr for node in stored if isinstance(node.value, ast.Name) and node.value.id == "self"}
        for base in cls.bases:
            for meaning in self.meanings.of(source, base):
                if isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef) and meaning.node is not cls:
                    found |= self._members_of_base(meaning.source, meaning.node)
        return found

    def _members_of_base(self, source: SourceFile, cls: ast.ClassDef) -> set[str]:
        key = source.path, cls
        if key not in self._known_members:
            self._known_members[key] = set()  # empty during the lookup, which ends cycles
            self._known_members[key] = self._members(source, cls)
        return self._known_members[key]

    def _uses_packages(self, source: SourceFile) -> bool:
        return any(self._marks.is_known(one.module) for one in source.imports)

    # ------------------------------------------------------------------------------------------------------------ tools

    def _is_tool(self, source: SourceFile, node: Binding) -> bool:
        """Whether something is a tool, has tools, or is a collection of tools."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return any(self._is_mark(source, one) for one in node.decorator_list)
            case ast.ClassDef():
                return self._about("class", Defined(source, node), self._holds_tools)
            case ast.Name(id=name):
                return self._is_tool_by_name(source, name)
            case ast.Call():
                return self._is_made(source, node)
            case ast.Attribute():
                return any(self._is_tool_meaning(meaning) for meaning in self.meanings.of(source, node))
        return isinstance(node, ast.expr) and any(self._is_tool(source, part) for part in parts_of(node))

    def _is_tool_by_name(self, source: SourceFile, name: str) -> bool:
        def is_tool() -> bool:
            for one in source.bindings.get(name, ()):
                if isinstance(one, Imported):
                    if any(self._is_tool_meaning(meaning) for meaning in self.meanings.followed(source, one)):
                        return True
                    if any(self._is_tool_by_name(other, inner) for other, inner in self.meanings.taken(source, one)):
                        return True
                elif not isinstance(one, ast.ClassDef) and self._is_tool(source, one):
                    return True
            return False

        return self._once("tool", source, name, is_tool)

    def _is_tool_meaning(self, meaning: Meaning) -> bool:
        """Whether a meaning is a tool; a class is not, because only the file that defines it creates instances."""
        return (
            isinstance(meaning, Defined)
            and isinstance(meaning.node, FUNCTIONS)
            and self._is_tool(meaning.source, meaning.node)
        )

    def _is_made(self, source: SourceFile, call: ast.Call) -> bool:
        """Whether a call returns a tool, or a collection of tools."""
        if self._is_marking(source, call) or self._is_class(source, call.func):
            return True
        method = call.func if isinstance(call.func, ast.Attribute) else None
        if method is not None and _returns_the_same(method.attr) and self._is_tool(source, method.value):
            return True
        for meaning in self.meanings.of(source, call.func):
            match meaning:
                case str() if self._is_maker(meaning):
                    return True
                case Defined(node=ast.FunctionDef()) if self._about("maker", meaning, self._makes_tools):
                    return True
        return False

    def _is_maker(self, meaning: str) -> bool:
        """Whether a call of a dotted name returns a tool: a maker, a class method, or a chain of calls of these."""
        first, *chain = meaning.split(f"{CALLED}.")
        is_first = self._marks.is_maker(first) or self._marks.is_class(first.rpartition(".")[0])
        is_first = is_first or (bool(chain) and self._marks.is_class(first))
        return is_first and (not chain or _returns_the_same(chain[-1]))

    def _makes_tools(self, source: SourceFile, function: Definition) -> bool:
        """Whether a function returns tools: according to its annotation, or because it defines tools inside."""
        if isinstance(function, ast.ClassDef):
            return False
        if function.returns is not None and any(self._is_class(source, one) for one in _types_in(function.returns)):
            return True
        for node in ast.walk(function):
            if isinstance(node, FUNCTIONS) and node is not function and self._is_tool(source, node):
                return True
            if isinstance(node, ast.Call) and self._is_made(source, node):
                return True
        return False

    def _about(self, question: str, defined: Defined, answer: Callable[[SourceFile, Definition], bool]) -> bool:
        return self._once(question, defined.source, defined.node, lambda: answer(*defined))

    def _once(self, question: str, source: SourceFile, about: object, answer: Callable[[], bool]) -> bool:
        """Return the cached answer to a question; during its computation, the answer is no, which ends cycles."""
        key = question, source.path, about
        if key not in self._answers:
            self._answers[key] = False
            self._answers[key] = answer()
        return self._answers[key]


def _types_in(annotation: ast.expr) -> Iterator[ast.expr]:
    """Yield every name in an annotation, including string annotations."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name | ast.Attribute | ast.Constant):
            yield node


def _spellings(meaning: str) -> tuple[str, str]:
    """Return the spellings of a mark in a table: without the last call, and without any calls."""
    return meaning.removesuffix(CALLED), meaning.replace(CALLED, "")


def _returns_the_same(method: str) -> bool:
    """Whether a method of a tool or of a tool's builder returns a tool."""
    return method == "build" or method.startswith("with_")
