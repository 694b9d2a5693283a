"""Writes the body of a request: JSON, a form, several parts, or a text or file as it is.

A model writes a file as text, or as a `data:` URL if it is binary or has a name:
`data:image/png;name=cat.png;base64,iVBORw0KGgo=`.
"""

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any, Final
from urllib.parse import unquote, unquote_to_bytes

from toolkit.fetching import read_media_type
from toolkit.json_texts import json_text, text_of
from toolkit.openapi.operations import Body, Encoding, Operation, defined
from toolkit.openapi.parameter_styles import UnwritableValueError, pairs_in_style, percent_encoded

FORM: Final = "application/x-www-form-urlencoded"
PARTS: Final = "multipart/form-data"
_ANY_FILE: Final = "application/octet-stream"
_DATA_URL: Final = re.compile(
    r"data:(?P<type>[\w.+-]+/[\w.+-]+)?(?P<more>(?:;[\w-]+=[^;,]*)*)(?P<base64>;base64)?,", re.ASCII
)
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(; ?[\w-]+=[\w.+-]+)*", re.ASCII)
_ESCAPES: Final = {'"': "%22", "\r": "%0D", "\n": "%0A"}


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a body or a file.

    Attributes:
        media_type: Its media type, as it is sent.
        data: Its bytes.
        name: The name of the file, if it has one.
    """

    media_type: str
    data: bytes
    name: str = ""


def is_json_body(media_type: str) -> bool:
    """Return whether a body of a media type, which may have wildcards, is sent as JSON."""
    kind = read_media_type(media_type)
    return kind.is_json or kind.name in {"*/*", "application/*"}


def is_media_type(text: str) -> bool:
    """Return whether a text is one media type that can be sent, without wildcards."""
    return _MEDIA_TYPE.fullmatch(text) is not None


def write_body(operation: Operation, arguments: Mapping[str, Any], faults: dict[str, str]) -> Content | None:
    """Return the content of the body of a request, or `None` if there is none to send.

    Args:
        operation: The operation.
        arguments: The arguments of the call.
        faults: Receives the reason for each argument that cannot be sent.
    """
    if operation.body is None:
        return None
    body = _with_own_schemas(operation.body, operation.definitions)
    if body.argument is not None:
        if body.argument not in arguments:
            return None
        try:
            return _whole(body, arguments[body.argument])
        except UnwritableValueError as error:
            faults[body.argument] = str(error)
            return None
    given = {argument: name for argument, name in body.members.items() if argument in arguments}
    if not given and not body.is_required:
        return None
    members: dict[str, Any] = {}
    for argument, name in given.items():
        value = arguments[argument]
        try:
            _whole(body, {name: value})
        except UnwritableValueError as error:
            faults[argument] = str(error)
        else:
            members[name] = value
    return _whole(body, members)


def _with_own_schemas(body: Body, definitions: Mapping[str, Any]) -> Body:
    """Return a body whose members, and their items, have schemas of their own instead of references to definitions."""

    def own(schema: Any) -> Mapping[str, Any]:
        found = defined(schema, definitions)
        return found if isinstance(found, Mapping) else {}

    members = {name: own(schema) for name, schema in own(body.schema).get("properties", {}).items()}
    return replace(
        body, schema={name: {**schema, "items": own(schema.get("items"))} for name, schema in members.items()}
    )


def _whole(body: Body, value: Any) -> Content:
    """Return a whole body.

    Raises:
        UnwritableValueError: If it cannot be written in its media type.
    """
    kind = read_media_type(body.media_type)
    media_type = body.media_type if is_media_type(body.media_type) else ""
    if is_json_body(body.media_type):
        return Content(media_type or "application/json", _encoded(json_text(value, separators=(",", ":"))))
    if isinstance(value, Mapping) and kind.name == FORM:
        pairs = [pair for name, one in value.items() for pair in _form_pairs(body, name, one)]
        return Content(FORM, "&".join(map("=".join, pairs)).encode())
    if isinstance(value, Mapping) and kind.name.startswith("multipart/"):
        return _parts(kind.name, [(name, part) for name, one in value.items() for part in _files(body, name, one)])
    if isinstance(value, Mapping | list):
        raise UnwritableValueError(f"must be a text, since it is sent as {body.media_type}")
    file = file_in(text_of(value))
    return Content(media_type or file.media_type or _ANY_FILE, file.data)


def file_in(text: str) -> Content:
    """Return the file that a text is: the content of a `data:` URL, or the text itself, which has no media type.

    Raises:
        UnwritableValueError: If the text is a `data:` URL with invalid base64.
    """
    found = _DATA_URL.match(text)
    if found is None:
        return Content("", _encoded(text))
    more = dict(pair.split("=", 1) for pair in found["more"].split(";")[1:])
    data = unquote_to_bytes(text[found.end() :])
    if found["base64"]:
        try:
            data = b64decode(data, validate=True)
        except ValueError:
            raise UnwritableValueError("is a data: URL whose base64 is invalid") from None
    return Content(found["type"] or "text/plain", data, unquote(more.get("name", "")))


def _form_pairs(body: Body, name: str, value: Any) -> Iterator[tuple[str, str]]:
    encoding = body.encodings.get(name, Encoding())
    if isinstance(value, Mapping) and (encoding == Encoding() or _is_json(encoding.media_type)):
        value = json_text(value, separators=(",", ":"))
    write = partial(percent_encoded, allows_reserved=encoding.allows_reserved)
    yield from pairs_in_style(name, value, encoding.style, explode=encoding.explode, write=write)


def _files(body: Body, name: str, value: Any) -> Iterator[Content]:
    """Yield the parts of a member: one for each item of a list."""
    encoding = body.encodings.get(name, Encoding())
    schema = body.schema.get(name, {})
    if isinstance(value, list) and not _is_json(encoding.media_type):
        for one in value:
            yield _part(one, encoding, schema.get("items", {}), name)
    elif value is not None:
        yield _part(value, encoding, schema, name)


def _part(value: Any, encoding: Encoding, schema: Mapping[str, Any], name: str) -> Content:
    declared = (encoding.media_type or "").partition(",")[0].strip()
    if isinstance(value, Mapping | list) or _is_json(declared):
        return Content(declared or "application/json", _encoded(json_text(value, separators=(",", ":"))))
    if not isinstance(value, str) or not (_is_file(schema) or _is_data(declared)):
        return Content(declared or "text/plain; charset=utf-8", _encoded(text_of(value)))
    file = file_in(value)
    return Content(file.media_type or declared or _ANY_FILE, file.data, file.name or name)


def _is_file(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") == "binary" or bool(schema.keys() & {"contentMediaType", "contentEncoding"})


def _is_data(media_type: str) -> bool:
    return bool(media_type) and not media_type.startswith("text/")


def _is_json(media_type: str | None) -> bool:
    return media_type is not None and read_media_type(media_type).is_json


def _parts(kind: str, named: list[tuple[str, Content]]) -> Content:
    """Return the body with several parts; its boundary depends on them, so that none can contain it."""
    written = [_head(name, part) + part.data for name, part in named]
    boundary = sha256(b"".join(written)).hexdigest()[:32]
    lines = b"".join(b"--%s\r\n%s\r\n" % (boundary.encode(), part) for part in written)
    return Content(f"{kind}; boundary={boundary}", lines + f"--{boundary}--\r\n".encode())


def _head(name: str, part: Content) -> bytes:
    """Return the headers of a part, with quotes and line breaks of names escaped as browsers do."""
    file = f'; filename="{_escaped(part.name)}"' if part.name else ""
    disposition = f'Content-Disposition: form-data; name="{_escaped(name)}"{file}'
    media_type = part.media_type if is_media_type(part.media_type) else _ANY_FILE
    return _encoded(f"{disposition}\r\nContent-Type: {media_type}\r\n\r\n")


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnwritableValueError(f"has half of a character (a lone surrogate) at {error.start}") from None
