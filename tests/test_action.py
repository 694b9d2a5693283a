"""The GitHub action: what it runs, with the inputs that a workflow hands it, is a lint that finds and fails."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())

BAD = "from toolkit import tool\n\n\n@tool\ndef go(path: str) -> str:\n    return path\n"


FROM_FORK = "${{ github.event.pull_request && github.event.pull_request.head.repo.full_name != github.repository }}"


def lint(folder: Path, *, from_fork: str = "", **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's step as a runner does: inputs come in the environment that the step names."""
    [step] = [one for one in ACTION["runs"]["steps"] if one.get("name") == "Lint"]
    given = {name: spec["default"] for name, spec in ACTION["inputs"].items()} | inputs
    variables = {
        name: from_fork if value == FROM_FORK else given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, value in step["env"].items()
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=os.environ
        | variables
        | {"PATH": path, "TOOLKIT_CACHE_DIR": str(folder / "cache"), "RUNNER_TEMP": str(folder / "temp")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "$(touch ran).py").write_text("")
    return tmp_path


@pytest.mark.proof
def test_findings_become_annotations_and_fail(folder: Path) -> None:
    done = lint(folder, paths="bad.py")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=bad.py,line=5,endLine=5,col=5,")


@pytest.mark.proof
def test_options_and_sarif_are_handed_on(folder: Path) -> None:
    done = lint(folder, paths="bad.py\n", options="--ignore=TK2\n--exit-zero", sarif="lint.sarif")
    assert done.returncode == 0, done.stderr
    assert '"version": "2.1.0"' in (folder / "lint.sarif").read_text()


@pytest.mark.proof
def test_no_input_is_read_as_a_command(folder: Path) -> None:
    lint(folder, paths="$(touch ran).py; touch ran", options="--exit-zero")
    assert not (folder / "ran").exists()


@pytest.mark.proof
def test_path_without_tools_fails_unless_that_is_allowed(folder: Path) -> None:
    (folder / "code").mkdir()
    (folder / "code" / "module.py").write_text("X = 1\n")
    assert lint(folder, paths="code").returncode == 1
    assert lint(folder, paths="code", **{"require-tools": "false"}).returncode == 0


@pytest.mark.proof
def test_findings_and_changes_are_written_as_json_for_the_comment(folder: Path) -> None:
    for words in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "--all"],
        ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=tools"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    (folder / "bad.py").write_text(BAD.replace("path: str", "path: str, mode: str"))
    done = lint(folder, paths="bad.py", against="main", report="findings")
    assert done.returncode == 1, done.stderr
    written = {file.name: file.read_text() for file in (folder / "findings").iterdir()}
    assert sorted(written) == ["changes.json", "findings.json"]
    assert "parameter 'mode' is new, and required: " in written["changes.json"]


@pytest.mark.parametrize(("from_fork", "runs"), [("true", False), ("false", True), ("", True)])
def test_pull_requests_from_forks_are_read_and_not_run(folder: Path, from_fork: str, *, runs: bool) -> None:
    (folder / "bad.py").write_text(f"{BAD}\nopen('ran', 'w')\n")
    done = lint(folder, from_fork=from_fork, paths="bad.py")
    assert done.returncode == 1, done.stderr
    assert (folder / "ran").exists() == runs


def test_what_forks_require_is_not_installed() -> None:
    [step] = [one for one in ACTION["runs"]["steps"] if one.get("name") == "Install"]
    assert step["env"]["FROM_FORK"] == FROM_FORK
    assert 'if [ -n "$REQUIREMENTS" ] && [ "$FROM_FORK" != true ]; then' in step["run"]


def test_comment_is_a_step_of_its_own_that_never_sees_an_input_as_a_command() -> None:
    comment = ACTION["runs"]["steps"][-1]
    assert comment["if"] == "${{ always() && inputs.comment == 'true' }}"
    assert set(comment["env"]) == {"GITHUB_TOKEN", "REPORT"}
    assert "inputs." not in comment["run"]
