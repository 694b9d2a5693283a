"""Renders lint rules: a page for each rule, and lists of all rules."""

from collections.abc import Iterable

from toolkit.lint.rule import RulePage

_FIXES = {None: "", "safe": "`--fix`", "unsafe": "`--fix --unsafe-fixes`"}


def page_of(rule: RulePage) -> str:
    """Return the page of a rule in Markdown, with a newline at the end."""
    facts = [f"severity: {rule.severity}"]
    if not rule.default:
        facts.append("off by default")
    if rule.fix:
        facts.append(f"fixed by {_FIXES[rule.fix]}")
    if rule.providers:
        facts.append(f"for {', '.join(rule.providers)}")
    if rule.limits:
        facts.append(", ".join(f"`{name}` = {figure}" for name, figure in rule.limits.items()))
    return f"# {rule.name} ({rule.code})\n\n*{' · '.join(facts)}*\n\n{rule.documentation}\n"


def index_of(rules: Iterable[RulePage]) -> str:
    """Return a Markdown table of the rules with links to their pages, and a newline at the end."""
    rows = [
        f"| {rule.code} | [{rule.name}]({rule.name}.md) | {_weight(rule)} | {_FIXES[rule.fix]} | {_summary(rule)} |"
        for rule in rules
    ]
    head = ["| code | rule | severity | fix | what it finds |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *rows, ""])


def as_list(rules: Iterable[RulePage]) -> str:
    """Return the rules as plain text, one per line, with a newline at the end."""
    lines = [f"{rule.code}  {_weight(rule):<9}  {_sign(rule):<3}  {rule.name}: {rule.summary}" for rule in rules]
    return "".join(f"{line}\n" for line in lines)


def _weight(rule: RulePage) -> str:
    return rule.severity if rule.default else f"{rule.severity}, off"


def _sign(rule: RulePage) -> str:
    return {None: "", "safe": "[*]", "unsafe": "[-]"}[rule.fix]


def _summary(rule: RulePage) -> str:
    return rule.summary.replace("|", "\\|")
