"""Comments on pull requests, against a server on this machine that answers as GitHub's REST API does."""

import json
import os
import subprocess
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.http_servers import Answer, Asked, http_server

SHA = "a" * 40
PATCH = "@@ -1,3 +1,4 @@\n import os\n+def old():\n+    return 1\n x = 2"
EDIT = {"location": {"file": "tools.py", "line": 2, "column": 5, "end_line": 2, "end_column": 8}, "text": "new"}


class GitHub:
    """What the server holds, and what it was asked to change."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.review_comments: list[dict[str, Any]] = []
        self.pulls = [{"number": 7, "head": {"sha": SHA}}]
        self.files = [{"filename": "tools.py", "patch": PATCH}]
        self.reviews: list[dict[str, Any]] = []
        self.refusal: tuple[int, dict[str, str]] | None = None
        self.asked: list[str] = []

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> Any:
        match method, path.removeprefix("/repos/me/it/").split("/"):
            case "GET", ["issues", "7", "comments"]:
                return self._page(self.comments, query)
            case "POST", ["issues", "7", "comments"]:
                self.comments.append({"id": 1000 + len(self.comments), "user": {"type": "Bot"}, **body})
                return self.comments[-1]
            case "PATCH", ["issues", "comments", number]:
                [found] = [one for one in self.comments if one["id"] == int(number)]
                found.update(body)
                return found
            case "GET", ["pulls", "7", "files"]:
                return self._page(self.files, query)
            case "GET", ["pulls", "7", "comments"]:
                return self._page(self.review_comments, query)
            case "POST", ["pulls", "7", "reviews"]:
                self.reviews.append(body)
                self.review_comments += [{"user": {"type": "Bot"}, **one} for one in body["comments"]]
                return {"id": 1}
            case "GET", ["pulls"]:
                return self._page(self.pulls if query["head"] == ["fork:topic"] else [], query)
        raise AssertionError((method, path))

    def _page(self, every: list[dict[str, Any]], query: dict[str, list[str]]) -> list[dict[str, Any]]:
        size, page = int(query["per_page"][0]), int(query["page"][0])
        return every[(page - 1) * size : page * size]


@pytest.fixture
def github():
    """A server of the API on this machine; `url` is its address."""
    held = GitHub()

    def answer(asked: Asked) -> Answer:
        url = urlsplit(asked.path)
        held.asked.append(f"{asked.method} {url.path}")
        assert asked.headers["authorization"] == "Bearer secret"
        if held.refusal:
            return *held.refusal, b"{}"
        body = json.loads(asked.body) if asked.body else None
        return 200, {}, json.dumps(held.answer(asked.method, url.path, parse_qs(url.query), body)).encode()

    with http_server(answer) as url:
        held.url = url  # type: ignore[attr-defined]
        yield held


def finding(code="TK201", severity="error", message="there is no description", line=2, edits=(), **more):
    fix = {"message": "Fix it", "is_safe": True, "edits": list(edits)} if edits else None
    place = {"file": "tools.py", "line": line, "column": 5, "end_line": line, "end_column": 8}
    return {"code": code, "severity": severity, "message": message, "location": place, "hint": None, "fix": fix, **more}


@pytest.fixture
def comment(tmp_path, github):
    """Run the command on some findings, with an event, and return what it printed."""

    def run(findings, event=None, **variables):
        event = {"pull_request": {"number": 7, "head": {"sha": SHA}}} if event is None else event
        (tmp_path / "event.json").write_text(json.dumps(event))
        report = tmp_path / "findings.json"
        report.write_text(findings if isinstance(findings, str) else json.dumps(findings))
        runner = {
            "GITHUB_TOKEN": "secret",
            "GITHUB_REPOSITORY": "me/it",
            "GITHUB_API_URL": github.url,
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        }
        done = subprocess.run(
            [sys.executable, "-m", "toolkit_cli.pull_requests", str(report)],
            env=os.environ | runner | variables,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


def test_comment_is_written_with_breakages_first(comment, github):
    findings = [
        finding("TK202", "warning", "the description is short", line=9),
        finding("TK514", "error", "tool 'f': parameter 'a' was removed (breaking)", hint="compared with main"),
    ]
    assert comment(findings) == "comment written on pull request #7, 0 suggestions added\n"
    [written] = github.comments
    assert written["body"].splitlines() == [
        "<!-- toolkit lint: this comment is edited in place -->",
        "### toolkit lint",
        "",
        "Found 1 error, 1 warning, of which 1 is a breakage.",
        "",
        "#### Breakages",
        "",
        "| | rule | where | what |",
        "| --- | --- | --- | --- |",
        "| ❌ | TK514 | `tools.py:2` | `tool 'f': parameter 'a' was removed (breaking)`<br>`compared with main` |",
        "",
        "#### Other findings",
        "",
        "| | rule | where | what |",
        "| --- | --- | --- | --- |",
        "| ⚠️ | TK202 | `tools.py:9` | `the description is short` |",
    ]


@pytest.mark.proof
def test_the_same_comment_is_edited_in_place_on_any_page(comment, github):
    github.comments = [{"id": number, "user": {"type": "User"}, "body": "hello"} for number in range(150)]
    comment([finding()])
    assert comment([]) == "comment edited on pull request #7, 0 suggestions added\n"
    assert comment([]) == "comment unchanged on pull request #7, 0 suggestions added\n"
    assert len(github.comments) == 151
    assert "All checks passed!" in github.comments[150]["body"]


@pytest.mark.proof
def test_comment_of_a_person_with_the_marker_is_left_alone(comment, github):
    forged = "<!-- toolkit lint: this comment is edited in place -->\nhello"
    github.comments = [{"id": 1, "user": {"type": "User"}, "body": forged}]
    comment([finding()])
    assert [one["body"] == forged for one in github.comments] == [True, False]


def test_safe_fix_of_a_new_line_is_suggested_once(comment, github):
    fixed = [finding("TK205", message="it is called `old`", edits=[EDIT])]
    assert comment(fixed) == "comment written on pull request #7, 1 suggestion added\n"
    assert comment(fixed) == "comment unchanged on pull request #7, 0 suggestions added\n"
    [review] = github.reviews
    assert review == {
        "commit_id": SHA,
        "event": "COMMENT",
        "comments": [
            {
                "path": "tools.py",
                "line": 2,
                "side": "RIGHT",
                "body": "<!-- toolkit lint: suggestion -->\nTK205 `it is called 'old'`\n\n"
                "```suggestion\ndef new():\n```\n",
            }
        ],
    }


@pytest.mark.proof
def test_fix_over_two_new_lines_is_one_suggestion(comment, github):
    place = {"file": "tools.py", "line": 2, "column": 10, "end_line": 3, "end_column": 5}
    comment([finding(edits=[{"location": place, "text": ": "}])])
    [one] = github.reviews[0]["comments"]
    assert (one["start_line"], one["line"]) == (2, 3)
    assert "```suggestion\ndef old():return 1\n```" in one["body"].replace(": return", ":return")


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    "change",
    [
        {"edits": [EDIT], "fix": {"message": "x", "is_safe": False, "edits": [EDIT]}},
        {"edits": [{**EDIT, "location": {**EDIT["location"], "line": 1, "end_line": 1}}]},  # type: ignore[dict-item]
        {"edits": [{**EDIT, "location": {**EDIT["location"], "file": "other.py"}}]},  # type: ignore[dict-item]
        {"edits": [{**EDIT, "location": {**EDIT["location"], "end_column": 900}}]},  # type: ignore[dict-item]
        {"edits": [{**EDIT, "text": "x\u202e"}]},
    ],
    ids=["unsafe", "old line", "other file", "outside", "hidden"],
)
def test_other_fixes_are_not_suggested(comment, github, change):
    assert comment([finding(**change)]).endswith("0 suggestions added\n")
    assert github.reviews == []


def test_text_of_a_report_cannot_leave_its_cell(comment, github):
    nasty = "@everyone `|`\n| <img src=x> ![](http://evil) #1 </code> <!-- "
    comment([finding(message=nasty, hint=nasty)])
    rows = [line for line in github.comments[0]["body"].splitlines() if "everyone" in line]
    shown = "`@everyone '\\|'\\n\\| <img src=x> ![](http://evil) #1 </code> <!--`"
    assert rows == [f"| ❌ | TK201 | `tools.py:2` | {shown}<br>{shown} |"]


@pytest.mark.proof
def test_many_findings_are_cut_below_what_a_comment_can_hold(comment, github):
    comment([finding(line=number, message="m" * 90) for number in range(1, 1000)])
    body = github.comments[0]["body"]
    assert body.splitlines()[-1] == "… and 899 more: see the log of the job."
    comment([finding(line=number, message="m" * 999, hint="h" * 999) for number in range(1, 1000)])
    assert len(github.comments[0]["body"]) < 65_536


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize(
    ("report", "why"),
    [
        ("{}", "is not a list of at most 5000 findings"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "finding 1 in "),
        (json.dumps([finding(code="<b>")]), "has no valid code and severity"),
        (json.dumps([finding(severity="grave")]), "has no valid code and severity"),
        (json.dumps([finding(message=["x"])]), "has a message that is not a string"),
        (json.dumps([finding(line=-1)]), "has a line that is not a number"),
        (json.dumps([finding(location={"file": "a\nb"})]), "has no valid file path"),
        (json.dumps([finding()] * 5001), "is not a list of at most 5000 findings"),
        (" " * (8 * 1024 * 1024 + 1), "it is larger than 8,388,608 bytes"),
    ],
)
def test_report_that_is_none_is_one_warning_and_asks_for_nothing(comment, github, report, why):
    said = comment(report)
    assert said.startswith("::warning title=toolkit lint::not commented: ")
    assert why in said
    assert said.count("\n") == 1
    assert github.asked == []


@pytest.mark.proof
def test_paths_outside_of_the_repository_are_left_out(comment, github):
    for path in ("/etc/passwd", "../x.py", "C:/x.py", "mcp://server/tool"):
        comment([finding(location={"file": path, "line": 1})])
        assert "| ❌ | TK201 |  | `there is no description` |" in github.comments[0]["body"]


FORK = {"workflow_run": {"head_sha": SHA, "head_branch": "topic", "head_repository": {"owner": {"login": "fork"}}}}


def test_pull_request_of_a_fork_is_found_by_what_github_says_of_the_run(comment, github):
    assert comment([finding()], FORK) == "comment written on pull request #7, 0 suggestions added\n"


@pytest.mark.proof
def test_run_of_an_older_commit_is_not_commented(comment, github):
    github.pulls[0]["head"] = {"sha": "b" * 40}
    assert comment([finding()], FORK) == (
        "::warning title=toolkit lint::not commented: no open pull request is at commit aaaaaaaaa; "
        "it has newer commits or is closed\n"
    )


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("refusal", "why"),
    [
        ((403, {}), "the token lacks permission (403 at GET issues/7/comments): the job needs `pull-requests: write`"),
        (
            (403, {"X-RateLimit-Remaining": "0"}),
            "GitHub's rate limit was exceeded (403 at GET issues/7/comments)",
        ),
        ((429, {"Retry-After": "60"}), "GitHub's rate limit was exceeded (429 at GET issues/7/comments)"),
        ((500, {}), "GitHub answers with 500 at GET issues/7/comments"),
    ],
)
def test_refusal_is_one_warning_and_no_failure(comment, github, refusal, why):
    github.refusal = refusal
    said = comment([finding()])
    assert said.startswith(f"::warning title=toolkit lint::not commented: {why}")
    assert said.count("\n") == 1


@pytest.mark.proof
def test_without_a_pull_request_a_token_or_a_server_that_is_said(comment, github):
    start = "::warning title=toolkit lint::not commented: "
    assert (
        comment([finding()], {})
        == f"{start}this workflow run does not belong to a pull request, so there is nothing to comment on\n"
    )
    assert comment([], GITHUB_TOKEN="") == f"{start}GITHUB_TOKEN is not set: pass it in the `env` of the step\n"
    assert comment([], GITHUB_API_URL="http://127.0.0.1:1").startswith(f"{start}GitHub cannot be reached")
    assert github.asked == []


def test_what_lint_writes_is_what_is_read(comment, github, tmp_path):
    (tmp_path / "tools.py").write_text(
        "from toolkit import tool\n\n\n@tool\ndef go(path: str) -> str:\n    return path\n"
    )
    lint = [sys.executable, "-m", "toolkit_cli", "lint", "--static", "--format", "json", "--no-cache", "tools.py"]
    found = subprocess.run(lint, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False).stdout
    comment(found)
    assert "| ❌ | TK201 | `tools.py:5` |" in github.comments[0]["body"]
