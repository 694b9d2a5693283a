"""Many clients at once: no call is lost, and what was answered is forgotten."""

import pytest

from tests.mcp.load import TOOLS, put_on
from tests.mcp.serving import Listening


@pytest.mark.proof
@pytest.mark.parametrize(("clients", "calls", "size", "most"), [(16, 40, 100_000, 30), (64, 40, 200, 10)])
def test_many_clients_at_once_lose_no_call_and_the_server_does_not_grow_by_what_it_has_answered(
    tmp_path, figure, clients, calls, size, most
):
    (tmp_path / "tools.py").write_text(TOOLS)
    server = Listening(tmp_path)
    try:
        load = put_on(server, clients, calls, size)
    finally:
        server.close()
    assert load.lost == 0
    assert load.growth < most, str(load)  # what the sixteen are answered since is 48 MB, and as much was sent
    figure(f"{clients} clients at once, {size:,} bytes each way a call: {load}")
