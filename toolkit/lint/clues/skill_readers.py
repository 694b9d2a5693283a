"""Finds what makes the header of a skill unnecessary: a program of the project that reads it, or a copy with one."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from toolkit.regular_files import bounded_bytes
from toolkit.skills.skill_files import read_skill
from toolkit.skills.skill_folders import find_skills
from toolkit.source_code.project_files import project_files, project_folder
from toolkit.source_code.sample_files import is_left_behind

_PLUGIN = ".claude-plugin"
_OPENS = re.compile(rb"""["'](?:[^"'\s]*/)?SKILL\.md["']""")
_HEADER = re.compile(rb"frontmatter|front[ _-]matter|yaml|[\"']---", re.IGNORECASE)
"""What a program mentions that reads the headers of skills."""
_INSTALLS = re.compile(rb"\.(?:claude|codex|agents|cursor|gemini|github)\b|\bcopy", re.IGNORECASE)
"""What a program mentions that puts skills where clients read them."""
_HEADINGS = re.compile(rb"""["'](?:\^?#{1,3} |\^#)""")
"""A heading, in a text of a program that reads those of a skill instead."""


class SkillReaders:
    """Answers what else reads or has the skills of a project; each project is searched once."""

    def __init__(self) -> None:
        self._programs: dict[Path, _Programs] = {}
        self._others: dict[Path, Mapping[str, Sequence[str]]] = {}

    def own_reader(self, file: Path) -> str | None:
        """Return the name of a program of a project that reads the headings of skills, if none reads their headers.

        A program in the package around the skill also counts, unless it installs the skill. Skills in hidden folders
        such as `.claude/skills`, and in plugins, are for clients, whatever else reads them.
        """
        folder = _project_of(file)
        if folder is None or _is_for_clients(file, folder):
            return None
        return next(iter((*self._programs_in(folder).by_headings, *_programs_beside(file))), None)

    def expects_none(self, file: Path) -> bool:
        """Return whether a project has no skills: none of its programs opens one, and none has a header."""
        folder = _project_of(file)
        return folder is None or not (self._programs_in(folder).is_any or self._skills_in(folder))

    def _skills_in(self, folder: Path) -> Mapping[str, Sequence[str]]:
        if folder not in self._others:
            self._others[folder] = _with_headers(folder)
        return self._others[folder]

    def _programs_in(self, folder: Path) -> "_Programs":
        if folder not in self._programs:
            self._programs[folder] = _programs_in(folder)
        return self._programs[folder]

    def installed_copy(self, file: Path) -> str | None:
        """Return another skill of a project with the same name and a header, which clients read instead, or `None`.

        They read skills in hidden folders and in plugins, too, where another one may have the same name.
        """
        folder = _project_of(file)
        if folder is None or _is_for_clients(file, folder):
            return None
        others = self._skills_in(folder).get(file.absolute().parent.name, ())
        return next((one for one in others if folder / one != file.absolute()), None)


def _project_of(file: Path) -> Path | None:
    folder, is_whole = project_folder(str(file.absolute()))
    return folder if is_whole else None


def _is_for_clients(file: Path, folder: Path) -> bool:
    """Return whether a skill of the project in a folder is where clients look for skills themselves."""
    inner = file.absolute().relative_to(folder).parts
    around = (folder.joinpath(*inner[:count]) for count in range(len(inner)))
    return any(one.startswith(".") for one in inner) or any((one / _PLUGIN).is_dir() for one in around)


def _with_headers(folder: Path) -> Mapping[str, Sequence[str]]:
    """Return the skills of a project that have a header and are not left behind, by the names of their folders."""
    found: dict[str, list[str]] = {}
    for one in find_skills(folder):
        if not is_left_behind(str(one), folder) and read_skill(one).header is not None:
            found.setdefault(one.parent.name, []).append(one.relative_to(folder).as_posix())
    return found


class _Programs(NamedTuple):
    """The programs of a project that open skills: whether there are any, and those that only read their headings."""

    is_any: bool
    by_headings: Sequence[str]


def _programs_in(folder: Path) -> _Programs:
    found, is_any, is_read = [], False, False
    for one in project_files(str(folder / "SKILL.md")):
        with suppress(OSError):
            text = bounded_bytes(one)
            if _OPENS.search(text):
                is_any = True
                is_read = is_read or _HEADER.search(text) is not None
                found += [one.name] if _HEADINGS.search(text) else []
    return _Programs(is_any, [] if is_read else found)


def _programs_beside(file: Path) -> Sequence[str]:
    """Return the names of the files in the folder of a skill, or in the package around it, that only read its text."""
    found, folder = [], file.absolute().parent
    is_inside = (folder.parent / "__init__.py").is_file()
    for one in (*sorted(folder.glob("*.py")), *(sorted(folder.parent.glob("*.py")) if is_inside else ())):
        with suppress(OSError):
            text = bounded_bytes(one)
            found += [one.name] if _OPENS.search(text) and not (_HEADER.search(text) or _INSTALLS.search(text)) else []
    return found
