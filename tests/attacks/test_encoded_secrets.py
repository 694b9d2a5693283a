"""Secrets in every encoding."""

import base64
import csv
import html
import io
import json
import pprint
import re
import reprlib
import shlex
import subprocess
import textwrap
from pathlib import PurePath
from types import MappingProxyType, SimpleNamespace
from urllib.parse import quote, quote_plus, urlencode
from xml.sax import saxutils

import pytest
import yaml
from hypothesis import assume, given, settings, strategies as st
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.markup import escape as escape_markup
from rich.panel import Panel
from rich.text import Text

from tests.volumes import examples
from toolkit.redactors import MASK, Redactor


def as_utf_8(text):
    return text.encode("utf-8", "surrogatepass")


def in_csv(text):
    written = io.StringIO()
    csv.writer(written).writerow([text, "x"])
    return written.getvalue()


def in_yaml(style, width):
    def write(text):
        return yaml.dump({"name": text, "x": 1}, default_style=style, width=width, allow_unicode=style == "'")

    return write


def in_panel(text):
    """Return a text in a frame that is too narrow for it, as rich prints it."""
    written = io.StringIO()
    Console(file=written, width=20, color_system=None).print(Panel(Text(text)))
    return written.getvalue()


def in_colors(text):
    """Return a text as rich prints it to a terminal, with colors for numbers, strings and addresses in it."""
    written = io.StringIO()
    Console(file=written, width=10_000, force_terminal=True, highlight=True).print(text, markup=False)
    return written.getvalue()


def each_character(write):
    return lambda text: "".join(map(write, text))


def utf_16(character):
    return "".join(f"\\u{unit:04x}" for unit in memoryview(character.encode("utf-16-le", "surrogatepass")).cast("H"))


# What common encoders make of a text. docs/security.md lists them.
ENCODERS = {
    "plain text": str,
    "JSON": json.dumps,
    "JSON with all characters": lambda text: json.dumps(text, ensure_ascii=False),
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "JSON in JSON in JSON": lambda text: json.dumps(json.dumps(json.dumps(text))),
    "JSON with escaped slashes": lambda text: json.dumps(text).replace("/", "\\/"),
    "JSON for a script element": lambda text: json.dumps(text).replace("<", "\\u003c").replace("&", "\\u0026"),
    "JSON with indentation": lambda text: json.dumps({"a": [text]}, indent=4),
    "every character as in JSON": each_character(utf_16),
    "repr": repr,
    "repr of a list": lambda text: repr([text, "it's"]),
    "repr of bytes": lambda text: repr(as_utf_8(text)),
    "ascii": ascii,
    "pprint": lambda text: pprint.pformat({"a": text}, width=20),
    "unicode_escape": lambda text: text.encode("unicode_escape").decode(),
    "octal": lambda text: "".join(f"\\{byte:03o}" for byte in as_utf_8(text)),
    "HTML": html.escape,
    "HTML without quotes": lambda text: html.escape(text, quote=False),
    "HTML in HTML": lambda text: html.escape(html.escape(text)),
    "HTML by numbers": each_character(lambda one: f"&#{ord(one)};"),
    "HTML by hexadecimal numbers": each_character(lambda one: f"&#x{ord(one):x};"),
    "HTML as ASCII": lambda text: html.escape(text).encode("ascii", "xmlcharrefreplace").decode(),
    "HTML as templates write it": lambda text: html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
    "XML": lambda text: saxutils.escape(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}),
    "an XML attribute": saxutils.quoteattr,
    "a path of a URL": lambda text: quote(as_utf_8(text)),
    "a part of a URL": lambda text: quote(as_utf_8(text), safe=""),
    "a query of a URL": lambda text: quote_plus(as_utf_8(text)),
    "a form": lambda text: urlencode({"a": as_utf_8(text), "b": "c"}),
    "a query in lower case": lambda text: "".join(f"%{byte:02x}" for byte in as_utf_8(text)),
    "a URL in a URL": lambda text: quote(quote(as_utf_8(text), safe=""), safe=""),
    "JSON in a query": lambda text: quote_plus(json.dumps({"a": text})),
    "JSON in HTML": lambda text: html.escape(json.dumps({"a": text})),
    "a word of a shell": shlex.quote,
    "a command line of Windows": lambda text: subprocess.list2cmdline([text]),
    "CSV": in_csv,
    "SQL": lambda text: "'" + text.replace("'", "''") + "'",
    "YAML": in_yaml(None, 10_000),
    "YAML in double quotes": in_yaml('"', 10_000),
    "folded YAML": in_yaml(None, 20),
    "folded YAML in double quotes": in_yaml('"', 20),
    "folded YAML in single quotes": in_yaml("'", 20),
    "a literal block of YAML": in_yaml("|", 20),
    "a folded block of YAML": in_yaml(">", 20),
    "Markdown": lambda text: "".join(f"\\{one}" if one in r"\`*_{}[]<>()#+-.!|~" else one for one in text),
    "markup of rich": escape_markup,
    "a frame": in_panel,
    "colors": in_colors,
    "wrapped lines": lambda text: "\n".join(textwrap.wrap(text, 12)),
    "indented lines": lambda text: textwrap.indent(text, "    "),
    "base64": lambda text: base64.b64encode(as_utf_8(text)).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(as_utf_8(text)).decode().rstrip("="),
    "base64 in lines": lambda text: base64.encodebytes(b"x" * 40 + as_utf_8(text) + b"y" * 9).decode(),
    "base64 of a user and a password": lambda text: base64.b64encode(b"app:" + as_utf_8(text)).decode(),
    "base64 in a query": lambda text: quote(base64.b64encode(as_utf_8(text))),
    "base64 in lines in JSON": lambda text: json.dumps(base64.encodebytes(b"x" * 50 + as_utf_8(text)).decode()),
    "hexadecimal": lambda text: as_utf_8(text).hex(),
    "hexadecimal in upper case": lambda text: as_utf_8(text).hex().upper(),
    "hexadecimal in groups": lambda text: as_utf_8(text).hex(" ", 2),
}  # fmt: skip

# Encoders that can stand around any other one: they break no lines, which could split an escape.
AROUND = [
    "JSON", "JSON with all characters", "JSON in JSON", "JSON for a script element", "repr", "repr of a list", "ascii",
    "HTML", "HTML as templates write it", "HTML as ASCII", "XML", "an XML attribute", "a part of a URL", "JSON in HTML",
    "a word of a shell", "CSV", "SQL", "Markdown",
]  # fmt: skip

CHOSEN = [
    "correct-horse-battery", "Tr0ub4dor&3", "a\"quoted\" 'secret' value", "back\\slash\\new\\table\\x41", "90% of %41 and %zz5",
    "it's <b>&amp; &#39;</b>", "first line here\nsecond line here\n\tthird one", "sch\u00f6ner Schl\u00fcssel", "\u5bc6\u7801\u5bc6\u94a5\u4e00\u4e8c\u4e09\u56db\u4e94\u516d",
    "emoji \U0001f511 and \U0001f512 1234", "tab\tand\vmore 99", "$(rm -rf) `id` !x {y} [z] 1", "pipe|pipe|pipe 4711",
    "-----BEGIN RSA KEY-----\nMIIEpAIBAAKCAQEAz\nQ0FURVNUMTIzNDU2Nzg5\n-----END RSA KEY-----", "some\x00\x01binary\x7f\x80 value",
    "8314159265358979", "postgres://app:p%40ss%2Fw0rd@db.example/shop", '{"type": "key", "value": "zq-99-zq"}',
    "a+b/c==d+e/f==", "right \u202eto\u202c left 7", "C:\\Users\\name\\token.txt", "zq17''''\"\"\"\"\\\\\\\\ -zq18", "thin\u2009space and 42",
]  # fmt: skip


def secrets_of(characters):
    """Return a strategy for secrets; of quotes and control characters at their ends, an escape might be left over."""
    return (
        st.text(characters, min_size=14, max_size=60)
        .map(lambda text: re.sub(r"^[\W_]+|[\W_]+$", "", text))
        .filter(lambda text: len(set(text)) >= 8 and sum(map(str.isalnum, text)) >= 12)
        .filter(lambda text: text.lower() != "administrator" and "\xa0" not in text)
    )


SECRETS = secrets_of(st.characters())
WORDS = st.sampled_from(["", "it is:", "{'name': [", "100% of\n", "(see 1.2.3)", "<b>", "\\\\n & \u2502"])


def left_of(shown, written):
    """Return the letters and digits of a written secret that a redacted text still shows, apart from what frames it."""
    return (
        "".join(filter(str.isalnum, shown.replace(MASK, "")))
        if MASK in shown
        else "".join(filter(str.isalnum, written))
    )


def frame_of(encoder):
    """Return the letters and digits that an encoder itself adds to any text."""
    return left_of(
        Redactor("zqzq-0123456789-zqzq", by_format=False).text(ENCODERS[encoder]("zqzq-0123456789-zqzq")), ""
    )


def holds(secret, encoder, before="", after=""):
    """Return whether nothing of a secret is left of what an encoder writes, but for the ends that base64 shares."""
    written = ENCODERS[encoder](secret)
    shown = Redactor(secret, by_format=False).text(f"{before}{written}{after}")
    assert shown.startswith(before), shown
    assert shown.endswith(after), shown
    left = left_of(shown[len(before) : len(shown) - len(after)], written)
    allowed = len(frame_of(encoder)) + 6
    return len(left) <= allowed


@pytest.mark.parametrize("encoder", ENCODERS)
def test_encoder_hides_no_secret(encoder, attacks):
    for secret in CHOSEN:
        attacks.count(f"{secret!r} in {encoder}: {ENCODERS[encoder](secret)!r}", held=holds(secret, encoder))


@settings(max_examples=examples(3_000))
@given(SECRETS, st.sampled_from(sorted(ENCODERS)), WORDS, WORDS)
def test_no_encoding_of_a_secret_gets_through(secret, encoder, before, after):
    assert holds(secret, encoder, f"{before} ", f" {after}"), ENCODERS[encoder](secret)


@settings(max_examples=examples(1_000))
@given(SECRETS, st.sampled_from(sorted(ENCODERS)), st.sampled_from(AROUND))
def test_no_encoding_in_an_encoding_gets_through(secret, inner, outer):
    written = ENCODERS[outer](ENCODERS[inner](secret))
    assert MASK in Redactor(secret, by_format=False).text(written), written


def shortened(text):
    """Yield a text as libraries shorten it in messages: its beginning, its end, or both."""
    try:
        TypeAdapter(int).validate_python(text)
    except ValidationError as error:
        yield str(error)
    try:
        TypeAdapter(int).validate_python({"pin": text})
    except ValidationError as error:
        yield str(error)
    yield reprlib.repr(text)
    yield reprlib.repr([f"it is {text}"])
    for dots in ("...", "…", " [...]", "\\u2026", "&hellip;"):
        for size in (5, 8, len(text) // 2, len(text) - 3):
            yield f"{text[:size]}{dots}"
            yield f"{dots}{text[size:]}"
            yield f"'{text[:size]}{dots}{text[-size:]}'"
            yield f"{dots}{text[3:-3]}{dots}"
            yield json.dumps(f"{text[:size]}{dots}{text[-size:]}")


def test_shortened_secret_is_masked_on_both_sides_of_the_ellipsis(attacks):
    words = "input_value type input_type"  # of the message itself
    for secret in [*CHOSEN, "0123456789" * 4 + "ABCDEFGHIJ", "'quoted' " * 9 + '"x" 4711', "ä" * 20 + "öüß-0815-47"]:
        redactor = Redactor(secret, by_format=False)
        parts = {secret[start : start + 6] for start in range(len(secret) - 5)}
        parts = {part for part in parts if len(set(part)) > 3 and part.isalnum() and part not in words}
        for written in shortened(secret):
            shown = redactor.text(written)
            found = [part for part in parts if part in shown]
            attacks.count(f"{written!r} -> {shown!r}: {found}", held=not found)


@given(st.integers(10_000_000, 10**30))
def test_secret_number_is_masked_however_it_is_written(number):
    assume(len(set(str(number))) > 2)  # otherwise it is no secret
    redactor = Redactor(str(number))
    assert redactor.data({"pin": number, "of": [1, 2.5, True, None]}) == {"pin": MASK, "of": [1, 2.5, True, None]}
    for written in (str(number), f"{number:,}", f"{number:_}", f"{number}.0", json.dumps({"pin": number})):
        assert MASK in redactor.text(written)


@settings(max_examples=examples(1_000))
@given(
    st.lists(secrets_of(st.characters(max_codepoint=0x7FF, exclude_categories=["C"])), min_size=1, max_size=3),
    st.sampled_from(sorted(ENCODERS)),
    st.data(),
)
def test_no_encoding_gets_through_in_pieces(secrets, encoder, data):
    text = "".join(f"see {ENCODERS[encoder](secret)} ok\n" for secret in secrets)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    stream = Redactor(*secrets, by_format=False).stream()
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    told = "".join([*map(stream.feed, pieces), stream.end()])
    whole = Redactor(*secrets, by_format=False).text(text)
    # Up to three characters are shown before it is clear that a secret may have begun.
    assert len(left_of(told, text)) <= len(left_of(whole, text)) + 30 * len(secrets), (told, whole)


class Plain(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "data",
    [b"a key: correct-horse-battery", PurePath("/keys/correct-horse-battery"), MappingProxyType({"a": "correct-horse-battery"}),
     {"correct-horse-battery"}, ValueError("correct-horse-battery"), Plain("correct-horse-battery"), {"correct-horse-battery": 1},
     ("a", ["correct-horse-battery"]), SimpleNamespace(key="correct-horse-battery")],
    ids=lambda data: type(data).__name__,
)  # fmt: skip
def test_secret_inside_any_object_is_masked(data):
    shown = Redactor("correct-horse-battery").data({"value": data})
    assert "horse" not in str(shown)
    assert MASK in str(shown)


ORDINARY = [
    "correct horses and batteries", "let me in now", "The red hat is on sale... for ten days", "12:34 5678 901", "a pass word",
    "it's 100% of\nall \\n & more; the end", "red\nhat", '{"admin": true, "id": 12345678}', "C:\\new\\table", "1,234,567 and 7_654",
]  # fmt: skip


def test_ordinary_text_is_masked_by_no_short_or_common_secret():
    redactor = Redactor(
        "letmein", "redhat", "password", "admin", "12345", "345678", "true", "hat", "aaaaaaaa", "admin true"
    )
    assert [redactor.text(text) for text in ORDINARY] == ORDINARY
