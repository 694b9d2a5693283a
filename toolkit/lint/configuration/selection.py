"""Selects rules by codes, prefixes of codes and names, as in ruff.

A rule that is off by default works like a preview rule in ruff: only its full code or its name turns it on.

A profile is a usual selection: the essential rules, which report what is usually worth a change, the recommended
ones, which also report where the code shows a loss, or all. The tools of other frameworks, which follow other
conventions than ours, are checked with the essential rules by default.
`docs/precision.md` shows what each rule found in other people's code.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from toolkit.codes import (
    AMBIGUOUS_SIBLINGS,
    BAD_CONFIGURATION,
    BLOCKING_IN_ASYNC,
    BOOL_TRAP,
    BROKEN_DOCUMENT,
    CONSENT_MISSING,
    COROUTINE_AS_PLAIN_FUNCTION,
    DEEP_NESTING,
    DEFAULT_MISMATCH,
    DEPRECATED_FEATURE,
    DESTRUCTIVE_WITHOUT_APPROVAL,
    DOCSTRING_PARAMETER_MISMATCH,
    DOES_NOT_IMPORT,
    GLOBAL_STATE,
    HIDDEN_MODULE,
    HUGE_ENUM,
    INCOMPLETE_GROUP,
    INCONSISTENT_NAMING,
    INVALID_SKILL_HEADER,
    INVALID_TOOL_NAME,
    LETHAL_TRIFECTA,
    LONG_DESCRIPTION,
    LONG_SKILL,
    MAGIC_STRING,
    MANIFEST_MISMATCH,
    MARK_WITHOUT_CALL,
    MISPLACED_CONTEXT,
    MISSING_ANNOTATIONS,
    MISSING_DESCRIPTION,
    MISSING_PARAMETER_DESCRIPTION,
    MISSING_RETURN_TYPE,
    MISSING_SKILL_FILE,
    NO_RETURN_DESCRIPTION,
    NO_TIMEOUT,
    NO_TOOLS,
    NON_PORTABLE_TEXT,
    NOT_A_TOOL,
    NOT_FOUND,
    PERMISSION_NOT_GRANTED,
    PLACEHOLDER_TEXT,
    PRINTS_TO_STDOUT,
    REQUIRED_UNKNOWN,
    RESERVED_NAME,
    SCRIPT_NOT_EXECUTABLE,
    SECRET_PARAMETER,
    SERVER_UNREACHABLE,
    SHELL_STRING,
    SHORT_DESCRIPTION,
    SIDE_EFFECT_ON_IMPORT,
    SWALLOWED_ERROR,
    TEXT_AFTER_SECTION,
    TOKEN_COST,
    TOO_MANY_PARAMETERS,
    TOO_MANY_TOOLS,
    UNDECLARED_VARIABLE,
    UNKNOWN_TOOL_IN_SKILL,
    UNRESTRICTED_PATH,
    UNRESTRICTED_URL,
    UNSERIALISABLE_RETURN,
    UNSTATED_CONSTRAINT,
    UNTYPED_PARAMETER,
    UNUSED_PARAMETER,
    VAGUE_TOOL_NAME,
    WHOLE_DOCSTRING,
)
from toolkit.lint.rules import codes, is_default, name_of
from toolkit.problems import Problem, did_you_mean

if TYPE_CHECKING:
    from toolkit.lint.definitions.tool_definitions import ToolDefinition
    from toolkit.lint.rule import RulePage


ALL = "ALL"

_CERTAIN = (
    NOT_FOUND, DOES_NOT_IMPORT, NOT_A_TOOL, NO_TOOLS, BAD_CONFIGURATION, HIDDEN_MODULE, PERMISSION_NOT_GRANTED,
    INCOMPLETE_GROUP, CONSENT_MISSING, SERVER_UNREACHABLE, BROKEN_DOCUMENT,
)  # fmt: skip
"""Codes that are always selected: where they are reported, nothing could be checked."""


class Selection(NamedTuple):
    """A selection of rules; each part is a code, a prefix of codes, a name, or `ALL`.

    Attributes:
        select: The rules to check; by default, all that are on by default.
        ignore: The rules to ignore.
        extend_select: The rules to check in addition.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()

    def wants(self, code: str, *, before: bool) -> bool:
        """Return whether a rule is selected.

        The longest part that matches a code decides; of equally long ones, `ignore` does. Codes that are always
        selected stay so unless they are ignored; a rule that is off by default is only selected by its full code or
        name.

        Args:
            code: The code of a rule.
            before: Whether it was selected so far, in case `select` is not set.
        """
        wanted, unwanted = _nearest((*(self.select or ()), *self.extend_select), code), _nearest(self.ignore, code)
        if wanted < len(code) and not is_default(code):
            wanted = -1
        keeps = before and self.select is None
        return wanted > unwanted or (unwanted < 0 and (keeps or code in _CERTAIN))


def is_selected(code: str, layers: Sequence[Selection]) -> bool:
    """Return whether a code is selected after each layer is applied: the settings first, then the command line."""
    wanted = is_default(code)
    for layer in layers:
        wanted = layer.wants(code, before=wanted)
    return wanted


def selected_codes(layers: Sequence[Selection]) -> frozenset[str]:
    """Return the selected codes after each layer is applied."""
    return frozenset(code for code in codes() if is_selected(code, layers))


_START = "TK"
_ONE_WRONG = 0.8
"""How similar a code with five characters is to one that differs in one of them."""


def unknown_parts(parts: Iterable[str]) -> list[tuple[str, str | None]]:
    """Return the parts that match no rule, each with a hint."""
    wrong = [part for part in parts if not any(_fit(part, code) >= 0 for code in codes())]
    return [(part, similar_rules(part)) for part in wrong]


def similar_rules(part: str) -> str | None:
    """Return a hint with the rules that a mistyped code or name may mean; one character of a code may be wrong."""
    if part.upper().startswith(_START):
        return did_you_mean(part, codes(), cutoff=_ONE_WRONG)
    return did_you_mean(part, map(name_of, codes()))


def fits(part: str, code: str) -> bool:
    """Return whether a code, a prefix, a name or `ALL` matches a code."""
    return _fit(part, code) >= 0


def meant_by(part: str) -> frozenset[str]:
    """Return the codes that match a code, a prefix, a name or `ALL`."""
    return frozenset(code for code in codes() if fits(part, code))


def _nearest(parts: Iterable[str], code: str) -> int:
    return max((_fit(part, code) for part in parts), default=-1)


def _fit(part: str, code: str) -> int:
    """Return the length of the match of a part with a code, or -1."""
    wanted = part.strip()
    if wanted.upper() == ALL:
        return 0
    if code.startswith(wanted.upper()) and wanted:
        return len(wanted)
    if wanted and not wanted[-1].isdigit() and wanted.islower() and wanted == name_of(code):
        return len(code)
    return -1


Profile = Literal["essential", "recommended", "all"]
PROFILES: Final = ("essential", "recommended", "all")

_MINOR = frozenset(
    {
        RESERVED_NAME, INCONSISTENT_NAMING, VAGUE_TOOL_NAME, SHORT_DESCRIPTION, LONG_DESCRIPTION, AMBIGUOUS_SIBLINGS,
        NO_RETURN_DESCRIPTION, PLACEHOLDER_TEXT, NON_PORTABLE_TEXT, UNTYPED_PARAMETER, TOO_MANY_PARAMETERS,
        DEEP_NESTING, HUGE_ENUM, BOOL_TRAP, DEFAULT_MISMATCH, TOKEN_COST, TOO_MANY_TOOLS, UNSTATED_CONSTRAINT,
        DOCSTRING_PARAMETER_MISMATCH, MISSING_RETURN_TYPE, SIDE_EFFECT_ON_IMPORT, GLOBAL_STATE, MISSING_ANNOTATIONS,
        UNRESTRICTED_PATH, UNRESTRICTED_URL, SECRET_PARAMETER, INVALID_SKILL_HEADER, LONG_SKILL, MISSING_SKILL_FILE,
        UNDECLARED_VARIABLE, WHOLE_DOCSTRING,
    }
)  # fmt: skip
"""The rules of which only errors are recommended."""

_CIRCUMSTANTIAL = frozenset(
    {
        INVALID_TOOL_NAME, MISSING_DESCRIPTION, MISSING_PARAMETER_DESCRIPTION, MAGIC_STRING, BLOCKING_IN_ASYNC,
        PRINTS_TO_STDOUT, NO_TIMEOUT, DESTRUCTIVE_WITHOUT_APPROVAL, SHELL_STRING, INVALID_SKILL_HEADER, LONG_SKILL,
        SCRIPT_NOT_EXECUTABLE, UNKNOWN_TOOL_IN_SKILL, MANIFEST_MISMATCH, DEPRECATED_FEATURE, LETHAL_TRIFECTA,
        TEXT_AFTER_SECTION, UNUSED_PARAMETER, SWALLOWED_ERROR, DEFAULT_MISMATCH, COROUTINE_AS_PLAIN_FUNCTION,
        REQUIRED_UNKNOWN, MARK_WITHOUT_CALL, UNSERIALISABLE_RETURN, MISPLACED_CONTEXT,
    }
)  # fmt: skip
"""The rules that are not essential: in code that nobody had seen, under 80% of what they found was useful.

What attacks a model is essential whatever its share: most attacks in public code are there to be shown, but not all.
"""


def is_part_of(profile: Profile, problem: Problem) -> bool:
    """Return whether a finding belongs to a profile; all have what an error says, unless it is minor, but no `info`."""
    if profile == "all":
        return True
    if problem.is_minor or problem.severity == "info":
        return False
    if problem.code in (_MINOR if problem.severity == "warning" else {TOO_MANY_PARAMETERS}):
        return False
    return profile == "recommended" or problem.code not in _CIRCUMSTANTIAL


def profile_of(page: "RulePage") -> Profile:
    """Return the smallest profile that findings of a rule with its own severity are part of."""
    found = Problem(page.code, "", severity=page.severity)
    profiles: tuple[Profile, ...] = ("essential", "recommended")
    return next((one for one in profiles if is_part_of(one, found)), "all")


def files_of_frameworks(tools: "Iterable[ToolDefinition]") -> frozenset[str]:
    """Return the files all of whose tools belong to other frameworks or APIs, or are lookalikes of ours."""
    found: dict[str, bool] = {}
    for tool in tools:
        if tool.location is not None:
            file = tool.location.file
            found[file] = found.get(file, True) and (tool.is_by_others or tool.is_lookalike)
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
    if is_part_of(profile or "essential", problem) or _is_chosen(problem, selections):
        return True
    if problem.code == NO_TOOLS:
        return not problem.is_minor and (problem.location is None or problem.severity != "info")
    return profile is None and (problem.location is None or problem.location.file not in foreign)


def _is_chosen(problem: Problem, selections: Sequence[Selection]) -> bool:
    """Return whether a finding is reported because of a selection; that more tools may exist is only if it is named."""
    parts = [part for layer in selections for part in (*(layer.select or ()), *layer.extend_select)]
    if any(fits(part, problem.code) for part in parts):
        return True
    is_mild = problem.code == NO_TOOLS and problem.is_minor
    return not is_mild and any(layer.select is not None for layer in selections)
