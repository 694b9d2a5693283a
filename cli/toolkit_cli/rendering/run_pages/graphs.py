"""The graph of a run page: the steps of a pipeline with counts by status."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from toolkit.journals.kept_runs import KeptRun, KeptStep
from toolkit.visibility import disarm
from toolkit_cli.rendering.agent_turns import without_turns

_TURN: Final = re.compile(r"\[\d+\]")
_Counts = Mapping[str, Counter[str]]


def drawn_graph(run: KeptRun, steps: Sequence[KeptStep]) -> list[dict[str, Any]]:
    """Return the steps of the run's pipeline, and other steps that have run, with counts by status."""
    whole, turns = _counts(run, steps)
    planned = _plan(run.request.get("graph") or [], whole, turns)
    known = set(_paths(planned))
    tools = _tools(run, steps)
    others = [path for path in {**whole, **turns} if path not in known]
    nodes = [_node(path or "items", path, tools.get(path, ""), whole, turns) for path in others]
    return [node for node in nodes if not node["path"]] + planned + [node for node in nodes if node["path"]]


def _tools(run: KeptRun, steps: Iterable[KeptStep]) -> dict[str, str]:
    """Return the names of the tools or models that steps call, by location in the pipeline."""
    found: dict[str, dict[str, None]] = {}
    for step in steps:
        if step.tool:
            found.setdefault(_place(step.path, run), {})[step.tool] = None
    return {place: ", ".join(names) for place, names in found.items()}


def _counts(run: KeptRun, steps: Iterable[KeptStep]) -> tuple[_Counts, _Counts]:
    """Return counts by status for each location: of steps, and of the turns of steps that run for each item."""
    whole: dict[str, Counter[str]] = {}
    turns: dict[str, Counter[str]] = {}
    for step in steps:
        counts = turns if step.path.endswith("]") else whole
        counts.setdefault(_place(step.path, run), Counter())[step.status or "begun"] += 1
    return whole, turns


def _place(path: str, run: KeptRun) -> str:
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
