"""TK501: characters that a model reads and a person does not see."""

import tokenize
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from tokenize import COMMENT, STRING, TokenError, TokenInfo, generate_tokens

from toolkit.codes import HIDDEN_UNICODE
from toolkit.lint.definitions.pipeline_files import PipelineFile
from toolkit.lint.definitions.tool_definitions import Text, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Edit, Location, Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.visibility import hidden_spans, may_hide

_LOOK_ALIKES = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "FULLWIDTH", "MATHEMATICAL")


class HiddenUnicode(Rule):
    """A name or a text contains invisible characters, or letters of another script that look like Latin ones.

    ## Why

    Zero-width characters, bidirectional controls and the tag block carry text that a model reads and a reviewer never
    sees: an instruction can hide in a description that looks harmless. A name with a Cyrillic letter in it looks like
    another name, but is a different one. Characters that some scripts need are not reported: joiners in emoji and in
    scripts that use them, and the selector after an emoji.

    ## Example

    ```python
    from toolkit import tool


    @tool(description="Forecast tomorrow's weather in a city.\\u200b\\u200c\\u2063")
    def forecast(city: str) -> str:
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool(description="Forecast tomorrow's weather in a city.")
    def forecast(city: str) -> str:
        return f"sun in {city}"
    ```

    ## Source

    - Unicode, [UTS #39, Security Mechanisms](https://www.unicode.org/reports/tr39/) (checked 2026-11-21)
    - Trojan Source, [CVE-2021-42574](https://nvd.nist.gov/vuln/detail/CVE-2021-42574) (checked 2026-11-21)
    """

    code = HIDDEN_UNICODE
    fixes_all = True
    severity = "error"
    fix = "safe"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for text in tool.texts:
            if text.value.isascii() and text.value.isprintable():
                continue
            yield from self._hidden(text, tool)
            if text.kind in ("name", "parameter name") and (found := _mixed(text.value)):
                message = f"{text.subject} of {tool.name!r} mixes scripts: {_named(found)} looks like a Latin letter"
                place = text.written.locate(text.value.index(found)) or tool.location
                yield self.problem(message, place, hint="write the letter of the intended alphabet")

    def check_pipeline(self, pipeline: PipelineFile) -> Iterator[Problem]:
        """Find invisible characters anywhere in the file, including comments, keys, ids and expressions."""
        lines = [] if pipeline.text.isascii() else pipeline.text.removeprefix("\ufeff").split("\n")
        for number, line in enumerate(lines, 1):
            yield from self._hidden_in_line(line, Location(pipeline.file, number, 1))

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        """Find invisible characters in comments and in the bodies of functions; `check_tool` checks the texts of tools."""
        if not may_hide(module.text):
            return
        inside = _lines_of_bodies(module)
        for token in _tokens(module.text):
            if token.type == COMMENT or (token.type in _STRINGS and token.start[0] in inside and not _is_meant(token)):
                line, offset = token.start
                for number, part in enumerate(token.string.split("\n")):
                    column = 1 if number else offset + 1
                    yield from self._hidden_in_line(part, Location(module.file, line + number, column))

    def _hidden_in_line(self, line: str, start: Location) -> Iterator[Problem]:
        """Find invisible characters in a part of a line that begins at `start`."""
        for first, end in () if line.isascii() else hidden_spans(line):
            column = start.column or 1
            place = Location(start.file, start.line, column + first, start.line, column + end)
            shown = ", ".join(dict.fromkeys(map(_named, line[first:end][:_SHOWN])))
            fix = self.fixed_by("Remove the invisible characters", Edit(place, ""), is_safe=False)
            message = f"the source has {_count(end - first)}: {shown}"
            yield self.problem(message, place, hint="remove the invisible characters", fix=fix)

    def _hidden(self, text: Text, tool: ToolDefinition) -> Iterator[Problem]:
        for start, end in hidden_spans(text.value):
            shown = ", ".join(dict.fromkeys(map(_named, text.value[start:end][:_SHOWN])))
            edit = text.written.replaced(start, end - start, "")
            yield self.problem(
                f"{text.subject} of {tool.name!r} has {_count(end - start)}: {shown}",
                text.written.locate(start, end - start) or tool.location,
                hint="remove the invisible characters",
                fix=self.fixed_by("Remove the invisible characters", edit) if edit else None,
            )


_BOM = "\ufeff"
_SHOWN = 3
_MOST_MEANT = 8
_STRINGS = {STRING, getattr(tokenize, "FSTRING_MIDDLE", STRING)}


def _tokens(text: str) -> Iterator[TokenInfo]:
    """Yield the tokens of a source, as far as this interpreter can read it: it may have syntax of a later version."""
    with suppress(TokenError, SyntaxError):
        yield from generate_tokens(StringIO(text).readline)


def _is_meant(token: TokenInfo) -> bool:
    """Whether a text is nothing but a few invisible characters, such as those that `lstrip` removes, or begins with a BOM."""
    content = token.string.lstrip("rRuUbBfF").strip("\"'")
    if content.startswith(_BOM) and not [*hidden_spans(content.removeprefix(_BOM))]:
        return True
    hidden = sum(end - start for start, end in hidden_spans(content))
    return 0 < hidden <= _MOST_MEANT and not any(one.isalnum() for one in content)


def _lines_of_bodies(module: PythonFile) -> set[int]:
    """Return the lines of the functions' bodies, without docstrings and the heads of inner functions."""
    lines = set[int]()
    for function in sorted(module.functions, key=lambda one: one.node.lineno):  # outer ones first
        node = function.node
        lines -= {*range(min(one.lineno for one in [node, *node.decorator_list]), (node.end_lineno or 0) + 1)}
        body = node.body[1:] if function.docstring_node is not None else node.body
        lines |= {*range(body[0].lineno, (node.end_lineno or 0) + 1)} if body else set()
    return lines


def _mixed(name: str) -> str | None:
    """Return a letter of a script that looks like Latin, if the name has Latin letters too."""
    if not any("a" <= character.lower() <= "z" for character in name):
        return None
    others = (character for character in name if not character.isascii())
    return next((one for one in others if unicodedata.name(one, "").startswith(_LOOK_ALIKES)), None)


def _count(number: int) -> str:
    return "an invisible character" if number == 1 else f"{number} invisible characters"


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name}".rstrip()
