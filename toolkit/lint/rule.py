"""The base class of rules: one possible problem of tools or pipelines, with its documentation and checks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from toolkit import codes
from toolkit.problems import Edit, Fix, Location, Problem, Severity
from toolkit.source_code.sample_files import is_in_samples

if TYPE_CHECKING:
    from toolkit.lint.definitions.api_files import ApiFile
    from toolkit.lint.definitions.manifests import Manifest
    from toolkit.lint.definitions.pipeline_files import PipelineFile
    from toolkit.lint.definitions.tool_definitions import ToolDefinition
    from toolkit.skills.skill_files import Skill
    from toolkit.source_code.python_files import PythonFile
    from toolkit.source_code.python_functions import PythonFunction

PORTABLE = "portable"
"""The name for the common subset that every provider accepts."""

NAMES: Mapping[str, str] = {
    code: re.sub(r"(?<=[0-9])_(?=[0-9])", ".", constant).replace("_", "-").lower()
    for constant, code in vars(codes).items()
    if constant.isupper()
}
"""The names of our rules by code, made from the names of the constants; `_` between digits becomes `.`."""

Related = Sequence[tuple[Location, str]]
FixKind = Literal["safe", "unsafe"]

BREAKAGES = frozenset(
    {
        codes.DUPLICATE_TOOL_NAME,
        codes.ROOT_NOT_OBJECT,
        codes.REQUIRED_UNKNOWN,
        codes.BOOLEAN_SUBSCHEMA,
        codes.INVALID_SCHEMA,
        codes.UNSERIALISABLE_RETURN,
        codes.PRINTS_TO_STDOUT,
        codes.MARK_WITHOUT_CALL,
        codes.EXPOSED_CONTEXT,
        codes.OPEN_OBJECT_IN_STRICT_TOOL,
        codes.TYPE_REQUIRED,
        codes.DESCRIPTION_REQUIRED,
        codes.MISPLACED_CONTEXT,
        codes.VARIADIC_PARAMETER,
        codes.REMOVED_MODULE,
        codes.COROUTINE_AS_PLAIN_FUNCTION,
        codes.FIELD_REFUSED,
    }
)
"""What breaks a server or an agent at run time. Such findings come first, and `--fail-on breakage` selects them."""


class RulePage(NamedTuple):
    """The page of a rule: its name, documentation and settings.

    Attributes:
        code: Its code, `TK` and three digits.
        name: Its name: the pattern that it finds.
        documentation: Its page in Markdown; the first line is the problem.
        severity: The severity of its findings, unless a finding has its own.
        default: Whether it is checked unless it is selected by its code or name.
        fix: Whether its fixes are `safe` or `unsafe`; None if it has none.
        providers: The providers to which it applies; empty means all.
        limits: The limits that a project can change, with their defaults.
        needs_import: Whether it finds little or nothing with `--static`, which neither imports nor plans.
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
        """The problem in one sentence."""
        return self.documentation.partition("\n")[0]


class RuleSettings(NamedTuple):
    """A project's settings for its rules.

    Attributes:
        providers: The providers that the tools are for; `portable` means the common subset of all.
        limits: Limits that differ from the rules' defaults, by name, such as `max-parameters`.
        directory: The folder of the project's settings and its lockfile.
        tool_decorators: The project's decorators that register tools.
    """

    providers: tuple[str, ...] = (PORTABLE,)
    limits: Mapping[str, int] = {}
    directory: Path = Path()
    tool_decorators: tuple[str, ...] = ()


class Rule:
    """One possible problem: a class in its own module, with a line in the table of `rules`.

    Its docstring is its documentation in Markdown, and is shown and published as it is: the first line is the problem,
    followed by `## Why`, `## Example` (with the problem), `## Instead` (without it) and `## Source`, each source with
    the date on which it was checked. A rule overrides only the checks that it needs.

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
    """Whether its fixes also apply to tools of other frameworks."""
    checks_servers: ClassVar[bool] = False
    """Whether it also checks modules that import a framework, but define no tools."""

    def __init__(self, settings: RuleSettings = RuleSettings()) -> None:  # noqa: B008 - a tuple is immutable
        """Create the rule with the project's settings."""
        self.settings = settings

    def check_tool(self, tool: "ToolDefinition") -> Iterable[Problem]:
        """Check one tool, whether it is defined in Python, in JSON, as a pipeline or as an object."""
        return ()

    def check_function(self, function: "PythonFunction") -> Iterable[Problem]:
        """Check the source of a Python function that is a tool."""
        return ()

    def check_module(self, module: "PythonFile") -> Iterable[Problem]:
        """Check the source of a whole Python file with tools."""
        return ()

    def check_pipeline(self, pipeline: "PipelineFile") -> Iterable[Problem]:
        """Check a pipeline: its document, and its plan if it is valid."""
        return ()

    def check_skill(self, skill: "Skill") -> Iterable[Problem]:
        """Check the `SKILL.md` of a skill whose header can be read."""
        return ()

    def check_manifest(self, manifest: "Manifest") -> Iterable[Problem]:
        """Check a manifest of the MCP registry, of a bundle or of a plugin."""
        return ()

    def check_api(self, api: "ApiFile") -> Iterable[Problem]:
        """Check an OpenAPI document whose operations can be read."""
        return ()

    def check_toolset(self, tools: "Sequence[ToolDefinition]") -> Iterable[Problem]:
        """Check all tools together; each occurs once."""
        return ()

    def limit(self, name: str) -> int:
        """Return a limit: the project's, or else the rule's default."""
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
        is_minor: bool = False,
    ) -> Problem:
        """Return a finding of this rule; the message has names in single quotes and no full stop."""
        return Problem(
            self.code,
            message,
            location=location,
            severity=severity or self.severity,
            hint=hint,
            related=tuple(related),
            fix=fix,
            is_minor=is_minor,
        )

    def severity_in(self, file: str | None) -> Severity:
        """Return the severity in a file, of any package: only `info` in samples and tests, for rules about habits."""
        return "info" if is_in_samples(file, self.settings.directory) else self.severity

    def fixed_by(self, message: str, *edits: Edit, is_safe: bool | None = None) -> Fix:
        """Return a fix with its edits; the message is an imperative. By default, it is as safe as the rule declares."""
        return Fix(message, edits, self.fix == "safe" if is_safe is None else is_safe)

    @classmethod
    def page(cls) -> RulePage:
        """Return the page of the rule."""
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
        """Return whether the rule overrides this check."""
        return getattr(cls, check) is not getattr(Rule, check)
