"""Converts PyYAML's syntax errors to problems with the right location and a hint.

A parser detects a mistake late and describes it in terms of its grammar. Each diagnosis below recognizes one common
mistake.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from toolkit.codes import BROKEN_DOCUMENT
from toolkit.documents.nodes import Source
from toolkit.problems import Problem

QUOTED = re.compile(r""""(?:\\.|[^"\\\r\n])*"|'(?:''|[^'\r\n])*'""")
EXPRESSION = re.compile(r"\$?\{\{.*?(?:\}\}|$)", re.MULTILINE)
COLON = re.compile(r":(?=\s|$)")
LIST_ITEMS = re.compile(r"\s*(?:- +)*")
LONGEST_KEY = 1_024
"""Maximum length of a key in YAML."""
BRACKETS = {"[": "]", "{": "}"}
BRACES = "'{{ }}' needs quotes here"
BRACES_FIX = 'put quotes around the whole value; an expression of a pipeline is "${{ … }}"'
QUOTES_FIX = "put quotes around the text"


def syntax_problem(error: Any, source: Source) -> Problem:
    """Return the problem of a document that PyYAML could not parse.

    Args:
        error: PyYAML's exception.
        source: The text of the document.
    """
    stuck = _Stuck(
        source.text,
        reason=str(getattr(error, "problem", None) or error),
        doing=str(getattr(error, "context", None) or ""),
        at=_index(getattr(error, "problem_mark", None), source),
        since=_index(getattr(error, "context_mark", None) or getattr(error, "problem_mark", None), source),
    )
    found = next((found for diagnose in DIAGNOSES if (found := diagnose(stuck))), None) or _unrecognized(stuck)
    location = source.location(found.start, max(found.end, found.start))
    return Problem(BROKEN_DOCUMENT, found.message, location, hint=found.hint)


def misread_expression(source: Source, index: int) -> Problem | None:
    """Return the problem with a `{{ x }}` at an index, which YAML parses as a mapping whose key is a mapping."""
    found = EXPRESSION.match(source.text, index)
    if found is None:
        return None
    return Problem(BROKEN_DOCUMENT, BRACES, source.location(*found.span()), hint=BRACES_FIX)


def _index(mark: Any, source: Source) -> int:
    return 0 if mark is None else min(int(mark.index), len(source.text))


class _Finding(NamedTuple):
    """A message, the indexes of the first character and after the last character, and a hint."""

    message: str
    start: int
    end: int
    hint: str | None


class _Stuck(NamedTuple):
    """Where the parser stopped (`at`), the start of what it was parsing (`since`), and its message."""

    text: str
    reason: str
    doing: str
    at: int
    since: int

    @property
    def character(self) -> str:
        return self.text[self.at : self.at + 1]

    def line_start(self, index: int) -> int:
        return max(self.text.rfind("\n", 0, index), self.text.rfind("\r", 0, index)) + 1

    def begins_line(self, index: int) -> bool:
        return not self.text[self.line_start(index) : index].strip()

    def line_end(self, index: int) -> int:
        ends = (self.text.find(mark, index) for mark in "\r\n")
        return min((end for end in ends if end >= 0), default=len(self.text))

    @property
    def before(self) -> str:
        """The line up to where the parser stopped."""
        return self.text[self.line_start(self.at) : self.at]

    def line_above(self, index: int) -> tuple[int, str] | None:
        """Return the nearest line with content above that of an index, and the index of its start."""
        end = self.line_start(index)
        while end > 0:
            end = self.text.rfind("\n", 0, end)
            start = self.line_start(end) if end >= 0 else 0
            line = self.text[start : max(end, 0)].rstrip("\r")
            if line.strip() and not line.lstrip().startswith("#"):
                return start, line
            end = start
        return None


def indentation(line: str) -> int:
    """Return how many characters a line is indented."""
    return len(line) - len(line.lstrip())


_Diagnosis = Callable[[_Stuck], _Finding | None]


def _unquoted_expression(stuck: _Stuck) -> _Finding | None:
    """`{repo: ${{ inputs.repo }}}`, `a: ${{ {'x': 1} }}`, and `a: {{ x }}/y`."""
    start = stuck.line_start(stuck.at)
    line = stuck.text[start : stuck.line_end(stuck.at)]
    bare = QUOTED.sub(lambda quoted: "_" * len(quoted.group()), line)
    for found in EXPRESSION.finditer(bare):
        if found.start() > stuck.at - start:
            break
        written = line[found.start() : found.end()]
        span = (start + found.start(), start + found.end())
        if written.startswith("$"):
            quote = "'" if '"' in written else '"'
            hint = f"put quotes around it: {quote}{written}{quote}"
            if quote == "'" and "'" in written:
                hint = "put quotes around the whole value, or write it as a block after '|'"
            return _Finding("'${{ }}' needs quotes here", *span, hint)
        return _Finding(BRACES, *span, BRACES_FIX)
    return None


_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7})(?: |$)|={7}$")
"""The lines by which Git marks a conflict."""
_NO_SPACE = re.compile(r"([A-Za-z_][\w-]*):(?=\S)")
"""A key without a space after its colon, such as `name:x`."""
_PAIR = re.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w")
_BLOCK_START = re.compile(r":\s+([|>])[-+\d]*\s*$")
NO_ITEM = "this line is among the items of a list but is not an item"
NO_ITEM_FIX = "begin it with '- ', or indent it to where it belongs"


def _no_colon(stuck: _Stuck) -> _Finding | None:
    """`steps` on a separate line, where a key is expected."""
    return _no_key(stuck, stuck.since) if "could not find expected ':'" in stuck.reason else None


def _no_key(stuck: _Stuck, start: int) -> _Finding:
    """Return what is wrong with the line whose text begins at `start`, where a key is expected."""
    line = stuck.text[start : stuck.line_end(start)].rstrip()
    if len(line) > LONGEST_KEY:
        message = f"a key has at most {LONGEST_KEY:,} characters"
        return _Finding(message, start, start + LONGEST_KEY, "shorten it")
    message, hint = _wrong_key(stuck, start, line)
    return _Finding(message, start, start + len(line), hint)


def _wrong_key(stuck: _Stuck, start: int, line: str) -> tuple[str, str]:
    """Return the message and the hint for a line that should be a key."""
    _, above = stuck.line_above(start) or (0, "")
    if _CONFLICT.match(line):
        return "this line is a mark of a merge conflict", "resolve the conflict"
    if line.startswith("<!--"):
        return "a comment in HTML is not a comment in YAML", "begin it with '#'"
    if found := _NO_SPACE.match(line):
        return (
            f"there is no ': ' after '{found[1]}'",
            f"write '{found[1]}: {line[found.end() :]}', with a colon and a space",
        )
    if above.lstrip().startswith("- ") and indentation(above) == start - stuck.line_start(start):
        return NO_ITEM, NO_ITEM_FIX
    if block := _BLOCK_START.search(above):
        return f"this line is not indented below '{block[1]}'", "indent all lines of the text"
    if len(line.split()) == 1:
        return f"there is no ':' after '{line}'", f"write '{line}: …', or '{line}:' if its value is below"
    hint = "write 'key: value'; or indent it, or put quotes around the whole value, if it is a part of it"
    return "this line has no ': ', and it is not indented as a part of the value above", hint


def _open_quote(stuck: _Stuck) -> _Finding | None:
    """`a: "hello` and `a: 'it's'`."""
    if "quoted scalar" in stuck.doing and "unexpected" in stuck.reason:
        return _Finding("this quote is not closed", stuck.since, stuck.since + 1, "close it at the end of the text")
    before = stuck.before.rstrip()
    if (
        before
        and before[-1] in "\"'"
        and "flow" not in stuck.doing
        and "expected" in stuck.reason
        and stuck.character not in ("", "]", "}")
    ):
        hint = "put one pair of quotes around the whole text; inside single quotes, '' is one quote"
        return _Finding("the text continues after its closing quote", stuck.at, stuck.line_end(stuck.at), hint)
    return None


def _tab(stuck: _Stuck) -> _Finding | None:
    if stuck.character == "\t" and not stuck.before.strip():
        start = stuck.line_start(stuck.at)
        end = start + len(stuck.text[start:]) - len(stuck.text[start:].lstrip(" \t"))
        return _Finding("a tab cannot indent a line", stuck.at, end, "indent with spaces")
    if stuck.character == "\t":
        return _Finding("a tab is not allowed here", stuck.at, stuck.at + 1, "write a space")
    return None


_BOLD = re.compile(r"\*\*([\w-]+):?\*\*:?(?= |$)", re.MULTILINE)
"""A key in bold letters, as in Markdown."""


def _reserved_start(stuck: _Stuck) -> _Finding | None:
    """`a: @x`, `a: %x`, `a: *.txt`, `a: & b`, `a: ? b`."""
    if any(one in stuck.doing for one in ("directive", "alias", "anchor")):
        start = stuck.since
    elif "cannot start any token" in stuck.reason or "mapping keys are not allowed" in stuck.reason:
        start = stuck.at
    else:
        return None
    if stuck.begins_line(start) and (bold := _BOLD.match(stuck.text, start)):
        return _Finding("a key has no asterisks around it", *bold.span(), f"write '{bold[1]}: …'")
    return _Finding(f"a text cannot begin with '{stuck.text[start : start + 1]}'", start, start + 1, QUOTES_FIX)


def _block_header(stuck: _Stuck) -> _Finding | None:
    """`a: > b`."""
    if "block scalar" not in stuck.doing:
        return None
    mark = stuck.text[stuck.since : stuck.since + 1]
    hint = f"begin the text on the next line, indented; or put quotes around it if it begins with '{mark}'"
    return _Finding(f"there is text on the same line as '{mark}'", stuck.at, stuck.line_end(stuck.at), hint)


def _escape(stuck: _Stuck) -> _Finding | None:
    r"""`a: "C:\users"`, and a surrogate, alone as in `"\ud83d"` or in a pair as in JSON."""
    if "scalar" not in stuck.doing or not ("escape" in stuck.reason or "hexdecimal" in stuck.reason):
        return None
    start = stuck.text.rfind("\\", 0, stuck.at + 1)
    if "Unicode" in stuck.reason:
        is_pair = _PAIR.match(stuck.text, start) is not None
        message = "this escape is a lone surrogate"
        if is_pair:
            message = "YAML does not join two escapes into one character, as JSON does"
        return _Finding(message, start, start + (12 if is_pair else 6), "write the character itself")
    hint = "write two backslashes for one, or use single quotes, in which a backslash has no special meaning"
    return _Finding(f"'{stuck.text[start : start + 2]}' is not a valid escape", start, start + 2, hint)


def _colon(stuck: _Stuck) -> _Finding | None:
    """`a: b: c`, a line above without its colon, or a line that is indented too far."""
    if "mapping values are not allowed" not in stuck.reason:
        return None
    hint = f"{QUOTES_FIX} that contains ': '"
    own = stuck.before.lstrip()
    if COLON.search(LIST_ITEMS.sub("", QUOTED.sub("_", own), count=1)):
        return _Finding("a second ': ' on one line", stuck.at, stuck.at + 1, hint)
    start, line = stuck.line_above(stuck.at) or (0, "")
    if not line:
        return _Finding("':' is not allowed here", stuck.at, stuck.at + 1, hint)
    if _continues(stuck, start, line):
        message = "this line is indented, so that it continues the value above, in which ': ' is not allowed"
        hint = "put quotes around the whole value; if it is a key, align it with the key above"
        return _Finding(message, stuck.at - len(own), stuck.at, hint)
    return _no_key(stuck, start + indentation(line))


def _continues(stuck: _Stuck, start: int, line: str) -> bool:
    """Whether the line where the parser stopped continues the value of a key, or of an item, on a line above it."""
    if indentation(stuck.before) > indentation(line) and (_is_key(line) or line.lstrip().startswith("- ")):
        return True
    _, above = stuck.line_above(start) or (0, "")
    return not _is_key(line) and bool(above) and indentation(line) > indentation(above)


def _is_key(line: str) -> bool:
    return COLON.search(QUOTED.sub("_", line)) is not None


def _list_on_line_of_key(stuck: _Stuck) -> _Finding | None:
    """`a: - b`."""
    if "sequence entries are not allowed" not in stuck.reason:
        return None
    hint = "begin it on the next line, or write [a, b]; put quotes around a text that begins with '- '"
    return _Finding("a list cannot begin on the line of its key", stuck.at, stuck.at + 1, hint)


def _brackets(stuck: _Stuck) -> _Finding | None:
    """`[1, 2` and `{a: 1 b: 2}`."""
    if "flow" not in stuck.doing:
        return None
    opening = stuck.text[stuck.since : stuck.since + 1]
    if opening not in BRACKETS or "expected ','" not in stuck.reason:
        if stuck.at >= len(stuck.text.rstrip()):
            return _Finding("a bracket is not closed", len(stuck.text.rstrip()), stuck.at, "close every '[' and '{'")
        return _Finding("there is no value here", stuck.at, stuck.at + 1, "remove the comma, or put quotes around it")
    closing = BRACKETS[opening]
    if stuck.line_start(stuck.at) != stuck.line_start(stuck.since):
        return _Finding(f"this '{opening}' is not closed", stuck.since, stuck.since + 1, f"close it with '{closing}'")
    hint = f"write ',' between the items; {QUOTES_FIX} that contains brackets, commas or colons"
    return _Finding(f"there is no ',' or '{closing}' here", stuck.at, stuck.at + 1, hint)


def _stray_bracket(stuck: _Stuck) -> _Finding | None:
    """`a: [1]]`, `a: }` and `a: ,x`."""
    if stuck.character not in ("]", "}", ",") or not stuck.character:
        return None
    if stuck.character == "," or not stuck.before.rstrip() or stuck.before.rstrip()[-1] in ":-":
        return _Finding(f"a text cannot begin with '{stuck.character}'", stuck.at, stuck.at + 1, QUOTES_FIX)
    return _Finding(f"this '{stuck.character}' has no opening bracket", stuck.at, stuck.at + 1, "remove it")


def _indentation(stuck: _Stuck) -> _Finding | None:
    """A key among list items, a list item among keys, or a line between two levels of indentation."""
    if "block" not in stuck.doing:
        return None
    span = (stuck.at, stuck.line_end(stuck.at))
    if stuck.doing.endswith(("collection", "sequence")):
        return _Finding(NO_ITEM, *span, NO_ITEM_FIX)
    if stuck.before.strip():
        return _Finding("a value ends before this text", *span, "put quotes around the whole value")
    if stuck.text.startswith("-", stuck.at):
        return _Finding("a list item is among the keys of a mapping", *span, "indent it below its key")
    hint = "indent it like the lines it belongs to"
    return _Finding("the indentation of this line matches no line above", *span, hint)


def _directive(stuck: _Stuck) -> _Finding | None:
    if "incompatible YAML" in stuck.reason:
        return _Finding("this version of YAML is unknown", stuck.at, stuck.line_end(stuck.at), "remove the line")
    if "document start" in stuck.reason and not stuck.before.strip() and _first_indentation(stuck.text):
        message, hint = "this line is indented less than the first one", "indent all keys of the document alike"
        return _Finding(message, stuck.at, stuck.line_end(stuck.at), hint)
    if "document start" in stuck.reason:
        hint = "write one document per file; put quotes around a text that is '...'"
        return _Finding("a second document begins here", stuck.at, stuck.line_end(stuck.at), hint)
    if "tag" in stuck.reason or "tag" in stuck.doing:
        return _Finding("a tag is not allowed", stuck.at, stuck.at + 1, "put quotes around a text that begins with '!'")
    return None


def _first_indentation(text: str) -> int:
    """Return how far the first line with content is indented, apart from the line `---`."""
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "---")))
    return indentation(next(lines, ""))


def _unrecognized(stuck: _Stuck) -> _Finding:
    message = stuck.reason.partition("\n")[0].removeprefix("found ").removeprefix("did not find ")
    return _Finding(f"invalid YAML: {message}", stuck.at, stuck.at + 1, QUOTES_FIX)


DIAGNOSES: tuple[_Diagnosis, ...] = (
    _tab,
    _unquoted_expression,
    _no_colon,
    _open_quote,
    _block_header,
    _escape,
    _reserved_start,
    _colon,
    _list_on_line_of_key,
    _brackets,
    _stray_bracket,
    _indentation,
    _directive,
)
