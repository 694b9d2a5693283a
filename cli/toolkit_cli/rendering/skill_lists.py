"""Renders lists of skills."""

from collections.abc import Iterable
from pathlib import Path

from toolkit.skills.skill_files import read_skill
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.styles import Line, one_line, table
from toolkit_cli.rendering.tools import first_sentence

_NONE = "(none)"


def listed_skills(files: Iterable[Path], width: int) -> list[Line]:
    """Return a table of skills: name, file, and the first sentence of the description."""
    rows = []
    for skill in map(read_skill, files):
        name = one_line(skill.name.text) if skill.name else _NONE
        description = one_line(first_sentence(skill.description.text)) if skill.description else _NONE
        rows.append((name, shown_path(skill.file), description))
    return table(("SKILL", "FROM", "DESCRIPTION"), rows, width)
