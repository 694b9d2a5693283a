"""Renders a dry run."""

from collections.abc import Mapping
from typing import Any

from toolkit_cli.rendering.escaping import cut, one_line, padded
from toolkit_cli.rendering.questions import shown_value
from toolkit_cli.rendering.styles import Fragment, Line

_LABEL_WIDTH = 18
_LATER = "<known when it runs>"


def rehearsal_lines(record: Mapping[str, Any], width: int) -> list[Line]:
    """Return the lines of a dry run (see `rehearsal_record`)."""
    asked = {question["step"]: question["because"] for question in record["questions"]}
    lines: list[Line] = [[("strong", one_line(record["tool"]))]]
    lines += _argument_lines(record["arguments"], "  ", width)
    if None in asked:
        lines.append([("plain", "  "), ("warn", f"asks first: {one_line(asked[None])}")])
    for step in record["steps"]:
        lines += _step_lines(step, asked.get(step["path"]), width)
    return [*lines, [], [("quiet", "checked; nothing was called")]]


def _step_lines(step: Mapping[str, Any], because: str | None, width: int) -> list[Line]:
    place = f"{step['position']}/{step['of']}"
    label = padded(one_line(step["path"]), _LABEL_WIDTH)
    notes = [step["tool"] or step["kind"]]
    notes += ["if its condition holds"] if step["conditional"] else []
    notes += ["for each item"] if step["for_each"] else []
    head: list[Fragment] = [("quiet", f"{place:>7} "), ("strong", label), ("plain", f" {one_line(', '.join(notes))}")]
    lines: list[Line] = [head]
    known = dict(step["arguments"])
    lines += _argument_lines(known, " " * 10, width)
    lines += [[("plain", f"{'':10}{one_line(name)} = "), ("quiet", _LATER)] for name in step["unknown"]]
    if because is not None:
        lines.append([("plain", " " * 10), ("warn", f"asks first: {one_line(because)}")])
    return lines


def _argument_lines(arguments: Mapping[str, Any], indent: str, width: int) -> list[Line]:
    return [
        [("plain", indent + cut(f"{one_line(name)} = {shown_value(value)}", max(width - len(indent), 20)))]
        for name, value in arguments.items()
    ]
