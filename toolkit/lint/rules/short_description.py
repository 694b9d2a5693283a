"""TK202: a description with next to no content."""

import re
from collections.abc import Iterator

from toolkit.codes import SHORT_DESCRIPTION
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FILLERS = {"a", "an", "the", "this", "that", "tool", "function", "is", "for", "to", "of", "it", "s", "es"}
# Scripts that write words without spaces between them, and need a third of the characters.
_DENSE = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_DENSITY = 3


class ShortDescription(Rule):
    '''A description is very short, or only repeats the name of the tool.

    ## Why

    "Gets data." tells a model nothing that `get_data` does not. The model needs to know what the tool does, when to use
    it and when not, and what it returns. From the name alone, it can only guess.

    The limits are `min-description-length` (20 characters) and `min-description-words` (4) in `[tool.toolkit.lint]`.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def get_rates() -> dict[str, float]:
        """Gets the rates."""
        return {"USD": 1.1}
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def get_rates() -> dict[str, float]:
        """Return today's exchange rates of the euro, by the currency's code of three letters."""
        return {"USD": 1.1}
    ```

    ## Source

    - Anthropic, [Define tools](https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools): "provide
      extremely detailed descriptions … at least 3-4 sentences" (checked 2026-11-21)
    - the limits are this project's choice
    '''

    code = SHORT_DESCRIPTION
    limits = {"min-description-length": 20, "min-description-words": 4}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        text = (tool.description or "").strip()
        if not text:
            return
        if tool.is_named and _restates(text, tool.name):
            message = f"the description of {tool.name!r} only repeats its name"
        elif self._is_short(text):
            message = f"the description of {tool.name!r} is very short"
        else:
            return
        place = next((one.written.locate(0, len(text)) for one in tool.texts if one.kind == "description"), None)
        yield self.problem(
            message,
            place or tool.location,
            hint="say what it does, when to use it, and what it returns",
            severity=self.severity_in(tool.location and tool.location.file),
        )

    def _is_short(self, text: str) -> bool:
        if not text.isascii() and re.search(_DENSE, text):  # compiled only for such text: that takes 4 ms
            return len(text) * _DENSITY < self.limit("min-description-length")
        words = len(_WORD.findall(text))
        return len(text) < self.limit("min-description-length") or words < self.limit("min-description-words")


def _restates(text: str, name: str) -> bool:
    words = [word for word in _WORD.findall(text.casefold()) if word not in _FILLERS]
    named = {_stem(word) for word in _WORD.findall(_HUMP.sub("_", name).casefold())}
    return bool(words) and all(_stem(word) in named for word in words)


def _stem(word: str) -> str:
    return word.rstrip("s").rstrip("e") if len(word) > 3 else word  # noqa: PLR2004 - `gets` and `get`, but not `is`
