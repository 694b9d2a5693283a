"""Every version and form in which a document can say something means the same in the operation."""

import json
from typing import Any

import pytest

from toolkit.openapi import ApiDocument, Encoding, OperationReader, outlines_of, spec_of


def read(folder, paths, version="3.1.0", **more):
    """Return the operations of a document with some paths, and its problems."""
    (folder / "api.json").write_text(json.dumps({"openapi": version, "paths": paths, **more}, indent=1), "utf-8")
    document = ApiDocument(folder / "api.json", name="api.json")
    reader = OperationReader(document)
    found = [reader.read(outline) for outline in outlines_of(document)]
    return found, [str(problem) for problem in document.problems]


def sent(schema, media_type="application/json", **body):
    """Return paths with one operation that sends a body."""
    return {"/a": {"post": {"requestBody": {"content": {media_type: {"schema": schema}}, **body}}}}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"nullable": True, "oneOf": [{"type": "string"}]}, {"oneOf": [{"type": "string"}, {"type": "null"}]}),
        (
            {"nullable": True, "description": "Text.", "allOf": [{"type": "string"}]},
            {"anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}], "description": "Text."},
        ),
        ({"nullable": True}, {}),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, {"type": "number", "exclusiveMinimum": 1}),
        ({"type": "number", "maximum": 1, "exclusiveMaximum": False}, {"type": "number", "maximum": 1}),
        ({"type": "number", "exclusiveMinimum": 1}, {"type": "number", "exclusiveMinimum": 1}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        ({"type": "string", "xml": {}, "x-a": 1, "discriminator": {}, "externalDocs": {}}, {"type": "string"}),
        ({"type": "object", "properties": {"x-a": {"type": "string"}}}, {"type": "object", "properties": {"x-a": {"type": "string"}}}),
        ({"type": "array", "prefixItems": [{"nullable": True, "type": "string"}]}, {"type": "array", "prefixItems": [{"type": ["string", "null"]}]}),
        (True, True),
    ],
)  # fmt: skip
def test_schemas_of_3_0_become_json_schema(tmp_path, old, new):
    paths = sent({"type": "object", "properties": {"a": old}})
    [operation], problems = read(tmp_path, paths, "3.0.4")
    assert (operation.body.schema["properties"]["a"], problems) == (new, [])


def test_keywords_of_the_wrong_form_are_reported_and_ignored(tmp_path):
    member = {"type": "sting", "required": True, "minLength": -1, "title": "A"}
    [operation], problems = read(tmp_path, sent({"type": "object", "properties": {"a": member, "b": 3}}))
    assert operation.body.schema["properties"] == {"a": {"title": "A"}, "b": {}}
    words = "one of string, integer, number, boolean, array, object, null, or a list of different ones"
    assert problems == [
        f"api.json:13:11: warning[TK324]: 'type' must be {words}; it is ignored",
        "api.json:14:11: warning[TK324]: 'required' must be a list of different names; it is ignored",
        "api.json:15:11: warning[TK324]: 'minLength' must be a whole number, zero or more; it is ignored",
        "api.json:18:10: error[TK601]: a schema must be an object, true or false",
    ]


MEMBERS = {"id": {"type": "string"}, "b": {"type": "integer"}}


@pytest.mark.parametrize(
    ("schema", "members"),
    [
        ({"type": "object", "properties": MEMBERS}, ["id", "b"]),
        ({"properties": MEMBERS, "additionalProperties": False}, ["id", "b"]),
        ({"allOf": [{"properties": {"id": {}}}, {"type": "object", "properties": {"b": {}}}]}, ["id", "b"]),
        ({"allOf": [{"properties": {"id": {}}}], "properties": {"b": {}}, "required": ["b"]}, ["id", "b"]),
        ({"allOf": [{"properties": {"id": {}}}, {"properties": {"id": {}}}]}, None),
        ({"type": "object"}, None),
        ({"type": "object", "properties": MEMBERS, "additionalProperties": {"type": "string"}}, None),
        ({"oneOf": [{"properties": MEMBERS}]}, None),
        ({"type": "array", "items": {}}, None),
        ({"type": "string"}, None),
    ],
)
def test_members_of_a_plain_object_are_arguments_and_any_other_body_is_one(tmp_path, schema, members):
    [operation], problems = read(tmp_path, sent(schema, required=True))
    assert problems == []
    body = operation.body
    assert (body.argument, [*body.members]) == (None, members) if members else ("body", [])
    parameters = spec_of(operation, source="api.json").parameters
    assert [*parameters["properties"]] == members or ["body"]


@pytest.mark.parametrize(
    ("media_types", "chosen"),
    [
        (["text/plain", "application/x-www-form-urlencoded", "application/vnd.a+json", "application/json"], "application/json"),
        (["multipart/form-data", "application/problem+json; charset=utf-8"], "application/problem+json; charset=utf-8"),
        (["application/xml", "multipart/form-data"], "multipart/form-data"),
        (["application/xml"], "application/xml"),
    ],
)  # fmt: skip
def test_json_is_sent_before_forms_and_others(tmp_path, media_types, chosen):
    schema = {"type": "object", "properties": MEMBERS}
    content = {name: {"schema": schema, "encoding": {"id": {"contentType": "text/html"}}} for name in media_types}
    [operation], _ = read(tmp_path, {"/a": {"post": {"requestBody": {"content": content}}}})
    assert operation.body.media_type == chosen
    assert operation.body.encodings == {"id": Encoding(media_type="text/html")}
    if chosen == "application/xml":
        text = {"type": "string", "description": "The whole body, of the type application/xml"}
        assert (operation.body.argument, operation.body.schema) == ("body", text)


def test_same_name_in_several_places_has_the_place_in_front_in_all_of_them(tmp_path):
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}},
        {"name": "id", "in": "cookie", "schema": {"type": "string"}},
        {"name": "page[size]", "in": "query", "content": {"application/json": {"schema": {"type": "integer"}}}},
        {"name": "2fa", "in": "header", "schema": {"type": "string"}, "style": "simple", "explode": True},
    ]
    paths = {"/a/{id}": {"post": {**sent({"properties": MEMBERS})["/a"]["post"], "parameters": parameters}}}
    [operation], problems = read(tmp_path, paths)
    assert problems == []
    found = [(one.argument, one.name, one.place, one.media_type, one.explode) for one in operation.parameters]
    assert found == [
        ("path_id", "id", "path", None, False),
        ("cookie_id", "id", "cookie", None, True),
        ("page_size", "page[size]", "query", "application/json", True),
        ("_2fa", "2fa", "header", None, True),
    ]
    assert operation.body.members == {"body_id": "id", "b": "b"}


def test_operations_that_cannot_be_sent_as_described_are_left_out(tmp_path):
    whole = {"name": "q", "in": "querystring", "content": {}}
    paths = {
        "/a": {"get": {"parameters": [{**whole, "required": True}]}},
        "/b": {"get": {"parameters": [whole]}},
        "/c": {"get": {"parameters": [{"name": name, "in": "query", "schema": {}} for name in ("a[]", "a")]}},
        "/d/{e}": {"get": {}},
    }
    found, problems = read(tmp_path, paths, "3.2.0")
    assert [operation and operation.id for operation in found] == [None, "GET /b", None, "GET /d/{e}"]
    assert [problem.split(": ", 1)[1] for problem in problems] == [
        "error[TK601]: the parameter 'q' in 'querystring' cannot be sent, and is required, so the operation is left out",
        "warning[TK601]: the parameter 'q' in 'querystring' cannot be sent, and is left out",
        "error[TK601]: the parameters 'a[]' and 'a' would both be the argument 'a'; it is left out",
        "warning[TK601]: '{e}' of the path is no parameter; it is taken for a text (describe it under 'parameters')",
    ]
    assert found[3].parameters[0].schema == {"type": "string", "minLength": 1}


def test_methods_of_3_2_have_keys_of_their_own_or_stand_among_the_additional_ones(tmp_path):
    item = {"query": {}, "additionalOperations": {"COPY": {"operationId": "copy"}, "get": {}, "a b": {}}, "x-a": {}}
    found, problems = read(tmp_path, {"/a": item, "x-b": {}}, "3.2.0")
    assert [(one.method, one.name) for one in found] == [("QUERY", "query_a"), ("COPY", "copy")]
    assert [problem.partition(" (")[0] for problem in problems] == [
        "api.json:10:5: error[TK601]: 'get' is not a method of its own",
        "api.json:11:5: error[TK601]: 'a b' is not a method of its own",
    ]


@pytest.mark.parametrize(
    ("method", "marks", "hints"),
    [
        ("get", {}, {"read_only": True}),
        ("head", {}, {"read_only": True}),
        ("get", {"x-toolkit-requires-approval": True}, {"read_only": True, "requires_approval": True}),
        ("get", {"x-toolkit-read-only": False}, {"requires_approval": True}),
        ("get", {"x-toolkit-destructive": True}, {"destructive": True, "requires_approval": True}),
        ("post", {"x-toolkit-read-only": True, "x-toolkit-requires-approval": False}, {"requires_approval": True}),
        ("patch", {}, {"requires_approval": True}),
        ("query", {}, {"requires_approval": True}),
        ("put", {}, {"requires_approval": True, "idempotent": True}),
        ("delete", {"x-toolkit-destructive": False}, {"requires_approval": True, "idempotent": True, "destructive": True}),
    ],
)  # fmt: skip
def test_method_decides_the_hints_and_marks_only_tighten(tmp_path, method, marks, hints):
    [operation], _ = read(tmp_path, {"/a": {method: marks}}, "3.2.0")
    spec = spec_of(operation, source="api.json")
    found = {name: getattr(spec, name) for name in ("read_only", "destructive", "idempotent", "requires_approval")}
    assert {name: value for name, value in found.items() if value} == hints


@pytest.mark.parametrize(
    ("operation", "description"),
    [
        ({"summary": "List all."}, "List all."),
        ({"summary": "List all", "description": "With pages."}, "List all. With pages."),
        ({"summary": "List all", "description": "List all of them."}, "List all of them."),
        ({"description": "Text\u200b.\u202e", "deprecated": True}, "Text. This operation is deprecated."),
        ({}, ""),
    ],
)
def test_description_is_summary_and_description_without_hidden_characters(tmp_path, operation, description):
    [found], _ = read(tmp_path, {"/a": {"get": operation}})
    assert spec_of(found, source="api.json").description == description


def test_output_schema_is_that_of_every_success_in_json(tmp_path):
    def answer(schema, media_type="application/json"):
        return {"description": "", "content": {media_type: {"schema": schema}}}

    schema = {
        "type": "object",
        "properties": {"a": {"writeOnly": True}, "b": {"readOnly": True}},
        "required": ["a", "b"],
    }
    success = {"200": answer(schema), "201": answer(schema)}
    responses = {"default": answer({"title": "default"}), "404": answer({"title": "404"}), **success}
    [operation], _ = read(tmp_path, {"/a": {"get": {"responses": responses}}})
    expected = {"type": "object", "properties": {"b": {}}, "required": ["b"]}
    assert spec_of(operation, source="api.json").output_schema == expected
    assert {status: dict(one.schemas) for status, one in operation.answers.items()} == {
        "default": {},
        "404": {},
        "200": {"application/json": expected},
        "201": {"application/json": expected},
    }
    for other in (answer({}, "text/plain"), answer({"title": "Other"}), {"description": "Nothing."}):
        [operation], _ = read(tmp_path, {"/a": {"get": {"responses": {**success, "202": other}}}})
        assert spec_of(operation, source="api.json").output_schema is None


def test_answer_that_consists_of_too_many_schemas_has_none(tmp_path):
    names = [f"S{index}" for index in range(101)]
    schemas: dict[str, Any] = {name: {"properties": {"a": {"$ref": f"#/components/schemas/{name}"}}} for name in names}
    schemas["All"] = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in names]}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/All"}}}
    paths = {"/a": {"get": {"responses": {"200": {"description": "", "content": content}}}}}
    [operation], problems = read(tmp_path, paths, components={"schemas": schemas})
    assert (problems, operation.answers["200"].schemas) == ([], {"application/json": {}})
    assert spec_of(operation, source="api.json").output_schema is None
