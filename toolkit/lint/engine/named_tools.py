"""Compares the tools that skills and manifests name with the tools that the sources have."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from toolkit.builtin.catalog import ready_tools
from toolkit.codes import UNKNOWN_TOOL_IN_MANIFEST, UNKNOWN_TOOL_IN_SKILL
from toolkit.documents.document_reader import read_text
from toolkit.lint.clues.skill_texts import Mention, mentions_in
from toolkit.lint.definitions.manifests import Manifest, parse_manifest
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.engine.file_checks import source_of
from toolkit.lint.engine.reports import Report
from toolkit.lint.engine.requests import Request
from toolkit.lint.engine.toolsets import unique_tools
from toolkit.pins.lockfile import LOCK_FILE, read_lock
from toolkit.problems import Problem, did_you_mean, errors_among, first_names, nearest
from toolkit.settings.configuration import Configuration
from toolkit.skills.skill_files import parse_skill, read_skill

OF_CLIENTS = frozenset(
    {"Agent", "AskQuestion", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob",
     "Grep", "KillShell", "LS", "LSP", "ListMcpResources", "ListMcpResourcesTool", "Monitor", "MultiEdit",
     "NotebookEdit", "NotebookRead", "PowerShell", "Read", "ReadMcpResource", "ReadMcpResourceTool", "SendMessage",
     "Skill", "SlashCommand", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate",
     "TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"}
)  # fmt: skip
"""The tools of Claude Code (https://code.claude.com/docs/en/tools-reference, checked 2026-11-26), former ones, and
those of Cursor that resemble them."""
_REMOVED: Mapping[str, str] = {"TeamCreate": "2.1.178", "TeamDelete": "2.1.178"}
"""Tools that Claude Code no longer has, since this version (https://code.claude.com/docs/en/agent-teams, checked
2026-11-29)."""
_ALIKE = 0.8
_SOMEWHAT_ALIKE = 0.6
_VERY_ALIKE = 0.87
"""How similar a misspelt name is to that of a client's tool; tools of other clients are less similar."""


_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"""(?=(["'])([^"'\n]{1,128})\1)""")
_DEFINED = re.compile(r"\bdef (\w+)|^(\w+) *=(?!=)", re.MULTILINE)
_IMPORTED = re.compile(r"^[ \t]*(?:from +[\w.]+ +)?import\b([^\n(]*(?:\([^)]*)?)", re.MULTILINE)


def tool_name_findings(
    reports: Mapping[Request, Report], configuration: Configuration, *, is_whole: bool
) -> Iterator[Problem]:
    """Yield a warning for each tool that a skill or a manifest names and that no source has.

    A skill may name tools of other servers. So a name counts if it is similar to one of our tools, or was one according
    to the lockfile, or if the skill calls it a tool and also names one of our tools.

    Args:
        reports: The report of each request.
        configuration: The settings of the project.
        is_whole: Whether all tools of the sources are known.
    """
    tools = unique_tools(reports.values())
    names = {tool.name for tool in tools}
    broken = [one for one, report in reports.items() if one.is_opened and errors_among(report.problems)]
    is_whole = is_whole and not broken
    former = _locked(configuration.directory / LOCK_FILE)
    found: list[tuple[Problem, str]] = []
    for request in reports:
        file = str(request.file)
        if request.kind == "skill":
            skill = read_skill(Path(file)) if request.text is None else parse_skill(request.text, file)
            found += _of_skill(list(mentions_in(skill)), names, former, is_whole=is_whole)
        elif request.kind == "manifest":
            text = read_text(Path(file), file) if request.text is None else request.text
            manifest = parse_manifest(text, file, "bundle")[0] if isinstance(text, str) else None
            found += _of_bundle(manifest, tools) if manifest and manifest.is_python_bundle and is_whole else ()
    written = _in_code({name for _, name in found}.difference(former), reports.values())
    yield from (problem for problem, name in found if name not in written)


def _of_bundle(manifest: Manifest, tools: Sequence[ToolDefinition]) -> Iterator[tuple[Problem, str]]:
    """Yield a problem for each tool that only the manifest of a bundle or only its project has, and a name."""
    listed = manifest.data.get("tools")
    if not isinstance(listed, list) or manifest.data.get("tools_generated") or not (listed and tools):
        return
    names = {tool.name for tool in tools}
    declared = [str(one.get("name")) if isinstance(one, dict) else "" for one in listed]
    for index, name in enumerate(declared):
        if name and name not in names:
            message = f"the manifest lists the tool {name!r}, which no source has"
            hint = did_you_mean(name, names, otherwise="remove it, or add its source")
            place = manifest.place("tools", index, "name")
            yield Problem(UNKNOWN_TOOL_IN_MANIFEST, message, place, "warning", hint), name
    folder = str(manifest.project.folder or Path(manifest.file).parent) + os.sep
    if not names.issuperset(declared):
        return
    built = [
        tool.name for tool in tools if not tool.is_written and tool.location and tool.location.file.startswith(folder)
    ]
    missing = {*built} - {*declared}
    if missing:
        message = f"the manifest does not list these tools of the project: {first_names(missing)}"
        hint = "list them, or set 'tools_generated'"
        yield Problem(UNKNOWN_TOOL_IN_MANIFEST, message, manifest.place("tools", is_key=True), "info", hint), "\0"


def _of_skill(
    mentions: Sequence[Mention], tools: Collection[str], former: Collection[str], *, is_whole: bool
) -> Iterator[tuple[Problem, str]]:
    """Yield a problem for each unknown tool that a skill mentions, at its first mention, and its name."""
    own = {_plain(name) for tool in tools for name in (tool, tool.rpartition(".")[2])}
    servers = {one.server for one in mentions if _plain(one.name) in own}
    known = own | {_plain(name) for name in (*OF_CLIENTS, *ready_tools())}
    unknown: dict[str, list[Mention]] = {}
    for one in mentions:
        if not (_plain(one.name) in known or one.name.isupper()):
            unknown.setdefault(one.name, []).append(one)
    for name, same in unknown.items():
        found = _fault_of(same, tools, servers if is_whole else (), is_former=name in former)
        if found is not None:
            message, hint = found
            yield Problem(UNKNOWN_TOOL_IN_SKILL, message, same[0].location, "warning", hint), name


def _fault_of(
    same: Sequence[Mention], tools: Collection[str], servers: Collection[str | None], *, is_former: bool
) -> tuple[str, str] | None:
    """Return what is wrong with a name that no known tool has, and how to fix it; `None` if another server may have it.

    Args:
        same: The mentions of the name.
        tools: The tools of the project.
        servers: The servers all of whose tools are known.
        is_former: Whether a tool of the project had the name.
    """
    name = same[0].name
    is_of_client = any(one.is_tool and one.server is None for one in same)
    if is_of_client and name in _REMOVED:
        hint = "remove it: a session has one team, and 'Agent' starts its members"
        return f"Claude Code has no tool {name!r} since version {_REMOVED[name]}", hint
    near = nearest(name, tools, cutoff=_SOMEWHAT_ALIKE if is_former else _ALIKE)
    if is_of_client and not near:
        near = nearest(name, OF_CLIENTS, cutoff=_VERY_ALIKE)
    is_of_server = "_" in name and any(one.is_tool and one.server in servers for one in same)
    if not (near or is_former or is_of_server):
        return None
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "remove it, or add its source"
    hint = f"'{LOCK_FILE}' has it, so it was renamed or removed; {hint}" if is_former else hint
    return f"the skill names the tool {name!r}, which no source has", hint


def _in_code(names: Collection[str], reports: Iterable[Report]) -> set[str]:
    """Return those of some names that Python has as a text, function, variable or import, so that they may be tools.

    Each file is read and searched once, however many names there are.
    """
    found, left = set[str](), set(names)
    files = dict.fromkeys(file for report in reports for file in report.read)
    for file in files if left else ():
        source = source_of(file)
        if isinstance(source, str):
            here = left.intersection(_words_of_code(source))
            found |= here
            left -= here
    return found


def _words_of_code(source: str) -> Iterator[str]:
    """Yield the texts of one line, and the names of functions, variables of the top level and imports."""
    yield from (text for _, text in _QUOTED.findall(source))
    yield from (name for found in _DEFINED.findall(source) for name in found)
    yield from (name for found in _IMPORTED.findall(source) for name in _WORD.findall(found))


def _plain(name: str) -> str:
    return name.replace("-", "_").casefold()


def _locked(file: Path) -> Collection[str]:
    entries = read_lock(file) if file.exists() else {}
    return set() if isinstance(entries, Problem) else {name.rpartition(".")[2] for name in entries}
