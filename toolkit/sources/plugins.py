"""Plugins: pydantic loads none where tools are only looked at.

It takes them from the metadata of every folder on the path, and a project's folder may hold metadata that names any
module.
"""

import os


def leave_plugins_out() -> None:
    """Let pydantic load no plugins in this process from now on."""
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
