"""Reads YAML text or files to nodes and problems; invalid documents never raise an exception."""

import re
from errno import EFBIG
from pathlib import Path

from toolkit.codes import BROKEN_DOCUMENT, NOT_FOUND
from toolkit.documents.nodes import USUAL, Bounds, Node, Source
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.regular_files import bounded_bytes

WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")

# Listing what is not allowed compiles in 1% of the time that the opposite takes, which has a million characters.
CONTROL_CHARACTER = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"

# A lone surrogate is not a character. U+2028, U+2029 and U+0085 are line breaks only for some programs, which would
# make line numbers ambiguous.
WIDER_CONTROL_CHARACTER = "[\x80-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
MAX_TWO_DIGITS = 0xFF
SURROGATES = range(0xD800, 0xE000)


Document = tuple[Node | None, list[Problem]]
"""The root node of a YAML document, and its problems."""


def parse_document(text: str, file: str, bounds: Bounds = USUAL) -> Document:
    """Parse one YAML document.

    Args:
        text: The document.
        file: The name of the file in the locations of nodes and problems.
        bounds: How large the document can be.

    Returns:
        The root node and all problems. The root is `None` only if an error prevents parsing; the root of an empty
        document is a null. Parts that are refused, such as duplicate keys or tags, are left out of the tree.
    """
    source = Source(text.removeprefix("\ufeff"), file)
    if len(source.text) > bounds.characters:
        return None, [_too_large(file, bounds.characters)]
    if unreadable := unreadable_in(source.text):
        return None, [_unreadable_character(source, unreadable)]
    from toolkit.documents.composing import compose  # PyYAML is imported only to read YAML

    return compose(source, bounds)


def read_document(path: Path, *, name: str | None = None) -> Document:
    """Read a YAML file, which must be UTF-8 and at most 1 MiB large.

    Args:
        path: The path of the file.
        name: The name of the file in the locations of nodes and problems; by default, its path.

    Returns:
        The same as `parse_document`. A file that cannot be read is reported as a problem.
    """
    file = str(path) if name is None else name
    text = read_text(path, file)
    return (None, [text]) if isinstance(text, Problem) else parse_document(text, file)


def read_text(path: Path, file: str, *, most: int = USUAL.characters) -> str | Problem:
    """Return the text of a UTF-8 file of at most `most` bytes, or the problem if it cannot be read."""
    data = _read_bytes(path, file, most)
    return data if isinstance(data, Problem) else decoded_text(data, file)


def decoded_text(data: bytes, file: str) -> str | Problem:
    """Return the text of a file's content, or the problem if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _not_text(data, file, error.start)


def _read_bytes(path: Path, file: str, most: int) -> bytes | Problem:
    try:
        return bounded_bytes(path, most=most)
    except FileNotFoundError:
        return Problem(NOT_FOUND, f"there is no file '{file}'", Location(file), hint=near_file(file, path))
    except ValueError:
        return Problem(NOT_FOUND, f"cannot read '{file}': a file name cannot contain a null character", Location(file))
    except OSError as error:
        if error.errno == EFBIG:
            return _too_large(file, most)
        reason = error.strerror or str(error)
        return Problem(NOT_FOUND, f"cannot read '{file}': {reason[:1].lower()}{reason[1:]}", Location(file))


def near_file(text: str, path: Path) -> str | None:
    """Return a hint for a missing file: files with similar names in its folder, written like `text`."""
    try:
        names = [entry.name for entry in path.parent.iterdir() if not entry.name.startswith(".") and entry.is_file()]
    except OSError:
        return f"there is no folder '{path.parent}' either"
    return did_you_mean(path.name, sorted(names), before=text.removesuffix(path.name))


def _too_large(file: str, most: int) -> Problem:
    return Problem(
        BROKEN_DOCUMENT,
        f"the document is larger than {most:,} bytes",
        Location(file),
        hint="move the data to a separate file and let a tool read it",
    )


def _not_text(data: bytes, file: str, start: int) -> Problem:
    if data.startswith(WIDE_MARKS):
        return Problem(BROKEN_DOCUMENT, "the file is UTF-16", Location(file), hint="save it as UTF-8")
    before = data[:start].decode("utf-8").removeprefix("\ufeff")
    place = Source(before + "?", file).place(len(before))
    return Problem(
        BROKEN_DOCUMENT, f"byte 0x{data[start]:02x} is not UTF-8 text", Location(file, *place), hint="save it as UTF-8"
    )


def unreadable_in(text: str) -> re.Match[str] | None:
    """Return the first character that a document can contain only as an escape."""
    found = re.search(CONTROL_CHARACTER, text)
    return found if found or text.isascii() else re.search(WIDER_CONTROL_CHARACTER, text)


def _unreadable_character(source: Source, found: re.Match[str]) -> Problem:
    point = ord(found.group())
    escape = f"\\x{point:02x}" if point <= MAX_TWO_DIGITS else f"\\u{point:04x}"
    hint = "remove it" if point in SURROGATES else f'remove it, or write it as "{escape}" in double quotes'
    message = f"the control character U+{point:04X} is not allowed in a document"
    return Problem(BROKEN_DOCUMENT, message, source.location(*found.span()), hint=hint)
