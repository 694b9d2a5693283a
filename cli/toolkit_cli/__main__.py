"""`python -m toolkit_cli`: the same as the `toolkit` command."""

import sys
from pathlib import Path


def _hidden_by() -> Path | None:
    """Return the file or folder in the working directory that hides the library, if any."""
    try:
        import toolkit.problems  # noqa: F401 - tests whether the import works
    except ImportError:
        return next((path for path in (Path("toolkit"), Path("toolkit.py")) if path.exists()), None)
    return None


def _start() -> int:
    if hidden_by := _hidden_by():
        sys.stderr.write(
            f"error[TK006]: {hidden_by.resolve()} hides the library of the same name\n"
            "hint: run `toolkit` instead of `python -m toolkit_cli`, or `python -P -m toolkit_cli`\n"
        )
        return 2
    from toolkit_cli.main import main  # it needs the library

    return main()


if __name__ == "__main__":
    sys.exit(_start())
