"""Every sample plans, lints clean, and runs on the files that lie beside it."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from toolkit import Continue, Edit, Reject, ToolContext, ToolResult, load_pipeline, load_tools
from toolkit.approvals import Decision, ScriptedReviewer
from toolkit.lint import check
from toolkit.settings import Configuration

SAMPLES = Path(__file__).parents[1] / "sample_pipelines"
PIPELINES = sorted(path.name for path in SAMPLES.glob("*.yaml") if ".cases" not in path.name)

REPORT = """\
# Order A-1042

Customer: Blåbær Kafé, Tromsø

- 12 × Espresso beans, 1 kg
- 40 × Oat milk, 1 l
- 6 × Paper cups, 100 pcs

| | NOK |
|---|---:|
| Net | 3732.80 |
| Discount | -186.64 |
| VAT | 886.54 |
| **Total** | **4432.70** |
"""


@pytest.fixture(autouse=True)
def samples_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the samples, with the working directory above it, as in a fresh clone."""
    shutil.copytree(SAMPLES, tmp_path / "sample_pipelines", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(name: str, *decisions: Decision, **inputs: object) -> ToolResult:
    pipeline = load_pipeline(f"sample_pipelines/{name}.yaml")
    return pipeline.run(inputs, ToolContext(reviewer=ScriptedReviewer(decisions)))


def test_there_is_a_lesson_for_each_of_the_samples() -> None:
    lessons = (SAMPLES / "README.md").read_text()
    assert [name for name in PIPELINES if name not in lessons] == []
    assert len(PIPELINES) >= 6


def test_samples_lint_clean(samples_below: Path) -> None:
    assert check(["sample_pipelines"], Configuration()) == []


def test_order_totals_adds_up_an_order_to_the_last_place() -> None:
    assert run("order_totals").output == "Order A-1042: 58 pieces, 4432.70 NOK"


def test_order_report_writes_what_the_reviewer_approved(samples_below: Path) -> None:
    result = run("order_report", Continue())
    assert result.structured == {"report": "order_report.md", "total": "4432.70"}
    assert (samples_below / "order_report.md").read_text() == REPORT


def test_order_report_writes_what_the_reviewer_made_of_it(samples_below: Path) -> None:
    run("order_report", Edit({"path": "other.md", "content": "short"}))
    assert (samples_below / "other.md").read_text() == "short"
    assert not (samples_below / "order_report.md").exists()


def test_order_report_writes_nothing_when_it_is_rejected(samples_below: Path) -> None:
    result = run("order_report", Reject("not today"))
    assert (result.error, result.error_code) == ("Rejected by reviewer: not today", "rejected")
    assert not (samples_below / "order_report.md").exists()


def test_log_triage_leaves_out_the_torn_line() -> None:
    assert run("log_triage").structured == {
        "lines": 8,
        "errors": 2,
        "jobs": ["nightly-import", "send-invoices"],
        "first": "connection to db-2 refused",
    }


def test_sales_summary_adds_up_in_three_branches() -> None:
    assert run("sales_summary").structured == {
        "best_region": "North",
        "best_month": "2026-08",
        "products": {"beans": "56850.50", "milk": "9209.30", "cups": "6431.00"},
    }


def test_exchange_falls_back_on_the_rates_that_were_kept() -> None:
    assert run("exchange", amount=250, currency="EUR").output == "250 EUR = 2935.00 NOK (rate of 2026-11-20)"


def test_exchange_refuses_a_currency_that_it_does_not_know() -> None:
    result = run("exchange", currency="GBP")
    assert result.error == "Invalid parameter 'currency': should be 'EUR', 'SEK' or 'USD', not \"GBP\""


def test_announcement_takes_the_headline_from_a_person() -> None:
    notes = (SAMPLES / "release_notes.md").read_text()
    assert run("announcement", Edit("Out now!")).output == f"# Out now!\n\n{notes}"


def test_announcement_finds_a_headline_when_nobody_is_there() -> None:
    result = load_pipeline("sample_pipelines/announcement.yaml").run({})
    assert result.output.startswith("# News\n\n- Pipelines can call pipelines.")


def test_morning_round_calls_two_other_samples() -> None:
    assert run("morning_round").output == (
        "Jobs that need attention: nightly-import, send-invoices\nOrder A-1042: 58 pieces, 4432.70 NOK\n"
    )


@pytest.fixture
def supplier(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server of lesson 8, as `python -m http.server` starts it, on a port that is free."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SAMPLES))
    monkeypatch.setenv("OFFERS_PORT", str(server.server_port))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.usefixtures("supplier")
def test_purchase_fetches_picks_reckons_and_writes(samples_below: Path) -> None:
    result = run("purchase", Continue(), pieces=24)
    assert result.text == "594 NOK"
    assert (samples_below / "purchase.md").read_text() == "24 × Oat milk, 1 l, organic at 24.75 NOK: 594 NOK\n"


@pytest.mark.usefixtures("supplier")
def test_purchase_writes_nothing_without_consent(samples_below: Path) -> None:
    assert run("purchase", Reject("too dear"), product="Paper", pieces=10).error == "Rejected by reviewer: too dear"
    assert not (samples_below / "purchase.md").exists()


def test_purchase_says_that_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFERS_PORT", "9")
    result = run("purchase", Continue())
    assert (result.succeeded, result.error_code) == (False, "network")


def test_reminders_are_written_by_tools_behind_a_facade() -> None:
    assert run("reminders").output == (
        "Dear Cora, 'Kristin Lavransdatter' was due on 2026-10-19.\n"
        "Dear Ada, 'Growth of the Soil' was due on 2026-11-02."
    )
    assert run("reminders", day="2026-10-01").output == ""


def test_the_tools_of_the_samples_say_what_they_are() -> None:
    tools = load_tools("sample_pipelines/order_tools.py", "sample_pipelines/log_tools.py")
    assert json.loads(tools["read_entry"].run({"line": "2026-11-20T08:00:02Z INFO  job=x started"}).output) == {
        "time": "2026-11-20T08:00:02Z",
        "level": "INFO",
        "job": "x",
        "message": "started",
    }
    assert tools["total_order"].spec.parameters["properties"]["order"]["required"] == [
        "number",
        "customer",
        "currency",
        "lines",
    ]


@pytest.mark.proof
def test_over_mcp_calls_a_served_pipeline_back(samples_below: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "sample_pipelines/over_mcp.py"], capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    assert finished.stdout == f"Thank you! {run('order_totals').output}.\n"


def test_ride_bills_are_written_for_ten_thousand_rides_and_the_faulty_ones_are_named(
    samples_below: Path, monkeypatch: pytest.MonkeyPatch, tries: Callable[[int], int]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(samples_below / "state"))
    made = subprocess.run(
        [sys.executable, "sample_pipelines/make_rides.py"], capture_output=True, timeout=60, check=True
    )
    rides = made.stdout.splitlines(keepends=True)
    assert len(rides) == 10_000
    count = tries(10_000)
    faulty = list(range(833, count + 1, 833))
    (samples_below / "rides.jsonl").write_bytes(b"".join(rides[:count]))
    words = ["run", "sample_pipelines/ride_bills.yaml", "--each", "rides.jsonl", "--out", "bills.jsonl"]
    batch = subprocess.run(
        [sys.executable, "-m", "toolkit_cli", *words], capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    bills = [json.loads(line) for line in (samples_below / "bills.jsonl").read_text("utf-8").splitlines()]
    assert [bill["item"] for bill in bills] == list(range(1, count + 1))
    assert [bill["item"] for bill in bills if "error" in bill] == faulty
    assert bills[0]["output"] == {"ride": "R00001", "text": "7 minutes from Aker Brygge: 2.0 NOK"}
    assert batch.stderr.splitlines()[0].startswith("rides.jsonl:833: Missing required parameter(s): minutes")
    assert f" · {count - len(faulty):,} succeeded · {len(faulty)} failed · " in batch.stderr
    assert batch.returncode == 1
