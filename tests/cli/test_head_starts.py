"""`toolkit lint` starts its child process first where files will be opened, which changes nothing in what it finds."""

import pytest

from toolkit_cli.linting.head_starts import early_child  # private

TOOL = "from toolkit import tool\n\n\n@tool\ndef remind(when):\n    return when\n"


@pytest.fixture
def unknown(project, monkeypatch):
    """An empty folder of which nothing is kept."""
    monkeypatch.setenv("TOOLKIT_CACHE_DIR", str(project / "kept"))
    return project


def starts(*arguments):
    with early_child(["lint", *arguments]) as child:
        return child is not None


@pytest.mark.parametrize("arguments", [(), (".",), ("--no-cache", "tools.py"), ("--watch",), ("--format=json", "-q")])
def test_child_starts_first_where_files_will_be_opened(unknown, arguments):
    assert starts(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--static",),
        (".", "--python", "python3"),
        ("--python=python3",),
        ("-", "--stdin-filename", "tools.py"),
        ("--against", "main"),
        ("--explain", "TK201"),
        ("--help",),
        ("-h",),
    ],
)
def test_no_child_starts_where_nothing_is_opened(unknown, arguments):
    assert not starts(*arguments)


def test_no_child_starts_where_everything_may_be_known(unknown):
    (unknown / "kept").mkdir()

    assert not starts()
    assert starts("--no-cache")


def test_cache_of_a_folder_above_counts(project, monkeypatch):
    (project / ".toolkit_cache").mkdir()
    (project / "inner").mkdir()
    monkeypatch.chdir(project / "inner")

    assert not starts()


def test_findings_are_those_without_a_head_start(program, invoke, project):
    (project / "tools.py").write_text(TOOL, "utf-8")

    ahead, alone = program("lint", "--no-cache"), invoke("lint", "--no-cache")

    assert (ahead.returncode, ahead.stdout, ahead.stderr) == (alone.exit_code, alone.stdout, alone.stderr)
    assert ahead.returncode == 1
