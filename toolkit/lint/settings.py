"""Settings: `[tool.toolkit.lint]`, read once, with everything that is wrong in it.

[tool.toolkit.lint]
select = ["ALL"]                    # codes, their beginnings, names; everything unless said
ignore = ["TK202"]
extend-select = []
provider = ["openai", "anthropic"]  # for whom the tools are meant; `portable`, what all accept, unless said
baseline = "lint-baseline.json"     # findings that are known and fail nothing
max-parameters = 10                 # the figures of rules, by their names

[tool.toolkit.lint.per-file-ignores]
"legacy/*.py" = ["TK2"]
"""

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from toolkit.codes import BAD_CONFIGURATION
from toolkit.lint.rule import PORTABLE
from toolkit.lint.selection import Selection, fits, unknown_parts
from toolkit.problems import Problem, did_you_mean
from toolkit.sources.configuration import Configuration
from toolkit.sources.toml_files import place_in_configuration

PROVIDERS = (
    PORTABLE, "openai", "openai-strict", "anthropic", "anthropic-strict", "gemini", "bedrock", "mistral", "ollama",
    "mcp", "llama-cpp",
)  # fmt: skip
"""The providers that lint can check tools for."""


class LintSettings(NamedTuple):
    """What a project wants of lint.

    Attributes:
        selections: What is looked for; each one builds on the one before.
        per_file_ignores: What is not looked for in files, by patterns of their paths from `directory`.
        providers: For whom the tools are meant.
        limits: Figures that differ from those of the rules.
        baseline: The file with the findings that are known.
        directory: The folder that patterns are relative to.
        is_static: Whether nothing is run: Python is only read.
    """

    selections: tuple[Selection, ...] = (Selection(),)
    per_file_ignores: Mapping[str, tuple[str, ...]] = {}
    providers: tuple[str, ...] = (PORTABLE,)
    limits: Mapping[str, int] = {}
    baseline: Path | None = None
    directory: Path = Path()
    is_static: bool = False

    def ignores(self, problem: Problem) -> bool:
        """Whether the pattern of its file says that a problem does not count."""
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
    """Return what a configuration says of lint, and everything that is wrong with it (`TK005`)."""
    reader = _Reader(configuration)
    return reader.settings(configuration.lint), reader.problems


def selection_problems(parts: Sequence[str]) -> list[Problem]:
    """Return a problem for each part of a selection that means no rule."""
    return [
        Problem(BAD_CONFIGURATION, f"no rule is called {part!r}", hint=near or "`toolkit lint --explain ALL` shows all")
        for part, near in unknown_parts(parts)
    ]


def provider_problems(names: Sequence[str]) -> list[Problem]:
    """Return a problem for each name that is no provider's."""
    return [
        Problem(
            BAD_CONFIGURATION,
            f"unknown provider {name!r}",
            hint=did_you_mean(name, PROVIDERS, otherwise=f"the providers are {', '.join(PROVIDERS)}"),
        )
        for name in names
        if name not in PROVIDERS
    ]


class _Reader:
    """Reads the table; what is wrong is left out of the settings and told."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self.problems: list[Problem] = []

    def settings(self, table: Mapping[str, Any]) -> LintSettings:
        readers: dict[str, Callable[[str, Any], Any]] = {
            "select": self._parts,
            "ignore": self._parts,
            "extend-select": self._parts,
            "per-file-ignores": self._per_file_ignores,
            "provider": self._providers,
            "baseline": self._path,
        }
        found: dict[str, Any] = {}
        limits: dict[str, int] = {}
        for key, value in table.items():
            if key in readers:
                found[key] = readers[key](key, value)
            else:
                self._limit(key, value, limits, readers)
        return LintSettings(
            selections=(Selection(found.get("select"), found.get("ignore") or (), found.get("extend-select") or ()),),
            per_file_ignores=found.get("per-file-ignores") or {},
            providers=found.get("provider") or (PORTABLE,),
            limits=limits,
            baseline=found.get("baseline"),
            directory=self._configuration.directory,
        )

    def _texts(self, key: str, value: Any) -> tuple[str, ...] | None:
        if isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value):
            return tuple(value)
        self._report(key, f"'lint.{key}' must be a list of texts", f"write {key} = ['TK2']")
        return None

    def _parts(self, key: str, value: Any) -> tuple[str, ...] | None:
        parts = self._texts(key, value)
        for problem in selection_problems(parts or ()):
            self._report(key, problem.message, problem.hint)
        return parts

    def _providers(self, key: str, value: Any) -> tuple[str, ...] | None:
        names = (value,) if isinstance(value, str) else self._texts(key, value)
        for problem in provider_problems(names or ()):
            self._report(key, problem.message, problem.hint)
        return names and tuple(name for name in names if name in PROVIDERS)

    def _per_file_ignores(self, key: str, value: Any) -> dict[str, tuple[str, ...]] | None:
        if isinstance(value, dict):
            return {pattern: self._parts(key, parts) or () for pattern, parts in value.items()}
        self._report(key, f"'lint.{key}' must be a table", "write per-file-ignores = { 'legacy/*.py' = ['TK2'] }")
        return None

    def _path(self, key: str, value: Any) -> Path | None:
        if isinstance(value, str) and value.strip():
            return self._configuration.directory / value
        self._report(key, f"'lint.{key}' must be the path of a file", f"write {key} = 'lint-baseline.json'")
        return None

    def _limit(self, key: str, value: Any, limits: dict[str, int], readers: Mapping[str, object]) -> None:
        from toolkit.lint.rules import all_pages  # noqa: PLC0415 - few projects change a figure

        known = sorted({name for page in all_pages() for name in page.limits})
        if key not in known:
            hint = did_you_mean(key, [*readers, *known], otherwise=f"the keys are {', '.join([*readers, *known])}")
            self._report(key, f"unknown key 'lint.{key}'", hint)
        elif isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self._report(key, f"'lint.{key}' must be a whole number", None)
        else:
            limits[key] = value

    def _report(self, key: str, message: str, hint: str | None) -> None:
        place = place_in_configuration(self._configuration, ["lint", key])
        self.problems.append(Problem(BAD_CONFIGURATION, message, place, hint=hint))
