"""Which values of a context go to a remote server: only what a converter lets through, as JSON, under free names."""

import json
import logging
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import SecretStr

from toolkit import ToolContext
from toolkit.errors import ConfigurationError
from toolkit.mcp import allow_keys, converter_from, deny_keys, meta_for, nothing, pass_through, trace_context_of
from toolkit.mcp.shared_context import names_what_crosses  # private
from toolkit.tools import NO_CONTEXT

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
CALLER = ToolContext({"tenantId": "acme", "apiKey": "k-1", "locale": ["no", "en"]}, memory_id="ada")


def test_pass_through_sends_every_value():
    assert meta_for(CALLER, pass_through()) == {"tenantId": "acme", "apiKey": "k-1", "locale": ["no", "en"]}


def test_nothing_sends_no_value():
    assert meta_for(CALLER, nothing()) is None


def test_only_allowed_values_cross():
    assert meta_for(CALLER, allow_keys("tenantId", "absent")) == {"tenantId": "acme"}


def test_denied_values_stay():
    assert meta_for(CALLER, deny_keys("apiKey")) == {"tenantId": "acme", "locale": ["no", "en"]}


def test_a_function_of_ones_own_decides():
    assert meta_for(CALLER, lambda context: {"tenant": context["tenantId"].upper()}) == {"tenant": "ACME"}


def test_an_empty_context_sends_no_meta_at_all():
    assert meta_for(NO_CONTEXT, pass_through()) is None


def test_a_converter_that_gives_no_mapping_is_told_so():
    with pytest.raises(TypeError, match=r"^a converter of context values must return a mapping, not NoneType$"):
        meta_for(CALLER, lambda context: None)  # type: ignore[arg-type]  # that is the mistake


def test_what_is_no_json_stays_here_and_is_named_in_the_log_without_its_value(caplog):
    circle: list = []
    circle.append(circle)
    odd = {
        "secret": SecretStr("hunter2"),
        "connection": object(),
        "inner": {"secret": SecretStr("hunter2")},
        "nan": float("nan"),
        "half": "hunter2 \ud800",
        "circle": circle,
        "bytes": b"hunter2",
    }
    with caplog.at_level(logging.DEBUG, "toolkit.mcp"):
        assert meta_for(ToolContext({**odd, "fine": 1}), pass_through()) == {"fine": 1}
    assert caplog.messages == [
        f"not sent to the server: the context's value {key!r} cannot be written as JSON"
        for key in odd
    ]  # fmt: skip


def test_what_crosses_is_a_copy():
    roles = ["reader"]
    meta = meta_for(ToolContext({"roles": roles}), pass_through())
    roles.append("admin")
    assert meta == {"roles": ["reader"]}


RESERVED = [
    "progressToken",
    "io.modelcontextprotocol/clientInfo",
    "mcp/name",
    "dev.mcp/name",
    "com.mcp.tools/name",
    "modelcontextprotocol.io/name",
]
UNFIT = ["", "two words", "-tenant", "tenant.", "a/b/c", "1st/name", "ten\u00e4nt", "a\n"]


@pytest.mark.parametrize("key", RESERVED + UNFIT)
def test_a_name_that_is_not_free_never_crosses(key, caplog):
    assert meta_for(ToolContext({key: "x"}), pass_through()) is None
    assert meta_for(CALLER, lambda context: {key: "x"}) is None
    assert len(caplog.messages) == 2
    with pytest.raises(ConfigurationError):
        allow_keys("tenantId", key)


def test_a_reserved_name_in_an_allow_list_is_refused_at_once_with_all_others():
    with pytest.raises(ConfigurationError) as caught:
        allow_keys("progressToken", "two words")
    assert str(caught.value) == (
        "the protocol reserves the name 'progressToken' for itself; a name 'two words' is not valid in _meta: "
        "use letters, digits, '_', '-' and '.', with a prefix before '/'"
    )


@pytest.mark.parametrize("key", ["tenantId", "com.example/tenant", "com.example.mcptools/x", "a", "x.y-z_1"])
def test_a_free_name_crosses(key):
    assert meta_for(ToolContext({key: "x"}), allow_keys(key)) == {key: "x"}


def test_a_name_that_is_no_text_is_left_out(caplog):
    odd: Any = {7: "x", "fine": 1}
    assert meta_for(CALLER, lambda context: odd) == {"fine": 1}
    [message] = caplog.messages
    assert message.startswith("not sent to the server: a name of type int is not valid in _meta: ")


# ------------------------------------------------------------------------------------------------------- trace context


def test_a_trace_crosses_though_no_value_does():
    context = ToolContext({"traceparent": PARENT, "tracestate": "congo=t61rcWkgMzE", "tenantId": "acme"})
    assert meta_for(context, nothing()) == {"traceparent": PARENT, "tracestate": "congo=t61rcWkgMzE"}


def test_baggage_has_values_of_the_callers_and_needs_leave():
    context = ToolContext({"traceparent": PARENT, "baggage": "userId=ada"})
    assert meta_for(context, nothing()) == {"traceparent": PARENT}
    assert meta_for(context, allow_keys("baggage")) == {"traceparent": PARENT, "baggage": "userId=ada"}
    assert meta_for(context, pass_through()) == {"traceparent": PARENT, "baggage": "userId=ada"}


def test_a_trace_that_is_denied_by_name_stays():
    context = ToolContext({"traceparent": PARENT, "tracestate": "a=1", "x": 1})
    assert meta_for(context, deny_keys("traceparent")) == {"x": 1}
    assert meta_for(context, deny_keys("tracestate")) == {"traceparent": PARENT, "x": 1}


def test_a_converters_own_trace_takes_the_place_of_the_contexts():
    own = PARENT.replace("-01", "-00")
    context = ToolContext({"traceparent": PARENT, "tracestate": "a=1"})
    assert meta_for(context, lambda context: {"traceparent": own}) == {"traceparent": own}


@pytest.mark.parametrize(
    "parent",
    [
        PARENT.upper(),
        PARENT[:-1],
        PARENT + "-more",
        "ff" + PARENT[2:],
        "00-" + "0" * 32 + "-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-" + "0" * 16 + "-01",
        PARENT + "\n",
        "01" + PARENT[2:] + "-" + "x" * 9000,
        "",
        7,
        None,
    ],
)
def test_a_malformed_parent_takes_the_whole_trace_with_it(parent, caplog):
    assert meta_for(ToolContext({"traceparent": parent, "tracestate": "a=1"}), pass_through()) is None
    assert caplog.messages == []


def test_a_parent_of_a_later_version_is_passed_on():
    later = "01" + PARENT[2:] + "-more"
    assert trace_context_of({"traceparent": later}) == {"traceparent": later}


@pytest.mark.parametrize(
    ("state", "is_well_formed"),
    [
        ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", True),
        ("fw529a3039@dt=FfAAAA, ,z= a b", True),
        (",".join(f"k{number}=1" for number in range(32)), True),
        (",".join(f"k{number}=1" for number in range(33)), False),
        ("a=1,a=2", False),
        ("A=1", False),
        ("a=b=c", False),
        ("a=", False),
        ("", False),
        ("a=\u00e4", False),
        (["a=1"], False),
    ],
)
def test_a_malformed_state_leaves_the_parent(state, is_well_formed):
    expected = {"traceparent": PARENT} | ({"tracestate": state} if is_well_formed else {})
    assert trace_context_of({"traceparent": PARENT, "tracestate": state}) == expected


@pytest.mark.parametrize(
    ("baggage", "is_well_formed"),
    [
        ("userId=alice,serverNode=DF%2028,isProduction=false", True),
        ("key1=value1;property1;property2 , key2 = value2, key3=value3; propertyKey=propertyValue", True),
        ("key=", True),
        (",".join(["k=1"] * 64), True),
        (",".join(["k=1"] * 65), False),
        ("k=" + "x" * 8190, True),
        ("k=" + "x" * 8191, False),
        ("key", False),
        ("a b=1", False),
        ('key="1"', False),
        ("k=1\r\nX-Evil: 1", False),
        ("", False),
        (7, False),
    ],
)
def test_malformed_baggage_is_left_out(baggage, is_well_formed):
    assert trace_context_of({"baggage": baggage}) == ({"baggage": baggage} if is_well_formed else {})


def test_there_is_no_trace_in_nothing():
    assert trace_context_of(None) == {}


# ------------------------------------------------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    ("setting", "converter", "is_list"),
    [
        (None, nothing(), True),
        ("none", nothing(), True),
        ([], nothing(), True),
        ("all", pass_through(), False),
        (["tenantId"], allow_keys("tenantId"), True),
        ({"allow": ["tenantId"]}, allow_keys("tenantId"), True),
        ({"deny": ["apiKey"]}, deny_keys("apiKey"), False),
    ],
)
def test_a_setting_names_a_converter(setting, converter, is_list):
    assert converter_from(setting) == converter
    assert names_what_crosses(converter) is is_list


WANTED = "it is a list of names, 'all', 'none', or a table with either allow or deny, a list of names"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("al", "meta cannot be 'al'; did you mean 'all'?"),
        ("tenantId", f"meta cannot be 'tenantId'; {WANTED}"),
        ({"alow": ["x"]}, "meta has no key 'alow'; did you mean 'allow'?"),
        ({"allow": ["x"], "deny": ["y"]}, f"meta cannot be this dict; {WANTED}"),
        ({"allow": "x"}, f"meta cannot be this dict; {WANTED}"),
        ([1], f"meta cannot be this list; {WANTED}"),
        (True, f"meta cannot be this bool; {WANTED}"),
        (["mcp/x"], "the protocol reserves the name 'mcp/x' for itself"),
    ],
)
def test_a_setting_that_means_nothing_is_refused_with_what_it_may_be(setting, message):
    with pytest.raises(ConfigurationError) as caught:
        converter_from(setting)
    assert str(caught.value) == message


def test_what_an_own_function_gives_tells_nothing_of_itself():
    assert not names_what_crosses(lambda context: {})


# ----------------------------------------------------------------------------------------------------- whatever is there

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.builds(object),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=12) | st.sampled_from(RESERVED), values, max_size=6))
def test_whatever_a_context_holds_only_json_crosses_and_only_what_it_holds(held):
    meta = meta_for(ToolContext(held), pass_through()) or {}
    assert json.loads(json.dumps(meta, allow_nan=False)) == meta
    assert meta.keys() <= held.keys() - set(RESERVED)
    for key, value in meta.items():
        assert value == held[key]


@given(st.text(alphabet="0123456789abcdf-", max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_whatever_a_trace_says_what_crosses_can_stand_in_a_header(parent, state, baggage):
    trace = trace_context_of({"traceparent": parent, "tracestate": state, "baggage": baggage})
    assert all(value.isascii() and value.replace("\t", "").isprintable() for value in trace.values())
