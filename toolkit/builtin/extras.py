"""Checks that the optional packages of a ready tool are installed."""

from importlib.util import find_spec

from toolkit.errors import ConfigurationError
from toolkit.problems import how_to_install


def need(tool: str, extra: str, *packages: str) -> None:
    """Check that packages are installed, without importing them.

    Args:
        tool: The name of the tool that needs them.
        extra: The extra of this project that installs them.
        packages: The names under which they are imported.

    Raises:
        ConfigurationError: If a package is missing; the message explains how to install it.
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        listed = " and ".join(f"'{package}'" for package in missing)
        raise ConfigurationError(f"the tool '{tool}' needs {listed}: {how_to_install(f'toolkit-cli[{extra}]')}")
