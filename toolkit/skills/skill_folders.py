"""Finds skills in a project."""

import os
from collections.abc import Iterable
from pathlib import Path

from toolkit.skills.skill_files import SKILL_FILE
from toolkit.source_code.project_files import files_below

_SKILLS = "skills"
_HIDDEN = (".agents", ".claude", ".codex", ".cursor", ".gemini", ".github", ".opencode")
"""The hidden folders of a project in which clients look for skills, all of them under `skills`."""


def find_skills(folder: Path) -> list[Path]:
    """Return the `SKILL.md` of each skill in a folder and below it, sorted, each once.

    Hidden folders are left out, except those in which clients look for the skills of a project, such as
    `.claude/skills`.
    """
    return _found_below([folder, *(folder / name / _SKILLS for name in _HIDDEN)])


def project_skills(folder: Path) -> list[Path]:
    """Return the `SKILL.md` of each skill of the project in a folder: in `skills`, and where clients look for them."""
    return _found_below([folder / _SKILLS, *(folder / name / _SKILLS for name in _HIDDEN)])


def _found_below(roots: Iterable[Path]) -> list[Path]:
    found = (path for root in roots if root.is_dir() for path in files_below(root, (SKILL_FILE,)))
    return list({os.path.realpath(path): path for path in found if path.name == SKILL_FILE}.values())
