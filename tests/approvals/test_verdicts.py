"""Who must be asked before a call runs: by the marks of the tool, the demand of a step, and who chose the call."""

import asyncio
from itertools import product

import pytest

from toolkit import Continue, ToolContext, from_function
from toolkit.approvals import (
    NO_QUESTION,
    AllowAll,
    Allowance,
    Allowances,
    ByRisk,
    Demand,
    DescribedCall,
    Gate,
    Risk,
    ScriptedReviewer,
    Verdict,
)
from toolkit.approvals.policies import after_coming_calls  # private
from toolkit.builtin import FileRead

MARKS = list(product((False, True), (None, False, True), (None, False, True), (None, False, True)))


def expected(risk, chosen_by, demanded_by):
    """Return the verdict that the rules in words give."""
    if demanded_by is not None:
        return Verdict("ask", demanded_by)
    if risk.requires_approval:
        return Verdict("ask", "the tool requires approval")
    if risk.destructive:
        return Verdict("ask", "the tool is destructive")
    if chosen_by == "model" and not risk.read_only:
        return Verdict("ask", "a model chose it")
    return NO_QUESTION


@pytest.mark.proof(everyday=24)
@pytest.mark.parametrize("demanded_by", [None, "step 'publish'"])
@pytest.mark.parametrize("chosen_by", ["person", "model"])
@pytest.mark.parametrize(("requires", "read_only", "destructive", "open_world"), MARKS)
def test_by_risk_asks_where_the_risk_is(requires, read_only, destructive, open_world, chosen_by, demanded_by):
    risk = Risk("t", None, requires, read_only, destructive, open_world)
    assert ByRisk().judge(DescribedCall(risk, chosen_by, demanded_by)) == expected(risk, chosen_by, demanded_by)


@pytest.mark.parametrize(
    ("chosen_by", "flow", "read", "is_asked"),
    [
        ("model", {"sends"}, ["reads_private", "reads_untrusted"], True),
        ("person", {"sends"}, ["reads_private", "reads_untrusted"], False),
        ("model", {"writes"}, ["reads_private", "reads_untrusted"], False),
        ("model", {"sends"}, ["reads_untrusted"], False),
        ("model", {"sends"}, [], False),
    ],
)
def test_a_model_may_not_send_out_what_was_read_without_a_question_about_this_very_call(
    chosen_by, flow, read, is_asked
):
    earlier = tuple(Risk(f"tool_{one}", flow=frozenset({one})) for one in read)
    call = DescribedCall(Risk("t", read_only=True, flow=frozenset(flow)), chosen_by, earlier=earlier)
    words = (
        "the run has read untrusted content ('tool_reads_untrusted') and private data ('tool_reads_private'), "
        "which this call could send out"
    )
    assert ByRisk().judge(call) == (Verdict("ask", words, exact=True) if is_asked else NO_QUESTION)


@pytest.mark.parametrize(
    ("chosen_by", "flow", "is_asked"),
    [("model", {"sends"}, True), ("person", {"sends"}, False), ("model", {"reads_private"}, False)],
)
def test_model_may_not_send_out_private_data_in_a_read_without_a_question(chosen_by, flow, is_asked):
    earlier = (Risk("ledger", flow=frozenset({"reads_private"})),)
    call = DescribedCall(Risk("t", read_only=True, flow=frozenset(flow)), chosen_by, earlier=earlier)
    expected = Verdict("ask", "it could leak what 'ledger' has read") if is_asked else NO_QUESTION
    assert ByRisk().judge(call) == expected


@pytest.mark.parametrize(
    ("source", "because"),
    [
        ("mcp://time", "its server is not trusted"),
        ("builtin", "the tool requires approval"),
        (None, "the tool requires approval"),
    ],
)
def test_question_about_a_tool_of_a_server_says_that_the_server_is_not_trusted(source, because):
    call = DescribedCall(Risk("t", source, requires_approval=True))
    assert ByRisk().judge(call) == Verdict("ask", because)


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("chosen_by", ["person", "model"])
@pytest.mark.parametrize("demand", [None, Demand("step 'publish'")])
@pytest.mark.parametrize(("requires", "read_only", "destructive"), list(product((False, True), repeat=3)))
def test_a_call_asks_exactly_when_the_verdict_says_so(requires, read_only, destructive, chosen_by, demand):
    if read_only and destructive:
        return
    reviewer = ScriptedReviewer([Continue()])
    tool = from_function(
        lambda: "ran", name="t", requires_approval=requires, read_only=read_only, destructive=destructive
    )
    context = ToolContext(reviewer=reviewer, chosen_by=chosen_by)

    async def call():
        return await tool.call("{}", context, demand=demand)

    assert asyncio.run(call()).output == "ran"
    verdict = expected(tool.spec.risk, chosen_by, demand.asked_by if demand else None)
    assert [request.asked_by for request in reviewer.requests] == ([verdict.because] if verdict.action == "ask" else [])


@pytest.mark.parametrize(
    ("risk", "labels"),
    [
        (Risk("t"), ()),
        (Risk("t", read_only=True), ("read-only",)),
        (Risk("t", None, True, False, True, True), ("DESTRUCTIVE", "requires approval", "open world")),
    ],
)
def test_marks_in_words_tell_the_gravest_first(risk, labels):
    assert risk.labels == labels


class Fixed:
    """A policy that says the same of every call, and keeps what it was told."""

    def __init__(self, verdict, *, needs_arguments=False):
        self.verdict, self.needs_arguments, self.calls = verdict, needs_arguments, []

    def judge(self, call):
        self.calls.append(call)
        return self.verdict(call) if callable(self.verdict) else self.verdict


CALL = DescribedCall(Risk("t"), "person", None, {"path": "a"})


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (Verdict("ask", "why"), Verdict("allow", "--yes")),
        (Verdict("deny", "a rule"), Verdict("deny", "a rule")),
        (Verdict("allow", "a rule"), Verdict("allow", "a rule")),
        (NO_QUESTION, NO_QUESTION),
    ],
)
def test_leave_for_everything_answers_questions_and_beats_no_refusal(inner, outer):
    assert AllowAll("--yes", Fixed(inner)).judge(CALL) == outer


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (Verdict("ask", "why"), Verdict("allow", "--approve 't'")),
        (Verdict("deny", "a rule"), Verdict("deny", "a rule")),
        (NO_QUESTION, NO_QUESTION),
    ],
)
def test_leave_for_some_calls_answers_questions_and_beats_no_refusal(inner, outer):
    assert Allowances([Allowance.parse("t")], Fixed(inner)).judge(CALL) == outer
    assert Allowances([Allowance.parse("other")], Fixed(inner)).judge(CALL) == inner


def no_secrets(call):
    """Refuse what is about a secret, as far as the arguments are known."""
    return Verdict("deny", "secrets stay") if "secret" in str(call.arguments) else Verdict("ask", "why")


@pytest.mark.parametrize(
    "wrap", [lambda inner: AllowAll("--yes", inner), lambda inner: Allowances([Allowance.parse("*")], inner)]
)
def test_leave_given_beforehand_never_beats_a_refusal_that_looks_at_arguments(wrap):
    ran = []

    def remove(path):
        ran.append(path)

    tool = from_function(remove, destructive=True)
    context = ToolContext(policy=wrap(Fixed(no_secrets, needs_arguments=True)))
    assert tool.run({"path": "secret.txt"}, context).text == "Error: Denied by secrets stay"
    assert ran == []
    assert tool.run({"path": "plain.txt"}, context).succeeded
    assert ran == ["plain.txt"]


@pytest.mark.parametrize("chosen_by", ["person", "model"])
def test_a_policy_is_told_the_arguments_only_if_it_looks_at_them(chosen_by):
    told, untold = Fixed(NO_QUESTION, needs_arguments=True), Fixed(NO_QUESTION)
    for policy in (told, untold):
        from_function(lambda x: x, name="t").run({"x": 1}, ToolContext(policy=policy, chosen_by=chosen_by))
    assert [call.arguments for call in (*told.calls, *untold.calls)] == [{"x": 1}, None]


def test_a_policy_that_looks_at_arguments_knows_the_omitted_ones_the_folder_and_what_was_called_before(tmp_path):
    def publish(title: str, draft: bool = True) -> str:
        return title

    policy = Fixed(NO_QUESTION, needs_arguments=True)
    context = ToolContext(policy=policy)
    (tmp_path / "a.txt").write_text("a", "utf-8")
    read, published = FileRead(tmp_path), from_function(publish)
    read.run({"path": "a.txt"}, context)
    published.run({"title": "News"}, context)
    assert policy.calls == [
        DescribedCall(
            read.described.risk, arguments={"path": "a.txt", "start_line": None, "end_line": None}, base=str(tmp_path)
        ),
        DescribedCall(
            published.described.risk,
            arguments={"title": "News"},
            defaults={"draft": True},
            earlier=(read.described.risk,),
        ),
    ]


def test_a_denied_call_says_by_what_and_does_not_run():
    ran = []
    tool = from_function(lambda: ran.append(1), name="t")
    for verdict, text in ((Verdict("deny", "a rule"), "Denied by a rule"), (Verdict("deny"), "Denied")):
        result = tool.run("{}", ToolContext(policy=Fixed(verdict)))
        assert (result.error, result.error_code, ran) == (text, "rejected", [])


def raising(_):
    raise RuntimeError("no idea")


@pytest.mark.parametrize("verdict", [lambda call: None, raising, lambda call: Verdict("maybe"), lambda call: True])  # type: ignore[arg-type]
def test_a_policy_that_gives_no_verdict_lets_nothing_run(verdict):
    ran = []
    tool = from_function(lambda: ran.append(1), name="t")
    result = tool.run("{}", ToolContext(gate=Gate(ScriptedReviewer([]), Fixed(verdict))))
    assert (result.succeeded, ran) == (False, [])


class Broken:
    """A policy that raises, or returns what is not a verdict."""

    needs_arguments = False

    def __init__(self, verdict):
        self.verdict = verdict

    def judge(self, call):
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


@pytest.mark.parametrize(
    ("verdict", "because"),
    [
        (ValueError("no mood"), "which failed: ValueError: no mood"),
        (None, "which returned None instead of a verdict of 'allow', 'ask' or 'deny'"),
        (True, "which returned True instead of a verdict of 'allow', 'ask' or 'deny'"),
        (
            Verdict("perhaps"),  # type: ignore[arg-type]
            f"which returned {Verdict('perhaps')!r} instead of a verdict of 'allow', 'ask' or 'deny'",  # type: ignore[arg-type]
        ),
    ],
)
def test_policy_that_gives_no_verdict_denies_and_is_named(verdict, because):
    call = DescribedCall(Risk("t", None, False, None, None, None))
    denial = Verdict("deny", f"the policy 'Broken', {because}")
    assert Gate(ScriptedReviewer([Continue()]), Broken(verdict)).verdict_on(call) == denial


def test_what_may_be_called_before_a_call_counts_as_called_once_nothing_more_can_come():
    first, second = Risk("first"), Risk("second")
    call = CALL._replace(earlier=(first,), coming=(second,))
    assert after_coming_calls(call) == CALL._replace(earlier=(first, second))


def test_gate_that_judges_itself_is_heard_before_its_policy():
    class Closed(Gate):
        def judge(self, call):
            return Verdict("deny", "closed")

    call = DescribedCall(Risk("t", None, False, True, None, None))
    assert Closed(policy=AllowAll("--yes")).verdict_on(call) == Verdict("deny", "closed")
    assert (Closed().judges_itself, Closed().needs_arguments, Gate().judges_itself) == (True, True, False)
    assert Gate(policy=AllowAll("--yes")).verdict_on(call).action == "allow"
