"""The finders that answer questions about the source of a project, one for each kind of question."""

import ast
from collections.abc import Callable, Collection
from functools import partial

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.class_uses import ClassUses
from toolkit.source_code.constants import Constants
from toolkit.source_code.declared_tools import DeclaredTools
from toolkit.source_code.held_lists import HeldLists
from toolkit.source_code.known_marks import MarksTable
from toolkit.source_code.loops import Loops
from toolkit.source_code.meanings import Meanings
from toolkit.source_code.project_files import project_files
from toolkit.source_code.registered_names import RegisteredNames
from toolkit.source_code.registrations import Registrations
from toolkit.source_code.registries import files_around
from toolkit.source_code.source_files import SourceFile
from toolkit.source_code.tool_factories import Factories
from toolkit.source_code.tool_hints import ToolHints
from toolkit.source_code.tool_instances import Instances
from toolkit.tools.foreign.source_marks import OUR_MARKS


class Finders:
    """Finds what the source of a project means; files are parsed once, and results are cached.

    Attributes:
        marks: What marks tools in each framework.
        meanings: What expressions refer to.
        constants: The values and texts of expressions.
        hints: Whether a file may have tools at all, by its text.
        registrations: What decorators and calls register.
        factories: The functions of the project that register what they receive.
        uses: How the classes of the project are used.
        loops: The turns of loops.
        instances: The objects of classes that are tools, and their new names.
        held: The elements of lists that agents receive.
        names: The names that decorators and calls give.
        declared: The tools that are plain data.
        searched_folders: The folders from whose files a file loads tools, by the path of that file.
    """

    def __init__(self, read: Callable[[str], SourceFile] = SourceFile, own_decorators: Collection[str] = ()) -> None:
        """Create an empty cache.

        Args:
            read: Reads and parses a file, given by its path.
            own_decorators: The project's decorators that register tools: their names, or dotted names.
        """
        self.marks = MarksTable((OUR_MARKS,))
        self.meanings = Meanings(self.marks.is_known, only_near=True, read=read)
        self.constants = Constants(self.meanings)
        self.hints = ToolHints(self.meanings.files_of, own_decorators)
        self.registrations = Registrations(self.meanings, self.marks, own_decorators)
        self.uses = ClassUses(self.meanings)
        self.factories = Factories(self.registrations, self.uses)
        self.loops = Loops(self.constants)
        self.instances = Instances(self.constants, self.marks)
        self.held = HeldLists(self.constants, self.uses)
        self.names = RegisteredNames(self.constants, self.held)
        self.declared = DeclaredTools(self.constants, self.uses, self.loops)
        self.searched_folders: dict[str, set[str]] = {}
        self._mentioned: dict[tuple[str, frozenset[str]], bool] = {}
        self._mentioned_with: dict[tuple[str, frozenset[str]], bool] = {}

    def is_mentioned(self, source: SourceFile, words: Collection[str]) -> bool:
        """Return whether a file of the project around a source mentions one of some words."""
        key = (source.path, frozenset(words))
        if key not in self._mentioned:
            files = map(str, project_files(source.path)) if words else ()
            self.uses.depend_on_project(source)
            self._mentioned[key] = any(map(partial(_mentions, words), files))
        return self._mentioned[key]

    def is_mentioned_with(self, source: SourceFile, words: Collection[str]) -> bool:
        """Return whether a source, or a file of the project that imports it, mentions one of some words."""
        key = (source.path, frozenset(words))
        if key not in self._mentioned_with:
            near = [source.path, *(map(str, project_files(source.path)) if self.is_mentioned(source, words) else ())]
            files = filter(partial(_mentions, words), near)
            sources = (one for one in filter(None, map(self.meanings.source, files)) if _has_code(one, words))
            self._mentioned_with[key] = any(source.path in self.files_around(one) for one in sources)
        return self._mentioned_with[key]

    def files_around(self, source: SourceFile) -> frozenset[str]:
        """Return a file, and those of the project that it imports."""
        return files_around(self.meanings, source)


def _has_code(source: SourceFile, words: Collection[str]) -> bool:
    """Return whether the code of a file has one of some words: a keyword such as `served=True`, or a whole text."""
    for node in source.nodes:
        match node:
            case ast.keyword(arg=str() as name, value=value) if f"{name}={ast.unparse(value)}" in words:
                return True
            case ast.Constant(value=str() as text) if text in words:
                return True
    return False


def _mentions(words: Collection[str], file: str) -> bool:
    try:
        text = bounded_bytes(file)
    except OSError:
        return False
    return any(word.encode() in text for word in words)
