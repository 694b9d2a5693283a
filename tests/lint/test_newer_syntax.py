"""Syntax of later versions of Python is read, with every position as it is, and lint checks such files like others."""

import ast
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from toolkit.lint import LintSettings, check
from toolkit.settings import Configuration
from toolkit.source_code.newer_syntax import in_older_syntax, parse_source  # private

TOOLS = '''
from fastmcp import FastMCP

mcp = FastMCP("weather")
type Degrees = float
{before}

@mcp.tool
def forecast(city: str, day: str) -> str:
    """Forecast the weather in a city on one of the next days.

    Args:
        city: The name of the city, such as `Oslo`.
        day: The day, as `2026-05-17`.
    """
    {body}
    return str(sky.look(city))
'''
NEWER = {
    "the same quotes": ("", 'text = f"{DAYS["today"]} in {day}"'),
    "a line break in quotes": ("", 'text = f"{"\\n".join([day])}"'),
    "a line break in a field": ("", 'text = f"{\n        day  # its name\n    } é"'),
    "a string in a string": ("", 'text = f"{f"{DAYS["today"]}" + day!r:>{len("é")}}"'),
    "strings in a row": (
        "",
        "text = (\n        f'{day}'\n        f'{''.join(f\"{DAYS['today']}\" 'b' for _ in day)}'  # it's\n        'b')",
    ),
    "an escape in a field": ("", "text = 'a' f\"{'\\'' if day else ''}\" 'b'"),
    "a template": ("", 'text = t"{day}"'),
    "a generic function": ("def first[T: (int, str)](items: list[T]) -> T:\n    return items[0]", "text = day"),
    "a generic function in lines": (
        "def first[\n    T: int,\n](\n    items: list[T],\n) -> T:\n    return items[0]",
        "text = day",
    ),
    "lazy imports": ("lazy import os.path\nlazy   from sky import look as seen", "text = day"),
    "a generic class": ("class Box[T, *Ts, **P]:\n    pass", "text = day"),
    "a generic type": ("type Pairs[T] = dict[str, T]", "text = day"),
    "except without parentheses": ("try:\n    pass\nexcept ValueError, OSError:\n    pass", "text = day"),
}
PIECES = (
    "a",
    "{",
    "}",
    '"',
    "'",
    '"""',
    "f",
    "t",
    "[",
    "]",
    "\n",
    " ",
    "#",
    "\\",
    "!r",
    ":",
    "=",
    "é",
    "type X",
    "def ",
)


def found_in(folder, text):
    folder.joinpath("server.py").write_text(text, "utf-8")
    settings = LintSettings(is_static=True, profile="recommended")
    return [str(one) for one in check([str(folder)], Configuration(), settings=settings)]


@pytest.mark.parametrize("case", NEWER)
def test_newer_syntax_is_read_and_its_tools_are_checked(tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    before, body = NEWER[case]
    text = TOOLS.format(before=before, body=body)
    line = text.splitlines().index("def forecast(city: str, day: str) -> str:") + 1
    assert found_in(tmp_path, text) == []
    found = found_in(tmp_path, text.replace("(city: str, day: str)", "(city: str, day: str, unused: int = 0)"))
    assert any(one.startswith(f"server.py:{line}:35: warning[TK401]") for one in found)


def test_a_mistake_is_still_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [found] = found_in(tmp_path, TOOLS.format(before="", body='text = f"{DAYS["today"] day}"'))
    assert "error[TK002]: 'server.py' cannot be read" in found


@given(st.lists(st.sampled_from(PIECES)).map("".join))
@settings(deadline=None)
def test_any_text_is_read_or_refused_and_keeps_its_lines(text):
    older = in_older_syntax(text)
    assert older is None or older.count("\n") == text.count("\n")
    try:
        expected = ast.dump(ast.parse(text))
    except (SyntaxError, ValueError):
        return
    assert ast.dump(parse_source(text)) == expected


@pytest.mark.proof
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this interpreter reads most newer syntax itself")
def test_source_that_the_interpreter_reads_has_nothing_to_replace():
    for file in sorted(Path(ast.__file__).parent.glob("*.py")):
        assert in_older_syntax(file.read_text("utf-8", "replace")) is None, file
