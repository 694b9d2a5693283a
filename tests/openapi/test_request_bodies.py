"""The body of a request is what its media type prescribes, and nothing of an argument leaves its part."""

import asyncio
from email import message_from_bytes
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, strategies as st
from starlette.requests import Request as Received

from tests.openapi.made_operations import operation
from toolkit.errors import ToolArgumentsError
from toolkit.openapi import Body, Encoding
from toolkit.openapi.requests import make_request  # private

FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data"
FILE = {"type": "string", "format": "binary"}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def sent(media_type, argument=None, *, schema=None, members=None, is_required=True, encodings=None, **arguments):
    """Return the media type and the bytes of the body that is sent."""
    body = Body(media_type, schema or {}, is_required, argument, members or {}, encodings or {})
    request = make_request(operation("/x", method="POST", body=body), arguments, "https://api.example")
    return request.headers.get("Content-Type"), request.body


def parts_of(kind, body):
    """Return the parts of a body: the name, the name of the file, the media type and the content."""
    message = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
    assert not message.defects
    return [
        (
            part.get_param("name", header="content-disposition"),
            part.get_filename(),
            part["content-type"],
            part.get_payload(decode=True),
        )
        for part in message.walk()
        if not part.is_multipart()
    ]


@pytest.mark.parametrize(
    ("declared", "media_type"),
    [
        ("application/json", "application/json"),
        ("application/vnd.api+json", "application/vnd.api+json"),
        ("application/json; charset=utf-8", "application/json; charset=utf-8"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json;\r\nX-Evil: 1", "application/json"),
    ],
)
def test_json_is_compact_and_keeps_null(declared, media_type):
    value = {"é": [None, 1.5, True, ""]}
    assert sent(declared, "body", body=value) == (media_type, '{"é":[null,1.5,true,""]}'.encode())


def test_members_of_a_body_are_arguments_of_their_own():
    members = {"body_id": "id", "name": "name", "tag": "tag"}
    assert sent("application/json", members=members, body_id=1, name=None) == (
        "application/json",
        b'{"id":1,"name":null}',
    )


def test_body_without_arguments_is_only_sent_if_it_is_required():
    members = {"name": "name"}
    assert sent("application/json", members=members) == ("application/json", b"{}")
    assert sent("application/json", members=members, is_required=False) == (None, None)
    assert sent("application/json", "body", is_required=False) == (None, None)
    assert sent("application/json", "body", body=None) == ("application/json", b"null")


def test_form_has_a_pair_for_each_value():
    members = dict.fromkeys(("text", "list", "object", "deep", "csv", "json", "none"))
    encodings = {
        "deep": Encoding(style="deepObject"),
        "csv": Encoding(explode=False),
        "json": Encoding(media_type="application/json"),
    }
    values = {
        "text": "a b&c=d\r\n+é",
        "list": [1, True, "x,y"],
        "object": {"k": 1},
        "deep": {"k": [{"l": "m"}]},
        "csv": ["a", "b"],
        "json": {"k": None},
        "none": None,
    }
    kind, body = sent(FORM, members={name: name for name in members}, encodings=encodings, **values)
    assert (kind, parse_qsl(body.decode(), strict_parsing=True)) == (
        FORM,
        [
            ("text", "a b&c=d\r\n+é"),
            *(("list", one) for one in ("1", "true", "x,y")),
            ("object", '{"k":1}'),
            ("deep[k][0][l]", "m"),
            ("csv", "a,b"),
            ("json", '{"k":null}'),
        ],
    )
    assert b"text=a%20b%26c%3Dd%0D%0A%2B%C3%A9&" in body


def test_file_is_a_text_or_a_data_url():
    schema = {"properties": {"photo": FILE, "more": {"type": "array", "items": FILE}, "meta": {}}}
    encodings = {"icon": Encoding(media_type="image/png, image/jpeg"), "note": Encoding(media_type="text/markdown")}
    kind, body = sent(
        PARTS,
        schema=schema,
        members={name: name for name in ("photo", "more", "icon", "note", "meta", "number", "gone")},
        encodings=encodings,
        photo='data:image/png;name=my%20"cat".png;base64,iVBORw0KGgo=',
        more=["plain, text", "data:text/csv,a%2Cb%0A1"],
        icon="data:;base64,AAH/",
        note="data:image/png;base64,iVBORw0KGgo=",
        meta={"k": [1]},
        number=7,
        gone=None,
    )
    assert parts_of(kind, body) == [
        ("photo", "my %22cat%22.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("more", "more", "application/octet-stream", b"plain, text"),
        ("more", "more", "text/csv", b"a,b\n1"),
        ("icon", "icon", "text/plain", b"\0\1\xff"),
        ("note", None, "text/markdown", b"data:image/png;base64,iVBORw0KGgo="),
        ("meta", None, "application/json", b'{"k":[1]}'),
        ("number", None, "text/plain; charset=utf-8", b"7"),
    ]


@pytest.mark.parametrize("kind", [FORM, PARTS])
def test_web_framework_reads_forms_as_they_were_meant(kind):
    schema = {"properties": {"photo": FILE}}
    photo = "data:image/png;name=cat.png;base64,iVBORw0KGgo="
    values = {"text": 'a "b"&c=d\r\n+é;', "list": ["x", "y,z"], "flag": True, "object": {"k": [1]}}
    values |= {"photo": photo} if kind == PARTS else {}
    media_type, body = sent(kind, schema=schema, members={name: name for name in values}, **values)

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def read():
        received = Received({"type": "http", "headers": [(b"content-type", media_type.encode())]}, receive)
        async with received.form() as form:
            files = [(one.filename, one.content_type, await one.read()) for one in form.getlist("photo")]
            return [(name, value) for name, value in form.multi_items() if name != "photo"], files

    texts, files = asyncio.run(read())
    assert texts == [
        ("text", 'a "b"&c=d\r\n+é;'),
        *(("list", "x"), ("list", "y,z"), ("flag", "true"), ("object", '{"k":[1]}')),
    ]
    assert files == ([("cat.png", "image/png", b"\x89PNG\r\n\x1a\n")] if kind == PARTS else [])


def test_definition_says_what_a_file_is():
    definitions = {
        "Form": {"properties": {"file": {"$ref": "#/$defs/File"}, "files": {"$ref": "#/$defs/Files"}, "any": True}},
        "File": FILE,
        "Files": {"type": "array", "items": {"$ref": "#/$defs/File"}},
        "Loop": {"type": "array", "items": {"$ref": "#/$defs/Loop"}},
    }
    made = operation(
        "/x", method="POST", body=Body(PARTS, {"$ref": "#/$defs/Form"}, True, "body"), definitions=definitions
    )
    body = {"file": "a", "files": ["b", "c"], "any": "d", "more": "e"}
    request = make_request(made, {"body": body}, "https://api.example")
    parts = parts_of(request.headers["Content-Type"], request.body)
    assert [(name, file) for name, file, _, _ in parts] == [
        *(("file", "file"), ("files", "files"), ("files", "files"), ("any", None), ("more", None))
    ]


@pytest.mark.parametrize(
    ("media_type", "value", "result"),
    [
        ("text/plain", "süß\r\n", ("text/plain", "süß\r\n".encode())),
        ("application/xml", "<a/>", ("application/xml", b"<a/>")),
        ("application/octet-stream", "data:image/gif;base64,R0lG", ("application/octet-stream", b"GIF")),
        ("image/*", "data:image/gif;base64,R0lG", ("image/gif", b"GIF")),
        ("image/*", "GIF", ("application/octet-stream", b"GIF")),
        ("text/plain", 7, ("text/plain", b"7")),
    ],
)
def test_other_bodies_are_texts_and_files_as_they_are(media_type, value, result):
    assert sent(media_type, "body", body=value) == result


@pytest.mark.parametrize(
    ("media_type", "value", "fault"),
    [
        ("application/xml", {"a": 1}, "must be a text, since it is sent as application/xml"),
        ("image/png", "data:image/png;base64,???", "is a data: URL whose base64 is invalid"),
        ("application/json", {"a": "x\ud800"}, "has half of a character (a lone surrogate) at 7"),
        ("text/plain", "\ud800", "has half of a character (a lone surrogate) at 0"),
        (FORM, {"a\ud800": 1}, "has half of a character (a lone surrogate) at 1"),
        (PARTS, {"a": "\ud800"}, "has half of a character (a lone surrogate) at 0"),
    ],
)
def test_what_cannot_be_written_is_refused_with_its_argument(media_type, value, fault):
    with pytest.raises(ToolArgumentsError) as raised:
        sent(media_type, "body", body=value)
    assert (str(raised.value), raised.value.faults) == (f"Invalid parameter 'body': it {fault}", {"body": fault})


def test_wrong_members_are_listed_by_their_arguments():
    with pytest.raises(ToolArgumentsError) as raised:
        sent("application/json", members={"a_body": "a", "b": "b", "c": "c"}, a_body="\ud800", b="\ud800", c="fine")
    assert [*raised.value.faults] == ["a_body", "b"]


@given(st.dictionaries(TEXTS, TEXTS | st.integers() | st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=4))
def test_any_members_of_a_form_are_read_back(members):
    _, body = sent(FORM, "body", body=members)
    several = {name: value if isinstance(value, list) else [value] for name, value in members.items()}
    expected = [(name, str(one)) for name, values in several.items() for one in values]
    assert parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True) == expected


@given(st.text('ab"\r\n;=- éC:', min_size=1, max_size=12), st.text("-ab\r\n", max_size=60))
def test_no_name_or_content_of_a_part_can_begin_another(name, content):
    kind, body = sent(PARTS, "body", schema={"properties": {name: FILE}}, body={name: content, "last": "x"})
    boundary = kind.partition("boundary=")[2].encode()
    head, _, rest = body.split(b"--" + boundary)[1].partition(b"\r\n\r\n")
    assert body.count(b"--" + boundary) == 3
    assert head.count(b"\r\n") == 2
    assert rest == content.encode() + b"\r\n"
