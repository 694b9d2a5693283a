"""Prompts in which `${{ inputs.NAME }}` is replaced by the inputs of a call."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.codes import BAD_EXPRESSION, UNKNOWN_REFERENCE
from toolkit.documents.nodes import Scalar
from toolkit.json_texts import json_text
from toolkit.problems import Location, Problem, did_you_mean, fix_spelling

_OPENING = "${{"
_WHOLE = re.compile(r"\$\{\{\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


class Text(NamedTuple):
    """A prompt and its location; `node` is `None` if the prompt is in a separate file."""

    text: str
    location: Location
    node: Scalar | None = None

    @property
    def names(self) -> list[str]:
        """The names of the inputs that it refers to, in order."""
        return _WHOLE.findall(self.text)

    def filled(self, inputs: Mapping[str, Any]) -> str:
        """Return the prompt with the inputs inserted. Inputs other than strings are inserted as JSON."""
        return _WHOLE.sub(lambda match: as_text(inputs[match[1]]), self.text)

    def problems(self, known: Collection[str]) -> Iterator[Problem]:
        """Yield the problems with its references to inputs."""
        start = 0
        while (start := self.text.find(_OPENING, start)) >= 0:
            match = _WHOLE.match(self.text, start)
            if match is None:
                message = "only inputs can be used in text for a model"
                yield Problem(
                    BAD_EXPRESSION, message, self._place(start, len(_OPENING)), hint="write ${{ inputs.NAME }}"
                )
                start += len(_OPENING)
                continue
            if match[1] not in known:
                place = self._place(match.start(1), len(match[1]))
                hint = did_you_mean(match[1], known, otherwise=f"the inputs are {', '.join(known)}")
                fix = fix_spelling(match[1], known, place)
                yield Problem(UNKNOWN_REFERENCE, f"there is no input {match[1]!r}", place, hint=hint, fix=fix)
            start = match.end()

    def _place(self, offset: int, length: int) -> Location:
        if self.node is not None:
            return self.node.locate(offset, length)
        before = self.text[:offset]
        line, column = before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
        return Location(self.location.file, line, column, line, column + length)


def as_text(value: Any) -> str:
    """Return a value as text for a model: a string unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json_text(value)
