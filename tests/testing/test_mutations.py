"""Mutations of the samples: each tool, pipeline and definition that is changed fails the case that should catch it."""

import shutil
from pathlib import Path

import pytest

from toolkit.cases import read_cases
from toolkit.settings import Configuration
from toolkit_cli.testing.case_runs import CaseRunner  # private

SAMPLES = Path(__file__).parents[2] / "sample_pipelines"
LESSONS, AGENTS = "lessons.cases.yaml", "agents/agents.cases.yaml"

TOTALS = "an order is added up to the last place"
ROUNDED = "discount and tax are rounded by themselves"
REPORT = "a report is written once somebody has approved it"
TRIAGE = "the jobs of errors are listed once, and a torn line is left out"
SALES = "sales are added up by region, month and product"
KEPT = "without a server, the rates that were kept are used"
LIVE = "with a server, its rates are used"
CURRENCY = "an unknown currency is refused"
HEADLINE = "the headline is that of a person"
ROUND = "the round tells of the log and of the order"
PURCHASE = "a purchase is noted at the price of today"
READERS = "readers of overdue books get a letter, the oldest first"
RIDE = "a ride is billed by the minute after the first fifteen"
DAY = "a ride costs no more than a day"
FREE = "the first minutes cost nothing more"
NOTHING = "a ride of no minutes is refused"
PRICES = "prices are compared by the calculator"
BIRD = "a bird is read about before a note is kept"
SENT = "an order is sent once somebody has approved it"
REMINDED = "a customer is reminded of what is owed"
CENT = "finding out costs less than a cent"

# fmt: off
TOOLS = [
    ("order_tools.py", "line.quantity * line.price", "line.price", TOTALS),
    ("order_tools.py", "(net - discount) * order.vat_percent", "net * order.vat_percent", TOTALS),
    ("order_tools.py", "pieces=sum(line.quantity for line in order.lines)", "pieces=len(order.lines)", TOTALS),
    ("order_tools.py", "net - discount + vat", "net + discount + vat", ROUNDED),
    ("order_tools.py", '"0.01"', '"0.1"', ROUNDED),
    ("log_tools.py", 'raise ToolExecutionError(message, code="no_log_line")', "raise ToolExecutionError(message)", TRIAGE),
    ("log_tools.py", "(?:job=(?P<job>\\S+) )?", "(?P<job>)", TRIAGE),
    ("sales_tools.py", "-pair[1]", "pair[1]", SALES),
    ("sales_tools.py", "+= sale.amount", "= sale.amount", SALES),
    ("rate_tools.py", "amount * rate", "amount / rate", KEPT),
    ("library_tools.py", 'loan["due"] < day', 'loan["due"] > day', READERS),
    ("library_tools.py", 'key=lambda loan: loan["due"]', 'key=lambda loan: loan["reader"]', READERS),
    ("ride_tools.py", "FREE_MINUTES = 15", "FREE_MINUTES = 14", FREE),
    ("ride_tools.py", "True: 14", "True: 8", RIDE),
    ("ride_tools.py", "min(ore, DAY)", "ore", DAY),
    ("ride_tools.py", "ore > DAY", "ore >= START", FREE),
    ("ride_tools.py", "minutes < 1", "minutes < 0", NOTHING),
    ("agents/shop.py", 'Decimal("9.50")', 'Decimal("9.00")', SENT),
    ("agents/shop.py", "owes {self.owes}", "owes {self.owes + 1}", REMINDED),
]
PIPELINES = [
    ("order_totals.yaml", "prev.pieces", "len(prev.currency)", TOTALS),
    ("order_report.yaml", '    approve: "Write the report of order ${{ prev.number }} over ${{ prev.total }} ${{ prev.currency }}?"\n', "", REPORT),
    ("order_report.yaml", "path: ${{ inputs.report }}", "path: other.md", REPORT),
    ("log_triage.yaml", "unique(", "list(", TRIAGE),
    ("log_triage.yaml", "on_item_error: skip", "on_item_error: fail", TRIAGE),
    ("sales_summary.yaml", "column: region", "column: product", SALES),
    ("exchange.yaml", "attempts: 3", "attempts: 2", KEPT),
    ("exchange.yaml", "on_error: continue", "on_error: fail", KEPT),
    ("exchange.yaml", "when: ${{ steps.live.status != 'ok' }}", "when: true", LIVE),
    ("announcement.yaml", "startswith(prev, 'No reviewer')", "startswith(prev, 'Faster')", HEADLINE),
    ("morning_round.yaml", "join(prev.log.jobs, ', ')", "prev.log.first", ROUND),
    ("purchase.yaml", "@.stock >=", "@.stock <", PURCHASE),
    ("purchase.yaml", "${{ inputs.pieces }} * ${{", "${{ inputs.pieces }} + ${{", PURCHASE),
    ("ride_bills.yaml", "/ 100", "/ 10", RIDE),
]
DEFINITIONS = [
    ("exchange.yaml", "enum: [EUR, SEK, USD]", "enum: [EUR, SEK, USD, GBP]", CURRENCY),
    ("order_tools.py", "Field(min_length=1)", "Field(min_length=0)", "an order without lines is refused"),
    ("agents/shop.py", "@tool(destructive=True)\ndef send_order", "@tool(read_only=True)\ndef send_order", SENT),
    ("agents/shop.py", "    @tool(destructive=True)\n    def send_reminder", "    @tool(read_only=True)\n    def send_reminder", REMINDED),
    ("agents/shop.py", "@tool\ndef write_order", "@tool(read_only=True)\ndef write_order", SENT),
    ("agents/price_check.yaml", "tools: [calculator]", "tools: [datetime]", PRICES),
    ("agents/bird_reader.yaml", "  read_page: find_birds ", "  read_page: keep_note ", BIRD),
    ("agents/scripts/treasurer.yaml", "cost: 0.002", "cost: 0.02", CENT),
    ("order_report.yaml", "Write the report of order", "Write order", REPORT),
]
# fmt: on
MUTATIONS = [*TOOLS, *PIPELINES, *DEFINITIONS]


@pytest.fixture
def samples(tmp_path):
    """Return a function that copies the samples, with one change if wanted, and returns the folder."""
    numbers = iter(range(1000))

    def copy(file=None, old="", new=""):
        folder = tmp_path / f"samples{next(numbers)}"
        shutil.copytree(SAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
        if file is not None:
            text = (folder / file).read_text("utf-8")
            assert text.count(old) >= 1, (file, old)
            (folder / file).write_text(text.replace(old, new), "utf-8")
        return folder

    return copy


def failures_in(folder, only=None):
    """Return the messages of the cases that fail, by name."""
    failed = {}
    for name in (LESSONS, AGENTS):
        file, problems = read_cases(folder / name)
        assert file is not None, problems
        runner = CaseRunner(Configuration())
        for case in file.cases:
            if only in {None, case.name.text}:
                result = runner.run(case)
                failed |= {case.name.text: result.problems[0].message} if result.problems else {}
    return failed


@pytest.mark.proof
def test_every_mutation_fails_the_case_that_should_catch_it(samples):
    assert len(MUTATIONS) >= 30
    assert failures_in(samples()) == {}
    missed = [
        (file, old) for file, old, new, case in MUTATIONS if case not in failures_in(samples(file, old, new), case)
    ]
    assert missed == []
