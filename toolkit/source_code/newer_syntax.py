"""Parses Python source that may use syntax of later versions than the interpreter's.

What a later version added is replaced by older syntax of the same length, so that every position stays as it is:
quotes inside f-strings and t-strings, type parameters, `type` statements, `except` without parentheses, and imports
that are lazy.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

_TOKEN = re.compile(r"(?P<comment>#[^\r\n]*)|(?<!\w)(?P<prefix>[rbuftRBUFT]{0,2})(?P<quote>'''|\"\"\"|'|\")")
_FORMATTED = frozenset("fFtT")
_TYPE_STATEMENT = r"(?m)^([ \t]*)type[ \t]+(\w+)[ \t]*(\[[^\]\n]*\])?[ \t]*(?==[^=])"
_GENERIC = r"\b(?:def|class)[ \t]+\w+[ \t]*(?=\[)"
_EXCEPT = r"(?m)^[ \t]*except\*?[ \t]+[\w.]+(?:[ \t]*,[ \t]*[\w.]+)+[ \t]*(?=:)"
_LAZY = r"(?m)^([ \t]*)(lazy[ \t]+)(import|from)(?=[ \t]+[\w.])"
_BETWEEN = re.compile(r"(?:[ \t\r\n]|\\\r?\n|#[^\r\n]*+)*+")
_DEBUG = re.compile(r"(?<![=<>!])=\s*\Z")


def parse_source(source: str | bytes, path: str = "<unknown>") -> ast.Module:
    """Return the syntax tree of a file, even if it uses syntax of a later version.

    Raises:
        SyntaxError: If the source is not valid Python, or its newer syntax has no older equivalent.
        ValueError: If Python cannot parse it for another reason.
        RecursionError: If it is nested too deeply.
        MemoryError: If it is nested too deeply.
    """
    try:
        return ast.parse(source, path)
    except SyntaxError as error:
        older = None if isinstance(error, IndentationError) else in_older_syntax(_decoded(source))
        if older is None:
            raise
        try:
            return ast.parse(older, path)
        except SyntaxError:
            raise error from None


def in_older_syntax(text: str) -> str | None:
    """Return the source in older syntax, with every position as it was; None if there is nothing to replace."""
    try:
        found = _Strings(text)
    except _EndlessError:
        return None
    _rewrite_statements(found.written, found.masked())
    rewritten = "".join(found.written)
    return None if rewritten == text else rewritten


def _decoded(source: str | bytes) -> str:
    if isinstance(source, str):
        return source
    with suppress(SyntaxError, UnicodeDecodeError, LookupError):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return source.decode(encoding) if encoding.startswith("utf-8") else ""
    return ""


class _EndlessError(Exception):
    """A string does not end."""


class _String:
    """A string: where it begins and ends, and what the fields of a formatted one contain.

    Attributes:
        start: Where its prefix begins.
        closed: Where its last quotes begin.
        end: Where it ends.
        fields: The brace of each field, the end of its expression, and its last brace.
        comments: The comments in its fields.
        nested: The strings in its fields.
        is_formatted: Whether it may have fields.
        is_text: Whether older syntax has the same string, with names in place of plain strings in its fields.
    """

    def __init__(self, start: int, *, is_formatted: bool) -> None:
        self.start = start
        self.closed = self.end = 0
        self.fields: list[tuple[int, int, int]] = []
        self.comments: list[tuple[int, int]] = []
        self.nested: list[_String] = []
        self.is_formatted = is_formatted
        self.is_text = True


class _Strings:
    """The strings of a source; those formatted strings that the interpreter cannot parse are rewritten."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.written = list(text)
        self._spans: list[tuple[int, int]] = []
        found: list[_String] = []
        at = 0
        while matched := _TOKEN.search(text, at):
            if matched["comment"] is None:
                found.append(one := self._string(matched))
                self._rewrite(one)
                at = one.end
            else:
                at = matched.end()
            self._spans.append((matched.start(), at))
        self._join(found)

    def masked(self) -> str:
        """Return the source without the contents of strings and comments."""
        masked = list(self.text)
        for start, end in self._spans:
            masked[start:end] = ["\n" if one == "\n" else "_" for one in self.text[start:end]]
        return "".join(masked)

    def _string(self, found: re.Match[str]) -> _String:
        is_formatted = not _FORMATTED.isdisjoint(found["prefix"])
        string = _String(found.start(), is_formatted=is_formatted)
        string.closed = self._end_of_formatted(string, found) if is_formatted else self._end_of_plain(found)
        string.end = string.closed + len(found["quote"])
        return string

    def _end_of_plain(self, found: re.Match[str]) -> int:
        quote, at = found["quote"], found.end()
        while at < len(self.text):
            if self.text[at] == "\\":
                at += 2
            elif self.text.startswith(quote, at):
                return at
            elif self.text[at] == "\n" and len(quote) == 1:
                break
            else:
                at += 1
        raise _EndlessError

    def _end_of_formatted(self, string: _String, found: re.Match[str]) -> int:
        text, quote, at = self.text, found["quote"], found.end()
        is_raw = not {"r", "R"}.isdisjoint(found["prefix"])
        while at < len(text):
            if text.startswith(quote, at):
                return at
            if text[at] == "\\" and not is_raw:
                at = text.find("}", at) + 1 if text.startswith("\\N{", at) else at + 2
            elif text.startswith(("{{", "}}"), at):
                at += 2
            elif text[at] == "{":
                at = self._field(string, at)
            elif text[at] == "\n" and len(quote) == 1:
                break
            else:
                at += 1
        raise _EndlessError

    def _field(self, whole: _String, brace: int) -> int:
        """Add the field that begins with a brace, and return where it ends."""
        text, at, depth, expression_end = self.text, brace + 1, 0, None
        while at < len(text):
            character = text[at]
            found = _TOKEN.match(text, at) if character in "#'\"rbuftRBUFT" and expression_end is None else None
            if found:
                at = self._inner(whole, found)
                continue
            if character == "}" and not depth:
                whole.fields.append((brace, at if expression_end is None else expression_end, at))
                return at + 1
            if not depth and expression_end is None and (character == ":" or re.match(r"!(?!=)", text[at : at + 2])):
                expression_end = at
            depth += (character in "([{") - (character in ")]}")
            at += 1
        raise _EndlessError

    def _inner(self, whole: _String, found: re.Match[str]) -> int:
        if found["comment"] is not None:
            whole.comments.append(found.span())
            return found.end()
        whole.nested.append(self._string(found))
        return whole.nested[-1].end

    def _rewrite(self, whole: _String) -> None:
        """Write names for the strings inside a formatted one, if it is not valid as it is."""
        if not whole.is_formatted or _is_expression(self.text[whole.start : whole.end]):
            return
        for start, end in whole.comments:
            self._fill(start, end, " ")
        for one in whole.nested:
            if not one.is_formatted:
                self._fill(one.start, one.end, "_")
        if not _is_expression("".join(self.written[whole.start : whole.end])):
            self.written[whole.start : whole.end] = self.text[whole.start : whole.end]
            whole.is_text = False

    def _join(self, found: Sequence[_String], *, is_inside: bool = False) -> None:
        """Write tuples of the expressions of strings that cannot stay, each with the strings that are joined with it.

        Args:
            found: Strings in their order.
            is_inside: Whether they are in a field, so that no formatted one can stay.
        """
        together: list[_String] = []
        for one in found:
            if together and _BETWEEN.fullmatch(self.text, together[-1].end, one.start):
                together.append(one)
                continue
            self._as_tuple(together, is_inside=is_inside)
            together = [one]
        self._as_tuple(together, is_inside=is_inside)

    def _as_tuple(self, together: Sequence[_String], *, is_inside: bool) -> None:
        if all(one.is_text and not (is_inside and one.is_formatted) for one in together):
            return
        for one in together:
            self.written[one.start : one.end] = self.text[one.start : one.end]
            self._join(one.nested, is_inside=True)
            self._keep_expressions(one)
        self.written[together[0].start], self.written[together[-1].closed] = "(", ")"

    def _keep_expressions(self, string: _String) -> None:
        """Write only the expressions in the fields of a string, each with a comma behind it."""
        for start, end in string.comments:
            self._fill(start, end, " ")
        at = string.start
        for brace, expression_end, close in string.fields:
            self._fill(at, brace + 1, " ")
            debug = _DEBUG.search(self.text, brace + 1, expression_end)
            self._fill(debug.start() if debug else expression_end, close, " ")
            self.written[close] = ","
            at = close + 1
        self._fill(at, string.end, " ")

    def _fill(self, start: int, end: int, filling: str) -> None:
        for at in range(start, end):
            if self.text[at] not in "\r\n":  # a character keeps its length in UTF-8
                self.written[at] = filling * len(self.text[at].encode("utf-8", "surrogatepass"))


def _is_expression(text: str) -> bool:
    try:
        ast.parse(f"({text})")
    except (SyntaxError, ValueError):
        return False
    return True


def _rewrite_statements(written: list[str], masked: str) -> None:
    """Replace type parameters, `type` statements, `except` without parentheses, and lazy imports."""
    for start, end in _type_parameters(masked):
        inner = masked[start:end]
        continued = [*("\\" if after == "\n" and one != "\n" else one for one, after in pairwise(inner)), inner[-1]]
        written[start:end] = [one if one in "\\\n" else " " for one in continued]
    for found in re.finditer(_TYPE_STATEMENT, masked):
        written[found.start() : found.end()] = (found[1] + found[2]).ljust(len(found[0]))
    for found in re.finditer(_LAZY, masked):
        written[found.start() : found.end()] = (found[1] + found[3]).ljust(len(found[0]))
    for found in re.finditer(_EXCEPT, masked):
        for at in range(found.start(), found.end()):
            written[at] = "|" if masked[at] == "," else written[at]


def _type_parameters(masked: str) -> Iterator[tuple[int, int]]:
    for found in re.finditer(_GENERIC, masked):
        depth = 0
        for at in range(found.end(), len(masked)):
            depth += (masked[at] == "[") - (masked[at] == "]")
            if not depth:
                yield found.end(), at + 1
                break
