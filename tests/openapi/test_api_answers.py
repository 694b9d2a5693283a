"""What a server answers is a text, data, an attachment or a failure, and says how to get the next page."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import ClassVar

import pytest

from tests.http_servers import http_server
from tests.openapi.made_operations import operation, parameter, recording, tool_for
from toolkit import Pipeline, ToolContext
from toolkit.fetching import Fetched  # private
from toolkit.openapi.answers import seconds_until_retry  # private
from toolkit.tools import Attachment
from toolkit.tools.calls.call_limits import Limit, LocalLimits  # private

JSON = {"Content-Type": "application/json"}
PNG = b"\x89PNG\r\n\x1a\n\0\0"


def answered(answer, made=None, arguments=None, **access):
    """Return the result of a call that is answered so, and the URL of the server."""
    with http_server(answer if callable(answer) else lambda _: answer) as url:
        return tool_for(made or operation("/x"), url, **access).run(arguments or {}), url


@pytest.mark.parametrize(
    ("kind", "body", "structured"),
    [
        ("application/json", b'{"a": [1, 2.50, null]}', {"a": [1, 2.5, None]}),
        ("application/vnd.api+json; charset=utf-8", '"é"'.encode(), "é"),
        ("application/json", b"{broken", None),
        ("text/plain", b"plain", None),
        ("application/xml", b"<a/>", None),
        ("application/atom+xml", b"<a/>", None),
        ("text/csv; charset=iso-8859-1", b"\xe9", None),
        ("", b"no type", None),
    ],
)
def test_text_is_the_output_and_json_is_data_too(kind, body, structured):
    result, _ = answered((200, {"Content-Type": kind} if kind else {}, body))
    text = body.decode("latin-1") if "8859" in kind else body.decode()
    assert (result.output, result.structured, result.artifact, result.remark) == (text, structured, None, "")


@pytest.mark.parametrize(
    ("kind", "header", "name", "sort"),
    [
        ("image/png", "", None, "image"),
        ("audio/mpeg", "", None, "audio"),
        ("application/pdf", 'attachment; filename="../../bill 1.pdf"', "bill 1.pdf", "resource"),
        ("application/zip", "attachment; filename*=utf-8''b%C3%BCro.zip", "büro.zip", "resource"),
    ],
)
def test_binary_data_is_an_attachment(kind, header, name, sort):
    headers = {"Content-Type": kind, **({"Content-Disposition": header} if header else {})}
    result, url = answered((200, headers, PNG), operation("/x", parameter("q")), {"q": "secret"})
    attachment = Attachment(sort, kind, PNG, f"{url}/x", details={"name": name} if name else {})
    assert (result.artifact, result.output, result.structured) == (attachment, attachment.words, None)


def test_text_with_zeros_is_binary_whatever_the_server_says():
    result, url = answered((200, {"Content-Type": "text/plain"}, PNG))
    assert result.artifact == Attachment("resource", "text/plain", PNG, f"{url}/x")


@pytest.mark.parametrize(
    ("method", "status", "headers", "output"),
    [
        ("DELETE", 204, {}, "HTTP 204 No Content"),
        ("POST", 201, {"Location": "/pets/7"}, "HTTP 201 Created\nlocation: /pets/7"),
        ("PUT", 299, {}, "HTTP 299"),
    ],
)
def test_answer_without_a_body_is_its_status(method, status, headers, output):
    result, _ = answered((status, headers, b""), operation("/x", method=method))
    assert (result.output, result.structured) == (output, None)


def test_answer_to_head_is_its_headers():
    result, _ = answered((200, {"ETag": '"7"', "Set-Cookie": "a=b"}, b"12345"), operation("/x", method="HEAD"))
    lines = result.output.split("\n")
    assert lines[0] == "HTTP 200 OK"
    assert {'etag: "7"', "content-length: 5"} <= {*lines}
    assert not any(line.startswith("set-cookie") for line in lines)


@pytest.mark.parametrize(
    ("status", "headers", "body", "error", "structured"),
    [
        (404, JSON, b'{"title": "No pet", "detail": "7 is gone"}', "HTTP 404 Not Found: No pet: 7 is gone", dict),
        (400, JSON, b'{"error": {"code": 3}}', 'HTTP 400 Bad Request: {"error":{"code":3}}', dict),
        (500, {"Content-Type": "text/html"}, b"<h1>Oops</h1>\n", "HTTP 500 Internal Server Error: <h1>Oops</h1>", None),
        (418, {}, b"", "HTTP 418 I'm a Teapot", None),
        (403, {"Content-Type": "image/png"}, PNG, "HTTP 403 Forbidden", None),
        (429, {"Retry-After": "3600"}, b"slow", "HTTP 429 Too Many Requests: slow; try again in 60m", None),
        (503, {"Retry-After": "soon"}, b"", "HTTP 503 Service Unavailable", None),
        (304, {}, b"", "HTTP 304 Not Modified", None),
    ],
)
def test_other_statuses_are_failures_with_the_reason(status, headers, body, error, structured):
    result, _ = answered((status, headers, body), operation("/x", method="POST"))
    data = json.loads(body) if structured is dict else None
    assert (result.output, result.error, result.error_code, result.structured) == ("", error, status, data)


def test_long_answers_are_cut_and_say_how_to_ask_for_less():
    page = operation("/x", parameter("per_page", argument="perPage"))
    text = (200, {"Content-Type": "application/json"}, b"[1, 2, 3, 4]")
    assert [answered(text, made, max_bytes=5)[0].output for made in (page, operation("/x"))] == [
        "[1, 2\n[response truncated at 5 bytes; ask for less with 'perPage']",
        "[1, 2\n[response truncated at 5 bytes]",
    ]
    assert answered(text, page, max_bytes=5)[0].structured is None
    result, _ = answered((200, {"Content-Type": "image/png"}, PNG), max_bytes=5)
    assert (result.error, result.error_code) == ("HTTP 200 OK, but the body has more than 5 bytes", "too_large")


# --------------------------------------------------------------------------------------------------------------- pages


def paged(body, *names, link=None, arguments=None, schemas=None):
    """Return the note about the next page."""
    made = operation("/x", *(parameter(name, schema=(schemas or {}).get(name)) for name in names))
    headers = {**JSON, **({"Link": link} if link else {})}
    result, _ = answered((200, headers, json.dumps(body).encode()), made, arguments)
    note = "There is another page: call this again with the same arguments and "
    assert result.output == json.dumps(body)
    return json.loads(result.remark.removeprefix(note).removesuffix(".")) if result.remark else None


INTEGERS = {"page": {"type": "integer"}, "per_page": {"type": "integer"}}


@pytest.mark.parametrize(
    ("link", "following"),
    [
        (
            '<https://api.example/x?page=2&per_page=50>; rel="next", <https://a/?page=9>; rel="last"',
            {"page": 2, "per_page": 50},
        ),
        ('<https://a/?page=9>; rel="last", </x?page=2>; title="a, b"; rel=next', {"page": 2}),
        ('<?page=2&secret=x>; rel="prefetch next"', {"page": 2}),
        ('<?page=1>; rel="prev"', None),
        ('<?page=2>; rel="nextish"', None),
        ("<?page=2", None),
        ("; rel=next", None),
    ],
)
def test_next_page_is_what_the_header_says(link, following):
    assert paged([1], "page", "per_page", link=link, schemas=INTEGERS) == following


def test_header_with_the_next_page_leaves_out_what_stays_the_same():
    link = '<?page=2&per_page=5>; rel="next"'
    assert paged([1], "page", "per_page", link=link, schemas=INTEGERS, arguments={"per_page": 5}) == {"page": 2}


@pytest.mark.parametrize(
    ("names", "body", "arguments", "following"),
    [
        (["cursor"], {"items": [1], "next_cursor": "abc"}, {}, {"cursor": "abc"}),
        (["cursor"], {"items": [1], "response_metadata": {"next_cursor": "abc"}}, {"cursor": "x"}, {"cursor": "abc"}),
        (["cursor"], {"items": [1], "response_metadata": {"next_cursor": ""}}, {}, None),
        (["pageToken"], {"items": [], "nextPageToken": "t"}, {}, {"pageToken": "t"}),
        (["after"], {"data": [1], "pageInfo": {"endCursor": "e", "hasNextPage": True}}, {}, {"after": "e"}),
        (["after"], {"data": [1], "pageInfo": {"endCursor": "e", "hasNextPage": False}}, {}, None),
        (["starting_after"], {"data": [{"id": "a"}, {"id": "b"}], "has_more": True}, {}, {"starting_after": "b"}),
        (["starting_after"], {"data": [{"id": "a"}], "has_more": False}, {}, None),
        (["page"], {"data": [1], "has_more": True}, {}, {"page": 2}),
        (["page", "limit"], [1, 2], {"page": 4, "limit": 2}, {"page": 5}),
        (["page", "limit"], [1], {"page": 4, "limit": 2}, None),
        (["offset", "limit"], [1, 2], {"limit": 2}, {"offset": 2}),
        (["offset", "limit"], {"total": 9, "pets": [1, 2]}, {"limit": 2, "offset": 4}, {"offset": 6}),
        (["offset", "limit"], [1, 2], {}, None),
        (["page", "limit"], [], {"page": 4, "limit": 2}, None),
        (["q"], {"next_cursor": "abc", "has_more": True, "items": [1]}, {}, None),
        (["cursor"], "next_cursor", {}, None),
        (["cursor"], {"next_cursor": "abc"}, {"cursor": "abc"}, None),
    ],
)
def test_next_page_is_found_in_the_data_if_there_is_a_parameter_for_it(names, body, arguments, following):
    assert paged(body, *names, arguments=arguments) == following


def test_default_of_a_limit_counts():
    schemas = {"limit": {"type": "integer", "default": 2}}
    assert paged([1, 2], "offset", "limit", schemas=schemas) == {"offset": 2}


def test_one_call_fetches_one_page():
    requests = []
    answer = recording(requests, (200, {**JSON, "Link": '<?page=2>; rel="next"'}, b"[1]"))
    answered(answer, operation("/x", parameter("page")))
    assert [asked.path for asked in requests] == ["/x"]


# --------------------------------------------------------------------------------------------------------- rate limits


class Busy:
    """A server that is too busy for the first requests."""

    def __init__(self, times, status=429, after="0"):
        self.times, self.status, self.after = times, status, after
        self.asked = 0

    def __call__(self, _):
        self.asked += 1
        return (self.status, {"Retry-After": self.after}, b"") if self.asked <= self.times else (200, {}, b"done")


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
def test_request_is_repeated_when_the_server_is_ready(status, method):
    busy, events = Busy(2, status), []
    with http_server(busy) as url:
        result = tool_for(operation("/x", method=method), url).run({}, ToolContext(listener=events.append))
    assert (result.succeeded, busy.asked) == (True, 3)
    reason = {429: "Too Many Requests", 503: "Service Unavailable"}[status]
    assert [one.message for one in events if one.kind == "progress"] == [f"HTTP {status} {reason}: waiting 0ms"] * 2


@pytest.mark.parametrize(
    ("method", "after", "status"), [("POST", "0", 429), ("PATCH", "0", 503), ("GET", "31", 429), ("GET", "0", 500)]
)
def test_request_is_not_repeated_without_need_or_time(method, after, status):
    busy = Busy(1, status, after)
    result, _ = answered(busy, operation("/x", method=method))
    assert (result.error_code, busy.asked) == (status, 1)


def test_repetition_counts_as_another_call():
    class Counted(LocalLimits):
        taken: ClassVar = []

        def take(self, tool, *, again=False):
            self.taken.append(again)
            return super().take(tool, again=again)

    with http_server(Busy(2)) as url:
        context = ToolContext().replace(limiter=Counted({"op": Limit(2)}))
        assert tool_for(operation("/x"), url).run({}, context).output == "done"
    assert Counted.taken == [False, True, True]


def test_request_is_not_repeated_forever():
    busy = Busy(100)
    result, _ = answered(busy)
    assert (result.error_code, busy.asked) == (429, 6)


@pytest.mark.parametrize(("limit", "after", "asked"), [("5s", "6", 1), ("40s", "41", 1), ("5s", "0", 2)])
def test_wait_ends_within_the_time_limit_of_the_step(limit, after, asked):
    busy = Busy(1, 429, after)
    with http_server(busy) as url:
        tool = tool_for(operation("/x"), url)
        result = (
            Pipeline.builder()
            .name("chain")
            .description("A chain")
            .step(tool, arguments={}, timeout=limit)
            .build()
            .run("{}")
        )
    assert (busy.asked, result.error_code) == (asked, None if asked == 2 else 429), result


def test_time_to_wait_is_a_number_or_a_date():
    def seconds(written):
        return seconds_until_retry(Fetched("https://a/", 429, {"retry-after": written}, b"", is_cut=False))

    later = datetime.now(UTC) + timedelta(hours=1)
    assert [seconds(one) for one in ("", "7", " 7 ", "-1", "1.5", "soon", "٧", "Wed, 21 Oct 2015 07:28:00 GMT")] == [
        *(None, 7.0, 7.0, None, None, None, None, 0.0)
    ]
    assert 3_500 < seconds(format_datetime(later, usegmt=True)) <= 3_600
