"""Posts findings as one comment on a pull request, edited in place, and as suggestions on its lines."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from toolkit_cli.pull_requests.finding_reports import Edit, Finding

MARKER = "<!-- toolkit lint: this comment is edited in place -->"
_MOST_ROWS = 100
_MOST_CHARACTERS = 60_000
_SIGNS = {"error": "❌", "warning": "⚠️", "info": "💡"}
_CLEAN = f"{MARKER}\n### toolkit lint\n\nAll checks passed! ✅\n"


def comment_of(findings: Sequence[Finding]) -> str:
    """Return the comment: breakages first, then other findings, up to the size limit."""
    if not findings:
        return _CLEAN
    lines = [MARKER, "### toolkit lint", "", _summary(findings)]
    size = sum(map(len, lines))
    shown = 0
    for is_breakage, group in groupby(findings, key=lambda finding: finding.is_breakage):
        title = "#### Breakages" if is_breakage else "#### Other findings"
        lines += ["", title, "", "| | rule | where | what |", "| --- | --- | --- | --- |"]
        for finding in group:
            row = _row(finding)
            size += len(row)
            if shown == _MOST_ROWS or size > _MOST_CHARACTERS:
                lines += ["", f"… and {len(findings) - shown} more: see the log of the job."]
                return "\n".join(lines) + "\n"
            lines.append(row)
            shown += 1
    return "\n".join(lines) + "\n"


def code_span(text: str) -> str:
    """Return a text as inline code, where it cannot contain mentions, links or HTML."""
    shown = text.replace("`", "'").replace("|", "\\|").strip()
    return f"`{shown}`" if shown else ""


def _row(finding: Finding) -> str:
    where = finding.path + (f":{finding.line}" if finding.path and finding.line else "")
    hint = f"<br>{code_span(finding.hint)}" if finding.hint else ""
    return f"| {_SIGNS[finding.severity]} | {finding.code} | {code_span(where)} | {code_span(finding.message)}{hint} |"


def _summary(findings: Sequence[Finding]) -> str:
    kinds = [finding.severity for finding in findings]
    counts = [(kinds.count(kind), kind) for kind in _SIGNS if kind in kinds]
    words = [f"{count} {kind}{'' if count == 1 or kind == 'info' else 's'}" for count, kind in counts]
    breakages = sum(finding.is_breakage for finding in findings)
    first = f", of which {breakages} {'is a breakage' if breakages == 1 else 'are breakages'}" if breakages else ""
    return f"Found {', '.join(words)}{first}."


SUGGESTION_MARKER = "<!-- toolkit lint: suggestion -->"
MOST_SUGGESTIONS = 20
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_MOST_LINES = 20


class Suggestion(NamedTuple):
    """A comment that suggests a replacement for the lines `first` to `last` of a file."""

    path: str
    first: int
    last: int
    body: str


class ChangedFile(NamedTuple):
    """The lines of a file that are in its patch, by number, and the numbers of added lines."""

    lines: Mapping[int, str]
    added: frozenset[int]


def read_patch(patch: str) -> ChangedFile:
    """Return the lines of the new file in a unified diff."""
    lines: dict[int, str] = {}
    added = set()
    number = 0
    for line in patch.split("\n"):
        if head := _HUNK.match(line):
            number = int(head[1])
        elif line.startswith(("+", " ")):
            lines[number] = line[1:]
            added |= {number} if line.startswith("+") else set()
            number += 1
    return ChangedFile(lines, frozenset(added))


def suggestions_for(findings: Iterable[Finding], files: Mapping[str, ChangedFile]) -> Iterator[Suggestion]:
    """Yield a suggestion for each safe fix that changes only added lines; if two change the same line, the first."""
    taken: set[tuple[str, int]] = set()
    for finding in findings:
        file = files.get(finding.path)
        if not finding.edits or file is None:
            continue
        first = min(edit.span.line for edit in finding.edits)
        last = max(_last_line(edit) for edit in finding.edits)
        lines = range(first, last + 1)
        if len(lines) > _MOST_LINES or not file.added.issuperset(lines) or taken & {(finding.path, n) for n in lines}:
            continue
        text = _edit([file.lines[number] for number in lines], first, finding.edits)
        if text is not None:
            taken |= {(finding.path, number) for number in lines}
            yield Suggestion(finding.path, first, last, _body(finding, text))


def _last_line(edit: Edit) -> int:
    """Return the last line that an edit changes; an edit that ends at column 1 does not change that line."""
    span = edit.span
    return span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line


def _edit(lines: Sequence[str], first: int, edits: Iterable[Edit]) -> str | None:
    """Apply edits to lines; return `None` if an edit is outside these lines."""
    text = "".join(f"{line}\n" for line in lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    after = len(text) + 1
    for span, new in sorted(edits, key=lambda edit: edit.span, reverse=True):
        start = starts[span.line - first] + span.column - 1
        end = starts[span.end_line - first] + span.end_column - 1
        if not start <= end <= min(after, len(text)):
            return None
        text, after = text[:start] + new + text[end:], start
    return text.removesuffix("\n")


def _body(finding: Finding, text: str) -> str:
    ticks = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, ticks + 1)
    block = f"{fence}suggestion\n{text}\n{fence}" if text else f"{fence}suggestion\n{fence}"
    return f"{SUGGESTION_MARKER}\n{finding.code} {code_span(finding.message)}\n\n{block}\n"


_PER_PAGE = 100
_MOST_PAGES = 30
_SECONDS = 30
_LARGEST = 16 * 1024 * 1024


class GitHubError(Exception):
    """A request to GitHub failed; the message has the reason, on one line."""


class Repository(NamedTuple):
    """A repository, accessed with a token.

    Attributes:
        api: The URL of the API, such as `https://api.github.com`.
        name: `OWNER/NAME`.
        token: The access token.
    """

    api: str
    name: str
    token: str

    def get(self, path: str) -> Any:
        """Return the resource at a path below the repository."""
        return self._ask("GET", path)

    def list(self, path: str) -> Iterator[Mapping[str, Any]]:
        """Yield the items of a paginated list."""
        joint = "&" if "?" in path else "?"
        for page in range(1, _MOST_PAGES + 1):
            found = self._ask("GET", f"{path}{joint}per_page={_PER_PAGE}&page={page}")
            yield from (one for one in found if isinstance(one, dict))
            if len(found) < _PER_PAGE:
                return

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """Create or change a resource, and return it."""
        return self._ask(method, path, body)

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        request = Request(  # noqa: S310 - the runner sets the URL
            f"{self.api.rstrip('/')}/repos/{quote(self.name)}/{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "User-Agent": "toolkit-lint",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        try:
            with urlopen(request, timeout=_SECONDS) as response:  # noqa: S310 - as above
                return json.loads(response.read(_LARGEST))
        except HTTPError as error:
            raise GitHubError(_reason(error, method, path)) from error
        except (URLError, OSError, ValueError) as error:
            raise GitHubError(f"GitHub cannot be reached: {getattr(error, 'reason', error)}") from error


def _reason(error: HTTPError, method: str, path: str) -> str:
    what = f"{method} {path.partition('?')[0]}"
    if error.headers.get("X-RateLimit-Remaining") == "0" or error.headers.get("Retry-After"):
        return f"GitHub's rate limit was exceeded ({error.code} at {what}); run the job again later"
    if error.code in {401, 403, 404}:
        return (
            f"the token lacks permission ({error.code} at {what}): the job needs `pull-requests: write`, which a pull "
            "request from a fork does not get; see 'Pull requests from forks' in docs/ci.md"
        )
    return f"GitHub answers with {error.code} at {what}"


_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def post(findings: Sequence[Finding], environment: Mapping[str, str]) -> str:
    """Post the comment and the suggestions, and return a one-line summary.

    Args:
        findings: The findings, most severe first.
        environment: The runner's environment variables: `GITHUB_TOKEN`, `GITHUB_REPOSITORY`, `GITHUB_API_URL` and
            `GITHUB_EVENT_PATH`.

    Raises:
        GitHubError: If there is no pull request, or a request to GitHub fails.
    """
    repository = _repository(environment)
    number, commit = _pull_request(repository, _event(environment))
    done = _comment(repository, number, comment_of(findings))
    count = _suggest(repository, number, commit, findings)
    return f"{done} on pull request #{number}, {count} {'suggestion' if count == 1 else 'suggestions'} added"


def _repository(environment: Mapping[str, str]) -> Repository:
    name, token = environment.get("GITHUB_REPOSITORY", ""), environment.get("GITHUB_TOKEN", "")
    if not _REPOSITORY.fullmatch(name):
        raise GitHubError("GITHUB_REPOSITORY is not set to a repository: this command runs in GitHub Actions")
    if not token:
        raise GitHubError("GITHUB_TOKEN is not set: pass it in the `env` of the step")
    return Repository(environment.get("GITHUB_API_URL") or "https://api.github.com", name, token)


def _event(environment: Mapping[str, str]) -> Mapping[str, Any]:
    try:
        event = json.loads(Path(environment.get("GITHUB_EVENT_PATH", "")).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return event if isinstance(event, dict) else {}


def _pull_request(repository: Repository, event: Mapping[str, Any]) -> tuple[int, str]:
    """Return the number and the newest commit of the pull request for an event.

    A `workflow_run` event does not contain pull requests from forks. For these, it is the open pull request from the
    branch of the run, if its newest commit is still that of the run. Data uploaded by the run is not used for this.
    """
    own = event.get("pull_request")
    if isinstance(own, dict):
        return int(own["number"]), str(own["head"]["sha"])
    run = event.get("workflow_run")
    if not isinstance(run, dict):
        raise GitHubError("this workflow run does not belong to a pull request, so there is nothing to comment on")
    owner = str((run.get("head_repository") or {}).get("owner", {}).get("login", ""))
    head = quote(f"{owner}:{run.get('head_branch')}", safe="")
    for found in repository.list(f"pulls?state=open&head={head}"):
        if found["head"]["sha"] == run.get("head_sha"):
            return int(found["number"]), str(found["head"]["sha"])
    message = f"no open pull request is at commit {str(run.get('head_sha'))[:9]}; it has newer commits or is closed"
    raise GitHubError(message)


def _comment(repository: Repository, number: int, body: str) -> str:
    """Create the comment, or edit the existing one: a bot's comment that starts with the marker."""
    for found in repository.list(f"issues/{number}/comments"):
        is_ours = str(found.get("body", "")).startswith(MARKER)
        if is_ours and (found.get("user") or {}).get("type") == "Bot":
            if str(found["body"]).strip() == body.strip():
                return "comment unchanged"
            repository.send("PATCH", f"issues/comments/{int(found['id'])}", {"body": body})
            return "comment edited"
    repository.send("POST", f"issues/{number}/comments", {"body": body})
    return "comment written"


def _suggest(repository: Repository, number: int, commit: str, findings: Sequence[Finding]) -> int:
    """Add new suggestions as one review, and return their number."""
    if not any(finding.edits for finding in findings):
        return 0
    changed = {
        str(one["filename"]): read_patch(str(one["patch"]))
        for one in repository.list(f"pulls/{number}/files")
        if one.get("patch")
    }
    known = {
        (one.get("path"), str(one.get("body", "")).strip())
        for one in repository.list(f"pulls/{number}/comments")
        if (one.get("user") or {}).get("type") == "Bot"
    }
    new = (one for one in suggestions_for(findings, changed) if (one.path, one.body.strip()) not in known)
    records = [_record(one) for one in islice(new, MOST_SUGGESTIONS)]
    if records:
        review = {"commit_id": commit, "event": "COMMENT", "comments": records}
        repository.send("POST", f"pulls/{number}/reviews", review)
    return len(records)


def _record(one: Suggestion) -> dict[str, Any]:
    place: dict[str, Any] = {"path": one.path, "line": one.last, "side": "RIGHT", "body": one.body}
    return place | ({"start_line": one.first, "start_side": "RIGHT"} if one.first < one.last else {})
