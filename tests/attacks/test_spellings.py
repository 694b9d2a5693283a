"""Spellings of denied values, and values that pass for allowed ones.

A rule names a value, and a call spells it otherwise: encoded, with `..`, through a link, in a list. No such call may
pass a rule that denies or asks, nor one that allows everything but the value. The other way round, what a rule allows
must be what every program would make of the value.
"""

import json
import ntpath
import os
import unicodedata
from itertools import product
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from typer.testing import CliRunner

from tests.volumes import examples
from toolkit.approvals import DescribedCall, Risk, load_policy
from toolkit.builtin import WebScrape
from toolkit_cli.main import application

DENIED = "secret/prod.env"
PLACES = {
    # Each names the denied file, and no other one of the folder.
    "plain": json.dumps(DENIED),
    "equals": f"{{equals: {DENIED}}}",
    "one_of": f"{{one_of: [a, {DENIED}]}}",
    "glob": f"{{glob: {DENIED}}}",
    "wide glob": "{glob: 'secret/*'}",
    "globs": "{glob: ['a/*', '*/prod.env']}",
    "absolute glob": "{glob: '{folder}/secret/*'}",
    "prefix": "{prefix: secret/}",
    "absolute prefix": "{prefix: '{folder}/secret/'}",
    "regex": "{regex: 'secret/prod[.]env'}",
    "inside": "{inside: secret}",
    "at": f"{{at: [{DENIED}, a]}}",
    "outside": "{outside: [out, public.txt]}",
    "twice not": f"{{not: {{not: {{glob: {DENIED}}}}}}}",
}
ROLES: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    # A rule of each kind, and whether the call passed it.
    "deny": ("deny: [{tool: t, where: {a: M}}]", {}, ("deny",)),
    "ask": ("ask: [{tool: t, where: {a: M}}]", {}, ("ask",)),
    "allow all but": ("allow: [{tool: t, where: {a: {not: M}}}]", {"destructive": True}, ("ask",)),
    "deny by default": ("default: deny\nallow: [{tool: t, where: {a: {not: M}}}]", {}, ("deny",)),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with a denied file, an allowed folder and links."""
    home = tmp_path / "desk"
    for name in ("secret", "out", "sub"):
        (home / name).mkdir(parents=True)
    (home / "secret" / "prod.env").write_text("KEY=1", "utf-8")
    (home / "out" / "a.md").write_text("a", "utf-8")
    (home / "public.txt").write_text("p", "utf-8")
    (home / "link.env").symlink_to("secret/prod.env")
    (home / "out" / "link.md").symlink_to("../secret/prod.env")
    (home / "out" / "up").symlink_to("..")
    (home / "linked").symlink_to("secret")
    (home / "here").symlink_to(home)
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PLACE", "secret")
    return home


def policy(folder, text, matcher):
    file = folder / "rules.yaml"
    file.write_text(text.replace("M", matcher.replace("{folder}", str(folder)), 1), "utf-8")
    return load_policy(file)


def verdict(rules, value, **marks):
    return rules.judge(DescribedCall(Risk("t", **marks), arguments={"a": value})).action


def encoded(text, signs):
    return "".join(f"%{ord(sign):02x}" if sign in signs else sign for sign in text)


def path_spellings(folder):
    """Yield what programs take for the denied file."""
    name = "prod.env"
    ways = [
        "secret/", "./secret/", "secret/./", "secret//", "sub/../secret/", "sub/.././secret/", "out/../secret/",
        "secret/../secret/", "none/../secret/", ".//sub//..//secret//", f"{folder}/secret/", f"{folder}/out/../secret/",
        f"/{folder}/secret/", "../desk/secret/", "here/secret/", "linked/", "out/up/secret/", "here/here/linked/",
        "/proc/self/cwd/secret/",
    ]  # fmt: skip
    for way in ways:
        path = way + name
        yield path
        for signs in ("/", ".", "./", "../p", "aeiou", path):
            once = encoded(path, signs)
            yield from (once, once.replace("%2e", "%2E"), once.replace("%", "%25"))
            yield once.replace("%", "%2525")
        yield path.replace("/", "\\")
        yield path.replace("/", "%5c")
        yield path.replace("/", "\\", 1)
        yield path + "/"
        yield path + "/."
        yield from (f" {path}", f"{path}\n", f"\t{path} ")
        if "linked" not in way and "here" not in way and "proc" not in way and way[:2] != "//":
            yield path.replace("prod", "PROD")
            yield unicodedata.normalize("NFKC", path.replace("e", "E"))
            yield path.replace("prod", "ｐｒｏｄ").replace("./", "．/")
            yield from (f"{path}.", f"{path}. .", f"{path}::$DATA", f"{path}::$data", f"{path}..")
    yield from ("link.env", "./link.env", "out/link.md", "out/../link.env", "link%2eenv", f"{folder}/link.env")
    yield from (
        "$PLACE/prod.env",
        "${PLACE}/prod.env",
        "~/secret/prod.env",
        "$HOME/secret/prod.env",
        "~/linked/prod.env",
    )
    for place in (f"file://{folder}", f"file:{folder}", f"file://localhost{folder}", f"FILE://{folder}", "file:"):
        yield place + ("/" if place[-1] != ":" else "") + DENIED
    yield from (
        f"file://{folder}/out/../{DENIED}",
        f"file://{folder}/%73ecret/prod%2eenv",
        f"jar:file://{folder}/{DENIED}",
    )
    yield from (f"\\\\?\\{folder}\\secret\\prod.env", f"//?/{folder}/secret/prod.env", f"\\\\.\\{folder}\\{DENIED}")
    yield from (f"C:{DENIED}", "secret\\prod.env::$DATA", "Secret\\PROD.ENV.")


def wrapped(text):
    """Yield a value, and lists with it."""
    yield from (text, [text], ["out/a.md", text], [text, "out/a.md"], [["out/a.md"], [text]])


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("matcher", PLACES)
def test_no_spelling_of_a_denied_path_passes(folder, attacks, some_of, matcher, role):
    text, marks, held = ROLES[role]
    rules = policy(folder, text, PLACES[matcher])
    assert verdict(rules, "public.txt", **marks) == "allow"
    assert verdict(rules, ["public.txt", "out/a.md"], **marks) == "allow"
    for path in some_of(dict.fromkeys(path_spellings(folder))):
        attacks.count(f"{role} {matcher}: {path!r}", held=verdict(rules, path, **marks) in held)
    for value in wrapped(DENIED):
        attacks.count(f"{role} {matcher}: {value!r}", held=verdict(rules, value, **marks) in held)


ALLOWING = {
    "glob": "{glob: 'out/*'}",
    "prefix": "{prefix: out/}",
    "regex": "{regex: 'out/.*'}",
    "inside": "{inside: out}",
    "not outside": "{not: {outside: out}}",
    "schema": "{schema: {type: string, pattern: '^out/'}}",
    "schema of a list": "{schema: {type: array, items: {pattern: '^out/'}}}",
}


def values_that_leave(folder):
    """Yield values that begin as those of the folder `out` do, and lead out of it for some program."""
    ups = ["..", "%2e%2e", ".%2e", "%252e%252e", "%25252e%25252e", "%2525252525252e.", "．．", "‥", "%u002e%u002e"]
    for up, slash in product(ups, ["/", "\\", "%2f", "%5c", "%252f", "//", "/./", "%u002f"]):
        yield f"out{slash}{up}{slash}secret{slash}prod.env"
        yield f"out/{up}{slash}public.txt"
        yield f"out/a{slash}{up}{slash}{up}{slash}public.txt"
        yield f"out/a?q={slash}{up}{slash}{up}{slash}{up}{slash}public.txt"
    yield from ("out/link.md", "out/up/public.txt", "out/./link.md", "out/up/secret/prod.env", "out/up", "out/up/")
    yield from (f"out/../..{folder}/public.txt", "out/../out/../public.txt", "out/a/../../public.txt ", "out/..")


@pytest.mark.parametrize("role", ["allow", "deny all but", "ask all but"])
@pytest.mark.parametrize("matcher", ALLOWING)
def test_no_other_value_passes_for_an_allowed_one(folder, attacks, some_of, matcher, role):
    written = {"allow": "allow: [{tool: t, where: {a: M}}]"}.get(
        role, f"{role.partition(' ')[0]}: [{{tool: t, where: {{a: {{not: M}}}}}}]"
    )
    rules = policy(folder, written, ALLOWING[matcher])
    marks = {"destructive": True} if role == "allow" else {}
    is_list = matcher == "schema of a list"
    for value in ("out/a.md", "out/b/c.md", "out/a b.md", "out/A.md", "out/new.md"):
        assert verdict(rules, [value] if is_list else value, **marks) == "allow"
    for value in some_of(values_that_leave(folder)):
        if matcher.startswith("schema") and any(sign in value for sign in ("link", "up", "‥", "．")):
            continue  # a schema is about the text alone, as far as it can be decoded
        for one in [[value], ["out/a.md", value]] if is_list else [value, [value], ["out/a.md", value]]:
            attacks.count(f"{role} {matcher}: {one!r}", held=verdict(rules, one, **marks) != "allow")


EVIL = "https://evil.example/pay"
ADDRESSES = [
    "evil.example", "EVIL.example", "evil.example.", "evil.example:443", "evil.example:0443", "evil.example:",
    "user@evil.example", "user:word@evil.example", "good.example@evil.example", "ｅｖｉｌ.example", "evil。example",
    "evil．example", "Evil.Example.:443", "ⓔvil.example", "evil.exam\u00adple", "%65vil.example", "evil%2eexample",
]  # fmt: skip
PAGES = {
    "plain": EVIL,
    "one_of": f"{{one_of: [a, '{EVIL}']}}",
    "glob": "{glob: 'https://evil.example/*'}",
    "wide glob": "{glob: '*://evil.example/*'}",
    "exact glob": f"{{glob: '{EVIL}'}}",
    "prefix": "{prefix: 'https://evil.example/'}",
    "host": "{host: evil.example}",
    "hosts": "{host: [good.example, '*.example']}",
    "regex": "{regex: 'https://evil[.]example/.*'}",
}


def url_spellings():
    """Yield what programs take for the denied page."""
    for scheme, address in product(["https://", "HTTPS://", "https:/", "https:///", "https:\\\\", "https:"], ADDRESSES):
        for page in ("/pay", "/./pay", "/a/../pay", "//pay", "/%70ay", "\\pay", "/a/%2e%2e/pay", "/a%2f..%2fpay"):
            yield f"{scheme}{address}{page}"
    yield from (f" {EVIL}", f"{EVIL}\n", f"\t{EVIL}", "https://evil.example/a\\..\\pay")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("matcher", PAGES)
def test_no_spelling_of_a_denied_page_passes(folder, attacks, some_of, matcher, role):
    text, marks, held = ROLES[role]
    rules = policy(folder, text, PAGES[matcher])
    assert verdict(rules, "https://docs.python.org/3/?q=a%20b", **marks) == "allow"
    for url in some_of(url_spellings()):
        attacks.count(f"{role} {matcher}: {url!r}", held=verdict(rules, url, **marks) in held)


LOOPBACK = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "0x7F.0x0.0x0.0x1",
    "127.0.0.1.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:7F00:0001]", "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "localhost",
    "LOCALHOST", "localhost.", "a.localhost", "0.0.0", "0", "[::]", "[::1]", "[0:0::1]", "127.0.0.2", "[::1%25lo]",
]  # fmt: skip
NAMES = [
    ("faß.de", "xn--fa-hia.de"), ("faß.de", "faß.de"), ("fass.de", "faß.de"), ("fass.de", "FASS.de"), ("faß.de", "FAẞ.de"),
    ("bücher.example", "xn--bcher-kva.example"), ("bücher.example", "BÜCHER.example"), ("xn--bcher-kva.example", "bücher.example"),
    ("bücher.example", "bu\u0308cher.example"), ("*.bücher.example", "a.bücher.example"), ("*.xn--bcher-kva.example", "a.bücher.example"),
    ("βόλος.com", "xn--nxasmm1c.com"), ("βολοσ.com", "βολος.com"), ("βολος.com", "βολος.com"), ("نامهای.com", "نامه‌ای.com"),
    ("8.0.0.1", "010.0.0.1"), ("10.0.0.1", "010.0.0.1"), ("[fe80::1]", "[fe80::1%25eth0]"), ("[2001:db8::1]", "[2001:DB8:0::0:1]"),
    ("10.1.2.3", "[::ffff:10.1.2.3]"), ("[::ffff:10.1.2.3]", "10.1.2.3"), ("[::ffff:10.1.2.3]", "167838211"),
]  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
def test_no_spelling_of_a_denied_host_passes(folder, attacks, role):
    text, marks, held = ROLES[role]
    machine = ["127.0.0.1", "127.1", "[::ffff:7f00:1]", "localhost", "[::1]"]
    for host, spelled in [*product(machine, LOOPBACK), *NAMES]:
        rules = policy(folder, text, f"{{host: '{host}'}}")
        assert verdict(rules, "https://8.8.8.8/", **marks) == "allow"
        for url in (f"http://{spelled}/", f"http://{spelled}:8080/x", f"ftp://{spelled}", f"http://u@{spelled}/"):
            attacks.count(f"{role} {host}: {url}", held=verdict(rules, url, **marks) in held)


OTHERS = [
    ("fass.de", "faß.de"), ("faß.de", "fass.de"), ("faß.de", "faß.de"), ("xn--fa-hia.de", "faß.de"), ("βολος.com", "βολοσ.com"),
    ("8.0.0.1", "010.0.0.1"), ("10.0.0.1", "010.0.0.1"), ("127.0.0.1", "localhost"), ("localhost", "127.0.0.1"),
    ("a.example", "a.example.evil.test"), ("a.example", "a.example@evil.test"), ("a.example", "evil.test#a.example"),
    ("a.example", "evil.test\\@a.example"), ("a.example", "a.example%2eevil.test"), ("a.example", "a.example%00.evil.test"),
    ("*.a.example", "a.example"), ("*.a.example", "evila.example"), ("a.example", "a.example。evil.test"),
    ("a.example", "а.example"), ("*.a.example", "evil.test/.a.example"), ("*.a.example", "evil.test?.a.example"),
    ("*.a.example", "evil.test\t.a.example"), ("127.0.0.1", "[64:ff9b::127.0.0.1]"), ("[64:ff9b::7f00:1]", "127.0.0.1"),
]  # fmt: skip


def test_no_other_host_passes_for_an_allowed_one(folder, attacks):
    for host, spelled in OTHERS:
        url = f"http://{spelled}/"
        for matcher in (f"{{host: '{host}'}}", f"{{glob: 'http://{host.replace('[', '[[]')}/*'}}"):
            if "glob" in matcher and host == spelled:
                continue  # for text, it is the same
            allowing = policy(folder, "allow: [{tool: t, where: {a: M}}]", matcher)
            attacks.count(f"allow {matcher}: {url}", held=verdict(allowing, url, destructive=True) != "allow")
            excepting = policy(folder, "deny: [{tool: t, where: {a: {not: M}}}]", matcher)
            attacks.count(f"deny all but {matcher}: {url}", held=verdict(excepting, url) == "deny")


MEMBERS: list[tuple[str, str, dict[str, Any]]] = [
    # The name of an argument, a condition on it, and arguments that mean what it says.
    ("o.p", "x", {"o": {"p": "x"}}), ("o.p", "x", {"o": [{"p": "x"}]}), ("o.p", "x", {"o": [{"p": "y"}, {"p": "x"}]}),
    ("o.p", "x", {"o": [[{"p": "x"}], {"p": "y"}]}), ("o.p", "x", {"o": [{}, {"p": ["x"]}]}), ("o.p", "x", {"o.p": "x"}),
    ("o.p", "x", {"o.p": "y", "o": {"p": "x"}}), ("o.p", "x", {"o.p": "x", "o": {"p": "y"}}),
    ("o.p.q", "x", {"o": {"p.q": "x"}}), ("o.p.q", "x", {"o.p": {"q": "x"}, "o": {"p": {"q": "y"}}}),
    ("o.p.q", "x", {"o": [{"p": [{"q": "x"}]}]}), ("o.p", "x", {"o": '{"p": "x"}'}), ("o.p", "x", {"o": '[{"p": "x"}]'}),
    ("o.p", "x", {"o": ["p: x"]}), ("o.p", "x", {"o": {"P": "x"}}), ("o.p", "x", {"o": {"p": "y", "P": "x"}}), ("o.p", "x", {"O": {"p": "x"}}), ("o.p", "{inside: secret}", {"o": [{"p": "out/a"}, {"p": "secret/a"}]}),
    ("o.p", "{glob: 's*'}", {"o": ({"p": "s"},)}), ("o.p", "{outside: out}", {"o": [{"p": "out/a"}, {"p": "b"}]}),
    ("o.p", "{host: a.example}", {"o": [{"p": "http://a.example"}]}), ("o", "{host: a.example}", {"o": {"p": "http://a.example"}}),
    ("o", "5", {"o": "5"}), ("o", "5", {"o": "5.0"}), ("o", "5", {"o": " 5"}), ("o", "5", {"o": [5]}), ("o", "5", {"o": ["5", 6]}),
    ("o", "1000", {"o": "1e3"}), ("o", "1000", {"o": "1_000"}), ("o", "'5'", {"o": 5}), ("o", "'5'", {"o": 5.0}),
    ("o", "true", {"o": "true"}), ("o", "true", {"o": "True"}), ("o", "true", {"o": "yes"}), ("o", "true", {"o": 1}),
    ("o", "yes", {"o": True}), ("o", "'on'", {"o": True}), ("o", "'no'", {"o": False}), ("o", "1", {"o": True}),
    ("o", "null", {"o": ""}), ("o", "null", {"o": "null"}), ("o", "x", {"o": "X"}), ("o", "x", {"o": " x\n"}), ("o", "x", {"o": "ｘ"}),
    ("o", "{one_of: [x, y]}", {"o": ["z", "y"]}), ("o", "{one_of: [5, 6]}", {"o": "6"}), ("o", "{equals: [x, y]}", {"o": ["x", "y"]}),
    ("o", "{equals: [x, y]}", {"o": [["x", "y"], ["z"]]}), ("o", "{equals: [x, y]}", {"o": ["X", "y "]}),
    ("o", "{equals: {p: x}}", {"o": [{"p": "x"}, 1]}), ("o", "{equals: {p: 5}}", {"o": {"p": "5"}}),
    ("o", "{not: {max: 5}}", {"o": [1, 6]}), ("o", "{not: {max: 5}}", {"o": "6"}), ("o", "{not: {max: 5}}", {"o": ["6"]}),
    ("o", "{max: 5}", {"o": [9, 1]}), ("o", "{glob: '*x*'}", {"o": [{"k": "x"}]}), ("o", "{regex: x}", {"o": ["y", ["x"]]}),
    ("o", "x", {"o": "**********"}), ("o", "x", {"o": ["**********"]}), ("o", "{glob: 'x*'}", {"o": "a**********b"}),
    ("o", "{inside: secret}", {"o": ["**********"]}), ("o", "{schema: {const: x}}", {"o": "**********"}),
    ("o", "{schema: {required: [p]}}", {"o": {"p": 1}}), ("o", "{schema: {items: {const: out/x}}}", {"o": ["out/./x"]}),
    ("o", "{regex: 'a/x'}", {"o": "A/X"}), ("o", "{schema: {pattern: 'a/x'}}", {"o": "A/X"}),
]  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
def test_no_form_of_a_denied_value_passes(folder, attacks, role):
    text, marks, held = ROLES[role]
    for name, condition, arguments in MEMBERS:
        matcher = condition if condition.startswith("{") else f"{{equals: {condition}}}"
        rules = policy(folder, text.replace("{a:", f"{{{name}:"), matcher)
        found = rules.judge(DescribedCall(Risk("t", **marks), arguments=arguments)).action
        attacks.count(f"{role} {name} {condition}: {arguments}", held=found in held)


PIECES = st.sampled_from(
    ["out", "/", "..", ".", "a.md", "secret", "prod.env", "link.md", "up", "%2e", "%2f", "%25", "%5c", "\\", " ", "?", "#",
     "~", "OUT", "．"]
)  # fmt: skip


def programs(text):
    """Yield the paths that programs of different habits open for a text."""
    decoded = [
        text,
        unquote(text),
        unquote(unquote(text)),
        text.partition("?")[0],
        urlsplit(f"http://a/{text}").path[1:],
    ]
    for one in decoded:
        yield from (
            one,
            one.strip(),
            one.replace("\\", "/"),
            ntpath.normpath(one).replace("\\", "/"),
            os.path.normpath(one),
        )
        yield unicodedata.normalize("NFKC", one)


@pytest.mark.parametrize("matcher", ["{glob: 'out/*'}", "{prefix: out/}", "{regex: 'out/.*'}", "{inside: out}"])
def test_what_is_allowed_is_allowed_for_every_program(folder, attacks, matcher):
    rules = policy(folder, "allow: [{tool: t, where: {a: M}}]", matcher)
    out = os.path.realpath("out")

    @settings(
        max_examples=examples(2_000, 200), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
    )
    @given(st.lists(PIECES, max_size=9).map("".join))
    def check(rest):
        text = f"out/{rest}"
        held = True
        if verdict(rules, text, destructive=True) == "allow":
            paths = [os.path.realpath(path) for path in programs(text) if path]
            held = all(path == out or path.startswith(f"{out}/") for path in paths)
        attacks.count(f"{matcher}: {text!r}", held=held)

    check()


STEPS = {
    "dot": lambda text: f"./{text}",
    "up": lambda text: f"sub/../{text}",
    "slashes": lambda text: text.replace("/", "//"),
    "backslashes": lambda text: text.replace("/", "\\"),
    "case": str.swapcase,
    "blank": lambda text: f" {text} ",
    "encode": lambda text: quote(text, safe=""),
    "encode dots": lambda text: text.replace(".", "%2e"),
    "encode slashes": lambda text: text.replace("/", "%2F"),
    "wide": lambda text: text.replace("r", "ｒ"),
    "end": lambda text: f"{text}/.",
    "list": lambda text: text,
}


@pytest.mark.parametrize("matcher", ["plain", "glob", "wide glob", "prefix", "inside", "outside", "regex"])
def test_any_series_of_changes_stays_denied(folder, attacks, matcher):
    rules = policy(folder, "deny: [{tool: t, where: {a: M}}]", PLACES[matcher])

    @settings(
        max_examples=examples(1_000, 100), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
    )
    @given(st.lists(st.sampled_from(sorted(STEPS)), max_size=5))
    def check(steps):
        text = DENIED
        for step in sorted(steps, key=lambda step: step == "blank"):  # blanks within a path are part of it
            text = STEPS[step](text)
        value = [text] if "list" in steps else text
        attacks.count(f"{matcher}: {value!r}", held=verdict(rules, value) == "deny")

    check()


TOOLS = """
from pathlib import Path
from typing import TypedDict

from toolkit import tool

class Place(TypedDict):
    path: str

@tool
def drop(path: str) -> str:
    '''Drop a file.'''
    Path("ran").touch()
    return "done"

@tool
def drop_all(paths: list[str], places: list[Place] = []) -> str:
    '''Drop some files.'''
    Path("ran").touch()
    return "done"
"""
RULES = """
deny:
  - {tool: drop, where: {path: {glob: secret/prod.env}}}
  - {tool: drop_all, where: {paths: secret/prod.env}}
  - {tool: drop_all, where: {places.path: {inside: secret}}}
"""


def test_no_spelling_passes_the_command_line(folder, attacks):
    (folder / "t.py").write_text(TOOLS, "utf-8")
    (folder / "rules.yaml").write_text(RULES, "utf-8")
    calls = [
        ["t.py:drop", f"path={path}"] for path in list(dict.fromkeys(path_spellings(folder)))[::17] if "\n" not in path
    ]
    calls += [["t.py:drop_all", f"paths:={json.dumps(value)}"] for value in (["a", DENIED], [DENIED], [f"./{DENIED}"])]
    calls.append(["t.py:drop_all", "paths:=[]", 'places:=[{"path": "out/a"}, {"path": "secret/prod.env"}]'])
    for call in calls:
        done = CliRunner().invoke(application(), ["run", *call, "--policy", "rules.yaml", "--yes"])
        held = done.exit_code == 3 and "denied by deny rule" in done.stderr and not (folder / "ran").exists()
        attacks.count(f"{call}: {done.exit_code} {done.stderr}", held=held)
    done = CliRunner().invoke(application(), ["run", "t.py:drop", "path=public.txt", "--policy", "rules.yaml"])
    assert (done.exit_code, (folder / "ran").exists()) == (0, True)


@pytest.mark.parametrize(
    ("hosts", "name", "is_reached"),
    [
        (["fass.de"], "faß.de", False),
        (["faß.de"], "faß.de", True),
        (["faß.de"], "xn--fa-hia.de", True),
        (["faß.de"], "fass.de", False),
        (["*.faß.de"], "a.faß.de", True),
        (["*.fass.de"], "a.faß.de", False),
        (["βολοσ.com"], "βολος.com", False),
        (["bücher.example"], "BÜCHER.example", True),
    ],
)
def test_web_scrape_reaches_the_hosts_that_the_http_library_looks_up(attacks, hosts, name, is_reached):
    looked_up = []

    def resolve(host, _):
        looked_up.append(host)
        return []

    WebScrape(hosts=hosts, resolve=resolve).run({"url": f"http://{name}/"})
    attacks.count(f"{hosts}: {name}", held=bool(looked_up) is is_reached)
