"""Renders recorded runs: a table of runs, one run in full, and a step on one line."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from toolkit.journals.kept_runs import KeptRun, KeptStep
from toolkit_cli.rendering.agent_turns import words_of, work_of_agents
from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.events import spoken_seconds
from toolkit_cli.rendering.styles import Line, Style
from toolkit_cli.rendering.tables import table

_LONGEST: Final = 100


def listed_runs(runs: Sequence[KeptRun], width: int) -> list[Line]:
    """Return a table of runs."""
    rows = [(run.id, run.state, counted(run), _when(run.began), one_line(run.target)) for run in runs]
    return table(("ID", "STATE", "DONE", "BEGAN", "TARGET"), rows, width)


def shown_run(run: KeptRun, steps: Sequence[KeptStep], questions: Sequence[Mapping[str, str]] = ()) -> list[Line]:
    """Return a run with its steps, its approval questions and their answers."""
    work = work_of_agents(steps)
    rows = {
        "state": run.state,
        "target": run.target,
        "done": counted(run),
        "began": _when(run.began),
        "ended": "" if run.ended is None else _when(run.ended),
        "error": run.error or "",
        "agent": "" if work is None else work.spoken,
        "folder": str(run.request.get("cwd", "")),
    }
    head: list[Line] = [[("quiet", f"  {name:<8}"), ("plain", one_line(text))] for name, text in rows.items() if text]
    asked = [[], *map(_question_line, questions)] if questions else []
    return [[("strong", run.id)], *head, [], *(step_line(step) for step in steps), *asked]


def _question_line(question: Mapping[str, str]) -> Line:
    """Return a question or a decision on one line."""
    named = (question.get(name, "") for name in ("tool", "by", "reason", "arguments"))
    words = "  ".join(one_line(text) for text in named if text)
    short = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
    return [("plain", f"{one_line(question.get('what', '')):<9} "), ("quiet", short)]


def step_line(step: KeptStep) -> Line:
    """Return a step or an item on one line."""
    style: Style = "good" if step.status == "ok" else "bad" if step.status else "plain"
    took = spoken_seconds(step.ended - step.began) if step.began and step.ended else ""
    text = one_line(words_of(step) or step.result or step.arguments)
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    line = "  ".join(filter(None, (took, short)))
    return [(style, f"{step.status or 'begun':<9} "), ("plain", f"{one_line(step.path)}  "), ("quiet", line)]


def counted(run: KeptRun) -> str:
    """Return how many steps or items are done, such as `14 of 20 steps` or `998 items, 2 failed`."""
    return f"{run.counted}, {run.failed:,} failed" if run.failed else run.counted


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")
