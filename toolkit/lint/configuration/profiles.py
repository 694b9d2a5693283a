"""The profiles of lint: all rules, or only those whose findings are nearly always worth a change.

The tools of other frameworks, which follow other conventions than ours, are checked with the essential rules by
default. `docs/precision.md` shows what each rule found in other people's code.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from toolkit import codes
from toolkit.lint.configuration.selection import Selection, fits
from toolkit.problems import Problem

if TYPE_CHECKING:
    from toolkit.lint.definitions.tool_definitions import ToolDefinition

Profile = Literal["essential", "all"]
PROFILES: Final = ("essential", "all")

_MINOR = frozenset(
    {
        codes.RESERVED_NAME,
        codes.INCONSISTENT_NAMING,
        codes.VAGUE_TOOL_NAME,
        codes.SHORT_DESCRIPTION,
        codes.LONG_DESCRIPTION,
        codes.AMBIGUOUS_SIBLINGS,
        codes.NO_RETURN_DESCRIPTION,
        codes.NON_PORTABLE_TEXT,
        codes.TOO_MANY_PARAMETERS,
        codes.UNTYPED_PARAMETER,
        codes.BOOL_TRAP,
        codes.DEFAULT_MISMATCH,
        codes.TOKEN_COST,
        codes.TOO_MANY_TOOLS,
        codes.MISSING_RETURN_TYPE,
        codes.SIDE_EFFECT_ON_IMPORT,
        codes.GLOBAL_STATE,
        codes.MISSING_ANNOTATIONS,
        codes.SECRET_PARAMETER,
        codes.WHOLE_DOCSTRING,
    }
)
"""The rules of which only errors are essential: many of their findings are true, but change little."""


def is_essential(problem: Problem) -> bool:
    """Return whether a finding belongs to the essential profile; an error does, but no `info`."""
    if problem.severity == "error":
        return problem.code != codes.TOO_MANY_PARAMETERS
    return problem.severity == "warning" and problem.code not in _MINOR


def files_of_frameworks(tools: "Iterable[ToolDefinition]") -> frozenset[str]:
    """Return the files all of whose tools belong to other frameworks."""
    found: dict[str, bool] = {}
    for tool in tools:
        if tool.location is not None:
            file = tool.location.file
            found[file] = found.get(file, True) and tool.framework is not None
    return frozenset(file for file, is_foreign in found.items() if is_foreign)


def is_in_profile(
    problem: Problem, profile: Profile | None, foreign: frozenset[str], selections: Sequence[Selection]
) -> bool:
    """Return whether a profile has a finding; a selection of rules takes precedence.

    Args:
        problem: The finding.
        profile: The profile; None means the essential one for tools of other frameworks, and all rules for others.
        foreign: The files with tools of other frameworks.
        selections: The selections of rules.
    """
    if profile == "all" or is_essential(problem) or any(layer.select is not None for layer in selections):
        return True
    if any(fits(part, problem.code) for layer in selections for part in layer.extend_select):
        return True
    return profile is None and (problem.location is None or problem.location.file not in foreign)
