"""Parses the arguments of a call on the command line.

`name=value` is converted to the type in the schema, `name:=json` is JSON, and `name=@file` and `name:=@file` read the
value from a file. Anything else is the text input of the tool.
"""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Literal, NamedTuple

from toolkit.problems import Problem
from toolkit.redactors.redactor import MASK
from toolkit.redactors.secret_names import names_secret
from toolkit_cli import console

Form = Literal["text", "json"]

_NAME = re.compile(r"[^\W\d][\w.-]*")


class Assignment(NamedTuple):
    """An argument's name, the form and text of its value, and whether the text was read from a file."""

    name: str
    form: Form
    text: str
    is_file: bool = False


def read_assignment(token: str, known: Collection[str]) -> Assignment | None:
    """Parse a word of the command line; return `None` if it is not an assignment.

    `2^3=8` is not an assignment, since `2^3` is not a name; nor is `x==1`, unless the tool has a parameter `x`.
    """
    left, equals, text = token.partition("=")
    if not equals:
        return None
    name = left.removesuffix(":")
    if name not in known and (left not in known) and (text.startswith("=") or not _NAME.fullmatch(name)):
        return None
    is_json = left.endswith(":") and left not in known
    return Assignment(name if is_json else left, "json" if is_json else "text", text)


def with_file_read(assignment: Assignment) -> Assignment | Problem:
    """Return an assignment with `@file` replaced by the text of the file."""
    if not assignment.text.startswith("@"):
        return assignment
    path, name = assignment.text[1:], assignment.name
    is_secret = names_secret(name) or name.lower() in console.redactor().names
    text = read_text_file(path, f"argument '{name}'", MASK if is_secret else path)  # a password may begin with @
    if isinstance(text, Problem):
        return text
    return assignment._replace(text=text, is_file=True)


def read_text_file(path: str, wanted_by: str, shown: str | None = None) -> str | Problem:
    """Return the exact text of a file, or a Problem if it cannot be read, which names it as `shown`."""
    shown = path if shown is None else shown
    try:
        return Path(path).expanduser().read_bytes().decode()
    except UnicodeDecodeError as error:
        return Problem("", f"{wanted_by}: the file '{shown}' is not UTF-8 text (byte {error.start} is not)")
    except (OSError, ValueError, RuntimeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        hint = "a value that starts with @ is the name of a file; for the text itself write name:='\"@…\"'"
        return Problem("", f"{wanted_by}: cannot read the file '{shown}': {reason}", hint=hint)
