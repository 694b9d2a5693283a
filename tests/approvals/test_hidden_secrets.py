"""A secret among the arguments reaches the tool, and nobody else."""

import json
import logging
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from toolkit import Continue, Edit, Reject, Tool, ToolContext, TypedTool, from_function
from toolkit.approvals import Allowance, Allowances, DescribedCall, ScriptedReviewer, Verdict
from toolkit.events import as_record
from toolkit.redactors import MASK
from toolkit.tools.secret_arguments import secret_members  # private

PASSWORD = "correct horse"  # noqa: S105 - the one that must show up nowhere
OTHER = "battery staple"


class Login(BaseModel):
    user: str
    password: SecretStr


@dataclass
class Account:
    login: Login
    note: str = ""


class Chain(BaseModel):
    name: str
    next: "Chain | None" = None
    key: SecretStr | None = None


def log_in(user: str, password: SecretStr) -> str:
    """Logs in."""
    return f"{user} with {len(password.get_secret_value())} characters, {password.get_secret_value()[::-1]}"


def log_in_deep(user: str, accounts: list[Account]) -> str:
    """Logs in."""
    return log_in(user, accounts[0].login.password)


FLAT = from_function(log_in)
DEEP = from_function(log_in_deep)
TYPED = TypedTool(
    name="typed", description="Logs in.", input_type=Login, function=lambda login: log_in(login.user, login.password)
)
BY_HAND = Tool.create(
    "by_hand",
    "Logs in.",
    {
        "type": "object",
        "properties": {"user": {"type": "string"}, "password": {"type": "string", "writeOnly": True}},
        "required": ["user", "password"],
    },
    lambda user, password: log_in(user, SecretStr(password)),
)


def arguments_for(tool, password=PASSWORD, user="ada"):
    if tool is DEEP:
        return {"user": user, "accounts": [{"login": {"user": user, "password": password}}]}
    return {"user": user, "password": password}


def output(password, user="ada"):
    return f"{user} with {len(password)} characters, {password[::-1]}"


every_tool = pytest.mark.parametrize("tool", [FLAT, DEEP, TYPED, BY_HAND], ids=lambda tool: tool.name)
as_text_or_data = pytest.mark.parametrize("form", [json.dumps, dict], ids=["text", "data"])


@pytest.mark.proof(everyday=10)
@every_tool
@as_text_or_data
@pytest.mark.parametrize("change", [None, "missing", "wrong"])
def test_a_secret_is_in_no_question_event_or_log(tool, form, change, caplog):
    arguments = arguments_for(tool)
    if change == "missing":
        del arguments["user"]
    elif change == "wrong":
        arguments["user"] = [arguments["user"]]
    events: list[Any] = []
    reviewer = ScriptedReviewer([Continue(), Reject("no")])
    context = ToolContext(reviewer=reviewer, listener=events.append, chosen_by="model")
    with caplog.at_level(logging.DEBUG):
        results = [tool.run(form(arguments), context) for _ in range(2)]
    assert [result.succeeded for result in results] == [change is None, False]
    told = [
        *(record.getMessage() for record in caplog.records),
        *(repr(as_record(event)) for event in events),
        *(repr(request) for request in reviewer.requests),
        *(str(result.error) for result in results),
    ]
    assert [text for text in told if PASSWORD in text] == []
    assert len(told) > 6


@every_tool
@as_text_or_data
def test_a_secret_reaches_the_tool_also_through_a_question(tool, form):
    context = ToolContext(reviewer=ScriptedReviewer([Continue()]), chosen_by="model")
    assert tool.run(form(arguments_for(tool)), context).output == output(PASSWORD)


def test_a_ready_secret_reaches_the_tool_through_a_question():
    context = ToolContext(reviewer=ScriptedReviewer([Continue()]), chosen_by="model")
    assert FLAT.run({"user": "ada", "password": SecretStr(PASSWORD)}, context).output == output(PASSWORD)


@every_tool
def test_a_secret_that_a_reviewer_leaves_alone_stays_what_it_was(tool):
    class Renaming:
        async def review(self, request):
            edited = {**request.arguments, "user": "eve"}
            assert PASSWORD not in json.dumps(edited)
            assert request.objection(edited) is None
            return Edit(edited)

    context = ToolContext(reviewer=Renaming(), chosen_by="model")
    assert tool.run(json.dumps(arguments_for(tool)), context).output == output(PASSWORD, "eve")


@every_tool
def test_a_secret_that_a_reviewer_changes_is_what_he_says(tool):
    context = ToolContext(reviewer=ScriptedReviewer([Edit(arguments_for(tool, OTHER))]), chosen_by="model")
    assert tool.run(arguments_for(tool), context).output == output(OTHER)


def test_an_edit_that_is_no_object_is_refused_with_secrets_too():
    context = ToolContext(reviewer=ScriptedReviewer([Edit("[]"), Edit("{")]), chosen_by="model")
    assert [FLAT.run(arguments_for(FLAT), context).error_code for _ in range(2)] == ["invalid_arguments"] * 2


@every_tool
def test_leave_for_the_same_call_again_is_none_for_another_secret(tool):
    reviewer = ScriptedReviewer([Continue(same_again=True), Reject("another password")])
    context = ToolContext(reviewer=reviewer, chosen_by="model")
    results = [tool.run(arguments_for(tool, password), context) for password in (PASSWORD, PASSWORD, OTHER, PASSWORD)]
    assert [result.succeeded for result in results] == [True, True, False, True]
    first, second = reviewer.requests
    assert first.fingerprint == second.fingerprint
    assert first.digest != second.digest


def test_no_rule_sees_a_secret():
    seen: list[DescribedCall] = []

    class Looking:
        needs_arguments = True

        def judge(self, call):
            seen.append(call)
            return Verdict("ask")

    rule = Allowance.parse(f"log_in(password={PASSWORD})")
    context = ToolContext(policy=Allowances([rule], Looking()), reviewer=ScriptedReviewer([]))
    assert FLAT.run(arguments_for(FLAT), context).error_code == "rejected"
    assert [call.arguments for call in seen] == [{"user": "ada", "password": MASK}]


class Vault(BaseModel):
    key: Annotated[str, Field(json_schema_extra={"writeOnly": True})]
    spare: SecretStr = Field(SecretStr(""), exclude=True)
    shelf: int = 1


def open_vault(vault: Vault, pin: Annotated[str, Field(json_schema_extra={"writeOnly": True})]) -> str:
    """Opens."""
    return f"{vault.key} {vault.spare.get_secret_value()} {pin} {vault.shelf}"


def test_whatever_its_schema_calls_write_only_is_a_secret():
    class Moving:
        async def review(self, request):
            assert request.arguments == {"vault": {"key": MASK, "spare": MASK, "shelf": 1}, "pin": MASK}
            return Edit({**request.arguments, "pin": "0000"})

    opening = from_function(open_vault, requires_approval=True)
    arguments = {"vault": {"key": PASSWORD, "spare": OTHER}, "pin": "1234"}
    result = opening.run(arguments, ToolContext(reviewer=Moving()))
    assert result.output == f"{PASSWORD} {OTHER} 0000 1"


def test_a_secret_that_is_wrong_itself_is_not_told():
    def log_in(password: Annotated[SecretStr, Field(min_length=20)]) -> str:
        """Logs in."""
        return "in"

    result = from_function(log_in).run({"password": PASSWORD})
    assert result.error == "Invalid parameter 'password': value should have at least 20 items, not 13"
    assert (
        from_function(log_in).run({"password": [PASSWORD]}).error
        == "Invalid parameter 'password': should be a valid string"
    )


def test_text_in_which_no_secret_can_be_told_apart_is_hidden_whole(caplog):
    FLAT.run(f'{{"password": "{PASSWORD}", "user"')
    (record,) = caplog.records
    assert record.getMessage().startswith(f"log_in({MASK}) -> Error: Invalid JSON: EOF")


def test_secret_members_are_found_wherever_they_are():
    def probe(
        a: SecretStr,
        b: Login,
        c: list[Login],
        d: dict[str, SecretStr],
        e: Chain,
        f: SecretStr | None,
        g: str,
        h: Account,
    ):
        """Probes."""

    assert secret_members(from_function(probe).spec.parameters) == set("abcdefh")
    assert from_function(probe).hidden_parameters == set("abcdefh")
    assert secret_members({"type": "object"}) == set()


def test_a_call_without_secrets_is_logged_and_told_as_it_came():
    events: list[Any] = []
    sent = '{ "x" : 1 }'
    from_function(lambda x: x, name="plain").run(sent, ToolContext(listener=events.append))
    assert events[0].arguments is sent


BEHIND: dict[str, tuple[Any, Any, Any]] = {
    "a definition of draft 7": (
        {"login": {"$ref": "#/definitions/Login"}},
        {"definitions": {"Login": {"type": "object", "properties": {"pin": {"type": "string", "writeOnly": True}}}}},
        {"login": {"pin": PASSWORD}},
    ),
    "another property": (
        {"pin": {"type": "string", "writeOnly": True}, "again": {"$ref": "#/properties/pin"}},
        {},
        {"again": PASSWORD},
    ),
    "an anchor": (
        {"pin": {"$ref": "#Pin"}},
        {"$defs": {"Pin": {"$anchor": "Pin", "writeOnly": True}}},
        {"pin": PASSWORD},
    ),
    "a pattern of names": (
        {"pins": {"type": "object", "patternProperties": {"^p": {"writeOnly": True}}}},
        {},
        {"pins": {"p1": PASSWORD}},
    ),
    "a list of positions": (
        {"pins": {"type": "array", "items": [{}, {"writeOnly": True}]}},
        {},
        {"pins": ["user", PASSWORD]},
    ),
    "a condition": (
        {"login": {"if": {"required": ["pin"]}, "then": {"properties": {"pin": {"writeOnly": True}}}}},
        {},
        {"login": {"pin": PASSWORD}},
    ),
    "a conjunction at the root": ({}, {"allOf": [{"properties": {"pin": {"writeOnly": True}}}]}, {"pin": PASSWORD}),
}


@pytest.mark.parametrize("place", BEHIND)
def test_secret_is_hidden_wherever_its_mark_stands(place):
    properties, beside, arguments = BEHIND[place]
    schema = {"type": "object", "properties": properties, "additionalProperties": True} | beside
    tool = Tool.create("log_in", "Logs in.", schema, lambda **_: "done", requires_approval=True)
    events: list[Any] = []
    reviewer = ScriptedReviewer([Continue()])
    assert tool.run(arguments, ToolContext(reviewer=reviewer, listener=events.append)).text == "done"
    shown = repr([reviewer.requests, [as_record(event) for event in events]])
    assert PASSWORD not in shown
    assert MASK in shown
