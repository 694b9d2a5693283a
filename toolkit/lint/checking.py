"""Checking: every problem of every tool and pipeline that the user named.

Users' files are opened in a child process, one child for all of them, which is started anew after a file that ends it.
So nobody's code runs in this process, and a file that crashes, hangs or exits hides no other. The rules run here on
small files, and in another child process, with a deadline, on large ones.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.codes import DOES_NOT_IMPORT, NO_TOOLS
from toolkit.lint.caching import Cache
from toolkit.lint.children import Answers
from toolkit.lint.definitions import ToolDefinition
from toolkit.lint.judges import Instructions, Judge, is_heavy
from toolkit.lint.limits import DEFAULT_LIMITS, Limits
from toolkit.lint.looking import Looker
from toolkit.lint.refusing import refused_files
from toolkit.lint.reports import Report
from toolkit.lint.requests import Request, make_requests
from toolkit.lint.rule import Rule, RuleSettings
from toolkit.lint.rules import codes as all_codes, make_rules
from toolkit.lint.rules.unused_suppression import UnusedSuppression
from toolkit.lint.selection import meant_by, selected_codes
from toolkit.lint.servers import with_told_servers
from toolkit.lint.settings import LintSettings, read_lint_settings
from toolkit.lint.suppressions import silence, suppressions_elsewhere
from toolkit.lint.waiting import waiting_for_consent
from toolkit.problems import Location, Problem
from toolkit.sources.configuration import Configuration
from toolkit.sources.displaying import seen_from
from toolkit.sources.import_permission import Chooser, FileCounts

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate


class Checked(NamedTuple):
    """What a check found.

    Attributes:
        problems: Everything that is wrong, sorted by place.
        files: How many Python files were read, and how many imported.
    """

    problems: list[Problem]
    files: FileCounts


def check(
    targets: Sequence[str],
    configuration: Configuration,
    *,
    settings: LintSettings | None = None,
    limits: Limits = DEFAULT_LIMITS,
    cache: Path | None = None,
    gate: "Gate | None" = None,
) -> list[Problem]:
    """Return everything that is wrong with the tools and pipelines that the user named; see `check_and_count`."""
    return check_and_count(targets, configuration, settings=settings, limits=limits, cache=cache, gate=gate).problems


def check_and_count(
    targets: Sequence[str],
    configuration: Configuration,
    *,
    settings: LintSettings | None = None,
    limits: Limits = DEFAULT_LIMITS,
    cache: Path | None = None,
    gate: "Gate | None" = None,
) -> Checked:
    """Return everything that is wrong with the tools and pipelines that the user named, and count the files.

    Only Python files whose source defines tools are imported.

    Args:
        targets: Files, folders, globs, names and modules, relative to the working directory; with none, the configured
            sources, and without these the working directory.
        configuration: The settings of the project.
        settings: What is looked for; what the configuration says unless given.
        limits: What one file may take while it is opened.
        cache: A folder for what was found before in files that have not changed since.
        gate: Who is asked before an MCP server of the project is reached; nobody unless given.
    """
    settings = read_lint_settings(configuration)[0] if settings is None else settings
    base = Path() if targets else configuration.directory
    requests, problems = make_requests(targets or configuration.sources or ["."], base)
    problems += waiting_for_consent(targets, configuration)
    if not settings.is_static:
        configuration = with_told_servers(configuration, requests, gate)
    codes = selected_codes(settings.selections)
    kept = Cache.open(cache, configuration, settings, codes, limits)
    chooser: Chooser = "user" if targets else "configuration"
    rules, reports = _looked_at(requests, codes, configuration, settings, limits, kept, chooser)
    kept.save()
    tools = _unique(tool for report in reports for tool in report.tools)
    for rule in rules:
        if rule.overrides("check_toolset"):
            problems += rule.check_toolset(tools)
    problems += [problem for report in reports for problem in report.problems]
    read = {file for report in reports for file in report.read}
    imported = {file for report in reports for file in report.imported}
    return Checked(_told(problems, reports, codes, settings), FileCounts(len(read), len(imported)))


def find_tools(
    targets: Sequence[str],
    configuration: Configuration,
    settings: LintSettings,
    *,
    limits: Limits = DEFAULT_LIMITS,
    gate: "Gate | None" = None,
) -> list[ToolDefinition]:
    """Return the tools that the user named, each once, whatever is wrong with the rest; see `check`."""
    base = Path() if targets else configuration.directory
    requests, _ = make_requests(targets or configuration.sources or ["."], base)
    if not settings.is_static:
        configuration = with_told_servers(configuration, requests, gate)
    unknown = Cache.open(None, configuration, settings, (), limits)
    chooser: Chooser = "user" if targets else "configuration"
    _, reports = _looked_at(requests, (), configuration, settings, limits, unknown, chooser)
    return _unique(tool for report in reports for tool in report.tools)


def _looked_at(
    requests: Sequence[Request],
    codes: Iterable[str],
    configuration: Configuration,
    settings: LintSettings,
    limits: Limits,
    cache: Cache,
    chooser: Chooser,
) -> tuple[list[Rule], list[Report]]:
    """Return the rules of these codes, and what they and the cache tell of each request, in the same order."""
    known = [cache.find(request) for request in requests]
    changed = [request for request, report in zip(requests, known, strict=True) if report is None]
    refused = {} if settings.is_static else refused_files(changed, configuration, chooser)
    opened = (
        {}
        if settings.is_static
        else {request: None for request in changed if request.kind != "json" and request not in refused}
    )
    said = RuleSettings(settings.providers, settings.limits, settings.directory)
    with (
        Answers(list(opened), configuration, limits, keeps_trail=cache.is_kept) as answers,
        Judge(Instructions.of(codes, said, limits)) as judge,
    ):
        rules = make_rules(codes, said)  # they are imported, and sources are read, while the child starts
        looker = Looker(rules)
        reports = []
        for request, report in zip(requests, known, strict=True):
            if report is None:
                if settings.is_static and request.file is None:
                    report = _not_looked_at(request)  # noqa: PLW2901 - what is not known is looked at
                else:
                    read = None if is_heavy(request) else looker.read(request)
                    answer = answers.next() if request in opened else refused.get(request)
                    report = judge.report(request, answer) if read is None else looker.look(read, answer)  # noqa: PLW2901
                cache.keep(request, report)
            reports.append(report)
    return rules, reports


def _not_looked_at(request: Request) -> Report:
    message = f"'{request.target}' is no file, and nothing is run to find what it means"
    return Report((Problem(NO_TOOLS, message, severity="warning", hint="leave '--static' away, or name a file"),))


def _unique(tools: Iterable[ToolDefinition]) -> list[ToolDefinition]:
    """Return each tool once, however often it was reached."""
    seen: set[tuple[object, ...]] = set()
    found = []
    for tool in tools:
        if not (tool.identity & seen):
            found.append(tool)
        seen |= tool.identity
    return found


def _told(
    problems: Iterable[Problem], reports: Sequence[Report], codes: frozenset[str], settings: LintSettings
) -> list[Problem]:
    """Return what is to be told of all that was found, in order."""
    here = Path.cwd()
    wanted = [problem for problem in problems if problem.code in codes or problem.code not in all_codes()]
    own = [one for report in reports for one in report.suppressions]
    others = suppressions_elsewhere(wanted, {one.location.file for one in own})
    left, used = silence(dict.fromkeys(seen_from(here, problem) for problem in wanted), [*own, *others])
    if UnusedSuppression.code in codes and not settings.is_static:
        unread = {problem.location.file for problem in wanted if problem.code == DOES_NOT_IMPORT and problem.location}
        rule = UnusedSuppression()
        useless = [one for one in own if one not in used and one.location.file not in unread]
        found = rule.unused(useless, codes, meant_by)
        left += [seen_from(here, problem) for problem in found]
    return sorted((problem for problem in _single(left) if not settings.ignores(problem)), key=_order)


def _single(problems: Iterable[Problem]) -> Iterable[Problem]:
    """Return each problem once; of two that differ in the cure alone, the one that a program can cure."""
    found: dict[tuple[object, ...], Problem] = {}
    for problem in problems:
        key = problem.code, problem.location, problem.message
        if key not in found or (problem.fix and not found[key].fix):
            found[key] = problem
    return found.values()


def _order(problem: Problem) -> tuple[str, int, int, str, str]:
    place = problem.location or Location("")
    return place.file, place.line or 0, place.column or 0, problem.code, problem.message
