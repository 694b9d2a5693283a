"""Extras: packages that only some ready tools need, and the fix where one is missing."""

from importlib.util import find_spec

from toolkit.errors import ConfigurationError
from toolkit.problems import how_to_install


def need(tool: str, extra: str, *packages: str) -> None:
    """Make sure that packages are there, without importing them.

    Args:
        tool: The name of the tool that needs them.
        extra: The extra of this project that brings them.
        packages: What they are imported as.

    Raises:
        ConfigurationError: If one is missing; the message says how it is installed.
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        listed = " and ".join(f"'{package}'" for package in missing)
        raise ConfigurationError(f"the tool '{tool}' needs {listed}: {how_to_install(f'toolkit-cli[{extra}]')}")
