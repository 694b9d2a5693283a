"""Syntax: what PyYAML says about a broken document, said again with the place and the cure."""

import re
from typing import Any

from toolkit.documents.writing import LINE_BREAK, Source
from toolkit.problems import Location, Problem

QUOTED = re.compile(r""""(?:\\.|[^"\\])*"|'(?:''|[^'])*'""")
EXPRESSION = re.compile(r"\$?\{\{")
RESERVED = {"%": "%", "@": "@", "`": "`"}


def syntax_problem(error: Exception, source: Source, file: str) -> Problem:
    """Return the one Problem of a document that PyYAML could not read."""
    return Problem("TK601", str(error), Location(file, 1, 1))
