"""Finds the rules: the name and page of each code, and the class of each rule that checks something.

Codes are listed in `toolkit.codes`. A rule is a module of this package or, if its problem is found while something is
opened, built or planned, a page in `found_elsewhere`. Both have the rule's name and are loaded when needed. Installed
packages add rules through the entry point group `toolkit.rules`: the name of each entry point is a code, and its object
is a subclass of `Rule`.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.codes import BAD_CONFIGURATION
from toolkit.errors import ConfigurationError
from toolkit.lint.rule import NAMES, Rule, RulePage, RuleSettings
from toolkit.problems import Problem
from toolkit.regular_files import bounded_bytes

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "toolkit.rules"

_FOUND_ELSEWHERE = Path(__file__).parent / "found_elsewhere"


@cache
def codes() -> tuple[str, ...]:
    """Return the codes of all rules, those of installed packages too, in order."""
    return tuple(sorted({*NAMES, *_installed()}))


def name_of(code: str) -> str:
    """Return the name of the rule with a code."""
    return NAMES.get(code) or page_of(code).name


@cache
def page_of(code: str) -> RulePage:
    """Return the page of the rule with a code.

    Raises:
        KeyError: If no rule has this code.
    """
    return _checking_rule(code).page() if has_checks(code) else _read_page(code)


def all_pages() -> Iterator[RulePage]:
    """Yield the page of every rule, in the order of the codes."""
    return map(page_of, codes())


def is_default(code: str) -> bool:
    """Whether a rule is checked without being selected by its code or name."""
    return _checking_rule(code).default if has_checks(code) else page_of(code).default


def has_checks(code: str) -> bool:
    """Whether a rule checks something itself, rather than only documenting problems found elsewhere."""
    return code not in _find_elsewhere()


def make_rules(codes: Iterable[str], settings: RuleSettings) -> list[Rule]:
    """Return the rules with these codes that check something and apply to the selected providers."""
    kinds = map(_checking_rule, sorted(filter(has_checks, codes)))
    return [kind(settings) for kind in kinds if not kind.providers or set(kind.providers) & set(settings.providers)]


@cache
def _find_elsewhere() -> frozenset[str]:
    pages = {file.stem for file in _FOUND_ELSEWHERE.iterdir()}
    return frozenset(code for code, name in NAMES.items() if name in pages)


def _read_page(code: str) -> RulePage:
    """Return a page from its file, whose header lists what differs from the defaults, such as `severity: error`."""
    _, head, text = (_FOUND_ELSEWHERE / f"{NAMES[code]}.md").read_text("utf-8").split("---\n", 2)
    fields: dict[str, Any] = dict(line.split(": ") for line in head.splitlines())
    return RulePage(code, NAMES[code], text.strip(), **fields | {"needs_import": "needs_import" in fields})


@cache
def _checking_rule(code: str) -> type[Rule]:
    if code not in NAMES:
        return _installed()[code]
    words = NAMES[code].split("-")
    module = import_module(f"{__name__}.{'_'.join(words)}")
    rule: type[Rule] = getattr(module, "".join(map(str.capitalize, words)))
    return rule


@cache
def _installed() -> Mapping[str, type[Rule]]:
    """Return the rules of installed packages by code; built-in codes take precedence."""
    if not any(map(_mentions_rules, sys.path)):
        return {}
    from importlib.metadata import entry_points  # importing it takes as long as all of lint

    points = sorted((point for point in entry_points(group=ENTRY_POINTS)), key=lambda point: point.name)
    return {point.name: _load(point) for point in points if point.name not in NAMES}


def _load(point: "EntryPoint") -> type[Rule]:
    """Return the rule of an entry point.

    Raises:
        ConfigurationError: If it cannot be loaded, or is not a rule.
    """
    whose = f" of '{point.dist.name}'" if point.dist else ""
    hint = f"fix or uninstall the package; its entry point in '{ENTRY_POINTS}' is {point.value!r}"
    try:
        rule = point.load()
    except Exception as error:
        message = f"the rule {point.name!r}{whose} cannot be loaded: {type(error).__name__}: {error}"
        raise ConfigurationError(problems=[Problem(BAD_CONFIGURATION, message, hint=hint)]) from error
    if not (isinstance(rule, type) and issubclass(rule, Rule)):
        message = f"the rule {point.name!r}{whose} is not a subclass of Rule"
        raise ConfigurationError(problems=[Problem(BAD_CONFIGURATION, message, hint=hint)])
    return rule


def _mentions_rules(folder: str) -> bool:
    """Whether a package installed in a folder adds rules, according to its metadata."""
    try:
        entries = [entry.path for entry in os.scandir(folder) if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return os.path.isfile(folder)  # noqa: PTH113 - an archive may add rules; it is not opened here
    return any(_mentions(os.path.join(entry, "entry_points.txt")) for entry in entries)  # noqa: PTH118 - see above


def _mentions(file: str) -> bool:
    try:
        return f"[{ENTRY_POINTS}]".encode() in bounded_bytes(file)
    except OSError:
        return False
