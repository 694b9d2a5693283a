"""Renders approval questions, shortened to fit the screen or in full, also pending ones and those of a dry run."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from toolkit.approvals.decisions import PendingApproval, ReviewRequest, request_of
from toolkit.visibility import visible_json
from toolkit_cli.rendering.excerpts import shown_path, style_of
from toolkit_cli.rendering.styles import Fragment, Line, cut, lines_of, one_line, padded, width_of, wrap

_MARGIN = "     "
_LABEL_WIDTH = 9
_LEFT_WIDTH = 42
_MOST_CHARACTERS = 240
_MOST_ARGUMENTS = 16
_MOST_TEXT_LINES = 6
_FEWEST_EFFECT_LINES = 8
_OTHER_LINES = 14
_MOST_NAME = 32
_SHOWS_ALL = "v shows all"
_EDITED = "  edited"
_DEFAULT = "  (default)"


def question_lines(request: ReviewRequest, *, width: int, height: int, edited: bool = False) -> list[Line]:
    """Return the question, shortened to fit the terminal.

    Args:
        request: The question, with the arguments that the call would run with.
        width: The width of the terminal in columns.
        height: The height of the terminal in lines.
        edited: Whether the user has edited the arguments.
    """
    room = _room(width)
    lines = [*_heading(request, room, edited=edited)]
    if request.text != f"Run {request.risk.tool}?":
        lines += _labelled("asks", _text_lines(request.text, room, _MOST_TEXT_LINES))
    # What can be approved permanently is always shown in full.
    if request.show is not None:
        kept = None if request.may_be_remembered else _MOST_TEXT_LINES
        lines += _labelled("shows", _text_lines(_block(request.show), room, kept))
    arguments = _whole_arguments if request.may_be_remembered else _folded_arguments
    lines += _labelled("args", arguments(request, room))
    lines += _labelled("uses", _used_lines(request.uses, room))
    if request.preview:
        most = max(height - len(lines) - _OTHER_LINES, _FEWEST_EFFECT_LINES)
        lines += _labelled("effect", _fold(_effect_lines(request.preview, room), most))
    return [[], *lines]


def text_question_lines(request: ReviewRequest, *, width: int) -> list[Line]:
    """Return a question whose answer is text, in full."""
    room = _room(width)
    asked = f"{cut(one_line(request.risk.tool), room // 2)} asks" if request.risk.tool else "asks"
    place = one_line(request.place or "")
    lines: list[Line] = _two_sided([("strong", asked)], place, room)
    return [[], *_labelled("question", lines), *_labelled("", _text_lines(request.text, room, None))]


def whole_lines(request: ReviewRequest, *, width: int) -> list[Line]:
    """Return the question in full."""
    room = _room(width)
    lines = [*_heading(request, room), *_labelled("asks", _text_lines(request.text, room, None))]
    if request.show is not None:
        lines += _labelled("shows", _text_lines(_block(request.show), room, None))
    lines += _labelled("args", _whole_arguments(request, room))
    lines += _labelled("uses", _used_lines(request.uses, room))
    if request.preview:
        lines += _labelled("effect", _effect_lines(request.preview, room))
    return lines


def menu_lines(answers: Iterable[tuple[str, str]], width: int) -> list[Line]:
    """Return the available answers, each with its letter, on as many lines as needed."""
    lines: list[list[Fragment]] = []
    used = width
    for letter, words in answers:
        taken = len(letter) + len(words) + 4
        if used + taken > width:
            lines.append([("plain", _MARGIN)])
            used = len(_MARGIN)
        lines[-1] += [("strong", letter), ("plain", f" {words}"), ("quiet", " · ")]
        used += taken
    lines[-1].pop()
    return [*lines]


def shown_value(value: Any) -> str:
    """Return a value on one line: as JSON, or as plain text if it cannot be mistaken for anything else."""
    if isinstance(value, str) and not _reads_as_data(value):
        return one_line(value)
    return visible_json(value)


def _room(width: int) -> int:
    return max(width - len(_MARGIN) - _LABEL_WIDTH - 1, 20)


def _block(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _heading(request: ReviewRequest, room: int, *, edited: bool = False) -> list[Line]:
    risk = request.risk
    name, source = cut(one_line(risk.tool), room - len(_EDITED)), f"({shown_path(risk.source)})" if risk.source else ""
    is_short = width_of(name) + width_of(source) + len(_EDITED) + 2 <= room
    named: list[Fragment] = [("strong", name)]
    if source and is_short:
        named.append(("quiet", f"  {source}"))
    if edited:
        named.append(("warn", _EDITED))
    place = one_line(request.place or "")
    approve = _two_sided(named, place, room)
    if not is_short:
        approve[1:1] = [[("quiet", piece)] for piece in wrap(source, room)]
    marks: list[Fragment] = [_risk_fragment(risk.labels, destructive=bool(risk.destructive))]
    asked_by = f"asked by: {one_line(request.asked_by)}" if request.asked_by else ""
    return [*_labelled("approve", approve), *_labelled("risk", _two_sided(marks, asked_by, room))]


def _risk_fragment(labels: tuple[str, ...], *, destructive: bool) -> Fragment:
    return ("danger" if destructive else "plain", " · ".join(labels) or "not marked")


def _two_sided(left: list[Fragment], right: str, room: int) -> list[Line]:
    if not right:
        return [left]
    below: list[Line] = [[("quiet", piece)] for piece in wrap(right, room)]
    used = sum(width_of(text) for _, text in left)
    gap = max(_LEFT_WIDTH - used, 2)
    if used + gap + width_of(right) <= room:
        return [[*left, ("plain", " " * gap), ("quiet", right)]]
    return [left, *below]


def _labelled(label: str, lines: Iterable[Line]) -> list[Line]:
    """Put a label before the first line and indent the others, so that no other line can look like a label."""
    heads = _labels(label)
    return [[("label", next(heads)), *line] for line in lines]


def _labels(label: str) -> Iterator[str]:
    yield _MARGIN + label.ljust(_LABEL_WIDTH)
    while True:
        yield _MARGIN + " " * _LABEL_WIDTH


def _text_lines(text: str, room: int, most: int | None) -> list[Line]:
    lines: list[Line] = [[("plain", piece)] for line in lines_of(text.strip("\n")) for piece in wrap(line, room)]
    if not text.strip():
        return []
    return lines if most is None else _fold(lines, most)


def _fold(lines: list[Line], most: int) -> list[Line]:
    if len(lines) <= most:
        return lines
    return [*lines[:most], [("warn", f"… {len(lines) - most} more lines"), ("quiet", f"     {_SHOWS_ALL}")]]


def _all_arguments(request: ReviewRequest) -> dict[str, Any]:
    """Return the arguments of a call, followed by the defaults of omitted ones."""
    left_out = {name: value for name, value in request.defaults.items() if name not in request.arguments}
    return {**request.arguments, **left_out}


def _note_on(name: str, request: ReviewRequest) -> str:
    if name not in request.defaults:
        return ""
    default = request.defaults[name]
    return _DEFAULT if request.arguments.get(name, default) == default else ""


def _used_lines(uses: Mapping[str, str], room: int) -> list[Line]:
    names = _names(uses, min(_MOST_NAME, room // 2))
    return [line for label, name in names.items() for line in _hanging(f"{name} = ", lines_of(uses[label]), room)]


def _folded_arguments(request: ReviewRequest, room: int) -> list[Line]:
    arguments = _all_arguments(request)
    if not arguments:
        return [[("quiet", "none")]]
    names = _names(list(arguments)[:_MOST_ARGUMENTS], min(_MOST_NAME, room // 2))
    lines: list[Line] = []
    for name, shown in names.items():
        lines += _folded_argument(shown, arguments[name], _note_on(name, request), room)
    if len(arguments) > len(names):
        lines.append(
            [("warn", f"… {len(arguments) - len(names)} more arguments"), ("quiet", f"     {_SHOWS_ALL}")],
        )
    return lines


def _names(names: Iterable[str], most: int) -> dict[str, str]:
    """Return the displayed form of each name, padded to the same width."""
    shown = {name: cut(one_line(name), most) for name in names}
    longest = max(map(width_of, shown.values()), default=0)
    return {name: padded(text, longest) for name, text in shown.items()}


def _folded_argument(name: str, value: Any, note: str, room: int) -> list[Line]:
    text = shown_value(value)
    if len(text) > _MOST_CHARACTERS:
        return [[("plain", f"{name} = "), ("warn", f"<{_size(value)}>{note}"), ("quiet", f"     {_SHOWS_ALL}")]]
    return _hanging(f"{name} = ", [text + note], room)


def _hanging(head: str, texts: Iterable[str], room: int) -> list[Line]:
    """Return texts after a head, with further lines indented to the same column, or below a head that is too long."""
    indent = width_of(head)
    if indent > room // 2:
        return [*_pieces(head, room), *(line for text in texts for line in _barred(text, room))]
    pieces = [piece for text in texts for piece in wrap(text, max(room - indent, 10))]
    heads = [head, *([" " * indent] * (len(pieces) - 1))]
    return [[("plain", before + piece)] for before, piece in zip(heads, pieces, strict=True)]


def _pieces(text: str, room: int) -> list[Line]:
    return [[("plain", piece)] for piece in wrap(text, room)]


def _barred(line: str, room: int) -> list[Line]:
    return [[("quiet", "│ "), ("plain", piece)] for piece in wrap(line, room - 2)]


def _size(value: Any) -> str:
    text = value if isinstance(value, str) else visible_json(value)
    lines = text.count("\n") + 1
    size = f"{len(text)} characters" + (f", {lines} lines" if lines > 1 else "")
    if isinstance(value, list):
        return f"{len(value)} items, {size}"
    return f"{len(value)} entries, {size}" if isinstance(value, dict) else size


def _whole_arguments(request: ReviewRequest, room: int) -> list[Line]:
    lines: list[Line] = []
    for name, value in _all_arguments(request).items():
        note = _note_on(name, request)
        block = lines_of(value) if isinstance(value, str) else visible_json(value, indent=2).split("\n")
        if len(block) == 1:
            lines += _hanging(f"{one_line(name)} = ", [shown_value(value) + note], room)
            continue
        lines += _pieces(f"{one_line(name)} = <{_size(value)}>{note}", room)
        lines += [barred for line in block for barred in _barred(line, room)]
    return lines or [[("quiet", "none")]]


def _effect_lines(preview: str, room: int) -> list[Line]:
    return [[(style_of(line), piece)] for line in lines_of(preview.removesuffix("\n")) for piece in wrap(line, room)]


def _reads_as_data(text: str) -> bool:
    """Return whether a text could be mistaken for a number, a literal, a list, a quoted text, or nothing at all."""
    if not text or text != text.strip() or text[0] in '"[{<' or text.endswith(_DEFAULT.strip()):
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def pending_lines(pending: PendingApproval, width: int) -> list[Line]:
    """Return a question with all its details."""
    asked = datetime.fromtimestamp(pending.asked).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    where = " · ".join(filter(None, (f"run {pending.run}", one_line(pending.path), asked)))
    return [[("strong", pending.id), ("quiet", f"  {where}")], *whole_lines(request_of(pending), width=width), []]


_DRY_RUN_LABEL_WIDTH = 18
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
    label = padded(one_line(step["path"]), _DRY_RUN_LABEL_WIDTH)
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
