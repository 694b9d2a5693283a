"""An installed package teaches every command the tools of another framework: the one that the docs show."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.test_docs import ROOT, blocks_of

FRAMEWORK = """
class Action:
    def __init__(self, perform, called, says):
        self.perform, self.name, self.says = perform, called, says
        self.schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


class Session:
    pass
"""
FRAMEWORK_FACE = """
from acme_agents.actions import Action, Session


def action(*, called, says, ask_first=False):
    return lambda function: Action(function, called, says)
"""
MODULE = """
from shutil import rmtree
from acme_agents import action


@action(called="forecast", says="Tell the weather of tomorrow in a city.")
def tell(city: str) -> str:
    return f"{city}: sunny"


@action(called="delete_station", says="Delete a weather station for good.")
def delete(city: str) -> str:
    rmtree(f"stations/{city}")
    return city
"""
LINTED = """\
tools.py:12:5: error[TK506] tool 'delete_station' uses 'shutil.rmtree', but is not marked as destructive or as requiring approval
"""


def wheel(folder, name, version, files, entry_points=""):
    """Build a wheel, as any build backend would, and return its path."""
    made = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points,
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in files)
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return made


def plugin_of_the_page():
    """Return the module that the page about other frameworks shows."""
    blocks = [block.text for block in blocks_of(ROOT / "docs/tools-of-other-frameworks.md")]
    parts = [text for text in blocks if "MARKS = " in text or "CLASSES = " in text]
    return {"toolkit_acme.py": "\n\n".join(parts)}


@pytest.fixture
def toolkit(tmp_path):
    """Run the program in a Python that has the framework, in a version, and a plugin for it."""
    place = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    packages = next(place.glob("lib/python3*/site-packages"))
    (packages / "behind.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n", "utf-8")
    (tmp_path / "tools.py").write_text(MODULE, "utf-8")

    def run(*arguments, version="2.1", plugin=None):
        framework = {"acme_agents/__init__.py": FRAMEWORK_FACE, "acme_agents/actions.py": FRAMEWORK}
        plugin = plugin_of_the_page() if plugin is None else plugin
        entry_point = "[toolkit.frameworks]\nacme_agents = toolkit_acme\n"
        wheels = [
            wheel(tmp_path, "acme_agents", version, framework),
            wheel(tmp_path, "toolkit_acme", "1.0", plugin, entry_point),
        ]
        for one in wheels:  # what pip does with a wheel of pure Python
            with zipfile.ZipFile(one) as archive:
                archive.extractall(packages)
        settings = {name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")}
        answers = []
        for line in arguments:
            ended = subprocess.run(
                [str(place / "bin/python"), "-m", "toolkit_cli", *line.split()],
                cwd=tmp_path,
                env={**settings, "COLUMNS": "100"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            answers.append((ended.stdout, ended.stderr, ended.returncode))
        return answers

    return run


@pytest.mark.proof
def test_tools_of_a_framework_that_a_plugin_knows_are_listed_linted_and_run(toolkit):
    listed, static, called, linted, read = toolkit(
        "list tools.py",
        "list --static tools.py --format json",
        "run tools.py:forecast city=Oslo",
        "lint tools.py --extend-select TK506 --format concise --quiet",
        "lint --static tools.py --extend-select TK506 --format concise --quiet",
    )
    assert listed == (
        (
            "NAME            FRAMEWORK    FROM      DESCRIPTION\n"
            "forecast        Acme Agents  tools.py  Tell the weather of tomorrow in a city.\n"
            "delete_station  Acme Agents  tools.py  Delete a weather station for good.\n"
        ),
        "",
        0,
    )
    assert [(one["name"], one["framework"]) for one in json.loads(static[0])] == [
        ("forecast", "toolkit_acme"),
        ("delete_station", "toolkit_acme"),
    ]
    assert called == ("Oslo: sunny\n", "", 0)
    assert linted == (LINTED, "", 1)
    assert read == (LINTED, "", 1)


@pytest.mark.proof
def test_version_that_a_plugin_does_not_know_is_one_line(toolkit):
    [(_, told, code)] = toolkit("run tools.py:tell city=Oslo", version="1.9")
    first = "error[TK003]: tools of acme-agents 1.9 cannot be used: the first supported version is 2.1"
    assert (told.splitlines()[0], code) == (first, 2)


@pytest.mark.proof
def test_plugin_that_is_broken_is_named(toolkit):
    [(_, told, code)] = toolkit("lint --static tools.py", plugin={"toolkit_acme.py": "import nowhere\n"})
    assert (told, code) == (
        (
            "error[TK005]: the framework plugin 'toolkit_acme' cannot be imported: ModuleNotFoundError: "
            "No module named 'nowhere'\n"
            "hint: its package declares it as an entry point of 'toolkit.frameworks': upgrade or uninstall the package\n"
        ),
        2,
    )


@pytest.mark.proof
@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("", "has neither 'MARKS' nor 'CLASSES'"),
        ("MARKS = {}\n", "has no 'MARKS' of type 'SourceMarks'"),
        ("CLASSES = []\n", "has no 'CLASSES' of type 'Mapping'"),
    ],
)
def test_plugin_without_the_tables_is_named(toolkit, module, why):
    [(_, told, code)] = toolkit("lint --static tools.py", plugin={"toolkit_acme.py": module})
    assert (told.splitlines()[0], code) == (f"error[TK005]: the framework plugin 'toolkit_acme' {why}", 2)


def test_metadata_in_the_folder_of_a_project_registers_nothing(tmp_path):
    info = tmp_path / "evil-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[toolkit.frameworks]\nacme_agents = evil\n", "utf-8")
    Path(tmp_path, "evil.py").write_text("print('imported')\n", "utf-8")
    (tmp_path / "tools.py").write_text(MODULE, "utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "toolkit_cli", "lint", "--static", "tools.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "no tools were found in 'tools.py'" in ended.stdout
    assert "imported" not in ended.stdout + ended.stderr
