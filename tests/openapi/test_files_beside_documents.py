"""References of a document lead to its parts and to files in its folder, and nowhere else."""

import json
import os

import pytest

from toolkit.openapi import ApiDocument, OperationReader, outlines_of

HEAD = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\n"


def read(folder, text, name="api.yaml"):
    """Return the operations of a document, and its problems."""
    (folder / name).write_text(text, "utf-8")
    document = ApiDocument(folder / name, name=name)
    reader = OperationReader(document)
    found = [reader.read(outline) for outline in outlines_of(document)]
    return found, [str(problem) for problem in document.problems]


def with_schema(schema):
    """Return a document whose only operation sends a body with a schema."""
    content = {"application/json": {"schema": schema}}
    operation = {"operationId": "send", "requestBody": {"content": content, "required": True}, "responses": {}}
    return HEAD + json.dumps({"/send": {"post": operation}}).join(["paths: ", "\n"])


def test_parts_in_other_files_are_read_from_where_they_are(tmp_path):
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    (tmp_path / "parts" / "paths.yaml").write_text(
        "orders:\n  get:\n    operationId: list\n    parameters: [{$ref: 'deep/some parts.json#/limit~1s'}]\n    responses: {}\n"
    )
    limit = {"name": "limit", "in": "query", "schema": {"$ref": "#/number"}}
    (tmp_path / "parts" / "deep" / "some parts.json").write_text(
        json.dumps({"limit/s": limit, "number": {"type": "integer", "maximum": 100}})
    )
    text = HEAD.replace("/", "") + "paths:\n  /orders: {$ref: 'parts/paths.yaml#/orders'}\n"
    (tmp_path / "parts" / "deep" / "some parts.json").rename(tmp_path / "parts" / "deep" / "some parts.json")
    [operation], problems = read(tmp_path, text.replace("some parts", "some%20parts"))
    assert problems == []
    assert operation.parameters[0].schema == {"type": "integer", "maximum": 100}


def test_all_paths_and_media_types_can_be_elsewhere(tmp_path):
    (tmp_path / "paths.yaml").write_text(
        "/send:\n  post:\n    requestBody: {content: {application/json: {$ref: 'api.yaml#/components/mediaTypes/a'}}}\n"
        "    responses: {'200': {description: '', content: {application/json: {$ref: 'api.yaml#/components/mediaTypes/a'}}}}\n"
    )
    text = "openapi: 3.2.0\npaths: {$ref: paths.yaml}\ncomponents: {mediaTypes: {a: {schema: {type: integer}}}}\n"
    [operation], problems = read(tmp_path, text)
    assert problems == []
    assert (operation.body.schema, operation.answers["200"].schemas) == (
        {"type": "integer", "description": "The whole body, of the type application/json"},
        {"application/json": {"type": "integer"}},
    )


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("#/components/schemas/No", "the document has no '/components/schemas/No', to which this refers"),
        ("#No", "the reference '#No' does not lead to a place"),
        ("no.yaml", "the file 'no.yaml', to which this refers, cannot be read: File not found: no.yaml"),
        ("../secret.yaml", "the reference '../secret.yaml' leads outside of the folder of the document, and is not followed"),
        ("a/%2e%2e/%2e%2e/secret.yaml", "the reference 'a/%2e%2e/%2e%2e/secret.yaml' leads outside"),
        ("/etc/passwd", "the reference '/etc/passwd' leads outside of the folder"),
        ("\\\\host\\share", "the reference '\\\\host\\share' leads outside of the folder"),
        ("file:///etc/passwd", "the reference 'file:///etc/passwd' leads outside of the folder"),
        ("https://evil.example/x.json#/a", "the reference 'https://evil.example/x.json' leads outside of the folder"),
        ("//evil.example/x.json", "the reference '//evil.example/x.json' leads outside of the folder"),
        ("link.yaml", "the file 'link.yaml', to which this refers, cannot be read: Access denied"),
        ("folder", "the file 'folder', to which this refers, cannot be read: Not a regular file: folder"),
        ("pipe", "the file 'pipe', to which this refers, cannot be read: Not a regular file: pipe"),
        ("nul\0.yaml", "the file 'nul\0.yaml', to which this refers, cannot be read: Access denied"),
    ],
)  # fmt: skip
def test_reference_that_leads_nowhere_or_outside_is_a_problem_at_its_place(tmp_path, reference, problem):
    folder = tmp_path / "project"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "secret.yaml").write_text("type: string\n")
    (folder / "link.yaml").symlink_to("../secret.yaml")
    os.mkfifo(folder / "pipe")
    [operation], problems = read(folder, with_schema({"type": "object", "properties": {"a": {"$ref": reference}}}))
    assert operation.body.schema["properties"] == {"a": {}}
    assert [line.startswith("api.yaml:3:") and problem in line for line in problems] == [True]


def test_references_in_a_circle_end(tmp_path):
    (tmp_path / "b.yaml").write_text("$ref: 'api.yaml#/components/schemas/A'\n")
    text = with_schema({"$ref": "#/components/schemas/A"}) + "components: {schemas: {A: {$ref: b.yaml}}}\n"
    [operation], problems = read(tmp_path, text)
    assert (operation.body.argument, operation.body.schema.get("$ref")) == ("body", None)
    assert problems == ["api.yaml:3:100: error[TK601]: this reference leads back to itself"]


def test_schemas_that_contain_themselves_are_definitions_and_others_are_written_out(tmp_path):
    schemas = {
        "Tree": {
            "type": "object",
            "properties": {
                "left": {"$ref": "#/components/schemas/Tree"},
                "leaf": {"$ref": "#/components/schemas/Leaf"},
            },
        },
        "Leaf": {"type": "string"},
        "Shared": {"type": "integer"},
        "Unused": {"type": "null"},
    }
    body = {
        "type": "object",
        "properties": {
            "tree": {"$ref": "#/components/schemas/Tree", "description": "Of life."},
            "one": {"$ref": "#/components/schemas/Shared"},
            "two": {"$ref": "#/components/schemas/Shared"},
        },
    }
    [operation], problems = read(tmp_path, with_schema(body) + f"components: {json.dumps({'schemas': schemas})}\n")
    assert problems == []
    assert operation.body.schema["properties"] == {
        "tree": {"$ref": "#/$defs/Tree", "description": "Of life."},
        "one": {"$ref": "#/$defs/Shared"},
        "two": {"$ref": "#/$defs/Shared"},
    }
    assert operation.definitions == {
        "Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}, "leaf": {"type": "string"}}},
        "Shared": {"type": "integer"},
    }


def test_references_that_multiply_stay_small(tmp_path):
    names = [f"S{index}" for index in range(60)]
    schemas = {
        name: {"type": "object", "properties": {key: {"$ref": f"#/components/schemas/{after}"} for key in "abcdefgh"}}
        for name, after in zip(names, [*names[1:], "End"], strict=True)
    } | {"End": {"type": "string"}}
    text = with_schema({"$ref": "#/components/schemas/S0"}) + f"components: {json.dumps({'schemas': schemas})}\n"
    [operation], problems = read(tmp_path, text)
    assert problems == []
    assert len(json.dumps([operation.body.schema, operation.definitions])) < 2 * len(text)


@pytest.mark.parametrize("depth", [62, 150, 900, 100_000])
@pytest.mark.parametrize("name", ["api.json", "api.yaml"])
def test_schema_that_is_nested_deeply_is_a_problem(tmp_path, name, depth):
    deep = '{"type": "array", "items": ' * depth + "{}" + "}" * depth
    text = json.dumps(
        {
            "openapi": "3.1.0",
            "paths": {"/send": {"post": {"requestBody": {"content": {"application/json": {"schema": 0}}}}}},
        }
    ).replace('"schema": 0', f'"schema": {deep}')
    operations, problems = read(tmp_path, text, name)
    assert len(problems) == 1
    assert "nested" in problems[0]
    assert operations == [] or operations[0].body.argument == "body"


def test_aliases_that_multiply_are_refused(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    operations, problems = read(tmp_path, HEAD + "\n".join(lines))
    assert operations == []
    assert problems == [
        "api.yaml:9:10: error[TK601]: more than 2,000,000 values, including those that aliases repeat (move such data to a separate file)"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('swagger: "2.0"\n', "api.yaml:1:1: error[TK601]: Swagger 2.0 cannot be read (convert it to OpenAPI 3 first, as https://editor.swagger.io does with 'Edit', 'Convert')"),
        ("openapi: 4.0.0\n", "api.yaml:1:1: error[TK601]: OpenAPI 4.0.0 cannot be read (the versions 3.0, 3.1 and 3.2 can be read)"),
        ("a: 1\n", "api.yaml:1:1: error[TK601]: this is not an OpenAPI document: it has no 'openapi' with its version (the versions 3.0, 3.1 and 3.2 can be read)"),
        ("", "api.yaml:1:1: error[TK601]: this is not an OpenAPI document: it has no 'openapi' with its version (the versions 3.0, 3.1 and 3.2 can be read)"),
        ("openapi: 3.1.0\npaths: [1]\n", "api.yaml:2:1: error[TK601]: 'paths' must be an object"),
        ("openapi: 3.1.0\npaths: {orders: {get: {}}}\n", "api.yaml:2:9: error[TK601]: the path 'orders' must begin with '/'"),
        ("openapi: 3.1.0\npaths: {/a: {get: 3}}\n", "api.yaml:2:14: error[TK601]: 'get' must be an object"),
    ],
)  # fmt: skip
def test_document_that_cannot_be_read_says_where_and_why(tmp_path, text, problem):
    assert read(tmp_path, text) == ([], [problem])
