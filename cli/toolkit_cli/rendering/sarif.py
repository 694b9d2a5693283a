"""Renders findings as SARIF 2.1.0 for code scanning, with stable rule ids, relative paths, fingerprints and fixes."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from toolkit.lint.baselines import fingerprints
from toolkit.lint.breakages import is_breakage
from toolkit.lint.rule import RulePage
from toolkit.problems import Fix, Location, Problem, Severity
from toolkit.releases import __version__
from toolkit.visibility import visible_json
from toolkit_cli.rendering.excerpts import shown_path

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
    if is_breakage(problem):
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
