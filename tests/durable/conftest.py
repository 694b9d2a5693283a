"""A server for the tests of stores."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from tests.databases import Postgres, programs


@pytest.fixture(scope="session")
def postgres():
    """A real PostgreSQL, or a reason why there is none."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="toolkit-postgres-"))
    folder.chmod(0o755)
    server = Postgres(folder / "server")
    yield server
    with suppress(CalledProcessError):
        server.kill()
    shutil.rmtree(folder, ignore_errors=True)
