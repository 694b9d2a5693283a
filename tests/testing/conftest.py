"""The front doors, as in the tests of the command line."""

import shutil

import pytest

from tests.cli.conftest import invoke, program, project
from tests.frameworks.conftest import environment
from tests.testing.corpus import CASES

__all__ = ["environment", "invoke", "program", "project"]


@pytest.fixture
def corpus(project):
    """Copy the files of one framework into the working directory."""

    def copy(framework):
        shutil.copytree(CASES / framework, project, dirs_exist_ok=True)

    return copy
