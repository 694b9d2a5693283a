"""A path that starts with `$` is a query of RFC 9535: right on the whole compliance suite, and bounded."""

import json
import os
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.builtin import JsonParser
from toolkit.builtin.json_paths import UnreadableError  # private
from toolkit.builtin.queries.query_parser import parse_query  # private

PARSER = JsonParser()
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "suites" / "jsonpath-cts.json"
STORE = """
{"book": [{"title": "Pens", "price": 8.95, "tags": ["a", "b"]}, {"title": "Papier", "price": 12, "isbn": null},
          {"title": "日本の紙", "price": 0.1234567890123456789}], "bike": {"price": 9007199254740993}}
"""


def result_of(query, document=STORE):
    return PARSER.run({"jsonPath": query, "json": document if isinstance(document, str) else json.dumps(document)})


def picked(query, document=STORE):
    """Return what a model is sent."""
    return result_of(query, document).text


def answers(case):
    """Return every answer that the suite takes for right; None where the query is to be refused."""
    if case.get("invalid_selector"):
        return [None]
    return case.get("results") or [case["result"]]


def answered(case):
    """Return what is selected, None if the query is refused; a query of one value is nothing where it leads nowhere."""
    query = case["selector"]
    if query != query.strip():  # blanks round a path are no part of it for the tool, but a fault of the grammar
        try:
            parse_query(query)
        except UnreadableError:
            return None
    result = result_of(query, case.get("document", {}))
    if not result.succeeded:
        return [] if result.error.startswith("Path not found") else None
    return [result.structured] if parse_query(query).is_singular else result.structured


def test_the_compliance_suite_is_passed():
    place = Path(os.environ.get("TOOLKIT_JSONPATH_CTS", BESIDE))
    if not place.is_file():
        pytest.skip("the JSONPath Compliance Test Suite is not here; TOOLKIT_JSONPATH_CTS can name its cts.json")
    cases = json.loads(place.read_text("utf-8"))["tests"]
    failed = [case["name"] for case in cases if answered(case) not in answers(case)]
    print(f"\nJSONPath Compliance Test Suite: {len(cases) - len(failed)} of {len(cases)} passed")  # noqa: T201
    assert failed == []
    assert len(cases) > 600


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("$.book[0].title", "Pens"),
        ("$['book'][0][\"title\"]", "Pens"),
        ("$.bike.price", "9007199254740993"),
        ("$.book[-1].price", "0.1234567890123456789"),
        ("$.book[1].isbn", "null"),
        ("$.book[*].title", '["Pens","Papier","日本の紙"]'),
        ("$..price", "[8.95,12,0.1234567890123456789,9007199254740993]"),
        ("$.book[?@.price < 10].title", '["Pens","日本の紙"]'),
        ("$.book[?@.isbn].title", '["Papier"]'),
        ("$.book[?!@.isbn && length(@.title) == 4].price", "[8.95,0.1234567890123456789]"),
        ("$.book[?search(@.title, '[^a-zA-Z]')].title", '["日本の紙"]'),
        ("$.book[?match(@.title, 'P.*')].title", '["Pens","Papier"]'),
        ("$.book[?count(@.tags[*]) > 1].tags[0]", '["a"]'),
        ("$.book[0:2]['title', 'price']", '["Pens",8.95,"Papier",12]'),
        ("$.book[::-2].title", '["日本の紙","Pens"]'),
        ("$.car", "Error: Path not found: '$.car'"),
        ("$.car[*]", "[]"),
        ("$.book[7]", "Error: Path not found: '$.book[7]'"),
        ("  $.bike.price  ", "9007199254740993"),
    ],
)
def test_queries_select(query, answer):
    assert picked(query) == answer


@pytest.mark.parametrize(
    ("query", "document", "answer"),
    [
        ("$[?@]", [0, False, "", None, 1], [0, False, "", None, 1]),
        ("$[?@ == $[1]]", [[1], [True]], [[True]]),
        ("$[?@.a == @.b]", [{"a": [1], "b": [True]}, {}], [{}]),
        ("$[?@ == 9007199254740993]", "[9007199254740992, 9007199254740993, 9007199254740993.0]", None),
        ("$[?@ < 1e400]", [1, 2], [1, 2]),
        ("$[?@ == 1.0]", [1, True, "1"], [1]),
        ("$[?@ == 10e-1]", [1, 10], [1]),
        ("$[?@ >= @]", [True, None, "a", [1], {}, 1], [True, None, "a", [1], {}, 1]),
        ("$[?@ > 'a']", ["b", 1, None], ["b"]),
        ("$[?@ <= null]", [None, 0], [None]),
        ("$[?length(@) == 1]", ["😀", [1], {"a": 1}, 1], ["😀", [1], {"a": 1}]),
    ],
)
def test_values_are_compared_by_what_they_are(query, document, answer):
    if answer is None:
        assert picked(query, document) == "[9007199254740993,9007199254740993.0]"
    else:
        assert result_of(query, document).structured == answer


def test_deep_documents_are_searched_whole():
    assert picked("$..x", '{"a":' * 300 + '{"x":1}' + "}" * 300) == "[1]"


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("$.", "at character 3 expected a name or * after ., but the query ends"),
        ("$book", "at character 2 expected a segment such as .name or [0], not 'book'"),
        ("$[", "at character 3 expected a name in quotes, a number, *, : or ?, but the query ends"),
        ("$[0", "at character 4 expected ']', but the query ends"),
        ("$[book]", "at character 3 expected a name in quotes, a number, *, : or ?, not 'book]'"),
        ("$['a]", "at character 3 expected a string that ends with ', not ''a]'"),
        ("$[01]", "at character 4 expected ']', not '1]'"),
        ("$[9007199254740992]", ("at character 3 expected a number from -9007199254740991 to 9007199254740991, not "
                                "'9007199254'")),
        ("$[?@.a == ]", "at character 11 expected @, $, a constant or a function, not ']'"),
        ("$[?1]", ("at character 4 expected a comparison such as == or <, since this is not a condition by "
                  "itself, not '1]'")),
        ("$[?@..a == 1]", "at character 4 expected a query for one value, with names and indexes only, not '@..a == 1]'"),
        ("$[?size(@) == 1]", ("at character 4 expected one of the functions length, count, value, match, search, not "
                             "'size(@) =='")),
        ("$[?length(@, 1) == 1]", "at character 4 expected 1 argument of length, not 'length(@, '"),
        ("$[?count(1) == 1]", "at character 10 expected a query such as @.items, not '1) == 1]'"),
        ("$[?match(@, 'a') == true]", "at character 4 expected a value, which match does not return, not 'match(@, '"),
        ("$[?" + "(" * 60 + "@" + ")" * 60 + "]", "its conditions are nested more than 50 deep"),
        ("$" + "[?@" * 60 + "]" * 60, "its conditions are nested more than 50 deep"),
        ("$[?length(" + "length(" * 60, "its conditions are nested more than 50 deep"),
        ("$" + ".a" * 5_000, "it has 10001 characters, at most 10000"),
    ],
)  # fmt: skip
def test_a_malformed_query_is_refused_with_its_place(query, message):
    assert picked(query).startswith(f"Error: Invalid query: {message}")


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("$" + "[0,0]" * 40, marks=pytest.mark.proof),
        pytest.param("$" + "..*" * 8, marks=pytest.mark.proof),
        pytest.param("$..[?@..[?@..[?@..x]]]", marks=pytest.mark.proof),
        pytest.param("$..[?$..[?@ == 1]]", marks=pytest.mark.proof),
        "$..[?$[0] == $[1]]",
        pytest.param("$..[?count($..*) > 5]", marks=pytest.mark.proof),
    ],
)
def test_no_query_takes_for_ever(query):
    inner = json.loads("[" * 40 + "1" + ",2]" * 40)
    document = [inner, inner, *([[1, 2, 3]] * 300)]
    started = monotonic()
    text = picked(query, document)
    assert len(text) < 11_000_000
    taken = monotonic() - started
    print(f"\njson_parser: {query[:30]} ended in {taken:.1f} s: {text[:60]}")  # noqa: T201
    assert taken < 60  # the clock of a query is ten seconds; without one it would take hours


def test_no_expression_in_a_query_is_catastrophic():
    document = ["a" * 5_000]
    assert picked("$[?match(@, '(a|a)*b')]", document) == "[]"
    assert picked("$[?search(@, '(a+)+b')]", document) == "[]"
    assert "is too large" in picked("$[?match(@, '((a{900}){900}){900}')]", document)


def test_two_equal_signs_within_a_class_are_signs():
    document = ["&", "~", "-", "a", "b"]
    assert picked("$[?match(@, '[a&&~~]')]", document) == '["&","~","a"]'
    assert picked("$[?match(@, '[--]')]", document) == '["-"]'


@pytest.mark.proof
def test_many_expressions_out_of_the_document_end_with_the_clock():
    document = [f"\\p{{L}}{{80}}{number}" for number in range(2_000)]
    started = monotonic()
    assert picked("$[?search('x', @)]", document).startswith("Error: The query takes too much work")
    assert monotonic() - started < 60


def test_a_text_too_long_for_an_expression_is_too_much_work():
    assert picked("$[?search(@, '(a|b){0,900}c')]", ["ab" * 50_000]).startswith("Error: The query takes too much work")


@pytest.mark.proof
def test_selecting_too_much_is_refused():
    document = ["x" * 3_000_000]
    message = "Error: The query selects too much: more than 10000000 characters"
    assert picked("$[0, 0, 0, 0]", document) == message
    assert picked("$[0, 0, 0]", document).startswith('["xxx')


@settings(max_examples=examples(1_000), deadline=None)
@given(st.text(st.sampled_from("$.@*[]?()!&|=<>,:'\"\\abu019-e \n"), max_size=16))
def test_no_query_crashes(text):
    result = PARSER.run({"jsonPath": f"${text}", "json": '{"a": [1, {"b": "ab"}], "b": null}'})
    assert result.error_code is None or not result.succeeded
    assert "Invalid query" in result.text or "Path not found" in result.text or result.succeeded


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@settings(max_examples=examples(500), deadline=None)
@given(names)
def test_any_name_can_be_quoted(name):
    document = json.dumps({name: "here"})
    assert picked(f"$[{json.dumps(name)}]", document) == "here"
    escaped = json.dumps(name)[1:-1].replace('\\"', '"').replace("'", "\\'")
    assert picked(f"$['{escaped}']", document) == "here"
