"""What was kept of a run that did not end well: what every step and item gave that had done its work."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.events import around
from toolkit_cli.rendering.styles import Line


def kept_lines(steps: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return the outputs, whole, one to a line; those inside a step that has ended well are in its own."""
    whole = {str(step["path"]) for step in steps if step["status"] == "ok"}
    found = [pair for step in steps if not whole & around(str(step["path"])) for pair in _outputs(step)]
    if not found:
        return []
    lines: list[Line] = [[], [("strong", "done before the end")]]
    return lines + [[("quiet", f"  {one_line(name)}  "), ("plain", one_line(output))] for name, output in found]


def _outputs(step: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if step["status"] == "ok" and step["output"]:
        yield step["path"], step["output"]
    for item in step.get("items", {}).get("kept", ()):
        yield f"{step['path']}, item {item['index'] + 1} ({item['item']})", item["output"]
