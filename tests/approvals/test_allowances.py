"""Leave given beforehand: a pattern for the name of a tool, and one for each argument named."""

import string

import pytest
from hypothesis import given, strategies as st

from toolkit import ToolContext, from_function
from toolkit.approvals import Allowance, Allowances, DescribedCall, Risk


def covers(rule, tool, arguments):
    return Allowance.parse(rule).covers(DescribedCall(Risk(tool), arguments=arguments))


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("file_write", "file_write", ()),
        ("  file_write  ", "file_write", ()),
        ("file_*", "file_*", ()),
        ("*", "*", ()),
        ("server.tool-name", "server.tool-name", ()),
        ("file_write(path=out/*)", "file_write", (("path", "out/*"),)),
        ("file_write( path = out/* , content = * )", "file_write", (("path", "out/*"), ("content", "*"))),
        ("t(a=x, y, z)", "t", (("a", "x, y, z"),)),
        ("t(a=x,b=y)", "t", (("a", "x"), ("b", "y"))),
        ("t(a=)", "t", (("a", ""),)),
        ("t(a=b=c)", "t", (("a", "b=c"),)),
        ("t(a=(x))", "t", (("a", "(x)"),)),
        ("t(a=\n)", "t", (("a", ""),)),
    ],
)
def test_a_rule_is_read(text, tool, arguments):
    assert Allowance.parse(text) == Allowance(tool, arguments, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a rule: write 'tool' or 'tool(argument=glob)'"),
        ("  ", "'  ' is not a rule: write 'tool' or 'tool(argument=glob)'"),
        ("t(", "'t(' is not a rule: write 'tool' or 'tool(argument=glob)'"),
        ("t)", "'t)' is not a rule: write 'tool' or 'tool(argument=glob)'"),
        ("t()", "'t()' is not a rule: write 'tool' or 'tool(argument=glob)'"),
        ("t( )", "'t( )' is not a rule: write 'tool' or 'tool(argument=glob)'"),
        ("a b", "'a b' is not a rule: write 'tool' or 'tool(argument=glob)'"),
        ("t(a=1) x", "'t(a=1) x' is not a rule: write 'tool' or 'tool(argument=glob)'"),
        ("t(path)", "'path' is not an argument rule: write 'argument=glob'"),
        ("t(=x)", "'=x' is not an argument rule: write 'argument=glob'"),
        ("t(a b=x)", "'a b=x' is not an argument rule: write 'argument=glob'"),
        ("t(,)", "',' is not an argument rule: write 'argument=glob'"),
    ],
)
def test_what_is_no_rule_is_refused_with_the_form_of_one(text, message):
    with pytest.raises(ValueError, match=r".+") as caught:
        Allowance.parse(text)
    assert str(caught.value) == message


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("rule", "tool", "arguments", "covered"),
    [
        ("t", "t", None, True),
        ("t", "t", {"a": 1}, True),
        ("t", "T", {}, False),
        ("t", "tt", {}, False),
        ("file_*", "file_write", {}, True),
        ("file_*", "file", {}, False),
        ("*", "anything", None, True),
        ("t(a=x)", "t", {"a": "x"}, True),
        ("t(a=x)", "t", {"a": "X"}, False),
        ("t(a=x)", "t", {"a": "xx"}, False),
        ("t(a=x)", "t", {}, False),
        ("t(a=x)", "t", None, False),
        ("t(a=x)", "t", {"a": "x", "b": "whatever"}, True),
        ("t(a=x,b=y)", "t", {"a": "x"}, False),
        ("t(a=x,b=y)", "t", {"a": "x", "b": "y"}, True),
        ("t(a=x,a=y)", "t", {"a": "x"}, False),
        ("t(a=*)", "t", {"a": "two\nlines"}, True),
        ("t(a=*)", "t", {"a": None}, True),
        ("t(a=[ab]?)", "t", {"a": "b1"}, True),
        ("t(a=[!ab]?)", "t", {"a": "b1"}, False),
        ("t(a=5)", "t", {"a": 5}, True),
        ("t(a=5.0)", "t", {"a": 5}, False),
        ("t(a=true)", "t", {"a": True}, True),
        ("t(a=null)", "t", {"a": None}, True),
        ("t(a=?1,2])", "t", {"a": [1, 2]}, True),
        ('t(a={"k":"å"})', "t", {"a": {"k": "å"}}, True),
        ("t(path=out/*)", "t", {"path": "out/a/b.md"}, True),
        ("t(path=out/*)", "t", {"path": "out/../secret"}, False),
        ("t(path=out/*)", "t", {"path": "out/a/.."}, False),
        ("t(path=out/*)", "t", {"path": "out/..\\secret"}, False),
        ("t(path=out/*)", "t", {"path": "out/..hidden"}, True),
        ("t(path=*.md)", "t", {"path": "../secret.md"}, False),
        ("t(path=../*)", "t", {"path": "../a.md"}, True),
        ("t(path=*)", "t", {"path": "../a.md"}, True),
        ("t(path=../*)", "t", {"path": "../../a.md"}, False),
        ("t(path=../../*)", "t", {"path": "../../a.md"}, True),
        ("t(path=out/*)", "t", {"path": "out/%2e%2E/secret"}, False),
        ("t(path=out/*)", "t", {"path": "out/..%2fsecret"}, False),
        ("t(path=out/*)", "t", {"path": "out/%252e%252e/secret"}, False),
        ("t(path=out/*)", "t", {"path": "out/%" + "25" * 20 + "2e"}, False),
        ("t(path=out/*)", "t", {"path": "out/100%"}, True),
        ("t(path=out/*)", "t", {"path": "out/wait...what"}, True),
        ('t(paths=?"out/*)', "t", {"paths": ["out/a", "../secret"]}, False),
        ("t(url=https://a.example/*)", "t", {"url": "https://a.example/x?y=..;/../z"}, False),
        ("t(url=https://*.example/*)", "t", {"url": "https://a.example/x/y?z#w"}, True),
        ("t(url=https://*.example/*)", "t", {"url": "https://evil.test/.example/x"}, False),
        ("t(url=https://*.example/*)", "t", {"url": "https://evil.test?.example/x"}, False),
        ("t(url=https://*.example/*)", "t", {"url": "https://evil.test#.example/x"}, False),
        ("t(url=https://*.example/*)", "t", {"url": "https://evil.test\\.example/x"}, False),
        ("t(url=https://*.example/*)", "t", {"url": "https://a.example@evil.test/.example/"}, False),
        ("t(url=https://*.example)", "t", {"url": "https://evil.test/a.example"}, False),
        ("t(url=http*://a.example*)", "t", {"url": "https://a.example/x"}, True),
        ("t(url=https://*)", "t", {"url": "https://any.test/x"}, True),
        ("t(url=*://a.example/*)", "t", {"url": "//evil.test/://a.example/"}, False),
    ],
)
def test_a_rule_covers_calls(rule, tool, arguments, covered):
    assert covers(rule, tool, arguments) is covered


@given(st.text())
def test_any_text_is_a_rule_or_refused_in_words(text):
    try:
        rule = Allowance.parse(text)
    except ValueError as error:
        assert "write '" in str(error)  # noqa: PT017 - most texts are no rules, some are
    else:
        assert rule.written == text
        assert rule.tool.strip() == rule.tool != ""
        assert all(name.isidentifier() for name, _ in rule.arguments)
        assert ("(" in text) == bool(rule.arguments)


plain = st.text(string.ascii_letters + string.digits + "_-./ @:", min_size=1).map(str.strip).filter(bool)
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)


@given(names, st.dictionaries(names, plain, min_size=1, max_size=3), st.data())
def test_a_rule_without_wildcards_covers_exactly_its_own_values(tool, arguments, data):
    rule = Allowance.parse(f"{tool}({', '.join(f'{name}={value}' for name, value in arguments.items())})")
    assert rule.arguments == tuple(arguments.items())
    assert rule.covers(DescribedCall(Risk(tool), arguments=arguments))
    changed = data.draw(st.sampled_from(sorted(arguments)))
    assert not rule.covers(DescribedCall(Risk(tool), arguments={**arguments, changed: arguments[changed] + "x"}))
    assert not rule.covers(DescribedCall(Risk(f"{tool}x"), arguments=arguments))
    assert not rule.covers(DescribedCall(Risk(tool), arguments={n: v for n, v in arguments.items() if n != changed}))


def test_a_covered_call_runs_without_a_question_and_the_listener_is_told_by_whose_leave():
    events = []
    tool = from_function(lambda path: f"wrote {path}", name="file_write", destructive=True)
    context = ToolContext(policy=Allowances([Allowance.parse("file_write(path=out/*)")]), listener=events.append)
    assert tool.run({"path": "out/a.md"}, context).output == "wrote out/a.md"
    assert [(event.kind, getattr(event, "by", None)) for event in events] == [
        ("tool_started", None),
        ("approval_decided", "--approve 'file_write(path=out/*)'"),
        ("tool_finished", None),
    ]


@pytest.mark.parametrize(
    ("rule", "arguments", "covered"),
    [
        ("t(a=)", {"a": ""}, True),
        ("t(a=)", {"a": "x"}, False),
        ("t(a=)", {"a": " "}, False),
        ("t(a:=1)", {"a": 1}, True),
        ("t(a:=1)", {"a": 1.0}, True),
        ("t(a:=1)", {"a": "1"}, False),
        ("t(a:=1)", {"a": True}, False),
        ('t(a:="1")', {"a": "1"}, True),
        ('t(a:="x, b=y", b=z)', {"a": "x, b=y", "b": "z"}, True),
        ('t(a:="x, b=y", b=z)', {"a": "x", "b": "z"}, False),
        ('t( a := [1, "*"] , b:=null)', {"a": [1, "*"], "b": None}, True),
        ('t(a:=[1, "*"])', {"a": [1, "x"]}, False),
        ("t(a=x,b:=5)", {"a": "x", "b": 5}, True),
        ("t(a:=null)", {}, False),
        ('t(a:="**********")', {"a": "**********"}, False),
    ],
)
def test_a_value_in_json_is_matched_exactly(rule, arguments, covered):
    assert covers(rule, "t", arguments) is covered


@pytest.mark.parametrize("written", ["x", "", "NaN", "[", "1 2", "1,2", "{'a': 1}"])
def test_what_is_not_one_json_value_is_refused(written):
    with pytest.raises(ValueError, match="is not one JSON value: write 'argument:=JSON'"):
        Allowance.parse(f"t(a:={written})")


def test_defaults_count_as_arguments():
    call = DescribedCall(Risk("t"), arguments={"a": 1}, defaults={"b": False})
    assert Allowance.parse("t(a=1, b=false)").covers(call)
    assert not Allowance.parse("t(a=1, b=true)").covers(call)
