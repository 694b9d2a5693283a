"""What is published: versions from tags, notes from the changelog, and a container that serves."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CONTAINER = (ROOT / "docs" / "deploy" / "Containerfile").read_text("utf-8")


def release_notes(tag):
    command = [sys.executable, ROOT / ".ci" / "release_notes.py", tag]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_notes_of_a_release_are_its_section_of_the_changelog():
    finished = release_notes("v0.1.0")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout == CHANGELOG.partition("## [0.1.0]\n")[2].strip() + "\n"


def test_notes_of_a_release_end_where_the_next_section_begins():
    notes = release_notes("Unreleased").stdout
    assert notes.startswith("### ")
    assert "## [0.1.0]" not in notes
    assert notes.strip() in CHANGELOG


def test_version_without_a_section_is_not_released():
    finished = release_notes("v9.9.9")
    assert finished.returncode == 1
    assert (finished.stdout, finished.stderr) == ("", "CHANGELOG.md has no section '## [9.9.9]'\n")


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.stem for path in WORKFLOWS])
def test_workflows_may_write_nothing_unless_a_job_says_so(path):
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.stem for path in WORKFLOWS])
def test_files_that_workflows_run_are_there(path):
    named = set(re.findall(r"(?:bash|python) (\.ci/\S+|sample_pipelines\S*)", path.read_text("utf-8")))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_only_the_job_that_publishes_can_identify_itself_to_the_package_index():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))["jobs"]
    assert {name for name, job in jobs.items() if "id-token" in job.get("permissions", {})} == {"publish"}
    assert jobs["publish"]["environment"] == "release"
    assert set(jobs["publish"]["needs"]) == {"check", "build"}


def test_command_of_the_container_serves_over_http(tmp_path):
    (tmp_path / "shop.py").write_text("from toolkit import tool\n\n\n@tool\ndef greet() -> str:\n    return 'hi'\n")
    [entry] = re.findall(r"^ENTRYPOINT (\[.*\])$", CONTAINER, re.MULTILINE)
    program, *arguments = json.loads(entry)
    assert program == "toolkit"
    finished = subprocess.run(
        [sys.executable, "-m", "toolkit_cli", *arguments, "shop.py", "--print-config", "cursor"],
        cwd=tmp_path,
        env=os.environ | {"TOOLKIT_SERVE_TOKEN": "0123456789abcdef"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    assert json.loads(finished.stdout)["mcpServers"]["toolkit"]["url"].startswith("http://")


def test_container_is_built_with_an_extra_that_exists_and_runs_without_root():
    install = next(line for line in CONTAINER.splitlines() if "pip install" in line)
    assert shlex.split(install)[-1] == "/source[mcp]"
    assert re.search(r"^USER toolkit$", CONTAINER, re.MULTILINE)
