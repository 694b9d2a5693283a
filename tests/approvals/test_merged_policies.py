"""Policy files of a user and a project: a project may tighten, and nothing that it says loosens."""

import json
from pathlib import Path

from hypothesis import example, given, settings, strategies as st

from tests.volumes import examples
from toolkit.approvals import DescribedCall, FilePolicy, Risk
from toolkit.approvals.policies import AFTER_WORDS, FLOWS  # private
from toolkit.approvals.policy_keys import read_policy_table  # private
from toolkit.documents.keys import Origin, Spot  # private
from toolkit.problems import Location

STRICTNESS = ["allow", "ask", "deny"]
TOOLS = ("a", "ab", "b")
PATTERNS = ("a", "ab", "b", "a*", "*")
ARGUMENTS = ({}, {"x": 1}, {"x": "p/q"}, {"x": "../q"}, {"x": "https://a.example/"}, {"x": [1, "../q"]}, {"x": None})
MATCHERS = st.recursive(
    st.sampled_from(
        [
            1,
            {"one_of": [1, "p/q"]},
            {"glob": "p/*"},
            {"prefix": "p/"},
            {"regex": "[a-z/]+"},
            {"host": "a.example"},
            {"inside": "p"},
            {"outside": "."},
            {"max": 3},
            {"schema": {"type": "string"}},
        ]
    ),
    lambda inner: inner.map(lambda one: {"not": one}),
    max_leaves=2,
)
MARKS = ["destructive", "requires_approval", "open_world", "read_only", "unmarked"]
RULES = st.fixed_dictionaries(
    {"tool": st.sampled_from(PATTERNS)},
    optional={
        "where": MATCHERS.map(lambda one: {"x": one}),
        "risk": st.sampled_from(MARKS),
        "chosen_by": st.sampled_from(["person", "model"]),
        "expires": st.sampled_from(["2000-01-01", "2999-01-01"]),
        "ci": st.booleans(),
        "flow": st.sampled_from(FLOWS),
        "after": st.sampled_from(AFTER_WORDS) | st.just(["untrusted", "private"]),
    },
)
DECLARED = st.fixed_dictionaries(
    {"tool": st.sampled_from(PATTERNS), "flow": st.lists(st.sampled_from(FLOWS), unique=True, max_size=3)}
)
DEFAULTS = st.sampled_from(["by_risk", "ask", "deny", "allow"])
FILES = st.fixed_dictionaries(
    {},
    optional={
        "default": DEFAULTS | st.fixed_dictionaries({}, optional={"person": DEFAULTS, "model": DEFAULTS}).filter(bool),
        "deny": st.lists(RULES, max_size=2),
        "ask": st.lists(RULES, max_size=2),
        "allow": st.lists(RULES, max_size=3),
        "flows": st.lists(DECLARED, max_size=2),
    },
)
RISKS = st.builds(
    Risk,
    st.sampled_from(TOOLS),
    requires_approval=st.booleans(),
    destructive=st.sampled_from([None, True]),
    read_only=st.sampled_from([None, True]),
    flow=st.frozensets(st.sampled_from(FLOWS)),
)
CALLS = st.tuples(
    RISKS,
    st.sampled_from(["person", "model"]),
    st.sampled_from([None, "step 'x'"]),
    st.sampled_from(ARGUMENTS),
    st.lists(RISKS, max_size=2).map(tuple),
).map(lambda parts: DescribedCall(*parts[:4], earlier=parts[4]))  # type: ignore[arg-type]  # each is what its place takes


def read(table, owner):
    """Return what a file says; rules that another one shadows are wrong, and hold for what this is about all the same."""
    origin = Origin(Path("/work"), lambda _: Location("f", 1), [], owner)
    return read_policy_table(json.loads(json.dumps(table)), Spot((), origin), owner, {})


@settings(max_examples=examples(3_000), deadline=None)
@given(FILES, st.lists(FILES, min_size=1, max_size=2), CALLS)
def test_nothing_that_a_project_says_widens_what_its_user_allows(own, project, call):
    alone = FilePolicy([read(own, "user")]).judge(call)
    both = FilePolicy([read(own, "user"), *(read(one, "project") for one in project)]).judge(call)
    assert STRICTNESS.index(both.action) >= STRICTNESS.index(alone.action)


@settings(max_examples=examples(1_000), deadline=None)
@given(st.lists(FILES, min_size=1, max_size=2), CALLS)
def test_without_a_file_of_the_user_a_project_widens_nothing_that_risk_asks_about(project, call):
    both = FilePolicy([read(one, "project") for one in project]).judge(call)
    assert STRICTNESS.index(both.action) >= STRICTNESS.index(FilePolicy([]).judge(call).action)


ASKED_ABOUT = {"ask": [{"tool": "a", "where": {"x": {"regex": "[a-z/]+"}}}]}
"""Of `../q` it is in doubt whether the rule matches: it asks, and excepts from no default."""
EXCEPTED = {"default": "by_risk", "allow": [{"tool": "a", "where": {"x": 1}}]}
"""A call with 1 is excepted from the default of the project, so that the one of the user counts."""
LEAKS = DescribedCall(
    Risk("a", read_only=True, flow=frozenset({"sends"})),
    "model",
    earlier=(Risk("b", flow=frozenset({"reads_private"})),),
)
"""What a call of `b` has read before, this call could send out."""


@settings(max_examples=examples(1_000), deadline=None)
@given(FILES, FILES, CALLS)
@example({"default": "deny", "allow": [{"tool": "a"}]}, ASKED_ABOUT, DescribedCall(Risk("a"), arguments={"x": "../q"}))
@example({"default": "allow"}, EXCEPTED, DescribedCall(Risk("a", requires_approval=True), arguments={"x": 1}))
@example({}, {}, LEAKS)
def test_what_is_foreseen_of_a_call_includes_what_is_decided(own, project, call):
    policy = FilePolicy([read(own, "user"), read(project, "project")])
    unknown = call._replace(arguments={}, unknown=("x",), earlier=(), coming=call.earlier)
    assert policy.judge(call).action in {one.action for one in policy.outlook(unknown)}


def test_a_project_excepts_from_its_own_default_and_from_nothing_else():
    policy = FilePolicy([read({"default": "deny", "allow": [{"tool": "a"}]}, "project")])
    found = [policy.judge(DescribedCall(Risk(tool, destructive=destructive))) for tool, destructive in (("a", None), ("a", True), ("b", None))]  # fmt: skip
    assert [one.action for one in found] == ["allow", "ask", "deny"]


def test_a_project_excepts_no_tool_by_a_name_that_another_file_has_given_it():
    policy = FilePolicy([read({"default": "deny", "allow": [{"tool": "a"}]}, "project")])
    renamed = Risk("a", allowed_as=("b",))
    assert [policy.judge(DescribedCall(risk)).action for risk in (Risk("a"), renamed)] == ["allow", "deny"]


def test_what_the_user_allows_holds_against_the_default_of_a_project_and_not_against_its_rules():
    own = read({"allow": [{"tool": "*"}]}, "user")
    for project, action in (({"default": "deny"}, "allow"), ({"ask": [{"tool": "a"}]}, "ask"), ({"deny": [{"tool": "a"}]}, "deny")):  # fmt: skip
        assert FilePolicy([own, read(project, "project")]).judge(DescribedCall(Risk("a"))).action == action


def test_the_first_file_of_the_user_that_has_a_default_sets_it():
    named, own = read({"default": {"model": "deny"}}, "user"), read({"default": "ask"}, "user")
    policy = FilePolicy([named, own])
    assert [policy.judge(DescribedCall(Risk("a"), one)).action for one in ("person", "model")] == ["ask", "deny"]
    policy = FilePolicy([read({"default": "allow"}, "user"), read({"default": "deny"}, "user")])
    assert policy.judge(DescribedCall(Risk("a", destructive=True))).action == "allow"


def test_default_of_a_project_tightens_that_of_the_user():
    policy = FilePolicy([read({"default": "allow"}, "user"), read({"default": "deny"}, "project")])
    assert policy.judge(DescribedCall(Risk("a"))).action == "deny"


def test_call_that_a_project_denies_may_be_excepted_once_its_arguments_are_known():
    policy = FilePolicy([read({"default": "deny", "allow": [{"tool": "a", "where": {"x": 1}}]}, "project")])
    calls = [DescribedCall(Risk("a"), arguments={}, unknown=("x",)), DescribedCall(Risk("a"), arguments={"x": 2})]
    found = [policy.judge(call) for call in calls]
    assert [(one.action, one.may_be_allowed) for one in found] == [("deny", True), ("deny", False)]
    assert [[one.action for one in policy.outlook(call)] for call in calls] == [["deny", "allow"], ["deny"]]


def test_call_that_the_user_denies_is_excepted_by_no_project():
    project = read({"default": "deny", "allow": [{"tool": "a", "where": {"x": 1}}]}, "project")
    verdict = FilePolicy([read({"default": "deny"}, "user"), project]).judge(
        DescribedCall(Risk("a"), arguments={}, unknown=("x",))
    )
    assert (verdict.action, verdict.may_be_allowed) == ("deny", False)


def test_question_of_a_project_loosens_nothing_that_the_user_denies():
    project = read({"ask": [{"tool": "a"}]}, "project")
    policy = FilePolicy([read({"default": "deny", "allow": [{"tool": "a", "where": {"x": 1}}]}, "user"), project])
    later = DescribedCall(Risk("a"), arguments={}, unknown=("x",))
    calls = [later._replace(arguments={"x": x}) for x in (1, 2)]
    assert [policy.judge(call).action for call in calls] == ["ask", "deny"]
    assert [one.action for one in policy.outlook(later)] == ["deny", "ask"]
    closed = FilePolicy([read({"default": "deny"}, "user"), project])
    assert (closed.judge(calls[0]).action, closed.judge(later).action) == ("deny", "deny")
