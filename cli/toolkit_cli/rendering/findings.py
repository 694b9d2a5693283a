"""Renders what lint reports, and the pages of its rules."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from toolkit.codes import MISSING_PARAMETER_DESCRIPTION
from toolkit.lint.changes.baselines import fingerprints
from toolkit.lint.configuration.selection import profile_of
from toolkit.lint.rule import BREAKAGES, RulePage
from toolkit.lint.rules import all_pages, codes, name_of
from toolkit.problems import Problem, problem_record
from toolkit.visibility import visible_json
from toolkit_cli.rendering.excerpts import path_for_people
from toolkit_cli.rendering.problem_texts import (
    as_github,
    as_records,
    as_text,
    counted,
    few_of,
    summary_of,
    with_shown_paths,
    without_secrets,
)
from toolkit_cli.rendering.report_formats import as_gitlab, as_junit, as_markdown, as_sarif
from toolkit_cli.rendering.styles import one_line, paint_all, table

if TYPE_CHECKING:
    from toolkit.lint.engine.toolsets import ToolPlace

Format = Literal["text", "full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)
_FOR_PEOPLE = frozenset({"text", "full", "github", "junit", "markdown"})
PASSED = "All checks passed!"
_MANY = 20
_MOST_LINES = 100
_WORST = 5
_QUOTED = re.compile(r"'([^']+)'")


def render(
    problems: Sequence[Problem],
    format: Format,
    *,
    colour: bool = False,
    width: int = 80,
    note: str = "",
    quiet: bool = False,
    is_known: bool = False,
    places: Sequence["ToolPlace"] = (),
) -> str:
    """Return the findings in a format, with a newline at the end.

    Args:
        problems: The findings.
        format: The format.
        colour: Whether to color text.
        width: The width of text in columns.
        note: A note on the whole check, for the text formats.
        quiet: Whether to leave out everything but the findings.
        is_known: Whether a baseline distinguishes new findings from known ones.
        places: The tools in files, for the overview of many findings.
    """
    problems = [without_secrets(problem) for problem in (_joined(problems) if format in _FOR_PEOPLE else problems)]
    match format:
        case "text" | "full":
            are_many = not is_known and len(problems) >= _MANY
            is_short = are_many and format == "text"
            parts = _drawn(problems, places, colour=colour, width=width, is_short=is_short)
            if not quiet:
                overview = _overview(problems, places, width, is_short=is_short) if are_many else ""
                parts.append(f"{_closing(problems, note)}\n{overview}")
            return "\n".join(parts)
        case "concise":
            few, rest = few_of(problems)
            closing = [] if quiet else [_closing(problems, note)]
            return "".join(f"{line}\n" for line in [*map(_in_one_line, few), *rest, *closing])
        case _:
            text = _WRITERS[format](problems)
            return f"{text}\n" if text else ""


def statistics_of(problems: Sequence[Problem]) -> str:
    """Return the number of findings per rule, most frequent first, with a newline at the end."""
    problems = _joined(problems)
    counts = Counter(problem.code for problem in problems)
    fixable = {problem.code for problem in problems if problem.fix}
    names = _names()
    room = max((len(str(count)) for count in counts.values()), default=1)
    width = max((len(code) for code in counts), default=1)
    lines = [
        f"{count:>{room}}  {code or '-':<{width}}  {'[*]' if code in fixable else '[ ]'} {names.get(code, '')}".rstrip()
        for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "".join(f"{line}\n" for line in lines)


def _joined(problems: Sequence[Problem]) -> Sequence[Problem]:
    """Return the findings with one for each mistake, where people read them; editors get one for each place."""
    if all(problem.code != MISSING_PARAMETER_DESCRIPTION for problem in problems):
        return problems
    from toolkit.lint.rules.missing_parameter_description import joined  # a cached result needs no rule

    return joined(problems)


def spans_of(codes: Sequence[str], chosen: Container[str]) -> list[str]:
    """Return the chosen codes, with three or more in a row as a range, such as `TK604-TK612`."""
    runs: list[list[str]] = [[]]
    for code in codes:
        if code in chosen:
            runs[-1].append(code)
        elif runs[-1]:
            runs.append([])
    spans = ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else run for run in runs)  # noqa: PLR2004 - two codes are not a range
    return [span for part in spans for span in part]


def _drawn(
    problems: Sequence[Problem], places: Sequence["ToolPlace"], *, colour: bool, width: int, is_short: bool
) -> list[str]:
    """Return the findings with their source; in short, only those that break something, and a line per tool."""
    full = [problem for problem in problems if not is_short or problem.code in BREAKAGES]
    rest = [problem for problem in problems if is_short and problem.code not in BREAKAGES]
    parts = [f"{as_text(full, colour=colour, width=width)}\n"] if full else []
    return [*parts, _line_per_tool(rest, places, colour=colour, width=width)] if rest else parts


def _line_per_tool(problems: Sequence[Problem], places: Sequence["ToolPlace"], *, colour: bool, width: int) -> str:
    """Return a line for each tool with what was found in it, at most a hundred; tools with errors first.

    What is found in a file, and not in one tool, is a line of its own.
    """
    names = _names()
    found: dict[tuple[str, str], list[Problem]] = {}
    for problem, (file, name) in zip(problems, _tools_of(problems, places), strict=True):
        found.setdefault((file, name), []).append(problem)
    rows = []
    for (_, name), ones in sorted(found.items(), key=lambda item: all(one.severity != "error" for one in item[1])):
        counts = Counter((one.code, one.severity == "error") for one in ones)
        place = ones[0].location
        rules = ", ".join(
            f"{names.get(code) or code}{_amount(count, is_error=is_error)}"
            for (code, is_error), count in counts.items()
        )
        rows.append((name or "(file)", str(place._replace(file=path_for_people(place.file))) if place else "", rules))
    shown = paint_all(table(("TOOL", "PLACE", "FINDINGS"), rows[:_MOST_LINES], width), colour=colour)
    more = len(rows) - _MOST_LINES
    return f"{shown}and {counted(more, 'more tool')}\n" if more > 0 else shown


def _amount(count: int, *, is_error: bool) -> str:
    """Return how often a rule found something, such as ` (2)`, ` (error)` and ` (2 errors)`; empty for one warning."""
    if is_error:
        return " (error)" if count == 1 else f" ({count} errors)"
    return f" ({count})" if count > 1 else ""


def _tools_of(problems: Sequence[Problem], places: Sequence["ToolPlace"]) -> list[tuple[str, str]]:
    """Return the file and the tool of each finding; the tool is empty if it is about a file, or about several tools."""
    tools = {(one.file, one.name) for one in places}
    found = []
    for problem in problems:
        file = problem.location.file if problem.location else ""
        found.append((file, next((name for name in _QUOTED.findall(problem.message) if (file, name) in tools), "")))
    return found


def _overview(problems: Sequence[Problem], places: Sequence["ToolPlace"], width: int, *, is_short: bool) -> str:
    """Return help for a large number of findings: counts per rule, framework and tool, and what to do next."""
    breaking = sorted({problem.code for problem in problems if problem.code in BREAKAGES})
    first = f"hint: `--select {','.join(breaking)}` shows what stops a server or an agent\n" if breaking else ""
    if is_short:
        more = "`--format full` shows each finding with its source, and `--select CODE` those of one rule"
    else:
        more = "`--format concise` shows each finding on one line, and `--select CODE` shows those of one rule"
    return (
        f"\n{statistics_of(problems)}{_by_tool(problems, places, width)}\n{first}"
        f"hint: {more};\n"
        "      `--baseline lint-baseline.json --update-baseline` records all of them, so that only new ones count\n"
    )


def _by_tool(problems: Sequence[Problem], places: Sequence["ToolPlace"], width: int) -> str:
    """Return the number of findings by framework, and the tools with the most of them."""
    kinds = {one.file: one.framework for one in places}
    found = _tools_of(problems, places)
    named = Counter((file, name) for file, name in found if name)
    by_kind = Counter(kinds[file] for file, _ in found if file in kinds)
    counts = Counter(one.framework for one in places)
    rows = [(kind, str(count), str(by_kind[kind])) for kind, count in counts.most_common()]
    worst = [(name, path_for_people(file), str(count)) for (file, name), count in named.most_common(_WORST)]
    tables = [(("FRAMEWORK", "TOOLS", "FINDINGS"), rows), (("TOOL", "FILE", "FINDINGS"), worst)]
    return "".join(f"\n{paint_all(table(header, lines, width), colour=False)}" for header, lines in tables if lines)


def _closing(problems: Sequence[Problem], note: str) -> str:
    """Return the summary: the number of findings, and how many can be fixed automatically."""
    summary = summary_of(problems) if problems else PASSED
    safe = sum(problem.fix is not None and problem.fix.is_safe for problem in problems)
    unsafe = sum(problem.fix is not None and not problem.fix.is_safe for problem in problems)
    offers = [f"{counted(safe, 'problem')} can be fixed with `--fix`"] if safe else []
    if unsafe:
        what = f"{unsafe} more" if safe else f"{counted(unsafe, 'problem')} can be fixed"
        offers.append(f"{what} with `--fix --unsafe-fixes`")
    fixes = f"\n{', '.join(offers)}." if offers else ""
    return f"{summary}{f' ({note})' if note else ''}{fixes}"


def _in_one_line(problem: Problem) -> str:
    place = problem.location
    where = f"{place._replace(file=path_for_people(place.file))}: " if place else ""
    code = f"[{problem.code}]" if problem.code else ""
    mark = " [*]" if problem.fix and problem.fix.is_safe else ""
    return f"{where}{problem.severity}{code}{mark} {one_line(problem.message)}"


def _records(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return the findings as plain data; every key is always present."""
    names = _names()
    marks = fingerprints(problems)
    return [
        record
        | {
            "rule": names.get(problem.code),
            "breakage": problem.code in BREAKAGES,
            "fingerprint": mark,
            "fix": problem_record(with_shown_paths(problem))["fix"],
        }
        for record, problem, mark in zip(as_records(problems), problems, marks, strict=True)
    ]


def _names() -> dict[str, str]:
    return {code: name_of(code) for code in codes()}


def _as_json(problems: Sequence[Problem]) -> str:
    return visible_json(_records(problems), indent=2)


def _as_jsonl(problems: Sequence[Problem]) -> str:
    return "\n".join(visible_json(record) for record in _records(problems))


def _as_sarif(problems: Sequence[Problem]) -> str:
    return as_sarif(problems, {page.code: page for page in all_pages()})


def _as_gitlab(problems: Sequence[Problem]) -> str:
    return as_gitlab(problems)


def _as_junit(problems: Sequence[Problem]) -> str:
    return as_junit(problems)


def _as_markdown(problems: Sequence[Problem]) -> str:
    return as_markdown(problems)


_WRITERS: dict[str, Callable[[Sequence[Problem]], str]] = {
    "json": _as_json,
    "jsonl": _as_jsonl,
    "github": as_github,
    "sarif": _as_sarif,
    "gitlab": _as_gitlab,
    "junit": _as_junit,
    "markdown": _as_markdown,
}


_FIXES = {None: "", "safe": "`--fix`", "unsafe": "`--fix --unsafe-fixes`"}


def explanation_of(rule: RulePage) -> str:
    """Return the page of a rule in Markdown, with a newline at the end."""
    facts = [f"severity: {rule.severity}"]
    if not rule.default:
        facts.append("off by default")
    elif profile_of(rule) == "all":
        facts.append("profile: all")
    if rule.fix:
        facts.append(f"fixed by {_FIXES[rule.fix]}")
    if rule.providers:
        facts.append(f"for {', '.join(rule.providers)}")
    if rule.limits:
        facts.append(", ".join(f"`{name}` = {figure}" for name, figure in rule.limits.items()))
    return f"# {rule.name} ({rule.code})\n\n*{' · '.join(facts)}*\n\n{rule.documentation}\n"


def index_of(rules: Iterable[RulePage]) -> str:
    """Return a Markdown table of the rules with links to their pages, and a newline at the end."""
    rows = []
    for rule in rules:
        about = f"{_weight(rule)} | {_profile(rule)} | {_FIXES[rule.fix]} | {_summary(rule)}"
        rows.append(f"| {rule.code} | [{rule.name}]({rule.name}.md) | {about} |")
    head = ["| code | rule | severity | profile | fix | what it finds |", "| --- | --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *rows, ""])


def as_list(rules: Iterable[RulePage]) -> str:
    """Return the rules as plain text, one per line, with a newline at the end."""
    lines = [f"{rule.code}  {_weight(rule):<9}  {_sign(rule):<3}  {rule.name}: {rule.summary}" for rule in rules]
    return "".join(f"{line}\n" for line in lines)


def _weight(rule: RulePage) -> str:
    return rule.severity if rule.default else f"{rule.severity}, off"


def _profile(rule: RulePage) -> str:
    return profile_of(rule) if rule.default else ""


def _sign(rule: RulePage) -> str:
    return {None: "", "safe": "[*]", "unsafe": "[-]"}[rule.fix]


def _summary(rule: RulePage) -> str:
    return rule.summary.replace("|", "\\|")
