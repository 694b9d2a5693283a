"""Clearance: what would be asked about, found out before any work, and the flag that would allow each."""

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import Allowance, DescribedCall, Verdict
from toolkit.approvals.risks import Risk
from toolkit.json_texts import json_text
from toolkit.problems import Location, Problem
from toolkit.tools.base import Tool
from toolkit.tools.hiding import MASK

if TYPE_CHECKING:
    from toolkit.pipelines.plans import PlannedStep

_LONGEST_IN_FLAG = 80


class Question(NamedTuple):
    """A call that a person would be asked about.

    Attributes:
        call: The call, with its arguments as far as they are known.
        verdict: Why it would be asked about.
        step: The step that makes it, or `None` for the call itself.
        location: Where that step is written.
    """

    call: DescribedCall
    verdict: Verdict
    step: str | None = None
    location: Location | None = None


def questions_of(tool: Tool, arguments: Mapping[str, Any], gate: Gate) -> list[Question]:
    """Return every question that a call may lead to, its own and those of the steps of a pipeline.

    A step counts whether or not its condition will hold. What a tool asks of its own accord is not known beforehand.
    """
    call = DescribedCall(tool.spec.risk, "person", None, tool.describe(tool.parse(arguments)))
    verdict = gate.verdict_on(call)
    own = [Question(call, verdict)] if verdict.action != "allow" else []
    return [*own, *_questions_within(tool, call.arguments or {}, gate)]


def _questions_within(tool: Tool, arguments: Mapping[str, Any], gate: Gate) -> Iterator[Question]:
    if "toolkit.pipelines.pipeline" not in sys.modules:  # nothing is one
        return
    from toolkit_cli.rendering.tools import pipeline_in  # noqa: PLC0415
    from toolkit_cli.running.foresight import known_arguments  # noqa: PLC0415 - a plain tool needs none

    pipeline = pipeline_in(tool)
    if pipeline is None:
        return
    for step in pipeline.plan.walk():
        call = _call_of(step, known_arguments(step, pipeline.plan, arguments))
        if call is None:
            continue
        verdict = gate.verdict_on(call)
        if verdict.action != "allow":
            yield Question(call, verdict, step.path, step.definition.location)
        if step.tool is not None:
            for question in _questions_within(step.tool, call.arguments or {}, gate):
                yield question._replace(step=f"{step.path}/{question.step}")


def _call_of(step: "PlannedStep", known: Mapping[str, Any]) -> DescribedCall | None:
    asks = step.definition.approval is not None
    if step.tool is None and not asks:
        return None
    risk = step.tool.spec.risk if step.tool is not None else Risk(step.label, requires_approval=True)
    return DescribedCall(risk, "person", f"step '{step.label}'" if asks else None, known)


def problem_of(question: Question, because: str) -> Problem:
    """Return the Problem that a call cannot be asked about, with the flag that would allow it."""
    tool = question.call.risk.tool
    asker = f"step '{question.step}'" if question.step else f"'{tool}'"
    what = f"{asker} needs approval" + (f" to run '{tool}'" if question.step not in {None, tool} else "")
    if question.verdict.action == "deny":
        return Problem("", f"{asker} is denied: {question.verdict.because}", question.location)
    because_of = question.verdict.because
    reason = f" ({because_of})" if because_of and because_of != asker else ""
    from shlex import quote  # noqa: PLC0415 - only bad news needs it

    hint = f"allow it with --approve {quote(flag_for(question.call))}, or every question with --yes"
    return Problem("", f"{what}{reason}, and {because}", question.location, hint=hint)


def flag_for(call: DescribedCall) -> str:
    """Return the narrowest rule for `--approve` that allows this call, as far as its arguments are known."""
    import glob  # noqa: PLC0415 - only bad news needs it

    pairs = [
        f"{name}={glob.escape(text)}"
        for name, value in (call.arguments or {}).items()
        if (text := _short_text(value)) is not None and text != MASK and name.isidentifier()
    ]
    narrow = f"{call.risk.tool}({', '.join(pairs)})" if pairs else call.risk.tool
    try:
        return narrow if Allowance.parse(narrow).covers(call) else call.risk.tool
    except ValueError:
        return call.risk.tool


def _short_text(value: Any) -> str | None:
    """Return a value as a rule matches it, if it is short enough to stand in a flag."""
    text = value if isinstance(value, str) else json_text(value, separators=(",", ":"))
    return text if len(text) <= _LONGEST_IN_FLAG and text.isprintable() else None
