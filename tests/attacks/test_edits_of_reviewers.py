"""Edits that run something else than what was edited, or what a rule denies."""

import asyncio
import json
from itertools import product
from typing import Any, Literal

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit import (
    Continue,
    Edit,
    Reject,
    ToolArgumentsError,
    ToolCall,
    ToolContext,
    from_function,
    load_pipeline,
    tool,
)
from toolkit.agents import ScriptedModel, run_agent
from toolkit.approvals import ByRisk, Gate, Verdict, load_policy
from toolkit.redactors import MASK
from toolkit.tools.secret_arguments import restore_secrets  # private

OUTSIDE = 'deny: [{tool: "*", where: {path: {outside: "."}}, because: Files stay here.}]'
POLICIES = {
    "a deny rule": OUTSIDE,
    "a deny rule beside rules that ask and allow": f"{OUTSIDE}\nask: [{{tool: '*', where: {{path: {{glob: '*.txt'}}}}}}]\nallow: [{{tool: '*'}}]",
    "a default": "default: deny\nask: [{tool: '*', where: {path: {inside: '.'}}}]",
    "a default that an allow rule excepts": "default: deny\nask: [{tool: '*', where: {path: {equals: notes.txt}}}]\n"
    "allow: [{tool: '*', where: {path: {inside: ./allowed}}}]",
}
CHOOSERS: tuple[Literal["person", "model"], ...] = ("person", "model")
SPELLINGS = [
    "../evil", "/etc/evil", "a/../../evil", "./../evil", "..", "/", "link/evil", "~/evil", "a/../link/../../evil",
]  # fmt: skip


class Disk:
    """Tools that write, one for each way to be asked about, which keep what they wrote."""

    def __init__(self) -> None:
        """Nothing is written."""
        self.written: list[Any] = []

    def tools(self) -> dict[str, Any]:
        """Return the tools."""

        def write(path: str, text: str = "x") -> str:
            """Write a file."""
            self.written.append(path)
            return "written"

        def ask_and_write(context: ToolContext, path: str = "notes.txt") -> str:
            """Write a file, if it is approved in the middle of the work."""
            match context.request_approval("Write?", {"path": path}):
                case Continue():
                    self.written.append(path)
                case Edit(arguments):
                    assert isinstance(arguments, dict)
                    self.written.append(arguments["path"])
            return "done"

        return {
            "gated": from_function(write, requires_approval=True),
            "plain": from_function(write),
            "asking": from_function(ask_and_write, read_only=True),
        }


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with a link out of it, and a way to load policies."""
    inside = tmp_path / "here"
    inside.mkdir()
    monkeypatch.chdir(inside)
    (inside / "link").symlink_to(tmp_path)

    def policy(text):
        (inside / "rules.yaml").write_text(text, "utf-8")
        return load_policy("rules.yaml")

    return policy


class Editing:
    """Gives its answers one after the other, and the last one again and again."""

    def __init__(self, *answers: Any) -> None:
        """Nobody has asked."""
        self.answers = list(answers)
        self.requests: list[Any] = []

    async def review(self, request: Any) -> Any:
        """Answer."""
        self.requests.append(request)
        return self.answers[min(len(self.requests), len(self.answers)) - 1]


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("name", POLICIES)
def test_no_edit_passes_what_denies_the_call_that_it_makes(name, here, attacks):
    policy = here(POLICIES[name])
    for spelling, form, chosen_by in product(SPELLINGS, ("gated", "plain", "asking"), CHOOSERS):
        straight, disk = Disk(), Disk()
        refusing = ToolContext(reviewer=Editing(Reject()), policy=policy).replace(chosen_by=chosen_by)
        editing = refusing.replace(gate=Gate(Editing(Edit({"path": spelling})), policy))
        denied = straight.tools()[form].run({"path": spelling}, refusing)
        disk.tools()[form].run({"path": "notes.txt"}, editing)
        assert straight.written == []
        if denied.text.startswith("Error: Denied by"):
            attacks.count(f"{spelling} ran by an edit of {form}, for a {chosen_by}", held=spelling not in disk.written)


def test_the_caller_of_a_denied_edit_receives_the_rule(here):
    disk, reviewer = Disk(), Editing(Edit({"path": "../evil"}))
    result = disk.tools()["gated"].run({"path": "a"}, ToolContext(reviewer=reviewer, policy=here(OUTSIDE)))
    assert result.text == "Error: The reviewer's edit is denied by deny rule, rules.yaml:1: Files stay here."
    assert result.error_code == "rejected"
    assert (
        reviewer.requests[0].objection({"path": "../evil"})
        == "it is denied by deny rule, rules.yaml:1: Files stay here."
    )
    assert reviewer.requests[0].objection({"path": "b"}) is None


@pytest.mark.parametrize("chosen_by", ["person", "model"])
def test_an_edit_that_needs_approval_for_another_reason_is_asked_about_again(chosen_by, here, attacks):
    policy = here("ask: [{tool: '*', where: {path: {glob: 'prod*'}}, because: Two people.}]")
    for answer, ran in ((Reject("no"), []), (Continue(), ["prod"]), (Edit({"path": "prod2"}), ["prod2"])):
        disk, reviewer = Disk(), Editing(Edit({"path": "prod"}), answer)
        context = ToolContext(reviewer=reviewer, policy=policy, chosen_by=chosen_by)
        disk.tools()["gated"].run({"path": "notes.txt"}, context)
        assert [request.asked_by for request in reviewer.requests] == [
            "the tool requires approval",
            "ask rule, rules.yaml:1: Two people.",
        ]
        assert [request.arguments["path"] for request in reviewer.requests] == ["notes.txt", "prod"]
        attacks.count(f"{answer} ran {disk.written}", held=disk.written == ran)


def test_a_question_in_the_middle_of_the_work_is_asked_again_too(here, attacks):
    policy = here("ask: [{tool: '*', where: {path: {glob: 'prod*'}}, because: Two people.}]")
    for answer, ran in ((Reject("no"), []), (Continue(), ["prod"]), (Edit({"path": "other"}), ["other"])):
        disk, reviewer = Disk(), Editing(Edit({"path": "prod"}), answer)
        disk.tools()["asking"].run({}, ToolContext(reviewer=reviewer, policy=policy))
        assert [request.asked_by for request in reviewer.requests] == [
            "the tool asks",
            "ask rule, rules.yaml:1: Two people.",
        ]
        attacks.count(f"{answer} ran {disk.written}", held=disk.written == ran)


def test_a_reviewer_that_never_stops_editing_approves_nothing(attacks):
    class Alternating(ByRisk):
        needs_arguments = True

        def judge(self, call):
            return Verdict("ask", str(call.arguments["path"]))

    class Counting:
        asked = 0

        async def review(self, request):
            self.asked += 1
            return Edit({"path": str(self.asked)})

    disk, counting = Disk(), Counting()
    result = disk.tools()["gated"].run({"path": "a"}, ToolContext(reviewer=counting, policy=Alternating()))
    attacks.count("edited for ever", held=disk.written == [] and counting.asked == 10)
    assert result.error_code == "rejected"


def test_a_gate_that_judges_itself_judges_edits(attacks):
    class Small(Gate):
        def judge(self, call):
            return Verdict("deny", "a limit") if call.arguments["amount"] > 100 else Verdict("ask", "always")

    for chosen_by in ("person", "model"):
        pay = from_function(lambda amount: f"paid {amount}", name="pay")
        context = ToolContext(gate=Small(Editing(Edit({"amount": 1000})))).replace(chosen_by=chosen_by)
        result = pay.run({"amount": 1}, context)
        attacks.count(result.text, held=result.text == "Error: The reviewer's edit is denied by a limit")


TOOLS = """
from toolkit import tool

@tool
def plain(path: str) -> str:
    "Write a file."
    with open("written", "a") as file:
        file.write(path)
    return "written"
"""
LINE = """
name: line
tools: [./tools.py]
steps:
  - {use: plain, approve: true, with: {path: notes.txt}}
  - {use: plain, with: {path: last}}
"""


def test_a_step_and_an_agent_ask_under_the_same_rules(here, tmp_path, attacks):
    folder, disk = tmp_path / "here", Disk()
    (folder / "tools.py").write_text(TOOLS, "utf-8")
    (folder / "line.yaml").write_text(LINE, "utf-8")
    context = ToolContext(reviewer=Editing(Edit({"path": "../evil"})), policy=here(OUTSIDE))
    result = load_pipeline("line.yaml").run({}, context)
    attacks.count("a step wrote", held=not (folder / "written").exists())
    assert result.text == "Error: The reviewer's edit is denied by deny rule, rules.yaml:1: Files stay here."

    model = ScriptedModel([[ToolCall("1", "plain", '{"path": "notes.txt"}')], "done"])
    asyncio.run(run_agent(model, "go", [disk.tools()["plain"].with_name("plain")], context=context))
    attacks.count(f"an agent wrote {disk.written}", held=disk.written == [])


# ------------------------------------------------------------------------------------------------- what an edit means

SECRETS = [f"secret-{number}" for number in range(4)]
PLAIN = st.sampled_from([0, 1, False, True, 1.0, 0.0, -1, None, "", "x", "0", "true", 2**60, [], {}])
SECRET = st.sampled_from(SECRETS) | st.sampled_from(SECRETS).map("Bearer {}".format)
ITEM = st.one_of(
    PLAIN,
    SECRET,
    st.fixed_dictionaries({"name": st.sampled_from(["a", "b"]), "token": SECRET}),
    st.lists(SECRET | PLAIN, max_size=3),
)


def masked(value):
    """Return a value as it is shown."""
    if isinstance(value, dict):
        return {name: masked(member) for name, member in value.items()}
    if isinstance(value, list):
        return [masked(item) for item in value]
    for secret in SECRETS:
        value = value.replace(secret, MASK) if isinstance(value, str) else value
    return value


def written(value):
    """Return a value as JSON, in which 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


@st.composite
def edits(draw):
    """Return arguments, and what a reviewer who sees the secrets would make of them by one move and other values."""
    items = draw(st.lists(ITEM, max_size=5))
    arguments = {
        "items": items,
        "token": draw(SECRET),
        "flag": draw(PLAIN),
        "deep": {"items": draw(st.lists(ITEM, max_size=2))},
    }
    new = [*items]
    change = draw(st.sampled_from(["nothing", "remove", "add", "move", "remove all", "change"]))
    places = st.integers(0, max(len(items) - 1, 0))
    if change == "add":
        new.insert(draw(places), draw(PLAIN))
    elif items and change == "remove":
        del new[draw(places)]
    elif items and change == "move":
        new.insert(draw(places), new.pop(draw(places)))
        new = [*items] if written(masked(new)) == written(masked(items)) else new  # nobody can see such a move
    elif change == "remove all":
        new = []
    elif items and change == "change" and isinstance(new[place := draw(places)], dict) and new[place]:
        new[place] = {**new[place], "name": "fresh"}
    if draw(st.booleans()):
        new = [draw(PLAIN) if written(item) == written(masked(item)) and draw(st.booleans()) else item for item in new]
    edited = {**arguments, "items": new}
    if draw(st.booleans()):
        edited["flag"] = draw(PLAIN)
    if draw(st.booleans()):
        del edited["token"]
    return arguments, edited


@settings(max_examples=examples(400), deadline=None)
@given(edits())
def test_an_edit_beside_masks_is_what_runs_or_is_refused(case):
    arguments, edited = case
    try:
        ran = restore_secrets(masked(edited), masked(arguments), json.dumps(arguments))
    except ToolArgumentsError:
        assert MASK in written(masked(edited["items"]))
        assert written(masked(edited["items"])) != written(masked(arguments["items"]))
        return
    assert written(json.loads(ran)) == written(edited)


@pytest.mark.parametrize(
    ("sent", "edited", "ran"),
    [
        (["secret-0", "secret-1", "x"], [MASK, "x"], None),
        (["secret-0", "secret-0", "x"], [MASK, "x"], ["secret-0", "x"]),
        (["secret-0", "secret-1", "x"], [MASK, MASK], ["secret-0", "secret-1"]),
        (["secret-0", "secret-1", "x"], [MASK, MASK, "y"], ["secret-0", "secret-1", "y"]),
        (["secret-0", "x", "secret-1"], ["x", MASK, MASK], None),
        (["secret-0", "x", "secret-1"], [MASK, MASK, "y"], None),
        (["secret-0"], [MASK, MASK], None),
        (["secret-0", "Bearer secret-1"], [f"Bearer {MASK}", MASK], ["Bearer secret-1", "secret-0"]),
        (["secret-0", "Bearer secret-1"], [f"Bearer {MASK}"], ["Bearer secret-1"]),
        (["Bearer secret-1"], [f"Basic {MASK}"], None),
        ([{"a": 0, "t": "secret-0"}], [{"a": False, "t": MASK}], [{"a": False, "t": "secret-0"}]),
        ([{"a": 0, "t": "secret-0"}], [{"t": MASK}], [{"t": "secret-0"}]),
        ([{"a": 0, "t": "secret-0"}], [{"a": MASK, "t": MASK}], None),
        ([{"a": 0, "t": "secret-0"}], [{"a": 0, "u": MASK}], None),
        ([{"a": 0, "t": "secret-0"}, {"a": 1, "t": "secret-1"}], [{"a": 1, "t": MASK}], [{"a": 1, "t": "secret-1"}]),
        ([{"a": 0, "t": "secret-0"}, {"a": 1, "t": "secret-1"}], [{"a": 2, "t": MASK}], None),
        ([{"a": 0, "t": "secret-0"}, {"a": 1, "t": "secret-1"}], [{"a": 2, "t": MASK}, {"a": 3, "t": MASK}], None),
        ([[MASK, "secret-0"], MASK], [[MASK], MASK], None),
        ([0, "secret-0"], [False, MASK], [False, "secret-0"]),
        ([1, "secret-0"], [True, MASK], [True, "secret-0"]),
        ([1, "secret-0"], [1.0, MASK], [1.0, "secret-0"]),
    ],
)
def test_a_mask_in_a_list_is_what_it_hid_or_nothing(sent, edited, ran, attacks):
    try:
        found = json.loads(restore_secrets({"list": edited}, {"list": masked(sent)}, json.dumps({"list": sent})))[
            "list"
        ]
    except ToolArgumentsError:
        found = None
    attacks.count(f"{sent} edited to {edited} ran as {found}", held=written(found) == written(ran))


def test_a_text_that_contains_what_looks_like_a_mask_can_be_edited():
    line = json.dumps({"text": f"{MASK}\nhead"})
    assert json.loads(restore_secrets({"text": f"{MASK}\ntail"}, json.loads(line), line)) == {"text": f"{MASK}\ntail"}


def test_items_that_parsing_has_sorted_are_not_mistaken_for_each_other(attacks):
    shown, sent = {"a": ["0", MASK, MASK]}, json.dumps({"a": ["secret-1", "secret-0", "0"]})
    for edited in ([MASK, MASK], ["0", MASK], ["0", MASK, MASK, "1"]):
        with pytest.raises(ToolArgumentsError, match="It is not clear what"):
            restore_secrets({"a": edited}, shown, sent)
        attacks.count(str(edited), held=True)
    assert restore_secrets(shown, shown, sent) == sent


@pytest.mark.parametrize(("before", "after"), [(0, False), (1, True), (1, 1.0), (True, 1), (False, 0), (1.0, 1)])
def test_a_reviewer_changes_the_type_of_a_value_beside_a_secret(before, after, attacks):
    ran: list[object] = []

    @tool(requires_approval=True)
    def send(value: Any, password: str) -> str:
        """Send a value."""
        ran.extend([value, password])
        return "sent"

    context = ToolContext(reviewer=Editing(Edit({"value": after, "password": MASK})))
    from_function(send).run({"value": before, "password": "correct horse"}, context)
    attacks.count(f"{before!r} to {after!r} ran {ran}", held=str(ran) == str([after, "correct horse"]))


def test_an_edit_in_the_middle_of_the_work_keeps_what_was_masked(attacks):
    got: list[Any] = []

    @tool(read_only=True)
    def login(password: str, context: ToolContext) -> str:
        """Log in."""
        got.append(context.request_approval("Go on?", {"line": f"as root with {password}", "tries": 1}))
        return "asked"

    for edited, known in (({"line": f"as root with {MASK}", "tries": True}, True), ({"line": MASK, "tries": 1}, False)):
        got.clear()
        context = ToolContext(reviewer=Editing(Edit(edited)))
        from_function(login).run({"password": "correct horse"}, context)
        right = Edit({"line": "as root with correct horse", "tries": True})
        attacks.count(f"{edited} became {got}", held=str(got[0]) == str(right) if known else isinstance(got[0], Reject))
