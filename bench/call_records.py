"""Measure K: the time that the audit log and the journal add to each call and each step."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.calls import STEPS, Dotted
from bench.rows import Row
from bench.timing import Times, in_turns, repeated
from toolkit import Pipeline, ToolContext, from_function, resolve_tools, tool
from toolkit.approvals import AllowAll, AuditLog, Gate
from toolkit.runs import Run
from toolkit.stores import JournalFile

ROUNDS = 5
CALLS = 200


@tool(destructive=True)
def wipe(path: str) -> str:
    """Do nothing."""
    return path


def audited_call() -> Iterator[Row]:
    """Measure the time that recording a decision adds to a call, including the wait for the disk."""
    ours, arguments = from_function(wipe), json.dumps({"path": "a"})
    with TemporaryDirectory() as folder:
        gates = {"without": Gate(policy=AllowAll("--yes")), "with": Gate(policy=AllowAll("--yes"))}
        gates["with"].audit = AuditLog(Path(folder) / "audit.jsonl")
        contexts = {name: ToolContext(gate=gate) for name, gate in gates.items()}
        times = in_turns(
            {name: repeated(partial(ours.run, arguments, one), CALLS) for name, one in contexts.items()},
            rounds=ROUNDS,
            units=CALLS,
        )
    yield Row("K", "what the audit log adds to a decided call", None, "", added(times), 4e-5, 3e-5, beside(times))


def journaled_step() -> Iterator[Row]:
    """Measure the time that the journal adds to each of ten text steps."""
    pipeline = Pipeline.of(*resolve_tools([Dotted(number) for number in range(STEPS)]).values())
    text, numbers = json.dumps({"input": "hello"}), iter(range(10**9))
    with TemporaryDirectory() as folder:
        file = JournalFile(Path(folder) / "runs.db")

        def journaled() -> None:
            run = str(next(numbers))
            journal = file.begin(run, "steps", "steps", request={}, definition={}, unit="steps", of=STEPS)
            for _ in range(CALLS):
                pipeline.run(text, ToolContext(run=Run(journal=journal)))

        def plain() -> None:
            for _ in range(CALLS):
                pipeline.run(text, ToolContext(run=Run()))

        times = in_turns({"without": plain, "with": journaled}, rounds=ROUNDS, units=CALLS * STEPS)
    yield Row("K", "what the journal adds to a step", None, "", added(times), 6e-5, 6e-5, beside(times))


def added(times: dict[str, Times]) -> Times:
    """Return the difference between the times with and without a record."""
    bare, recorded = times["without"], times["with"]
    return Times(recorded.best - bare.best, recorded.median - bare.median)


def beside(times: dict[str, Times]) -> dict[str, Times]:
    """Return the time without a record, for comparison."""
    return {"without": times["without"]}


MEASURES = {"K": [audited_call, journaled_step]}
