"""The tool `web_scrape` reads pages of the public web, and nothing inside."""

import inspect
import time

import pytest

from tests.installers import INSTALL
from toolkit.builtin import WebScrape, ready_tools
from toolkit.builtin.web.page_reader import read_page  # private
from toolkit.errors import ConfigurationError

PAGE = """<!DOCTYPE html>
<html><head><title>The  Sea
  &amp; its Birds</title><style>p {color: red}</style></head><body>
<header><h1>Site</h1></header><nav><a href="/home">Home</a> <a href="/news">News</a></nav>
<h1>Birds</h1>
<p>Gulls are <b>loud</b>, tern<i>s</i> are not.<br>See <a href="terns.html#top">terns</a>&nbsp;and <a
href="https://other.example/?a=1&amp;b=2">more</a>.</p>
<script>track("everybody")</script><p hidden>hidden</p><svg><text>drawn</text></svg><template>later</template>
<ul><li>gull</li><li>tern<ol><li>arctic</li><li>common</li></ol></li></ul>
<table><tr><th>bird</th><th>noise</th></tr><tr><td>gull</td><td>much|always</td></tr></table>
<blockquote><p>Kyow!</p></blockquote><pre><code>if gull:
    cover(ears)
</code></pre>
<img src="gull.png" alt="a gull"><hr><noscript>enable scripts</noscript><textarea>typed</textarea><aside>an aside</aside>
<a href="javascript:alert(1)">no</a><a href="mailto:a@b.example">mail</a><footer>© Site</footer></body></html>"""
TEXT = (
    "Birds Gulls are loud, terns are not. See terns and more. gull tern arctic common bird noise gull much|always "
    "Kyow! if gull: cover(ears) enable scripts typed an aside nomail"
)
MARKDOWN = """# The Sea & its Birds

# Birds

Gulls are **loud**, tern*s* are not. See [terns](http://127.0.0.1:PORT/sea/terns.html) and \
[more](https://other.example/?a=1&b=2).

- gull
- tern
  1. arctic
  2. common

| bird | noise |
| --- | --- |
| gull | much\\|always |

> Kyow!

```
if gull:
    cover(ears)
```

[image: a gull]

---

enable scripts

typed

an aside

nomail"""


def scrape(server, path="/", url=None, options=None, **arguments):
    """Scrape a page of a server that the user trusts."""
    tool = WebScrape(private_hosts=[f"127.0.0.1:{server.port}"], **(options or {}))
    return tool.run({"url": url or server.url(path), **arguments})


@pytest.fixture
def page(serve, respond):
    """Return what serves one page and scrapes it."""

    def scraping(html, content_type="text/html; charset=utf-8", options=None, **arguments):
        return scrape(serve(respond(html, Content_Type=content_type)), options=options, **arguments)

    return scraping


def test_the_words_of_a_page_are_the_output(page):
    result = page(PAGE)
    assert (result.error, result.output) == (None, TEXT)


def test_programs_get_the_rest(serve, respond):
    server = serve(respond(PAGE, Content_Type="text/html"))
    result = scrape(server, "/sea/birds.html")
    assert result.structured == {
        "url": server.url("/sea/birds.html"),
        "title": "The Sea & its Birds",
        "text": TEXT,
        "links": [
            {"url": server.url("/sea/terns.html"), "text": "terns"},
            {"url": "https://other.example/?a=1&b=2", "text": "more"},
            {"url": server.url("/home"), "text": "Home"},
            {"url": server.url("/news"), "text": "News"},
        ],
        "truncated": False,
    }


@pytest.mark.proof
def test_markdown_keeps_the_structure(serve, respond):
    server = serve(respond(PAGE, Content_Type="text/html"))
    result = scrape(server, "/sea/birds.html", format="markdown")
    assert result.output.replace(str(server.port), "PORT") == MARKDOWN.removeprefix("# The Sea & its Birds\n\n")


def test_markdown_has_the_title_where_the_page_has_no_heading(page):
    html = "<title>Tides</title><p>High at noon.</p>"
    assert page(html, format="markdown").output == "# Tides\n\nHigh at noon."


@pytest.mark.proof
def test_links_are_listed_on_request(serve, respond):
    html = '<base href="/docs/"><a href="a">A  one</a> <a href="a#b">again</a><a href="//x.example/"></a><a href="http://[">'
    server = serve(respond(html, Content_Type="text/html"))
    assert scrape(server, links=True).output == (
        f"A one again\n\nLinks:\n- A one: {server.url('/docs/a')}\n- …: http://x.example/"
    )


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/html; charset=iso-8859-1", "<p>café €".encode("cp1252"), "café €"),
        ("text/html", '<meta charset="windows-1251"><p>чайка'.encode("cp1251"), "чайка"),
        (
            "text/html",
            b'<meta http-equiv=content-type content="text/html; charset=shift_jis">' + "鴎".encode("shift_jis"),
            "鴎",
        ),
        ("text/html; charset=utf-8", '<meta charset="latin1"><p>é'.encode(), "é"),
        ("text/html; charset=latin1", "\ufeff<p>é".encode(), "é"),
        ("text/html", "\ufeff<p>é".encode("utf-16-le"), "é"),
        ("text/html; charset=nonsense", "<p>é".encode(), "é"),
        ("text/html; charset=unicode_escape", b"<p>\\x41", "\\x41"),
        ("application/xhtml+xml", b"<html><body><p>x</p></body></html>", "x"),
        ("", b"  <!DOCTYPE html><p>x", "x"),
        ("", b"a < b", "a < b"),
        ("text/plain", b"<p>as it\r\n  stands</p>\x1b[31m\x07", "<p>as it\n  stands</p>[31m"),
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("application/ld+json", b"[]", "[]"),
    ],
)
def test_what_is_text_is_read_in_its_charset(page, content_type, body, text):
    assert page(body, content_type).output == text


@pytest.mark.parametrize(
    ("content_type", "body", "said"),
    [
        ("image/png", b"\x89PNG", "image/png"),
        ("application/pdf", b"%PDF-1.7", "application/pdf"),
        ("application/octet-stream", b"x", "application/octet-stream"),
        ("text/html", b"\x89PNG\r\n\x1a\n\0\0\0", "text/html"),
        ("", b"\x7fELF\0\0", "of unknown type"),
    ],
)
def test_what_is_no_text_is_refused(serve, respond, content_type, body, said):
    server = serve(respond(body, Content_Type=content_type))
    assert scrape(server).error == f"Failed to fetch URL: {server.url()} is not text ({said})"


@pytest.mark.parametrize(("limit", "output"), [(5, "12345"), (4, "1234 [truncated at 4 chars]")])
@pytest.mark.parametrize("content_type", ["text/html", "text/plain"])
def test_long_text_is_cut_where_it_says(page, content_type, limit, output):
    result = page("12345", content_type, options={"max_characters": limit})
    assert (result.output, result.structured["truncated"]) == (output, limit == 4)


def test_a_large_page_is_read_as_far_as_it_may_be(page):
    result = page("<p>x</p>" * 1000, options={"max_bytes": 80})
    assert result.output == f"{' '.join('x' * 10)} [truncated at 19 chars]"


@pytest.mark.parametrize("url", ["", "  "])
def test_a_blank_url_is_refused(url):
    result = WebScrape().run({"url": url})
    assert (result.error, result.error_code) == ("URL must not be blank", "invalid_arguments")


@pytest.mark.parametrize("status", ["404 Not Found", "500 Oops", "304 Not Modified"])
def test_other_statuses_are_failures(serve, respond, status):
    server = serve(respond("never shown", status))
    result = scrape(server)
    assert (result.error, result.error_code) == (
        f"Failed to fetch URL: HTTP {status[:3]} from {server.url()}",
        int(status[:3]),
    )


def test_redirects_are_followed_and_links_are_relative_to_their_end(serve, respond):
    def answering(asked):
        if asked.target == "/old":
            yield respond("", "301 Moved", Location="/new/place")
        else:
            yield respond('<a href="x">y</a>', Content_Type="text/html")

    server = serve(answering)
    result = scrape(server, "/old")
    assert result.structured["url"] == server.url("/new/place")
    assert result.structured["links"] == [{"url": server.url("/new/x"), "text": "y"}]


# What it may reach

INSIDE = [
    "http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://127.1:{port}/", "http://2130706433:{port}/",
    "http://0x7f000001:{port}/", "http://017700000001:{port}/", "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/", "http://[64:ff9b::7f00:1]:{port}/", "http://[2002:7f00:1::]:{port}/",
    "http://[::1]:{port}/", "http://0:{port}/", "http://0.0.0.0:{port}/", "http://[::]:{port}/",
    "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/latest/meta-data/", "http://192.168.0.1/",
    "http://10.0.0.1:22/", "http://rebound.example:{port}/", "http://user@127.0.0.1:{port}/", "file:///etc/passwd",
    "http://127.0.0.1:{port}\\@shop.example/", "http://shop.example\\@127.0.0.1:{port}/", "ftp://127.0.0.1/", "gopher://127.0.0.1:{port}/_GET",
]  # fmt: skip


@pytest.mark.proof
def test_nothing_inside_is_reached_by_any_spelling_or_redirect(serve, respond):
    inside = serve(respond("<p>secret", Content_Type="text/html"))
    tool = WebScrape(resolve=lambda host, _: ["127.0.0.1"], timeout=5)
    for template in INSIDE:
        url = template.format(port=inside.port)
        direct = tool.run({"url": url})
        assert not direct.succeeded, url
        outside = serve(respond("", "302 Found", Location=url))
        trusting = WebScrape(
            private_hosts=[f"gate.example:{outside.port}"], resolve=lambda *_: ["127.0.0.1"], timeout=5
        )
        assert not trusting.run({"url": outside.url(host="gate.example")}).succeeded, url
        assert len(outside.requests) == 1
    print(f"\nweb_scrape: {len(inside.requests)} of {2 * len(INSIDE)} tries reach inside")  # noqa: T201
    assert inside.requests == []


def test_a_refusal_says_why_but_not_which_address_is_inside(serve, respond):
    tool = WebScrape(resolve=lambda *_: ["10.20.30.40"])
    result = tool.run({"url": "http://intranet.example/"})
    assert result.error == "Failed to fetch URL: refused: intranet.example leads to a private address"
    assert result.error_code == "access_denied"


@pytest.mark.parametrize(
    ("host", "is_allowed"),
    [("docs.example", True), ("a.docs.example", False), ("x.wiki.example", True), ("wiki.example", False), ("evil.example", False), ("docs.example.evil.example", False), ("evilwiki.example", False)],
)  # fmt: skip
def test_only_the_given_hosts_are_reached(serve, respond, host, is_allowed):
    server = serve(respond("there", Content_Type="text/plain"))
    hosts = ["docs.example", "*.wiki.example"]
    tool = WebScrape(hosts=hosts, private_hosts=[f"{host}:{server.port}"], resolve=lambda *_: ["127.0.0.1"])
    expected = "there" if is_allowed else (
        f"Error: Failed to fetch URL: refused: {host} is not one of the allowed hosts"
    )  # fmt: skip
    assert tool.run({"url": server.url(host=host)}).text == expected


def test_a_redirect_leads_to_the_given_hosts_alone(serve, respond):
    elsewhere = serve(respond("there"))
    server = serve(respond("", "302 Found", Location=elsewhere.url(host="evil.example")))
    trusted = [f"docs.example:{server.port}", f"evil.example:{elsewhere.port}"]
    tool = WebScrape(hosts=["docs.example"], private_hosts=trusted, resolve=lambda *_: ["127.0.0.1"])
    assert tool.run({"url": server.url(host="docs.example")}).error_code == "access_denied"
    assert elsewhere.requests == []


def test_its_marks_ask_where_a_model_chooses_the_host():
    spec = WebScrape().spec
    assert (spec.read_only, spec.destructive, spec.idempotent, spec.open_world) == (None, False, True, True)
    assert WebScrape(hosts=["docs.example"]).spec.read_only is True


# Bad pages

HOSTILE = {
    "deep": "<div>" * 400_000,
    "attributes": f"<p {' '.join(f'a{number}' for number in range(500_000))}>x",
    "misnested": "<a><b>" * 400_000,
    "tables": "<table><tr><td>" * 150_000,
    "formatting": "<b><i><u>" * 300_000 + "<p>" * 300_000,
    "lists": "<ul><li>" * 400_000,
}


EVERYDAY = {("deep", "markdown")}


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        pytest.param(html, kind, id=f"{kind}-{name}", marks=[] if (name, kind) in EVERYDAY else pytest.mark.proof)
        for kind in ("text", "markdown")
        for name, html in HOSTILE.items()
    ],
)
def test_a_page_that_keeps_its_reader_busy_is_given_up_in_time(page, html, kind):
    started = time.monotonic()
    result = page(html, options={"timeout": 1.5}, format=kind)
    print(f"\nweb_scrape: {time.monotonic() - started:.1f} s of 1.5 s, then: {result.text[:60]!r}")  # noqa: T201
    assert result.succeeded or (result.error, result.error_code) == (
        "Failed to fetch URL: the page was not read within 1.5s",
        "timeout",
    )


def test_a_drip_ends_with_the_deadline(serve, respond):
    def dripping(_):
        yield respond("", length=False, Content_Type="text/html")
        while True:
            time.sleep(0.01)
            yield b"x"

    result = scrape(serve(dripping), options={"timeout": 0.3})
    assert (result.error, result.error_code) == ("Failed to fetch URL: no complete answer within 300ms", "timeout")


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("html", ["", "<", "<html", "<frameset><frame src=x>", "<svg><a href=/x>q</a></svg>", "<!--" * 1000, "]]>", "<base href='http://['>", "<p>\ud800".encode("utf-8", "surrogatepass")])  # fmt: skip
def test_any_page_is_read_somehow(page, html):
    assert page(html, links=True).succeeded


def test_the_reader_starts_without_the_library(run_python):
    program = (
        "import sys\nsys.path.insert(0, sys.argv[0])\n"
        "import toolkit.builtin.web.page_reader as reader\n"
        "print(sorted(name for name in sys.modules if name.startswith('toolkit.') and name.count('.') > 1))"
    )
    modules = ["toolkit.builtin.web", "toolkit.builtin.web.page_reader"]
    assert run_python(program) == f"{modules}\n"


# The article alone


@pytest.mark.proof
def test_the_article_alone(page):
    paragraph = "The tern flies from pole to pole and back each year, further than any other bird that we know of. "
    html = (
        "<html><head><title>Terns</title></head><body><div class='menu'><ul><li><a href='/a'>Buy a hat</a></li></ul></div>"
        f"<article><h1>Terns</h1><p>{paragraph * 3}</p><p>{paragraph * 2}</p></article>"
        "<div class='sidebar'>Subscribe to our letter</div></body></html>"
    )
    whole, article = page(html).output, page(html, options={"extractor": "article"}).output
    assert "Buy a hat" in whole
    assert "Subscribe" in whole
    assert article == plain(f"Terns {paragraph * 5}")


def plain(text):
    """Return text in one line."""
    return " ".join(text.split())


def test_a_page_without_an_article_is_read_whole(page):
    assert page("<p>Hi</p>", options={"extractor": "article"}).output == "Hi"


# Settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_characters": 0}, "'max_characters' must be above zero"),
        ({"timeout": -1.0}, "'timeout' must be above zero"),
        ({"max_bytes": 0}, "'max_bytes' must be above zero"),
        ({"extractor": "best"}, "'extractor' must be 'page' or 'article', not 'best'"),
    ],
)
def test_wrong_settings_are_refused_when_it_is_made(options, message):
    with pytest.raises(ConfigurationError) as raised:
        WebScrape(**options)
    assert [problem.message for problem in raised.value.problems] == [message]


def test_it_is_built_of_a_configuration(tmp_path, serve, respond):
    server = serve(respond("123456", Content_Type="text/plain"))
    options = {"max_characters": 3, "timeout": "5s", "private_hosts": [f"127.0.0.1:{server.port}"], "extractor": "page"}
    assert (
        ready_tools()["web_scrape"].build(tmp_path, options).run({"url": server.url()}).output
        == "123 [truncated at 3 chars]"
    )
    with pytest.raises(ConfigurationError) as raised:
        ready_tools()["web_scrape"].build(tmp_path, {"extractor": "best", "host": ["x"]})
    assert [(problem.message, problem.hint) for problem in raised.value.problems] == [
        ("'extractor' must be 'page' or 'article'", "write extractor = 'page'"),
        ("unknown option 'host'", "did you mean 'hosts'?"),
    ]


@pytest.mark.proof
@pytest.mark.parametrize(
    ("missing", "options", "requirement"),
    [
        (["httpx2"], "", "'toolkit-cli[tools]'"),
        (["httpx2", "selectolax"], "", "'toolkit-cli[tools]'"),
        (["trafilatura"], "extractor='article'", "'toolkit-cli[tools-extract]'"),
    ],
)
def test_a_missing_extra_is_one_line(run_python, missing, options, requirement):
    program = (
        f"import sys\nfor name in {missing}:\n    sys.modules[name] = None\n"
        f"from toolkit.builtin import WebScrape\nWebScrape({options}).run({{'url': 'http://x.example'}})\n"
    )
    said = (
        f"toolkit.errors.ConfigurationError: the tool 'web_scrape' needs {requirement}, which is not installed: "
        f"{INSTALL} {requirement}"
    )
    assert run_python(program).splitlines()[-1] == said


def test_the_options_are_those_of_the_class():
    parameters = set(inspect.signature(WebScrape).parameters) - {"resolve"}
    assert {option.name for option in ready_tools()["web_scrape"].options} == parameters


@pytest.mark.proof
def test_a_page_is_read_alike_here_and_apart(page):
    here = read_page(PAGE, "http://127.0.0.1/", most=1000)
    assert (here["text"], here["is_more"]) == (page(PAGE).output, False)
