"""What documents say becomes operations and specifications of tools, whatever version and form they have."""

import json
from dataclasses import asdict

import pytest

from toolkit.openapi import ApiDocument, OperationReader, outlines_of, spec_of
from toolkit.problems import Location

SHOP = """\
openapi: 3.0.3
info: {title: Shop, version: "1"}
servers:
  - url: https://{region}.shop.example/v1
    variables: {region: {default: eu}}
security:
  - key: []
paths:
  /orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}, description: Of the order.}
      - {name: trace, in: header, schema: {type: string}}
    get:
      operationId: getOrder
      summary: Get one order
      description: It has all its lines.
      tags: [orders]
      parameters:
        - {name: id, in: query, schema: {type: integer, example: 3}}
        - {name: "fields[]", in: query, style: pipeDelimited, explode: false, schema: {type: array, items: {type: string}}}
        - {name: Accept, in: header, schema: {type: string}}
      responses:
        "200":
          description: The order.
          content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
        "404": {description: There is none.}
    put:
      deprecated: true
      security: []
      x-toolkit-destructive: true
      requestBody: {$ref: "#/components/requestBodies/Order"}
      responses: {}
components:
  requestBodies:
    Order:
      required: true
      content:
        application/xml: {schema: {type: string}}
        application/json: {schema: {$ref: "#/components/schemas/Order"}}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
  schemas:
    Order:
      type: object
      required: [number, total, lines]
      properties:
        number: {type: integer, readOnly: true}
        total: {type: number, minimum: 0, exclusiveMinimum: true, nullable: true}
        secret: {type: string, writeOnly: true}
        lines: {type: array, items: {$ref: "#/components/schemas/Line"}}
        replaces: {$ref: "#/components/schemas/Order"}
    Line: {type: object, properties: {sku: {type: string, example: A1}, xml: {type: string, xml: {name: x}}}}
"""


def operations_of(text, tmp_path, name="shop.yaml"):
    (tmp_path / name).write_text(text, "utf-8")
    document = ApiDocument(tmp_path / name, name=name)
    reader = OperationReader(document)
    return document, [reader.read(outline) for outline in outlines_of(document)]


def test_everything_that_a_document_says_about_an_operation_is_part_of_it(tmp_path):
    document, [get, put] = operations_of(SHOP, tmp_path)
    assert [str(problem) for problem in document.problems] == []
    line = {"type": "object", "properties": {"sku": {"type": "string", "examples": ["A1"]}, "xml": {"type": "string"}}}
    order = {
        "type": "object",
        "required": ["number", "total", "lines"],
        "properties": {
            "number": {"type": "integer"},
            "total": {"type": ["number", "null"], "exclusiveMinimum": 0},
            "lines": {"type": "array", "items": line},
            "replaces": {"$ref": "#/$defs/Order"},
        },
    }
    common = {"allows_reserved": False, "media_type": None}
    assert asdict(get) == {
        "id": "getOrder",
        "name": "getOrder",
        "method": "GET",
        "path": "/orders/{id}",
        "servers": ("https://eu.shop.example/v1",),
        "summary": "Get one order",
        "description": "It has all its lines.",
        "tags": ("orders",),
        "parameters": (
            {
                "argument": "path_id", "name": "id", "place": "path", "style": "simple", "explode": False,
                "schema": {"type": "string", "minLength": 1, "description": "Of the order."}, "is_required": True, **common,
            },
            {
                "argument": "trace", "name": "trace", "place": "header", "style": "simple", "explode": False,
                "schema": {"type": "string"}, "is_required": False, **common,
            },
            {
                "argument": "query_id", "name": "id", "place": "query", "style": "form", "explode": True,
                "schema": {"type": "integer", "examples": [3]}, "is_required": False, **common,
            },
            {
                "argument": "fields", "name": "fields[]", "place": "query", "style": "pipeDelimited", "explode": False,
                "schema": {"type": "array", "items": {"type": "string"}}, "is_required": False, **common,
            },
        ),
        "body": None,
        "answers": {
            "200": {
                "description": "The order.",
                "schemas": {"application/json": {**order, "$defs": {"Order": order}}},
            },
            "404": {"description": "There is none.", "schemas": {}},
        },
        "security": ({"key": ()},),
        "is_deprecated": False,
        "extensions": {},
        "definitions": {},
    }  # fmt: skip
    assert (put.id, put.name, put.security, put.is_deprecated, put.extensions) == (
        "PUT /orders/{id}",
        "put_orders_id",
        (),
        True,
        {"x-toolkit-destructive": True},
    )
    assert (put.body.media_type, put.body.is_required, put.body.argument, put.body.members) == (
        "application/json",
        True,
        None,
        {"total": "total", "secret": "secret", "lines": "lines", "replaces": "replaces"},
    )
    assert OperationReader(document).schemes()["key"].parameter == "X-Key"


def test_tool_of_an_operation_has_one_schema_of_all_arguments_and_hints_of_its_method(tmp_path):
    document, [_, put] = operations_of(SHOP, tmp_path)
    spec = spec_of(put, source="shop.yaml", location=outlines_of(document)[1].part.location, group="shop")
    members = {
        "total": {"type": ["number", "null"], "exclusiveMinimum": 0},
        "secret": {"type": "string"},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sku": {"type": "string", "examples": ["A1"]}, "xml": {"type": "string"}},
            },
        },
        "replaces": {"$ref": "#/$defs/Order"},
    }
    assert json.loads(spec.to_json()) == {
        "name": "put_orders_id",
        "description": "This operation is deprecated.",
        "parameters": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "minLength": 1, "description": "Of the order."},
                "trace": {"type": "string"},
                **members,
            },
            "required": ["id", "total", "lines"],
            "$defs": {"Order": {"type": "object", "required": ["total", "lines"], "properties": members}},
        },
        "requires_approval": True,
        "destructive": True,
        "idempotent": True,
        "open_world": True,
        "source": "shop.yaml",
        "names": ["put_orders_id", "PUT /orders/{id}", "shop.PUT /orders/{id}"],
        "location": {"file": "shop.yaml", "line": 27, "column": 5, "end_line": 27, "end_column": 8},
    }


@pytest.mark.parametrize("indent", [None, 2])
def test_the_same_document_in_json_gives_the_same_operations_and_knows_the_place_of_everything(tmp_path, indent):
    _, expected = operations_of(SHOP, tmp_path)
    data = ApiDocument(tmp_path / "shop.yaml").root.value
    text = json.dumps(data, indent=indent)
    document, found = operations_of(text, tmp_path, "shop.json")
    assert found == expected
    key = '"schemas"'
    index = text.index(key)
    line, column = text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)
    assert document.root.at("components").at("schemas").at("Nothing").location == Location(
        "shop.json", line, column, line, column + len(key)
    )
