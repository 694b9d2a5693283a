"""Operations with odd parameters: what a document says about each, a call, and the whole request that it has to become.

Source of the expected requests: RFC 6570 and the tables of the OpenAPI Specification (3.0.4 and 3.1.1, Parameter Object,
"Style Examples", and appendices C to E); they leave the order of members and nested values of `deepObject` open.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

TEXT: Mapping[str, Any] = {"type": "string"}
NUMBER: Mapping[str, Any] = {"type": "integer"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": TEXT}
NUMBERS: Mapping[str, Any] = {"type": "array", "items": NUMBER}
PERSON: Mapping[str, Any] = {"type": "object", "properties": {"role": TEXT, "age": NUMBER}}
ADA: Mapping[str, Any] = {"role": "admin", "age": 36}
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class Odd(NamedTuple):
    """An operation, a call of it, and the request that reaches the server.

    Attributes:
        id: Its `operationId`.
        method: In lower case.
        path: Its template.
        parameters: Its parameters, as the document has them.
        body: Its request body, as the document has it.
        arguments: The arguments of the call.
        target: The path and the query of the request, below the server's own path.
        headers: The headers of the request that depend on the operation; names in lower case.
        sent: The body of the request.
    """

    id: str
    method: str
    path: str
    parameters: tuple[Mapping[str, Any], ...] = ()
    body: Mapping[str, Any] | None = None
    arguments: Mapping[str, Any] = {}
    target: str = ""
    headers: Mapping[str, str] = {}
    sent: bytes = b""


def at(place: str, name: str, schema: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    """Return a parameter of a document."""
    needed = {"required": True} if place == "path" else {}
    how = {} if "content" in more else {"schema": schema}
    return {"name": name, "in": place, "description": f"What is sent as {name}.", **needed, **how, **more}


def path(name: str, schema: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    """Return a parameter of the path."""
    return at("path", name, schema, **more)


def query(name: str, schema: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    """Return a parameter of the query."""
    return at("query", name, schema, **more)


def body(media_type: str, schema: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    """Return a request body that must be sent."""
    return {"required": True, "content": {media_type: {"schema": schema, **more}}}


def members(**schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an object."""
    return {"type": "object", "properties": schemas}


BOUNDARY = "41883aa476addd8053bc3cf6145b9a75"
PARTS = "".join(
    f"--{BOUNDARY}\r\nContent-Disposition: form-data; {part}\r\n"
    for part in (
        'name="note"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nnaïve\r\n--x',
        'name="ids"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n1',
        'name="ids"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n2',
        'name="who"\r\nContent-Type: application/json\r\n\r\n{"role":"admin","age":36}',
        'name="picture"; filename="a%22%0D%0A.png"\r\nContent-Type: image/png\r\n',
    )
)
"""All of the parts but the content of the last one."""

OPERATIONS = (
    # Paths
    Odd(
        "path_text",
        "get",
        "/path-text/{id}",
        (path("id", TEXT),),
        None,
        {"id": "plain-1.0_~"},
        "/path-text/plain-1.0_~",
    ),
    Odd(
        "path_reserved",
        "get",
        "/path-reserved/{id}",
        (path("id", TEXT),),
        None,
        {"id": "a/b?c#d%e f;g=h&i+j:k@l"},
        "/path-reserved/a%2Fb%3Fc%23d%25e%20f%3Bg%3Dh%26i%2Bj%3Ak%40l",
    ),
    Odd(
        "path_unicode",
        "get",
        "/path-unicode/{city}",
        (path("city", TEXT),),
        None,
        {"city": "Århus 東京 🚀"},
        "/path-unicode/%C3%85rhus%20%E6%9D%B1%E4%BA%AC%20%F0%9F%9A%80",
    ),
    Odd("path_list", "get", "/path-list/{ids}", (path("ids", NUMBERS),), None, {"ids": [3, 4, 5]}, "/path-list/3,4,5"),
    Odd(
        "path_object",
        "get",
        "/path-object/{who}",
        (path("who", PERSON),),
        None,
        {"who": ADA},
        "/path-object/role,admin,age,36",
    ),
    Odd(
        "path_object_exploded",
        "get",
        "/path-object-exploded/{who}",
        (path("who", PERSON, explode=True),),
        None,
        {"who": ADA},
        "/path-object-exploded/role=admin,age=36",
    ),
    Odd(
        "path_label", "get", "/path-label/{id}", (path("id", TEXT, style="label"),), None, {"id": "5"}, "/path-label/.5"
    ),
    Odd(
        "path_label_list",
        "get",
        "/path-label-list/{ids}",
        (path("ids", NUMBERS, style="label", explode=True),),
        None,
        {"ids": [3, 4, 5]},
        "/path-label-list/.3.4.5",
    ),
    Odd(
        "path_label_object",
        "get",
        "/path-label-object/{who}",
        (path("who", PERSON, style="label", explode=True),),
        None,
        {"who": ADA},
        "/path-label-object/.role=admin.age=36",
    ),
    Odd(
        "path_matrix",
        "get",
        "/path-matrix/{id}",
        (path("id", NUMBER, style="matrix"),),
        None,
        {"id": 5},
        "/path-matrix/;id=5",
    ),
    Odd(
        "path_matrix_list",
        "get",
        "/path-matrix-list/{id}",
        (path("id", NUMBERS, style="matrix"),),
        None,
        {"id": [3, 4, 5]},
        "/path-matrix-list/;id=3,4,5",
    ),
    Odd(
        "path_matrix_list_exploded",
        "get",
        "/path-matrix-list-exploded/{id}",
        (path("id", NUMBERS, style="matrix", explode=True),),
        None,
        {"id": [3, 4, 5]},
        "/path-matrix-list-exploded/;id=3;id=4;id=5",
    ),
    Odd(
        "path_matrix_object",
        "get",
        "/path-matrix-object/{who}",
        (path("who", PERSON, style="matrix", explode=True),),
        None,
        {"who": ADA},
        "/path-matrix-object/;role=admin;age=36",
    ),
    Odd(
        "path_two_in_a_segment",
        "get",
        "/path-range/{first}-{last}",
        (path("first", NUMBER), path("last", NUMBER)),
        None,
        {"first": 1, "last": 20},
        "/path-range/1-20",
    ),
    Odd(
        "path_with_suffix",
        "post",
        "/path-suffix/{id}:cancel",
        (path("id", TEXT),),
        None,
        {"id": "o:1"},
        "/path-suffix/o%3A1:cancel",
    ),
    # Queries
    Odd(
        "query_text",
        "get",
        "/query-text",
        (query("q", TEXT),),
        None,
        {"q": "a&b=c+d e/f?g#h%i"},
        "/query-text?q=a%26b%3Dc%2Bd%20e%2Ff%3Fg%23h%25i",
    ),
    Odd(
        "query_unicode",
        "get",
        "/query-unicode",
        (query("q", TEXT),),
        None,
        {"q": "naïve — 東京"},
        "/query-unicode?q=na%C3%AFve%20%E2%80%94%20%E6%9D%B1%E4%BA%AC",
    ),
    Odd("query_empty_text", "get", "/query-empty-text", (query("q", TEXT),), None, {"q": ""}, "/query-empty-text?q="),
    Odd(
        "query_boolean",
        "get",
        "/query-boolean",
        (query("deep", {"type": "boolean"}),),
        None,
        {"deep": False},
        "/query-boolean?deep=false",
    ),
    Odd(
        "query_number",
        "get",
        "/query-number",
        (query("low", {"type": "number"}), query("high", {"type": "integer"})),
        None,
        {"low": -0.5, "high": 9007199254740993},
        "/query-number?low=-0.5&high=9007199254740993",
    ),
    Odd(
        "query_absent",
        "get",
        "/query-absent",
        (query("q", TEXT), query("page", NUMBER)),
        None,
        {"page": 2},
        "/query-absent?page=2",
    ),
    Odd(
        "query_list",
        "get",
        "/query-list",
        (query("tag", TEXTS),),
        None,
        {"tag": ["a", "b c"]},
        "/query-list?tag=a&tag=b%20c",
    ),
    Odd("query_empty_list", "get", "/query-empty-list", (query("tag", TEXTS),), None, {"tag": []}, "/query-empty-list"),
    Odd(
        "query_list_of_one",
        "get",
        "/query-list-of-one",
        (query("tag", TEXTS, explode=False),),
        None,
        {"tag": ["a&b"]},
        "/query-list-of-one?tag=a%26b",
    ),
    Odd(
        "query_list_joined",
        "get",
        "/query-list-joined",
        (query("tag", TEXTS, explode=False),),
        None,
        {"tag": ["a", "b c"]},
        "/query-list-joined?tag=a,b%20c",
    ),
    Odd(
        "query_list_of_spaces",
        "get",
        "/query-list-of-spaces",
        (query("tag", TEXTS, style="spaceDelimited", explode=False),),
        None,
        {"tag": ["a", "b"]},
        "/query-list-of-spaces?tag=a%20b",
    ),
    Odd(
        "query_list_of_pipes",
        "get",
        "/query-list-of-pipes",
        (query("tag", TEXTS, style="pipeDelimited", explode=False),),
        None,
        {"tag": ["a", "b c"]},
        "/query-list-of-pipes?tag=a%7Cb%20c",
    ),
    Odd(
        "query_object",
        "get",
        "/query-object",
        (query("who", PERSON),),
        None,
        {"who": ADA},
        "/query-object?role=admin&age=36",
    ),
    Odd(
        "query_object_joined",
        "get",
        "/query-object-joined",
        (query("who", PERSON, explode=False),),
        None,
        {"who": ADA},
        "/query-object-joined?who=role,admin,age,36",
    ),
    Odd(
        "query_deep_object",
        "get",
        "/query-deep-object",
        (query("who", PERSON, style="deepObject", explode=True),),
        None,
        {"who": {"role": "a&b", "age": 36}},
        "/query-deep-object?who%5Brole%5D=a%26b&who%5Bage%5D=36",
    ),
    Odd(
        "query_deep_object_nested",
        "get",
        "/query-deep-object-nested",
        (query("created", members(range=members(gte=NUMBER, lt=NUMBER)), style="deepObject", explode=True),),
        None,
        {"created": {"range": {"gte": 1, "lt": 9}}},
        "/query-deep-object-nested?created%5Brange%5D%5Bgte%5D=1&created%5Brange%5D%5Blt%5D=9",
    ),
    Odd(
        "query_reserved",
        "get",
        "/query-reserved",
        (query("next", TEXT, allowReserved=True),),
        None,
        {"next": "/a/b:c@d,e&f=g"},
        "/query-reserved?next=/a/b:c@d,e%26f%3Dg",
    ),
    Odd(
        "query_json",
        "get",
        "/query-json",
        (query("where", {}, content={JSON: {"schema": PERSON}}),),
        None,
        {"where": {"role": "Ünï", "age": 1}},
        "/query-json?where=%7B%22role%22%3A%22%5Cu00dcn%5Cu00ef%22%2C%22age%22%3A1%7D",
    ),
    Odd(
        "query_odd_names",
        "get",
        "/query-odd-names",
        (query("$filter", TEXT), query("ids[]", NUMBERS), query("page.size", NUMBER)),
        None,
        {"filter": "a eq 1", "ids": [1, 2], "page_size": 5},
        "/query-odd-names?%24filter=a%20eq%201&ids%5B%5D=1&ids%5B%5D=2&page.size=5",
    ),
    Odd(
        "same_name_in_all_places",
        "put",
        "/same-name/{id}",
        (path("id", TEXT), query("id", NUMBER), at("header", "id", TEXT), at("cookie", "id", TEXT)),
        body(JSON, members(id=TEXT)),
        {"path_id": "p", "query_id": 1, "header_id": "h", "cookie_id": "c", "body_id": "b"},
        "/same-name/p?id=1",
        {"id": "h", "cookie": "id=c", "content-type": JSON},
        b'{"id":"b"}',
    ),
    # Headers and cookies
    Odd(
        "header_text",
        "get",
        "/header-text",
        (at("header", "X-Trace", TEXT),),
        None,
        {"X_Trace": 'a, "b"; c=1 %41'},
        "/header-text",
        {"x-trace": 'a, "b"; c=1 %41'},
    ),
    Odd(
        "header_list",
        "get",
        "/header-list",
        (at("header", "X-Ids", NUMBERS),),
        None,
        {"X_Ids": [1, 2, 3]},
        "/header-list",
        {"x-ids": "1,2,3"},
    ),
    Odd(
        "header_object",
        "get",
        "/header-object",
        (at("header", "X-Who", PERSON, explode=True),),
        None,
        {"X_Who": ADA},
        "/header-object",
        {"x-who": "role=admin,age=36"},
    ),
    Odd(
        "header_json",
        "get",
        "/header-json",
        (at("header", "X-Who", {}, content={JSON: {"schema": PERSON}}),),
        None,
        {"X_Who": {"role": "naïve", "age": 1}},
        "/header-json",
        {"x-who": '{"role":"na\\u00efve","age":1}'},
    ),
    Odd(
        "cookie_text",
        "get",
        "/cookie-text",
        (at("cookie", "theme", TEXT), at("cookie", "size", NUMBER)),
        None,
        {"theme": "dark; blue", "size": 3},
        "/cookie-text",
        {"cookie": "theme=dark%3B%20blue; size=3"},
    ),
    Odd(
        "cookie_list",
        "get",
        "/cookie-list",
        (at("cookie", "ids", NUMBERS, explode=False),),
        None,
        {"ids": [1, 2]},
        "/cookie-list",
        {"cookie": "ids=1,2"},
    ),
    # Bodies
    Odd(
        "body_json",
        "post",
        "/body-json",
        (),
        body(JSON, members(name=TEXT, age={"type": "integer", "nullable": True}, tags=TEXTS)),
        {"name": "Grüße ✓", "age": None, "tags": []},
        "/body-json",
        {"content-type": JSON},
        '{"name":"Grüße ✓","age":null,"tags":[]}'.encode(),
    ),
    Odd(
        "body_json_list",
        "put",
        "/body-json-list",
        (),
        body(JSON, {"type": "array", "items": PERSON}),
        {"body": [ADA, {}]},
        "/body-json-list",
        {"content-type": JSON},
        b'[{"role":"admin","age":36},{}]',
    ),
    Odd(
        "body_json_text",
        "post",
        "/body-json-text",
        (),
        body(JSON, TEXT),
        {"body": 'say "hi"'},
        "/body-json-text",
        {"content-type": JSON},
        b'"say \\"hi\\""',
    ),
    Odd(
        "body_merge_patch",
        "patch",
        "/body-merge-patch/{id}",
        (path("id", TEXT),),
        body("application/merge-patch+json", members(name={**TEXT, "nullable": True})),
        {"id": "1", "name": None},
        "/body-merge-patch/1",
        {"content-type": "application/merge-patch+json"},
        b'{"name":null}',
    ),
    Odd(
        "body_text",
        "post",
        "/body-text",
        (),
        body("text/plain", TEXT),
        {"body": "two\nlines of naïve text"},
        "/body-text",
        {"content-type": "text/plain"},
        "two\nlines of naïve text".encode(),
    ),
    Odd(
        "body_form",
        "post",
        "/body-form",
        (),
        body(FORM, members(name=TEXT, ids=NUMBERS, sure={"type": "boolean"})),
        {"name": "a&b c=é+", "ids": [1, 2], "sure": True},
        "/body-form",
        {"content-type": FORM},
        b"name=a%26b%20c%3D%C3%A9%2B&ids=1&ids=2&sure=true",
    ),
    Odd(
        "body_form_deep",
        "post",
        "/body-form-deep",
        (),
        body(
            FORM,
            members(amount=NUMBER, metadata={"type": "object", "additionalProperties": TEXT}, expand=TEXTS),
            encoding={
                "metadata": {"style": "deepObject", "explode": True},
                "expand": {"style": "deepObject", "explode": True},
            },
        ),
        {"amount": 2000, "metadata": {"order": "6735"}, "expand": ["customer", "invoice"]},
        "/body-form-deep",
        {"content-type": FORM},
        b"amount=2000&metadata%5Border%5D=6735&expand%5B0%5D=customer&expand%5B1%5D=invoice",
    ),
    Odd(
        "body_form_joined",
        "post",
        "/body-form-joined",
        (),
        body(FORM, members(ids=NUMBERS), encoding={"ids": {"style": "form", "explode": False}}),
        {"ids": [1, 2]},
        "/body-form-joined",
        {"content-type": FORM},
        b"ids=1,2",
    ),
    Odd(
        "body_of_parts",
        "post",
        "/body-of-parts",
        (),
        body(
            "multipart/form-data",
            members(note=TEXT, ids=NUMBERS, who=PERSON, picture={"type": "string", "format": "binary"}),
            encoding={"picture": {"contentType": "image/png"}},
        ),
        {
            "note": "naïve\r\n--x",
            "ids": [1, 2],
            "who": ADA,
            "picture": "data:image/png;name=a%22%0D%0A.png;base64,iVBORw==",
        },
        "/body-of-parts",
        {"content-type": f"multipart/form-data; boundary={BOUNDARY}"},
        PARTS.encode() + b"\x89PNG\r\n" + f"--{BOUNDARY}--\r\n".encode(),
    ),
    Odd(
        "delete_with_query",
        "delete",
        "/delete-with-query/{id}",
        (path("id", NUMBER), query("force", {"type": "boolean"})),
        None,
        {"id": 7, "force": True},
        "/delete-with-query/7?force=true",
    ),
    Odd(
        "head_of_a_file",
        "head",
        "/head-of-a-file/{name}.json",
        (path("name", TEXT),),
        None,
        {"name": "a b"},
        "/head-of-a-file/a%20b.json",
    ),
)
