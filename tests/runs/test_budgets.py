"""Budgets as people write them."""

import pytest
from hypothesis import given, strategies as st

from toolkit import ConfigurationError
from toolkit.amounts import money  # private
from toolkit.runs import Budget, Message, ModelUse, Run


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("$0.50", Budget(cost=0.5)),
        ("0.5 USD", Budget(cost=0.5)),
        ("50 cents", Budget(cost=0.5)),
        ("2$,10 calls", Budget(cost=2.0, actions=10)),
        ("20000 tokens", Budget(tokens=20_000)),
        ("20_000 tokens", Budget(tokens=20_000)),
        ("1.5M tokens", Budget(tokens=1_500_000)),
        ("30 calls", Budget(actions=30)),
        (" $ .25 , 20K Tokens,1 action ", Budget(0.25, 20_000, 1)),
    ],
)
def test_a_budget_is_read_as_it_is_written(text, budget):
    assert Budget.parse(text) == budget


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "one of its parts is empty"),
        ("3", "'3' has no unit: dollars, tokens or calls"),
        ("20,000 tokens", "'20' has no unit: dollars, tokens or calls; '000 tokens' must be greater than 0 and less than 1e+15"),
        ("5 tokns", "'tokns' is not a unit (did you mean 'tokens' or 'token' or 'actions'?)"),
        ("5 pounds of tea", "'5 pounds of tea' is not an amount"),
        ("$5 usd", "'$usd' is not a unit (did you mean 'usd'?)"),
        ("1.5 calls", "'1.5 calls' must be a whole number"),
        ("-1$", "'-1$' is not an amount"),
        ("0 calls", "'0 calls' must be greater than 0 and less than 1e+15"),
        ("1e9 tokens", "'1e9 tokens' is not an amount"),
        ("$1, 2$", "'2$' is a second limit on the cost"),
        ("3 calls, 4 actions", "'4 actions' is a second limit on the calls"),
    ],
)  # fmt: skip
def test_what_is_no_budget_is_told_whole(text, why):
    with pytest.raises(ConfigurationError) as caught:
        Budget.parse(text)
    assert str(caught.value) == (
        f"'{text}' is not a budget: {why}; write '$0.50', '20k tokens', '30 calls', or several separated by commas"
    )


amounts = st.integers(1, 10**12)


@given(st.builds(Budget, amounts.map(lambda cents: cents / 100), amounts, amounts))
def test_a_budget_is_written_as_it_is_read(budget):
    assert Budget.parse(str(budget)) == budget


@given(st.text(max_size=20))
def test_any_text_is_a_budget_or_a_configuration_error(text):
    try:
        Budget.parse(text)
    except ConfigurationError as error:
        assert "is not a budget" in str(error)  # noqa: PT017 - most texts end here, some do not


def test_a_budget_says_what_it_is():
    assert [str(budget) for budget in (Budget(), Budget(0.5), Budget(2.0, 20_000, 30))] == [
        "no limit",
        "$0.50",
        "$2.00, 20000 tokens, 30 calls",
    ]


@pytest.mark.parametrize(
    ("dollars", "text"), [(0, "$0.00"), (0.5, "$0.50"), (0.00125, "$0.0013"), (1234.5678, "$1,234.5678")]
)
def test_money_has_as_many_digits_as_count(dollars, text):
    assert money(dollars) == text
    assert money(0.001254, 6) == "$0.001254"


def test_a_budget_of_dollars_warns_once_of_each_model_without_a_price(caplog):
    told = list[Message]()
    outer = Run(budget=Budget(cost=0.5), channel=told.append)
    inner = Run(around=outer)
    for use in (ModelUse("a", 5, 1), ModelUse("a", 5, 1), ModelUse("b", 5, 1, 0.1), ModelUse("c", 0, 0)):
        inner.record_use(use)
    warning = (
        "the budget of $0.50 does not limit 'a', because its price is unknown; "
        "add it under [prices] in toolkit.toml, or limit the tokens: '20k tokens'"
    )
    assert told == [Message(f"warning: {warning}", run=outer.id)]
    assert caplog.messages == []
    Run(budget=Budget(cost=0.5)).record_use(ModelUse("a", 5, 1))
    assert caplog.messages == [warning]


def test_a_budget_of_tokens_or_calls_needs_no_price(caplog):
    told = list[Message]()
    Run(budget=Budget(tokens=5, actions=5), channel=told.append).record_use(ModelUse("a", 5, 1))
    assert (told, caplog.messages) == ([], [])
