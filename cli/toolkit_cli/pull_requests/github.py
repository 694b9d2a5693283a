"""The parts of GitHub's REST API that are needed to comment on a pull request.

https://docs.github.com/en/rest/issues/comments and https://docs.github.com/en/rest/pulls (checked 2026-11-23)
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

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
