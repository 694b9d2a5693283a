"""What is sent outside of the body: every value in its place, in its style, and nowhere else."""

from dataclasses import replace
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given, strategies as st

from tests.openapi.made_operations import operation, parameter
from toolkit.errors import ConfigurationError, ToolArgumentsError
from toolkit.openapi.requests import Part, make_request  # private

BASE = "https://api.example/v1"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ODD = st.sampled_from(
    ["..", ".", "../..", "a/../b", "%2e%2e", "..;", "\\..\\", "//evil.example", "@evil", "a\r\nb", "?", "#"]
)
VALUES = st.one_of(TEXTS, ODD, st.integers(), st.booleans(), st.sampled_from([0.5, -1e300]))


def sent(made, base=BASE, **arguments):
    """Return the rest of the URL after the base, and the headers without `Accept`."""
    request = make_request(made, arguments, base)
    headers = {name: value for name, value in request.sent_headers.items() if name != "Accept"}
    return request.url.removeprefix(base), headers


def refused(made, **arguments):
    """Return what the error says about each argument."""
    with pytest.raises(ToolArgumentsError) as raised:
        make_request(made, arguments, BASE)
    return raised.value.faults or str(raised.value)


EMPTY, TEXT, LIST, OBJECT = "", "blue", ["blue", "black", "brown"], {"R": 100, "G": 200, "B": 150}


@pytest.mark.parametrize(
    ("style", "explode", "results"),
    [  # OpenAPI 3.1.1, Style Examples, with the separators encoded as RFC 3986 requires
        ("simple", False, ["blue", "blue,black,brown", "R,100,G,200,B,150"]),
        ("simple", True, ["blue", "blue,black,brown", "R=100,G=200,B=150"]),
        ("label", False, [".blue", ".blue,black,brown", ".R,100,G,200,B,150"]),
        ("label", True, [".blue", ".blue.black.brown", ".R=100.G=200.B=150"]),
        ("matrix", False, [";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"]),
        ("matrix", True, [";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"]),
    ],
)
def test_path_styles_are_those_of_the_specification(style, explode, results):
    made = operation("/x/{color}", parameter("color", "path", style, explode=explode))
    assert [sent(made, color=value)[0] for value in (TEXT, LIST, OBJECT)] == [f"/x/{one}" for one in results]


@pytest.mark.parametrize(
    ("style", "explode", "results"),
    [
        ("form", False, ["color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"]),
        ("form", True, ["color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"]),
        (
            "spaceDelimited",
            False,
            ["color=", "color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
        ),
        (
            "pipeDelimited",
            False,
            ["color=", "color=blue", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
        ),
        (
            "deepObject",
            True,
            [
                "color=",
                "color=blue",
                "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown",
                "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
            ],
        ),
    ],
)
def test_query_styles_are_those_of_the_specification(style, explode, results):
    made = operation("/x", parameter("color", style=style, explode=explode))
    assert [sent(made, color=value)[0] for value in (EMPTY, TEXT, LIST, OBJECT)] == [f"/x?{one}" for one in results]


@pytest.mark.parametrize(
    ("style", "explode", "results"),
    [
        ("form", False, ["color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"]),
        ("form", True, ["color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"]),
        ("cookie", True, ["color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"]),
    ],
)
def test_cookies_are_pairs_of_one_header(style, explode, results):
    made = operation("/x", parameter("color", "cookie", style, explode=explode))
    assert [sent(made, color=value) for value in (TEXT, LIST, OBJECT)] == [("/x", {"Cookie": one}) for one in results]


@pytest.mark.parametrize(
    ("explode", "results"),
    [
        (False, ["blue", "blue,black,brown", "R,100,G,200,B,150"]),
        (True, ["blue", "blue,black,brown", "R=100,G=200,B=150"]),
    ],
)
def test_headers_are_sent_as_they_are(explode, results):
    made = operation("/x", parameter("X-Color", "header", explode=explode, argument="color"))
    assert [sent(made, color=value) for value in (TEXT, LIST, OBJECT)] == [("/x", {"X-Color": one}) for one in results]


@pytest.mark.parametrize("value", [None, [], {}, [None], {"a": None}])
def test_what_is_undefined_is_not_sent(value):
    styles = [("form", True), ("form", False), ("deepObject", True), ("pipeDelimited", False)]
    for style, explode in styles:
        assert sent(operation("/x", parameter("q", style=style, explode=explode)), q=value) == ("/x", {})


@pytest.mark.parametrize("value", [[], {}, [None], {"a": None}])
@pytest.mark.parametrize("place", ["query", "header", "cookie"])
def test_filter_of_a_change_is_never_lost(value, place):
    fault = {"q": "must not be empty, since nothing would be sent for it"}
    optional = parameter("q", place)
    for method in ("DELETE", "POST", "PUT", "PATCH"):
        assert refused(operation("/x", optional, method=method), q=value) == fault
        assert sent(operation("/x", optional, method=method), q=None) == ("/x", {})
    for empty in (value, None):
        assert refused(operation("/x", replace(optional, is_required=True)), q=empty) == fault
    assert sent(operation("/x", optional), q=value) == ("/x", {})


def test_nested_values_are_json_or_have_further_brackets():
    value = {"a": {"b": [1, None, {"c": True}]}, "d": None}
    assert sent(operation("/x", parameter("q", style="deepObject", explode=True)), q=value)[0] == (
        "/x?q%5Ba%5D%5Bb%5D%5B0%5D=1&q%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=true"
    )
    assert sent(operation("/x", parameter("q")), q=[{"a": 1}, [2]])[0] == "/x?q=%7B%22a%22%3A1%7D&q=%5B2%5D"


def test_content_is_one_value_in_its_media_type():
    made = operation(
        "/{p}",
        parameter("p", "path", media_type="application/json"),
        parameter("q", media_type="application/json"),
        parameter("t", media_type="text/plain"),
        parameter("H", "header", media_type="application/problem+json"),
        parameter("c", "cookie", media_type="application/json"),
    )
    value = {"a": ["é", 1.5]}
    assert sent(made, p=[1], q=value, t="a,b", H=value, c=[True]) == (
        "/%5B1%5D?q=%7B%22a%22%3A%5B%22%C3%A9%22%2C1.5%5D%7D&t=a%2Cb".replace("%C3%A9", "%5Cu00e9"),
        {"H": '{"a":["\\u00e9",1.5]}', "Cookie": "c=%5Btrue%5D"},
    )


def test_reserved_characters_are_sent_as_they_are_where_they_mean_nothing():
    made = operation("/x", parameter("q", allows_reserved=True), parameter("l", explode=False, allows_reserved=True))
    assert sent(made, q=":/?@!$'()*,;[]&=+#% ")[0] == "/x?q=:/?@!$'()*,;%5B%5D%26%3D%2B%23%25%20"
    assert refused(made, l=["a,b"]) == {"l": "must not have parts with ',', which separates them"}


@pytest.mark.parametrize(
    ("made", "value", "separator"),
    [
        (parameter("q", style="spaceDelimited", explode=False), ["a b"], " "),
        (parameter("q", style="pipeDelimited", explode=False), ["a|b", "c"], "|"),
        (parameter("q", "path", "label", explode=True), ["a.b"], "."),
        (parameter("q", "header"), ["a,b"], ","),
        (parameter("q", "header", explode=True), {"a=b": "c"}, "="),
        (parameter("q", "header", explode=True), {"a": "b,c=d"}, ","),
    ],
)
def test_item_with_the_separator_is_refused(made, value, separator):
    path = "/{q}" if made.place == "path" else "/x"
    assert refused(operation(path, made), q=value) == {
        "q": f"must not have parts with '{separator}', which separates them"
    }


def test_part_of_a_template_can_be_a_query():
    made = operation("/{b}?Action=Put&acl&v={b}#fragment", parameter("b", "path"), parameter("q"))
    assert sent(made, b="x&y/", q="z")[0] == "/x%26y%2F?Action=Put&acl=&v=x%26y%2F&q=z"


def test_header_accept_names_what_the_document_declares():
    from toolkit.openapi import Answer

    def accepted(**answers):
        made = operation(
            "/x", answers={status: Answer("", {one: {} for one in media}) for status, media in answers.items()}
        )
        return make_request(made, {}, BASE).headers["Accept"]

    assert [
        accepted(),
        accepted(**{"200": ["text/csv", "application/json"], "404": ["text/html"]}),
        accepted(**{"200": ["image/png"], "206": ["image/*", "a/b\r\nX: y"]}),
    ] == ["application/json, */*;q=0.1", "application/json, */*;q=0.1", "image/png, */*;q=0.1"]


# ------------------------------------------------------------------------------------------------------------- attacks


CLIMBING = "must not have '.' or '..' as a part, since it would lead to another path"


@pytest.mark.parametrize(
    "value",
    [
        *("..", ".", "../admin", "a/..", "a/../../b", "..\\b", "a\\..", "%2e%2e", "%2E%2e/x", "%252e%252e/x", "..;/x"),
        *("..;a=b/x", " ../x", ".. /x", "..\0/x", "..\r\n", "a/./b", "%2e/x", "..%2Fx", "..%5Cx"),
    ],
)
@pytest.mark.parametrize("style", ["simple", "label", "matrix"])
def test_no_server_can_read_a_value_as_another_path(value, style):
    made = operation("/pets/{id}", parameter("id", "path", style))
    assert refused(made, id=value) == {"id": CLIMBING}


@pytest.mark.parametrize(
    "value", ["...", "..a", "a..", "a..b/c", ".github/x", "a.b", "%", "%2", "2e2e", "~", "é/ü", "a//b"]
)
def test_harmless_dots_and_slashes_are_encoded(value):
    url, _ = sent(operation("/pets/{id}", parameter("id", "path")), id=value)
    assert (unquote(url), url.count("/")) == (f"/pets/{value}", 2)


def test_values_that_climb_together_are_refused():
    made = operation("/pets/{a}{b}/x", parameter("a", "path"), parameter("b", "path", "label"))
    assert refused(made, a="x", b=".") == {"b": CLIMBING}
    together = operation("/pets/.{a}", parameter("a", "path", "label"))
    message = f"The arguments cannot be sent: they lead to an address that is not below {BASE}"
    with pytest.raises(ToolArgumentsError) as raised:
        make_request(operation("/pets/..{a}", parameter("a", "path", "matrix")), {"a": "x"}, BASE)
    assert (str(raised.value), refused(together, a="")) == (message, {"a": CLIMBING})


@pytest.mark.parametrize("value", ["", None, [], {}])
def test_path_never_loses_a_part(value):
    [fault] = refused(operation("/pets/{id}", parameter("id", "path")), id=value).values()
    assert fault == f"must not be {'null' if value is None else 'empty'}, since it is part of the path"


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0b", "é", "\u2028", " a", "a\t", "a\x7f"])
def test_header_cannot_be_ended(value):
    fault = "has characters that cannot be sent in a header: only ASCII without line breaks can"
    made = operation("/x", parameter("X-A", "header", argument="a"), parameter("X-B", "header", argument="b"))
    assert refused(made, a=value, b=["x", value, "y"] if value.strip(" ") == value else value) == {
        "a": fault,
        "b": fault,
    }


@pytest.mark.parametrize("value", ["a; admin=1", "a b", 'a"', "a\\", "a\r\nb", "é", "a,b"])
def test_cookie_cannot_be_ended(value):
    fault = "has characters that cannot be sent in a cookie, such as a space or one of '\",;\\'"
    assert refused(operation("/x", parameter("a", "cookie", "cookie")), a=value) == {"a": fault}
    _, headers = sent(operation("/x", parameter("a", "cookie")), a=value)
    assert unquote(headers["Cookie"]) == f"a={value}"
    assert not set(headers["Cookie"]) & set('; ",\\\r\n')


@pytest.mark.parametrize(
    "name",
    ["Host", "host", "Content-Length", "Transfer-Encoding", "Connection", "Authorization", "Accept", "Cookie", "a b"],
)
def test_headers_that_belong_to_the_client_are_never_taken_from_arguments(name):
    url, headers = sent(operation("/x", parameter(name, "header", argument="a")), a="evil.example")
    assert (url, headers) == ("/x", {})


def test_key_of_an_argument_cannot_be_another_parameter_or_pair():
    made = operation("/x?fixed=1", parameter("q"), parameter("admin"))
    assert refused(made, q={"admin": "1"}) == {"q": "must not have the member 'admin', which is another parameter"}
    assert sent(made, q={"a\r\nX: y": "b\r\nc", "d&admin=1#": "e"})[0] == (
        "/x?fixed=1&a%0D%0AX%3A%20y=b%0D%0Ac&d%26admin%3D1%23=e"
    )
    deep = operation("/x", parameter("q", style="deepObject", explode=True))
    fault = "has the member 'a][b', whose brackets would be read as a path"
    assert refused(deep, q={"a][b": 1}) == {"q": fault}


def test_key_of_an_argument_cannot_be_a_credential():
    made = operation("/x", parameter("q"), parameter("api_key"), parameter("X-Key", "header"))
    withheld = {Part("query", "api_key", "").key, Part("header", "X-KEY", "").key}
    assert make_request(made, {"api_key": "mine", "X-Key": "mine"}, BASE, withheld).url == f"{BASE}/x"
    with pytest.raises(ToolArgumentsError) as raised:
        make_request(made, {"q": {"api_key": "mine"}}, BASE, withheld)
    assert raised.value.faults == {"q": "must not have the member 'api_key', which is another parameter"}


def test_lone_surrogate_is_refused_in_every_place():
    places = ["path", "query", "cookie"]
    made = operation("/{path}", *(parameter(place, place) for place in places))
    fault = "has half of a character (a lone surrogate) at 1"
    assert refused(made, **dict.fromkeys(places, "a\ud800")) == dict.fromkeys(places, fault)


def test_all_wrong_arguments_are_listed_at_once():
    made = operation("/{id}", parameter("id", "path"), parameter("X-A", "header", argument="a"))
    with pytest.raises(ToolArgumentsError) as raised:
        make_request(made, {"id": "..", "a": "\n"}, BASE)
    fault = "has characters that cannot be sent in a header: only ASCII without line breaks can"
    assert str(raised.value) == f"Invalid parameter 'id': it {CLIMBING}; Invalid parameter 'a': it {fault}"


def test_too_long_a_url_is_refused():
    message = refused(operation("/x", parameter("q")), q="x" * 9_000)
    assert message == "The arguments cannot be sent: the URL is too long: 9027 characters, at most 8000"


@pytest.mark.parametrize("path", ["@evil.example/x", ".evil.example/x", ":80/x", "x", "", "\\x"])
def test_template_that_does_not_begin_with_a_slash_is_refused(path):
    with pytest.raises(ConfigurationError) as raised:
        make_request(operation(path), {}, "https://api.example")
    assert str(raised.value) == f"the path '{path}' of the document has no '/' at its beginning"


@pytest.mark.parametrize("path", ["/../admin", "/a/%2e%2e/b", "/..;/b", "/\\..\\b", "/./"])
def test_template_that_climbs_is_refused(path):
    message = f"The arguments cannot be sent: they lead to an address that is not below {BASE}"
    assert refused(operation(path)) == message


def test_placeholder_without_a_parameter_is_an_error_of_the_document():
    with pytest.raises(ConfigurationError) as raised:
        make_request(operation("/{id}"), {}, BASE)
    assert str(raised.value) == "the path '/{id}' of the document has 'id', which is not a parameter of it"


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "GET /", "G\r\nX: y"])
def test_method_that_is_no_request_is_refused(method):
    with pytest.raises(ConfigurationError) as raised:
        make_request(operation(method=method), {}, BASE)
    assert str(raised.value) == f"the method '{method}' of 'op' cannot be sent"


@pytest.mark.parametrize("path", ["//evil.example/x", "/ä b\r\n", "/a\\b", "/@evil.example", "/x:80"])
def test_template_stays_on_the_host(path):
    url = make_request(operation(path), {}, "https://api.example").url
    assert url.startswith("https://api.example/")
    assert url.isascii()
    assert url.isprintable()


# ---------------------------------------------------------------------------------------------------------- properties


def tried(made, base=BASE, **arguments):
    """Return the request, and the names of the arguments that cannot be sent."""
    try:
        return make_request(made, arguments, base), set()
    except ToolArgumentsError as error:
        return None, {*error.faults}


def is_text_of(value, text):
    """Return whether a text is a value as it is sent."""
    return text == (
        value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else f"{value!r}"
    )


@given(VALUES, VALUES, st.sampled_from(["", "/v1", "/a%20b/c"]))
def test_any_values_of_a_path_are_below_the_base_and_read_back(first, second, prefix):
    base = f"https://api.example{prefix}"
    made = operation("/x/{a}/y-{b}.json", parameter("a", "path"), parameter("b", "path"))
    request, faults = tried(made, base, a=first, b=second)
    if request is None:
        assert faults <= {"a", "b"}
        return
    url = request.url
    assert url.startswith(f"{base}/x/")
    _, x, a, b = url.removeprefix(base).split("/")
    assert x == "x"
    assert is_text_of(first, unquote(a))
    assert is_text_of(second, unquote(b).removeprefix("y-").removesuffix(".json"))


@given(st.lists(VALUES, max_size=4), st.dictionaries(TEXTS, VALUES, max_size=3), VALUES)
def test_any_values_of_a_query_are_read_back(items, members, value):
    made = operation("/x", parameter("list"), parameter("map", style="deepObject", explode=True), parameter("one"))
    request, faults = tried(made, list=items, map=members, one=value)
    if request is None:
        assert faults == {"map"}
        assert any("[" in name or "]" in name for name in members)
        return
    url = request.url
    address, _, query = url.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    expected = [
        *(("list", one) for one in items),
        *((f"map[{name}]", one) for name, one in members.items()),
        ("one", value),
    ]
    assert (address, [name for name, _ in pairs]) == (f"{BASE}/x", [name for name, _ in expected])
    assert all(is_text_of(one, text) for (_, text), (_, one) in zip(pairs, expected, strict=True))


@given(
    st.lists(VALUES, min_size=1, max_size=4),
    st.sampled_from([("form", ","), ("spaceDelimited", "%20"), ("pipeDelimited", "%7C")]),
)
def test_any_items_of_one_pair_are_read_back(items, style):
    name, separator = style
    request, _ = tried(operation("/x", parameter("q", style=name, explode=False)), q=items)
    if request is None:
        assert any(unquote(separator) in one for one in items if isinstance(one, str))
        return
    url = request.url
    parts = [unquote(part) for part in url.removeprefix(f"{BASE}/x?q=").split(separator)]
    assert len(parts) == len(items)
    assert all(is_text_of(one, text) for one, text in zip(items, parts, strict=True))


@given(st.sampled_from(["simple", "label", "matrix"]), st.booleans(), st.lists(VALUES, min_size=1, max_size=3))
def test_any_items_of_a_path_are_read_back(style, explode, items):
    made = operation("/x/{p}", parameter("p", "path", style, explode=explode))
    request, faults = tried(made, p=items)
    if request is None:
        assert faults == {"p"}
        return
    url = request.url
    part = url.removeprefix(f"{BASE}/x/")
    assert "/" not in part
    before, between = {"simple": ("", ","), "label": (".", "."), "matrix": (";", ";")}[style]
    texts = part.removeprefix(before).split(between if explode else ",")
    if style == "matrix":
        texts = [text.removeprefix("p").removeprefix("=") for text in texts] if explode else [texts[0][2:], *texts[1:]]
    assert all(is_text_of(one, unquote(text)) for one, text in zip(items, texts, strict=True))


@given(VALUES)
def test_any_value_of_a_header_is_sent_as_it_is_or_refused(value):
    made = operation("/x", parameter("X-A", "header", argument="a"))
    request, faults = tried(made, a=value)
    if request is None:
        assert faults == {"a"}
        assert not value.isascii() or not value.isprintable() or value != value.strip()
        return
    headers = request.headers
    assert is_text_of(value, headers["X-A"])
