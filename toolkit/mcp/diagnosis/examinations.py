"""Examine servers in parallel, each step by step, until one fails; `toolkit mcp list`, `ping` and `doctor` do so."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Final

from toolkit.mcp.client.failure_reasons import StepName
from toolkit.mcp.diagnosis.diagnoses import Check, Diagnosis, Step
from toolkit.mcp.diagnosis.http_answers import opened_with_reasons
from toolkit.mcp.diagnosis.network_checks import addressed
from toolkit.mcp.diagnosis.session_checks import answering, configured, opened, permitted, startable
from toolkit.mcp.diagnosis.tool_checks import callable_tool, fitting, listed, usable
from toolkit.mcp.settings.server_settings import McpServer, StdioServer
from toolkit.running import gather, run_coroutine

Plan = Mapping[Check, Sequence[StepName]]
"""The checks in their order, each with the steps that it consists of."""

LISTING: Final[Plan] = {configured: ("configuration",), opened: ("protocol",), listed: ("tools",)}
"""Whether a server answers, and which tools it lists."""

PINGING: Final[Plan] = {configured: ("configuration",), opened: ("protocol",), answering: ("ping",)}
"""Whether a server answers, and how fast."""

_BEFORE: Final[Plan] = {configured: ("configuration",), permitted: ("consent",)}
_AFTER: Final[Plan] = {usable: ("tools",), fitting: ("limits",), callable_tool: ("call",)}
_OF_COMMAND: Final[Plan] = {**_BEFORE, startable: ("command",), opened: ("process", "protocol"), **_AFTER}
_OF_ADDRESS: Final[Plan] = {
    **_BEFORE,
    addressed: ("address", "connection", "tls"),
    opened_with_reasons: ("authorization", "protocol"),
    **_AFTER,
}


def everything_about(server: McpServer) -> Plan:
    """Return all checks for a server."""
    return _OF_COMMAND if isinstance(server, StdioServer) else _OF_ADDRESS


def examine(
    diagnoses: Sequence[Diagnosis],
    plan_for: Callable[[McpServer], Plan],
    done: Callable[[Diagnosis], None] = lambda _: None,
) -> None:
    """Examine servers in parallel, each until a step fails.

    Args:
        diagnoses: The servers, each with what its diagnosis depends on; they receive the steps.
        plan_for: Returns the checks for a server. Without a check of the consent, the caller must have it.
        done: Called with each finished diagnosis, in their order.

    Raises:
        ExitEarlyError: If the reviewer of a call ends the run.
    """
    waiting, finished = list(diagnoses), set[str]()

    async def work(found: Diagnosis) -> bool:
        await _examine(found, plan_for(found.server))
        finished.add(found.server.name)
        while waiting and waiting[0].server.name in finished:
            done(waiting.pop(0))
        return True

    run_coroutine(lambda: gather([partial(work, found) for found in diagnoses]))


async def _examine(found: Diagnosis, plan: Plan) -> None:
    """Perform the checks of a plan until a step fails, and note all others as skipped."""
    last = perf_counter()
    for check in plan:
        async for step in check(found):
            seconds = perf_counter() - last if step.seconds is None else step.seconds
            last += seconds
            found.steps.append(step._replace(seconds=None if step.state == "skipped" else seconds))
        if found.failure is not None:
            break
    found.steps += [Step(name, "skipped") for name in _left(found, plan)]


def steps_left(found: Diagnosis) -> list[StepName]:
    """Return the steps of a diagnosis with all checks that have not ended, in their order."""
    return _left(found, everything_about(found.server))


def _left(found: Diagnosis, plan: Plan) -> list[StepName]:
    ended = {step.name for step in found.steps}
    return [name for names in plan.values() for name in names if name not in ended]
