"""Finds skills in a project, and reads the files of a skill."""

import os
from collections.abc import Iterable, Iterator
from errno import EFBIG, EINVAL
from pathlib import Path
from typing import Final

from toolkit.codes import BAD_CONFIGURATION
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_bytes
from toolkit.skills.skill_files import SKILL_FILE, Skill, read_skill
from toolkit.skills.skill_headers import HeaderFault, faults_of
from toolkit.source_code.project_files import files_below

MOST_FILES: Final = 512
MOST_BYTES: Final = 16 * 1024 * 1024
"""The largest number and size of a skill's files that each client of the Skills extension of MCP accepts."""

_SKILLS = "skills"
_HIDDEN = (".agents", ".claude", ".codex", ".cursor", ".gemini", ".github", ".opencode")
"""The hidden folders of a project in which clients look for skills, all of them under `skills`."""


def find_skills(folder: Path, files: Iterable[Path] | None = None) -> list[Path]:
    """Return the `SKILL.md` of each skill in a folder and below it, sorted, each once.

    Hidden folders are left out, except those in which clients look for the skills of a project, such as
    `.claude/skills`.

    Args:
        folder: The folder.
        files: The files in it and below it, without those in hidden folders, if they are known.
    """
    known = _files_in([folder]) if files is None else files
    return _skills_among([*known, *_files_in(folder / name / _SKILLS for name in _HIDDEN)])


def project_skills(folder: Path) -> list[Path]:
    """Return the `SKILL.md` of each skill of the project in a folder: in `skills`, and where clients look for them."""
    return _skills_among(_files_in([folder / _SKILLS, *(folder / name / _SKILLS for name in _HIDDEN)]))


def files_of_skill(folder: Path) -> dict[str, bytes]:
    """Return the content of each file of a skill, by its path in the folder, sorted.

    Hidden files and folders are left out. Nothing outside of the folder is ever read: a link, or anything else that is
    neither a file nor a folder, is an error.

    Raises:
        OSError: If a file cannot be read, if there is a link, or if the files are too many or too large.
    """
    files: dict[str, bytes] = {}
    waiting, room = [folder], MOST_BYTES
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name == "__pycache__":
                    continue
                if entry.is_symlink() or not (entry.is_dir() or entry.is_file()):
                    raise OSError(EINVAL, "it is a link, or neither a file nor a folder", entry.path)
                if entry.is_dir():
                    waiting.append(Path(entry.path))
                    continue
                data = bounded_bytes(entry.path, most=room)
                files[Path(entry.path).relative_to(folder).as_posix()], room = data, room - len(data)
                if len(files) > MOST_FILES:
                    raise OSError(EFBIG, f"it has more than {MOST_FILES} files", str(folder))
    return dict(sorted(files.items()))


def _files_in(folders: Iterable[Path]) -> Iterator[Path]:
    return (path for one in folders if one.is_dir() for path in files_below(one, (SKILL_FILE,)))


def _skills_among(files: Iterable[Path]) -> list[Path]:
    found = (path for path in files if path.name == SKILL_FILE)
    return list({os.path.realpath(path): path for path in found}.values())


def _unreadable_files(skill: Skill) -> Iterator[HeaderFault]:
    try:
        files_of_skill(skill.folder)
    except OSError as error:
        file = os.path.relpath(error.filename or skill.folder)
        yield HeaderFault(f"the skill {skill.folder.name!r} cannot be served: {error.strerror}", Location(file))


def skills_in(folders: Iterable[Path], project: Path) -> list[Path]:
    """Return the folders of the skills in some folders of a project, to serve them.

    Raises:
        ConfigurationError: If a folder is not in the project or has no skill, or if a skill cannot be served.
    """
    problems: list[Problem] = []
    found: dict[str, Skill] = {}
    for folder in folders:
        is_inside = Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(project))
        files = find_skills(folder) if is_inside else []
        if not files:
            what = "has no skills" if is_inside else "is not in the project"
            problems.append(Problem(BAD_CONFIGURATION, f"'skills': '{folder}' {what}"))
        for skill in map(read_skill, files):
            problems += skill.problems
            faults = [] if skill.problems else [*faults_of(skill), *_unreadable_files(skill)]
            problems += [Problem(BAD_CONFIGURATION, one.message, one.location, hint=one.hint) for one in faults]
            name = skill.name.text if skill.name else ""
            if not (skill.problems or faults) and (first := found.setdefault(name, skill)) is not skill:
                message = f"two skills are named '{name}': '{first.file}' and '{skill.file}'"
                problems.append(Problem(BAD_CONFIGURATION, message, hint="rename one of them"))
    raise_errors(ConfigurationError, problems)
    return [skill.folder for skill in found.values()]
