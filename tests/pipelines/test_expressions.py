"""Expressions: what they may say, what they refer to, and what they are worth."""

import warnings
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.pipelines.expressions import ROOTS, ExpressionError, Reference, parse_expression  # private

_AS_PYTHON = "expressions are written as in Python: prev.name, len(prev) > 0"

ROOT_DATA: dict[str, Any] = {
    "prev": "hello",
    "inputs": {"repo": "a/b", "limit": 20, "tags": ["x", "y"], "nothing": None},
    "item": {"title": "Café", "number": 7, "_id": "q", "with space": 1},
    "index": 2,
    "steps": {
        "list": {
            "output": {"issues": [{"number": 1, "label": "bug"}, {"number": 2, "label": "idea"}]},
            "status": "ok",
        }
    },
}


def value_of(source: str) -> Any:
    return parse_expression(source).evaluate(ROOT_DATA)


def error_of(source: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as raised:
        value_of(source)
    return raised.value


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("prev", "hello"),
        ("inputs.repo", "a/b"),
        ("inputs['limit']", 20),
        ("inputs.tags[-1]", "y"),
        ("item._id", "q"),
        ("item['with space']", 1),
        ("prev[0]", "h"),
        ("prev[1:3]", "el"),
        ("prev[::-1]", "olleh"),
        ("steps.list.output.issues[0].label", "bug"),
        ("len(steps.list.output.issues) > 0", True),
        ("[r.number for r in steps.list.output.issues if r.label == 'bug']", [1]),
        ("{r.label: r.number for r in steps.list.output.issues}", {"bug": 1, "idea": 2}),
        ("[x + y for x in ['a', 'b'] for y in inputs.tags if y != 'x']", ["ay", "by"]),
        ("[a + b for a, [b, _] in [[1, [2, 3]]]]", [3]),
        ("[key for key in inputs]", ["repo", "limit", "tags", "nothing"]),
        ("[[x for x in [x, x]] for x in [1, 2]]", [[1, 1], [2, 2]]),
        ("[item for item in [1]] + [item.number]", [1, 7]),
        ("any(r.number > 1 for r in steps.list.output.issues)", True),
        ("1 + 2 * 3 - 4 / 2", 5.0),
        ("7 // 2 + 7 % 4 + 2 ** 3", 14),
        ("-inputs.limit + +1", -19),
        ("'a' + 'b' * 3", "abbb"),
        ("[1] + [2] * 2", [1, 2, 2]),
        ("1 < index <= 2", True),
        ("1 < index < 2", False),
        ("'bug' in ['bug'] and 'x' not in inputs", True),
        ("'ell' in prev", True),
        ("inputs.nothing is None", True),
        ("prev is not None", True),
        ("prev or 'nobody'", "hello"),
        ("inputs.nothing or 'nobody'", "nobody"),
        ("not prev", False),
        ("'many' if inputs.limit > 10 else 'few'", "many"),
        ("[*inputs.tags, 'z']", ["x", "y", "z"]),
        ("{**inputs, 'limit': 1}['limit']", 1),
        ("(1, 'a')", [1, "a"]),
        ("{'a': {'b': [None, True]}}", {"a": {"b": [None, True]}}),
        ("item.title + '!'", "Café!"),
        ("prev\n  if index == 2\n  else 0", "hello"),
        ("  prev + '!'  ", "hello!"),
        ("r'\\d' + \"\\n\"", "\\d\n"),
        ("None", None),
    ],
)
def test_an_expression_has_the_value_it_has_in_python(source, value):
    assert value_of(source) == value


def test_a_reference_is_what_is_read_as_far_as_it_is_constant():
    expression = parse_expression("[r.x for r in steps.list.output['a b'][-1][index].c] + [inputs, 1][:0]")
    assert expression.references == (
        Reference("steps", ("list", "output", "a b", -1), 14, 28),
        Reference("index", (), 43, 5),
        Reference("inputs", (), 56, 6),
    )


def test_references_count_characters():
    assert parse_expression("'é😀' + prev").references == (Reference("prev", (), 7, 4),)
    assert parse_expression("\n 'é' + prev").references == (Reference("prev", (), 8, 4),)


def test_variables_of_a_comprehension_are_no_references():
    expression = parse_expression("[item + x for item in inputs.items for x in item if index]")
    assert [(one.root, one.path) for one in expression.references] == [("inputs", ("items",)), ("index", ())]


def test_every_root_is_a_name():
    for root in ROOTS:
        assert parse_expression(root).references == (Reference(root, (), 0, len(root)),)


REFUSED = [
    # source, the part that is refused, message, hint
    ("", "", "the expression is empty", None),
    ("prv", "prv", "there is no 'prv'", "did you mean 'prev'?"),
    (
        "frobnicate",
        "frobnicate",
        "there is no 'frobnicate'",
        "the names are env, error, index, input, inputs, item, prev, result, steps",
    ),
    ("[issue for isue in prev]", "issue", "there is no 'issue'", "did you mean 'isue'?"),
    ("true", "true", "there is no 'true'", "write True"),
    ("null", "null", "there is no 'null'", "write None"),
    ("lenn(prev)", "lenn", "there is no function 'lenn'", "did you mean 'len'?"),
    ("len", "len", "'len' is a function", "call it: len(…)"),
    ("len(prev, 1)", "len(prev, 1)", "len has too many arguments", "write len(value)"),
    ("get(prev)", "get(prev)", "get has no argument 'key'", "write get(container, key, [default])"),
    ("len()", "len()", "len has no arguments", "write len(value)"),
    ("sorted(prev, revers=True)", "revers=True", "sorted has no argument 'revers'", "did you mean 'reverse'?"),
    ("get(prev, 'a', key='b')", "key='b'", "the argument 'key' is given twice", None),
    ("len(*prev)", "*prev", "'*' is not allowed in a call", None),
    ("len(**item)", "**item", "'**' is not allowed in a call", None),
    (
        "prev.upper()",
        "prev.upper()",
        "methods such as '.upper(…)' cannot be called",
        "write upper(prev)",
    ),
    (
        "', '.join(prev)",
        "', '.join(prev)",
        "methods such as '.join(…)' cannot be called",
        "write join(prev, ', ')",
    ),
    (
        "prev.splitlines()",
        "prev.splitlines()",
        "methods such as '.splitlines(…)' cannot be called",
        "lines(x)",
    ),
    (
        "'{}'.format(1)",
        "'{}'.format(1)",
        "methods such as '.format(…)' cannot be called",
        "use text with ${{ }} in it, or join text with +",
    ),
    ("prev[0]()", "prev[0]()", "only functions can be called, by name", None),
    (
        "f'{prev}'",
        "f'{prev}'",
        "f-strings are not allowed",
        "use text with ${{ }} in it, or join text with +",
    ),
    (
        "'%s' % prev",
        "'%s' % prev",
        "'%' cannot format text",
        "use text with ${{ }} in it, or join text with +",
    ),
    (
        "sorted(prev, key=lambda x: x)",
        "lambda x: x",
        "lambdas are not allowed",
        "use a comprehension: [… for x in …]",
    ),
    ("(x := 1)", "x := 1", "':=' is not allowed", "use a step with 'set:' to store a value"),
    ("prev.__class__", "prev.__class__", "the name '__class__' is not allowed", None),
    ("__import__('os')", "__import__", "the name '__import__' is not allowed", None),
    ("prev.__len__()", "prev.__len__", "the name '__len__' is not allowed", None),
    ("{1, 2}", "{1, 2}", "sets are not allowed", "write a list; unique(…) removes duplicates"),
    ("b'x'", "b'x'", "bytes are not allowed", None),
    ("2j", "2j", "imaginary numbers are not allowed", None),
    ("...", "...", "'...' is not allowed", None),
    ("1e999", "1e999", "the number is too large", None),
    ("prev is 'x'", "prev is 'x'", "'is' can only be used with None", "write '==' or '!='"),
    ("prev ^ 2", "prev ^ 2", "'^' is not allowed", "write '**' for powers"),
    (
        "prev | length",
        "prev | length",
        "'|' is not allowed",
        "write 'or' for the first value that is true, or len(x) instead of x | len",
    ),
    ("prev << 2", "prev << 2", "this is not allowed in an expression", None),
    ("await prev", "await prev", "'await' is not allowed", None),
    ("[x async for x in prev]", "[x async for x in prev]", "'async' is not allowed", None),
    ("[1 for prev.x in prev]", "prev.x", "only names are allowed between 'for' and 'in'", None),
    ("prev && index", "&&", "invalid syntax", "write 'and'"),
    ("prev || '&&'", "||", "invalid syntax", "write 'or'"),
    ("!prev", "!", "invalid syntax", "write 'not'"),
    ("prev ? 1 : 2", "?", "invalid syntax", "write 'this if condition else that'"),
    ("1 if index = 2 else 3", "=", "invalid syntax", "write '==' to compare"),
    (
        "len(${{ prev }})",
        "$",
        "invalid syntax",
        "'${{ }}' cannot be nested inside another '${{ }}'",
    ),
    ("len(prev", "(", "'(' was never closed", _AS_PYTHON),
    ("'abc", "'", "unterminated string literal", _AS_PYTHON),
    ("prev # all", "# all", "an expression cannot contain a comment", None),
    ("prev\0", "\0", "an expression cannot contain a null character", None),
    ("'é' + prv", "prv", "there is no 'prv'", "did you mean 'prev'?"),
    (
        "not " * 100 + "prev",
        "not " * 19 + "prev",
        "the expression is nested too deeply",
        "compute a part of it in a step with 'set:'",
    ),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("source", "part", "message", "hint"), REFUSED)
def test_what_is_not_allowed_is_refused_where_it_stands(source, part, message, hint):
    with pytest.raises(ExpressionError) as raised:
        parse_expression(source)
    error = raised.value
    marked = source[error.offset : error.offset + error.length]
    assert (marked, error.message, error.hint) == (part, message, hint)


FAILING = [
    ("inputs.rep", "inputs.rep", "'inputs' has no 'rep'", "did you mean 'repo'?"),
    ("inputs.zzz", "inputs.zzz", "'inputs' has no 'zzz'", "it has 'repo', 'limit', 'tags', 'nothing'"),
    ("{}['a']", "{}['a']", "'{}' has no 'a'", "it is empty"),
    ("result.x", "result", "'result' has no value here", None),
    (
        "1 + inputs.nothing.x",
        "inputs.nothing.x",
        "'inputs.nothing' is null and has no 'x'",
        "get(…, 'x') returns null if it is missing",
    ),
    ("prev.x", "prev.x", "'prev' is text and has no 'x'", "parse_json(…) parses text that is JSON"),
    (
        "inputs.tags.name",
        "inputs.tags.name",
        "'inputs.tags' is a list and has no 'name'",
        "[item.name for item in …] reads it from each item",
    ),
    ("inputs.tags[2]", "inputs.tags[2]", "there is no 2 in 'inputs.tags', which has 2 items", None),
    ("index[0]", "index[0]", "a number cannot be indexed by a number", None),
    ("item[0]", "item[0]", "a key must be text, not a number", "str(…) converts it to text"),
    ("prev['a':]", "prev['a':]", "the bounds and the step of a slice must be whole numbers", None),
    ("prev[::0]", "prev[::0]", "the step of a slice cannot be 0", None),
    ("item[1:]", "item[1:]", "a mapping cannot be sliced", None),
    ("prev + 1", "prev + 1", "cannot add text and a number", "str(…) converts a value to text"),
    ("prev - 1", "prev - 1", "cannot subtract text and a number", "int(…) or float(…) converts text to a number"),
    ("item + item", "item + item", "cannot add a mapping and a mapping", None),
    ("-prev", "-prev", "text has no sign", None),
    ("prev > 1", "prev > 1", "cannot compare text with a number", "int(…) or float(…) converts text to a number"),
    ("None < 1", "None < 1", "cannot compare null with a number", None),
    ("1 in prev", "1 in prev", "text cannot contain a number", "str(…) converts it to text"),
    ("1 in index", "1 in index", "cannot look for an item in a number", None),
    (
        "prev % 2",
        "prev % 2",
        "'%' cannot format text",
        "use text with ${{ }} in it, or join text with +",
    ),
    ("2 * (1 / 0)", "1 / 0", "division by zero", None),
    ("[x for x in index]", "index", "cannot loop over a number", None),
    ("[a for a, b in [[1]]]", "a, b", "a list cannot be unpacked into 2 names", None),
    ("[*index]", "*index", "'*' unpacks a list, not a number", None),
    ("{**prev}", "prev", "'**' unpacks a mapping, not text", None),
    ("{1: 2}", "{1: 2}", "a key must be text, not a number", "str(…) converts it to text"),
    ("(-1) ** 0.5", "(-1) ** 0.5", "the result is not a real number", None),
    ("1e308 * 10", "1e308 * 10", "the result is not a finite number", None),
    ("10.0 ** 1000", "10.0 ** 1000", "the number is too large", None),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("source", "part", "message", "hint"), FAILING)
def test_what_has_no_value_says_why_and_where(source, part, message, hint):
    error = error_of(source)
    marked = source[error.offset : error.offset + error.length]
    assert (marked, error.message, error.hint) == (part, message, hint)


def test_an_expression_compares_by_what_it_says():
    assert parse_expression("prev + 'a'") == parse_expression("prev + 'a'")
    assert parse_expression("prev + 'a'") != parse_expression("prev + 'b'")


def test_data_that_looks_like_an_expression_stays_data():
    text = "${{ 10 ** 9 }} __import__('os')"
    assert parse_expression("[prev, prev + '']").evaluate({"prev": text}) == [text, text]


def test_a_key_that_is_named_like_a_method_is_a_key():
    assert parse_expression("item.keys + item.items").evaluate({"item": {"keys": 1, "items": 2}}) == 3


def test_data_that_is_no_json_does_not_come_out():
    for foreign in ({1, 2}, object(), float("nan"), {1: 2}):
        with pytest.raises(ExpressionError):
            parse_expression("[prev]").evaluate({"prev": foreign})


# ------------------------------------------------------------------------------------------------------ whatever comes

KEYS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
DATA = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)

TOKENS = st.sampled_from(
    [
        "prev",
        "item",
        "inputs",
        "steps",
        "x",
        "y",
        "len",
        "upper",
        "get",
        "sorted",
        "join",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ".",
        ",",
        ":",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "=",
        "'",
        '"',
        "0",
        "1",
        "2.5",
        "9999999",
        "'a'",
        '"é"',
        "and",
        "or",
        "not",
        "in",
        "is",
        "None",
        "True",
        "False",
        "if",
        "else",
        "for",
        "lambda",
        ":=",
        "|",
        "&",
        "^",
        "~",
        "@",
        "#",
        "$",
        "{{",
        "}}",
        "\\",
        "\n",
        "\t",
        "async",
        "await",
        "f'{prev}'",
        "b''",
        "__class__",
        ".__class__",
        ".upper()",
        ";",
        "yield",
        "*",
        "...",
        "1e999",
        "1_0",
        "0x1f",
    ]
)


@given(st.text() | st.lists(TOKENS, max_size=14).map(" ".join) | st.lists(TOKENS, max_size=14).map("".join), DATA)
@settings(max_examples=examples(1500), deadline=None)
def test_any_text_is_an_expression_or_an_error_inside_it(source, data):
    error: ExpressionError | None = None
    references: tuple[Reference, ...] = ()
    try:
        expression = parse_expression(source)
        references = expression.references
        expression.evaluate({"prev": data, "item": {"x": data}, "inputs": {}, "steps": {}})
    except ExpressionError as raised:
        error = raised
    for reference in references:
        assert source[reference.offset :].startswith(reference.root)
    if error:
        assert 0 <= error.offset <= len(source)
        assert 0 < error.length <= max(len(source) - error.offset, 1)


def paths_in(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    found = [(path, data)]
    if isinstance(data, list):
        for index, item in enumerate(data):
            found += paths_in(item, (*path, index))
    elif isinstance(data, dict):
        for key, value in data.items():
            found += paths_in(value, (*path, key))
    return found


@given(DATA)
@settings(max_examples=examples(300), deadline=None)
def test_every_place_in_data_is_reached_by_its_path(data):
    for path, value in paths_in(data, ("prev",)):
        source = "prev" + "".join(f"[{key!r}]" for key in path[1:])
        expression = parse_expression(source)
        assert expression.references == (Reference("prev", path[1:], 0, len(source)),)
        short = expression.evaluate({"prev": data})
        long = parse_expression(f"[{source}][0]").evaluate({"prev": data})
        assert short is value
        assert long is value


def operations(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(["+", "-", "*", "//", "%", "==", "!=", "<", "<=", "and", "or", "in"])
    return (
        st.tuples(inner, operators, inner).map(lambda parts: f"({' '.join(parts)})")
        | inner.map(lambda one: f"(not {one})")
        | inner.map(lambda one: f"[x for x in [{one}, 1] if x]")
        | st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} else {parts[2]})")
        | st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.tuples(inner, st.sampled_from(["[0]", "[-1]", "[1:]", "[::2]"])).map("".join)
        | inner.map(lambda one: f"len({one})")
        | inner.map(lambda one: f"sorted({one})")
    )


ATOMS = st.sampled_from(["prev", "index", "inputs", "'ab'", "3", "0", "2.5", "None", "True", "[1, 2]", "[]", "''"])


@given(st.recursive(ATOMS, operations, max_leaves=8))
@settings(max_examples=examples(1000), deadline=None)
def test_what_has_a_value_has_the_one_it_has_in_python(source):
    roots = {"prev": [3, 1, 2], "index": 2, "inputs": "text"}
    try:
        value = parse_expression(source).evaluate(roots)
    except ExpressionError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns about `3[0]` even where it is never reached
        expected = eval(source, {"__builtins__": {"len": len, "sorted": sorted}}, roots)  # noqa: S307 - made above
    assert value == expected
