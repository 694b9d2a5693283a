"""Counts the warnings of modules that are imported, which would otherwise fill the screen before the output."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer._click.globals import get_current_context

from toolkit_cli import console


@contextmanager
def counted_warnings() -> Iterator[None]:
    """Within this context, collect Python's warnings, and print how many there were; `-v` prints them at once."""
    context = get_current_context(silent=True)
    options = {} if context is None else context.params
    if options.get("verbose") or options.get("debug"):
        yield
        return
    found: set[str] = set()
    before, collect = warnings.showwarning, _collector(found)
    warnings.showwarning = collect
    try:
        yield
    finally:
        if warnings.showwarning is collect:
            warnings.showwarning = before
        if found and not options.get("quiet"):
            console.say(f"{len(found)} warning{'s' if len(found) != 1 else ''} of imported modules (-v shows them)")


def _collector(found: set[str]) -> Any:
    def collect(message: object, category: type, filename: str, lineno: int, *_: object, **__: object) -> None:
        found.add(f"{filename}:{lineno}: {category.__name__}: {message}")

    return collect
