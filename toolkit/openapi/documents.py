"""Reads OpenAPI documents, and follows their references to other parts and to files in their folder, and nowhere else.

The data is read by the parsers in C, and positions are found where something is wrong or shown: GitHub's document has
12 MB. References are JSON Pointers into files (OpenAPI 3.1.1, 4.6); an address of the network is never fetched.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from toolkit.builtin.files.sandbox import Sandbox, SandboxError
from toolkit.codes import BROKEN_DOCUMENT
from toolkit.documents.document_reader import decoded_text, parse_document, read_text
from toolkit.documents.json_places import JsonPlaces
from toolkit.documents.json_reading import json_data
from toolkit.documents.nodes import Bounds, Node, many_nodes, place_of, plain
from toolkit.errors import ConfigurationError
from toolkit.problems import Location, Problem, Severity
from toolkit.schemas.places import unescaped

LARGEST: Final = 32 * 1024 * 1024
"""Maximum size in bytes of a document together with the files that it refers to."""
_BOUNDS: Final = Bounds(nodes=2_000_000, characters=LARGEST)
_DEEPEST: Final = 200
_MOST_FILES: Final = 5_000
_MOST_STEPS: Final = 100
_MOST_PROBLEMS: Final = 1_000
_VERSION: Final = re.compile(r"3\.([012])(\.\d+)?(-.*)?")
_KINDS: Final[Mapping[type, str]] = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}


class Part(NamedTuple):
    """A part of a document, and how to get there.

    Attributes:
        document: The document.
        value: The plain data, or `None` if the document lacks this part.
        file: The file, relative to the folder of the document; empty for the document itself.
        path: The keys and indexes that lead to it.
    """

    document: "ApiDocument"
    value: Any
    file: str = ""
    path: tuple[str, ...] = ()

    def at(self, name: str, kind: type = object) -> "Part":
        """Return a member; one that is not of a kind is reported, and counts as missing."""
        value = self.value.get(name) if isinstance(self.value, dict) else None
        part = Part(self.document, value, self.file, (*self.path, name))
        if value is None or isinstance(value, kind):
            return part
        part.report(f"'{name}' must be {_KINDS[kind]}")
        return part._replace(value=None)

    def text(self, name: str) -> str:
        """Return a member that is a string; an empty one if it is missing."""
        value = self.at(name, str).value
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool:
        """Return whether a member is true."""
        return self.at(name, bool).value is True

    def children(self) -> Iterator[tuple[str, "Part"]]:
        """Yield the members of an object, or the items of a list, by name or index."""
        if isinstance(self.value, dict):
            pairs = self.value.items()
        else:
            pairs = {str(index): item for index, item in enumerate(self.value or ())}.items()
        for name, value in pairs:
            yield name, Part(self.document, value, self.file, (*self.path, name))

    def members(self) -> Iterator[tuple[str, "Part"]]:
        """Yield the children, except the extensions of an object."""
        return ((name, part) for name, part in self.children() if not name.startswith("x-"))

    @property
    def reference(self) -> str | None:
        """The reference that stands in place of this part, if there is one."""
        found = self.value.get("$ref") if isinstance(self.value, dict) else None
        return found if isinstance(found, str) else None

    def followed(self, kind: type = dict) -> "Part":
        """Return what is meant by a reference, or this part; what cannot be found, or is of another kind, is reported.

        Its value is then `None`.
        """
        part, seen = self, set[tuple[str, tuple[str, ...]]]()
        while (reference := part.reference) is not None:
            if (part.file, part.path) in seen or len(seen) >= _MOST_STEPS:
                self.report("this reference leads back to itself")
                return self._replace(value=None)
            seen.add((part.file, part.path))
            target = self.document.target(part, reference)
            if target is None:
                return self._replace(value=None)
            part = target
        if part.value is not None and not isinstance(part.value, kind):
            part.report(f"this must be {_KINDS[kind]}")
            return part._replace(value=None)
        return part

    @property
    def pointer(self) -> str:
        """The JSON Pointer, after the name of the file unless it is in the document itself."""
        steps = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in self.path)
        return f"{self.file}#{steps}" if self.file else steps

    @property
    def location(self) -> Location:
        """Where it is written."""
        return self.document.location(self)

    def report(
        self, message: str, hint: str | None = None, severity: Severity = "error", code: str = BROKEN_DOCUMENT
    ) -> None:
        """Report a problem with this part, once."""
        if len(self.document.reported) < _MOST_PROBLEMS:
            problem = Problem(code, message, self.location, severity, hint)
            self.document.reported.setdefault(problem)


class _File(NamedTuple):
    """A file that has been read: its data, and what finds places in it."""

    data: Any
    places: JsonPlaces | Node | None
    name: str


class ApiDocument:
    """An OpenAPI document, together with the files that it refers to.

    Attributes:
        file: The file of the document.
        root: The whole document; its value is `None` if it cannot be read.
        minor: The number in its version 3.0, 3.1 or 3.2.
        reported: The problems so far, in order.
    """

    def __init__(self, file: Path, *, data: bytes | None = None, name: str | None = None) -> None:
        """Read a document; what is wrong with it is among the problems.

        Args:
            file: The file. References lead to files in its folder only.
            data: The content, if the file has none of its own; then there are no other files.
            name: The name of the document in places; the path of the file by default.
        """
        self.file = file
        self.reported: dict[Problem, None] = {}
        self._name = str(file) if name is None else name
        self._folder = None if data is not None else file.parent
        self._files: dict[str, _File | None] = {}
        self._left = LARGEST
        self.minor = 0
        self._files[""] = self._read(file.name, self._name, data)
        read = self._files[""]
        self.root = Part(self, read.data if read is not None else None)
        if read is not None:
            self._check_version(read.data)

    @property
    def problems(self) -> list[Problem]:
        """Everything that is wrong with what has been read so far."""
        return [*self.reported]

    def location(self, part: Part) -> Location:
        """Return where a part is written."""
        file = self._files.get(part.file)
        if file is None or file.places is None:
            return Location(self._shown(part.file))
        if isinstance(file.places, JsonPlaces):
            return file.places.place(part.path)
        return place_of(file.places, part.path) or Location(file.name, 1, 1)

    def target(self, part: Part, reference: str) -> Part | None:
        """Return where the reference of a part leads; a wrong one is reported."""
        here = part.at("$ref")
        name, _, fragment = reference.partition("#")
        file = self._file_of(here, name)
        if file is None:
            return None
        if fragment and not fragment.startswith("/"):
            here.report(f"the reference '{reference}' does not lead to a place", "write it as '#/components/…'")
            return None
        loaded = self._loaded(here, file)
        if loaded is None:
            return None
        found, path = loaded.data, tuple(unescaped(unquote(step)) for step in fragment.split("/")[1:])
        for step in path:
            is_item = isinstance(found, list) and step.isdecimal() and int(step) < len(found)
            if not is_item and not (isinstance(found, dict) and step in found):
                where = f"'{name}' has" if name else "the document has"
                here.report(f"{where} no '{unquote(fragment)}', to which this refers")
                return None
            found = found[int(step)] if is_item else found[step]
        return Part(self, found, file, path)

    # --------------------------------------------------------------------------------------------------------- files

    def _file_of(self, here: Part, name: str) -> str | None:
        """Return the file that a reference names, relative to the folder of the document."""
        own = self.root.value.get("$self") if isinstance(self.root.value, dict) else None
        if not name or (name == own and not here.file):
            return here.file
        if urlsplit(name).scheme or name.startswith(("/", "\\")) or "?" in name:
            here.report(
                f"the reference '{name}' leads outside of the folder of the document, and is not followed",
                "put a copy of the file next to the document",
            )
            return None
        parts: list[str] = here.file.split("/")[:-1]
        for step in unquote(name).split("/"):
            if step == ".." and not parts:
                here.report(f"the reference '{name}' leads outside of the folder of the document, and is not followed")
                return None
            if step == "..":
                parts.pop()
            elif step not in {"", "."}:
                parts.append(step)
        found = "/".join(parts)
        return "" if self._folder is not None and found == self.file.name else found

    def _loaded(self, here: Part, file: str) -> _File | None:
        if file not in self._files:
            self._files[file] = None
            if self._folder is None:
                here.report(f"the reference to '{file}' cannot be followed: the document is not in a folder")
            elif len(self._files) > _MOST_FILES:
                here.report(f"the document refers to more than {_MOST_FILES:,} files")
            else:
                try:
                    data = Sandbox(self._folder.absolute()).read(file, self._left)
                except (SandboxError, OSError, ConfigurationError) as error:
                    here.report(f"the file '{file}', to which this refers, cannot be read: {error}")
                else:
                    self._files[file] = self._read(file, self._shown(file), data)
        return self._files[file]

    def _shown(self, file: str) -> str:
        return os.path.join(os.path.dirname(self._name), file) if file else self._name  # noqa: PTH118, PTH120 - text

    def _read(self, file: str, name: str, data: bytes | None) -> _File | None:
        text = read_text(self.file, name, most=LARGEST) if data is None else decoded_text(data, name)
        if isinstance(text, Problem):
            self.reported.setdefault(text)
            return None
        text = text.removeprefix("\ufeff")
        self._left -= len(text)
        if file.endswith(".json") or text.lstrip()[:1] == "{":
            found = json_data(text, name)
            if not isinstance(found, Problem) and _is_deep(found):
                found = Problem(
                    BROKEN_DOCUMENT, f"the document is nested deeper than {_DEEPEST} levels", Location(name)
                )
            elif not isinstance(found, Problem):
                return _File(found, JsonPlaces(text, name), name)
            if file.endswith(".json"):
                self.reported.setdefault(found)
                return None
        with many_nodes():
            root, problems = parse_document(text, name, _BOUNDS)
            self.reported |= dict.fromkeys(problems)
            return None if root is None else _File(plain(root), root, name)

    def _check_version(self, data: Any) -> None:
        found = data.get("openapi") if isinstance(data, dict) else None
        version = _VERSION.fullmatch(str(found)) if isinstance(found, str | float) else None
        if version is not None:
            self.minor = int(version[1])
            return
        place, hint = self.root, "the versions 3.0, 3.1 and 3.2 can be read"
        if isinstance(data, dict) and "swagger" in data:
            place, found = self.root.at("swagger"), data["swagger"]
            hint = "convert it to OpenAPI 3 first, as https://editor.swagger.io does with 'Edit', 'Convert'"
            message = f"Swagger {found} cannot be read"
        elif found is None:
            message = "this is not an OpenAPI document: it has no 'openapi' with its version"
        else:
            place, message = self.root.at("openapi"), f"OpenAPI {found} cannot be read"
        place.report(message, hint)
        self.root = self.root._replace(value=None)


def _is_deep(data: Any) -> bool:
    """Return whether data is nested more deeply than what reads it can follow."""
    level = [data]
    for _ in range(_DEEPEST):
        inner = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [value for values in inner for value in values if isinstance(value, dict | list)]
        if not level:
            return False
    return True
