"""Rules of policy files: which calls they are about, and what several files say together."""

import json
from datetime import date, timedelta

import pytest
from jsonschema import Draft202012Validator

from toolkit import ConfigurationError, ToolContext, from_function
from toolkit.approvals import ByRisk, DescribedCall, Gate, Risk, ScriptedReviewer, load_policy
from toolkit.approvals.policy_keys import policy_schema  # private
from toolkit.approvals.rules import Choice, Rule  # private
from toolkit.problems import Location


def policy(folder, text):
    file = folder / "rules.yaml"
    file.write_text(text, "utf-8")
    return load_policy(file)


def decided(folder, rule, arguments, tool="t", **marks):
    """Return whether a rule that denies, and one that allows, decide about a call."""
    call = DescribedCall(Risk(tool, **{"destructive": True, **marks}), arguments=arguments)
    verdicts = [policy(folder, f"{action}: [{rule}]").judge(call).action for action in ("deny", "allow")]
    return verdicts[0] == "deny", verdicts[1] == "allow"


YES, NO, DOUBT = (True, True), (False, False), (True, False)
"""Whether a rule that denies applies, and one that allows: where nobody can tell, only the first does."""


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("matcher", "value", "fit"),
    [
        ("5", 5, YES),
        ("5", 5.0, YES),
        ("5", "5", DOUBT),
        ("5", "6", NO),
        ("1", True, DOUBT),
        ("2", True, NO),
        ("true", True, YES),
        ("null", None, YES),
        ("{equals: [1, a]}", [1, "a"], YES),
        ("{equals: [1, a]}", ["a", 1], NO),
        ("{equals: a}", ["a", "a"], YES),
        ("{equals: a}", ["a", "b"], DOUBT),
        ("{equals: A}", "a", DOUBT),
        ("{one_of: [a, b]}", ["a", "b"], YES),
        ("{one_of: [a, b]}", ["a", "c"], DOUBT),
        ("{equals: {k: 1}}", {"k": 1}, YES),
        ("{one_of: [a, 3]}", 3, YES),
        ("{one_of: [a, 3]}", "b", NO),
        ("{prefix: out/}", "out/a", YES),
        ("{prefix: out/}", "out/../a", DOUBT),
        ("{prefix: 'https://a.example/x'}", "https://a.example/xy", YES),
        ("{prefix: 'https://a.example/'}", "https://a.example.evil.test/", NO),
        ("{prefix: 'https://a.example/?next=http://b'}", "https://a.example/?next=http://b.example", YES),
        ("{glob: '*.md'}", "a.md", YES),
        ("{glob: ['*.md', '*.txt']}", "a.txt", YES),
        ("{glob: '*.md'}", "../a.md", DOUBT),
        ("{glob: '*.md'}", ["a.md", "b.md"], YES),
        ("{glob: '*.md'}", ["a.md", "b.py"], DOUBT),
        ("{glob: '*.md'}", [], NO),
        ("{glob: '*.md'}", "A.MD", DOUBT),
        ("{glob: '/*'}", "a", NO),
        ("{glob: '../*'}", "../a", YES),
        ("{glob: '../*'}", "../../a", DOUBT),
        ("{glob: '*'}", "%25252525", YES),
        ("{glob: 'https://a.example/?next=http://*'}", "https://a.example/?next=http://b.example", YES),
        ("{regex: '[a-z]+'}", "abc", YES),
        ("{regex: '[a-z]+'}", "abc1", NO),
        ("{regex: '[a-z]+'}", "a\nb", NO),
        ("{regex: '(a*)*b'}", "a" * 5_000, NO),
        ("{regex: '[0-9]{1,3}'}", 42, YES),
        ("{regex: 'out/.*'}", "out/../a", DOUBT),
        ("{regex: '[A-Z]+'}", "AB", YES),
        ("{regex: '[a-z]+'}", "AB", DOUBT),
        pytest.param("{regex: '(a|b|c|d){1,99}'}", "a" * 1_000_000, DOUBT, id="text too long for its regex"),
        ("{host: docs.python.org}", "https://docs.python.org/3/", YES),
        ("{host: docs.python.org}", "https://DOCS.python.org.:443/3/", YES),
        ("{host: docs.python.org}", "https://docs.python.org.evil.test/", NO),
        ("{host: docs.python.org}", "https://docs.python.org@evil.test/", DOUBT),
        ("{host: docs.python.org}", "https://docs.python.org@evil.test", DOUBT),
        ("{host: docs.python.org}", "https://docs.python.org@evil.test/://docs.python.org/", DOUBT),
        ("{host: docs.python.org}", "https://docs.python.org/@docs/3", YES),
        ("{host: '*'}", "https://docs.python.org/", YES),
        ("{host: docs.python.org}", "https://evil.test\\@docs.python.org/", DOUBT),
        ("{host: docs.python.org}", "https://docs.python.org\t.evil.test/", DOUBT),
        ("{host: docs.python.org}", "docs.python.org", DOUBT),
        ("{host: docs.python.org}", "//docs.python.org/3/", DOUBT),
        ("{host: docs.python.org}", "https://a!b.example/", DOUBT),
        ("{host: '*'}", "https://a!b.example/", DOUBT),
        ("{host: '*.example.com'}", "https://a.b.example.com/", YES),
        ("{host: '*.example.com'}", "https://example.com/", NO),
        ("{host: '*.example.com'}", "https://evilexample.com/", NO),
        ("{host: bücher.example}", "https://xn--bcher-kva.example/", YES),
        ("{host: '[::1]'}", "http://[::1]:80/", YES),
        ("{host: a.example}", "http://a.example:port/", DOUBT),
        ("{host: 127.0.0.1}", "http://0x7f000001/", YES),
        ("{host: '127.1'}", "http://[::ffff:127.0.0.1]/", YES),
        ("{host: 127.0.0.1}", "http://localhost/", DOUBT),
        ("{host: fass.de}", "https://faß.de/", DOUBT),
        ("{host: faß.de}", "https://fass.de/", NO),
        ("{host: a.example}", 5, DOUBT),
        ("{host: a.example}", None, NO),
        ("{inside: '.'}", "a/b", YES),
        ("{inside: '.'}", ".", YES),
        ("{inside: '.'}", "a/../../b", NO),
        ("{inside: '.'}", "/etc/passwd", NO),
        ("{inside: '.'}", "~/a", DOUBT),
        ("{inside: '.'}", "a\0b", DOUBT),
        pytest.param("{inside: '.'}", "a\ud800b", DOUBT, id="half a character in a path"),
        ("{inside: '.'}", "", DOUBT),
        ("{inside: '.'}", None, NO),
        ("{inside: '.'}", "file:///etc/passwd", DOUBT),
        ("{inside: '.'}", "C:\\a", DOUBT),
        ("{inside: '.'}", 3, DOUBT),
        ("{inside: [a, b]}", "b/c", YES),
        ("{inside: a}", "ab/c", NO),
        ("{inside: 'a '}", "a/c", DOUBT),
        ("{inside: 'a '}", "b/c", NO),
        ("{inside: /}", "/etc/passwd", YES),
        ("{inside: '.'}", ["a", "../b"], DOUBT),
        ("{outside: '.'}", "../b", YES),
        ("{outside: '.'}", "b", NO),
        ("{outside: '.'}", "~/b", DOUBT),
        ("{outside: '.'}", None, NO),
        ("{max: 100}", 100, YES),
        ("{max: 100}", 100.5, NO),
        ("{max: 100}", "99", DOUBT),
        ("{max: 100}", [1, 2], YES),
        ("{max: 100}", [1, 200], DOUBT),
        ("{max: 100}", True, DOUBT),
        ("{max: 100}", float("nan"), DOUBT),
        ("{not: {max: 100}}", 101, YES),
        ("{not: {max: 100}}", 1, NO),
        ("{not: {max: 100}}", "x", DOUBT),
        ("{not: {host: a.example}}", "https://b.example/", YES),
        ("{glob: 'a*', not: {glob: '*z'}}", "ab", YES),
        ("{glob: 'a*', not: {glob: '*z'}}", "az", NO),
        ("{schema: {type: integer, minimum: 1, maximum: 9}}", 9, YES),
        ("{schema: {type: integer}}", 9.0, YES),
        ("{schema: {type: integer}}", "9", NO),
        ("{schema: {type: number}}", 9, YES),
        ("{schema: {minimum: 2}}", "x", YES),
        ("{schema: {minimum: 2}}", True, YES),
        ("{schema: {type: number, exclusiveMaximum: 9}}", 9, NO),
        ("{schema: {enum: [1, a]}}", True, NO),
        ("{schema: {pattern: '^a'}}", "ba", NO),
        ("{schema: {pattern: 'a$', maxLength: 3}}", "bba", YES),
        pytest.param("{schema: {pattern: '(a|b){1,99}'}}", "a" * 1_000_000, DOUBT, id="text too long for its pattern"),
        ("{schema: {items: {const: 1}, minItems: 1}}", [1, 1], YES),
        ("{schema: {items: [{const: 1}, {const: 2}]}}", [1, 2, 3], YES),
        ("{schema: {items: [{const: 1}, {const: 2}]}}", [2, 1], NO),
        ("{schema: {uniqueItems: true}}", [1, 1], NO),
        ("{schema: {type: object, required: [a], properties: {a: {type: 'null'}}}}", {"a": None, "b": 1}, YES),
        ("{schema: {properties: {a: {const: 1}}}}", {"a": 1}, YES),
        ("{schema: {properties: {a: {const: 1}}}}", {"a": 2}, NO),
        ("{schema: {properties: {a: {}}, additionalProperties: false}}", {"a": 1, "b": 1}, NO),
        ("{schema: {anyOf: [{const: 1}, {const: 2}]}}", 2, YES),
        ("{schema: {oneOf: [{minimum: 1}, {minimum: 2}]}}", 2, NO),
        ("{schema: {allOf: [{minimum: 1}, {maximum: 2}]}}", 2, YES),
        ("{schema: {not: {const: 1}}}", 1, NO),
        ("{schema: {minimum: 2}}", 2, YES),
        ("{schema: {minimum: 2}}", 1, NO),
        ("{schema: {maximum: 2}}", 2, YES),
        ("{schema: {maximum: 2}}", 3, NO),
        ("{schema: {exclusiveMinimum: 2}}", 2, NO),
        ("{schema: {exclusiveMinimum: 2}}", 3, YES),
        ("{schema: {exclusiveMaximum: 9}}", 8, YES),
        ("{schema: {minLength: 2}}", "ab", YES),
        ("{schema: {minLength: 2}}", "a", NO),
        ("{schema: {minLength: 2}}", 5, YES),
        ("{schema: {maxLength: 2}}", "ab", YES),
        ("{schema: {maxLength: 2}}", "abc", NO),
        ("{schema: {minItems: 2}}", [1, 2], YES),
        ("{schema: {minItems: 2}}", [1], NO),
        ("{schema: {maxItems: 1}}", [1], YES),
        ("{schema: {maxItems: 1}}", [1, 2], NO),
        ("{schema: {uniqueItems: true}}", [1, 2], YES),
        ("{schema: {uniqueItems: false}}", [1, 1], YES),
        ("{schema: {required: [a]}}", {}, NO),
        ("{schema: {required: [a]}}", 5, YES),
        ("{schema: {required: [a, b]}}", {"a": 1}, NO),
        ("{schema: {const: 1}}", 2, NO),
        ("{schema: {enum: [1, a]}}", "a", YES),
        ("{schema: {pattern: a}}", 5, YES),
        ("{schema: {anyOf: [{const: 1}, {const: 2}]}}", 3, NO),
        ("{schema: {allOf: [{minimum: 1}, {maximum: 2}]}}", 3, NO),
        ("{schema: {oneOf: [{minimum: 1}, {minimum: 2}]}}", 1, YES),
        ("{schema: {oneOf: [{minimum: 1}, {minimum: 2}]}}", 0, NO),
        ("{schema: {not: {const: 1}}}", 2, YES),
        ("{equals: secret}", "**********", DOUBT),
    ],
)
def test_a_matcher_says_whether_a_value_fits(tmp_path, monkeypatch, matcher, value, fit):
    monkeypatch.chdir(tmp_path)
    assert decided(tmp_path, f"{{tool: t, where: {{a: {matcher}}}}}", {"a": value}) == fit


def test_links_are_followed_before_a_path_is_judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "out").symlink_to("/etc")
    assert decided(tmp_path, "{tool: t, where: {a: {inside: inner}}}", {"a": "inner/out/passwd"}) == NO
    assert decided(tmp_path, "{tool: t, where: {a: {outside: inner}}}", {"a": "inner/out/passwd"}) == YES


def test_a_path_starts_where_the_tool_starts_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = DescribedCall(Risk("t"), arguments={"a": "x"}, base="/srv")
    rules = policy(tmp_path, "deny: [{tool: t, where: {a: {outside: '.'}}}]")
    assert rules.judge(call).action == "deny"
    assert rules.judge(call._replace(base=None)).action == "allow"
    listed = call._replace(arguments={"a": ["x", "y"]})
    assert rules.judge(listed).action == "deny"
    assert rules.judge(listed._replace(base=None)).action == "allow"
    opposite = policy(tmp_path, "deny: [{tool: t, where: {a: {not: {inside: '.'}}}}]")
    assert opposite.judge(call).action == "deny"
    assert opposite.judge(call._replace(base=None)).action == "allow"


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("rule", "tool", "marks", "fit"),
    [
        ("{tool: t}", "t", {}, YES),
        ("{tool: [a, 't*']}", "tt", {}, YES),
        ("{tool: t}", "T", {}, NO),
        ("{tool: '*'}", "x", {}, YES),
        ("{tool: time.now}", "time_now", {"source": "mcp://time"}, YES),
        ("{tool: 'time.*'}", "time_now", {"source": "mcp://other"}, NO),
        ("{tool: time.now}", "time_now", {"source": "mcp://time/now"}, YES),
        ("{tool: time.now}", "time.now", {"source": "mcp://time"}, YES),
        ("{tool: 'time.time*'}", "time.now", {"source": "mcp://time"}, NO),
        ("{source: 'mcp://*'}", "time_now", {"source": "mcp://time"}, YES),
        ("{source: builtin}", "t", {"source": "builtin"}, YES),
        ("{source: builtin}", "t", {}, NO),
        ("{source: '*.py'}", "t", {"source": "/somewhere/a.py"}, YES),
        ("{source: '*/built*'}", "t", {"source": "builtin"}, NO),
        ("{source: '/*'}", "t", {"source": "builtin"}, NO),
        ("{source: tools.py}", "t", {"source": "a.py", "origin": "tools.py"}, DOUBT),
        ("{tool: t}", "t", {"allowed_as": ("u",)}, DOUBT),
        ("{tool: u}", "t", {"allowed_as": ("u",)}, (False, True)),
        ("{risk: destructive}", "t", {}, YES),
        ("{risk: [open_world, read_only]}", "t", {}, NO),
        ("{risk: [open_world, read_only]}", "t", {"open_world": True}, YES),
        ("{risk: requires_approval}", "t", {"requires_approval": True}, YES),
        ("{risk: unmarked}", "t", {}, NO),
        ("{risk: unmarked}", "t", {"destructive": None}, YES),
        ("{risk: read_only}", "t", {"destructive": None, "read_only": True}, YES),
        ("{tool: t, risk: read_only}", "t", {}, NO),
        ("{tool: t, chosen_by: person}", "t", {}, YES),
        ("{tool: t, chosen_by: model}", "t", {}, NO),
    ],
)
def test_a_rule_is_about_tools(tmp_path, rule, tool, marks, fit):
    assert decided(tmp_path, rule, {}, tool, **marks) == fit


@pytest.mark.parametrize(
    ("fits", "fit"),
    [
        (["no"], "no"),
        (["no", "no"], "no"),
        (["no", "doubt"], "doubt"),
        (["doubt", "later"], "later"),
        (["no", "doubt", "later", "yes"], "yes"),
    ],
)
def test_a_rule_about_groups_is_about_every_tool_that_belongs_to_one_of_them(fits, fit):
    groups = {f"group {number}": lambda _, found=found: found for number, found in enumerate(fits)}
    assert Choice(groups=groups).fit(Risk("t"), "/srv") == fit


@pytest.mark.parametrize(
    ("source", "brought_by", "for_all", "is_reached"),
    [
        ("other.py", None, False, True),
        ("tools.py", "/srv/tools.py", False, True),
        ("other.py", "/srv/tools.py", False, False),
        ("shop.tools", "shop.tools", False, True),
        ("tools.py", "/srv/tools.py", True, False),
        ("/srv/*", "/srv/tools.py", True, True),
        ("shop.tools", "shop.tools", True, False),
        ("*", "shop.tools", True, True),
    ],
)
def test_a_rule_that_loosens_reaches_what_a_project_brings_only_where_it_states_its_file(
    source, brought_by, for_all, is_reached
):
    rule = Rule("allow", Choice(sources=(source,)), Location("f", 1), folder="/srv", is_for_all_projects=for_all)
    assert rule.reaches(Risk("t", brought_by=brought_by)) is is_reached


def test_a_rule_about_what_a_run_has_read_holds_once_it_has(tmp_path):
    rules = policy(tmp_path, "deny: [{tool: t, after: private}]")
    reading = Risk("r", flow=frozenset({"reads_private"}))
    calls = [DescribedCall(Risk("t"), earlier=earlier) for earlier in ((), (Risk("r"),), (reading,))]
    assert [rules.judge(call).action for call in calls] == ["allow", "allow", "deny"]
    assert [one.action for one in rules.outlook(calls[0]._replace(coming=(reading,)))] == ["deny", "allow"]


def test_a_missing_argument_is_what_stands_in_for_it(tmp_path):
    rules = policy(tmp_path, "deny: [{tool: t, where: {a: {equals: x}}}]")
    assert rules.judge(DescribedCall(Risk("t"), arguments={})).action == "allow"
    assert rules.judge(DescribedCall(Risk("t"), arguments={}, defaults={"a": "x"})).action == "deny"


def test_a_dot_leads_to_a_member(tmp_path):
    rules = policy(tmp_path, "deny: [{tool: t, where: {a.b: 1}}]")
    assert rules.judge(DescribedCall(Risk("t"), arguments={"a": {"b": 1}})).action == "deny"
    assert rules.judge(DescribedCall(Risk("t"), arguments={"a.b": 1})).action == "deny"
    assert rules.judge(DescribedCall(Risk("t"), arguments={"a": {"c": 1}})).action == "allow"
    assert rules.judge(DescribedCall(Risk("t"), arguments={"a": 1})).action == "allow"
    assert rules.judge(DescribedCall(Risk("t"), arguments={"a": [{"b": 2}, {"b": 1}]})).action == "deny"
    assert rules.judge(DescribedCall(Risk("t"), arguments={"a": '{"b": 1}'})).action == "deny"


@pytest.mark.parametrize(("days", "action"), [(-1, "ask"), (0, "allow"), (1, "allow")])
def test_a_rule_holds_up_to_its_last_day(tmp_path, days, action):
    day = date.today() + timedelta(days=days)  # noqa: DTZ011 - as the rule reads it
    rules = policy(tmp_path, f"allow: [{{tool: t, expires: {day.isoformat()}}}]")
    assert rules.judge(DescribedCall(Risk("t", destructive=True))).action == action


@pytest.mark.parametrize(
    ("ci", "value", "denied"),
    [
        ("true", "1", True),
        ("true", "", False),
        ("true", None, False),
        ("true", "False", False),
        ("true", " no ", False),
        ("false", "true", False),
        ("false", "0", True),
    ],
)
def test_a_rule_may_be_for_ci_alone_or_for_elsewhere(tmp_path, monkeypatch, ci, value, denied):
    if value is not None:
        monkeypatch.setenv("CI", value)
    rules = policy(tmp_path, f"deny: [{{tool: t, ci: {ci}}}]")
    assert (rules.judge(DescribedCall(Risk("t"))).action == "deny") == denied


@pytest.mark.parametrize(
    ("default", "person", "model"),
    [
        ("by_risk", "allow", "ask"),
        ("ask", "ask", "ask"),
        ("deny", "deny", "deny"),
        ("allow", "allow", "allow"),
        ("{model: deny}", "allow", "deny"),
        ("{person: ask}", "ask", "ask"),
    ],
)
def test_a_default_is_for_calls_that_no_rule_is_about(tmp_path, default, person, model):
    rules = policy(tmp_path, f"default: {default}\ndeny: [{{tool: other}}]")
    found = [rules.judge(DescribedCall(Risk("t"), chooser)).action for chooser in ("person", "model")]
    assert found == [person, model]


def test_rules_that_deny_are_asked_first_then_those_that_ask_then_those_that_allow(tmp_path):
    rules = policy(
        tmp_path,
        "allow: [{tool: '*'}]\nask: [{tool: 'b*'}]\ndeny: [{tool: bb}]\ndefault: deny\n",
    )
    found = [rules.judge(DescribedCall(Risk(tool, destructive=True))) for tool in ("a", "b", "bb")]
    assert [one.action for one in found] == ["allow", "ask", "deny"]
    name = str(tmp_path / "rules.yaml")
    assert [one.because for one in found] == [
        f"allow rule, {name}:1",
        f"ask rule, {name}:2",
        f"deny rule, {name}:3",
    ]


def test_a_computed_argument_may_be_asked_about_or_allowed_once_it_is_known(tmp_path):
    later = DescribedCall(Risk("t", destructive=True), arguments={}, unknown=("a",))
    allowing = policy(tmp_path, "allow: [{tool: t, where: {a: 1}}]").judge(later)
    assert (allowing.action, allowing.may_be_allowed) == ("ask", True)
    asking = policy(tmp_path, "ask: [{tool: t, where: {a: 1}}]").judge(later._replace(risk=Risk("t")))
    assert (asking.action, asking.may_be_allowed) == ("ask", False)
    denying = policy(tmp_path, "deny: [{tool: t, where: {a: 1}}]").judge(later._replace(risk=Risk("t")))
    assert denying.action == "allow"
    allowed = policy(tmp_path, "allow: [{tool: t, where: {a: 1}}]").judge(later._replace(risk=Risk("t")))
    assert (allowed.action, allowed.may_be_allowed) == ("allow", False)


def test_call_whose_arguments_nobody_knows_may_meet_every_rule(tmp_path):
    rules = policy(tmp_path, "deny: [{tool: t, where: {a: 1}}]")
    assert [one.action for one in rules.outlook(DescribedCall(Risk("t")))] == ["deny", "allow"]


@pytest.mark.parametrize(("text", "what"), [("default: allow", "default"), ("allow: [{tool: t}]", "allow rule")])
def test_what_allows_is_named_only_where_it_answers_a_question(tmp_path, text, what):
    rules = policy(tmp_path, text)
    quiet, answered = (rules.judge(DescribedCall(Risk("t", destructive=marked))) for marked in (None, True))
    place = f"{what}, {tmp_path / 'rules.yaml'}:1"
    assert [(one.action, one.because, str(one.ground)) for one in (quiet, answered)] == [
        ("allow", "", place),
        ("allow", place, place),
    ]


def test_settings_of_a_project_are_no_calls_that_a_rule_could_allow(tmp_path):
    setting = DescribedCall(Risk("settings builtin.http", requires_approval=True), kind="setting")
    rules = policy(tmp_path, "default: allow\nallow: [{tool: '*'}]")
    assert rules.judge(setting) == ByRisk().judge(setting)


def test_a_policy_of_a_program_denies_with_the_reason(tmp_path):
    def erase(name: str) -> str:
        """Erase something."""
        return f"erased {name}"

    rules = policy(
        tmp_path, "deny:\n  - tool: erase\n    where: {name: {not: {one_of: [tmp]}}}\n    because: Only tmp."
    )
    context = ToolContext(policy=rules)
    tool = from_function(erase)
    assert tool.run({"name": "tmp"}, context).output == "erased tmp"
    place = f"{tmp_path / 'rules.yaml'}:2"
    assert tool.run({"name": "all"}, context).text == f"Error: Denied by deny rule, {place}: Only tmp."


def test_a_question_says_which_rule_wants_it(tmp_path):
    def erase(name: str) -> str:
        """Erase something."""
        return f"erased {name}"

    rules = policy(tmp_path, "ask: [{tool: erase}]")
    script = ScriptedReviewer([])
    from_function(erase).run({"name": "x"}, ToolContext(gate=Gate(script, rules)))
    assert [request.asked_by for request in script.requests] == [f"ask rule, {tmp_path / 'rules.yaml'}:1"]


def test_what_is_wrong_in_a_policy_is_raised_all_at_once(tmp_path):
    (tmp_path / "a.yaml").write_text("deny: [{tol: x}]", "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_policy(tmp_path / "a.yaml", tmp_path / "none.yaml")
    assert [problem.message for problem in caught.value.problems] == [
        "unknown key 'deny.0.tol'",
        "this deny rule does not say which tools it applies to",
        f"there is no file '{tmp_path / 'none.yaml'}'",
    ]


OF_KEYWORDS = (
    "type, const, enum, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, pattern, minItems, "
    "maxItems, uniqueItems, items, required, properties, additionalProperties, allOf, anyOf, oneOf, not"
)


@pytest.mark.parametrize(
    ("condition", "message", "hint"),
    [
        ("[1, 2]", "'{}' must be one value, or a table of matchers", "one_of takes a list"),
        ("{}", "'{}' has no matcher", "write equals, one_of, glob or another matcher"),
        ("{not: {}}", "'{}.not' has no matcher", "write equals, one_of, glob or another matcher"),
        ("{equal: 1}", "unknown matcher '{}.equal'", "did you mean 'equals'?"),
        ("{one_of: 3}", "'{}.one_of' must be a list of at least one value", "write one_of: [1, 2]"),
        (
            "{prefix: 'https://a.example'}",
            "'{}.prefix' ends within the host of a URL",
            "end it with a slash, 'https://a.example/': 'https://a.example.evil.example' begins with it too",
        ),
        ("{prefix: 3}", "'{}.prefix' must be a string", "put quotes around it"),
        ("{glob: ['a', '']}", "an item of '{}.glob' must be a shell pattern", None),
        (
            "{regex: '('}",
            "'{}.regex' is not a pattern: unclosed group: '(' at character 1; write \\( to match it literally",
            "it must match the whole text, in linear time",
        ),
        (
            "{host: ['*.example.com', 'a b', 'c d']}",
            "'a b' in '{}.host' is not a host",
            "write docs.python.org, or *.example.com for all subdomains",
        ),
        ("{inside: 3}", "'{}.inside' must be a folder, or a list of them", "put quotes around it"),
        ("{max: x}", "'{}.max' must be a number", "write max: 100"),
        ("{schema: 3}", "'{}.schema' must be a JSON Schema", None),
        (
            "{schema: {title: T, contains: {}, format: date}}",
            f"'{{}}.schema' cannot be checked: the keyword 'contains' is not supported here; use {OF_KEYWORDS}",
            None,
        ),
        (
            "{schema: {items: {format: date}}}",
            f"'{{}}.schema' cannot be checked: the keyword 'format' is not supported here; use {OF_KEYWORDS}",
            None,
        ),
        (
            "{schema: {minimum: '3'}}",
            "'{}.schema' cannot be checked: it has \"3\" as its 'minimum', which must be a number",
            None,
        ),
        (
            "{schema: {pattern: '(?=a)'}}",
            (
                "'{}.schema' cannot be checked: its pattern '(?=a)' is malformed: look-around, including look-ahead "
                "and look-behind, is not supported: '(?=' at character 1"
            ),
            None,
        ),
    ],
)
def test_a_condition_that_is_wider_than_it_looks_or_cannot_be_checked_is_reported(tmp_path, condition, message, hint):
    with pytest.raises(ConfigurationError) as caught:
        policy(tmp_path, f"deny: [{{tool: t, where: {{a: {condition}}}}}]")
    [problem] = caught.value.problems
    assert (problem.message, problem.hint) == (message.replace("{}", "deny.0.where.a"), hint)


@pytest.mark.parametrize(
    ("condition", "is_one"),
    [
        (1, True),
        (None, True),
        ([1, 2], False),
        ({}, False),
        ({"equals": [1, 2]}, True),
        ({"equal": 1}, False),
        ({"one_of": [1]}, True),
        ({"one_of": []}, False),
        ({"one_of": 1}, False),
        ({"prefix": "a"}, True),
        ({"prefix": ""}, False),
        ({"regex": 3}, False),
        ({"glob": "a"}, True),
        ({"glob": ["a", "b"]}, True),
        ({"glob": ["a"]}, True),
        ({"glob": []}, False),
        ({"glob": ""}, False),
        ({"glob": ["a", ""]}, False),
        ({"host": {"a": "b"}}, False),
        ({"inside": ["a", 1]}, False),
        ({"outside": 1}, False),
        ({"max": 1.5}, True),
        ({"max": "1"}, False),
        ({"schema": {"type": "string"}}, True),
        ({"schema": True}, False),
        ({"not": {"max": 1}, "glob": "a"}, True),
    ],
)
def test_editors_accept_the_conditions_that_a_policy_can_have_and_no_others(tmp_path, condition, is_one):
    table = {"deny": [{"tool": "t", "where": {"a": condition}}]}
    assert Draft202012Validator(policy_schema()).is_valid(table) is is_one
    try:
        policy(tmp_path, json.dumps(table))
    except ConfigurationError:
        assert not is_one
    else:
        assert is_one


def test_notes_in_a_schema_change_nothing(tmp_path):
    assert decided(tmp_path, "{tool: t, where: {a: {schema: {title: T, type: string}}}}", {"a": "x"}) == YES


def test_relative_folders_of_a_users_file_start_from_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    rules = policy(tmp_path, "deny: [{tool: t, where: {a: {outside: '.'}}}]")
    assert rules.judge(DescribedCall(Risk("t"), arguments={"a": "x"})).action == "allow"
    assert rules.judge(DescribedCall(Risk("t"), arguments={"a": "../x"})).action == "deny"


@pytest.mark.parametrize(
    "rule", ['source: "a\\0b"', 'tool: t, where: {a: {inside: "a\\0b"}}', 'tool: t, where: {a: {glob: "/\\0*"}}']
)
def test_a_rule_with_a_null_character_could_never_match(tmp_path, rule):
    with pytest.raises(ConfigurationError, match="must be"):
        policy(tmp_path, f"deny: [{{{rule}}}]")
