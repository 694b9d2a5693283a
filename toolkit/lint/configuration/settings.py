"""Reads `[tool.toolkit.lint]` once, with all problems in it.

[tool.toolkit.lint]
select = ["ALL"]                    # codes, prefixes, names; by default, all rules
ignore = ["TK202"]
extend-select = []
provider = ["openai", "anthropic"]  # the models that the tools are for; by default `portable`, which suits all
profile = "all"                     # or "essential", the default for tools of other frameworks
tool-decorators = ["shop_tool"]     # decorators of the project that register tools
baseline = "lint-baseline.json"     # known findings, which do not fail a check
max-parameters = 10                 # limits of rules, by name

[tool.toolkit.lint.per-file-ignores]
"legacy/*.py" = ["TK2"]
"""

from collections.abc import Mapping
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.codes import NO_TOOLS
from toolkit.documents.keys import Origin, Spot, read_table
from toolkit.lint.configuration.profiles import Profile
from toolkit.lint.configuration.selection import Selection, fits, is_selected
from toolkit.lint.configuration.setting_keys import lint_keys
from toolkit.lint.rule import PORTABLE
from toolkit.problems import Problem
from toolkit.settings.configuration import Configuration, place_in_configuration

if TYPE_CHECKING:
    from toolkit.lint.configuration.interpreters import Interpreter


class LintSettings(NamedTuple):
    """A project's lint settings.

    Attributes:
        selections: Selections of rules; each builds on the one before.
        per_file_ignores: Rules to ignore in files, by patterns of paths relative to `directory`.
        providers: The providers that the tools are for.
        limits: Limits that differ from the rules' defaults.
        baseline: The file with the known findings.
        directory: The folder that patterns are relative to.
        tool_decorators: The project's decorators that register tools: their names, or dotted names.
        profile: The rules to report; by default, the essential ones for tools of other frameworks, and all for others.
        is_static: Whether Python is only read, and no code is run.
        requires_tools: Whether a target without tools is an error.
        interpreter: The Python that opens modules; by default, the current one.
    """

    selections: tuple[Selection, ...] = (Selection(),)
    per_file_ignores: Mapping[str, tuple[str, ...]] = {}
    providers: tuple[str, ...] = (PORTABLE,)
    limits: Mapping[str, int] = {}
    baseline: Path | None = None
    baseline_folder: Path | None = None
    directory: Path = Path()
    tool_decorators: tuple[str, ...] = ()
    profile: Profile | None = None
    is_static: bool = False
    requires_tools: bool = False
    interpreter: "Interpreter | None" = None

    def wants(self, code: str) -> bool:
        """Return whether a code is selected; where tools are required, their absence always is."""
        return is_selected(code, self.selections) or (self.requires_tools and code == NO_TOOLS)

    def ignores(self, problem: Problem) -> bool:
        """Return whether a pattern for the file of a problem excludes it."""
        if not self.per_file_ignores or problem.location is None:
            return False
        path = Path(problem.location.file).absolute()
        try:
            name = path.relative_to(self.directory.absolute()).as_posix()
        except ValueError:
            name = path.as_posix()
        return any(
            any(fits(part, problem.code) for part in parts)
            for pattern, parts in self.per_file_ignores.items()
            if fnmatch(name, pattern) or fnmatch(path.name, pattern)
        )


def read_lint_settings(configuration: Configuration) -> tuple[LintSettings, list[Problem]]:
    """Return the settings of lint, and all problems in them (`TK005`)."""
    problems: list[Problem] = []
    place = partial(place_in_configuration, configuration)
    spot = Spot(("lint",), Origin(configuration.directory, place, problems))
    found = read_table(configuration.lint, lint_keys(configuration.lint), spot)
    settings = LintSettings(
        selections=(Selection(found.get("select"), found.get("ignore", ()), found.get("extend-select", ())),),
        per_file_ignores=found.get("per-file-ignores", {}),
        providers=found.get("provider") or (PORTABLE,),
        profile=found.get("profile"),
        tool_decorators=found.get("tool-decorators", ()),
        limits={key: value for key, value in found.items() if type(value) is int},
        baseline=found.get("baseline"),
        baseline_folder=configuration.directory,
        directory=configuration.directory,
    )
    return settings, problems
