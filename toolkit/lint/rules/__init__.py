"""The table of rules: every code, and the class that finds or documents it.

A rule is imported when it is asked for. An installed package adds its own through the entry point group
`toolkit.rules`: each entry point has a code for its name, and leads to a class made from `Rule`.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from toolkit.lint.rule import Rule

ENTRY_POINTS = "toolkit.rules"

TABLE: Mapping[str, str] = {
    "TK201": "missing_description:MissingDescription",
    "TK308": "too_many_parameters:TooManyParameters",
}


def codes() -> tuple[str, ...]:
    """Return the codes of all rules, those of installed packages too, in order."""
    return tuple(sorted({*TABLE, *_installed()}))


def rule_of(code: str) -> type[Rule]:
    """Return the rule that has a code.

    Raises:
        KeyError: If none has.
    """
    if code in TABLE:
        return _load(code)
    return _installed()[code]


def all_rules() -> Iterator[type[Rule]]:
    """Yield every rule in the order of the codes."""
    return map(rule_of, codes())


@cache
def _load(code: str) -> type[Rule]:
    module, _, name = TABLE[code].partition(":")
    rule: type[Rule] = getattr(import_module(f"{__name__}.{module}"), name)
    return rule


@cache
def _installed() -> Mapping[str, type[Rule]]:
    """Return the rules of installed packages by code; a code of ours stays ours."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - it reads every installed package's metadata

    found = {point.name: point.load() for point in entry_points(group=ENTRY_POINTS)}
    return {code: rule for code, rule in sorted(found.items()) if code not in TABLE}
