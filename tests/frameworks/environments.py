"""Environments: the frameworks that the tests meet, each installed where it conflicts with no other.

    python tests/frameworks/environments.py FOLDER [NAME…]     # makes those that are missing, all or the named ones
    TOOLKIT_FRAMEWORKS=FOLDER pytest --proofs tests/frameworks

Behind an environment's own packages stand those of the Python that runs the tests, toolkit among them. uv installs
them, which is itself installed for that: what several environments need it downloads once, and links. Where uv cannot
be had, or finds no packages since only pip knows the index, pip does it, which takes longer.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

REQUIREMENTS: Mapping[str, tuple[str, ...]] = {
    "agents": (
        "langchain>=1.3,<2",
        "langchain-core>=1.7.2,<2",
        "openai-agents>=0.24,<0.25",
        "pydantic-ai-slim>=2.68,<3",
    ),
    "anthropic": ("anthropic>=2.12,<3", "claude-agent-sdk>=0.2.187,<0.3"),
    "crewai": ("crewai>=1.15,<2",),
    "fastmcp2": ("fastmcp>=2.14.7,<3",),
    "fastmcp3": ("fastmcp>=3.4,<4",),
    "fastmcp4": ("fastmcp>=4.1.2,<5",),
    "llm": ("llm>=0.36,<0.37", "llm-echo>=0.5,<0.6"),
    "mcp1": ("mcp>=1.30,<2",),
    "mcp2": ("mcp>=2.3,<3",),
    "others": (
        "autogen-core>=0.7.5,<0.8",
        "google-adk>=2.13,<3",
        "haystack-ai>=3.4,<4",
        "llama-index-core>=0.14.25,<0.15",
        "smolagents>=1.26,<2",
        "strands-agents>=1.62,<2",
    ),
    "semantic_kernel": ("semantic-kernel>=1.45,<2",),
}
"""What each environment needs. What installs together stands together."""

_BEHIND = "TOOLKIT_TESTS_BEHIND"
_PATH_FILE = f"import os, site; site.addsitedir(os.environ['{_BEHIND}']) if '{_BEHIND}' in os.environ else None\n"
"""Read when Python starts: the packages of whoever runs the tests come last."""


class Environment(NamedTuple):
    """A Python that has a framework."""

    name: str
    python: Path

    def run(self, *arguments: Any, cwd: Path, given: str = "") -> "subprocess.CompletedProcess[str]":
        """Run it and return what it printed: `run("-m", "toolkit_cli", "list", "server.py", cwd=folder)`."""
        return subprocess.run(
            [str(self.python), *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            check=False,
            cwd=cwd,
            env=self.variables,
            input=given,
            timeout=120,
        )

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of what it runs."""
        settings = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("TOOLKIT_") and name != "PYTHONDONTWRITEBYTECODE"
        }
        return {**settings, _BEHIND: sysconfig.get_path("purelib"), "COLUMNS": "120", "PYTHONWARNINGS": "ignore"}


def environment_in(folder: Path, name: str) -> Environment | None:
    """Return an environment; None if nobody has made it, or not for these requirements."""
    made = folder / name / "made"
    if not made.is_file() or made.read_text("utf-8") != _stamp(name):
        return None
    return Environment(name, folder / name / "bin/python")


def make(folder: Path, name: str) -> None:
    """Make an environment, with a lock against others that make the same; it counts once it is complete.

    Raises:
        subprocess.CalledProcessError: If neither uv nor pip can install what it needs.
    """
    with _locked(folder, name):
        if environment_in(folder, name) is not None:
            return
        place = _empty_environment(folder / name)
        _install(folder, place / "bin/python", REQUIREMENTS[name])
        packages = next(place.glob("lib/python3*/site-packages"))
        (packages / "behind.pth").write_text(_PATH_FILE, "utf-8")
        (place / "made").write_text(_stamp(name), "utf-8")


@contextmanager
def _locked(folder: Path, name: str) -> Iterator[None]:
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _empty_environment(place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    return place


def _install(folder: Path, python: Path, requirements: Sequence[str]) -> None:
    if (uv := _uv(folder)) is not None:
        settings = {**os.environ, "UV_CACHE_DIR": str(folder / "cache"), "UV_NO_CONFIG": "1"}
        command = [str(uv), "pip", "install", "--quiet", "--python", str(python), *requirements]
        if subprocess.run(command, check=False, env=settings).returncode == 0:
            return
    subprocess.run(_pip(python, *requirements), check=True)


def _uv(folder: Path) -> Path | None:
    """Return uv, which is installed into an environment of its own; None where it cannot be."""
    uv = folder / "uv/bin/uv"
    with _locked(folder, "uv"):
        if not uv.is_file():
            place = _empty_environment(folder / "uv")
            subprocess.run(_pip(place / "bin/python", "uv>=0.9,<1"), check=False)
    return uv if uv.is_file() else None


def _pip(python: Path, *requirements: str) -> list[str]:
    """Return the command with which the pip of the Python that runs this installs packages into another one."""
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    return [*pip, "install", "--quiet", "--no-compile", *requirements]


def _stamp(name: str) -> str:
    return "\n".join(REQUIREMENTS[name])


def _is_made(folder: Path, name: str) -> bool:
    try:
        make(folder, name)
    except subprocess.CalledProcessError:
        return False
    return True


def main() -> int:
    """Make environments, as many at once as there are processors; 1 if one could not be made."""
    parser = ArgumentParser(description="Make the environments with frameworks that tests meet.")
    parser.add_argument("folder", type=Path, help="Where they are made.")
    parser.add_argument("names", nargs="*", help=f"By default, all: {', '.join(REQUIREMENTS)}.")
    given = parser.parse_args()
    wanted = given.names or list(REQUIREMENTS)
    if unknown := sorted({*wanted}.difference(REQUIREMENTS)):
        parser.error(f"no environments have these names: {', '.join(unknown)}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(lambda name: _is_made(given.folder.absolute(), name), wanted)
    failed = [name for name, is_made in zip(wanted, made, strict=True) if not is_made]
    if failed:
        sys.stderr.write(f"could not make: {', '.join(failed)}\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
