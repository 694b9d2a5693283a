"""TK208: a placeholder that was never replaced."""

import re
from collections.abc import Iterator

from toolkit.codes import PLACEHOLDER_TEXT
from toolkit.lint.clues.wording import Phrase
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, Severity

_ANYWHERE = Phrase(
    r"\b(?-i:TODO|FIXME|XXX|TBD)\b(?=\s*[:(]|\s*$)"
    r"|\blorem ipsum\b"
    r"|(?<![\w./=\"'`-])<(?:(?:your|the|a|an|add|insert|short|tool|parameter|param|some)[ _-])*(?:description|text|name)(?:[ _-]here)?>(?![\w/\"'`]|\.\w)"
    r"|\[(?:(?:your|the|a|an|add|insert|short|tool|parameter|param|some)[ _-])*description(?:[ _-]here)?\]"
    r"|\b(?:your|add|insert|enter|put)\b[^.\n]{0,20}\bdescription here\b"
    r"|\bdescription goes here\b"
    r"|\bclear description for what this tool is\b",
    "clear description", "todo", "fixme", "xxx", "tbd", "lorem ipsum", "<", "[", "description here", "description goes here",
)  # fmt: skip
_OPTION = re.compile(r"(?<!\S)--?\w[\w-]*[ =]$")
_WHOLE = re.compile(
    r"(?-i:TODO|FIXME|XXX|TBD)\b.*|(?:todo|fixme|xxx|tbd)\W*|\.{2,}|…|n/?a|-+|\?+|none|null|undefined|(?:no )?description|description of the (?:argument|parameter|tool)\.?|foo|bar|test|asdf\w*|placeholder",
    re.IGNORECASE | re.DOTALL,
)


class PlaceholderText(Rule):
    '''A description contains a placeholder: `TODO`, `lorem ipsum`, `<description>`, `...`.

    ## Why

    A model takes a forgotten placeholder literally. The initial texts of CrewAI's template count as placeholders too.
    A description that only repeats the name of its parameter, such as `Description` of `description`, does not. It is an
    `info` in a file of which a generator makes others: in a folder for templates, with names such as `__PackageName__`.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """TODO: describe the forecast for a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Source

    - this project
    '''

    code = PLACEHOLDER_TEXT

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for text in tool.texts:
            if text.kind not in ("title", "description", "parameter"):
                continue
            if text.value.strip().lower() == (text.parameter or "").lower():
                continue  # it repeats the name of a field: nobody left it over
            whole = _WHOLE.fullmatch(text.value.strip())
            found = whole or next((one for one in _ANYWHERE.finditer(text.value) if not _is_meant(one, tool)), None)
            if found:
                shown = found[0].split("\n", 1)[0][:30]
                place = text.written.locate(found.start(), len(shown)) or tool.location
                message = f"{text.subject} of {tool.name!r} contains a placeholder: {shown!r}"
                severity: Severity = "info" if tool.is_in_template else self.severity
                yield self.problem(message, place, hint="say what a model needs to know", severity=severity)


def _is_meant(found: re.Match[str], tool: ToolDefinition) -> bool:
    """Whether a match is an element of XML that the tool's texts are about, or stands for a value in a command."""
    if found[0].startswith("<"):
        end = f"</{found[0][1:]}"
        if "xml" in found.string.lower() or any(end in text.value for text in tool.texts):
            return True
    return _is_in_command(found)


def _is_in_command(found: re.Match[str]) -> bool:
    """Whether a match stands for a value in a command: after an option, or in backticks."""
    before = found.string[: found.start()].rpartition("\n")[2]
    return before.count("`") % 2 == 1 or _OPTION.search(before) is not None
