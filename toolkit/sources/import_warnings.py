"""Collects the warnings of modules while they are imported."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collected_warnings() -> Iterator[dict[str, None]]:
    """Within this context, collect Python's warnings instead of showing them; yield them, in order, as keys."""
    found: dict[str, None] = {}

    def collect(message: object, category: type, filename: str, lineno: int, *_: object, **__: object) -> None:
        found[f"{filename}:{lineno}: {category.__name__}: {message}"] = None

    before, warnings.showwarning = warnings.showwarning, collect  # the filters, which modules may change, stay
    try:
        yield found
    finally:
        if warnings.showwarning is collect:
            warnings.showwarning = before
