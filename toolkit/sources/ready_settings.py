"""Ready settings: the tables that say how ready tools are to be made.

    [builtin.file_read]
    base = "docs"

    [builtin.read_reports]      # one more of a kind, under a name of its own
    kind = "file_read"
    base = "reports"

In `pyproject.toml` they stand beneath `tool.toolkit`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from toolkit.builtin.catalog import ReadyTool, ready_tools
from toolkit.builtin.options import read_options
from toolkit.problems import did_you_mean
from toolkit.sources.configuration import ReadySettings
from toolkit.tools.names import name_problem

if TYPE_CHECKING:
    from toolkit.mcp.settings.servers import Owner

_KIND = "kind"


class Report(Protocol):
    """Takes what is wrong with the key that a path leads to."""

    def __call__(self, path: Sequence[str], message: str, hint: str | None) -> None:
        """Take it."""


def read_ready_settings(
    tables: Mapping[str, Any], path: Sequence[str], folder: Path, report: Report, owner: "Owner" = "project"
) -> dict[str, ReadySettings]:
    """Return what the tables say, by the names that the tools go by; everything wrong is reported.

    Args:
        tables: A table for each tool.
        path: The keys that lead to them.
        folder: What relative paths start from.
        report: Takes what is wrong.
        owner: Whose file it is.
    """
    settings = {}
    for name, table in tables.items():
        place = [*path, name]
        if not isinstance(table, dict):
            report(place, f"'{'.'.join(place)}' must be a table", f"write [{'.'.join(place)}]")
        elif (tool := _tool_of(table, place, report)) is not None:
            settings[name] = _settings(tool, table, place, folder, report)._replace(owner=owner)
    return settings


def _tool_of(table: Mapping[str, Any], place: Sequence[str], report: Report) -> ReadyTool | None:
    """Return which ready tool a table is about."""
    ready, kind = ready_tools(), table.get(_KIND, place[-1])
    if _KIND in table and (problem := name_problem(place[-1])):
        report(place, problem.message, problem.hint)
    if isinstance(kind, str) and kind in ready:
        return ready[kind]
    if _KIND in table:
        names = ", ".join(f"'{name}'" for name in ready)
        hint = did_you_mean(str(kind), ready, otherwise=f"they are {names}")
        report([*place, _KIND], f"'{'.'.join([*place, _KIND])}' must be the name of a ready tool", hint)
    else:
        otherwise = f"for a name of your own, say which tool it is, as in kind = '{next(iter(ready))}'"
        report(place, f"unknown ready tool '{'.'.join(place)}'", did_you_mean(place[-1], ready, otherwise=otherwise))
    return None


def _settings(
    tool: ReadyTool, table: Mapping[str, Any], place: Sequence[str], folder: Path, report: Report
) -> ReadySettings:
    given = {name: written for name, written in table.items() if name != _KIND}
    values, complaints = read_options(tool.options, given, folder, f"{'.'.join(place)}.")
    for complaint in complaints:
        report([*place, complaint.option], complaint.message, complaint.hint)
    return ReadySettings(tool.name, {name: _real(value) for name, value in values.items()})


def _real(value: Any) -> Any:
    """Return a folder as it really is, so that the one that was judged is the one that is used."""
    if not isinstance(value, Path):
        return value
    try:
        return value.resolve()
    except (OSError, RuntimeError):  # links in a circle: whoever opens it says so
        return value
