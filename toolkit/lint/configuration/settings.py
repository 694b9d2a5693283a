"""The keys of lint in a configuration, and the settings that are built from them."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.codes import BAD_CONFIGURATION, NO_TOOLS
from toolkit.dialects.clients import CLIENTS
from toolkit.dialects.registry import PROVIDER_DIALECTS, PROVIDER_MODULES
from toolkit.documents.keys import (
    TEXT_SCHEMA,
    TEXTS_SCHEMA,
    Key,
    Kind,
    Origin,
    Schema,
    Spot,
    is_text,
    one_of,
    read_table,
    schema_of,
    table,
    texts,
    whole_number,
)
from toolkit.lint.configuration.selection import PROFILES, Profile, Selection, fits, is_selected, unknown_parts
from toolkit.lint.rule import PORTABLE
from toolkit.lint.rules import all_pages
from toolkit.problems import Problem, did_you_mean
from toolkit.settings.configuration import Configuration, place_in_configuration

if TYPE_CHECKING:
    from toolkit.lint.configuration.interpreters import Interpreter


PROVIDERS = tuple(dict.fromkeys([PORTABLE, *PROVIDER_DIALECTS, *PROVIDER_MODULES.values(), *CLIENTS]))
"""The providers, and the clients of MCP servers, that lint can check tools for."""


def selection_problems(parts: Sequence[str]) -> list[Problem]:
    """Return a problem for each part of a selection that matches no rule."""
    return [
        Problem(BAD_CONFIGURATION, f"there is no rule {part!r}", hint=near or "`toolkit lint --explain ALL` shows all")
        for part, near in unknown_parts(parts)
    ]


def provider_problems(names: Sequence[str]) -> list[Problem]:
    """Return a problem for each name that is not a provider."""
    return [
        Problem(
            BAD_CONFIGURATION,
            f"unknown provider {name!r}",
            hint=did_you_mean(name, PROVIDERS, otherwise=f"the providers are {', '.join(PROVIDERS)}"),
        )
        for name in names
        if name not in PROVIDERS
    ]


def lint_keys(given: Mapping[str, Any]) -> tuple[Key, ...]:
    """Return the keys. Those of limits, which import every rule, are included only if one may be set."""
    named = {key.name for key in _KEYS}
    return _KEYS if named.issuperset(given) else all_lint_keys()


def _limit_keys() -> list[Key]:
    found = {name: (figure, page) for page in all_pages() for name, figure in page.limits.items()}
    return [
        Key(name, _FIGURE, f"a limit of the rule `{rule.name}`", figure)
        for name, (figure, rule) in sorted(found.items())
    ]


def all_lint_keys() -> tuple[Key, ...]:
    """Return every key, including the limits of rules."""
    return (*_KEYS, *_limit_keys())


def lint_schema() -> Schema:
    """Return the JSON Schema of the table of lint."""
    return schema_of(all_lint_keys())


def _names_or_name(written: Any, _: Spot) -> tuple[str, ...] | None:
    return (written,) if isinstance(written, str) else texts(written)


def _file(written: Any, spot: Spot) -> Path | None:
    return spot.origin.folder / written if is_text(written) else None


def _report(problems: Sequence[Problem], spot: Spot) -> None:
    for problem in problems:
        spot.report(problem.message, problem.hint)


def _parts(parts: tuple[str, ...], spot: Spot) -> tuple[str, ...]:
    _report(selection_problems(parts), spot)
    return parts


def _providers(names: tuple[str, ...], spot: Spot) -> tuple[str, ...]:
    _report(provider_problems(names), spot)
    return tuple(name for name in names if name in PROVIDERS)


def _by_pattern(tables: Mapping[str, Any], spot: Spot) -> dict[str, tuple[str, ...]]:
    """Return the rules to ignore for each file pattern."""
    found = {}
    for pattern, written in tables.items():
        here = spot.below(pattern)
        parts = texts(written)
        if parts is None:
            here.wrong("a list of strings", f"write '{pattern}' = ['TK2']")
        found[pattern] = _parts(parts or (), spot)
    return found


_PARTS = Kind("list of strings", "a list of strings", texts, "['TK2']", TEXTS_SCHEMA)
_NAMES = Kind("list of strings", "a list of strings", texts, "['shop_tool']", TEXTS_SCHEMA)
_FIGURE = whole_number(0, words="a whole number")
_PROVIDERS = Kind(
    "list of names",
    "a list of strings",
    _names_or_name,
    "['TK2']",
    {"anyOf": [{"enum": [*PROVIDERS]}, {"type": "array", "items": {"enum": [*PROVIDERS]}}]},
)
_BY_PATTERN = Kind(
    "table of lists",
    "a table",
    table,
    "{ 'legacy/*.py' = ['TK2'] }",
    {"type": "object", "additionalProperties": TEXTS_SCHEMA},
)
_FILE = Kind("file", "the path of a file", _file, "'lint-baseline.json'", TEXT_SCHEMA)
_KEYS: Final = (
    Key(
        "select",
        _PARTS,
        "rules to check: codes, prefixes of codes, or names; all by default",
        take=_parts,
    ),
    Key("ignore", _PARTS, "rules to ignore, in the same form", take=_parts),
    Key("extend-select", _PARTS, "rules to check in addition", take=_parts),
    Key("per-file-ignores", _BY_PATTERN, "rules to ignore in some files, by path pattern", take=_by_pattern),
    Key(
        "provider",
        _PROVIDERS,
        "the providers that the tools are for; `portable` means all of them",
        [PORTABLE],
        take=_providers,
    ),
    Key(
        "profile",
        one_of(*PROFILES),
        "`essential`, `recommended` or `all` rules; by default, `essential` for tools of other frameworks, and `all` "
        "for others",
    ),
    Key("tool-decorators", _NAMES, "decorators of the project that register tools: their names, or dotted names"),
    Key("baseline", _FILE, "the file of known findings, which do not fail the run"),
)


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
