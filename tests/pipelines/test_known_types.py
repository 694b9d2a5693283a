"""What a plan knows of the values that steps pass on, so that mistakes are found before anything runs."""

from dataclasses import replace

import pytest

from toolkit import WrappedTool


@pytest.mark.parametrize("kind", ["string", "object", "integer", "number", "boolean"])
def test_for_each_over_a_value_that_is_not_a_list_is_refused(bench, kind):
    text = f'inputs: {{all: {{type: {kind}}}}}\nsteps: [{{for_each: "${{{{ inputs.all }}}}", set: "${{{{ item }}}}"}}]'
    assert bench.problems(text) == [
        "2:20 TK607 for_each needs a list, but this is not one (split(…), keys(…) and values(…) return lists)"
    ]


@pytest.mark.parametrize("schema", ["{type: array}", "{type: 'null'}", "{type: [array, string]}", "{}"])
def test_for_each_over_a_value_that_may_be_a_list_is_accepted(bench, schema):
    text = f'inputs: {{all: {schema}}}\nsteps: [{{for_each: "${{{{ inputs.all }}}}", set: "${{{{ item }}}}"}}]'
    assert bench.problems(text) == []


def test_the_item_of_a_list_and_its_index_have_known_types(bench):
    assert bench.problems(
        "steps:\n"
        "- {id: page, use: list_issues}\n"
        '- {for_each: "${{ prev.issues }}", set: "${{ item.titel }}"}\n'
        '- {for_each: "${{ steps.page.output.issues }}", use: count_all, with: {items: "${{ index }}"}}\n'
    ) == [
        "3:46 TK605 'item.titel' does not exist: there is no 'titel' (did you mean 'title'?)",
        "4:79 TK607 'items' of tool 'count_all': a whole number instead of a list",
    ]


def test_for_each_makes_a_list_of_what_its_step_makes(bench):
    assert bench.problems(
        "steps:\n"
        '- {id: points, for_each: [1, 2], use: make_point, with: {x: "${{ item }}", y: 0}}\n'
        '- {use: count_all, with: {items: "${{ steps.points.output[0].z }}"}}\n'
        '- {use: odd, with: {number: "${{ steps.points.output }}"}}\n'
    ) == [
        "3:39 TK605 'steps.points.output[0].z' does not exist: there is no 'z' (it has x, y)",
        "4:29 TK607 'number' of tool 'odd': a list instead of a whole number",
    ]


@pytest.mark.parametrize(
    ("step", "schema"),
    [
        ('{for_each: "${{ split(input) }}", use: repeat}', {"type": "array", "items": {"type": "string"}}),
        ('{for_each: "${{ split(input) }}", set: "${{ item * 2 }}"}', {"type": "array"}),
        (
            '{parallel: {sum: {use: add, with: {a: 1, b: 2}}, shown: {use: repeat}, any: {set: "${{ input * 2 }}"}}}',
            {
                "type": "object",
                "properties": {"sum": {"type": "integer"}, "shown": {"type": "string"}, "any": {}},
                "required": ["sum", "shown", "any"],
            },
        ),
    ],
)
def test_the_type_of_a_result_is_that_of_its_last_step(bench, step, schema):
    text = f"steps: [{step}]"
    assert bench.load(text).spec.output_schema == schema


def test_a_branch_with_nothing_to_pass_on_has_no_known_type(bench):
    text = "inputs: {a: {}, b: {}}\nsteps: [{parallel: {ask: {approve: '${{ inputs.a + inputs.b }}'}}}]"
    assert bench.load(text).spec.output_schema == {"type": "object", "properties": {"ask": {}}, "required": ["ask"]}


def test_adapt_knows_the_result_that_it_reads_and_the_next_step_what_it_makes(bench):
    assert bench.problems(
        "steps:\n"
        '- {use: list_issues, with: {repo: a}, adapt: "${{ result.isues }}"}\n'
        '- {use: list_issues, with: {repo: "${{ prev }}"}, adapt: "${{ result.total }}"}\n'
        "- {use: count_all, pipe: items}\n"
    ) == [
        "2:51 TK605 'result.isues' does not exist: there is no 'isues' (did you mean 'issues'?)",
        "4:26 TK607 'items' of tool 'count_all': the piped value is a whole number instead of a list",
    ]


def test_a_pipeline_that_only_asks_and_has_no_single_input_gives_nothing_of_a_known_type(bench):
    text = "inputs: {a: {}, b: {}}\nsteps: [{approve: '${{ inputs.a + inputs.b }}'}]"
    assert bench.load(text).spec.output_schema is None


@pytest.mark.parametrize(
    ("text", "place", "kind"),
    [
        ("inputs: {n: {type: integer}}\nsteps: [{use: count_all, pipe: items}]", "2:32", "a whole number"),
        ("steps: [upper]\non_failure: [{use: count_all, pipe: items}]", "2:37", "text"),
    ],
)
def test_the_first_step_receives_the_only_input_or_the_text_of_the_failure(bench, text, place, kind):
    message = f"TK607 'items' of tool 'count_all': the piped value is {kind} instead of a list"
    assert bench.problems(text) == [f"{place} {message}"]


class Pairs(WrappedTool):
    """A tool that returns a whole number, followed by any number of truth values."""

    @property
    def spec(self):  # type: ignore[override]  # it is a plain attribute elsewhere
        items = {"prefixItems": [{"type": "integer"}], "items": {"type": "boolean"}}
        return replace(self.inner.spec, name="pairs", output_schema={"type": "array", **items})


@pytest.mark.parametrize(
    ("step", "problems"),
    [
        ('{use: odd, with: {number: "${{ prev[0] }}"}}', []),
        (
            '{use: odd, with: {number: "${{ prev[1] }}"}}',
            ["1:42 TK607 'number' of tool 'odd': true or false instead of a whole number"],
        ),
        ('{use: odd, with: {number: "${{ prev[-1] }}"}}', []),
        ('{for_each: "${{ prev }}", use: odd, with: {number: "${{ item }}"}}', []),
        ("{use: count_all, pipe: items}", []),
    ],
)
def test_each_item_of_a_tuple_has_its_own_type(bench, step, problems):
    bench.add(Pairs(bench.opening.tools["nothing"]))
    assert bench.problems(f"steps: [pairs, {step}]") == problems
