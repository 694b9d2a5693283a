"""Detects rules that can never decide because an earlier rule matches all their calls."""

from fnmatch import fnmatchcase

from toolkit.approvals.rules import Choice, Rule


def covered_by(rule: Rule, earlier: Rule) -> bool:
    """Return whether an earlier rule certainly decides every call that a later rule matches."""
    if earlier.expires is not None or earlier.ci not in {None, rule.ci}:
        return False
    if earlier.chosen_by not in {None, rule.chosen_by}:
        return False
    if earlier.after and not (rule.after and rule.after <= earlier.after):
        return False
    if earlier.where and earlier.written.get("where") != rule.written.get("where"):
        return False
    if earlier.digest not in {None, rule.digest}:
        return False
    return _is_within(rule.choice, earlier.choice)


def _is_within(one: Choice, other: Choice) -> bool:
    return (
        _are_within(one.tools, other.tools)
        and (not other.sources or set(one.sources) == set(other.sources))
        and (not other.frameworks or (bool(one.frameworks) and set(one.frameworks) <= set(other.frameworks)))
        and (not other.groups or one.groups.keys() == other.groups.keys())
        and (not other.marks or (bool(one.marks) and one.marks <= other.marks))
        and (not other.flows or (bool(one.flows) and one.flows <= other.flows))
    )


def _are_within(names: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    """Return whether every name that `names` can match is certainly matched by one of `patterns`."""
    if not patterns or "*" in patterns:
        return True
    return bool(names) and all(
        any(name == pattern or (not _is_pattern(name) and fnmatchcase(name, pattern)) for pattern in patterns)
        for name in names
    )


def _is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[")
