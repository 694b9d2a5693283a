"""Checks a `SKILL.md`, and decides what is only a note, since no client seems to read the file as it is."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolkit.lint.clues.skill_readers import SkillReaders
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.skills.skill_files import Skill, folders_around, is_for_clients, may_be_document
from toolkit.source_code.sample_files import is_in_tests, is_left_behind

_HEADER_START = "---"


class SkillChecker:
    """Checks skills with the rules for skills; each project is searched once for what reads its skills."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._directory = rules[0].settings.directory if rules else None
        self._readers = SkillReaders()

    def problems_of(self, skill: Skill) -> list[Problem]:
        """Return why the file of a skill, or its header, cannot be read, and what the rules find in the header."""
        problems, reason = list(skill.problems), self._reason(skill) if skill.problems else None
        if reason is not None:
            problems = [replace(one, severity="info", hint=reason or one.hint) for one in problems]
        if skill.header is not None:
            problems += [problem for rule in self._rules for problem in rule.check_skill(skill)]
        if self._directory is not None and _is_for_nobody(skill, self._directory):
            problems = [replace(one, severity="info") for one in problems]
        return problems

    def _reason(self, skill: Skill) -> str | None:
        """Return why no client needs to read a file as a skill, or an empty text if its place says so, or `None`."""
        file = Path(skill.file)
        if skill.header is None and (other := skill.described_in):
            return f"only programs that read '{other}' know it"
        if self._directory is not None and not is_for_clients(skill.folder, self._directory):
            return ""
        if skill.header is not None or skill.source.text.startswith(_HEADER_START):
            return None
        if reader := self._readers.own_reader(file):
            return f"'{reader}' reads it without one; other clients do not know its name and description"
        if copy := self._readers.installed_copy(file):
            return f"clients read '{copy}' instead"
        is_document = self._directory is not None and may_be_document(skill.folder, self._directory)
        return "" if is_document and self._readers.expects_none(file) else None


def _is_for_nobody(skill: Skill, directory: Path) -> bool:
    """Return whether a skill was left behind, is for tests, or is a template from which others are made."""
    is_unused = is_left_behind(skill.file, directory) or is_in_tests(skill.file, directory)
    return is_unused or (skill.is_template and not _is_installed(skill, directory))


def _is_installed(skill: Skill, directory: Path) -> bool:
    """Return whether clients read a skill where it is, so that somebody forgot to fill in its name."""
    folders = folders_around(skill.folder, directory) or skill.folder.parts
    is_hidden = any(one.startswith(".") for one in folders)
    is_among_skills = any(one.endswith("skills") for one in folders[:-1])
    has_no_valid_name = folders[-1:] != () and folders[-1].startswith("_")
    is_named_template = any("template" in one.lower() for one in folders)
    return not has_no_valid_name and (is_hidden or (is_among_skills and not is_named_template))
