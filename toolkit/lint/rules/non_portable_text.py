"""TK209: a description with markup or control characters."""

import re
from collections.abc import Iterator

from toolkit.codes import NON_PORTABLE_TEXT
from toolkit.lint.definitions.tool_definitions import Text, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem

_CODE = re.compile(r"""```.*?```|`[^`\n]*`|(?<![\w<])'[^'\n]*'(?!\w)|(?<!\w)"[^"\n]*"(?!\w)""", re.DOTALL)
_TAG = re.compile(
    r"</?(?:b|i|u|p|br|hr|a|em|strong|div|span|ul|ol|li|table|tr|td|th|code|pre|h[1-6]|font)\b[^<>\n]*>", re.IGNORECASE
)
_TABLE = re.compile(r"^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*\|[-:| \t]*$", re.MULTILINE)
_CONTROL = re.compile(r"(?:\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f])+")


class NonPortableText(Rule):
    """A description contains HTML, a Markdown table or control characters.

    ## Why

    Descriptions are read by models and shown by many programs, few of which render HTML or tables, so you pay for noise
    in every request. Control characters can repaint the terminal of the person who approves a call. Text in backticks
    or quotation marks is code, or an example of a value, and is not checked.

    ## Example

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast <b>tomorrow's</b> weather in a city.<br>",
        "inputSchema": {"type": "object", "properties": {}}
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city, as `<b>sun</b>` with the day in bold.",
        "inputSchema": {"type": "object", "properties": {}}
      }
    ]
    ```

    ## Source

    - MCP 2025-11-25, [Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools): the description is
      human-readable; markup is not mentioned (checked 2026-11-22)
    """

    code = NON_PORTABLE_TEXT
    default = False
    severity = "info"
    fix = "safe"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for text in tool.texts:
            if text.kind in ("description", "parameter", "title"):
                yield from self._in_text(tool, text)

    def _in_text(self, tool: ToolDefinition, text: Text) -> Iterator[Problem]:
        plain = (
            _CODE.sub(lambda code: " " * len(code[0]), text.value)
            if "<" in text.value or "`" in text.value
            else text.value
        )
        for what, part, pattern, hint in (
            ("HTML", "<", _TAG, "write plain text"),
            ("a Markdown table", "---", _TABLE, "write a line for each row"),
            ("control characters", "", _CONTROL, "remove them"),
        ):
            # Control characters are not harmless in quotes: models read them there too.
            if part in plain and (found := pattern.search(text.value if pattern is _CONTROL else plain)):
                place = text.written.locate(found.start(), len(found[0])) or tool.location
                fix = self._without(text, found) if pattern is _CONTROL else None
                yield self.problem(f"{text.subject} of {tool.name!r} contains {what}", place, hint=hint, fix=fix)

    def _without(self, text: Text, found: re.Match[str]) -> Fix | None:
        edit = text.written.replaced(found.start(), len(found[0]), "")
        return None if edit is None else self.fixed_by("Remove the control characters", edit)
