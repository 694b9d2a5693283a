"""Many clients at once: no call is lost, and what was answered is forgotten."""

import pytest

from tests.mcp.load import TOOLS, put_on
from tests.mcp.serving import Listening


@pytest.mark.proof
def test_many_clients_at_once_lose_no_call_and_the_server_does_not_grow_by_what_it_has_answered(tmp_path, figure):
    (tmp_path / "tools.py").write_text(TOOLS)
    server = Listening(tmp_path)
    try:
        load = put_on(server, clients=16, calls=40, size=100_000)
    finally:
        server.close()
    assert load.lost == 0
    assert load.growth < 30, str(load)  # what was answered since is 48 MB, and as much was sent
    figure(f"16 clients at once, 100 kB each way a call: {load}")
