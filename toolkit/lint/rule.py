"""The Rule: one thing that may be wrong with tools or pipelines, with its documentation and its checks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from toolkit import codes
from toolkit.problems import Edit, Fix, Location, Problem, Severity

if TYPE_CHECKING:
    from toolkit.lint.definitions import ToolDefinition
    from toolkit.lint.pipeline_files import PipelineFile
    from toolkit.lint.python_files import PythonFile
    from toolkit.lint.python_functions import PythonFunction

PORTABLE = "portable"
"""The name for what every provider takes."""

NAMES: Mapping[str, str] = {
    code: re.sub(r"(?<=[0-9])_(?=[0-9])", ".", constant).replace("_", "-").lower()
    for constant, code in vars(codes).items()
    if constant.isupper()
}
"""The names of our rules by their codes: those of the constants; between digits an underscore stands for a dot."""

Related = Sequence[tuple[Location, str]]
FixKind = Literal["safe", "unsafe"]


class RulePage(NamedTuple):
    """The page of a rule: its name, documentation and settings.

    Attributes:
        code: Its number, `TK` and three digits.
        name: What it is called: the pattern that it finds.
        documentation: Its page, in Markdown; the first line is what is wrong.
        severity: How severe a finding is, unless the finding has its own.
        default: Whether it is looked for where nobody has asked for it by its code or its name.
        fix: Whether it offers fixes, and of which kind at most.
        providers: The providers for which it matters; empty means all.
        limits: The figures that a project may change, with their defaults.
        needs_import: Whether it finds little or nothing in files that are only read, with no import and no plan.
    """

    code: str
    name: str
    documentation: str
    severity: Severity = "warning"
    default: bool = True
    fix: FixKind | None = None
    providers: tuple[str, ...] = ()
    limits: Mapping[str, int] = {}
    needs_import: bool = False

    @property
    def summary(self) -> str:
        """What is wrong, in one sentence."""
        return self.documentation.partition("\n")[0]


class RuleSettings(NamedTuple):
    """A project's settings for its rules.

    Attributes:
        providers: The providers that the tools are meant for; `portable` stands for what all of them accept.
        limits: Figures that differ from those of the rules, by name, such as `max-parameters`.
        directory: The folder of the project's settings, where its lockfile lies.
    """

    providers: tuple[str, ...] = (PORTABLE,)
    limits: Mapping[str, int] = {}
    directory: Path = Path()


class Rule:
    """One thing that may be wrong: a class for each, in a module of its own, and a line in the table of `rules`.

    Its docstring is its documentation, in Markdown, and is shown and published as it stands: the first line is what
    is wrong; then follow `## Why`, `## Example` (which breaks it), `## Instead` (which does not) and `## Source`, each
    source with the day on which it was checked. A rule overrides the checks that it needs, and those alone.

    Its attributes are those of its `RulePage`; only a rule of another package sets its own `name`.
    """

    code: ClassVar[str]
    name: ClassVar[str] = ""
    severity: ClassVar[Severity] = "warning"
    default: ClassVar[bool] = True
    fix: ClassVar[FixKind | None] = None
    providers: ClassVar[tuple[str, ...]] = ()
    limits: ClassVar[Mapping[str, int]] = {}
    needs_import: ClassVar[bool] = False
    fixes_all: ClassVar[bool] = False
    """Whether its fixes are right for the tools of other frameworks too."""

    def __init__(self, settings: RuleSettings = RuleSettings()) -> None:  # noqa: B008 - a tuple never changes
        """Keep the project's settings."""
        self.settings = settings

    def check_tool(self, tool: "ToolDefinition") -> Iterable[Problem]:  # noqa: ARG002 - for those that override it
        """Look at one tool, wherever it is defined: in Python, in JSON, as a pipeline, in an object."""
        return ()

    def check_function(self, function: "PythonFunction") -> Iterable[Problem]:  # noqa: ARG002
        """Look at the source of a Python function that is a tool."""
        return ()

    def check_module(self, module: "PythonFile") -> Iterable[Problem]:  # noqa: ARG002
        """Look at the source of a whole Python file that has tools."""
        return ()

    def check_pipeline(self, pipeline: "PipelineFile") -> Iterable[Problem]:  # noqa: ARG002
        """Look at a pipeline: its document, and its plan where it can be planned."""
        return ()

    def check_toolset(self, tools: "Sequence[ToolDefinition]") -> Iterable[Problem]:  # noqa: ARG002
        """Look at all tools together, each of which is there once."""
        return ()

    def limit(self, name: str) -> int:
        """Return a figure: the project's, or else the rule's own."""
        return self.settings.limits.get(name, self.limits[name])

    def problem(
        self,
        message: str,
        location: Location | None,
        *,
        hint: str | None = None,
        severity: Severity | None = None,
        related: Related = (),
        fix: Fix | None = None,
    ) -> Problem:
        """Return a finding of this rule: what is wrong, with names in single quotes and no full stop, and the fix."""
        return Problem(
            self.code,
            message,
            location=location,
            severity=severity or self.severity,
            hint=hint,
            related=tuple(related),
            fix=fix,
        )

    def fixed_by(self, message: str, *edits: Edit, is_safe: bool | None = None) -> Fix:
        """Return a fix: its description as a command, and its edits; as safe as the rule declares by default."""
        return Fix(message, edits, self.fix == "safe" if is_safe is None else is_safe)

    @classmethod
    def page(cls) -> RulePage:
        """Return what its page shows."""
        return RulePage(
            code=cls.code,
            name=cls.name or NAMES[cls.code],
            documentation=cleandoc(cls.__doc__ or ""),
            severity=cls.severity,
            default=cls.default,
            fix=cls.fix,
            providers=cls.providers,
            limits=cls.limits,
            needs_import=cls.needs_import,
        )

    @classmethod
    def overrides(cls, check: str) -> bool:
        """Whether the rule has a check of its own under this name."""
        return getattr(cls, check) is not getattr(Rule, check)
