"""What the program says of modules of other frameworks; see `sessions.py`."""

import pytest

from tests.frameworks.sessions import sessions

pytestmark = pytest.mark.proof

PLAYED = [(session, name) for session in sessions() for name in session.environments]


@pytest.mark.parametrize(("session", "name"), PLAYED, ids=[f"{one.folder.name}-{name}" for one, name in PLAYED])
def test_session_goes_as_it_is_written(session, name, environment):
    assert session.played(environment(name)) == session.text
