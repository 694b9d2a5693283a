"""Which settings of a project wait for consent, and what their user is shown."""

from dataclasses import replace

import pytest

from toolkit import Continue
from toolkit.approvals import Gate, ScriptedReviewer
from toolkit.problems import Location, Problem
from toolkit.settings import find_configuration
from toolkit.settings.setting_consents import (  # private
    access_of_ready,
    consents_for,
    names_to_consent_to,
    waiting_accesses,
)

SETTINGS = """env = ["REGION", "STAGE"]
[builtin.file_read]
base = ".."
[builtin.poster]
kind = "http"
url = "http://127.0.0.1/"
allow_private = true
timeout = "3s"
headers = {X = "${STAGE}"}
[builtin.code_search]
base = "docs"
[builtin.run]
kind = "process"
command = ["ls", "-l"]
[mcp.time]
command = "time"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    (project / "toolkit.toml").write_text(SETTINGS, "utf-8")
    monkeypatch.chdir(project)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    return project


def configured(folder):
    configuration, problems = find_configuration(folder)
    assert problems == []
    return configuration


def write_own(folder, text):
    own = folder.parent / "own/toolkit/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(text, "utf-8")


def test_all_that_decides_what_is_reached_is_shown(folder):
    base, project = str(folder.parent), str(folder)
    found = waiting_accesses(configured(folder))
    assert [(one.name, one.action, one.question, one.shown, one.summary) for one in found] == [
        (
            "builtin.file_read",
            "settings builtin.file_read",
            (
                "Use the tool 'file_read' with these settings from toolkit.toml:3:1? "
                "It reaches files outside the project's folder."
            ),
            {"tool": "file_read", "base": base, "project": project},
            "files outside the project's folder",
        ),
        (
            "builtin.poster",
            "settings builtin.poster",
            (
                "Use the tool 'poster' with these settings from toolkit.toml:9:1? "
                "It reaches the environment variable 'STAGE'; addresses of this machine or its network."
            ),
            {
                "tool": "http",
                "url": "http://127.0.0.1/",
                "allow_private": True,
                "timeout": 3.0,
                "headers": {"X": "${STAGE}"},
                "project": project,
            },
            "the environment variable 'STAGE'; addresses of this machine or its network",
        ),
        (
            "builtin.run",
            "settings builtin.run",
            (
                "Use the tool 'run' with these settings from toolkit.toml:14:1? "
                "It reaches everything that a program can."
            ),
            {"tool": "process", "command": ["ls", "-l"], "directory": project, "project": project},
            "everything that a program can",
        ),
        (
            "env",
            "settings env",
            "Let pipelines read these environment variables from toolkit.toml:1:1? Pipelines can send their values elsewhere.",
            {"variables": ["REGION", "STAGE"], "project": project},
            "REGION, STAGE",
        ),
    ]
    assert {one.source for one in found} == {"settings of this project"}
    assert found[0].refusal == Problem(
        "TK011",
        "the settings of the tool 'file_read' need your consent: it reaches files outside the project's folder",
        Location(f"{project}/toolkit.toml", 3, 1),
        hint="to allow it: --consent builtin.file_read, or TOOLKIT_CONSENT=builtin.file_read",
    )
    assert found[3].refusal == Problem(
        "TK011",
        "the environment variables that pipelines can read need your consent: REGION, STAGE",
        Location(f"{project}/toolkit.toml", 1, 1),
        hint="to allow it: --consent env, or TOOLKIT_CONSENT=env",
    )


def test_what_stays_inside_the_project_does_not_wait(folder):
    assert access_of_ready("code_search", configured(folder)) is None


def test_settings_from_no_file_are_described_without_a_place(folder):
    configuration = configured(folder)._replace(file=None)
    found = waiting_accesses(configuration)
    assert [one.question for one in (found[0], found[3])] == [
        "Use the tool 'file_read' with these settings? It reaches files outside the project's folder.",
        "Let pipelines read these environment variables? Pipelines can send their values elsewhere.",
    ]
    assert [one.refusal.location for one in found] == [None] * 4


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("x", "x", True),
        ('base = ".."', 'base = "../.."', False),
        ("[builtin.file_read]", '[builtin.reader]\nkind = "file_read"', False),
    ],
)
def test_consent_is_for_these_settings_under_this_name_alone(folder, before, after, same):
    first = waiting_accesses(configured(folder))[0].identity
    (folder / "toolkit.toml").write_text(SETTINGS.replace(before, after), "utf-8")
    assert (waiting_accesses(configured(folder))[0].identity == first) is same


def test_consent_is_for_this_project_alone(folder):
    first = [one.identity for one in waiting_accesses(configured(folder))]
    (folder / "inner").mkdir()
    (folder / "inner/toolkit.toml").write_text(SETTINGS.replace('"docs"', '"."').replace('".."', '"../.."'), "utf-8")
    second = [one.identity for one in waiting_accesses(configured(folder / "inner"))]
    assert len({*first, *second}) == 8


def test_a_flag_can_name_all_of_it(folder):
    assert names_to_consent_to(configured(folder)) == [
        "builtin.file_read",
        "builtin.poster",
        "builtin.code_search",
        "builtin.run",
        "env",
        "mcp.time",
    ]
    (folder / "toolkit.toml").write_text("", "utf-8")
    assert names_to_consent_to(configured(folder)) == []


def test_what_the_user_has_listed_too_does_not_wait(folder):
    (folder / "toolkit.toml").write_text('env = ["REGION", "STAGE"]\n', "utf-8")
    write_own(folder, 'env = ["STAGE"]\n[builtin.file_read]\nbase = "/"\n')
    configuration = configured(folder)
    assert [(one.name, one.summary) for one in waiting_accesses(configuration)] == [("env", "REGION")]
    assert access_of_ready("file_read", configuration) is None


def test_where_the_user_lists_every_variable_none_waits(folder):
    write_own(folder, 'env = ["STAGE", "REGION", "OTHER"]\n')
    assert "env" not in [one.name for one in waiting_accesses(configured(folder))]


def test_consent_is_given_by_a_flag_for_a_name_or_kept_beside_the_users_own_configuration(folder):
    configuration = configured(folder)._replace(consented=("env",), start=("time",))
    [read, *_, variables] = waiting_accesses(configuration)
    asking = consents_for(configuration, Gate(ScriptedReviewer([Continue(always=True)])))
    server = replace(read, name="mcp.time")
    assert [asking.is_given(one) for one in (read, variables, server)] == [False, True, True]
    assert asking.refusal(read) is None
    kept = folder.parent / "own/toolkit/consents.json"
    assert read.identity in kept.read_text("utf-8")
    assert consents_for(configured(folder)).is_given(read)
    assert not consents_for(configured(folder)).is_given(variables)
