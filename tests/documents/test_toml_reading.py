"""TOML as nodes: the plain data that the standard library reads, with the place of each key and value."""

import tomllib

import pytest
from hypothesis import example, given, settings, strategies as st

from tests.volumes import examples
from toolkit.documents import Mapping, Scalar, Sequence, plain
from toolkit.documents.nodes import Source  # private
from toolkit.documents.toml_reading import nodes_of, read_data  # private
from toolkit.problems import Problem

KEY = st.sampled_from(["a", "b", "c-1", '"d"', "'e.f'", '"\\u0067"', '"h = ]"', "1"])
DOTTED = st.lists(KEY, min_size=1, max_size=3).flatmap(
    lambda keys: st.sampled_from([".", " . ", "\t.\t"]).map(lambda dot: dot.join(keys))
)
SCALAR = st.sampled_from(
    [
        "1", "-0x1F", "1_000", "1e5", "inf", "nan", "true", "'x'", '"\\t\\""', "''", '""', '"#]},"', "'[a]'",
        "1979-05-27", "1979-05-27 07:32:00", "1979-05-27T00:32:00.5-07:00", "07:32:00", "'\u2028'",
        '"""\n[a]\nb = 1\n"""', '""""q"""""', '"""\\"""x"""', "'''\r\na = ''1\n'''''", "''''''", '"""\\\n  x"""',
    ]
)  # fmt: skip
BLANK = st.sampled_from(["", " ", "\n", " # [x], '''\n", "\r\n"])


def _listed(items):
    return st.tuples(BLANK, BLANK, BLANK, st.booleans()).map(
        lambda blank: (
            f"[{blank[0]}{(blank[1] + ',' + blank[2]).join(items)}{',' if items and blank[3] else ''}{blank[0]}]"
        )
    )


def _inline(pairs):
    return "{ " + ", ".join(f"{key} = {value}" for key, value in pairs) + " }"


VALUE = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=3).flatmap(_listed) | st.lists(st.tuples(DOTTED, inner), max_size=3).map(_inline)
    ),
    max_leaves=6,
)
LINE = (
    st.tuples(DOTTED, VALUE).map(lambda pair: f"{pair[0]} = {pair[1]}")
    | DOTTED.map(lambda key: f"[ {key} ]")
    | DOTTED.map(lambda key: f"[[{key}]]")
    | BLANK
)
TEXT = st.lists(LINE, max_size=12).map("\n".join)


def _is_toml(text):
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _longest_toml(text):
    """Return the longest beginning of a text that is TOML, so that few examples are thrown away."""
    lines = text.split("\n")
    return next("\n".join(lines[:count]) for count in range(len(lines), -1, -1) if _is_toml("\n".join(lines[:count])))


def parse_toml(text):
    """Return the nodes of a text, and what is wrong with it."""
    data = read_data(text, "a.toml")
    return (None, [data]) if isinstance(data, Problem) else (nodes_of(data, text, "a.toml"), [])


def _nodes_in(node):
    yield node
    inner = list(node.items) if isinstance(node, Sequence) else []
    if isinstance(node, Mapping):
        inner = [entry.value for entry in node.entries.values()]
    for one in inner:
        yield from _nodes_in(one)


@settings(max_examples=examples(3_000), deadline=None)
@given(TEXT)
@example('a = """\n[a]\n"""\n[b]\nc = 1')
@example("[a.b]\nx = 1\n[a]\ny = 2")
@example("[[a]]\n[a.b]\nc = 1\n[[a]]\n[[a.d]]\n[[a.d]]\n[a.d.e]\n")
def test_what_is_read_is_what_the_standard_library_reads(text):
    text = _longest_toml(text)
    root, problems = parse_toml(text)
    assert root is not None
    assert (repr(plain(root)), problems) == (repr(tomllib.loads(text)), [])


@settings(max_examples=examples(3_000), deadline=None)
@given(TEXT)
def test_every_value_and_every_key_stands_where_its_place_says(text):
    text = _longest_toml(text)
    root, _ = parse_toml(text)
    source = Source(text, "f")
    written = lambda place: text[source.index(place[1], place[2]) : source.index(place[3], place[4])]  # noqa: E731
    for node in _nodes_in(root):
        if isinstance(node, Mapping):
            for name, entry in node.entries.items():
                shown = written(entry.key.location).strip()
                path = tomllib.loads(f"{shown} = 0")
                while isinstance(path[next(iter(path))], dict):
                    path = path[next(iter(path))]
                assert next(iter(path)) == name
        if isinstance(node, Scalar):
            assert repr(tomllib.loads(f"x = {written(node.location)}")["x"]) == repr(node.value)


@settings(max_examples=examples(2_000), deadline=None)
@given(st.text(st.sampled_from("[]={}'\"#,.\n\\ abt1:-_"), max_size=30))
def test_a_text_is_refused_where_the_standard_library_refuses_it(text):
    root, problems = parse_toml(text)
    assert ((root is None), len(problems)) == ((False, 0) if _is_toml(text) else (True, 1))
    assert root is None or repr(plain(root)) == repr(tomllib.loads(text))


def test_keys_inside_texts_are_none_and_those_of_inline_tables_have_places_of_their_own():
    text = 'note = """\n[lint]\nselect = 1\n"""\nlint = { "select" = [\n  1,\n], x.y = 2 }\n[a . "b"]\n[[a.c]]\nd=1\n'
    root, _ = parse_toml(text)
    lint, table = root.entries["lint"], root.get("a")
    assert [tuple(place)[1:] for place in (
        lint.key.location, lint.value.location, lint.value.entries["select"].key.location,
        lint.value.get("select").items[0].location, lint.value.get("x").entries["y"].key.location,
        table.entries["b"].key.location, table.entries["c"].key.location, table.get("c").items[0].entries["d"].key.location,
    )] == [
        (5, 1, 5, 5), (5, 8, 7, 13), (5, 10, 5, 18), (6, 3, 6, 4), (7, 4, 7, 7), (8, 2, 8, 9), (9, 3, 9, 6), (10, 1, 10, 2),
    ]  # fmt: skip


def test_a_table_that_is_written_after_those_in_it_is_placed_at_its_own_header():
    root, _ = parse_toml("[a.b]\nx = 1\n\n[a]\n")
    assert str(root.entries["a"].key.location) == "a.toml:4:2"


@pytest.mark.proof
def test_thousands_of_tables_in_one_another_and_in_a_row_are_read():
    text = f"[{'.'.join('a' * 100)}]\n" + "[[b]]\n" * 20_000
    root, problems = parse_toml(text)
    assert (len(root.get("b").items), problems) == (20_000, [])
    root, problems = parse_toml(f"a = {'[' * 3_000}{']' * 3_000}")
    assert (root, [str(one) for one in problems]) == (None, ["a.toml: error[TK601]: the TOML is nested too deeply"])
