"""Finds what makes the header of a skill unnecessary: a program of the project that reads it, or a copy with one."""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from toolkit.regular_files import bounded_bytes
from toolkit.skills.skill_files import read_skill
from toolkit.source_code.project_files import project_files, project_folder

_PLUGIN = ".claude-plugin"
_INSTALLED = "skills"
_OPENS = re.compile(rb"""["'](?:[^"'\s]*/)?SKILL\.md["']""")
_HEADER = re.compile(rb"frontmatter|front[ _-]matter|yaml|[\"']---", re.IGNORECASE)
"""What a program mentions that reads the headers of skills."""
_HEADINGS = re.compile(rb"""["'](?:\^?#{1,3} |\^#)""")
"""A heading, in a text of a program that reads those of a skill instead."""


def own_reader(file: Path) -> str | None:
    """Return the name of a program of a project that reads the headings of skills, if none reads their headers.

    Skills in hidden folders such as `.claude/skills`, and in plugins, are for clients, whatever else reads them.
    """
    folder, is_whole = project_folder(str(file.absolute()))
    inner = file.absolute().relative_to(folder).parts if is_whole else ()
    around = (folder.joinpath(*inner[:count]) for count in range(len(inner)))
    if not is_whole or any(one.startswith(".") for one in inner) or any((one / _PLUGIN).is_dir() for one in around):
        return None
    return next(iter(_readers_in(folder)), None)


def installed_copy(file: Path) -> str | None:
    """Return the skill with a header that a project has under the same name in `skills` at its root, or `None`."""
    folder, is_whole = project_folder(str(file.absolute()))
    other = folder / _INSTALLED / file.absolute().parent.name / file.name
    if not is_whole or other == file.absolute() or not other.is_file() or read_skill(other).header is None:
        return None
    return other.relative_to(folder).as_posix()


@cache
def _readers_in(folder: Path) -> Sequence[str]:
    found, is_read = [], False
    for one in project_files(str(folder / "SKILL.md")):
        with suppress(OSError):
            text = bounded_bytes(one)
            if _OPENS.search(text):
                is_read = is_read or _HEADER.search(text) is not None
                found += [one.name] if _HEADINGS.search(text) else []
    return [] if is_read else found
