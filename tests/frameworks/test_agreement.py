"""What lint finds in a module without running it is what it finds when it imports it."""

import json
import re

import pytest

from tests.frameworks.sessions import sessions
from toolkit.lint import all_pages

pytestmark = pytest.mark.proof

READING = ("list --format json", "list --static --format json", "lint --compat --static --format json")
UNKNOWN = "(known at runtime)"
MADE_WHEN_RUN = {
    "old_statement", "first_then_then", "euros", "stations_nearest", "north_forecast", "weatherforecast", "weatherstations",
}  # fmt: skip
"""The names that a toolset, a pipeline, a runnable, a mounted server and a plugin give while the module runs."""
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


@pytest.mark.parametrize("session", sessions(), ids=lambda session: session.folder.name)
def test_names_that_are_read_are_those_of_tools_that_are_listed_when_imported(session, environment):
    sources = {path.name: path.read_text("utf-8") for path in session.folder.glob("*.py")}
    exported = ["exported.py"] if any("from exported import" in text for text in sources.values()) else []
    commands = [f"toolkit {command} {one}" for one in (*sources, *exported) for command in READING]
    printed = session.printed(commands, environment(session.environments[0]))
    listed, read, linted = (set[str]().union(*map(names, printed[at::3])) for at in range(3))
    assert linted == read
    assert listed - MADE_WHEN_RUN <= read or UNKNOWN in read


def names(printed):
    """Return the names of the tools that a command prints, as the frameworks write them that rewrite names."""
    found = json.loads(printed.out) if printed.out else []
    found = (one["name"] or UNKNOWN for one in (found["tools"] if isinstance(found, dict) else found))
    return {one if one == UNKNOWN else re.sub(r"[^a-z_]", "", one.lower().replace(" ", "_")) for one in found}


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
