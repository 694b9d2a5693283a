"""What tests of frameworks share: the environments that have them."""

import os
from pathlib import Path

import pytest

from tests.frameworks.environments import environment_in


@pytest.fixture(scope="session")
def environment():
    """Return the environment of a name, or skip the test and say how to make it."""
    folder = Path(os.environ.get("TOOLKIT_FRAMEWORKS") or "nowhere")

    def find(name):
        if (found := environment_in(folder, name)) is None:
            command = f"python tests/frameworks/environments.py FOLDER {name}"
            pytest.skip(f"{name} is not here: {command} installs it, and TOOLKIT_FRAMEWORKS=FOLDER tells where")
        return found

    return find
