"""Checks all tools of some targets in a pool of child processes."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.problems import Problem
from toolkit.testing.contract_checks import ToolReport, check_tool
from toolkit.testing.failing_inputs import FailingInputs
from toolkit.testing.worker_pool import CallingProcess, Catalog, Settings, TestedTool
from toolkit.tools.definition.spec import ToolSpec

_TOOLS_PER_PROCESS: Final = 8
_MOST_TIMEOUTS: Final = 6
"""How many timeouts the calls of a tool may take together; then its other inputs are left out."""


class Checked(NamedTuple):
    """The result of checking tools.

    Attributes:
        reports: A report for each tool, in the order of the targets.
        problems: The problems with targets that could not be opened.
        warnings: The warnings of modules that were imported.
        python: The interpreter that the user named, if any.
    """

    reports: tuple[ToolReport, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...] = ()
    python: str | None = None


def check_tools(settings: Settings, cache: Path | None = None) -> Checked:
    """Check the tools of all targets: call each with many inputs, in child processes.

    Only tools are called that the policy, or a rule of the settings, allows a model to call without a question.

    Args:
        settings: What is tested, and how.
        cache: The folder for the inputs that failed; without one, none are kept.
    """
    known = FailingInputs(cache)
    with ExitStack() as stack:
        first = stack.enter_context(CallingProcess(settings))
        catalog = first.open()
        count = min(os.cpu_count() or 1, ceil(len(catalog.tools) / _TOOLS_PER_PROCESS)) or 1
        others = [stack.enter_context(CallingProcess(settings).use(catalog.targets)) for _ in range(count - 1)]
        processes = [first, *others]
        reports = _in_parallel(processes, catalog, settings, known)
    for report in reports:
        if report.calls:
            known.keep(_key(report.spec), [one.arguments for one in report.findings if one.problem.severity == "error"])
    known.save()
    return Checked(tuple(reports), catalog.problems, catalog.warnings)


def _in_parallel(
    processes: Sequence[CallingProcess], catalog: Catalog, settings: Settings, known: FailingInputs
) -> list[ToolReport]:
    """Check all tools; which process calls which tool is always the same, so that the results are."""

    def check(process: CallingProcess, tool: TestedTool) -> ToolReport:
        return check_tool(
            tool,
            lambda arguments: process.call(tool.key, arguments),
            seed=settings.seed,
            examples=settings.examples,
            known=known.of(_key(tool.spec)),
            budget=settings.configuration.result_tokens,
            longest=_MOST_TIMEOUTS * settings.seconds,
        )

    def work(at: int) -> list[ToolReport]:
        return [check(processes[at], tool) for tool in catalog.tools[at :: len(processes)]]

    if len(processes) == 1:
        return work(0)
    with ThreadPoolExecutor(len(processes)) as pool:
        shares = list(pool.map(work, range(len(processes))))
    return [shares[at % len(processes)][at // len(processes)] for at in range(len(catalog.tools))]


def _key(spec: ToolSpec) -> str:
    return f"{spec.source or ''}:{spec.name}"
