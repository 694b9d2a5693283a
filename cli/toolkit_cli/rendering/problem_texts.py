"""Renders problems as text with source excerpts, as JSON, and as GitHub annotations."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolkit.problems import Location, Problem, Severity, problem_record
from toolkit.visibility import visible_json
from toolkit_cli import console
from toolkit_cli.rendering.excerpts import excerpt_of, path_for_people, shown_path
from toolkit_cli.rendering.styles import Fragment, Line, Style, lines_of, one_line, paint

if TYPE_CHECKING:
    from toolkit.lint.engine.toolsets import ToolCounts
    from toolkit.sources.import_permissions import FileCounts


_STYLES: dict[Severity, Style] = {"error": "danger", "warning": "warn", "info": "hint"}
_WORDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}
_GITHUB_SHOWS = 10
_MOST_SHOWN = 100


def as_text(
    problems: Sequence[Problem], *, colour: bool = False, width: int = 80, most_warnings: int = _MOST_SHOWN
) -> str:
    """Return the problems with source excerpts, without a newline at the end."""
    few, rest = few_of(problems, most_warnings)
    drawn = ([paint(line, colour=colour) for line in _draw(without_secrets(problem), width)] for problem in few)
    return "\n\n".join(["\n".join(lines) for lines in drawn] + rest)


def few_of(problems: Sequence[Problem], most_warnings: int = _MOST_SHOWN) -> tuple[list[Problem], list[str]]:
    """Return at most a hundred problems per file and code, or fewer warnings, and a line for each remainder."""
    counts: Counter[tuple[str, str]] = Counter()
    left: Counter[tuple[str, str]] = Counter()
    few = []
    for problem in problems:
        kind = (problem.location.file if problem.location else "", problem.code)
        counts[kind] += 1
        if counts[kind] <= (_MOST_SHOWN if problem.severity == "error" else most_warnings):
            few.append(problem)
        else:
            left[kind] += 1
    return few, [_rest_in_words(file, code, count) for (file, code), count in left.items()]


def _rest_in_words(file: str, code: str, count: int) -> str:
    where = f" in {path_for_people(file)}" if file else ""
    return f"and {count:,} more{f' [{code}]' if code else ''}{where}"


def summary_of(problems: Sequence[Problem]) -> str:
    """Return a one-line summary, such as `Found 3 errors and 1 warning in 2 files.`."""
    if not problems:
        return "Found no problems."
    counts = Counter(problem.severity for problem in problems)
    files = len({problem.location.file for problem in problems if problem.location})
    where = f" in {counted(files, 'file')}" if files else ""
    *most, last = [counted(counts[kind], word) for kind, word in _WORDS.items() if counts[kind]]
    return f"Found {', '.join(most)} and {last}{where}." if most else f"Found {last}{where}."


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 file` and `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def as_records(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return the problems as plain data without fixes and profiles; every key is always present."""
    records = [problem_record(without_secrets(with_shown_paths(problem))) for problem in problems]
    return [{key: value for key, value in record.items() if key not in {"fix", "is_minor"}} for record in records]


def without_secrets(problem: Problem) -> Problem:
    """Return a problem whose texts have no secrets, before they are escaped and laid out."""
    redact = console.redactor().data
    fix = problem.fix
    edits = tuple(edit._replace(text=redact(edit.text)) for edit in fix.edits) if fix else ()
    return replace(
        problem,
        message=redact(problem.message),
        hint=redact(problem.hint),
        related=tuple((place, redact(what)) for place, what in problem.related),
        fix=fix and fix._replace(message=redact(fix.message), edits=edits),
    )


def with_shown_paths(problem: Problem) -> Problem:
    """Return a problem with the paths of its files relative to the working directory."""
    fix = problem.fix
    edits = tuple(edit._replace(location=_show(edit.location)) for edit in fix.edits) if fix else ()
    return replace(
        problem,
        location=problem.location and _show(problem.location),
        related=tuple((_show(place), what) for place, what in problem.related),
        fix=fix and fix._replace(edits=edits),
    )


def _show(place: Location) -> Location:
    return place._replace(file=shown_path(place.file))


def as_json(problems: Sequence[Problem]) -> str:
    """Return the problems as a JSON array, without a newline at the end."""
    return visible_json(as_records(problems), indent=2)


def as_json_object(problems: Sequence[Problem], exit_code: int, files: "FileCounts | None" = None) -> str:
    """Return the outcome of a command as a JSON object on one line, with the numbers of read and imported files."""
    message = problems[0].message if len(problems) == 1 else summary_of(problems).rstrip(".") if problems else ""
    record = {"exit_code": int(exit_code), "message": message, "problems": as_records(problems)}
    return visible_json(record if files is None else record | {"files": files._asdict()})


def counted_findings(findings: Sequence[Problem]) -> str:
    """Return how many findings there are, and the command that shows them: `2 findings: toolkit lint steps.yaml`."""
    from shlex import join  # few commands have findings to count

    files = dict.fromkeys(path_for_people(finding.location.file) for finding in findings if finding.location)
    return f"{counted(len(findings), 'finding')}: toolkit lint {join(files)}"


def counted_files(files: "FileCounts") -> str:
    """Return how many Python files were read, and how many of these were run, since importing a module runs it."""
    if files.read == files.imported:
        return f"{counted(files.read, 'Python file')} run"
    return f"{counted(files.read, 'Python file')} read, {files.imported} run"


def counted_tools(tools: "ToolCounts") -> str:
    """Return how many tools were checked, such as `5 tools in 3 files, 2 servers: 4 FastMCP, 1 toolkit`."""
    places = [counted(tools.files, "file")] if tools.files else []
    places += [counted(tools.servers, "server")] if tools.servers else []
    kinds = ", ".join(f"{count} {title}" for title, count in tools.frameworks.items())
    found = counted(tools.tools, "tool") if tools.tools else "no tools"
    return f"{found}{' in ' if places else ''}{', '.join(places)}{': ' if kinds else ''}{kinds}"


def as_github(problems: Sequence[Problem], command: str = "lint", *, notes: Sequence[str] = ()) -> str:
    """Return GitHub annotations, errors first, up to GitHub's limit per severity, a note about the rest, and others."""
    lines: list[str] = []
    for severity in _STYLES:
        of_kind = [problem for problem in problems if problem.severity == severity]
        lines += [_annotation(problem) for problem in of_kind[:_GITHUB_SHOWS]]
    left_out = len(problems) - len(lines)
    if left_out:
        lines.append(f"::notice title=toolkit::{left_out} more not shown; `toolkit {command}` shows all")
    lines += [f"::notice title=toolkit::{_escape(note)}" for note in notes[:_GITHUB_SHOWS]]
    return "\n".join(lines)


def _draw(problem: Problem, width: int) -> list[Line]:
    style = _STYLES[problem.severity]
    code = f"[{problem.code}]" if problem.code else ""
    first, *others = lines_of(problem.message)
    lines: list[Line] = [[(style, f"{problem.severity}{code}"), ("strong", f": {first}")]]
    lines += [[("plain", line)] for line in others]
    gutter = max((len(str(place.line or 0)) for place in _places(problem)), default=1)
    if problem.location:
        lines += _drawn_place(problem.location, "-->", (style, ""), gutter, width)
    for place, what in problem.related:
        if problem.location and place == Location(problem.location.file):
            lines.append([("frame", " " * gutter + " ="), ("plain", f" {one_line(what)}")])
        else:
            lines += _drawn_place(place, ":::", ("frame", one_line(what)), gutter, width)
    if problem.hint:
        head, *tail = lines_of(problem.hint)
        lines += [[("hint", "hint"), ("strong", ":"), ("plain", f" {head}")]]
        lines += [[("plain", f"      {line}")] for line in tail]
    return lines


def _drawn_place(place: Location, arrow: str, note: Fragment, gutter: int, width: int) -> list[Line]:
    """Return a location, and its source line with the location underlined and a note."""
    style, what = note
    at = place._replace(file=path_for_people(place.file))
    excerpt = excerpt_of(place, width - gutter - 3)
    blank = " " * gutter
    if excerpt is None:
        return [[("frame", blank + arrow), ("plain", f" {at} ({what})" if what else f" {at}")]]
    mark = " ".join(filter(None, ["^" * excerpt.underlined, what]))
    return [
        [("frame", blank + arrow), ("plain", f" {at}")],
        [("frame", f"{blank} |")],
        [("frame", f"{place.line:>{gutter}} |"), ("plain", f" {excerpt.text}".rstrip())],
        [("frame", f"{blank} |"), ("plain", " " * (excerpt.before + 1)), (style, mark)],
        [("frame", f"{blank} |")],
    ]


def _places(problem: Problem) -> list[Location]:
    own = [problem.location] if problem.location else []
    return [*own, *(place for place, _ in problem.related)]


def _annotation(problem: Problem) -> str:
    place = problem.location
    properties = {
        "file": shown_path(place.file) if place else None,
        "line": place.line if place else None,
        "endLine": place.end_line if place else None,
        "col": place.column if place else None,
        "title": f"toolkit {problem.code}".rstrip(),
    }
    known = ((key, str(value)) for key, value in properties.items() if value is not None)
    pairs = ",".join(f"{key}={_escape(value, in_property=True)}" for key, value in known)
    message = "\n".join(lines_of(f"{problem.message}\nhint: {problem.hint}" if problem.hint else problem.message))
    return f"::{_GITHUB_COMMANDS[problem.severity]} {pairs}::{_escape(message)}"


def _escape(text: str, *, in_property: bool = False) -> str:
    """Escape text for GitHub's workflow commands: https://github.com/actions/toolkit, `command.ts`."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
