"""What holds for every test."""

import os
import signal

import pytest

# A runner that was started in the background has these ignored, and hands that on to the programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
for name in ("SIGHUP", "SIGTERM"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


@pytest.fixture
def no_keys(monkeypatch):
    """An environment without keys, proxies and addresses of models, so that nothing leaves this machine."""
    for name in [name for name in os.environ if name.upper().endswith(("_KEY", "_PROXY", "_BASE_URL", "_TOKEN"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def figure(record_property):
    """Note a figure that a test found out; all of them are printed at the end."""

    def note(text):
        record_property("figure", text)

    return note


def pytest_terminal_summary(terminalreporter):
    """Print the figures by the tests that found them, and the attacks by their class."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    figures = sorted(
        (report.nodeid.split("::", 1)[-1], text)
        for report in reports
        for name, text in getattr(report, "user_properties", ())
        if name == "figure" and report.when == "call"
    )
    if figures:
        terminalreporter.section("figures")
        for test, text in figures:
            terminalreporter.line(f"{test}: {text}")
    attacks = [
        counted
        for report in reports
        for name, counted in getattr(report, "user_properties", ())
        if name == "attacks" and report.when == "teardown"
    ]
    if attacks:
        terminalreporter.section("attacks")
        for line in _table_of_attacks(attacks):
            terminalreporter.line(line)


def _table_of_attacks(attacks):
    """Return a line for each class of attacks: how many were attempted, and how many got through."""
    totals = {}
    for kind, attempts, holes in attacks:
        before = totals.get(kind, (0, 0))
        totals[kind] = (before[0] + attempts, before[1] + holes)
    everything = (sum(attempts for attempts, _ in totals.values()), sum(holes for _, holes in totals.values()))
    rows = [*sorted(totals.items()), ("all", everything)]
    return [f"{attempts:>7} attempts  {holes:>3} holes  {kind}" for kind, (attempts, holes) in rows]
