"""Checks all tools together, and counts them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.lint.configuration.selection import files_of_frameworks
from toolkit.lint.engine.file_states import digest, digest_of
from toolkit.lint.engine.reports import Report
from toolkit.lint.rule import Rule
from toolkit.pins.lockfile import LOCK_FILE
from toolkit.problems import Problem, problem_record, read_problem
from toolkit.source_code.known_marks import marks_of

if TYPE_CHECKING:
    from toolkit.lint.definitions.tool_definitions import ToolDefinition


_OF_SERVER = "://"
_EXACT = {"object", "branches", "passed"}


class ToolCounts(NamedTuple):
    """The number of tools, of files with tools, and of servers.

    Attributes:
        frameworks: The number of tools by framework, with `toolkit` for those of this package; empty if there are no
            others.
    """

    tools: int = 0
    files: int = 0
    servers: int = 0
    frameworks: Mapping[str, int] = {}


class ToolPlace(NamedTuple):
    """A tool in a file: its name, the title of its framework, and the file."""

    name: str
    framework: str
    file: str


class Together(NamedTuple):
    """The findings about all tools together.

    Attributes:
        problems: The findings.
        counts: The number of tools.
        places: The tools in files.
        foreign: The files of which all tools belong to other frameworks or APIs, or are lookalikes.
        is_all_foreign: Whether there are no other tools, except definitions in JSON.
    """

    problems: tuple[Problem, ...]
    counts: ToolCounts
    places: tuple[ToolPlace, ...] = ()
    foreign: tuple[str, ...] = ()
    is_all_foreign: bool = False


def check_together(reports: Sequence[Report], rules: Iterable[Rule]) -> Together:
    """Return the findings of rules that check all tools of these reports together.

    Tools of other frameworks that were only found in source are left out: a repository may have those of many servers.
    """
    tools = unique_tools(reports)
    own = [tool for tool in tools if tool.framework is None or not tool.is_written]
    problems = [problem for rule in rules if rule.overrides("check_toolset") for problem in rule.check_toolset(own)]
    places = (ToolPlace(tool.name, _framework_of(tool), tool.location.file) for tool in tools if tool.location)
    every = [tool for report in reports for tool in report.tools]
    return Together(
        tuple(problems),
        _counts_of(tools),
        tuple(places),
        foreign=tuple(sorted(files_of_frameworks(every))),
        is_all_foreign=all(one.is_by_others or one.is_lookalike or one.origin == "json" for one in every),
    )


def unique_tools(reports: Iterable[Report]) -> "list[ToolDefinition]":
    """Return each tool once, even if several targets include it.

    The tools of one target are different ones, also where they share a function and a name, unless they are the same
    object. Across targets, objects can only be compared if the same process has opened both; otherwise, the place and
    the name decide.
    """
    objects: set[tuple[Any, ...]] = set()
    places: dict[tuple[Any, ...], set[str | None]] = {}
    found = []
    for report in reports:
        own = [tool for tool in report.tools if not (tool.identity & objects or _is_known(tool, places))]
        for tool in own:
            if not (_exact_keys(tool) & objects):
                found.append(tool)
            objects |= _exact_keys(tool)
        for tool in own:
            for key in tool.identity - _exact_keys(tool):
                places.setdefault(key, set()).add(_process_of(tool))
    return found


def _exact_keys(tool: "ToolDefinition") -> frozenset[tuple[Any, ...]]:
    return frozenset(key for key in tool.identity if key[0] in _EXACT)


def _process_of(tool: "ToolDefinition") -> str | None:
    """Return the process whose object a tool is; None if it was only read."""
    return next((key[1] for key in tool.identity if key[0] == "object"), None)


def _is_known(tool: "ToolDefinition", places: Mapping[tuple[Any, ...], set[str | None]]) -> bool:
    process = _process_of(tool)
    known = {one for key in tool.identity for one in places.get(key, ())}
    return bool(known if process is None else known - {process})


def key_of(reports: Sequence[Report], directory: Path) -> str | None:
    """Return a digest of the tools in these reports and of the lockfile; None if it is not known."""
    marks = [report.mark for report in reports]
    return digest("\n".join([digest_of(str(directory / LOCK_FILE)), *marks]).encode()) if all(marks) else None


def together_record(found: Together) -> dict[str, Any]:
    """Return the findings about all tools as plain data."""
    return {
        "problems": [problem_record(problem) for problem in found.problems],
        "counts": found.counts,
        "places": found.places,
        "foreign": found.foreign,
        "is_all_foreign": found.is_all_foreign,
    }


def read_together(record: Mapping[str, Any]) -> Together:
    """Return the findings about all tools from their record."""
    places = tuple(ToolPlace(*place) for place in record["places"])
    return Together(
        tuple(map(read_problem, record["problems"])),
        ToolCounts(*record["counts"]),
        places,
        foreign=tuple(record["foreign"]),
        is_all_foreign=record["is_all_foreign"],
    )


def _counts_of(tools: "Sequence[ToolDefinition]") -> ToolCounts:
    places = {tool.location.file for tool in tools if tool.location}
    servers = {place.partition(_OF_SERVER)[2].partition("/")[0] for place in places if _OF_SERVER in place}
    return ToolCounts(len(tools), sum(_OF_SERVER not in place for place in places), len(servers), _by_framework(tools))


def _by_framework(tools: "Sequence[ToolDefinition]") -> Mapping[str, int]:
    if all(tool.framework is None for tool in tools):
        return {}
    counts: dict[str, int] = {}
    for tool in tools:
        title = _framework_of(tool)
        counts[title] = counts.get(title, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _framework_of(tool: "ToolDefinition") -> str:
    marks = None if tool.framework is None else marks_of(tool.framework)
    return marks.title if marks else "toolkit"
