"""What a server that connexion has generated from a document receives when its odd operations are called.

Whole requests are compared: the method, the path and the query as they were sent, the headers, and the body.
"""

import json

import pytest

from tests.openapi.odd_operations import OPERATIONS
from tests.openapi.served_documents import served
from toolkit import Continue, ToolContext
from toolkit.approvals import ScriptedReviewer
from toolkit.openapi import ApiDocument
from toolkit.openapi.api_settings import ApiSettings  # private
from toolkit.openapi.api_tools import Api  # private

pytestmark = pytest.mark.filterwarnings("ignore:Unclosed file <tempfile:ResourceWarning")  # of connexion
OF_CLIENT = {"host", "user-agent", "accept-encoding", "connection", "content-length"}
"""Headers of the connection, which no document describes."""
UNREAD = {
    *("path_reserved", "path_object", "path_object_exploded", "path_label", "path_label_list", "path_label_object"),
    *("path_matrix", "path_matrix_list", "path_matrix_list_exploded", "path_matrix_object", "query_object"),
    *("query_object_joined", "query_json", "query_odd_names", "query_empty_list", "header_text", "header_list"),
    *("header_object", "header_json", "cookie_text", "cookie_list", "body_form_deep", "same_name_in_all_places"),
    "body_of_parts",
}
"""What connexion reads in another way than the specification says, or hands on under names of its own."""


def document_of(operations):
    """Return a document with operations, whose server is below a path."""
    paths = {}
    for one in operations:
        body = {} if one.body is None else {"requestBody": one.body}
        paths.setdefault(one.path, {})[one.method] = {
            "operationId": one.id,
            "summary": "Send what the test says.",
            "parameters": list(one.parameters),
            **body,
            "responses": {"200": {"description": "What arrived.", "content": {"application/json": {"schema": {}}}}},
        }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Odd", "version": "1"},
        "servers": [{"url": "/{version}", "variables": {"version": {"default": "v1"}}}],
        "paths": paths,
    }


def read_from(one):
    """Return what the server has to read: the arguments, those of the body together."""
    around = {name: one.arguments[name] for name in (each["name"] for each in one.parameters) if name in one.arguments}
    if one.body is None:
        return around
    inner = {name: value for name, value in one.arguments.items() if name not in around}
    whole = inner["body"] if inner.keys() == {"body"} else inner
    return {**around, "body": whole.encode() if "text/plain" in one.body["content"] else whole}


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Call every operation once; return what arrived, by operation id."""
    file = tmp_path_factory.mktemp("odd") / "odd.json"
    document = document_of(OPERATIONS)
    file.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
    found = {}
    with served(document) as server:
        settings = ApiSettings("odd", str(file), server=f"{server.url}/v1", prefix="", allow_private=True, max_tools=99)
        api = Api(ApiDocument(file), settings)
        tools = {tool.operation.id: tool for tool in api.tools()}
        assert [str(problem) for problem in api.problems] == []
        for one in OPERATIONS:
            tools[one.id].run(one.arguments, ToolContext(reviewer=ScriptedReviewer([Continue()])))
            found[one.id] = server.received.pop()
            assert server.received == []
    return found


def test_there_are_fifty():
    assert len({one.id for one in OPERATIONS}) >= 50


@pytest.mark.proof
@pytest.mark.parametrize("one", OPERATIONS, ids=lambda one: one.id)
def test_server_receives_exactly_what_the_operation_should_send(one, calls):
    received = calls[one.id]
    headers = [(name, value) for name, value in received.headers if name not in OF_CLIENT]
    wanted = {"accept": "application/json, */*;q=0.1", **one.headers}
    assert (received.method, received.target, sorted(headers), received.body) == (
        one.method.upper(),
        f"/v1{one.target}",
        sorted(wanted.items()),
        one.sent,
    )


@pytest.mark.proof
@pytest.mark.parametrize("one", [one for one in OPERATIONS if one.id not in UNREAD], ids=lambda one: one.id)
def test_server_reads_what_was_given(one, calls):
    assert (calls[one.id].status, calls[one.id].read) == (200, read_from(one))
