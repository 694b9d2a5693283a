"""Numbers keep all their digits, and bytes are base64, on the way in and on the way out."""

import base64
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st
from pydantic import Base64Bytes, BaseModel, ConfigDict
from typer.testing import CliRunner

from tests.volumes import examples
from toolkit import Continue, Reviewer, ToolContext, from_function, load_pipeline
from toolkit.tools.calls.json_data import digits_to_lose  # private
from toolkit_cli.main import application

LONG = "1234567890.123456789"


def written(text: str) -> str:
    """Says what it is given."""
    return text


def amount(number: Decimal, anything: Any = None) -> str:
    """Says what it is given."""
    return f"{number} {anything!r}"


def ratio(number: float, label: str = "") -> str:
    """Says what it is given."""
    return f"{type(number).__name__} {number} {label}"


@dataclass
class Order:
    price: Decimal
    label: str = ""


def order(orders: list[Order]) -> str:
    """Says what it is given."""
    return repr(orders)


@pytest.mark.parametrize(
    ("function", "sent", "output"),
    [
        (amount, f'{{"number": {LONG}}}', f"{LONG} None"),
        (amount, '{"number": 1.0}', "1.0 None"),
        (amount, '{"number": 1.50, "anything": [1.50, {"a": 1.0}]}', "1.50 [1.5, {'a': 1.0}]"),
        (written, '{"text": 1.0}', "1.0"),
        (written, f'{{"text": {LONG}}}', LONG),
        (written, '{"text": 12}', "12"),
        (ratio, '{"number": 1.50, "label": "a"}', "float 1.5 a"),
        (order, f'{{"orders": [{{"price": {LONG}, "label": 2.0}}]}}', repr([Order(Decimal(LONG), "2.0")])),
    ],
)
def test_numbers_in_json_text_keep_what_was_written(function, sent, output):
    assert from_function(function).run(sent).text == output


def test_what_is_wrong_beside_a_long_number_is_said_of_what_was_written():
    assert from_function(amount).run(f'{{"number": [{LONG}]}}').error == (
        "Invalid parameter 'number': must be a number such as 12.50, not an array"
    )


class Asked(Reviewer):
    def __init__(self):
        self.requests = []

    async def review(self, request):
        self.requests.append(request)
        return Continue()


def test_a_question_is_asked_about_every_digit_and_the_same_runs():
    reviewer = Asked()
    tool = from_function(amount, requires_approval=True)
    context = ToolContext(reviewer=reviewer)
    first, second = (tool.run(f'{{"number": 1234567890.12345678{last}}}', context) for last in (8, 9))
    assert (first.output, second.output) == ("1234567890.123456788 None", "1234567890.123456789 None")
    assert [request.arguments["number"] for request in reviewer.requests] == [
        "1234567890.123456788",
        "1234567890.123456789",
    ]
    assert reviewer.requests[0].digest != reviewer.requests[1].digest


@settings(max_examples=examples(500))
@given(st.decimals(allow_nan=False, allow_infinity=False, places=12, min_value=-(10**15), max_value=10**15))
def test_every_decimal_arrives_as_it_was_written(number):
    assert from_function(amount).run(f'{{"number": {number:f}}}').output == f"{Decimal(f'{number:f}')} None"


def echo(data: bytes) -> bytes:
    """Gives back what it was given."""
    return data


ECHO = from_function(echo)


@settings(max_examples=examples(500))
@given(st.binary())
def test_bytes_are_base64_in_both_directions(data):
    for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
        sent = alphabet(data).decode()
        for arguments in ({"data": sent}, json.dumps({"data": sent}), {"data": sent.rstrip("=")}):
            assert ECHO.run(arguments).structured == base64.b64encode(data).decode()
    assert ECHO.run({"data": data}).output == json.dumps(base64.b64encode(data).decode())


def test_bytes_are_described_as_base64():
    described = {"type": "string", "contentEncoding": "base64"}
    assert ECHO.spec.parameters["properties"]["data"] == described
    assert ECHO.spec.output_schema == described


def test_what_is_no_base64_is_refused():
    assert (
        ECHO.run({"data": "no bytes!"}).error == "Invalid parameter 'data': must be bytes in base64, not \"no bytes!\""
    )


def test_bytes_inside_what_is_returned_are_base64_and_text_stays():
    def many() -> dict[str, Any]:
        """Gives many."""
        return {"bytes": [b"\xfb\xff", b"ok"], "text": "a-b_c", "numbers": [-1, 2.5]}

    assert from_function(many).run().structured == {
        "bytes": ["+/8=", "b2s="],
        "text": "a-b_c",
        "numbers": [-1, 2.5],
    }


class Hexadecimal(BaseModel):
    model_config = ConfigDict(val_json_bytes="hex")
    data: bytes


def test_types_that_decode_bytes_themselves_still_do():
    def decoded(data: Base64Bytes) -> str:
        """Gives back what it was given."""
        return data.hex()

    def hexadecimal(given: Hexadecimal) -> str:
        """Gives back what it was given."""
        return given.data.hex()

    assert from_function(decoded).run({"data": "+/8="}).text == "fbff"
    assert from_function(hexadecimal).run('{"given": {"data": "fbff"}}').text == "fbff"


def test_a_question_about_bytes_runs_with_those_that_were_sent():
    tool = from_function(echo, requires_approval=True)
    assert tool.run({"data": b"\xfb\xff"}, ToolContext(reviewer=Asked())).structured == "+/8="


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,20})\.[0-9]{1,20}([eE][+-]?[0-9]{1,3})?", fullmatch=True))
@settings(max_examples=examples(5_000))
@example("0.0001")
@example("0.00001")
@example("123456789012345.6")
def test_number_that_a_float_would_write_in_another_way_is_never_read_as_one(number):
    if not digits_to_lose(f'{{"x": {number}}}'):
        assert repr(float(number)) == number


MONEY = '''
from decimal import Decimal
from toolkit import tool

@tool
def pay(amount: Decimal, text: str = "") -> str:
    """Pay an amount."""
    return f"{amount} {text}"
'''


def test_numbers_keep_their_digits_through_steps_expressions_and_output(tmp_path):
    (tmp_path / "money.py").write_text(MONEY, "utf-8")
    (tmp_path / "pay.yaml").write_text(
        f"""
tools: [./money.py]
steps:
  - id: price
    set: {{much: {LONG}, few: [1.50, {{less: 1.0}}], debt: '${{{{ -{LONG} }}}}'}}
  - id: paid
    use: pay
    with: {{amount: '${{{{ steps.price.output.much }}}}', text: 'of ${{{{ steps.price.output.few }}}}'}}
output:
  paid: ${{{{ steps.paid.output }}}}
  price: ${{{{ steps.price.output }}}}
  sum: ${{{{ 0.5 + steps.price.output.few[0] }}}}
  own: {LONG}
""",
        "utf-8",
    )
    assert load_pipeline(tmp_path / "pay.yaml").run().output == (
        f'{{"paid":"{LONG} of [1.50,{{\\"less\\":1.0}}]",'
        f'"price":{{"much":{LONG},"few":[1.50,{{"less":1.0}}],"debt":-{LONG}}},"sum":2.0,"own":{LONG}}}'
    )


def test_a_dry_run_shows_every_digit(tmp_path):
    (tmp_path / "money.py").write_text(MONEY, "utf-8")
    (tmp_path / "pay.yaml").write_text(
        f"tools: [./money.py]\nsteps:\n  - pay: {{amount: {LONG}, text: 1.0}}\n", "utf-8"
    )
    run = ["run", str(tmp_path / "pay.yaml"), "--dry-run"]
    shown = CliRunner().invoke(application(), run)
    assert f"amount = {LONG}\n          text = 1.0\n" in shown.stdout
    told = CliRunner().invoke(application(), [*run, "--format", "json"])
    assert f'"amount": {LONG},\n        "text": 1.0\n' in told.stdout


def test_numbers_of_a_pipeline_file_keep_their_digits(tmp_path):
    (tmp_path / "money.py").write_text(
        "from decimal import Decimal\nfrom toolkit import tool\n\n"
        "@tool\ndef pay(amount: Decimal, parts: list[Decimal], share: float) -> str:\n"
        '    """Pay an amount."""\n    return f"{amount} {[str(part) for part in parts]} {share!r}"\n',
        "utf-8",
    )
    (tmp_path / "pay.yaml").write_text(
        "tools: [./money.py]\nsteps:\n"
        "  - pay: {amount: -1234567890.1234567890, parts: [1.50, 2, .5, 1e3, 0x10, '0.10', '${{ 1.50 }}'], share: 1.50}\n",
        "utf-8",
    )
    assert load_pipeline(tmp_path / "pay.yaml").run().output == (
        "-1234567890.1234567890 ['1.50', '2', '0.5', '1000.0', '16', '0.10', '1.50'] 1.5"
    )
