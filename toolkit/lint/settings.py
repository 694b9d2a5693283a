"""Settings: `[tool.toolkit.lint]`, read once, with everything that is wrong in it.

[tool.toolkit.lint]
select = ["ALL"]                    # codes, their beginnings, names; everything by default
ignore = ["TK202"]
extend-select = []
provider = ["openai", "anthropic"]  # which models the tools are for; `portable`, what all accept, by default
baseline = "lint-baseline.json"     # findings that are known and fail nothing
max-parameters = 10                 # the figures of rules, by their names

[tool.toolkit.lint.per-file-ignores]
"legacy/*.py" = ["TK2"]
"""

from collections.abc import Mapping
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.documents.tables import Setting, Spot, read_table
from toolkit.lint.rule import PORTABLE
from toolkit.lint.selection import Selection, fits
from toolkit.lint.setting_keys import lint_keys
from toolkit.problems import Problem
from toolkit.sources.configuration import Configuration
from toolkit.sources.toml_files import place_in_configuration

if TYPE_CHECKING:
    from toolkit.lint.interpreters import Interpreter


class LintSettings(NamedTuple):
    """A project's lint settings.

    Attributes:
        selections: What is looked for; each one builds on the one before.
        per_file_ignores: What is not looked for in files, by patterns of their paths from `directory`.
        providers: The providers that the tools are meant for.
        limits: Figures that differ from those of the rules.
        baseline: The file with the findings that are known.
        directory: The folder that patterns are relative to.
        is_static: Whether nothing is run: Python is only read.
        requires_tools: Whether it is an error if something that was named holds no tool.
        interpreter: The Python that opens modules; this one unless given.
    """

    selections: tuple[Selection, ...] = (Selection(),)
    per_file_ignores: Mapping[str, tuple[str, ...]] = {}
    providers: tuple[str, ...] = (PORTABLE,)
    limits: Mapping[str, int] = {}
    baseline: Path | None = None
    directory: Path = Path()
    is_static: bool = False
    requires_tools: bool = False
    interpreter: "Interpreter | None" = None

    def ignores(self, problem: Problem) -> bool:
        """Whether the pattern of its file excludes a problem."""
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
    """Return the configuration of lint, and everything that is wrong with it (`TK005`)."""
    problems: list[Problem] = []
    place = partial(place_in_configuration, configuration)
    spot = Spot(("lint",), Setting(configuration.directory, place, problems.append))
    found = read_table(configuration.lint, lint_keys(configuration.lint), spot)
    settings = LintSettings(
        selections=(Selection(found.get("select"), found.get("ignore", ()), found.get("extend-select", ())),),
        per_file_ignores=found.get("per-file-ignores", {}),
        providers=found.get("provider") or (PORTABLE,),
        limits={key: value for key, value in found.items() if type(value) is int},
        baseline=found.get("baseline"),
        directory=configuration.directory,
    )
    return settings, problems
