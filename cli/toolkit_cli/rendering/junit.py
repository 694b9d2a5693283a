"""Renders findings as JUnit XML for CI systems: a suite for each file, and a failed case for each error."""

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from toolkit.problems import Problem
from toolkit_cli.rendering.excerpts import path_for_people

# Characters that XML 1.0 cannot contain, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(problems: Sequence[Problem]) -> str:
    """Return an XML document; warnings and notes are passed cases with a message."""
    by_file: dict[str, list[Problem]] = {}
    for problem in problems:
        by_file.setdefault(path_for_people(problem.location.file) if problem.location else "toolkit", []).append(
            problem
        )
    failed = sum(problem.severity == "error" for problem in problems)
    suites = [_suite(file, found) for file, found in by_file.items()] or [_passed()]
    tests = max(len(problems), 1)
    head = f'<testsuites name="toolkit lint" tests="{tests}" failures="{failed}" errors="0">'
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', head, *suites, "</testsuites>"])


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
    hint = f"\nhint: {problem.hint}" if problem.hint else ""
    body = escape(_clean(f"{at}: {problem.severity}: {problem.message}{hint}"))
    head = f"    <testcase name={name} classname={_attribute(file)} file={_attribute(file)}{line}>"
    if problem.severity == "error":
        child = f"      <failure message={_attribute(problem.message)} type={_attribute(problem.code)}>{body}</failure>"
    else:
        child = f"      <system-out>{body}</system-out>"
    return f"{head}\n{child}\n    </testcase>"


def _passed() -> str:
    return (
        '  <testsuite name="toolkit" tests="1" failures="0" errors="0" skipped="0">\n'
        '    <testcase name="No problems" classname="toolkit"/>\n'
        "  </testsuite>"
    )


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
