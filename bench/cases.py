"""Measure L: cases of a plain tool, against calls of the same tool."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.rows import Row
from bench.timing import Times, in_turns
from toolkit import ToolContext, load_tools
from toolkit.approvals import Gate, ScriptedReviewer
from toolkit.cases import read_cases
from toolkit.redactors import Redactor
from toolkit.runs import Run
from toolkit_cli.command_settings import load_configuration  # private: the whole command would measure its start too
from toolkit_cli.testing.case_pool import run_cases  # private: as above

CASES = 1_000
ROUNDS = 7
TOOL = '''
from toolkit import tool


@tool(read_only=True)
def price(order: str, pieces: int = 1) -> dict[str, int]:
    """Look up what an order cost."""
    return {"euros": 80 * pieces, "cents": 50}
'''
CASE = """\
  - name: order {number}
    run: shop.py:price
    with: {{order: A-{number}, pieces: 2}}
    expect: {{output: {{euros: 160, cents: 50}}, calls: [price]}}
"""


def plain_cases() -> Iterator[Row]:
    """Measure cases in one process, once read and run, and once only run; the start of the process is left out."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path("shop.py").write_text(TOOL, "utf-8")
        file = Path(folder, "shop.cases.yaml")
        file.write_text("cases:\n" + "".join(CASE.format(number=number) for number in range(CASES)), "utf-8")
        tool = load_tools(folder)["price"]
        found, _ = read_cases(file)
        assert found is not None
        cases, redactor = found.cases, Redactor()

        def gated(number: int) -> object:
            context = ToolContext(gate=Gate(ScriptedReviewer(())), run=Run(), redactor=redactor)
            return tool.run({"order": f"A-{number}", "pieces": 2}, context)

        def read_and_run() -> None:
            again, _ = read_cases(file)
            assert again is not None
            assert all(one.result.passed for one in run_cases(again.cases, load_configuration))

        contestants = {
            "calls": lambda: [tool.run({"order": f"A-{number}", "pieces": 2}) for number in range(CASES)],
            "gated and recorded calls": lambda: [gated(number) for number in range(CASES)],
            "start": lambda: run_cases(cases[:1], load_configuration),
            "run": lambda: run_cases(cases, load_configuration),
            "read and run": read_and_run,
        }
        times = in_turns(contestants, rounds=ROUNDS, units=CASES)
    start = times.pop("start")
    for unit, target, goal in (("calls", 3.0, 3.0), ("gated and recorded calls", 3.0, 2.0)):
        for ours in ("run", "read and run"):
            taken = Times(times[ours].best - start.best, times[ours].median - start.median)
            yield Row("L", f"{CASES:,} cases of a plain tool, {ours}", times[unit], unit, taken, target, goal)


MEASURES = {"L": [plain_cases]}
