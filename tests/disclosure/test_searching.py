"""Searching: tools are found by words, in large sets too, and revealed."""

import pytest
from hypothesis import given, strategies as st

from toolkit import InvalidTools, Tool, ToolContext
from toolkit.disclosure import ToolSearch, UnfoldingTool, offer, rank
from toolkit.disclosure.searching import words_of  # private
from toolkit.wrappers import limited

NOTHING = {"type": "object", "properties": {}}


def made(name, description, **parameters):
    schema = {
        "type": "object",
        "properties": {key: {"type": "string", "description": text} for key, text in parameters.items()},
    }
    return Tool.create(name, description, schema, lambda **given: name)


MAIL = made("send_mail", "Send an email to somebody.", to="The recipient's address")
INVOICES = made("list_invoices", "List the invoices of a customer.", customer="The customer's number")
PAY = made("pay_invoice", "Pay one invoice.", invoice="Its number")
WEATHER = made("getForecast", "Tell the weather of tomorrow for a city.", city="The city")


@pytest.fixture(scope="module")
def many():
    return [made(f"tool_{number}", f"Does thing number {number}.") for number in range(500)]


def names(tools):
    return [each.name for each in tools]


@pytest.mark.proof(everyday=4)
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("email", ["send_mail"]),
        ("send a mail", ["send_mail"]),
        ("invoices", ["pay_invoice", "list_invoices"]),
        ("pay invoices", ["pay_invoice", "list_invoices"]),
        ("forecast", ["getForecast"]),
        ("recipient", ["send_mail"]),
        ("CITIES", ["getForecast"]),
        ("the of a", []),
        ("", []),
        ("zeppelin", []),
    ],
)
def test_the_likeliest_tool_comes_first(query, found, many):
    assert names(rank([MAIL, INVOICES, PAY, WEATHER, *many], query)) == found


def test_words_are_told_apart_at_humps_underscores_and_digits():
    assert words_of("getHTTPResponse2 list_files, Straßen größer") == [
        "get", "http", "response", "2", "list", "file", "strassen", "grösser",
    ]  # fmt: skip
    assert words_of("queries boxes classes bus analysis gas") == ["query", "box", "class", "bus", "analysis", "gas"]


@given(st.text())
def test_any_text_can_be_searched_for(query):
    assert set(names(rank([MAIL, INVOICES], query))) <= {"send_mail", "list_invoices"}


def test_a_search_reveals_what_it_finds_and_stays(many):
    search = ToolSearch([MAIL, INVOICES, PAY, *many])
    result = search.run({"query": "invoices"})
    assert result.text == (
        "Tools now available:\n- pay_invoice: Pay one invoice.\n- list_invoices: List the invoices of a customer."
    )
    table, remark = offer({"search_tools": search}, "search_tools", result.artifact)
    assert (list(table), remark) == (["search_tools", "pay_invoice", "list_invoices"], "")
    assert table["search_tools"] is search
    table, remark = offer(table, "search_tools", table["search_tools"].run({"query": "pay email"}).artifact)
    assert (sorted(table), remark) == (["list_invoices", "pay_invoice", "search_tools", "send_mail"], "")


def test_what_is_round_a_search_stays_round_it():
    search = limited(ToolSearch([MAIL, PAY]), calls=1).with_name("find")
    table, _ = offer({"find": search}, "find", search.run({"query": "pay"}).artifact)
    assert (list(table), table["find"]) == (["find", "pay_invoice"], search)
    assert table["find"].run({"query": "mail"}).error_code == "limit"


@pytest.mark.proof
def test_a_search_reveals_no_more_than_it_may(many):
    assert len(ToolSearch(many, most=3).run({"query": "thing"}).artifact.tools) == 3


def test_tools_behind_facades_are_found():
    facade = UnfoldingTool.of("billing", "Billing.", [INVOICES, PAY])
    assert names(ToolSearch([facade, MAIL]).run({"query": "pay"}).artifact.tools) == ["pay_invoice"]


def test_a_search_without_a_hit_names_near_words():
    search = ToolSearch([MAIL, INVOICES])
    assert search.run({"query": "invioces"}).text == "No tool was found for 'invioces'. Did you mean: invoice?"
    assert search.run({"query": "zeppelin"}).text == "No tool was found for 'zeppelin'. Try other words."
    assert search.run({"query": "zeppelin"}, ToolContext(chosen_by="model")).artifact is None


def test_tools_that_clash_are_refused():
    with pytest.raises(InvalidTools, match="duplicate tool name 'send_mail'"):
        ToolSearch([MAIL, made("send_mail", "Another.")])


def test_tools_of_one_name_are_offered_with_their_facades_in_front():
    mail, letters = made("send", "Send an email."), made("send", "Send a letter by post.")
    front = made("send", "Send anything, anyhow.")
    tools = [
        UnfoldingTool.of("mail", "Mail.", [mail]),
        UnfoldingTool.of("office", "The office.", [UnfoldingTool.of("letters", "Letters.", [letters])]),
        front,
    ]
    search = ToolSearch(tools)
    assert names(search.inner_tools) == ["mail", "office", "send", "mail_send", "letters", "office_letters_send"]
    result = search.run({"query": "letter by post"})
    assert result.output.splitlines()[1] == "- office_letters_send: Send a letter by post."
    [found] = [tool for tool in result.artifact.tools if tool.name == "office_letters_send"]
    assert found.run().output == "send"


def test_a_tool_behind_a_facade_makes_way_for_the_search_itself():
    search = ToolSearch([UnfoldingTool.of("web", "The web.", [made("search_tools", "Search for tools in shops.")])])
    assert names(search.inner_tools) == ["web", "web_search_tools"]
