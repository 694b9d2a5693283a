"""The documents of a pet shop, of GitHub and of Stripe are listed, checked and used, and nothing is sent without a yes.

GitHub's and Stripe's are where TOOLKIT_OPENAPI_DOCUMENTS says; `.ci/documents FOLDER` brings them.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.http_servers import http_server
from tests.terminals import Terminal

FOLDER = Path(os.environ.get("TOOLKIT_OPENAPI_DOCUMENTS") or "nowhere")
PETS = """\
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: "https://pets.example/v2"}]
security: [{key: []}]
paths:
  /pets:
    get:
      operationId: listPets
      summary: List the pets that are for sale, by their kind.
      parameters:
        - {name: kind, in: query, description: "Their kind, such as cat.", schema: {type: array, items: {type: string}}}
        - {name: limit, in: query, description: How many., schema: {type: integer}}
      responses: {"200": {description: The pets., content: {application/json: {schema: {type: array, items: {type: object}}}}}}
    post:
      operationId: addPet
      summary: Offer a pet for sale.
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [name], properties: {name: {type: string, description: Its name.}}}
      responses: {"201": {description: The pet.}}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
"""


class Case(NamedTuple):
    """An API: its document, what the settings say of it, and two calls with the requests that they become."""

    pattern: str
    settings: str
    names: tuple[str, ...]
    read: tuple[str, ...]
    reading: tuple[Any, ...]
    change: tuple[str, ...]
    changing: tuple[Any, ...]
    tags: str


CASES = {
    "pets": Case(
        "",
        'auth = { key = "${API_KEY}" }\n',
        ("api_listPets", "api_addPet"),
        ("api.listPets", 'kind:=["cat","dog"]', "limit=2"),
        ("GET", "/v2/pets?kind=cat&kind=dog&limit=2", "x-key", "s3cret", b""),
        ("api.addPet", "name=Tom & Co"),
        ("POST", "/v2/pets", "x-key", "s3cret", b'{"name":"Tom & Co"}'),
        "",
    ),
    "github": Case(
        "*api.github.com.json",
        'include = ["issues/list-for-repo", "issues/create"]\nheaders = { Authorization = "Bearer ${API_KEY}" }\n',
        ("api_issues_list_for_repo", "api_issues_create"),
        ("api.issues/list-for-repo", "owner=octo", "repo=a b", "labels=bug,ui", "per_page=5"),
        ("GET", "/v2/repos/octo/a%20b/issues?labels=bug%2Cui&per_page=5", "authorization", "Bearer s3cret", b""),
        ("api.issues/create", "owner=octo", "repo=hello", "title=It breaks"),
        ("POST", "/v2/repos/octo/hello/issues", "authorization", "Bearer s3cret", b'{"title":"It breaks"}'),
        "repos: ",
    ),
    "stripe": Case(
        "*stripe*",
        'include = ["GetCustomers", "PostCustomers"]\nauth = { bearerAuth = "${API_KEY}" }\n',
        ("api_GetCustomers", "api_PostCustomers"),
        ("api.GetCustomers", "limit=3", 'created:={"gte": 5}'),
        ("GET", "/v2/v1/customers?created%5Bgte%5D=5&limit=3", "authorization", "Bearer s3cret", b""),
        ("api.PostCustomers", "email=a+b@c.example", 'metadata:={"order": "6735"}'),
        (
            *("POST", "/v2/v1/customers", "authorization", "Bearer s3cret"),
            b"email=a%2Bb%40c.example&metadata%5Border%5D=6735",
        ),
        "operations without a tag: ",
    ),
}


@pytest.fixture(params=CASES, ids=list(CASES))
def api(request, project, monkeypatch):
    """Return a case, its document in a project, and what its server was asked."""
    case = CASES[request.param]
    document = project / "pets.yaml"
    document.write_text(PETS, "utf-8")
    if case.pattern:
        found = (
            [file for file in FOLDER.rglob(case.pattern) if file.suffix in {".json", ".yaml"}]
            if FOLDER.is_dir()
            else []
        )
        if not found:
            pytest.skip(
                f"there is no {case.pattern}: `.ci/documents FOLDER` brings it, and TOOLKIT_OPENAPI_DOCUMENTS=FOLDER says where"
            )
        document = project / f"big{found[0].suffix}"
        shutil.copy(found[0], document)
    received = []

    def answer(request):
        received.append(request)
        return 200, {"Content-Type": "application/json"}, b'{"data": []}'

    monkeypatch.setenv("API_KEY", "s3cret")
    monkeypatch.setenv("COLUMNS", "120")
    with http_server(answer) as url:
        settings = (
            f'[openapi.api]\ndocument = "{document.name}"\nserver = "{url}/v2"\nallow_private = true\n{case.settings}'
        )
        (project / "toolkit.toml").write_text(settings, "utf-8")
        yield case, document.name, received


def asked(received, header):
    """Return the whole requests that arrived since the last time."""
    found = [(one.method, one.path, header, one.headers.get(header), one.body) for one in received]
    received.clear()
    return found


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_document_is_listed_and_checked(api, program):
    case, document, received = api
    listed = program("list", "api", "--format", "json")
    assert (listed.returncode, {one["name"] for one in json.loads(listed.stdout)}) == (0, set(case.names))
    whole = program("list", document)
    if case.tags:
        assert (whole.returncode, "at most 25 become tools at once" in whole.stderr, case.tags in whole.stderr) == (
            2,
            True,
            True,
        )
    checked = program("lint", document, "--format", "json", "--no-cache")
    assert {one["location"]["file"] for one in json.loads(checked.stdout) if one["location"]} <= {document}
    chosen = program("lint", "api", "--format", "json")
    assert (checked.returncode in {0, 1}, chosen.returncode in {0, 1}, received) == (True, True, [])


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_operation_that_reads_runs_with_the_consent_of_its_user_only(api, program):
    case, _, received = api
    refused = program("run", *case.read)
    assert (refused.returncode, asked(received, case.reading[2])) == (3, [])
    done = program("run", *case.read, "--consent", "openapi.api", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, '{"data": []}\n', "")
    assert asked(received, case.reading[2]) == [case.reading]


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_operation_that_changes_something_asks_and_shows_the_request_that_it_sends(api, project):
    case, _, received = api
    command = ("run", *case.change, "--consent", "openapi.api")
    refused = Terminal(project, *command)
    refused.answer("q")
    assert (refused.end(), asked(received, case.changing[2])) == (3, [])
    allowed = Terminal(project, *command)
    allowed.answer("o")
    assert (allowed.end(), allowed.stdout) == (0, '{"data": []}\n')
    assert asked(received, case.changing[2]) == [case.changing]
    assert f"{case.changing[0]} http://127.0.0.1" in allowed.seen
    assert "s3cret" not in allowed.seen + refused.seen


@pytest.mark.proof
def test_chosen_operations_are_the_tools_of_an_mcp_client(api, program):
    case, _, received = api
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    served = program(
        "serve", "api", "--consent", "openapi.api", input="".join(f"{json.dumps(one)}\n" for one in messages)
    )
    answers = {one.get("id"): one for one in map(json.loads, served.stdout.splitlines())}
    listed = {one["name"]: one["annotations"] for one in answers[2]["result"]["tools"]}
    assert set(listed) == set(case.names)
    assert [listed[name].get("readOnlyHint", False) for name in case.names] == [True, False]
    assert received == []
