"""What every class of attacks shares: a count of attempts and holes, which ends in the table "attacks"."""

from collections.abc import Iterator

import pytest

SKIPPED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Remember whether a test was skipped, such as one of a framework that is not installed."""
    report = yield
    item.stash[SKIPPED] = item.stash.get(SKIPPED, False) or report.skipped
    return report


class Attacks:
    """Counts the attempts of one test, and keeps what got through."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.attempts = 0
        self.holes: list[str] = []

    def count(self, description: str, *, held: bool) -> None:
        """Count one attempt; one that was not `held` is a hole, and `description` says how to repeat it."""
        self.attempts += 1
        if not held:
            self.holes.append(description)


@pytest.fixture
def attacks(request: pytest.FixtureRequest) -> Iterator[Attacks]:
    """Count the attempts of a test; at its end there must have been some, and none may have got through.

    The class that they count for is the module's first docstring line.
    """
    counted = Attacks()
    yield counted
    kind = str(request.module.__doc__).strip().splitlines()[0].rstrip(".")
    request.node.user_properties.append(("attacks", (kind, counted.attempts, len(counted.holes))))
    assert counted.attempts or request.node.stash.get(SKIPPED, False), "a test of attacks that attempted nothing"
    assert not counted.holes, "\n".join(counted.holes)
