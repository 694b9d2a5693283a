"""Findings in the formats of other programs: GitLab Code Quality, JUnit XML, Markdown and SARIF 2.1.0."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

from toolkit.lint.changes.baselines import fingerprints
from toolkit.lint.rule import BREAKAGES, RulePage
from toolkit.problems import Fix, Location, Problem, Severity
from toolkit.releases import __version__
from toolkit.visibility import visible_json
from toolkit_cli.rendering.excerpts import path_for_people, shown_path
from toolkit_cli.rendering.problem_texts import summary_of
from toolkit_cli.rendering.styles import one_line


class ToolCase(NamedTuple):
    """One test case of a report: a tool that was called, or a case of a case file.

    Attributes:
        name: The name of the tool or of the case.
        source: Where it comes from.
        skipped: Why it was not called; empty if it was.
        problems: How it has failed.
        properties: More about it, by name.
    """

    name: str
    source: str
    skipped: str = ""
    problems: tuple[Problem, ...] = ()
    properties: Mapping[str, str] = {}


Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""The titles of the columns of a table, and its rows."""


_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}


def as_gitlab(problems: Sequence[Problem]) -> str:
    """Return a JSON array; findings without a file are located at line 1 of the folder."""
    marks = fingerprints(problems)
    return visible_json([_issue(problem, mark) for problem, mark in zip(problems, marks, strict=True)], indent=2)


def _issue(problem: Problem, mark: str) -> dict[str, Any]:
    place = problem.location
    hint = f" ({problem.hint})" if problem.hint else ""
    return {
        "description": f"{problem.message}{hint}",
        "check_name": problem.code or "toolkit",
        "fingerprint": mark,
        "severity": "critical" if problem.code in BREAKAGES else _SEVERITIES[problem.severity],
        "location": {
            "path": _path_in_repository(place.file) if place else ".",
            "lines": {"begin": (place and place.line) or 1},
        },
    }


def _path_in_repository(file: str) -> str:
    """Return a path relative to the repository, as GitLab expects it; its jobs name the folder in `CI_PROJECT_DIR`."""
    root = os.environ.get("CI_PROJECT_DIR")
    return str(Path(file).relative_to(root)) if root and Path(file).is_relative_to(root) else path_for_people(file)


# Characters that XML 1.0 cannot contain, not even escaped.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# `xml.sax.saxutils` does the same, but imports clients for HTTP and email first.
_IN_XML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_IN_XML_ATTRIBUTE = {**_IN_XML, **str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})}


def as_junit(
    problems: Sequence[Problem], *, command: str = "lint", suites: Mapping[str, Sequence[ToolCase]] = {}
) -> str:
    """Return an XML document; warnings and notes are passed cases with a message.

    Args:
        problems: The problems.
        command: The command that found them.
        suites: The test cases besides those of the problems, by the name of their suite.
    """
    by_file: dict[str, list[Problem]] = {}
    for problem in problems:
        by_file.setdefault(path_for_people(problem.location.file) if problem.location else "toolkit", []).append(
            problem
        )
    written = [_suite(file, found) for file, found in by_file.items()]
    written += [_tool_suite(found, name) for name, found in suites.items() if found]
    cases = [case for found in suites.values() for case in found]
    failed = sum(problem.severity == "error" for problem in problems) + _failed(cases)
    tests = max(len(problems) + len(cases), 1)
    head = f'<testsuites name="toolkit {command}" tests="{tests}" failures="{failed}" errors="0">'
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', head, *(written or [_passed()]), "</testsuites>"])


def _failed(cases: Sequence[ToolCase]) -> int:
    return sum(bool(case.problems) for case in cases)


def _tool_suite(cases: Sequence[ToolCase], name: str) -> str:
    skipped = sum(bool(case.skipped) for case in cases)
    counts = f'tests="{len(cases)}" failures="{_failed(cases)}" errors="0" skipped="{skipped}"'
    return "\n".join([f"  <testsuite name={_attribute(name)} {counts}>", *map(_tool_case, cases), "  </testsuite>"])


def _tool_case(case: ToolCase) -> str:
    head = f"    <testcase name={_attribute(case.name)} classname={_attribute(case.source)}"
    pairs = (f"<property name={_attribute(name)} value={_attribute(one)}/>" for name, one in case.properties.items())
    inside = [f"<properties>{''.join(pairs)}</properties>"] if case.properties else []
    inside += [f"<skipped message={_attribute(case.skipped)}/>"] if case.skipped else map(_failure, case.problems)
    return f"{head}>{''.join(inside)}</testcase>" if inside else f"{head}/>"


def _failure(problem: Problem, at: Location | str | None = None) -> str:
    hint = f"\nhint: {problem.hint}" if problem.hint else ""
    body = _clean(f"{at or problem.location}: {problem.severity}: {problem.message}{hint}").translate(_IN_XML)
    return f"<failure message={_attribute(problem.message)} type={_attribute(problem.code)}>{body}</failure>"


def _suite(file: str, problems: Sequence[Problem]) -> str:
    failed = sum(problem.severity == "error" for problem in problems)
    counts = f'tests="{len(problems)}" failures="{failed}" errors="0" skipped="0"'
    cases = [_case(file, problem) for problem in problems]
    return "\n".join([f"  <testsuite name={_attribute(file)} {counts}>", *cases, "  </testsuite>"])


def _case(file: str, problem: Problem) -> str:
    place = problem.location
    at = place._replace(file=file) if place else file
    name = _attribute(f"{problem.code or 'toolkit'} {at}")
    line = f' line="{place.line}"' if place and place.line is not None else ""
    head = f"    <testcase name={name} classname={_attribute(file)} file={_attribute(file)}{line}>"
    if problem.severity == "error":
        child = f"      {_failure(problem, at)}"
    else:
        hint = f"\nhint: {problem.hint}" if problem.hint else ""
        body = _clean(f"{at}: {problem.severity}: {problem.message}{hint}").translate(_IN_XML)
        child = f"      <system-out>{body}</system-out>"
    return f"{head}\n{child}\n    </testcase>"


def _passed() -> str:
    return (
        '  <testsuite name="toolkit" tests="1" failures="0" errors="0" skipped="0">\n'
        '    <testcase name="No problems" classname="toolkit"/>\n'
        "  </testsuite>"
    )


def _attribute(text: str) -> str:
    return f'"{_clean(text).translate(_IN_XML_ATTRIBUTE)}"'


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


_SIGNS: dict[Severity, str] = {"error": "❌", "warning": "⚠️", "info": "💡"}
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#!~])")


def as_markdown(problems: Sequence[Problem], *, command: str = "lint", tables: Sequence[Table] = ()) -> str:
    """Return a heading, a summary, a table of the findings of a command, and more tables."""
    parts = [f"### toolkit {command}", summary_of(problems) if problems else "All checks passed! ✅"]
    if problems:
        parts.append(_table(("", "rule", "where", "what"), map(_row, problems)))
    for header, rows in tables:
        cells = (f"| {' | '.join(map(_escape, row))} |" for row in rows)
        parts.append(_table([title.lower() for title in header], cells))
    return "\n\n".join(parts)


def _table(header: Sequence[str], rows: Iterable[str]) -> str:
    titles = "".join(f"| {title} " if title else "| " for title in header)
    return "\n".join([f"{titles}|", f"|{' --- |' * len(header)}", *rows])


def _row(problem: Problem) -> str:
    place = problem.location
    at = [path_for_people(place.file), *(str(part) for part in (place.line, place.column) if part)] if place else []
    where = f"`{':'.join(at).replace('`', '').replace('|', chr(92) + '|')}`" if at else ""
    hint = f"<br>{_escape(problem.hint)}" if problem.hint else ""
    return f"| {_SIGNS[problem.severity]} | {problem.code} | {where} | {_escape(problem.message)}{hint} |"


def _escape(text: str) -> str:
    """Return a text on one line, with Markdown and HTML escaped."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).replace("&", "&amp;")


_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_FINGERPRINT = "toolkit/v1"


def as_sarif(problems: Sequence[Problem], rules: Mapping[str, RulePage]) -> str:
    """Return the findings as a SARIF log with one run.

    Args:
        problems: The findings.
        rules: The rules by code; those with findings are described in the log.
    """
    used = sorted({problem.code for problem in problems} & set(rules))
    positions = {code: position for position, code in enumerate(used)}
    marks = fingerprints(problems)
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "toolkit",
                        "version": __version__,
                        "rules": [_rule(rules[code]) for code in used],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder in which lint was run."}}},
                "results": [_result(problem, positions, mark) for problem, mark in zip(problems, marks, strict=True)],
            }
        ],
    }
    return visible_json(log, indent=2)


def _rule(rule: RulePage) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.replace(".", "-").split("-")),
        "shortDescription": {"text": rule.summary},
        "help": {"text": rule.documentation, "markdown": rule.documentation},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]} | ({} if rule.default else {"enabled": False}),
        "properties": {"tags": [rule.name]},
    }


def _result(problem: Problem, positions: Mapping[str, int], mark: str) -> dict[str, Any]:
    hint = f"\n{problem.hint}" if problem.hint else ""
    result: dict[str, Any] = {
        "ruleId": problem.code or "toolkit",
        "level": _LEVELS[problem.severity],
        "message": {"text": f"{problem.message}{hint}"},
        "partialFingerprints": {_FINGERPRINT: mark},
    }
    if problem.code in BREAKAGES:
        result["properties"] = {"tags": ["breakage"]}
    if problem.code in positions:
        result["ruleIndex"] = positions[problem.code]
    if problem.location is not None:
        result["locations"] = [{"physicalLocation": _physical(problem.location)}]
    if problem.related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(place), "message": {"text": what}}
            for number, (place, what) in enumerate(problem.related, start=1)
        ]
    if problem.fix is not None:
        result["fixes"] = [_fix(problem.fix)]
    return result


def _physical(location: Location) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(location.file)}
    if location.line is not None:
        place["region"] = _region(location)
    return place


def _artifact(file: str) -> dict[str, Any]:
    path = PurePath(shown_path(file))
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": "SRCROOT"}


def _region(location: Location) -> dict[str, Any]:
    parts = {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }
    return {key: part for key, part in parts.items() if part is not None}


def _fix(fix: Fix) -> dict[str, Any]:
    files = dict.fromkeys(edit.location.file for edit in fix.edits)
    return {
        "description": {"text": fix.message},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(file),
                "replacements": [
                    {"deletedRegion": _region(edit.location), "insertedContent": {"text": edit.text}}
                    for edit in fix.edits
                    if edit.location.file == file
                ],
            }
            for file in files
        ],
    }
