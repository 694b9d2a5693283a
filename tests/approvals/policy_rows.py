"""The table of decisions: rule sets, and calls under them, each with who decides: a line of the file, or `risk`."""

import json
from typing import NamedTuple

DESK = '''
from toolkit import tool

@tool(destructive=True)
def write(path: str, text: str = "x") -> str:
    """Write a file."""
    return "done"

@tool(destructive=True)
def items(paths: list[str]) -> str:
    """Delete some files."""
    return "done"

@tool(read_only=True)
def read(path: str) -> str:
    """Read a file."""
    return "done"

@tool
def fetch(url: str) -> str:
    """Fetch a page."""
    return "done"

@tool
def note(text: str) -> str:
    """Note a text."""
    return "done"

@tool(requires_approval=True)
def pay(euros: int, to: str) -> str:
    """Pay somebody."""
    return "done"
'''
PATHS = """\
deny: [{tool: "*", where: {path: {outside: "."}}, because: Files stay in the project.}]
ask: [{tool: read, where: {path: {glob: "*.env"}}}]
allow: [{tool: write, where: {path: {prefix: out/}}}]
"""
HOSTS = """\
deny: [{tool: fetch, where: {url: {host: [evil.example, "*.evil.example"]}}}]
allow: [{tool: fetch, where: {url: {host: docs.python.org}}}]
"""
MONEY = """\
ask: [{tool: pay, where: {to: {not: {one_of: [Ada, Bob]}}}}]
deny: [{tool: pay, where: {euros: {not: {max: 1000}}}}]
allow: [{tool: pay, where: {euros: {max: 50}, to: {regex: "A.*"}}}]
"""
CLOSED = """\
default: deny
allow: [{tool: read}]
ask: [{tool: "n*"}]
"""
BY_CHOOSER = "default: {person: allow, model: ask}\n"
MARKS = """\
deny: [{risk: destructive, chosen_by: model}]
ask: [{risk: unmarked, chosen_by: person}]
allow: [{risk: [read_only, requires_approval]}]
"""
SHAPES = """\
allow: [{tool: items, where: {paths: {schema: {maxItems: 2, items: {pattern: "^[a-z]+$"}}}}}]
deny: [{tool: items, where: {paths: {glob: "*.key"}}}]
ask: [{tool: note, where: {text: {regex: "(?i).*password.*"}}}]
"""
TIMES = """\
allow: [{tool: write, expires: 2000-01-01}, {tool: note, expires: 2999-01-01}, {tool: fetch, ci: true}, {tool: pay, ci: false}]
"""
SOURCES = """\
deny: [{source: "mcp://*"}]
allow: [{source: "*desk.py"}]
ask: [{source: builtin, tool: "date*"}]
"""
ORDER = """\
allow: [{tool: "*"}]
ask: [{tool: [write, note]}]
deny: [{tool: write, where: {text: secret}}]
"""


class Row(NamedTuple):
    """A call under a rule set, and what is decided: by the rule on a line, or by risk (0)."""

    rules: str
    chosen_by: str
    tool: str
    arguments: dict
    decision: str
    line: int

    @property
    def name(self):
        """How the row is called."""
        return f"{self.chosen_by} {self.tool} {json.dumps(self.arguments)} → {self.decision} {self.line or 'risk'}"


def _rows(rules, chosen_by, text):
    for line in text.strip().splitlines():
        tool, arguments, decision, by = (part.strip() for part in line.split("|"))
        yield Row(rules, chosen_by, tool, json.loads(arguments), decision, 0 if by == "risk" else int(by))


ROWS = [
    *_rows(
        PATHS,
        "model",
        r"""
        write | {"path": "out/a"}              | allow | 3
        write | {"path": "a"}                  | ask   | risk
        write | {"path": "../a"}               | deny  | 1
        write | {"path": "/etc/x"}             | deny  | 1
        write | {"path": "~/x"}                | deny  | 1
        write | {"path": ""}                   | deny  | 1
        write | {"path": "out/../a"}           | ask   | risk
        write | {"path": "out/../../a"}        | deny  | 1
        read  | {"path": "a"}                  | allow | risk
        read  | {"path": "a.env"}              | ask   | 2
        read  | {"path": "../a.env"}           | deny  | 1
        items | {"paths": ["/etc/x"]}          | ask   | risk
        note  | {"text": "hi"}                 | ask   | risk
        fetch | {"url": "https://a.example/"}  | ask   | risk
        """,
    ),
    *_rows(
        PATHS,
        "person",
        r"""
        write | {"path": "out/a"}              | allow | 3
        write | {"path": "a"}                  | ask   | risk
        write | {"path": "../a"}               | deny  | 1
        read  | {"path": "a.env"}              | ask   | 2
        note  | {"text": "hi"}                 | allow | risk
        pay   | {"euros": 1, "to": "Ada"}      | ask   | risk
        """,
    ),
    *_rows(
        HOSTS,
        "model",
        r"""
        fetch | {"url": "https://docs.python.org/3/"}             | allow | 2
        fetch | {"url": "https://DOCS.Python.org./3/"}            | allow | 2
        fetch | {"url": "https://docs.python.org:8443/"}          | allow | 2
        fetch | {"url": "https://docs.python.org.evil.example/"}  | deny  | 1
        fetch | {"url": "https://evil.example/"}                  | deny  | 1
        fetch | {"url": "http://a.evil.example:8080/x"}           | deny  | 1
        fetch | {"url": "https://docs.python.org@evil.example/"}  | deny  | 1
        fetch | {"url": "https://evil.example\\@docs.python.org"} | deny  | 1
        fetch | {"url": "https://docs.python.org\t.test/"}        | deny  | 1
        fetch | {"url": "docs.python.org"}                        | deny  | 1
        fetch | {"url": "https://example.com/"}                   | ask   | risk
        fetch | {"url": "https://notevil.example/"}               | ask   | risk
        """,
    ),
    *_rows(
        HOSTS,
        "person",
        r"""
        fetch | {"url": "https://docs.python.org/3/"}             | allow | 2
        fetch | {"url": "https://evil.example/"}                  | deny  | 1
        fetch | {"url": "https://example.com/"}                   | allow | risk
        """,
    ),
    *(
        row
        for chosen_by in ("model", "person")
        for row in _rows(
            MONEY,
            chosen_by,
            r"""
            pay | {"euros": 10, "to": "Ada"}   | allow | 3
            pay | {"euros": 50, "to": "Ada"}   | allow | 3
            pay | {"euros": -5, "to": "Ada"}   | allow | 3
            pay | {"euros": 51, "to": "Ada"}   | ask   | risk
            pay | {"euros": 10, "to": "Bob"}   | ask   | risk
            pay | {"euros": 10, "to": "Eve"}   | ask   | 1
            pay | {"euros": 10, "to": "Ann"}   | ask   | 1
            pay | {"euros": 1000, "to": "Ada"} | ask   | risk
            pay | {"euros": 1001, "to": "Ada"} | deny  | 2
            pay | {"euros": 1001, "to": "Eve"} | deny  | 2
            """,
        )
    ),
    *(
        row
        for chosen_by in ("model", "person")
        for row in _rows(
            CLOSED,
            chosen_by,
            r"""
            read       | {"path": "a"}                 | allow | 2
            note       | {"text": "hi"}                | ask   | 3
            write      | {"path": "a"}                 | deny  | 1
            fetch      | {"url": "https://a.example/"} | deny  | 1
            pay        | {"euros": 1, "to": "Ada"}     | deny  | 1
            items      | {"paths": []}                 | deny  | 1
            calculator | {"input": "1+1"}              | deny  | 1
            """,
        )
    ),
    *_rows(
        BY_CHOOSER,
        "model",
        r"""
        read       | {"path": "a"}                 | ask   | 1
        write      | {"path": "a"}                 | ask   | 1
        fetch      | {"url": "https://a.example/"} | ask   | 1
        note       | {"text": "hi"}                | ask   | 1
        pay        | {"euros": 1, "to": "Ada"}     | ask   | 1
        items      | {"paths": []}                 | ask   | 1
        calculator | {"input": "1+1"}              | ask   | 1
        """,
    ),
    *_rows(
        BY_CHOOSER,
        "person",
        r"""
        read       | {"path": "a"}                 | allow | 1
        write      | {"path": "a"}                 | allow | 1
        pay        | {"euros": 1, "to": "Ada"}     | allow | 1
        """,
    ),
    *_rows(
        MARKS,
        "model",
        r"""
        write      | {"path": "a"}                 | deny  | 1
        items      | {"paths": []}                 | deny  | 1
        read       | {"path": "a"}                 | allow | 3
        calculator | {"input": "1+1"}              | allow | 3
        pay        | {"euros": 1, "to": "Ada"}     | allow | 3
        note       | {"text": "hi"}                | ask   | risk
        fetch      | {"url": "https://a.example/"} | ask   | risk
        """,
    ),
    *_rows(
        MARKS,
        "person",
        r"""
        write      | {"path": "a"}                 | ask   | risk
        read       | {"path": "a"}                 | allow | 3
        pay        | {"euros": 1, "to": "Ada"}     | ask   | 2
        note       | {"text": "hi"}                | ask   | 2
        """,
    ),
    *_rows(
        SHAPES,
        "model",
        r"""
        items | {"paths": ["a"]}               | allow | 1
        items | {"paths": ["a", "b"]}          | allow | 1
        items | {"paths": []}                  | allow | 1
        items | {"paths": ["a", "b", "c"]}     | ask   | risk
        items | {"paths": ["A"]}               | ask   | risk
        items | {"paths": ["x.key"]}           | deny  | 2
        items | {"paths": ["a", "x.key"]}      | deny  | 2
        note  | {"text": "my PASSWORD is"}     | ask   | 3
        note  | {"text": "hi"}                 | ask   | risk
        """,
    ),
    *_rows(
        SHAPES,
        "person",
        r"""
        note  | {"text": "my PASSWORD is"}     | ask   | 3
        note  | {"text": "hi"}                 | allow | risk
        """,
    ),
    *_rows(
        TIMES,
        "model",
        r"""
        write | {"path": "a"}                  | ask   | risk
        note  | {"text": "hi"}                 | allow | 1
        fetch | {"url": "https://a.example/"}  | ask   | risk
        pay   | {"euros": 1, "to": "Ada"}      | allow | 1
        """,
    ),
    *_rows(
        SOURCES,
        "model",
        r"""
        write      | {"path": "a"}             | allow | 2
        note       | {"text": "hi"}            | allow | 2
        pay        | {"euros": 1, "to": "Ada"} | allow | 2
        calculator | {"input": "1+1"}          | allow | risk
        """,
    ),
    *_rows(
        ORDER,
        "model",
        r"""
        write      | {"path": "a"}                   | ask   | 2
        write      | {"path": "a", "text": "secret"} | deny  | 3
        note       | {"text": "secret"}              | ask   | 2
        read       | {"path": "a"}                   | allow | 1
        fetch      | {"url": "https://a.example/"}   | allow | 1
        pay        | {"euros": 1, "to": "Ada"}       | allow | 1
        items      | {"paths": []}                   | allow | 1
        calculator | {"input": "1+1"}                | allow | 1
        """,
    ),
    *_rows(
        ORDER,
        "person",
        r"""
        write      | {"path": "a"}                   | ask   | 2
        write      | {"path": "a", "text": "secret"} | deny  | 3
        pay        | {"euros": 1, "to": "Ada"}       | allow | 1
        """,
    ),
]
