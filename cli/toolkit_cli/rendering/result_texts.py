"""Renders results of calls and batches, the outputs of finished steps of a run that failed, and the usage of models."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from toolkit.amounts import money
from toolkit.runs.records import ModelUse
from toolkit.tools.calls.results import ToolResult
from toolkit.visibility import disarm
from toolkit_cli import console
from toolkit_cli.rendering.event_lines import around, spoken_seconds
from toolkit_cli.rendering.styles import Line, one_line

if TYPE_CHECKING:
    from toolkit.dialects.client_results import Received

Format = Literal["text", "json", "jsonl"]


def rendered_result(
    result: ToolResult,
    format: Format,
    steps: Sequence[Mapping[str, Any]] = (),
    uses: Sequence[ModelUse] = (),
    *,
    for_terminal: bool,
) -> str:
    """Return a result for stdout; as text, this is only the output, and nothing for a failure.

    Args:
        result: The result of the call.
        format: The output format.
        steps: The steps as plain data, which only `json` includes; with `jsonl`, they were shown as events already.
        uses: The requests to models.
        for_terminal: Whether stdout is a terminal.
    """
    match format:
        case "json":
            record = result_record(result) | {"steps": list(steps), "usage": usage_record(uses) if uses else None}
            return f"{console.json_without_secrets(record, indent=2)}\n"
        case "jsonl":
            record = {"event": "result"} | result_record(result) | {"usage": usage_record(uses) if uses else None}
            return f"{console.json_without_secrets(record)}\n"
        case "text":
            return _as_text(result.output, for_terminal=for_terminal)


def rendered_view(seen: "Received", result: ToolResult, format: Format) -> str:
    """Return what the model of a client receives of a result: as text, or with the result as JSON."""
    if format == "text":
        return _as_text(console.redactor().text(seen.text), for_terminal=console.data_is_terminal())
    from toolkit_cli.rendering.client_views import view_record  # few runs are shown as a client sees them

    record = result_record(result) | {"received": view_record(seen)}
    return f"{console.json_without_secrets(record, indent=2 if format == 'json' else None)}\n"


def result_record(result: ToolResult) -> dict[str, Any]:
    """Return a result as plain data; every key is always present."""
    return {
        "succeeded": result.succeeded,
        "output": result.output,
        "structured": result.structured,
        "error": result.error,
        "error_code": result.error_code,
    }


def usage_record(uses: Sequence[ModelUse]) -> dict[str, Any]:
    """Return the total usage of requests to models, as plain data."""
    costs = [use.cost for use in uses if use.cost is not None]
    return {
        "requests": len(uses),
        "input_tokens": sum(use.input_tokens for use in uses),
        "output_tokens": sum(use.output_tokens for use in uses),
        "cost": sum(costs) if costs else None,
    }


def _as_text(output: str, *, for_terminal: bool) -> str:
    if not output:
        return ""
    if for_terminal:
        output = disarm(output)
    return output if output.endswith("\n") else f"{output}\n"


def finished_lines(steps: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return the complete outputs, one per line; steps inside a successful step are left out."""
    whole = {str(step["path"]) for step in steps if step["status"] == "ok"}
    found = [pair for step in steps if not whole & around(str(step["path"])) for pair in _outputs(step)]
    after = [pair for pair in found if pair[0].startswith("on_failure/")]
    before = [pair for pair in found if pair not in after]
    return [*_listed("finished before the failure", before), *_listed("finished after the failure", after)]


def _listed(title: str, found: Sequence[tuple[str, str]]) -> list[Line]:
    lines: list[Line] = [[("quiet", f"  {one_line(name)}  "), ("plain", one_line(output))] for name, output in found]
    return [[], [("strong", title)], *lines] if lines else []


def _outputs(step: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if step["status"] == "ok" and step["output"]:
        yield step["path"], step["output"]
    for item in step.get("items", {}).get("kept", ()):
        yield f"{step['path']}, item {item['index'] + 1} ({item['item']})", item["output"]


def usage_line(uses: Sequence[ModelUse]) -> str:
    """Return the number of requests, the models, tokens, cost (if known) and time of requests to models."""
    models = list(dict.fromkeys(one_line(use.model) for use in uses))
    named = " and ".join(filter(None, (", ".join(models[:-1]), *models[-1:]))) or "no model"
    parts = [f"{len(uses)} request{'s' if len(uses) != 1 else ''} to {named}"]
    sent, received = sum(use.input_tokens for use in uses), sum(use.output_tokens for use in uses)
    if sent or received:
        parts.append(f"{sent:,} tokens sent, {received:,} received")
    known = [use.cost for use in uses if use.cost is not None]
    if known:
        is_all = all(use.cost is not None or not use.tokens for use in uses)
        parts.append(money(sum(known), 6) + ("" if is_all else " plus an unknown amount"))
    return " · ".join([*parts, spoken_seconds(sum(use.seconds for use in uses))])


def progress_words(
    *, done: int, failed: int, rate: float, cost: float | None, fraction: float | None, remaining: float | None
) -> str:
    """Return the progress of a batch on one line."""
    parts = [f"{done:,} items", f"{_rate(rate)}/s"]
    if fraction is not None:
        parts.insert(0, f"{fraction:.0%}")
    if failed:
        parts.append(f"{failed:,} failed")
    if cost is not None:
        parts.append(money(cost))
    if remaining is not None:
        parts.append(f"{spoken_seconds(remaining)} left")
    return " · ".join(parts)


def summary_line(*, done: int, failed: int, waiting: int, cost: float | None, requests: int, seconds: float) -> str:
    """Return the summary of a batch on one line."""
    parts = [f"{done:,} item{'s' if done != 1 else ''}", f"{done - failed - waiting:,} succeeded"]
    if failed:
        parts.append(f"{failed:,} failed")
    if waiting:
        parts.append(f"{waiting:,} wait{'s' if waiting == 1 else ''} for approval")
    if requests:
        parts.append(f"{requests:,} request{'s' if requests != 1 else ''} to models")
    if cost is not None:
        parts.append(money(cost))
    return " · ".join([*parts, spoken_seconds(seconds)])


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"  # noqa: PLR2004 - below ten, a decimal is useful
