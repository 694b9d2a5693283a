"""Renders a run, its steps and its approval questions as an HTML page.

Results are untrusted data, so the page never executes them: its Content-Security-Policy allows only its own style and
script by their digests, everything else is in a data block, and the script inserts it only as text.
"""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Final

from toolkit.journals.kept_runs import KeptRun, KeptStep
from toolkit.json_texts import json_text
from toolkit.visibility import disarm, visible_json
from toolkit_cli.rendering.agent_turns import work_of_agents
from toolkit_cli.rendering.kept_runs import counted
from toolkit_cli.rendering.run_pages.graphs import drawn_graph
from toolkit_cli.rendering.run_pages.questions import question_entries
from toolkit_cli.rendering.run_pages.rows import step_rows

PAGE_MARK: Final = '<meta name="generator" content="toolkit runs show">'
"""A tag that every run page contains."""
_PLACE: Final = re.compile(r"\{\{(\w+)\}\}")
_ENDS_SCRIPTS: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def run_page(run: KeptRun, steps: Sequence[KeptStep], records: Sequence[Mapping[str, Any]]) -> str:
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


def _facts(run: KeptRun, steps: Sequence[KeptStep]) -> str:
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


def _data_block(run: KeptRun, steps: Sequence[KeptStep], records: Sequence[Mapping[str, Any]]) -> str:
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
