"""Choices: which tools a setting chooses, checked where it is read."""

from toolkit.documents.tables import Spot


def read_choices(wanted: tuple[str, ...], spot: Spot) -> tuple[str, ...]:
    """Return what is chosen of tools: names, patterns, regular expressions; one that is broken is reported."""
    from toolkit.disclosure.groups import matches  # noqa: PLC0415 - few settings choose

    for choice in wanted:
        try:
            matches("", choice)
        except ValueError as error:
            spot.report(str(error))
    return wanted
