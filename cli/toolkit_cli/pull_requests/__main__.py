"""`python -m toolkit_cli.pull_requests FINDINGS.json …`: comment on the pull request of this workflow run.

The files are written by `toolkit lint --output json=FILE`, in this job or in another one, and are not trusted. If no
comment can be written, a warning is printed, but the job does not fail: the result of lint itself decides that.
"""

import os
import sys
from pathlib import Path

from toolkit_cli.pull_requests.finding_reports import BadReport, read_reports
from toolkit_cli.pull_requests.posting import GitHubError, post
from toolkit_cli.rendering.styles import one_line


def main() -> int:
    """Comment on the pull request, and return the exit code: 2 without a file, otherwise 0."""
    files = [Path(name) for name in sys.argv[1:]]
    if not files:
        sys.stderr.write("usage: python -m toolkit_cli.pull_requests FINDINGS.json …\n")
        return 2
    try:
        message = post(read_reports(files), os.environ)
    except (BadReport, GitHubError) as error:
        message = _warning(str(error))
    except (KeyError, TypeError, ValueError) as error:
        message = _warning(f"GitHub's answer lacks {error}")
    sys.stdout.write(f"{message}\n")
    return 0


def _warning(why: str) -> str:
    """Return a warning in the format of a GitHub runner, on one line."""
    return f"::warning title=toolkit lint::not commented: {one_line(why).replace('%', '%25')}"


if __name__ == "__main__":
    sys.exit(main())
