"""Renders a run, its steps and its approval questions as an HTML page.

Results are untrusted data, so the page never executes them: its Content-Security-Policy allows only its own style and
script by their digests, everything else is in a data block, and the script inserts it only as text.
"""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolkit.approvals.decisions import REVIEWER
from toolkit.json_texts import json_text
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep
from toolkit.visibility import disarm, visible_json
from toolkit_cli.rendering.run_tables import counted, without_turns, work_of_agents

_TURN: Final = re.compile(r"\[\d+\]")
_Counts = Mapping[str, Counter[str]]


def drawn_graph(run: RecordedRun, steps: Sequence[RecordedStep]) -> list[dict[str, Any]]:
    """Return the steps of the run's pipeline, and other steps that have run, with counts by status."""
    whole, turns = _counts(run, steps)
    planned = _plan(run.request.get("graph") or [], whole, turns)
    known = set(_paths(planned))
    tools = _tools(run, steps)
    others = [path for path in {**whole, **turns} if path not in known]
    nodes = [_node(path or "items", path, tools.get(path, ""), whole, turns) for path in others]
    return [node for node in nodes if not node["path"]] + planned + [node for node in nodes if node["path"]]


def _tools(run: RecordedRun, steps: Iterable[RecordedStep]) -> dict[str, str]:
    """Return the names of the tools or models that steps call, by location in the pipeline."""
    found: dict[str, dict[str, None]] = {}
    for step in steps:
        if step.tool:
            found.setdefault(_place(step.path, run), {})[step.tool] = None
    return {place: ", ".join(names) for place, names in found.items()}


def _counts(run: RecordedRun, steps: Iterable[RecordedStep]) -> tuple[_Counts, _Counts]:
    """Return counts by status for each location: of steps, and of the turns of steps that run for each item."""
    whole: dict[str, Counter[str]] = {}
    turns: dict[str, Counter[str]] = {}
    for step in steps:
        counts = turns if step.path.endswith("]") else whole
        counts.setdefault(_place(step.path, run), Counter())[step.status or "begun"] += 1
    return whole, turns


def _place(path: str, run: RecordedRun) -> str:
    """Return a step's location in the pipeline, without the item or turn that it belongs to."""
    within = path.partition("/")[2] if run.unit == "items" else path
    return without_turns(_TURN.sub("", within))


def _plan(graph: Iterable[Mapping[str, Any]], whole: _Counts, turns: _Counts) -> list[dict[str, Any]]:
    return [
        {
            **_node(step["label"], step["path"], step["tool"] or step["kind"], whole, turns),
            "from": step["from"],
            "branches": [[name, _plan(inner, whole, turns)] for name, inner in step["branches"]],
        }
        for step in graph
    ]


def _node(label: str, path: str, tool: str, whole: _Counts, turns: _Counts) -> dict[str, Any]:
    counts = dict(whole.get(path, {}))
    if not counts and any(one == path or one.startswith(f"{path}/") for one in (*turns, *whole)):
        counts = {"begun": 1}
    return {
        "label": disarm(label),
        "path": path,
        "tool": disarm(tool),
        "counts": counts,
        "turns": dict(turns.get(path, {})),
        "from": [],
        "branches": [],
    }


def _paths(nodes: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for node in nodes:
        yield node["path"]
        for _, inner in node["branches"]:
            yield from _paths(inner)


_MOST_ROWS: Final = 200_000
_ALL_CHARACTERS: Final = 24_000_000
"""Maximum size of all results together, in characters, so that browsers can open the page."""
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 200, 20_000
_WELL: Final = ("ok", "skipped")


class StepRows(NamedTuple):
    """The steps of a run, in the form that the script of the page reads.

    Attributes:
        rows: For each step: path, tool, status, start in milliseconds after the start of the run (None if unknown),
            duration in milliseconds (None if it has not ended), arguments, result.
        span: Duration of the run in milliseconds, as far as its steps show.
        cut_after: Maximum number of characters of arguments and results.
        left_out: Number of steps that the page does not show.
    """

    rows: list[list[Any]]
    span: int
    cut_after: int
    left_out: int


def step_rows(run: RecordedRun, steps: Sequence[RecordedStep]) -> StepRows:
    """Return the steps of a run; if there are too many, failed steps first, then the earliest."""
    held = steps if len(steps) <= _MOST_ROWS else sorted(steps, key=has_ended_well)[:_MOST_ROWS]
    begins = _begins_of(steps)
    limit = min(_MOST_CHARACTERS, max(_FEWEST_CHARACTERS, _ALL_CHARACTERS // max(1, len(held))))
    rows = [_row(step, begins.get(step.path, step.ended), run.began, limit) for step in held]
    span = max([1, *((row[3] or 0) + (row[4] or 0) for row in rows)])
    return StepRows(rows, span, limit, len(steps) - len(held))


def has_ended_well(step: RecordedStep) -> bool:
    """Return whether a step succeeded or was skipped."""
    return step.status in _WELL


def _row(step: RecordedStep, began: float | None, start: float, limit: int) -> list[Any]:
    since = None if began is None else max(0, round((began - start) * 1000))
    took = None if began is None or step.ended is None else max(0, round((step.ended - began) * 1000))
    texts = (_cut(step.arguments, limit), _cut(step.result or "", limit))
    return [disarm(step.path), disarm(step.tool), step.status or "begun", since, took, *texts]


def _begins_of(steps: Sequence[RecordedStep]) -> dict[str, float]:
    """Return the start times of steps; a step without a recorded start gets that of the first step inside it."""
    begins: dict[str, float] = {}
    for step in steps:
        if step.began is not None:
            for path in (step.path, *[step.path[:end] for end, sign in enumerate(step.path) if sign in "/["]):
                begins[path] = min(step.began, begins.get(path, step.began))
    return begins


def _cut(text: str, limit: int) -> str:
    return disarm(text if len(text) <= limit else f"{text[:limit]}…")


_STOPS: Final = ("deny", "reject", "exit_early")
_LONGEST: Final = 20_000


def question_entries(records: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the records that matter to readers: questions, answers by a person, and decisions that stopped a call."""
    return [_entry(record) for record in records if _matters(record)]


def _matters(record: Mapping[str, Any]) -> bool:
    return record.get("event") == "question" or record.get("by") == REVIEWER or record.get("decision") in _STOPS


def _entry(record: Mapping[str, Any]) -> dict[str, str]:
    is_question = record.get("event") == "question"
    rule = record.get("rule")
    entry = {
        "time": record.get("time"),
        "what": "asked" if is_question else record.get("decision"),
        "tool": record.get("tool"),
        "place": record.get("place"),
        "by": record.get("asked_by") if is_question else _who(record),
        "rule": f"{rule['what']} in {rule['file']}:{rule['line']}" if isinstance(rule, dict) else None,
        "reason": record.get("text") if is_question else record.get("reason"),
        "arguments": visible_json(record["arguments"]) if record.get("arguments") else None,
        "edit": visible_json(record["edit"]) if record.get("edit") else None,
    }
    return {name: disarm(str(text))[:_LONGEST] for name, text in entry.items() if text}


def _who(record: Mapping[str, Any]) -> str:
    return " ".join(str(one) for one in (record.get("by"), record.get("person") and f"({record['person']})") if one)


PAGE_MARK: Final = '<meta name="generator" content="toolkit runs show">'
"""A tag that every run page contains."""
_PLACE: Final = re.compile(r"\{\{(\w+)\}\}")
_ENDS_SCRIPTS: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def run_page(run: RecordedRun, steps: Sequence[RecordedStep], records: Sequence[Mapping[str, Any]]) -> str:
    """Return the page for a run.

    Args:
        run: The run.
        steps: Its steps and items.
        records: The audit log records of the run, oldest first.
    """
    style, script = _own("page.css"), _own("page.js")
    parts = {
        "policy": f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'",
        "mark": PAGE_MARK,
        "title": _show(f"{run.target} · {run.id}"),
        "id": _show(run.id),
        "target": _show(run.target),
        "state": _show(run.state),
        "facts": _facts(run, steps),
        "style": style,
        "script": script,
        "data": _data_block(run, steps, records),
    }
    return _PLACE.sub(lambda place: parts[place[1]], _own("page.html"))


def _facts(run: RecordedRun, steps: Sequence[RecordedStep]) -> str:
    arguments = run.request.get("arguments")
    work = work_of_agents(steps)
    facts = {
        "Done": counted(run),
        "Agent": "" if work is None else work.spoken,
        "Began": _when(run.began),
        "Ended": "" if run.ended is None else _when(run.ended),
        "Error": run.error or "",
        "Arguments": visible_json(arguments) if arguments else "",
        "Folder": str(run.request.get("cwd", "")),
    }
    return "".join(f"<dt>{name}</dt><dd>{_show(text)}</dd>" for name, text in facts.items() if text)


def _data_block(run: RecordedRun, steps: Sequence[RecordedStep], records: Sequence[Mapping[str, Any]]) -> str:
    """Return the data for the page's script: JSON that cannot close its script element."""
    rows = step_rows(run, steps)
    questions = question_entries(records)
    data = {"is_batch": run.unit == "items", "graph": drawn_graph(run, steps), **rows._asdict(), "questions": questions}
    return json_text(data, separators=(",", ":")).translate(_ENDS_SCRIPTS).encode(errors="backslashreplace").decode()


def _show(text: str) -> str:
    return escape(disarm(text))


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")


def _own(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
