"""Completion: what may stand for a target. It looks at names alone; no code of users is run."""

from collections.abc import Iterator
from pathlib import Path

import typer

_SUFFIXES = (".py", ".yaml", ".yml")


def complete_target(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Return what the beginning of a target may mean: ready tools, folders, Python files and pipelines."""
    return [name for name in _candidates(incomplete) if name.startswith(incomplete)]


def _candidates(incomplete: str) -> Iterator[str]:
    from toolkit.sources.ready import ALL_READY, ready_names  # noqa: PLC0415 - only completion wants the names alone

    yield from (ALL_READY, *ready_names())
    folder, slash, _ = incomplete.rpartition("/")
    try:
        entries = sorted(Path(folder + slash or ".").iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() and not entry.name.startswith((".", "__")):
            yield f"{folder}{slash}{entry.name}/"
        elif entry.suffix in _SUFFIXES:
            yield f"{folder}{slash}{entry.name}"
