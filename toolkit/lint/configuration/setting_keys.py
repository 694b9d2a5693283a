"""The configuration keys of lint; each limit of a rule is a key, too."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from toolkit.codes import BAD_CONFIGURATION
from toolkit.dialects.clients import CLIENTS
from toolkit.dialects.registry import PROVIDER_DIALECTS, PROVIDER_MODULES
from toolkit.documents.keys import (
    TEXT_SCHEMA,
    TEXTS_SCHEMA,
    Key,
    Kind,
    Schema,
    Spot,
    is_text,
    one_of,
    schema_of,
    table,
    texts,
    whole_number,
)
from toolkit.lint.configuration.profiles import PROFILES
from toolkit.lint.configuration.selection import unknown_parts
from toolkit.lint.rule import PORTABLE
from toolkit.lint.rules import all_pages
from toolkit.problems import Problem, did_you_mean

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
        "`essential` or `all` rules; by default, `essential` for tools of other frameworks, and `all` for others",
    ),
    Key("tool-decorators", _NAMES, "decorators of the project that register tools: their names, or dotted names"),
    Key("baseline", _FILE, "the file of known findings, which do not fail the run"),
)
