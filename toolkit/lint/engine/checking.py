"""Checks all tools and pipelines of the targets.

Users' files are opened in a child process. One child opens all of them; it is replaced after a file that ends it. So
user code never runs in this process, and a file that crashes, hangs or exits does not hide the others. Results of files
that have not changed come from the cache, which serves every selection of rules.
"""

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.codes import (
    DESCRIPTION_REQUIRED,
    DOES_NOT_IMPORT,
    MISSING_DESCRIPTION,
    MISSING_PARAMETER_DESCRIPTION,
    NO_TOOLS,
    REMOVED_MODULE,
    UNUSED_SUPPRESSION,
)
from toolkit.lint.configuration.selection import is_in_profile, meant_by, selected_codes
from toolkit.lint.configuration.settings import LintSettings, read_lint_settings
from toolkit.lint.configuration.suppressions import Suppression, silence, suppressions_elsewhere
from toolkit.lint.engine.caching import Cache
from toolkit.lint.engine.inspecting import Inspection
from toolkit.lint.engine.left_over_files import milder_in_left_over_files
from toolkit.lint.engine.reports import Report
from toolkit.lint.engine.requests import DEFAULT_LIMITS, Asked, Limits, Request, make_requests, request_for_text
from toolkit.lint.engine.toolsets import Together, ToolCounts, ToolPlace, check_together, key_of, unique_tools
from toolkit.lint.rule import BREAKAGES
from toolkit.lint.rules import codes as all_codes
from toolkit.problems import Location, Problem, errors_among, place_from, seen_from
from toolkit.settings.configuration import Configuration
from toolkit.source_code.project_files import files_below
from toolkit.source_code.tool_hints import hint_of_use, shown_files
from toolkit.sources.import_permissions import Chooser, FileCounts

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.lint.definitions.tool_definitions import ToolDefinition


class Checked(NamedTuple):
    """The result of a check.

    Attributes:
        problems: All problems, sorted by location.
        files: The numbers of Python files that were read and imported.
        tools: The numbers of tools and of files with tools.
        minor: The numbers of findings that only the profile `all` has, by the codes of their rules.
        places: The tools in files.
        unread: The number of OpenAPI documents in folders that were not checked.
        uses: A note on each target without tools whose files only use frameworks.
        unseen: The places that may register more tools, which the source does not show, unless they are problems.
    """

    problems: list[Problem]
    files: FileCounts
    tools: ToolCounts
    minor: Mapping[str, int] = {}
    places: tuple[ToolPlace, ...] = ()
    unread: int = 0
    uses: tuple[str, ...] = ()
    unseen: tuple[Location, ...] = ()


def check(
    targets: Sequence[str],
    configuration: Configuration,
    *,
    settings: LintSettings | None = None,
    limits: Limits = DEFAULT_LIMITS,
    cache: Path | None = None,
    gate: "Gate | None" = None,
) -> list[Problem]:
    """Return all problems of the tools and pipelines in the targets; see `check_and_count`."""
    return check_and_count(targets, configuration, settings=settings, limits=limits, cache=cache, gate=gate).problems


def check_and_count(
    targets: Sequence[str],
    configuration: Configuration,
    *,
    settings: LintSettings | None = None,
    limits: Limits = DEFAULT_LIMITS,
    cache: Path | None = None,
    gate: "Gate | None" = None,
    text: str | None = None,
) -> Checked:
    """Return all problems of the tools and pipelines in the targets, and count files and tools.

    Only Python files whose source defines tools are imported.

    Args:
        targets: Files, folders, globs, names and modules, relative to the working directory; if empty, the configured
            sources, or else the working directory.
        configuration: The settings of the project.
        settings: What to check; by default, what the configuration selects.
        limits: Time and memory that opening a single file may use.
        cache: A folder with cached results of files that have not changed.
        gate: Asks before connecting to one of the project's MCP servers; by default, nobody is asked.
        text: The content to check instead of that of the single target; it is parsed, but not run.
    """
    settings = read_lint_settings(configuration)[0] if settings is None else settings
    if text is not None:
        settings, cache = settings._replace(is_static=True), None
    requests, problems, folders, unread = _asked(targets, configuration, text)
    problems += _without_consent(targets, configuration)
    configuration = _with_listed_servers(configuration, settings, requests, gate)
    kept = Cache.open(cache, configuration, settings, limits)
    selections = settings.selections
    inspection = Inspection(
        # The cache serves every selection.
        lambda: all_codes() if kept.is_kept else selected_codes(selections),
        configuration,
        settings=settings,
        limits=limits,
        cache=kept,
        chooser="user" if targets else "configuration",
    )
    try:
        reports = inspection.reports(requests)
        gaps = list(_gaps(reports))
        of_requests = dict(zip(requests, reports, strict=True))
        base = _base_of(targets, configuration)
        empty, uses = _split(_without_tools(folders, of_requests, configuration, settings, gaps, base=base), settings)
        problems += empty
        problems += _of_policy(targets, configuration, reports, settings) if text is None else ()
        problems += _of_skills(of_requests, configuration, is_whole=not gaps)
        together = _together(reports, inspection, kept)
    finally:
        kept.save()  # also after Ctrl-C: the next check continues with the remaining files
    has_others = together.counts.tools > 0 and not settings.requires_tools
    problems += [replace(gap, is_minor=has_others) for gap in gaps]
    found = [problem for report in reports for problem in report.problems]
    problems += [*together.problems, *milder_in_left_over_files(found, requests)]
    return _as_seen_from_here(problems, of_requests, together, settings)._replace(unread=len(unread), uses=uses)


def _without_consent(targets: Sequence[str], configuration: Configuration) -> Iterable[Problem]:
    if not (configuration.builtin or configuration.env):
        return ()
    from toolkit.lint.engine.project_settings import waiting_for_consent  # few projects need consent

    return waiting_for_consent(targets, configuration)


def find_tools(
    targets: Sequence[str],
    configuration: Configuration,
    settings: LintSettings,
    *,
    limits: Limits = DEFAULT_LIMITS,
    gate: "Gate | None" = None,
) -> "list[ToolDefinition]":
    """Return the tools of the targets, each once, ignoring all problems; see `check`."""
    requests = _requests(targets, configuration).requests
    configuration = _with_listed_servers(configuration, settings, requests, gate)
    chooser: Chooser = "user" if targets else "configuration"
    return unique_tools(
        Inspection(tuple, configuration, settings=settings, limits=limits, cache=Cache(None), chooser=chooser).reports(
            requests
        )
    )


def _with_listed_servers(
    configuration: Configuration, settings: LintSettings, requests: Sequence[Request], gate: "Gate | None"
) -> Configuration:
    if settings.is_static or not configuration.mcp:
        return configuration
    from toolkit.lint.engine.project_settings import with_listed_servers  # few projects have servers

    return with_listed_servers(configuration, requests, gate)


def _asked(targets: Sequence[str], configuration: Configuration, text: str | None) -> Asked:
    return _requests(targets, configuration) if text is None else request_for_text(text, targets[0])


def _requests(targets: Sequence[str], configuration: Configuration) -> Asked:
    own = targets or configuration.sources or [".", *configuration.openapi]
    return make_requests(own, _base_of(targets, configuration), configuration.openapi)


def _base_of(targets: Sequence[str], configuration: Configuration) -> Path:
    return Path() if targets else configuration.directory


def _without_tools(
    folders: Mapping[str, Sequence[Request]],
    reports: Mapping[Request, Report],
    configuration: Configuration,
    settings: LintSettings,
    gaps: Collection[Problem],
    *,
    base: Path,
) -> Iterable[tuple[Problem, str | None]]:
    """Yield a problem for each folder and pattern without tools, unless a problem or a gap in it may hide some.

    With it comes a note that is enough unless tools are required, if nothing shows that the files have tools of their
    own: they use a framework, such as agents with tools of others.
    """
    for text, requests in folders.items():
        hides = [one for one in requests if errors_among(reports[one].problems)]
        unread = [one for one in requests if one.kind == "pipeline" and settings.is_static]
        hides += [one for one in requests if any(gap in gaps for gap in reports[one].gaps.problems)]
        others = any(one.kind in {"manifest", "skill"} for one in requests)
        if hides or unread or any(reports[one].tools for one in requests):
            continue
        if converted := [one for request in requests for one in reports[request].gaps.conversions]:
            yield converted[0], None
        elif not others:
            yield _nothing_in(text, requests, reports, configuration, base / text)


def _split(
    found: Iterable[tuple[Problem, str | None]], settings: LintSettings
) -> tuple[list[Problem], tuple[str, ...]]:
    """Return the problems that are reported, and the notes that are enough for the others unless tools are required."""
    pairs = [(problem, None if settings.requires_tools else note) for problem, note in found]
    return [problem for problem, note in pairs if note is None], tuple(note for _, note in pairs if note is not None)


def _nothing_in(
    text: str,
    requests: Sequence[Request],
    reports: Mapping[Request, Report],
    configuration: Configuration,
    folder: Path,
) -> tuple[Problem, str | None]:
    message = f"no tools were found in '{text}'"
    using = [(one.target, reports[one].gaps.frameworks) for one in requests if reports[one].gaps.frameworks]
    if not any(one.kind == "python" for one in requests) and _is_other_language(folder):
        return Problem(NO_TOOLS, message, severity="info", hint=_OTHER), None
    server = next((found for one in requests if (found := reports[one].gaps.server)), None)
    if server is not None:
        hint = f"'{Path(server.file).name}' is a server, and {_UNSEEN}"
        return Problem(NO_TOOLS, message, server, severity="warning", hint=hint), None
    mark = next((known for one in requests if (known := reports[one].gaps.unknown_mark)), None)
    if mark is not None:
        return Problem(NO_TOOLS, message, severity="warning", hint=mark), None
    if using:
        return Problem(NO_TOOLS, message, severity="warning", hint=hint_of_use(using)), _note_on_use(using)
    servers = " ".join(configuration.mcp)
    hint = f"name the MCP servers to check what they list: `toolkit lint {servers}`" if servers else _MARK
    return Problem(NO_TOOLS, message, severity="warning", hint=hint), None


def _note_on_use(using: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return such a note, such as `2 files import CrewAI or LangChain: 'a.py', 'b.py'`."""
    titles = list(dict.fromkeys(title for _, found in using for title in found))
    named = f"{', '.join(titles[:-1])} or {titles[-1]}" if len(titles) > 1 else titles[0]
    files = f"{len(using)} files import" if len(using) > 1 else "1 file imports"
    return f"{files} {named}: {shown_files([(file, ()) for file, _ in using])}"


_SCRIPTS = (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs")
_OTHER = "only Python is read, and these files are TypeScript or JavaScript; name an MCP server to check what it lists"
_UNSEEN = "its source does not show which tools it has; name the MCP server to check what it lists"
_MARK = "mark functions with `@tool`, or name the files that hold tools"


def _is_other_language(folder: Path) -> bool:
    """Whether a folder without Python files has programs in TypeScript or JavaScript."""
    return folder.is_dir() and bool(files_below(folder, _SCRIPTS))


def _gaps(reports: Sequence[Report]) -> Iterable[Problem]:
    """Yield the first place in each file that registers tools which no source shows."""
    followed = {place for report in reports for place in report.gaps.followed}
    files: dict[str, Problem] = {}
    for gaps in (report.gaps for report in reports if report.gaps.problems):
        if followed.isdisjoint((file, 0) for file in gaps.around):
            for place, problem in ((one.location, one) for one in gaps.problems):
                if place is not None and (place.file, place.line) not in followed:
                    files.setdefault(place.file, problem)
    return files.values()


def _of_policy(
    targets: Sequence[str], configuration: Configuration, reports: Sequence[Report], settings: LintSettings
) -> Iterable[Problem]:
    if not configuration.has_policy:
        return ()
    from toolkit.lint.engine.policy_findings import policy_findings  # most projects have no policy

    return policy_findings(targets, configuration, reports, is_static=settings.is_static)


def _of_skills(reports: Mapping[Request, Report], configuration: Configuration, *, is_whole: bool) -> Iterable[Problem]:
    if not any(request.kind in {"manifest", "skill"} for request in reports):
        return ()
    from toolkit.lint.engine.named_tools import tool_name_findings  # few checks have skills or manifests

    return tool_name_findings(reports, configuration, is_whole=is_whole)


def _together(reports: Sequence[Report], inspection: Inspection, cache: Cache) -> Together:
    """Return the findings about all tools together, from the cache if possible."""
    key = key_of(reports, inspection.directory)
    known = key and cache.find_together(key)
    if known:
        return known
    found = check_together(reports, inspection.rules)
    if key:
        cache.store_together(key, found)
    return found


def _as_seen_from_here(
    problems: Iterable[Problem], of_requests: Mapping[Request, Report], together: Together, settings: LintSettings
) -> Checked:
    """Return the result of a check, with the findings that the settings select and places as people type them here."""
    reports = [*of_requests.values()]
    read = {file for report in reports for file in report.read}
    imported = {file for report in reports for file in report.imported}
    found = _describe(problems, reports, settings)
    foreign = _files_of_frameworks(together, found, of_requests)
    shown: list[Problem] = []
    left: list[Problem] = []
    for one in found:
        (shown if is_in_profile(one, settings.profile, foreign, settings.selections) else left).append(one)
    here = Path.cwd()
    shown_file = functools.cache(functools.partial(_shown_file, here))
    places = tuple(ToolPlace(name, framework, shown_file(file)) for name, framework, file in together.places)
    unseen = [one.location for one in left if one.location and _is_gap(one)]
    minor = Counter(one.code for one in left if not _is_gap(one))
    files = FileCounts(len(read), len(imported))
    return Checked(shown, files, together.counts, minor, places, unseen=tuple(unseen))


def _is_gap(problem: Problem) -> bool:
    """Whether it says that a call may register more tools of the project than those that are found."""
    return problem.code == NO_TOOLS and problem.severity == "warning"


def _describe(problems: Iterable[Problem], reports: Sequence[Report], settings: LintSettings) -> list[Problem]:
    """Return the findings to report, in order."""
    here = Path.cwd()
    is_wanted = functools.cache(lambda code: code not in all_codes() or settings.wants(code))
    wanted = [problem for problem in problems if is_wanted(problem.code)]
    own = [one for report in reports for one in report.suppressions]
    others = suppressions_elsewhere(wanted, {one.location.file for one in own})
    left, used = silence(dict.fromkeys(seen_from(here, problem) for problem in wanted), [*own, *others])
    if own and is_wanted(UNUSED_SUPPRESSION) and not settings.is_static:
        unread = {problem.location.file for problem in wanted if problem.code == DOES_NOT_IMPORT and problem.location}
        useless = [one for one in own if one not in used and one.location.file not in unread]
        left += [seen_from(here, problem) for problem in _useless(useless, settings)]
    left = [problem for problem in _single(_once_missing(left)) if not settings.ignores(problem)]
    if any(problem.code == REMOVED_MODULE for problem in left):
        from toolkit.lint.rules.removed_module import once_a_requirement  # few projects import such a module

        left = once_a_requirement(left)
    findings = [_with_severity(problem, settings) for problem in left]
    return sorted(findings, key=_order)


def _files_of_frameworks(
    together: Together, problems: Iterable[Problem], of_requests: Mapping[Request, Report]
) -> frozenset[str]:
    """Return the files of other frameworks' tools.

    If a project has no tools of ours, its definitions in JSON count as well, except in a file that the user named.
    So do its skills and manifests if it has Python code, and all of its files if it uses a framework.
    """
    shown_file = functools.partial(_shown_file, Path.cwd())
    found = {*map(shown_file, together.foreign)}
    if not together.is_all_foreign:
        return frozenset(found)
    reports = of_requests.values()
    kinds = {"json", "skill", "manifest"} if any(report.read for report in reports) else {"json"}
    found.update(shown_file(str(one.file)) for one in of_requests if one.kind in kinds)
    if together.foreign or any(report.gaps.frameworks for report in reports):
        found.update(problem.location.file for problem in problems if problem.location)
    return frozenset(found).difference(
        shown_file(str(one.file)) for one in of_requests if one.kind == "json" and one.is_named
    )


def _shown_file(here: Path, file: str) -> str:
    return place_from(here, Location(file)).file


def _with_severity(problem: Problem, settings: LintSettings) -> Problem:
    return replace(problem, severity="error") if settings.requires_tools and problem.code == NO_TOOLS else problem


def _useless(comments: Sequence[Suppression], settings: LintSettings) -> Iterable[Problem]:
    if not comments:
        return ()
    from toolkit.lint.rules.unused_suppression import UnusedSuppression  # needed only for an unused suppression

    return UnusedSuppression().unused(comments, selected_codes(settings.selections), meant_by)


def _once_missing(problems: Collection[Problem]) -> Iterable[Problem]:
    """Return the problems without those of missing descriptions that a framework refuses to take."""
    refused = {one.location for one in problems if one.code == DESCRIPTION_REQUIRED}
    said = {MISSING_DESCRIPTION, MISSING_PARAMETER_DESCRIPTION}
    return (one for one in problems if not (one.code in said and one.location in refused))


def _single(problems: Iterable[Problem]) -> Iterable[Problem]:
    """Return each problem once; of two that only differ in their fix, the one with a fix."""
    found: dict[tuple[object, ...], Problem] = {}
    for problem in problems:
        key = problem.code, problem.location, problem.message
        if key not in found or (problem.fix and not found[key].fix):
            found[key] = problem
    return found.values()


def _order(problem: Problem) -> tuple[bool, str, int, int, str, str]:
    place = problem.location or Location("")
    return problem.code not in BREAKAGES, place.file, place.line or 0, place.column or 0, problem.code, problem.message
