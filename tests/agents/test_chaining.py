"""Chaining: objects bring their marked methods as tools, the newest counts, and kinds do not close them."""

import asyncio
import json
from dataclasses import dataclass, field

import pytest

from toolkit import ConfigurationError, Continue, InvalidTools, ToolCall, ToolContext, ToolResult, tool, toolbox
from toolkit.agents import (
    AgentKind,
    AgentTool,
    Playbook,
    ScriptedModel,
    StateMachine,
    ToolMessage,
    Transcript,
    after,
    chaining_from,
    chaining_from_any,
    run_agent,
)
from toolkit.approvals import ScriptedReviewer
from toolkit.runs import Run


@dataclass
class User:
    name: str
    role: str = "user"
    emails: list = field(default_factory=list)

    @tool(read_only=True)
    def profile(self) -> str:
        """Tell the profile."""
        return f"profile of {self.name}"

    @tool(read_only=True)
    def update_email(self, email: str, context: ToolContext) -> str:
        """Update the email."""
        self.emails.append(email)
        return f"{context.get('tenant', 'nobody')} sets {self.name} to {email}"


@dataclass
class Admin(User):
    @tool
    def ban(self, name: str) -> str:
        """Ban a user."""
        return f"{self.name} bans {name}"


@dataclass
class Order:
    number: int

    @tool(read_only=True)
    def profile(self) -> str:
        """Tell the profile of the order."""
        return f"order {self.number}"

    @tool(read_only=True)
    def cancel(self) -> str:
        """Cancel the order."""
        return f"cancelled {self.number}"


@tool(read_only=True)
def get_user(name: str) -> User:
    """Get a user."""
    if not name:
        message = "a user has a name"
        raise ValueError(message)
    return Admin(name, "admin") if name.isupper() else User(name)


@tool(read_only=True)
def find_users(names: list[str]) -> list[User]:
    """Find users."""
    return [User(name) for name in names]


@tool(read_only=True)
def get_order(number: int) -> Order:
    """Get an order."""
    return Order(number)


TOOLS = (get_user, find_users, get_order)


def call(name, /, **arguments):
    return ToolCall(name, json.dumps(arguments))


def user(name):
    return call("get_user", name=name)


PROFILE, ORDER, CANCEL = call("profile"), call("get_order", number=7), call("cancel")


def run(turns, *chaining, tools=TOOLS, **options):
    return asyncio.run(run_agent(ScriptedModel(turns), "go", tools, chaining=chaining, **options))


def texts(result):
    return [message.text for message in result.transcript.messages if isinstance(message, ToolMessage)]


NOT_YET = "Error: This tool is not yet available. You must first retrieve a single User instance."


def test_methods_of_a_registered_type_are_told_of_at_once_and_work_once_a_tool_has_returned_an_object():
    told = []

    def look(answer):
        def turn(messages, tools):
            told.append({spec.name: (spec.description, spec.required) for spec in tools}["update_email"])
            return answer

        return turn

    update = call("update_email", email="a@b")
    result = run([look(update), user("alice"), look(update), "done"], chaining_from(User),
                 context=ToolContext({"tenant": "acme"}))  # fmt: skip
    note = "Note: This tool requires a User instance to be retrieved first."
    assert told == [(f"Update the email.\n\n{note}", ("email",)), ("Update the email.", ("email",))]
    assert texts(result) == [
        NOT_YET,
        '{"name":"alice","role":"user","emails":[]}\nNow available: profile, update_email.',
        "acme sets alice to a@b",
    ]
    assert result.artifacts == (User("alice", emails=["a@b"]),)


def test_newest_object_counts_a_failed_call_changes_nothing_and_a_list_is_something_to_choose_from():
    several = call("find_users", names=["carol", "dan"])
    result = run(
        [several, PROFILE, user("alice"), user("bob"), user(""), several, PROFILE, "done"], chaining_from(User)
    )
    assert texts(result)[1] == NOT_YET
    assert texts(result)[-1] == "profile of bob"


def test_object_of_a_subtype_brings_all_that_it_has_and_a_call_of_it_is_asked_about_like_any_other():
    reviewer = ScriptedReviewer([Continue()])
    result = run(
        [user("EVE"), call("ban", name="bob"), "done"], chaining_from(User), context=ToolContext(reviewer=reviewer)
    )
    assert texts(result)[1] == "EVE bans bob"
    assert [request.risk.tool for request in reviewer.requests] == ["ban"]


def test_only_objects_of_which_the_predicate_is_true_bring_tools_and_it_knows_the_run():
    seen = []

    def is_admin(user, run):
        seen.append((user.name, run.goal))
        return user.role == "admin"

    result = run([user("alice"), PROFILE, user("EVE"), user("bob"), PROFILE, "done"], chaining_from(User, is_admin))
    assert texts(result)[1] == NOT_YET
    assert texts(result)[-1] == "profile of EVE"
    assert seen == [("alice", "go"), ("EVE", "go"), ("bob", "go")]


def test_types_side_by_side_keep_an_object_each_and_a_name_that_is_taken_gets_the_type_in_front():
    chaining = chaining_from(User), chaining_from(Order)
    result = run([ORDER, user("alice"), PROFILE, call("order_profile"), CANCEL, "done"], *chaining)
    assert texts(result)[0].endswith("\nNow available: order_profile, cancel.")
    assert texts(result)[2:] == ["profile of alice", "order 7", "cancelled 7"]


def test_any_object_takes_the_place_of_whatever_was_brought_before():
    names = []

    def look(answer):
        def turn(messages, tools):
            names.append(sorted({spec.name for spec in tools} - {"get_user", "find_users", "get_order"}))
            return answer

        return turn

    turns = [look(user("alice")), look(ORDER), look(PROFILE), "done"]
    result = run(turns, chaining_from_any())
    assert names == [[], ["profile", "update_email"], ["cancel", "profile"]]
    assert texts(result)[1:] == ['{"number":7}\nNow available: cancel.', "order 7"]


def test_any_object_replaces_those_of_registered_types_too_which_are_then_awaited_again():
    chaining = chaining_from(User), chaining_from_any()
    result = run([user("alice"), PROFILE, ORDER, PROFILE, user("bob"), PROFILE, CANCEL, "done"], *chaining)
    assert [text.partition("\n")[0] for text in texts(result)][1::2] == ["profile of alice", NOT_YET, "profile of bob"]
    assert texts(result)[-1] == "cancelled 7"


def test_object_may_come_with_a_text_of_its_own_and_from_another_agent():
    @tool(read_only=True)
    def login() -> ToolResult:
        """Log in."""
        return ToolResult.success("welcome", artifact=User("alice"))

    inner = AgentTool("finder", "Finds users.", ScriptedModel([user("bob"), "found him"]), TOOLS)
    asked = ToolContext(reviewer=ScriptedReviewer([Continue()]))
    turns = [call("login"), PROFILE, call("finder", task="find bob"), PROFILE, "done"]
    result = run(turns, chaining_from(User), tools=[login, inner], context=asked)
    assert texts(result)[1::2] == ["profile of alice", "profile of bob"]


PLAYBOOK = Playbook({"get_order": after("profile")})
MACHINE = StateMachine("in", {"in": {"get_user": "out"}, "out": {"get_order": None}}, everywhere=["find_users"])


@pytest.mark.parametrize("kind", [AgentKind(), PLAYBOOK, MACHINE])
def test_chained_tools_are_there_at_once_in_every_kind_and_count_as_used(kind):
    result = run([user("alice"), PROFILE, ORDER, "done"], chaining_from(User), kind=kind)
    assert texts(result)[1].partition("\n")[0] == "profile of alice"
    assert texts(result)[2] == '{"number":7}'


def test_two_runs_at_once_have_an_object_each_and_a_conversation_that_is_continued_keeps_its_own():
    def named(messages, tools):
        return user(messages[1].text)

    agent = AgentTool("clerk", "Works.", ScriptedModel([named, PROFILE, "{profile}"]), TOOLS,
                      chaining=[chaining_from(User)])  # fmt: skip

    async def both():
        return await asyncio.gather(*(agent.call({"task": task}) for task in ("alice", "bob")))

    assert [result.output for result in asyncio.run(both())] == ["profile of alice", "profile of bob"]
    chat = agent.replace(model=ScriptedModel([user("carol"), "ok", PROFILE, "{profile}"]), transcript=Transcript())
    assert [chat.run({"task": "go on"}).output for _ in range(2)] == ["ok", "profile of carol"]


def test_exclusive_facade_takes_the_place_of_chained_tools_too():
    @toolbox(name="vault", description="The vault.", exclusive=True)
    class Vault:
        @tool(read_only=True)
        def gold(self) -> int:
            """Weigh the gold."""
            return 7

    names = []

    def look(messages, tools):
        names.extend(sorted(spec.name for spec in tools))
        return "done"

    run([user("alice"), call("vault"), look], chaining_from(User), tools=[get_user, Vault()])
    assert names == ["gold", "vault", "vault_context"]


def test_type_that_brings_no_tools_is_refused():
    with pytest.raises(InvalidTools, match=r"objects of 'Run' provide no tools \(mark its methods with @tool\)"):
        AgentTool("clerk", "Works.", ScriptedModel([]), TOOLS, chaining=[chaining_from(Run)])


def test_predicate_that_fails_ends_the_agent_and_says_of_what():
    with pytest.raises(ConfigurationError, match="the check whether a User provides tools failed: AttributeError: "):
        run([user("alice"), "never"], chaining_from(User, lambda user, run: user.age > 1))


def test_async_condition_accepts_no_object():
    async def is_wanted(*_):
        return False

    with pytest.raises(
        ConfigurationError, match=r"^the condition of chaining_from must be a plain function, not an async"
    ):
        chaining_from(str, is_wanted).accepts("text", Run())  # type: ignore[arg-type]
