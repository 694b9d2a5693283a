"""Renders the outputs of finished steps and items of a run that failed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.events import around
from toolkit_cli.rendering.styles import Line


def kept_lines(steps: Sequence[Mapping[str, Any]]) -> list[Line]:
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
