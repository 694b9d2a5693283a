"""Find what the files of a project do with a class: derive others from it, and create instances."""

import ast
import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.list_elements import Expression
from toolkit.source_code.local_names import scope_around
from toolkit.source_code.meanings import Defined, Meaning, Meanings
from toolkit.source_code.project_files import project_files, project_folder
from toolkit.source_code.source_files import SourceFile, last_name

_CLASS = re.compile(rb"^[ \t]*class[ \t]+\w+[ \t]*\(([^)]*)\)", re.MULTILINE)
_CALL = re.compile(rb"\b(\w+)\(")
_WORD = re.compile(rb"\w+")
_DESCRIBES = re.compile(
    rb"""(?:["']name["'][ \t]*:|\bname[ \t]*=)[ \t]*(?:\w+\.get\(["']name["'],[ \t]*)?(?!self\b|cls\b)\w+\.\w"""
)
"""Where a definition takes its name from an object, such as `{"name": tool.name, …}`."""
_LOOPS = re.compile(rb"\bfor[ \t]+\w+[ \t]+in[ \t(]+(?!self\b)\w+\.\w*(?:tool|function)")
"""Where a loop or a comprehension goes through the tools of an object, such as `for tool in agent.tools`."""
_NOT_USED = re.compile(
    rb"^[ \t]*(?:from[ \t]+\S+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n]*)|import[ \t][^\n]*|(?:async[ \t]+)?def[ \t]+\w+)"
    rb"|^__all__[^=\n]*=[ \t]*[\[(][^\])]*[\])]|^\w+[ \t]*(?::[^=\n]+)?=(?!=)",
    re.MULTILINE,
)
"""Where a file imports, defines or exports a name without using it."""


class _Words:
    """The names that each file of a project derives classes from and calls, and which files describe objects."""

    def __init__(self, files: Collection[Path]) -> None:
        self.bases: dict[str, set[str]] = {}
        self.called: dict[str, set[str]] = {}
        self.describing: list[str] = []
        self.looping: list[str] = []
        for file in map(os.path.realpath, files):
            with suppress(OSError):
                text = bounded_bytes(file)
                self._add(self.bases, file, (word for one in _CLASS.findall(text) for word in _WORD.findall(one)))
                self._add(self.called, file, _CALL.findall(text))
                self.describing += [file] if _DESCRIBES.search(text) else []
                self.looping += [file] if _LOOPS.search(text) else []

    @staticmethod
    def _add(found: dict[str, set[str]], file: str, words: Collection[bytes] | Iterator[bytes]) -> None:
        for word in words:
            found.setdefault(word.decode(errors="replace"), set()).add(file)


class ClassUses:
    """Finds the uses of classes; each project is searched once, and results are cached."""

    def __init__(self, meanings: Meanings) -> None:
        """Create an empty cache."""
        self._meanings = meanings
        self._words: dict[Path, _Words] = {}
        self._used: dict[Path, frozenset[str]] = {}
        self._derived: dict[ast.AST, tuple[Defined, ...]] = {}
        self._searched: set[str] = set()

    def projects_of(self, files: Collection[str]) -> frozenset[str]:
        """Return the folders of the projects all of whose files the tools of some files depend on."""
        return frozenset(str(project_folder(one)[0]) for one in self._searched.intersection(files))

    def names_used_around(self, source: SourceFile) -> frozenset[str]:
        """Return the words in the files of a project, except where they import, define or export a name.

        There are none if it is not known which files belong together.
        """
        folder, is_whole = project_folder(source.path)
        if not is_whole:
            return frozenset()
        if folder not in self._used:
            found = set[bytes]()
            for file in map(os.path.realpath, project_files(source.path)):
                with suppress(OSError):
                    found.update(_WORD.findall(_NOT_USED.sub(b"", bounded_bytes(file))))
            self._used[folder] = frozenset(word.decode(errors="replace") for word in found)
        self.depend_on_project(source)
        return self._used[folder]

    def derived_from(self, cls: Defined) -> tuple[Defined, ...]:
        """Return the classes of a project that are derived from one of its classes, also through others."""
        if cls.node not in self._derived:
            self._derived[cls.node] = ()  # during the search, which ends cycles
            near = [*self._derived_directly(cls)]
            further = (one for inner in near for one in self.derived_from(inner))
            self._derived[cls.node] = tuple(dict.fromkeys([*near, *further]))
        return self._derived[cls.node]

    def _derived_directly(self, cls: Defined) -> Iterator[Defined]:
        for source in self._files_with(cls, self._words_around(cls).bases):
            for node in source.statements:
                bases = node.bases if isinstance(node, ast.ClassDef) and node is not cls.node else ()
                named = [one for one in bases if last_name(one) == cls.node.name]
                scope = scope_around(source.tree, node) if named else None
                if any(_is_among(cls, self._meanings.of(source, one, scope)) for one in named):
                    yield Defined(source, node)  # type: ignore[arg-type]  # a class, as it has bases

    def instances_of(self, cls: Defined) -> Iterator[Expression]:
        """Yield the calls in a project that create an instance of one of its classes."""
        for source in self._files_with(cls, self._words_around(cls).called):
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Call) and last_name(node.func) == cls.node.name:
                    scope = scope_around(source.tree, node)
                    if _is_among(cls, self._meanings.of(source, node.func, scope)):
                        yield Expression(source, node, scope)

    def describing(self, cls: Defined) -> Iterator[SourceFile]:
        """Yield the files of a project that know one of its classes, and may describe objects to a model."""
        return self._knowing(cls, self._words_around(cls).describing)

    def looping(self, cls: Defined) -> Iterator[SourceFile]:
        """Yield the files of a project that know one of its classes, and go through the tools of objects."""
        return self._knowing(cls, self._words_around(cls).looping)

    def _knowing(self, cls: Defined, files: Iterable[str]) -> Iterator[SourceFile]:
        named = ast.Name(cls.node.name)
        for source in filter(None, map(self._meanings.source, files)):
            is_known = cls.node.name in source.bindings or cls.node.name in source.only_typed
            if is_known and _is_among(cls, self._meanings.of(source, named)):
                yield source

    def _files_with(self, cls: Defined, words: dict[str, set[str]]) -> Iterator[SourceFile]:
        found = words.get(cls.node.name, set()) | {cls.source.path}
        yield from filter(None, map(self._meanings.source, sorted(found)))

    def _words_around(self, cls: Defined) -> _Words:
        home = cls.source.path
        folder, _ = project_folder(home)
        if folder not in self._words:
            self._words[folder] = _Words(project_files(home))
        self.depend_on_project(cls.source)
        return self._words[folder]

    def depend_on_project(self, source: SourceFile) -> None:
        """Record that the tools of a file depend on all files of its project."""
        self._searched.add(source.path)


def _is_among(cls: Defined, found: Iterable[Meaning]) -> bool:
    """Whether a class is among meanings; its file may have been parsed again since they were looked up."""
    places = {(one.source.path, one.node.name, one.node.lineno) for one in found if isinstance(one, Defined)}
    return (cls.source.path, cls.node.name, cls.node.lineno) in places
