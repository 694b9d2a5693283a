"""Measures A1, A2, A3, G and J: whole commands from a cold start, with compiled bytecode."""

import compileall
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import toolkit
import toolkit_cli
from bench import floors
from bench.rows import Row
from bench.timing import Work, in_turns

ROUNDS = 25
ROUNDS_OF_LISTS = 10

TOOL = '''"""A tool."""

from toolkit import tool


@tool
def forecast(city: str, days: int) -> str:
    """Forecast the weather.

    Args:
        city: The name of the city.
        days: The number of days.
    """
    return f"{days} days of sun in {city}"
'''
ONE_OF_MANY = '''

@tool
def forecast_{number}(city: str, days: int = 1) -> str:
    """Forecast the weather of a city for some days, in form {number}.

    Args:
        city: The name of the city.
        days: For how many days, from 1 to 10.
    """
    return f"{{days}} days of sun in {{city}}"
'''
ONE_OF_MANY_CLASSES = '''

class Forecast{number}:
    """Forecast the weather, in form {number}."""

    name = "forecast_{number}"
    description = "Forecast the weather of a city, in form {number}."

    def execute(self, text: str) -> str:
        """Return the forecast."""
        return f"sun in {{text}}"
'''
SIZES_OF_LISTS = (50, 200, 800)
MANY_TOOLS = '"""Tools."""\n\nfrom toolkit import tool\n' + "".join(ONE_OF_MANY.format(number=n) for n in range(200))
TEXT_TOOLS = '''"""Text tools."""


class Upper:
    """Capitals."""

    name = "upper"
    description = "Put the text into capitals."

    def execute(self, text: str) -> str:
        """Return it in capitals."""
        return text.upper()


class Lower:
    """Small letters."""

    name = "lower"
    description = "Put the text into small letters."

    def execute(self, text: str) -> str:
        """Return it in small letters."""
        return text.lower()
'''
TEN_STEPS = """toolkit: 1
name: ten_steps
description: Change the case of a text ten times.
tools: [./text_tools.py]
steps: [upper, lower, upper, lower, upper, lower, upper, lower, upper, lower]
"""


def commands_alone() -> Iterator[Row]:
    """Measure `--version` and `--help`, in units of an interpreter that does nothing."""
    with project() as directory:
        times = in_turns(commands_and_peers(directory), rounds=ROUNDS)
    unit = times.pop("python -c pass")
    others = {name: taken for name, taken in times.items() if not name.startswith("--")}
    for option, goal in (("--version", 1.1), ("--help", 5.0)):
        yield Row("A1", f"toolkit {option}", unit, "python -c pass", times[option], 6.0, goal, others)


def commands_and_peers(directory: Path) -> dict[str, Work]:
    """Return the commands that only print something, and what they are compared with."""
    contestants = {
        "python -c pass": python(directory, floors.NOTHING),
        "--version": command(directory, "--version"),
        "--help": command(directory, "--help"),
    }
    if llm := shutil.which("llm", path=sysconfig.get_path("scripts")):
        contestants["llm --version"] = process(directory, [llm, "--version"])
    return contestants


def one_tool() -> Iterator[Row]:
    """Measure `schema` and `run` of a file with one tool."""
    with project() as directory:
        contestants = {
            "python -c pass": python(directory, floors.NOTHING),
            "import pydantic": python(directory, floors.PYDANTIC_IMPORT),
            "Typer + pydantic by hand": python(directory, floors.TYPER_AND_PYDANTIC),
            "schema": command(directory, "schema", "tools.py"),
            "run": command(directory, "run", "tools.py:forecast", "city=Oslo", "days=3"),
        }
        times = in_turns(contestants, rounds=ROUNDS)
    unit, schema, run = (times.pop(name) for name in ("python -c pass", "schema", "run"))
    yield Row("A2", "toolkit schema FILE", unit, "python -c pass", schema, 16.0, 9.0, times)
    yield Row("A2", "toolkit run FILE:tool k=v", unit, "python -c pass", run, 16.0, 9.0, times)


def ten_steps() -> Iterator[Row]:
    """Measure `run` of a pipeline of ten text steps."""
    with project() as directory:
        contestants = {
            "python -c pass": python(directory, floors.NOTHING),
            "YAML + plain Python": python(directory, floors.YAML_AND_PLAIN_PYTHON),
            "run": command(directory, "run", "ten_steps.yaml", "--input", "hello"),
        }
        times = in_turns(contestants, rounds=ROUNDS)
    unit, run = times.pop("python -c pass"), times.pop("run")
    yield Row("A3", "toolkit run pipeline.yaml, ten text steps", unit, "python -c pass", run, 18.0, 10.0, times)


def two_hundred_tools() -> Iterator[Row]:
    """Measure `lint`, with and without a cache, and `schema` of a file with two hundred tools."""
    with project() as directory:
        contestants = {
            "python -c pass": python(directory, floors.NOTHING),
            "lint": command(directory, "lint", "--exit-zero", "--no-cache", "many_tools.py"),
            "lint --static": command(directory, "lint", "--exit-zero", "--no-cache", "--static", "many_tools.py"),
            "lint, unchanged": command(directory, "lint", "--exit-zero", "many_tools.py"),
            "schema": command(directory, "schema", "many_tools.py"),
        }
        times = in_turns(contestants, rounds=ROUNDS)
    unit, lint, schema = (times.pop(name) for name in ("python -c pass", "lint", "schema"))
    yield Row("G", "toolkit lint FILE, two hundred tools", unit, "python -c pass", lint, 26.0, 10.0, times)
    yield Row("G", "toolkit schema FILE, two hundred tools", unit, "python -c pass", schema, 26.0, 10.0, {})


def class_tools() -> Iterator[Row]:
    """Measure `list` of files with increasing numbers of class tools, in units of as many marked functions."""
    for count in SIZES_OF_LISTS:
        with project() as directory:
            for file, head, form in (
                ("functions.py", "from toolkit import tool\n", ONE_OF_MANY),
                ("classes.py", '"""Tools."""\n', ONE_OF_MANY_CLASSES),
            ):
                text = head + "".join(form.format(number=number) for number in range(count))
                (directory / file).write_text(text, "utf-8")
            contestants = {name: command(directory, "list", name) for name in ("functions.py", "classes.py")}
            times = in_turns(contestants, rounds=ROUNDS_OF_LISTS)
        unit, ours = times["functions.py"], times["classes.py"]
        yield Row("J", f"toolkit list FILE, {count} class tools", unit, f"{count} marked functions", ours, 3.0, 1.5)


@contextmanager
def project() -> Iterator[Path]:
    """Provide a directory with the files for the commands, and compile what they import."""
    for package in (toolkit, toolkit_cli):
        compileall.compile_dir(str(Path(str(package.__file__)).parent), quiet=2)
    with tempfile.TemporaryDirectory(prefix="toolkit-bench-") as name:
        directory = Path(name)
        files = {
            "tools.py": TOOL,
            "text_tools.py": TEXT_TOOLS,
            "ten_steps.yaml": TEN_STEPS,
            "many_tools.py": MANY_TOOLS,
        }
        for file, text in files.items():
            (directory / file).write_text(text, "utf-8")
        yield directory


def command(directory: Path, *arguments: str) -> Work:
    """Return work that runs the installed command once."""
    return process(directory, [installed_command(), *arguments])


def installed_command() -> str:
    """Return the path of the installed command."""
    script = shutil.which("toolkit", path=sysconfig.get_path("scripts"))
    if script is None:
        sys.exit("bench: the command 'toolkit' is not installed for this Python: pip install -e .")
    return script


def python(directory: Path, program: str) -> Work:
    """Return work that runs a program once, in a new process of the same interpreter."""
    return process(directory, [sys.executable, "-c", program])


def process(directory: Path, words: Sequence[str]) -> Work:
    """Return work that runs a process once, which must succeed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        finished = subprocess.run(
            words, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if finished.returncode:
            sys.exit(f"bench: {' '.join(words)} failed:\n{finished.stderr.decode()}")

    return run


MEASURES = {"A1": [commands_alone], "A2": [one_tool], "A3": [ten_steps], "G": [two_hundred_tools], "J": [class_tools]}
