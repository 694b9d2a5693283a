"""The tools and skills that a case offers a model."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.cases.case import NO_SKILL, Case
from toolkit.codes import DUPLICATE_TOOL_NAME, INVALID_SKILL_HEADER, NOT_A_TOOL, NOT_FOUND, UNKNOWN_TOOL
from toolkit.problems import Problem, did_you_mean
from toolkit.skills import Skill, find_skills, read_skill, skill_tool
from toolkit.skills.skill_files import SKILL_FILE
from toolkit.skills.skill_headers import faults_of
from toolkit.skills.skill_tools import LOADING
from toolkit.tools.base import Tool
from toolkit_cli.failures import end_at_errors
from toolkit_cli.running.opened_tools import open_all
from toolkit_cli.testing.case_targets import absolute

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration


def offered_tools(
    case: Case, configuration: "Configuration", trees: tuple[Path, Path] | None = None
) -> Mapping[str, Tool]:
    """Return the tools that the model is offered, by name; one of them loads the skills.

    Args:
        case: The case.
        configuration: The configuration of the project.
        trees: A repository whose tools are not meant, and the folder with those of another revision.

    Raises:
        Failure: If they cannot be opened, the case expects others, or they are not those of the revision.
    """
    tools = _opened_tools(case, configuration, trees) if case.tools else {}
    if not case.skills:
        return tools
    skills, other = _skills(case), tools.get(LOADING)
    if other is not None:
        message = f"a tool has the name of the one that loads skills, '{LOADING}'"
        end_at_errors([Problem(DUPLICATE_TOOL_NAME, message, other.spec.location)])
    return {**tools, LOADING: skill_tool(skills)}


def _opened_tools(case: Case, configuration: "Configuration", trees: tuple[Path, Path] | None) -> Mapping[str, Tool]:
    targets = [absolute(one.text, case.folder) for one in case.tools]
    opened = open_all(targets, configuration, looks=True)
    end_at_errors(opened.problems)
    if trees is not None:
        end_at_errors([problem for tool in opened.tools.values() for problem in _of_this_tree(tool, *trees)])
        return opened.tools
    words = (*(one.name for one in case.expect.calls or ()), *case.expect.no_calls)
    unknown = [one for one in words if one.text not in opened.tools and case.turns is None]
    names = list(opened.tools)
    end_at_errors(
        [
            Problem(UNKNOWN_TOOL, f"no tool named '{one.text}' is offered", one.location, hint=hint)
            for one in unknown
            for hint in [did_you_mean(one.text, names)]
        ]
    )
    return opened.tools


def _skills(case: Case) -> list[Skill]:
    """Return the skills that the model is offered.

    Raises:
        Failure: If one cannot be read, or the case expects another one.
    """
    found, problems = list[Skill](), list[Problem]()
    for word in case.skills:
        files = find_skills(case.folder / word.text)
        if not files:
            problems.append(Problem(NOT_FOUND, f"there is no '{SKILL_FILE}' in '{word.text}'", word.location))
        found += map(read_skill, files)
    for one in found:
        problems += one.problems or [
            Problem(INVALID_SKILL_HEADER, fault.message, fault.location, hint=fault.hint)
            for fault in faults_of(one)
            if not fault.is_usable
        ]
    names = [one.name.text for one in found if one.name is not None]
    problems += [
        Problem(DUPLICATE_TOOL_NAME, f"two skills are named '{name}'", case.skills[0].location)
        for name, count in Counter(names).items()
        if count > 1
    ]
    wanted = case.expect.skill
    if not problems and wanted is not None and wanted.text not in (NO_SKILL, *names) and case.base is None:
        message, hint = f"no skill named '{wanted.text}' is offered", did_you_mean(wanted.text, [NO_SKILL, *names])
        problems.append(Problem(UNKNOWN_TOOL, message, wanted.location, hint=hint))
    end_at_errors(problems)
    return found


def _of_this_tree(tool: Tool, root: Path, folder: Path) -> Iterator[Problem]:
    source = Path(os.path.realpath(tool.spec.source or folder))
    if source.is_relative_to(root) and not source.is_relative_to(folder):
        message = f"'{tool.name}' comes from the working tree, '{source.relative_to(root)}'"
        yield Problem(NOT_A_TOOL, message, hint="name its file in 'tools', with a path that starts at the case file")
