"""Find the tools that a Python file defines by analyzing its source, without running code."""

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from toolkit.source_code.call_scopes import is_parameter
from toolkit.source_code.classes_as_tools import ClassesAsTools
from toolkit.source_code.defining_calls import DefiningCalls
from toolkit.source_code.file_views import FileView, as_function
from toolkit.source_code.finders import Finders
from toolkit.source_code.known_marks import framework_with, marks_of
from toolkit.source_code.loaded_files import LoadedFiles
from toolkit.source_code.local_names import LocalNames, scope_around
from toolkit.source_code.meanings import Defined
from toolkit.source_code.registering_calls import RegisteringCalls
from toolkit.source_code.registrations import OTHERS
from toolkit.source_code.source_files import Definition, SourceFile
from toolkit.source_code.syntax_nodes import calls_and_definitions
from toolkit.source_code.tool_hints import LISTS_OF_TOOLS
from toolkit.source_code.tool_listings import Listings
from toolkit.source_code.unfollowed_calls import Unfollowed, is_relayed
from toolkit.source_code.wrappers import wrapped_by
from toolkit.source_code.written_tools import IN_LIST, OURS, Shown, WrittenTool, value_of
from toolkit.tools.foreign.frameworks import FRAMEWORK_OF_VARIABLE, FRAMEWORKS, framework_of
from toolkit.tools.foreign.source_marks import OUR_MARKS, SourceMarks

_RENAMED = "name="
_ON_DEFINITIONS = {"decorator", "class"}


class ToolReader(Finders):
    """Finds the tools of files; files are parsed once, and results are cached."""

    def tools_of(self, file: str) -> tuple[WrittenTool, ...]:
        """Return the tools that a file defines, in order of position; none if it cannot be parsed."""
        source = self.meanings.source(file)
        return () if source is None else self.tools_in(source)

    def tools_in(self, source: SourceFile) -> tuple[WrittenTool, ...]:
        """Return the tools that a parsed file defines, in order of position."""
        return self.shown_in(source).tools

    def folders_of(self, files: Collection[str]) -> frozenset[str]:
        """Return the folders that were searched on behalf of files; a new file there may change their tools."""
        loaded = (folder for one in files for folder in self.searched_folders.get(one, ()))
        return self.registrations.registries.folders_of(files).union(loaded)

    def projects_of(self, files: Collection[str]) -> frozenset[str]:
        """Return the folders of the projects all of whose files the tools of some files depend on."""
        return self.uses.projects_of(files)

    def shown_in(self, source: SourceFile) -> Shown:
        """Return the tools that a parsed file defines, and the calls for others that it does not show."""
        self.meanings.keep(source)
        try:
            view = FileView(self, source)
            found = _Walk(view).tools()
        except RecursionError:
            return Shown(is_cut=True)
        found.sort(key=lambda tool: (tool.node.lineno, tool.node.col_offset))
        unfollowed = (one for one in view.unfollowed if one.call not in view.named)
        return Shown(tuple(found), tuple(unfollowed))


class _Walk:
    def __init__(self, view: FileView) -> None:
        self._view = view
        self._finders = view.finders
        self._source = view.source
        self._calls = RegisteringCalls(view)
        self._classes = ClassesAsTools(view)
        self._listings = Listings(view)
        self._definitions = DefiningCalls(view)
        self._loaded = LoadedFiles(view)

    def tools(self) -> list[WrittenTool]:
        renamed = self._finders.instances.renamed_in(self._source)
        found = [*self._below(self._source.tree, None), *self._in_variable(), *self._in_list()]
        found += [self._view.tool(one.marks, _RENAMED, one.node, name=one.name) for one in renamed]
        shown = [node for one in found for node in (one.node, one.declared, one.mark) if node is not None]
        if not (self._view.lists_tools and any(one.marks.serves for one in found)):  # what it lists is followed
            found += self._declared({(one.lineno, one.col_offset) for one in shown}, {one.name for one in found})
        sure = {one.function for one in found if one.framework != OTHERS and one.function is not None}
        found = [one for one in found if one.framework != OTHERS or one.function not in sure]
        left = [one for one in found if one.name is not None or one.mark not in self._view.named]
        once = {_same(one): one for one in reversed(left)}
        return [one for one in left if once[_same(one)] is one]

    def _below(self, node: ast.AST, names: LocalNames | None) -> Iterator[WrittenTool]:
        for inner in calls_and_definitions(node):
            if isinstance(inner, ast.Call):
                yield from self._calls.of_call(inner, names)
                yield from self._loaded.loaded_by(inner, names)
                continue
            yield from self._by_decorators(inner, names)
            if isinstance(inner, ast.ClassDef):
                yield from self._classes.of_class(inner, names)
            yield from self._below(inner, LocalNames(inner, names))

    # ------------------------------------------------------------------------------------------------------- decorators

    def _by_decorators(self, node: Definition, names: LocalNames | None) -> list[WrittenTool]:
        """Return the tools that decorators make; a decorator of the project adds none to those of a framework."""
        found = [one for mark in node.decorator_list for one in self._decorated(node, mark, names)]
        files = frozenset(file for one in found for file in one.registry)
        return ([replace(one, kept_in=files) for one in found if not one.registry] or found) if files else found

    def _decorated(self, node: Definition, decorator: ast.expr, names: LocalNames | None) -> Iterator[WrittenTool]:
        found = self._finders.registrations.of_decorator(self._source, decorator, names)
        if found is None or _wraps_parameter(node, names):
            yield from self._listings.listed_by(node, decorator, names)
            return
        if (found.marks is OUR_MARKS and is_out_of_reach(self._source, names)) or self._is_step(found.marks, names):
            return
        registration = found.registration
        yield self._view.tool(
            found.marks,
            "decorator",
            node,
            name=self._view.name(decorator, registration, node.name, names),
            mark=decorator,
            registration=registration,
            function=as_function(node),
            home=self._source.path,
            within=found.within,
            registry=found.registry,
            is_guessed=found.is_guessed,
            scope=names,
        )

    def _is_step(self, marks: SourceMarks, names: LocalNames | None) -> bool:
        """Whether a scope is a class whose marked methods no model calls."""
        framework = FRAMEWORKS.get(framework_with(marks) or OURS)
        if names is None or framework is None or not framework.steps or not isinstance(names.node, ast.ClassDef):
            return False
        bases = self._finders.meanings.made_from(Defined(self._source, names.node))
        return any(one.endswith(f".{framework.steps}") for one in bases)

    def _declared(self, known: Collection[tuple[int, int]], named: Collection[str | None]) -> Iterator[WrittenTool]:
        """Yield the tools that are defined as plain data, except at these lines and columns.

        A definition that only its form makes a tool is left out if it has the name of another tool, of which it is
        what one provider receives.
        """
        declared = self._finders.declared.in_file(self._source)
        named = {*named, *(one.name for one in declared if not one.is_only_form)}
        for one in declared:
            if (one.node.lineno, one.node.col_offset) in known or (one.is_only_form and one.name in named):
                continue
            scope = scope_around(self._source.tree, one.node)
            shown: Iterable[str | None] = [one.name]
            if one.name is None and (one.is_object or one.declared is not None):
                shown = [] if one.name_node is None else self._definitions.new_names(one.name_node, scope)
                if one.declared is not None and not shown:
                    relayed = is_relayed(one.declared, scope)
                    self._view.unfollowed.append(Unfollowed(one.declared, one.marks.title, relayed, is_conversion=True))
            tool = self._view.tool(
                one.marks,
                one.kind,
                one.node,
                name=one.name,
                mark=one.node if isinstance(one.node, ast.Call) else None,
                registration=one.registration,
                function=None if one.as_class is None else one.as_class.method,
                home=None if one.as_class is None else one.as_class.home,
                as_class=one.as_class,
                declared=one.declared,
                sent_at=one.sent_at,
                scope=scope,
                framework=one.form_of,
            )
            yield from (replace(tool, name=name) for name in shown)

    def _in_variable(self) -> Iterator[WrittenTool]:
        """Yield the tool of a module that contains its definition in a variable."""
        imported = [framework_of(one.module) for one in self._finders.meanings.foreign_imports(self._source)]
        others = (one for variable, one in FRAMEWORK_OF_VARIABLE.items() if variable in self._source.bindings)
        for framework in dict.fromkeys(filter(None, (*imported, *others))):
            marks = marks_of(framework)
            for value in self._source.bindings.get(marks.spec_variable or "", ()) if marks else ():
                if marks and isinstance(value, ast.Dict):
                    named = value_of(value, "name")
                    name = None if named is None else self._finders.constants.text(self._source, named)
                    own = [one for one in self._source.top_definitions() if one.name == name]
                    function = next(iter(own), None)
                    if function is None and framework not in imported:
                        continue
                    yield self._view.tool(
                        marks,
                        str(marks.spec_variable),
                        function or value,
                        name=name,
                        function=None if function is None else as_function(function),
                        home=self._source.path,
                        declared=value,
                    )

    def _in_list(self) -> Iterator[WrittenTool]:
        """Yield the functions in a list `TOOLS` of a file that no other one imports: what loads it is not known."""
        lists = (one for name in LISTS_OF_TOOLS for one in self._source.bindings.get(name, ()))
        given = [part for one in lists if isinstance(one, ast.List | ast.Tuple) for part in one.elts]
        marks = marks_of(OTHERS)
        if not given or marks is None or self._finders.declared.is_imported(self._source):
            return
        for one in dict.fromkeys(each for part in given for each in self._view.functions(part, None)):
            if one.source is self._source and not self._view.is_marked(one):
                node, home = one.node, one.source.path
                yield self._view.tool(marks, IN_LIST, node, name=node.name, function=as_function(node), home=home)


def _same(tool: WrittenTool) -> object:
    """Return what is equal for calls that make the same tool of a function, for several agents or servers."""
    if tool.kind == IN_LIST and tool.name is None:  # made each time that a function is called, with other names
        return tool
    is_foreign = tool.framework != OURS or tool.kind == IN_LIST
    is_called = is_foreign and tool.function is not None and tool.kind not in _ON_DEFINITIONS
    return (tool.framework, tool.function, tool.name, tool.kind) if is_called else tool


def is_out_of_reach(source: SourceFile, names: LocalNames | None) -> bool:
    """Whether a scope is a class inside another one that the file never refers to, so that it gives no tools.

    A toolbox inside another one does give tools, and any other decorator may use the class, too.
    """
    inner, outer = names and names.node, names and names.outer and names.outer.node
    if not (isinstance(inner, ast.ClassDef) and isinstance(outer, ast.ClassDef)):
        return False
    if inner.decorator_list or outer.decorator_list:
        return False
    return not any(isinstance(node, ast.Attribute) and node.attr == inner.name for node in ast.walk(source.tree))


def _wraps_parameter(node: Definition, names: LocalNames | None) -> bool:
    """Whether a function wraps one that a decorator of the project receives."""
    copied = wrapped_by(node)
    return copied is not None and is_parameter(copied, names)
