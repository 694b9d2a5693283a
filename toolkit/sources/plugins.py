"""Disable pydantic's plugins when tools are only inspected.

Pydantic loads plugins from package metadata in every folder on `sys.path`, and a project's folder can contain metadata
that names any module.
"""

import os


def disable_plugins() -> None:
    """Prevent pydantic from loading plugins in this process."""
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
