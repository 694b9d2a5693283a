"""Checks settings that select tools."""

from toolkit.documents.tables import Spot


def read_choices(wanted: tuple[str, ...], spot: Spot) -> tuple[str, ...]:
    """Return names, patterns and regular expressions that select tools; report each invalid one."""
    from toolkit.disclosure.groups import matches  # noqa: PLC0415 - few settings choose

    for choice in wanted:
        try:
            matches("", choice)
        except ValueError as error:
            spot.report(str(error))
    return wanted
