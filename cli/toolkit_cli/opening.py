"""Opening: what was named on the command line becomes tools; where nothing was named, all that there are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit_cli.settings import load_configuration

if TYPE_CHECKING:
    from toolkit.sources.configuration import Configuration
    from toolkit.sources.opening import Opened

_READY = "builtin"


def open_named(
    targets: Sequence[str] | None, more_sources: Sequence[str] | None = None, grant: Sequence[str] | None = None
) -> "Opened":
    """Open the targets as `open_configured` does, with the configuration of the working directory.

    Args:
        targets: As they were typed.
        more_sources: Sources from `--tools`, in which names are looked up too.
        grant: Permissions from `--grant`, without which some groups are not offered.

    Returns:
        The tools by name, and what is wrong with the rest.

    Raises:
        ConfigurationError: With everything that is wrong in the configuration.
    """
    return open_configured(targets, load_configuration(more_sources, grant))


def open_configured(targets: Sequence[str] | None, configuration: "Configuration") -> "Opened":
    """Open the targets, or, without any, every configured source and the built-in tools.

    Args:
        targets: As they were typed.
        configuration: Where names are looked up.

    Returns:
        The tools by name, and what is wrong with the rest.
    """
    from toolkit.sources.opening import Opened, open_targets  # noqa: PLC0415 - help and completion need none

    if targets:
        return open_targets(targets, configuration)
    own = open_targets([], configuration) if configuration.sources else Opened({}, [])
    ready = open_targets([_READY], configuration)
    # A tool of one's own stands before a built-in one of the same name, as it does wherever names are looked up.
    return Opened(
        {**own.tools, **{name: tool for name, tool in ready.tools.items() if name not in own.tools}}, own.problems
    )
