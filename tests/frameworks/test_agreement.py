"""What lint finds in a module without running it is what it finds when it imports it."""

import json

import pytest

from tests.frameworks.sessions import sessions
from toolkit.lint import all_pages

pytestmark = pytest.mark.proof

NEEDS_EXECUTION = {page.code for page in all_pages() if page.needs_import} | {
    "TK004",  # which tools of other modules a module holds
}
"""The rules that find more, or something else, when a module is imported."""


@pytest.mark.parametrize("session", sessions(), ids=lambda session: session.folder.name)
def test_static_and_imported_lint_agree(session, environment):
    modules = sorted(path.name for path in session.folder.glob("*.py"))
    commands = [f"toolkit lint --no-cache --format json {module}" for module in modules]
    printed = session.printed(
        [*commands, *(f"{one} --static" for one in commands)], environment(session.environments[0])
    )
    assert not [one.err for one in printed if "Traceback" in one.err]
    imported, read = printed[: len(modules)], printed[len(modules) :]
    found = zip(modules, imported, strict=True)
    shown = zip(modules, read, strict=True)
    assert {module: findings(one, module) for module, one in shown} == {
        module: findings(one, module) for module, one in found
    }


def findings(printed, module):
    """Return the findings in a module: code, line and column.

    What has no column is an object that a program puts together, such as a pipeline; no source shows what it is.
    """
    places = [(one["code"], one["location"]) for one in json.loads(printed.out) if one["location"]]
    return sorted(
        {
            (code, place["line"], place["column"])
            for code, place in places
            if place["file"] == module and place.get("column") and code not in NEEDS_EXECUTION
        }
    )
