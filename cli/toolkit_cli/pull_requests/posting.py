"""Posts findings as one comment on a pull request, edited in place, and as suggestions on its lines."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from toolkit_cli.pull_requests import comments, suggestions
from toolkit_cli.pull_requests.github import GitHubError, Repository
from toolkit_cli.pull_requests.reports import Finding

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
    done = _comment(repository, number, comments.comment_of(findings))
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
        is_ours = str(found.get("body", "")).startswith(comments.MARKER)
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
        str(one["filename"]): suggestions.read_patch(str(one["patch"]))
        for one in repository.list(f"pulls/{number}/files")
        if one.get("patch")
    }
    known = {
        (one.get("path"), str(one.get("body", "")).strip())
        for one in repository.list(f"pulls/{number}/comments")
        if (one.get("user") or {}).get("type") == "Bot"
    }
    new = (one for one in suggestions.suggestions_for(findings, changed) if (one.path, one.body.strip()) not in known)
    records = [_record(one) for one in islice(new, suggestions.MOST_SUGGESTIONS)]
    if records:
        review = {"commit_id": commit, "event": "COMMENT", "comments": records}
        repository.send("POST", f"pulls/{number}/reviews", review)
    return len(records)


def _record(one: suggestions.Suggestion) -> dict[str, Any]:
    place: dict[str, Any] = {"path": one.path, "line": one.last, "side": "RIGHT", "body": one.body}
    return place | ({"start_line": one.first, "start_side": "RIGHT"} if one.first < one.last else {})
