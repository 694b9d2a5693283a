"""The tool `http` sends its input where its maker said, and tells what was answered."""

import inspect
import json
import logging
import re

import pytest

from tests.installers import INSTALL
from toolkit import Continue, Edit, ToolContext
from toolkit.approvals import ScriptedReviewer
from toolkit.builtin import Http, ready_tools
from toolkit.errors import ConfigurationError
from toolkit.fetching import status_in_words  # private

SECRET = 'p@ss/w"ørd+1 &=?é'.encode("ascii", "replace").decode()


@pytest.fixture
def ask(serve, respond):
    """Return what sends a text to a server through the tool; it returns the result and the request."""

    def sending(text, answering=None, path="/", **options):
        server = serve(respond("done") if answering is None else answering)
        result = Http(server.url(path), allow_private=True, **options).run({"input": text})
        return result, server.requests[0] if server.requests else None

    return sending


def test_text_is_posted(ask):
    result, asked = ask("42 apples, süß")
    assert (result.output, result.structured) == ("done", None)
    assert (asked.method, asked.target, asked.body.decode()) == ("POST", "/", "42 apples, süß")
    assert asked.headers["content-type"] == "text/plain; charset=UTF-8"


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", '"text"', " 42 ", "null"])
def test_json_is_posted_as_such(ask, text):
    _, asked = ask(text)
    assert (asked.headers["content-type"], asked.body.decode()) == ("application/json", text)


def test_headers_are_sent_and_the_given_type_stands(ask):
    _, asked = ask("<a/>", headers={"content-type": "application/xml", "X-Team": "blue"})
    assert (asked.headers["content-type"], asked.headers["x-team"]) == ("application/xml", "blue")


def test_headers_whose_names_differ_in_case_alone_are_one(ask):
    _, asked = ask("x", headers={"X-Team": "blue", "x-team": "red", "user-agent": "mine"})
    sent = [(name.lower(), value) for name, value in asked.headers.items()]
    assert [value for name, value in sent if name in {"x-team", "user-agent"}] == ["mine", "red"]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/", "/?input=a+b%26c%23%3F%C3%A9"),
        ("/find?lang=en", "/find?lang=en&input=a+b%26c%23%3F%C3%A9"),
        ("/find?lang=en#top", "/find?lang=en&input=a+b%26c%23%3F%C3%A9"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "head"])
def test_what_has_no_body_carries_the_input_in_the_url(ask, path, target, method):
    _, asked = ask("a b&c#?é", path=path, method=method)
    assert (asked.method, asked.target, asked.body) == (method.upper(), target, b"")


def test_nothing_is_an_empty_parameter(ask):
    assert ask("", method="get")[1].target == "/?input="


@pytest.mark.parametrize("method", ["PUT", "patch", "DELETE"])
def test_other_methods_carry_it_in_the_body(ask, method):
    _, asked = ask("x", method=method)
    assert (asked.method, asked.body) == (method.upper(), b"x")


# Answers


def test_an_answer_in_json_is_data_too(ask, respond):
    text = '{"number": 17, "open": true}'
    result, _ = ask("x", respond(text, Content_Type="application/problem+json"))
    assert (result.output, result.structured) == (text, {"number": 17, "open": True})
    result, _ = ask("x", respond("{broken", Content_Type="application/json"))
    assert (result.output, result.structured) == ("{broken", None)


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", b"na\xefve \x80", "naïve €"),
        ("text/plain; charset=shift_jis", "日本".encode("shift_jis"), "日本"),
        ("text/plain", "日本".encode(), "日本"),
        ("text/plain", b"caf\xe9", "café"),
        ("text/plain; charset=utf-16", "hé".encode("utf-16"), "hé"),
        ("text/plain; charset=nonsense", "süß".encode(), "süß"),
        ("text/plain; charset=zlib", b"x", "x"),
        ("text/plain; charset=idna", b"x", "x"),
        ("text/plain; charset=utf-8", b"a\xffb", "a\N{REPLACEMENT CHARACTER}b"),
        ("", b"plain", "plain"),
    ],
)
def test_an_answer_is_read_in_its_charset(ask, respond, content_type, body, text):
    assert ask("x", respond(body, Content_Type=content_type))[0].output == text


def test_what_is_no_text_is_said(ask, respond):
    result, _ = ask("x", respond(b"\x89PNG\r\n\0\0\0", Content_Type="image/png"))
    assert result.error == "HTTP 200 OK, but the body is not text (image/png)"


@pytest.mark.parametrize("size", [10, 11])
def test_a_long_answer_is_cut_where_it_says(ask, respond, size):
    result, _ = ask("x", respond("é" * 5 + "x" * (size - 10)), max_bytes=10)
    assert result.output == "é" * 5 + ("" if size == 10 else "\n[response truncated at 10 bytes]")


def test_a_cut_leaves_no_half_of_a_character(ask, respond):
    assert ask("x", respond("ééé"), max_bytes=3)[0].output == "é\n[response truncated at 3 bytes]"


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        ("404 Not Found", "no such\n\n  thing", "HTTP 404 Not Found: no such thing"),
        ("500 Oops", "x" * 300, f"HTTP 500 Internal Server Error: {'x' * 200}…"),
        ("503 Unavailable", "  \n", "HTTP 503 Service Unavailable"),
        ("304 Not Modified", "", "HTTP 304 Not Modified"),
        ("499 Gone Away", "", "HTTP 499"),
    ],
)
def test_other_statuses_are_failures(ask, respond, status, body, error):
    result, _ = ask("x", respond(body, status))
    assert (result.error, result.error_code) == (error, int(status[:3]))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"title": "Too long", "detail": "Use 10 letters", "status": 422, "type": "/long"}, "Too long: Use 10 letters"),
        ({"detail": "No", "fields": {"name": "x" * 300}}, f'No {{"fields":{{"name":"{"x" * 300}"}}}}'),
        ({"error": {"code": 7}}, '{"error":{"code":7}}'),
        (["wrong"], '["wrong"]'),
    ],
)
def test_what_a_server_says_in_json_is_the_error_and_its_data(ask, respond, body, said):
    answer = respond(json.dumps(body), "422 Wrong", Content_Type="application/problem+json")
    result, _ = ask("x", answer)
    expected = (f"{status_in_words(422)}: {said}", 422, body)
    assert (result.error, result.error_code, result.structured) == expected


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_a_failure_and_not_followed(ask, serve, respond, status):
    elsewhere = serve(respond("elsewhere"))
    result, _ = ask("x", respond("ignored", status, Location=elsewhere.url()))
    assert (
        result.error == f"{status_in_words(int(status[:3]))}: it redirects to {elsewhere.url()}, which is not followed"
    )
    assert elsewhere.requests == []


# What it may reach


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_an_endpoint_inside_must_be_allowed(serve, respond, host):
    server = serve(respond("done"))
    result = Http(server.url(host=host)).run({"input": "x"})
    assert re.fullmatch(r"Error: HTTP request failed: refused: \S+ (is|leads to) a loopback address", result.text)
    assert (result.error_code, server.requests) == ("access_denied", [])


def test_a_name_that_leads_inside_is_refused(serve, respond):
    server = serve(respond("done"))
    tool = Http(server.url(host="api.example"), resolve=lambda *_: ["127.0.0.1"])
    assert tool.run({"input": "x"}).error == "HTTP request failed: refused: api.example leads to a loopback address"
    assert server.requests == []


def test_the_time_is_limited(serve, respond):
    def stalling(_):
        yield respond("x" * 10)[:-5]
        while True:
            yield b""

    server = serve(stalling)
    result = Http(server.url(), timeout=0.2, allow_private=True).run({"input": "x"})
    assert (result.error, result.error_code) == ("HTTP request failed: no complete answer within 200ms", "timeout")


# Marks


@pytest.mark.parametrize(
    ("method", "read_only", "destructive", "idempotent"),
    [
        ("GET", True, False, True),
        ("HEAD", True, False, True),
        ("POST", None, None, None),
        ("PUT", None, True, True),
        ("PATCH", None, True, None),
        ("DELETE", None, True, True),
        ("PURGE", None, True, None),
    ],
)
def test_the_marks_follow_from_the_method(method, read_only, destructive, idempotent):
    spec = Http("https://api.example.com", method=method).spec
    assert (spec.read_only, spec.destructive, spec.idempotent) == (read_only, destructive, idempotent)
    assert spec.open_world is True


def test_it_describes_itself_without_its_path():
    tool = Http("https://api.example.com/v1?key=${API_KEY}", name="create_ticket")
    assert tool.name == "create_ticket"
    assert tool.description == (
        "Sends the input to api.example.com by HTTP POST and returns the text of the answer. "
        "Input: the payload, as the endpoint expects it."
    )


# Approval


def test_the_question_shows_what_is_sent_and_where(serve, respond, monkeypatch):
    monkeypatch.setenv("TOKEN", SECRET)
    server = serve(respond("done"))
    reviewer = ScriptedReviewer([Edit({"input": "better"})])
    tool = Http(
        server.url("/t?k=${TOKEN}"),
        headers={"Authorization": "Bearer ${TOKEN}", "X-Team": "blue", "Cookie": "literal"},
        requires_approval=True,
        allow_private=True,
    )
    assert tool.run({"input": "good"}, ToolContext(reviewer=reviewer)).output == "done"
    [request] = reviewer.requests
    assert request.preview == (
        f"HTTP POST {server.url('/t?k=${TOKEN}')}\nAuthorization: Bearer ${{TOKEN}}\nX-Team: blue\nCookie: …\n\ngood"
    )
    assert request.arguments == {"input": "good"}
    assert server.requests[0].body == b"better"


def test_the_question_about_a_get_shows_the_url():
    tool = Http("https://api.example.com/find", method="GET", requires_approval=True)
    assert tool.preview("a b", ToolContext()) == "HTTP GET https://api.example.com/find?input=a+b"


def test_without_a_reviewer_it_is_not_set_up():
    tool = Http("https://api.example.com", requires_approval=True)
    with pytest.raises(ConfigurationError, match="tool 'http' requires approval, but there is no reviewer"):
        tool.run({"input": "x"})


def test_what_cannot_be_sent_is_refused_before_anybody_is_asked(monkeypatch):
    monkeypatch.delenv("TOKEN", raising=False)
    reviewer = ScriptedReviewer([Continue()])
    context = ToolContext(reviewer=reviewer)
    tool = Http("https://api.example.com", requires_approval=True)
    message = "the input cannot be encoded as UTF-8 (lone surrogate at 1)"
    assert tool.run({"input": "a\ud800"}, context).error == message
    tool = Http("https://api.example.com", headers={"Authorization": "${TOKEN}"}, requires_approval=True)
    with pytest.raises(ConfigurationError) as raised:
        tool.run({"input": "x"}, context)
    assert str(raised.value) == "the tool 'http' needs the environment variable 'TOKEN', which is not set"
    assert reviewer.requests == []


# Secrets


def echo(respond, status):
    """Return what gives back everything that it is sent, in every place that an answer has."""

    def answering(asked):
        everything = json.dumps([asked.target, asked.headers, asked.body.decode()])
        yield respond(
            everything, status, X_Echo=asked.headers["authorization"], Location=asked.headers["authorization"]
        )

    return answering


@pytest.mark.parametrize("status", ["200 OK", "302 Found", "401 Unauthorized"])
def test_no_secret_leaves(serve, respond, monkeypatch, caplog, status):
    monkeypatch.setenv("TOKEN", SECRET)
    literal = "an-api-key-in-the-code"
    server = serve(echo(respond, status))
    headers = {"Authorization": "Bearer ${TOKEN}", "X-Api-Key": literal}
    tool = Http(server.url("/p?k=${TOKEN}"), headers=headers, allow_private=True)
    with caplog.at_level(logging.DEBUG):
        result = tool.run({"input": "x"})
    [asked] = server.requests
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.headers["x-api-key"] == literal
    broken = Http(server.url(), headers=headers, allow_private=True, resolve=lambda *_: [])
    places = [repr(result), caplog.text, repr(tool), repr(vars(tool)).replace(literal, "", 2), repr(tool.spec)]
    places += [broken.run({"input": "x"}).text, tool.preview("x", ToolContext())]
    forms = [SECRET, json.dumps(SECRET)[1:-1], asked.target.partition("k=")[2], literal]
    hits = [form for place in places for form in forms if form in place]
    print(f"\nhttp: {len(hits)} secrets in {len(places)} places")  # noqa: T201
    assert hits == []


def test_a_secret_that_json_spells_otherwise_does_not_leave_either(serve, respond, monkeypatch):
    monkeypatch.setenv("TOKEN", "a/b/c/d")
    body = r'{"slashes": "a\/b\/c\/d", "numbers": ["\u0061/b/c/d"], "a\/b\/c\/d": null}'
    server = serve(respond(body, Content_Type="application/json"))
    result = Http(server.url(), headers={"Authorization": "${TOKEN}"}, allow_private=True).run({"input": "x"})
    assert result.structured == {"slashes": "*" * 10, "numbers": ["*" * 10], "*" * 10: None}
    assert r"a\/b\/c\/d" not in result.output


def test_the_beginning_of_a_secret_at_a_cut_is_blotted_out(serve, respond, monkeypatch):
    monkeypatch.setenv("TOKEN", "abcdefghijkl")
    server = serve(respond("token abcdefghijkl"))
    tool = Http(server.url(), headers={"Authorization": "${TOKEN}"}, max_bytes=12, allow_private=True)
    assert tool.run({"input": "x"}).output == "token **********\n[response truncated at 12 bytes]"


@pytest.mark.parametrize("value", ["line\r\nX-Evil: 1", "büro", "tab\there"])
def test_a_variable_that_no_header_can_hold_is_refused(monkeypatch, value):
    monkeypatch.setenv("TOKEN", value)
    with pytest.raises(ConfigurationError) as raised:
        Http("https://api.example.com", headers={"Authorization": "${TOKEN}"}).run({"input": "x"})
    message = "the tool 'http' cannot send the header 'Authorization': its value must be plain ASCII"
    assert str(raised.value) == message


def test_a_variable_cannot_change_what_the_url_means(serve, respond, monkeypatch):
    monkeypatch.setenv("TOKEN", "x&admin=1#/../")
    server = serve(respond("done"))
    Http(server.url("/a/${TOKEN}/b?k=${TOKEN}"), allow_private=True).run({"input": "x"})
    assert server.requests[0].target == "/a/x%26admin%3D1%23%2F..%2F/b?k=x%26admin%3D1%23%2F..%2F"


# Settings


@pytest.mark.parametrize(
    ("url", "options", "message"),
    [
        ("ftp://x.example", {}, "'url' must begin with http:// or https:// and name a host"),
        ("api.example.com", {}, "'url' must begin with http:// or https:// and name a host"),
        ("http://", {}, "'url' must begin with http:// or https:// and name a host"),
        ("http://x.example:port", {}, "'url' is not a URL"),
        ("http://${HOST}/", {}, "the host in 'url' must not come from the environment"),
        ("http://me:pw@x.example/", {}, "'url' must not contain a user name or password"),
        ("http://x.example", {"method": "GE T"}, "'GE T' is not an HTTP method that this tool can send"),
        ("http://x.example", {"method": "connect"}, "'CONNECT' is not an HTTP method that this tool can send"),
        ("http://x.example", {"headers": {"A b": "c"}}, "'A b' is not a valid header name"),
        ("http://x.example", {"headers": {"Host": "evil"}}, "the header 'Host' cannot be set"),
        ("http://x.example", {"headers": {"X": "a\nb"}}, "the value of the header 'X' must be plain ASCII"),
        ("http://x.example", {"timeout": 0}, "'timeout' must be above zero"),
        ("http://x.example", {"max_bytes": 0}, "'max_bytes' must be above zero"),
    ],
)
def test_wrong_settings_are_refused_when_it_is_made(url, options, message):
    with pytest.raises(ConfigurationError) as raised:
        Http(url, **options)
    assert [problem.message for problem in raised.value.problems] == [message]


def test_everything_wrong_is_said_at_once():
    with pytest.raises(ConfigurationError) as raised:
        Http("x", method="", headers={"": "x", "Host": "y"}, timeout=-1, max_bytes=-1)
    assert len(raised.value.problems) == 6


def test_it_is_built_of_a_configuration(tmp_path, serve, respond):
    server = serve(respond("done"))
    options = {
        "url": server.url("/tickets"),
        "method": "PUT",
        "description": "Creates a ticket.",
        "headers": {"X-Team": "blue"},
        "timeout": "5s",
        "max_bytes": 1000,
        "allow_private": True,
    }
    tool = ready_tools()["http"].build(tmp_path, options)
    assert (tool.description, tool.run({"input": "x"}).output) == ("Creates a ticket.", "done")
    assert (server.requests[0].method, server.requests[0].headers["x-team"]) == ("PUT", "blue")


def test_wrong_options_are_said_with_the_nearest(tmp_path):
    with pytest.raises(ConfigurationError) as raised:
        ready_tools()["http"].build(tmp_path, {"header": {}, "timeout": 5})
    assert [(problem.message, problem.hint) for problem in raised.value.problems] == [
        ("unknown option 'header'", "did you mean 'headers'?"),
        ("'timeout' must be a duration such as '500ms', '30s' or '5m', above zero and at most 720h", "write '5s' for seconds"),
        ("the option 'url' is missing", "write url = '…': the endpoint"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "Cookie", "X-Auth-Token"])
def test_a_secret_in_a_file_is_refused(tmp_path, name):
    with pytest.raises(ConfigurationError) as raised:
        ready_tools()["http"].build(
            tmp_path, {"url": "https://api.example.com", "headers": {name: "s3cret", "X-Team": "blue"}}
        )
    [problem] = raised.value.problems
    assert problem.message == f"the value of the header '{name}' is written in the file"
    assert problem.hint == f"keep it in the environment, and write {name} = '${{NAME}}'"
    assert "s3cret" not in str(raised.value)


def test_importing_it_imports_no_client(run_python):
    program = (
        "import sys\nfrom toolkit.builtin import Http\nHttp('http://x.example').spec\nprint('httpx2' in sys.modules)"
    )
    assert run_python(program) == "False\n"


def test_a_missing_extra_is_one_line(run_python):
    program = (
        "import sys\n"
        "sys.modules['httpx2'] = None\n"
        "from toolkit.builtin import Http\n"
        "Http('http://x.example').run({'input': 'x'})\n"
    )
    said = f"ConfigurationError: the tool 'http' needs 'toolkit-cli[tools]', which is not installed: {INSTALL} 'toolkit-cli[tools]'"
    assert said in run_python(program)


def test_the_options_are_those_of_the_class():
    parameters = set(inspect.signature(Http).parameters) - {"name", "resolve"}
    assert {option.name for option in ready_tools()["http"].options} == parameters
